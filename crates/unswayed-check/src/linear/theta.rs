//! Where θ stays, and what its start adds over finitely many steps.

use dashu::rational::RBig;

use crate::assemble::Region;
use crate::exact::{Dyadic, ratio};
use crate::failure::{Reason, require, require_each, require_length, require_not_negative, require_positive};
use crate::hinge::norm2;

use super::Evidence;
use super::types::{Linear, LinearWitness, Set, Shells};

/// Requires the shells to cover a ball that θ never leaves: the ball of the projection, or one with ϱσ ≥ the norm of every step.
pub(crate) fn require_kept(
    learner: &Linear,
    witness: &LinearWitness,
    evidence: &Evidence,
) -> Result<(), Reason> {
    let Some(shells) = &witness.shells else { return Ok(()) };
    require_cover(shells)?;
    let ball = Dyadic::new(shells.ball);
    if let Some(radius) = learner.step.projection {
        return require_not_negative(&(ball - Dyadic::new(radius)), "shell.ball − step.projection");
    }
    let edge = (ball * Dyadic::new(learner.regularization)).square();
    let largest = match (&learner.set, witness.omega) {
        (Set::Ball { .. } | Set::Any, _) => Dyadic::new(learner.point_radius().0).square(),
        (Set::Box { radii }, _) => norm2(radii),
        (Set::Ellipsoid { .. }, omega) => Dyadic::new(omega.unwrap_or_default()),
        (Set::Points { points }, _) => {
            let dimension = shells.centre.len().max(1);
            points.chunks(dimension).map(norm2).fold(Dyadic::zero(), Dyadic::max)
        }
        (Set::Labels, _) => Dyadic::zero(),
    };
    require_not_negative(&(&edge - largest), "(ϱσ)² − ‖z‖² on the set")?;
    // Steps of clipped rows are as short as those of clipped points.
    if learner.step.clip.is_some_and(|clip| !(Dyadic::new(clip).square() - &edge).is_positive()) {
        return Ok(());
    }
    for rows in evidence.data {
        for i in 0..rows.len() {
            let kept = &edge - norm2(rows.row(i));
            require_not_negative(&kept, format_args!("(ϱσ)² − ‖z[{i}]‖²"))?;
        }
    }
    Ok(())
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
pub(crate) fn region(witness: &LinearWitness, i: usize, shell: usize, parameters: usize) -> Region {
    let Some(shells) = &witness.shells else { return Region::everywhere(parameters) };
    let (outer, inner) = (Dyadic::new(witness.cases.outer[i]), Dyadic::new(witness.cases.inner[i]));
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

/// What a start θ_0 adds over T steps: Σ_j α_j(θ_0j + β_j/(2α_j))²/(ηT), where α_j = α, or αk for free coordinates.
pub(crate) fn transient(
    learner: &Linear,
    witness: &LinearWitness,
    steps: u64,
    start: &[f64],
) -> Result<RBig, Reason> {
    let lambda = super::lambda::Lambda::new(learner, witness);
    require_length("entries of horizon.start", witness.beta.len(), start.len())?;
    require_each("horizon.start", start, f64::is_finite, "finite")?;
    require(steps >= 1, "horizon.steps", 0.0, "≥ 1")?;
    let balls = [witness.shells.as_ref().map(|s| s.ball), learner.step.projection];
    for radius in balls.into_iter().flatten() {
        let room = Dyadic::new(radius).square() - norm2(start);
        require_not_negative(&room, "ϱ² − ‖θ_0‖²")?;
    }
    let (mut bound, mut free) = (Dyadic::zero(), Dyadic::zero());
    for (j, (&theta, &beta)) in start.iter().zip(&witness.beta).enumerate() {
        let is_free = lambda.free.contains(&j);
        let alpha = if is_free { &lambda.alpha * &lambda.k } else { lambda.alpha.clone() };
        let term = (Dyadic::whole(2) * alpha * Dyadic::new(theta) + Dyadic::new(beta)).square();
        if is_free { free = free + term } else { bound = bound + term }
    }
    let divisor = Dyadic::whole(4) * &lambda.alpha * &lambda.eta * Dyadic::whole(steps);
    Ok(ratio(&bound, &divisor) + ratio(&free, &(divisor * &lambda.k)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::linear::types::{Cases, Method};

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
            let witness = LinearWitness {
                method: Method::Interval,
                alpha: 1.0,
                beta: vec![0.0; 2],
                omega: None,
                shells: Some(Shells { centre: centre.clone(), radii: radii.clone(), ball: 1.0 }),
                by_label: false,
                lines: vec![],
                cases,
            };
            let region = region(&witness, 0, shell, 2);
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
