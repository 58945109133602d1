//! The semidefinite program of Theorem E1 for a fixed centre, τ' and intervals, by an interior point method.
//!
//! Unknown are α, ν, ω, C, b̃ and a quadratic (T, y, m) for each row. The rows' inequalities are linear at finitely many cuts.
//! ¼vᵀA⁻¹v is a smooth convex function of the unknowns whose second derivative is ½GᵀA⁻¹G with one column g = dv − 2dA·δ,
//! δ = ½A⁻¹v, for each unknown, so a Newton step costs one Cholesky decomposition of about 2N columns. T is eliminated row by
//! row.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};

use super::super::dot;
use super::base::{Base, Cholesky, add};
use super::rows::Cut;

/// Unknowns that all rows share, before b̃.
pub(super) const ALPHA: usize = 0;
pub(super) const NU: usize = 1;
pub(super) const OMEGA: usize = 2;
pub(super) const POINT: usize = 3;
pub(super) const TILT: usize = 4;
/// Steps, at most.
const STEPS: usize = 70;
/// How much of the way to the boundary a step goes.
const NEARLY: f64 = 0.95;

/// The fixed numbers of a program.
pub(super) struct Program<'a> {
    pub(super) base: &'a Base<'a>,
    pub(super) centre: &'a [f64],
    /// oᵀz
    pub(super) margins: &'a [f64],
    /// x
    pub(super) reach: f64,
    /// τ'
    pub(super) tau: f64,
    /// Whether the rows have quadratics, not lines.
    pub(super) curved: bool,
    pub(super) cuts: Vec<Vec<Cut>>,
    /// Activities w at which C ≥ Dw² + ν·w·s(w) is demanded, with w·s(w).
    pub(super) points: Vec<[f64; 2]>,
}

/// The unknowns.
#[derive(Clone)]
pub(super) struct Unknowns {
    /// α, ν, ω, C, b̃
    pub(super) shared: Vec<f64>,
    pub(super) t: Vec<f64>,
    pub(super) y: Vec<f64>,
    pub(super) m: Vec<f64>,
}

impl Unknowns {
    pub(super) fn alpha(&self) -> f64 {
        self.shared[ALPHA]
    }
    pub(super) fn nu(&self) -> f64 {
        self.shared[NU]
    }
    pub(super) fn omega(&self) -> f64 {
        self.shared[OMEGA]
    }
    pub(super) fn tilt(&self) -> &[f64] {
        &self.shared[TILT..]
    }
}

/// A and v, decomposed.
pub(super) struct Peak {
    pub(super) factor: Cholesky,
    pub(super) v: Vec<f64>,
    /// ½A⁻¹v
    pub(super) delta: Vec<f64>,
}

/// Slacks and multipliers, of the rows' cuts one after the other and then of the shared unknowns.
pub(super) struct Slacks {
    pub(super) slack: Vec<f64>,
    pub(super) multiplier: Vec<f64>,
}

impl Program<'_> {
    pub(super) fn push(&self) -> f64 {
        self.base.eps * self.base.radius
    }

    pub(super) fn chi(&self, x: &Unknowns) -> f64 {
        2.0 * x.alpha() * self.base.k - x.nu()
    }

    /// How the multiple of I in A depends on α, ν and ω.
    pub(super) fn diagonal(&self) -> [f64; 3] {
        let pull = self.push() / (2.0 * self.tau);
        [self.base.s2 - pull * 2.0 * self.base.k, pull, 1.0]
    }

    /// How v depends on o and b̃: factors of αo, νo and b̃.
    pub(super) fn slopes(&self) -> [f64; 3] {
        let Base { s2, k, sigma, .. } = self.base;
        [-2.0 * s2 + 2.0 * k * sigma, -sigma, self.push() / self.tau - sigma]
    }

    /// A and v; none if A is not positive definite.
    pub(super) fn peak(&self, x: &Unknowns) -> Option<Peak> {
        let base = self.base;
        let d = base.d;
        let [a, b, c] = self.diagonal();
        let diagonal = a * x.alpha() + b * x.nu() + c * x.omega();
        let mut matrix = vec![0.0; d * d];
        (0..d).for_each(|j| matrix[j * d + j] = diagonal);
        let [a, b, c] = self.slopes();
        let mut v: Vec<f64> = self.centre.iter().map(|o| (a * x.alpha() + b * x.nu()) * o).collect();
        add(&mut v, c, x.tilt());
        for i in 0..base.n {
            let z = base.row(i);
            add(&mut v, base.p[i] * x.y[i], z);
            if x.m[i] != 0.0 {
                for j in 0..d {
                    add(&mut matrix[j * d..=j * d + j], -base.p[i] * x.m[i] * z[j], z);
                }
            }
        }
        let factor = Cholesky::new(matrix, d)?;
        let delta = factor.solve(&v).iter().map(|x| x / 2.0).collect();
        Some(Peak { factor, v, delta })
    }

    /// The constant parts: factors of α, ν, ω, C, and of b̃ along o.
    pub(super) fn costs(&self) -> ([f64; 4], f64) {
        let Base { s2, k, sigma, eps, .. } = self.base;
        let square = dot(self.centre, self.centre);
        ([(2.0 * k * sigma - s2) * square, -sigma * square, self.reach * self.reach, *eps], -sigma)
    }

    /// The inequalities of α, ν, ω, C: coefficients and a constant, ≥ 0.
    pub(super) fn limits(&self) -> Vec<([f64; 4], f64)> {
        let Base { k, eta, radius, .. } = self.base;
        let mut limits = vec![
            ([1.0, 0.0, 0.0, 0.0], -1e-3),
            ([0.0, 1.0, 0.0, 0.0], 0.0),
            ([0.0, 0.0, 1.0, 0.0], 0.0),
            ([2.0 * k, -1.0, 0.0, 0.0], -1e-3),
        ];
        for [w, ws] in &self.points {
            let (reach, square) = (radius * self.tau / 2.0, w * w);
            let alpha = square * (reach * 2.0 * k + eta * radius * radius);
            limits.push(([-alpha, square * reach - ws, 0.0, 1.0], 0.0));
        }
        limits
    }

    /// All of the bound but for ΣpT, ¼vᵀA⁻¹v included.
    pub(super) fn rest(&self, x: &Unknowns, peak: &Peak) -> f64 {
        let (costs, along) = self.costs();
        let linear: f64 = costs.iter().zip(&x.shared).map(|(c, x)| c * x).sum();
        let tilt = self.push() * dot(x.tilt(), x.tilt()) / (2.0 * self.chi(x) * self.tau);
        linear + along * dot(x.tilt(), self.centre) + tilt + dot(&peak.v, &peak.delta) / 2.0
    }

    /// A point from which the method can start: lines of slope 0 far above the rows.
    pub(super) fn start(&self) -> Unknowns {
        let base = self.base;
        let mut shared = vec![0.0; TILT + base.d];
        (shared[ALPHA], shared[NU]) = (1.0, 0.2);
        let [a, b, _] = self.diagonal();
        shared[OMEGA] = (0.02 - a - b * 0.2).max(0.01);
        shared[POINT] = self.tau * base.radius * 2.0 + 2.0;
        let (zero, n) = (vec![0.0; base.n], base.n);
        let mut x = Unknowns { shared, t: vec![0.0; n], y: zero.clone(), m: zero };
        self.raise(&mut x, 1.0);
        x
    }

    /// C at least, for these α and ν.
    pub(super) fn least_point(&self, x: &Unknowns) -> f64 {
        let d = self.base.radius * self.tau / 2.0 * self.chi(x)
            + x.alpha() * self.base.eta * self.base.radius * self.base.radius;
        self.points.iter().map(|[w, ws]| d * w * w + x.nu() * ws).fold(0.0, f64::max)
    }

    /// The least eigenvalue of A, or a little more.
    pub(super) fn least_curvature(&self, peak: &Peak) -> f64 {
        let mut x: Vec<f64> = (0..self.base.d).map(|i| 1.0 + 0.01 * i as f64).collect();
        let mut value = 0.0;
        for _ in 0..200 {
            let y = peak.factor.solve(&x);
            value = (dot(&x, &x) / dot(&y, &y)).sqrt();
            let length = dot(&y, &y).sqrt();
            x = y.iter().map(|y| y / length).collect();
        }
        value
    }

    /// Raises every T above its cuts.
    pub(super) fn raise(&self, x: &mut Unknowns, by: f64) {
        let slacks = self.slack(x);
        let mut place = 0;
        for (t, cuts) in x.t.iter_mut().zip(&self.cuts) {
            let least = slacks[place..place + cuts.len()].iter().copied().fold(f64::INFINITY, f64::min);
            *t += (by - least).max(0.0);
            place += cuts.len();
        }
    }

    /// Coefficients of a cut: those of α and of νoᵀz + b̃ᵀz, negated.
    pub(super) fn coefficients(&self, i: usize, cut: &Cut) -> [f64; 2] {
        let Base { eps, k, eta, squares, .. } = self.base;
        [(1.0 - eps) * (2.0 * k * cut.w * cut.u + eta * squares[i] * cut.w * cut.w), (1.0 - eps) * cut.w]
    }

    fn slack(&self, x: &Unknowns) -> Vec<f64> {
        let mut slacks = Vec::new();
        for (i, cuts) in self.cuts.iter().enumerate() {
            let fixed = x.nu() * self.margins[i] + dot(x.tilt(), self.base.row(i));
            for cut in cuts {
                let [a, b] = self.coefficients(i, cut);
                slacks
                    .push(x.t[i] + (x.y[i] + x.m[i] * cut.u) * cut.u - a * x.alpha() - b * fixed - cut.error);
            }
        }
        for (limit, constant) in self.limits() {
            slacks.push(constant + limit.iter().zip(&x.shared).map(|(l, x)| l * x).sum::<f64>());
        }
        slacks
    }

    /// Improves the unknowns until the gap is below `gap`.
    pub(super) fn solve(&self, x: &mut Unknowns, first_gap: f64, gap: f64) -> Option<()> {
        let slack = self.slack(x);
        let count = slack.len() as f64 + self.base.d as f64;
        let mut barrier = first_gap / count;
        let multiplier = slack.iter().map(|s| barrier / s).collect();
        let mut slacks = Slacks { slack, multiplier };
        let mut good = 0;
        for _ in 0..STEPS {
            let (primal, dual) = self.step(x, &mut slacks, barrier)?;
            let products = slacks.slack.iter().zip(&slacks.multiplier).map(|(s, m)| s * m);
            let mean = products.sum::<f64>() / slacks.slack.len() as f64;
            good = if primal.min(dual) > 0.5 { good + 1 } else { 0 };
            if mean * count < gap && barrier * count < gap && good > 0 {
                break;
            }
            let shrink = match primal.min(dual) {
                s if s > 0.9 => 0.1,
                s if s > 0.5 => 0.3,
                s if s > 0.2 => 0.7,
                _ => 1.0,
            };
            barrier = (shrink * mean.min(10.0 * barrier)).max(0.3 * gap / count);
        }
        Some(())
    }

    /// One Newton step towards the centre of this barrier: how much of it was made, on either side.
    fn step(&self, x: &mut Unknowns, slacks: &mut Slacks, barrier: f64) -> Option<(f64, f64)> {
        let base = self.base;
        let peak = self.peak(x)?;
        let (mut matrix, mut rhs) = self.smooth_part(x, &peak, barrier);
        let locals = self.add_rows(&mut matrix, &mut rhs, slacks, barrier);
        self.add_limits(&mut matrix, &mut rhs, slacks, barrier);
        let size = rhs.len();
        let right = Mat::from_fn(size, 1, |i, _| rhs[i]);
        for i in 0..size {
            matrix[(i, i)] *= 1.0 + 1e-13;
        }
        let solved = matrix.llt(Side::Lower).ok()?.solve(right);
        let direction: Vec<f64> = solved.col(0).iter().copied().collect();
        let first = TILT + base.d;
        let mut step = Unknowns {
            shared: direction[..first].to_vec(),
            t: vec![],
            y: direction[first..first + base.n].to_vec(),
            m: if self.curved { direction[first + base.n..].to_vec() } else { vec![0.0; base.n] },
        };
        step.t = (0..base.n).map(|i| locals[i].constant(&step, self.fixed(&step, i), i)).collect();
        Some(self.advance(x, slacks, &step, barrier))
    }

    fn fixed(&self, x: &Unknowns, i: usize) -> f64 {
        x.nu() * self.margins[i] + dot(x.tilt(), self.base.row(i))
    }

    /// Goes along a step as far as everything stays positive.
    fn advance(&self, x: &mut Unknowns, slacks: &mut Slacks, step: &Unknowns, barrier: f64) -> (f64, f64) {
        // Slacks are affine: their change is their value at the step without its constants.
        let mut change = Vec::with_capacity(slacks.slack.len());
        for (i, cuts) in self.cuts.iter().enumerate() {
            let fixed = self.fixed(step, i);
            for cut in cuts {
                let [a, b] = self.coefficients(i, cut);
                change
                    .push(step.t[i] + (step.y[i] + step.m[i] * cut.u) * cut.u - a * step.alpha() - b * fixed);
            }
        }
        let limits = self.limits();
        change.extend(
            limits.iter().map(|(limit, _)| limit.iter().zip(&step.shared).map(|(l, x)| l * x).sum::<f64>()),
        );
        let limit = |values: &[f64], changes: &[f64]| {
            let ratios = values.iter().zip(changes).filter(|(_, c)| **c < 0.0).map(|(v, c)| -v / c);
            (NEARLY * ratios.fold(f64::INFINITY, f64::min)).min(1.0)
        };
        let dual_change: Vec<f64> = (0..change.len())
            .map(|c| (barrier - slacks.multiplier[c] * change[c]) / slacks.slack[c] - slacks.multiplier[c])
            .collect();
        let mut primal = limit(&slacks.slack, &change);
        let dual = limit(&slacks.multiplier, &dual_change);
        let moved = |t: f64| {
            let mut next = x.clone();
            add(&mut next.shared, t, &step.shared);
            add(&mut next.t, t, &step.t);
            add(&mut next.y, t, &step.y);
            add(&mut next.m, t, &step.m);
            next
        };
        let mut next = moved(primal);
        while primal > 1e-8 && self.peak(&next).is_none() {
            primal *= 0.7;
            next = moved(primal);
        }
        *x = next;
        slacks.slack = self.slack(x);
        add(&mut slacks.multiplier, dual, &dual_change);
        (primal, dual)
    }
}
