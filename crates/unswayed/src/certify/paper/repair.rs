//! From the solver's multipliers, which meet their conditions only nearly, to ν8, ν9, ν10 that meet them.
//!
//! For fixed A, b and rows the bound is ν8ϱ² + 2ν9 + ν10R² + gᵀD⁻¹g plus numbers that stay. All blocks of D are affine in A
//! and I, so in A's eigenvectors D falls apart into d matrices of order 2, and the best ν is found by Newton's method on
//! three variables with a barrier that keeps those matrices positive definite. θ is measured in units of ϱ, z in units of R.

use faer::linalg::solvers::SelfAdjointEigen;
use faer::{Mat, Side};

use super::hinge::Setting;
use crate::certify::conic::packed;

/// Where the barrier ends: it costs the bound this much for each of some 2d+7 conditions, and without it D may be so
/// nearly singular that rounding spoils D⁻¹g.
const LEAST_BARRIER: f64 = 1e-11;

/// Eigenvalues of A and its eigenvectors, by columns.
pub(super) struct Spectrum {
    values: Vec<f64>,
    vectors: Mat<f64>,
}

impl Spectrum {
    /// Of a packed triangle; `None` if its entries are not finite.
    pub(super) fn new(a: &[f64], dimension: usize) -> Option<Self> {
        if a.iter().any(|x| !x.is_finite()) {
            return None;
        }
        let full = Mat::from_fn(dimension, dimension, |i, j| a[packed(i, j)]);
        let found = SelfAdjointEigen::new(full.as_ref(), Side::Lower).ok()?;
        let values = found.S().column_vector().iter().copied().collect();
        Some(Spectrum { values, vectors: found.U().to_owned() })
    }

    /// Numbers below and above all eigenvalues, by more than rounding can have moved them.
    pub(super) fn range(&self) -> (f64, f64) {
        let first = self.values.iter().copied().fold(f64::INFINITY, f64::min);
        let last = self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let margin = 1e-12 * first.abs().max(last.abs()).max(1e-6);
        (first - margin, last + margin)
    }

    fn rotate(&self, x: &[f64]) -> Vec<f64> {
        let d = x.len();
        (0..d).map(|j| (0..d).map(|i| self.vectors[(i, j)] * x[i]).sum()).collect()
    }

    fn rotate_back(&self, x: &[f64]) -> Vec<f64> {
        let d = x.len();
        (0..d).map(|i| (0..d).map(|j| self.vectors[(i, j)] * x[j]).sum()).collect()
    }
}

/// One eigenvalue's part of D (the constant part of its entries) and of g, in the units of this file.
#[derive(Clone, Copy)]
struct Part {
    d: [f64; 3],
    g: [f64; 2],
}

/// The function of (ν8ϱ², ν9, ν10R²) to be minimised.
struct Bound {
    parts: Vec<Part>,
    /// ϱR, the factor of ν9 in D.
    cross: f64,
}

/// Value, gradient and Hessian.
struct Expansion {
    value: f64,
    gradient: [f64; 3],
    hessian: [[f64; 3]; 3],
}

impl Bound {
    fn new(s: &Setting, spectrum: &Spectrum, slope: &[f64], b: &[f64]) -> Self {
        let first: Vec<f64> = slope.iter().zip(b).map(|(c, b)| 0.5 * s.ball * (c - s.sigma * b)).collect();
        let second: Vec<f64> = b.iter().map(|b| 0.5 * s.radius * s.eps * b).collect();
        let (first, second) = (spectrum.rotate(&first), spectrum.rotate(&second));
        let part = |(j, a): (usize, f64)| Part {
            d: [
                s.ball * s.ball * s.shrink() * a,
                -s.eps * s.k() * s.ball * s.radius * a,
                -s.eps * s.eta * s.radius * s.radius * a,
            ],
            g: [first[j], second[j]],
        };
        let mut parts: Vec<Part> = spectrum.values.iter().copied().enumerate().map(part).collect();
        // The ends of the range carry no part of g, but D must be positive definite there too.
        let (low, high) = spectrum.range();
        parts.extend([low, high].map(|a| Part { g: [0.0; 2], ..part((0, a)) }));
        Bound { parts, cross: s.ball * s.radius }
    }

    /// The three entries of a part of D, and its determinant.
    fn matrix(&self, part: &Part, nu: [f64; 3]) -> ([f64; 3], f64) {
        let d = [part.d[0] + nu[0], part.d[1] + self.cross * nu[1], part.d[2] + nu[2]];
        (d, d[0] * d[2] - d[1] * d[1])
    }

    fn inside(&self, nu: [f64; 3]) -> bool {
        let good = |part: &Part| {
            let (d, determinant) = self.matrix(part, nu);
            d[0] > 0.0 && d[2] > 0.0 && determinant > 0.0
        };
        nu.iter().all(|x| *x > 0.0) && self.parts.iter().all(good)
    }

    /// The bound plus `barrier` times −Σ log ν − Σ log det.
    fn expand(&self, nu: [f64; 3], barrier: f64) -> Expansion {
        let mut e = Expansion {
            value: nu[0] + 2.0 * nu[1] + nu[2],
            gradient: [1.0, 2.0, 1.0],
            hessian: [[0.0; 3]; 3],
        };
        for (i, x) in nu.iter().enumerate() {
            e.value -= barrier * x.ln();
            e.gradient[i] -= barrier / x;
            e.hessian[i][i] += barrier / (x * x);
        }
        for part in &self.parts {
            self.add(part, nu, barrier, &mut e);
        }
        e
    }

    fn add(&self, part: &Part, nu: [f64; 3], barrier: f64, e: &mut Expansion) {
        let (d, determinant) = self.matrix(part, nu);
        let inverse = [d[2] / determinant, -d[1] / determinant, d[0] / determinant];
        let times =
            |x: [f64; 2]| [inverse[0] * x[0] + inverse[1] * x[1], inverse[1] * x[0] + inverse[2] * x[1]];
        let y = times(part.g);
        e.value += part.g[0] * y[0] + part.g[1] * y[1] - barrier * determinant.ln();
        // E_c y for the three directions of D, and the columns of D⁻¹E_c.
        let c = self.cross;
        let moved = [[y[0], 0.0], [c * y[1], c * y[0]], [0.0, y[1]]];
        let columns = [
            [times([1.0, 0.0]), [0.0, 0.0]],
            [times([0.0, c]), times([c, 0.0])],
            [[0.0, 0.0], times([0.0, 1.0])],
        ];
        for a in 0..3 {
            let trace = columns[a][0][0] + columns[a][1][1];
            e.gradient[a] -= y[0] * moved[a][0] + y[1] * moved[a][1] + barrier * trace;
            let back = times(moved[a]);
            for b in 0..3 {
                let curve = 2.0 * (back[0] * moved[b][0] + back[1] * moved[b][1]);
                let (p, q) = (&columns[a], &columns[b]);
                let product: f64 = (0..2).flat_map(|i| (0..2).map(move |j| p[j][i] * q[i][j])).sum();
                e.hessian[a][b] += curve + barrier * product;
            }
        }
    }
}

/// ν8, ν9, ν10 near the best ones, with D positive definite, starting from the solver's.
pub(super) fn best(
    s: &Setting,
    spectrum: &Spectrum,
    slope: &[f64],
    b: &[f64],
    nu: [f64; 3],
) -> Option<[f64; 3]> {
    let bound = Bound::new(s, spectrum, slope, b);
    let units = [s.ball * s.ball, 1.0, s.radius * s.radius];
    let mut nu: [f64; 3] = std::array::from_fn(|i| (nu[i] * units[i]).max(1e-9));
    let scale = bound.parts.iter().flat_map(|p| p.d).fold(1e-6_f64, |m, x| m.max(x.abs()));
    let mut push = 1e-10 * scale;
    while !bound.inside(nu) {
        if push > 1e6 * scale {
            return None;
        }
        nu[0] += push;
        nu[2] += push;
        push *= 2.0;
    }
    let mut barrier = 1e-3;
    while barrier > LEAST_BARRIER {
        descend(&bound, &mut nu, barrier);
        barrier *= 0.1;
    }
    Some(std::array::from_fn(|i| nu[i] / units[i]))
}

/// Newton's method for one strength of the barrier.
fn descend(bound: &Bound, nu: &mut [f64; 3], barrier: f64) {
    for _ in 0..50 {
        let here = bound.expand(*nu, barrier);
        let Some(step) = solve(here.hessian, here.gradient) else { return };
        let fall: f64 = step.iter().zip(here.gradient).map(|(x, g)| x * g).sum();
        let mut length = 1.0;
        loop {
            let next: [f64; 3] = std::array::from_fn(|i| nu[i] - length * step[i]);
            if bound.inside(next) && bound.expand(next, barrier).value <= here.value - 0.1 * length * fall {
                *nu = next;
                break;
            }
            length *= 0.5;
            if length < 1e-10 {
                return;
            }
        }
        if fall < 1e-3 * barrier {
            return;
        }
    }
}

/// The solution of a positive definite system of order 3.
fn solve(mut a: [[f64; 3]; 3], mut x: [f64; 3]) -> Option<[f64; 3]> {
    for i in 0..3 {
        if a[i][i].is_nan() || a[i][i] <= 0.0 {
            return None;
        }
        for j in i + 1..3 {
            let factor = a[j][i] / a[i][i];
            let row = a[i];
            a[j].iter_mut().zip(row).for_each(|(to, from)| *to -= factor * from);
            x[j] -= factor * x[i];
        }
    }
    for i in (0..3).rev() {
        let known: f64 = (i + 1..3).map(|j| a[i][j] * x[j]).sum();
        x[i] = (x[i] - known) / a[i][i];
    }
    x.iter().all(|v| v.is_finite()).then_some(x)
}

/// A point near D⁻¹g, and δ > 0 with D ⪰ δI if the rounding is kind.
pub(super) struct Point {
    /// The first half.
    pub(super) theta: Vec<f64>,
    /// The second half.
    pub(super) z: Vec<f64>,
    /// δ.
    pub(super) delta: f64,
}

/// D⁻¹g, and a number that D exceeds everywhere in the range of eigenvalues.
pub(super) fn point(s: &Setting, spectrum: &Spectrum, slope: &[f64], b: &[f64], nu: [f64; 3]) -> Point {
    let first: Vec<f64> = slope.iter().zip(b).map(|(c, b)| 0.5 * (c - s.sigma * b)).collect();
    let second: Vec<f64> = b.iter().map(|b| 0.5 * s.eps * b).collect();
    let (first, second) = (spectrum.rotate(&first), spectrum.rotate(&second));
    let entries = |a: f64| [s.shrink() * a + nu[0], nu[1] - s.eps * s.k() * a, nu[2] - s.eps * s.eta * a];
    let (mut theta, mut z) = (vec![], vec![]);
    for (j, &a) in spectrum.values.iter().enumerate() {
        let d = entries(a);
        let determinant = d[0] * d[2] - d[1] * d[1];
        theta.push((d[2] * first[j] - d[1] * second[j]) / determinant);
        z.push((d[0] * second[j] - d[1] * first[j]) / determinant);
    }
    // The smaller eigenvalue of [[p, q], [q, r]] is at least (pr − q²)/(p + r); it is concave in a.
    let (low, high) = spectrum.range();
    let least = [low, high].map(|a| {
        let d = entries(a);
        (d[0] * d[2] - d[1] * d[1]) / (d[0] + d[2])
    });
    Point {
        theta: spectrum.rotate_back(&theta),
        z: spectrum.rotate_back(&z),
        delta: 0.5 * least[0].min(least[1]),
    }
}
