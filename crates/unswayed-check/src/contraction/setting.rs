//! The numbers that all rounds of Theorem C2 share, the conditions on them, and Φ of Lemma C1.

use super::intervals::Lines;
use super::{ContractionCase, ContractionProof, ContractionRound};
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
    /// Those of a dataset.
    pub(super) fn new(
        statement: &'a Statement,
        proof: &'a ContractionProof,
        rows: &'a Rows<'a>,
        dataset: usize,
    ) -> Self {
        let lambda = Lambda::new(statement, proof.alpha, &proof.beta);
        let (ball, radius) = (Dyadic::new(proof.ball), Dyadic::new(point_radius(statement).0));
        let products: Vec<(Dyadic, Dyadic)> =
            (0..rows.len()).map(|i| lambda.products(rows.entries(i, 0))).collect();
        let Shares { target: weights, p, t, scale } = Shares::new(statement, rows, dataset);
        let (mut jumps, mut kappas) = (vec![], vec![]);
        for (i, (n, b)) in products.iter().enumerate() {
            let data = &p * Dyadic::new(rows.weight(i));
            let target = &t * Dyadic::new(weights.map_or_else(|| rows.weight(i), |weights| weights[i]));
            jumps.push(&data * &lambda.benign * lambda.jump(n, b));
            kappas.push(&data * &lambda.kappa0 - target);
        }
        let squares = products.into_iter().map(|(n, _)| n).collect();
        let (target, weight) = (Dyadic::new(proof.target), point_weight(statement));
        Setting { rows, lambda, radius, weight, ball, scale, target, kappas, squares, jumps }
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
    pub(super) fn last(&self, lines: &Lines, case: &ContractionCase) -> Result<Dyadic, Reason> {
        require_length("codes", lines.bytes(), case.codes.len())?;
        let value = self.value(lines, &case.codes, [case.tau, case.nu], None)?;
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
    fn new(statement: &'a Statement, rows: &Rows, dataset: usize) -> Self {
        let (one, total) = (Dyadic::whole(1), rows.total_weight());
        let Target::Weights(weights) = &statement.target else {
            return Shares { target: None, p: one.clone(), t: one, scale: total };
        };
        let own = weights[dataset].as_slice();
        let sum = Rows { weights: Some(own), ..*rows }.total_weight();
        Shares { target: Some(own), scale: &total * &sum, p: sum, t: total }
    }
}

/// Requires a number to be finite.
pub(super) fn require_finite(name: &str, x: f64) -> Result<(), Reason> {
    require(x.is_finite(), name, x, "finite")
}

/// The conditions on λ and on the ball, and what all cases must meet before any work is done.
pub(super) fn require_numbers(
    statement: &Statement,
    proof: &ContractionProof,
    evidence: &Evidence,
) -> Result<(), Reason> {
    let d = evidence.data[0].dimension;
    require_length("beta", d, proof.beta.len())?;
    require_each("beta", &proof.beta, f64::is_finite, "finite")?;
    for (name, x) in [("alpha", proof.alpha), ("ball", proof.ball), ("target", proof.target)] {
        require_finite(name, x)?;
    }
    let work: u128 = proof
        .cases
        .iter()
        .zip(evidence.data)
        .map(|(case, rows)| work(case, rows.len() as u128, d as u128))
        .sum();
    require(work <= MOST_WORK, "the work of all rounds", work as f64, "at most 2^33 products")?;
    proof.cases.iter().zip(evidence.data).try_for_each(|(case, rows)| require_case(case, rows.len()))?;
    let lambda = Lambda::new(statement, proof.alpha, &proof.beta);
    require_positive(&lambda.alpha, "alpha")?;
    require_projection(statement, &lambda)?;
    let (ball, radius) = (Dyadic::new(proof.ball), Dyadic::new(point_radius(statement).0));
    require_positive(&ball, "ball")?;
    region::require_ball_kept(statement, &ball, &radius.square(), evidence)
}

/// Products that the rounds of a case take, for n rows of d columns.
fn work(case: &ContractionCase, n: u128, d: u128) -> u128 {
    case.rounds.iter().map(|round| (round.ends.len() as u128 + ROUND) * n * (d + ROW)).sum()
}

/// Requires the vectors of a case to be as long as they must be, and all numbers to be finite and of their sign.
fn require_case(case: &ContractionCase, n: usize) -> Result<(), Reason> {
    for (name, x) in [("tau", case.tau), ("nu", case.nu)] {
        require_finite(name, x)?;
    }
    require(case.tau > 0.0, "tau", case.tau, "> 0")?;
    require(case.nu >= 0.0, "nu", case.nu, "≥ 0")?;
    for ContractionRound { ends, pulls, tau, nu, .. } in &case.rounds {
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
