//! The semidefinite program of Theorem E1 for a fixed centre, τ' and intervals, by an interior point method.
//!
//! Unknown are α, ν, ω, C, b̃ and a quadratic (T, y, m) for each row. The rows' inequalities are linear at finitely many cuts.
//! ¼vᵀA⁻¹v is a smooth convex function of the unknowns.

use super::super::dot;
use super::base::{Base, Cholesky, add};
use super::rows::Cut;

/// Unknowns that all rows share, before b̃.
pub(super) const ALPHA: usize = 0;
pub(super) const NU: usize = 1;
pub(super) const OMEGA: usize = 2;
pub(super) const POINT: usize = 3;
pub(super) const TILT: usize = 4;

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
    /// So far along a step.
    pub(super) fn moved(&self, part: f64, step: &Unknowns) -> Unknowns {
        let mut next = self.clone();
        add(&mut next.shared, part, &step.shared);
        add(&mut next.t, part, &step.t);
        add(&mut next.y, part, &step.y);
        add(&mut next.m, part, &step.m);
        next
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
        let d = self.base.d;
        let (matrix, v) = self.parts(x);
        let factor = Cholesky::new(matrix, d)?;
        let delta = factor.solve(&v).iter().map(|x| x / 2.0).collect();
        Some(Peak { factor, v, delta })
    }

    /// The lower triangle of A, and v.
    pub(super) fn parts(&self, x: &Unknowns) -> (Vec<f64>, Vec<f64>) {
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
        (matrix, v)
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
    pub(super) fn start(&self, barrier: f64) -> Unknowns {
        let base = self.base;
        let mut shared = vec![0.0; TILT + base.d];
        (shared[ALPHA], shared[NU]) = (1.0, 0.2);
        let [a, b, _] = self.diagonal();
        shared[OMEGA] = (base.s2 - a - b * 0.2).max(base.s2 / 2.0);
        shared[POINT] = self.tau * base.radius * 2.0 + 2.0;
        let (zero, n) = (vec![0.0; base.n], base.n);
        let mut x = Unknowns { shared, t: vec![0.0; n], y: zero.clone(), m: zero };
        x.t.fill(-1.0);
        self.raise(&mut x, |i| barrier * self.cuts[i].len() as f64 / base.p[i].max(1e-300));
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

    /// Raises every T above its cuts by at least so much, where one of them is violated.
    pub(super) fn raise(&self, x: &mut Unknowns, by: impl Fn(usize) -> f64) {
        let slacks = self.slack(x);
        let mut place = 0;
        for (i, cuts) in self.cuts.iter().enumerate() {
            let least = slacks[place..place + cuts.len()].iter().copied().fold(f64::INFINITY, f64::min);
            if least <= 0.0 {
                x.t[i] += by(i) - least;
            }
            place += cuts.len();
        }
    }

    /// Coefficients of a cut: those of α and of νoᵀz + b̃ᵀz, negated.
    pub(super) fn coefficients(&self, i: usize, cut: &Cut) -> [f64; 2] {
        let Base { eps, k, eta, squares, .. } = self.base;
        [(1.0 - eps) * (2.0 * k * cut.w * cut.u + eta * squares[i] * cut.w * cut.w), (1.0 - eps) * cut.w]
    }

    pub(super) fn slack(&self, x: &Unknowns) -> Vec<f64> {
        let mut slacks = Vec::new();
        for (i, cuts) in self.cuts.iter().enumerate() {
            let fixed = self.fixed(x, i);
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

    /// How the slacks change with a step: they are affine.
    pub(super) fn slack_change(&self, step: &Unknowns) -> Vec<f64> {
        let mut change = Vec::new();
        for (i, cuts) in self.cuts.iter().enumerate() {
            let fixed = self.fixed(step, i);
            for cut in cuts {
                let [a, b] = self.coefficients(i, cut);
                change
                    .push(step.t[i] + (step.y[i] + step.m[i] * cut.u) * cut.u - a * step.alpha() - b * fixed);
            }
        }
        let limits = self.limits();
        let along = |limit: &[f64; 4]| limit.iter().zip(&step.shared).map(|(l, x)| l * x).sum::<f64>();
        change.extend(limits.iter().map(|(limit, _)| along(limit)));
        change
    }

    /// νoᵀz + b̃ᵀz of a row.
    pub(super) fn fixed(&self, x: &Unknowns, i: usize) -> f64 {
        x.nu() * self.margins[i] + dot(x.tilt(), self.base.row(i))
    }
}
