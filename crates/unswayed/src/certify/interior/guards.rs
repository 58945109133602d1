//! The inequalities on the shared variables: α, ν, μ ≥ 0 where they are in play, and P ⪰ 0.
//!
//! Each has a multiplier; a Newton step drives (variable)·(multiplier) towards a common target.

use super::cone::Sym2;
use super::outer::Outer;
use super::rows::limit;

/// The multipliers.
pub struct Guards {
    /// Of x\[0..4\] ≥ 0; zero where there is no such inequality.
    multipliers: [f64; 4],
    /// Of P ⪰ 0.
    y: Sym2,
}

/// A step of the multipliers, and of P.
pub struct GuardStep {
    multipliers: [f64; 4],
    x: [f64; 4],
    p: Sym2,
    y: Sym2,
}

/// Second-order terms of the predictor, which the corrector takes into account.
#[derive(Clone, Copy, Default)]
pub struct Correction {
    products: [f64; 4],
    cone: Sym2,
}

impl Guards {
    /// Multipliers on the central path.
    pub fn centred(outer: &Outer, x: &[f64], barrier: f64) -> Self {
        let signed = outer.signed();
        let multipliers = std::array::from_fn(|j| if signed[j] { barrier / x[j] } else { 0.0 });
        Guards { multipliers, y: outer.p(x).inverse().scaled(barrier) }
    }

    /// How many products variable·multiplier there are.
    pub fn count(outer: &Outer) -> f64 {
        2.0 + outer.signed().map(f64::from).iter().sum::<f64>()
    }

    /// The sum of these products.
    pub fn gap(&self, outer: &Outer, x: &[f64]) -> f64 {
        let signs: f64 = self.multipliers.iter().zip(x).map(|(m, x)| m * x).sum();
        signs + outer.p(x).inner(self.y)
    }

    /// How the multipliers pull at x\[0..4\]: the Lagrangian's gradient has minus this.
    pub fn pull(&self, outer: &Outer) -> [f64; 4] {
        let slopes = outer.p_slopes();
        std::array::from_fn(|j| self.multipliers[j] + self.y.inner(slopes[j]))
    }

    /// The pull that a step aims at before x changes.
    pub fn aim(outer: &Outer, x: &[f64], target: f64, correction: &Correction) -> [f64; 4] {
        let (slopes, signed) = (outer.p_slopes(), outer.signed());
        let cone = outer.p(x).inverse().scaled(target).moved(correction.cone, -1.0);
        std::array::from_fn(|j| {
            let sign = if signed[j] { (target - correction.products[j]) / x[j] } else { 0.0 };
            sign + cone.inner(slopes[j])
        })
    }

    /// The change of the pull with x\[0..4\], with a minus sign: positive semidefinite.
    pub fn hessian(&self, outer: &Outer, x: &[f64]) -> [[f64; 4]; 4] {
        let (inverse, slopes, signed) = (outer.p(x).inverse(), outer.p_slopes(), outer.signed());
        let mut h = slopes.map(|s| {
            let moved = inverse.sandwich(s, self.y);
            slopes.map(|t| moved.inner(t))
        });
        for j in 0..4 {
            if signed[j] {
                h[j][j] += self.multipliers[j] / x[j];
            }
        }
        h
    }

    /// The step of the multipliers that goes with a step `dx` of x.
    pub fn step(
        &self,
        outer: &Outer,
        x: &[f64],
        dx: &[f64],
        target: f64,
        correction: &Correction,
    ) -> GuardStep {
        let signed = outer.signed();
        let multipliers = std::array::from_fn(|j| {
            let aim = target - correction.products[j] - self.multipliers[j] * (x[j] + dx[j]);
            if signed[j] { aim / x[j] } else { 0.0 }
        });
        let slopes = outer.p_slopes();
        let p = slopes.iter().zip(dx).fold(Sym2::default(), |p, (s, d)| p.moved(*s, *d));
        let inverse = outer.p(x).inverse();
        let y = inverse
            .scaled(target)
            .moved(self.y, -1.0)
            .moved(correction.cone, -1.0)
            .moved(inverse.sandwich(p, self.y), -1.0);
        GuardStep { multipliers, x: [dx[0], dx[1], dx[2], dx[3]], p, y }
    }

    /// The second-order terms of a step.
    pub fn correction(outer: &Outer, x: &[f64], step: &GuardStep) -> Correction {
        Correction {
            products: std::array::from_fn(|j| step.multipliers[j] * step.x[j]),
            cone: outer.p(x).inverse().sandwich(step.p, step.y),
        }
    }

    /// The longest step that keeps every inequality, and every multiplier positive.
    pub fn longest(&self, outer: &Outer, x: &[f64], step: &GuardStep) -> f64 {
        Guards::longest_in_x(outer, x, step)
            .min(limit(&self.multipliers, &step.multipliers))
            .min(self.y.longest_step(step.y))
    }

    /// The longest step that keeps every inequality.
    pub fn longest_in_x(outer: &Outer, x: &[f64], step: &GuardStep) -> f64 {
        let signed = outer.signed();
        let masked = |v: &[f64]| -> [f64; 4] { std::array::from_fn(|j| if signed[j] { v[j] } else { 0.0 }) };
        limit(&masked(x), &masked(&step.x)).min(outer.p(x).longest_step(step.p))
    }

    /// The gap after a step of length t.
    pub fn gap_after(&self, outer: &Outer, x: &[f64], step: &GuardStep, t: f64) -> f64 {
        let signs: f64 =
            (0..4).map(|j| (self.multipliers[j] + t * step.multipliers[j]) * (x[j] + t * step.x[j])).sum();
        signs + outer.p(x).moved(step.p, t).inner(self.y.moved(step.y, t))
    }

    /// The multipliers after a step of length t, if the cone's is still inside.
    pub fn moved(&self, step: &GuardStep, t: f64) -> Option<Guards> {
        let y = self.y.moved(step.y, t);
        let multipliers = std::array::from_fn(|j| self.multipliers[j] + t * step.multipliers[j]);
        y.is_positive().then_some(Guards { multipliers, y })
    }
}
