//! The numbers that all rounds of Theorem C2 share, the conditions on them, and Φ of Lemma C1.

use super::intervals::Lines;
use super::{ContractionProof, ContractionRound};
use crate::evaluate::{self, Region};
use crate::exact::{Dyadic, ExactSum, Round, quotient, round_up};
use crate::failure::{Reason, require, require_each, require_length, require_positive};
use crate::lambda::Lambda;
use crate::loss::HINGE;
use crate::parts::points::{self, Acting, Split};
use crate::parts::region;
use crate::parts::rows::Line;
use crate::prove::{point_radius, point_weight, require_projection};
use crate::rows::{Evidence, Rows, in_parts};
use crate::statement::{Statement, Target};

/// Products that the rounds of a proof may take: a minute or two.
const MOST_WORK: u128 = 1 << 33;
/// What a round costs besides its ends, in ends.
const ROUND: u128 = 128;
/// What an end costs for each row besides the products with its entries, in products.
const ROW: u128 = 16;

/// Statement, rows and λ as exact numbers.
pub(super) struct Setting<'a> {
    pub(super) rows: &'a Rows<'a>,
    lambda: Lambda<'a>,
    radius: Dyadic,
    /// The point's step weight, which is 1.
    weight: Dyadic,
    pub(super) ball: Dyadic,
    /// S, which all numbers of rows have been multiplied by.
    scale: Dyadic,
    /// B
    pub(super) target: Dyadic,
    /// S·κ_i
    pub(super) kappas: Vec<Dyadic>,
    /// ‖z_i‖²
    pub(super) squares: Vec<Dyadic>,
    /// S·F_i
    pub(super) jumps: Vec<Dyadic>,
}

impl<'a> Setting<'a> {
    /// Verifies the conditions that are the same for all rounds.
    pub(super) fn new(
        statement: &'a Statement,
        proof: &'a ContractionProof,
        evidence: &'a Evidence<'a>,
    ) -> Result<Self, Reason> {
        let rows = &evidence.data[0];
        require_numbers(proof, rows)?;
        let lambda = Lambda::new(statement, proof.alpha, &proof.beta);
        require_positive(&lambda.alpha, "alpha")?;
        require_projection(statement, &lambda)?;
        let (ball, radius) = (Dyadic::new(proof.ball), Dyadic::new(point_radius(statement).0));
        require_positive(&ball, "ball")?;
        region::require_ball_kept(statement, &ball, &radius.square(), evidence)?;
        let products: Vec<(Dyadic, Dyadic)> =
            (0..rows.len()).map(|i| lambda.products(rows.entries(i, 0))).collect();
        let Shares { target: weights, p, t, scale } = Shares::new(statement, rows);
        let (mut jumps, mut kappas) = (vec![], vec![]);
        for (i, (n, b)) in products.iter().enumerate() {
            let data = &p * Dyadic::new(rows.weight(i));
            let target = &t * Dyadic::new(weights.map_or_else(|| rows.weight(i), |weights| weights[i]));
            jumps.push(&data * &lambda.benign * lambda.jump(n, b));
            kappas.push(&data * &lambda.kappa0 - target);
        }
        let squares = products.into_iter().map(|(n, _)| n).collect();
        let (target, weight) = (Dyadic::new(proof.target), point_weight(statement));
        Ok(Setting { rows, lambda, radius, weight, ball, scale, target, kappas, squares, jumps })
    }

    /// Adds slope·z_i.
    pub(super) fn add_row(&self, i: usize, slope: f64, sums: &mut [ExactSum]) {
        for (sum, &z) in sums.iter_mut().zip(self.rows.row(i)) {
            sum.add([slope, z]);
        }
    }

    /// Φ(x; τ, ν) of Lemma C1 for the lines that the codes choose; x = 0 if it is not given.
    fn value(
        &self,
        lines: &Lines,
        codes: &[u8],
        [tau, nu]: [f64; 2],
        x: Option<Vec<Dyadic>>,
    ) -> Result<Dyadic, Reason> {
        let (mut constant, mut slope) = (lines.constant.clone(), lines.slope.clone());
        for (row, choice) in lines.chosen(codes) {
            constant = constant + &choice.constant;
            self.add_row(row, choice.slope, &mut slope);
        }
        let slope = slope.iter_mut().map(ExactSum::take).collect();
        let line = Line { constant, slope, scale: self.scale.clone(), bend: Dyadic::zero() };
        let acting = Acting::Bounded(HINGE, 1.0);
        let split = Split::new(&self.lambda, Dyadic::new(nu), acting, self.weight.clone());
        let point = points::ball(&self.lambda, &split, &self.radius, tau);
        let everywhere = Region::everywhere(self.rows.dimension);
        let region =
            x.map_or(everywhere, |slope| Region { constant: Dyadic::zero(), slope, w: Dyadic::zero() });
        evaluate::bound(&self.lambda, &line, &point, &region)
    }

    /// The ends of a round with the numbers that they are moved to; of lower ends the negatives.
    pub(super) fn moved(&self, lines: &Lines, round: &ContractionRound) -> Result<Vec<(usize, f64)>, Reason> {
        require_length("codes of a round", round.ends.len() * lines.bytes(), round.codes.len())?;
        let entries = round.ends.len() * self.rows.z.len();
        let parts = in_parts(round.ends.len(), entries, |mut ends| {
            ends.try_fold(vec![], |mut moved, e| {
                moved.push((round.ends[e] as usize, self.moved_end(lines, round, e)?));
                Ok(moved)
            })
        });
        parts.into_iter().try_fold(vec![], |all, part| Ok([all, part?].concat()))
    }

    /// h of Theorem C2 for one end, rounded up.
    fn moved_end(&self, lines: &Lines, round: &ContractionRound, e: usize) -> Result<f64, Reason> {
        let (end, codes) = (round.ends[e] as usize, &round.codes[e * lines.bytes()..][..lines.bytes()]);
        let pull = Dyadic::new(round.pulls[e]);
        let along = if end.is_multiple_of(2) { pull.clone() } else { Dyadic::zero() - &pull };
        let x = self.rows.row(end / 2).iter().map(|&z| &along * Dyadic::new(z)).collect();
        let value = self.value(lines, codes, [round.tau[e], round.nu[e]], Some(x))?;
        Ok(round_up(&quotient(&(value - &self.target), &pull, Round::Up).into()))
    }

    /// The larger of B and Φ(0) on what is left.
    pub(super) fn last(&self, lines: &Lines, proof: &ContractionProof) -> Result<Dyadic, Reason> {
        require_length("codes", lines.bytes(), proof.codes.len())?;
        let value = self.value(lines, &proof.codes, [proof.tau, proof.nu], None)?;
        Ok(value.max(self.target.clone()))
    }
}

/// p_i and t_i as exact numbers: S·p_i is `p` times the row's weight, and S·t_i is `t` times its weight in the target.
struct Shares<'a> {
    /// The target's weights if they are not those of the data.
    target: Option<&'a [f64]>,
    p: Dyadic,
    t: Dyadic,
    /// S
    scale: Dyadic,
}

impl<'a> Shares<'a> {
    fn new(statement: &'a Statement, rows: &Rows) -> Self {
        let (one, total) = (Dyadic::whole(1), rows.total_weight());
        let Target::Weights(weights) = &statement.target else {
            return Shares { target: None, p: one.clone(), t: one, scale: total };
        };
        let own = weights[0].as_slice();
        let sum = Rows { weights: Some(own), ..*rows }.total_weight();
        Shares { target: Some(own), scale: &total * &sum, p: sum, t: total }
    }
}

/// Requires a number to be finite.
pub(super) fn require_finite(name: &str, x: f64) -> Result<(), Reason> {
    require(x.is_finite(), name, x, "finite")
}

/// Requires all vectors to be as long as they must be, all numbers to be finite and of their sign, and rounds to be few enough.
fn require_numbers(proof: &ContractionProof, rows: &Rows) -> Result<(), Reason> {
    let (n, d) = (rows.len(), rows.dimension);
    require_length("beta", d, proof.beta.len())?;
    require_each("beta", &proof.beta, f64::is_finite, "finite")?;
    let ContractionProof { alpha, ball, target, tau, nu, .. } = proof;
    for (name, &x) in [("alpha", alpha), ("ball", ball), ("target", target), ("tau", tau), ("nu", nu)] {
        require_finite(name, x)?;
    }
    require(*tau > 0.0, "tau", *tau, "> 0")?;
    require(*nu >= 0.0, "nu", *nu, "≥ 0")?;
    let cost = |round: &ContractionRound| (round.ends.len() as u128 + ROUND) * n as u128 * (d as u128 + ROW);
    let work: u128 = proof.rounds.iter().map(cost).sum();
    require(work <= MOST_WORK, "the work of all rounds", work as f64, "at most 2^33 products")?;
    for ContractionRound { ends, pulls, tau, nu, .. } in &proof.rounds {
        for (name, values) in [("pulls", pulls), ("tau", tau), ("nu", nu)] {
            require_length(name, ends.len(), values.len())?;
        }
        let is_end = |end: f64| end >= 0.0 && end < 2.0 * n as f64 && end.fract() == 0.0;
        require_each("ends", ends, is_end, "an end of a row")?;
        require_each("pulls", pulls, |t| t.is_finite() && t > 0.0, "> 0")?;
        require_each("tau", tau, |tau| tau.is_finite() && tau > 0.0, "> 0")?;
        require_each("nu", nu, |nu| nu.is_finite() && nu >= 0.0, "≥ 0")?;
    }
    Ok(())
}
