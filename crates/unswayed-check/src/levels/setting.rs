//! The numbers that all parts of Theorem E4 share, and the conditions on them alone.

use super::LevelsProof;
use crate::exact::{Dyadic, ExactSum, norm2};
use crate::failure::{Reason, require, require_each, require_length, require_not_negative, require_positive};
use crate::matrix;
use crate::rows::Rows;
use crate::statement::{Learner, Loss, Set, Statement};

/// Margins of the centre and of fine and near levels must not exceed this: exponentials of more take too much room.
pub(super) const LARGEST_MARGIN: u64 = 1 << 20;

/// Statement, rows and witness as exact numbers, in the letters of Section 20.
pub(crate) struct Setting<'a> {
    pub(crate) proof: &'a LevelsProof,
    pub(crate) rows: &'a Rows<'a>,
    pub(crate) learner: &'a Learner,
    pub(crate) eta: Dyadic,
    pub(crate) sigma: Dyadic,
    pub(crate) eps: Dyadic,
    /// 1 − ε
    pub(crate) benign: Dyadic,
    pub(crate) radius: Dyadic,
    /// n̂
    pub(crate) norm: Dyadic,
    /// μ
    pub(crate) smoothing: Dyadic,
    pub(crate) alpha: Dyadic,
    pub(crate) nu: Dyadic,
    /// 2αk
    pub(crate) two_ak: Dyadic,
    /// χ = 2αk − ν
    pub(crate) chi: Dyadic,
    /// W, the sum of the weights.
    pub(crate) total: Dyadic,
    /// ‖z_i‖²
    pub(crate) squares: Vec<Dyadic>,
    /// oᵀz_i
    pub(crate) margins: Vec<Dyadic>,
}

impl<'a> Setting<'a> {
    pub(crate) fn new(
        statement: &'a Statement,
        proof: &'a LevelsProof,
        rows: &'a Rows<'a>,
    ) -> Result<Self, Reason> {
        require_numbers(proof, rows)?;
        let learner = &statement.learner;
        let is_hinge = learner.loss == Loss::Hinge;
        let [eta, sigma, eps] =
            [learner.learning_rate, learner.regularization, statement.threat.poison_rate].map(Dyadic::new);
        let one = Dyadic::whole(1);
        let [alpha, nu, smoothing] = [proof.alpha, proof.nu, proof.smoothing].map(Dyadic::new);
        let two_ak = Dyadic::whole(2) * &alpha * (&one - &eta * &sigma);
        let chi = &two_ak - &nu;
        require_positive(&alpha, "alpha")?;
        require_not_negative(&nu, "nu")?;
        require_positive(&chi, "2αk − ν")?;
        if is_hinge {
            require_positive(&smoothing, "smoothing")?;
        } else {
            require(smoothing.is_zero(), "smoothing", proof.smoothing, "0 for the logistic loss")?;
        }
        let squares: Vec<Dyadic> = (0..rows.len()).map(|i| norm2(rows.row(i))).collect();
        let margins = (0..rows.len()).map(|i| dot(rows.row(i), &proof.centre)).collect();
        let setting = Setting {
            proof,
            rows,
            learner,
            benign: one - &eps,
            radius: Dyadic::new(proof.radius),
            norm: Dyadic::new(proof.norm),
            total: rows.total_weight(),
            eta,
            sigma,
            eps,
            smoothing,
            alpha,
            nu,
            two_ak,
            chi,
            squares,
            margins,
        };
        setting.require_norms(&statement.threat.set)?;
        for (i, s) in setting.margins.iter().enumerate() {
            let room = Dyadic::whole(LARGEST_MARGIN) - s.abs();
            require_not_negative(&room, format_args!("2^20 − |oᵀz[{i}]|"))?;
        }
        Ok(setting)
    }

    pub(crate) fn is_hinge(&self) -> bool {
        self.learner.loss == Loss::Hinge
    }

    /// The weight of row i.
    pub(crate) fn weight(&self, i: usize) -> Dyadic {
        Dyadic::new(self.rows.weight(i))
    }

    /// ασ(2−ησ)
    pub(crate) fn curvature(&self) -> Dyadic {
        &self.alpha * &self.sigma * (Dyadic::whole(2) - &self.eta * &self.sigma)
    }

    /// The set is in the ball of radius R, and n̂ is above every norm: every start gets into the ball ‖θ‖ ≤ n̂/σ and stays.
    fn require_norms(&self, set: &Set) -> Result<(), Reason> {
        let d = self.rows.dimension;
        require_not_negative(&self.radius, "radius")?;
        let square = self.radius.square();
        let largest = match set {
            Set::Ball { radius } => Dyadic::new(*radius).square(),
            Set::Box { radii } => norm2(radii),
            Set::Points { points } => points.chunks(d).map(norm2).fold(Dyadic::zero(), Dyadic::max),
            Set::LabelFlips => self.squares.iter().cloned().fold(Dyadic::zero(), Dyadic::max),
            Set::Ellipsoid { q } => {
                let definite = matrix::is_definite_by(d, |i, j| {
                    let q = Dyadic::zero() - Dyadic::new(matrix::entry(q, i, j));
                    if i == j { q + &square } else { q }
                });
                require(definite, "R²I − Q", self.proof.radius, "positive definite")?;
                Dyadic::zero()
            }
            Set::Any | Set::Features { .. } => {
                return Err(Reason::Unfit { method: "levels", with: "this set" });
            }
        };
        require_not_negative(&(square - largest), "R² − ‖z‖² on the set")?;
        require_positive(&(&self.norm - &self.radius), "n̂ − R")?;
        let edge = self.norm.square();
        let outside = self.squares.iter().position(|n| !(&edge - n).is_positive());
        outside
            .map_or(Ok(()), |i| require_positive(&(&edge - &self.squares[i]), format_args!("n̂² − ‖z[{i}]‖²")))
    }
}

/// Requires all vectors to be as long as they must be, and all numbers to be finite and of their sign.
fn require_numbers(proof: &LevelsProof, rows: &Rows) -> Result<(), Reason> {
    let (n, d) = (rows.len(), rows.dimension);
    let vectors: [(&'static str, usize, &[f64]); 9] = [
        ("centre", d, &proof.centre),
        ("shares", n, &proof.shares),
        ("forces", 2 * n, &proof.forces),
        ("points", 2 * n * d, &proof.points),
        ("tilt", d, &proof.tilt),
        ("slopes", n, &proof.slopes),
        ("curves", n, &proof.curves),
        ("peak", d, &proof.peak),
        ("heights", proof.heights.len(), &proof.heights),
    ];
    for (name, length, values) in vectors {
        require_length(name, length, values.len())?;
        require_each(name, values, f64::is_finite, "finite")?;
    }
    require_each("shares", &proof.shares, |q| (0.0..=1.0).contains(&q), "in [0, 1]")?;
    require_each("forces", &proof.forces, |x| x > 0.0, "> 0")?;
    let LevelsProof { radius, norm, smoothing, gain, alpha, nu, anchor, .. } = proof;
    let numbers = [("radius", radius), ("norm", norm), ("smoothing", smoothing), ("gain", gain)];
    for (name, &x) in numbers.into_iter().chain([("alpha", alpha), ("nu", nu), ("anchor", anchor)]) {
        require(x.is_finite(), name, x, "finite")?;
    }
    let LevelsProof { omega, rho, least, offset, steepness, size, spread_near, spread_far, .. } = proof;
    for (name, &x) in [("omega", omega), ("offset", offset), ("size", size)] {
        require(x.is_finite() && x >= 0.0, name, x, "≥ 0")?;
    }
    let positive = [("rho", rho), ("least", least), ("steepness", steepness)];
    for (name, &x) in positive.into_iter().chain([("spread_near", spread_near), ("spread_far", spread_far)]) {
        require(x.is_finite() && x > 0.0, name, x, "> 0")?;
    }
    let shells = proof.heights.len();
    require(shells > 0, "the number of heights", 0.0, "> 0")?;
    require(proof.heights[0] > 0.0, "heights[0]", proof.heights[0], "> 0")?;
    for (k, pair) in proof.heights.windows(2).enumerate() {
        require(pair[0] < pair[1], format_args!("heights[{}]", k + 1), pair[1], "above the one before")?;
    }
    require(proof.fine <= shells, "fine", proof.fine as f64, "at most the number of heights")?;
    require(proof.near <= shells, "near", proof.near as f64, "at most the number of heights")
}

/// xᵀy
pub(crate) fn dot(x: &[f64], y: &[f64]) -> Dyadic {
    let mut sum = ExactSum::new();
    x.iter().zip(y).for_each(|(&x, &y)| sum.add([x, y]));
    sum.take()
}
