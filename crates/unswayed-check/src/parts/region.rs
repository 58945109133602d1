//! Where θ stays: balls that no step leaves, shells that cover them, and what may be added in a case (Sections 5 and 8 of
//! docs/theory.md).

use crate::evaluate::Region;
use crate::exact::{Dyadic, norm2};
use crate::failure::{Reason, require, require_each, require_not_negative, require_positive};

use crate::proof::{CaseProof, Shells};
use crate::prove::{point_radius, point_weight};
use crate::rows::{Evidence, Rows};
use crate::statement::{Set, Statement};

/// Requires the shells to cover a ball that θ never leaves: the ball of the projection, or one with ϱσ ≥ the norm of every step.
pub(crate) fn require_kept(
    statement: &Statement,
    proof: &CaseProof,
    evidence: &Evidence,
) -> Result<(), Reason> {
    let Some(shells) = &proof.shells else { return Ok(()) };
    require_cover(shells)?;
    require_ball_kept(statement, &Dyadic::new(shells.ball), &longest_point(statement, proof), evidence)
}

/// Requires a ball to be one that θ never leaves, `largest` being the largest ‖z‖² on the set.
pub(crate) fn require_ball_kept(
    statement: &Statement,
    ball: &Dyadic,
    largest: &Dyadic,
    evidence: &Evidence,
) -> Result<(), Reason> {
    if let Some(radius) = statement.learner.projection {
        return require_not_negative(&(ball - Dyadic::new(radius)), "ϱ − step.projection");
    }
    // A step of norm at most steepest·‖z‖ does not lead out of the ball if it is at most ϱσ.
    let steepest = Dyadic::new(statement.learner.loss.steepest()).square();
    let edge = (ball * Dyadic::new(statement.learner.regularization)).square();
    require_not_negative(&(&edge - &steepest * largest), "(ϱσ)² − ‖z‖² on the set")?;
    // Steps of clipped rows are as short as those of clipped points.
    if statement.learner.clip.is_some_and(|clip| !(Dyadic::new(clip).square() - &edge).is_positive()) {
        return Ok(());
    }
    let labels = statement.learner.loss.label_entries();
    let kept = |rows: &Rows, i: usize| {
        let longest = &steepest * rows.squared(i, labels) * Dyadic::new(rows.step(i)).square();
        require_not_negative(&(&edge - longest), format_args!("(ϱσ)² − ‖z[{i}]‖²"))
    };
    evidence.data.iter().try_for_each(|rows| {
        rows.in_parallel(|mut range| range.try_for_each(|i| kept(rows, i))).into_iter().collect()
    })
}

/// The largest ‖z‖² on the set, times the squared step weight of its points; 0 for label flips, whose points are rows.
pub(crate) fn longest_point(statement: &Statement, proof: &CaseProof) -> Dyadic {
    let largest = match &statement.threat.set {
        Set::Ball { .. } | Set::Any => Dyadic::new(point_radius(statement).0).square(),
        Set::Features { radius, constant } => norm2(&[*radius, *constant]),
        Set::Box { radii } => norm2(radii),
        Set::Ellipsoid { .. } => Dyadic::new(proof.omega.unwrap_or_default()),
        Set::Points { points } => {
            points.chunks(proof.beta.len().max(1)).map(norm2).fold(Dyadic::zero(), Dyadic::max)
        }
        Set::LabelFlips => Dyadic::zero(),
    };
    largest * point_weight(statement).square()
}

/// Requires 0 < r_1 < r_2 < … and r_M ≥ ϱ + ‖o‖.
fn require_cover(shells: &Shells) -> Result<(), Reason> {
    require_positive(&Dyadic::new(shells.ball), "shell.ball")?;
    require_each("shell.radii", &shells.radii, |r| r > 0.0, "> 0")?;
    for (i, pair) in shells.radii.windows(2).enumerate() {
        require(pair[0] < pair[1], format_args!("shell.radii[{}]", i + 1), pair[1], "above the one before")?;
    }
    let last = shells.radii.last().copied().unwrap_or_default();
    let beyond = Dyadic::new(last) - Dyadic::new(shells.ball);
    require_not_negative(&beyond, "r − ϱ for the last shell")?;
    let room = beyond.square() - norm2(&shells.centre);
    require_not_negative(&room, "(r − ϱ)² − ‖o‖² for the last shell")
}

/// ω(r_m² − ‖θ−o‖²) + μ(‖θ−o‖² − r_{m−1}²) for case i in shell m.
pub(crate) fn region(proof: &CaseProof, i: usize, shell: usize, parameters: usize) -> Region {
    let Some(shells) = &proof.shells else { return Region::everywhere(parameters) };
    let (outer, inner) = (Dyadic::new(proof.cases.outer[i]), Dyadic::new(proof.cases.inner[i]));
    let below = if shell == 0 { 0.0 } else { shells.radii[shell - 1] };
    let [high, low] = [shells.radii[shell], below].map(|r| Dyadic::new(r).square());
    let centre = norm2(&shells.centre);
    let w = &outer - &inner;
    let twice = Dyadic::whole(2) * &w;
    Region {
        constant: outer * (high - &centre) - inner * (low - centre),
        slope: shells.centre.iter().map(|&o| &twice * Dyadic::new(o)).collect(),
        w,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::proof::{Cases, Lines, RowBound};

    fn small() -> impl Strategy<Value = f64> {
        (-40_i32..=40).prop_map(|x| f64::from(x) / 8.0)
    }

    proptest! {
        /// g₀ + gᵀθ − w‖θ‖² is ω(r_m² − ‖θ−o‖²) + μ(‖θ−o‖² − r_{m−1}²) for every θ.
        #[test]
        fn the_quadratic_of_a_shell(
            centre in prop::collection::vec(small(), 2), theta in prop::collection::vec(small(), 2),
            outer in 0.0..2.0, inner in 0.0..2.0, shell in 0_usize..3,
        ) {
            let radii = vec![1.0, 2.5, 4.0];
            let cases = Cases { outer: vec![outer], inner: vec![inner], ..Cases::default() };
            let shells = Some(Shells { centre: centre.clone(), radii: radii.clone(), ball: 1.0 });
            let proof = CaseProof::new(RowBound::Interval, 1.0, vec![0.0; 2], Lines::default(), cases);
            let proof = CaseProof { shells, ..proof };
            let region = region(&proof, 0, shell, 2);
            let [x, y] = [theta[0], theta[1]].map(Dyadic::new);
            let linear = &region.slope[0] * &x + &region.slope[1] * &y;
            let value = region.constant + linear - region.w * (x.square() + y.square());
            let distance = (theta[0] - centre[0]).powi(2) + (theta[1] - centre[1]).powi(2);
            let below: f64 = if shell == 0 { 0.0 } else { radii[shell - 1] };
            let wanted = outer * (radii[shell].powi(2) - distance) + inner * (distance - below.powi(2));
            prop_assert!((value.nearest() - wanted).abs() < 1e-9);
        }
    }
}
