//! What the start adds over finitely many steps (Theorem 5 for Theorem L1).
//!
//! ```text
//! ( ‖2(α+m)θ_0 + β‖²/(4(α+m)) + m(ϱ² − ‖θ_0‖²) ) / (ηT)
//! ```
//!
//! m ≥ 0 only where θ stays in a ball of radius ϱ. Where the learning rate changes, η is the first one, or ηT the sum of all
//! (Theorems A1 and A2). In unregularized coordinates αk stands for α, and m is 0. With momentum η/(1−μ)
//! stands for η, m is 0, and F(θ_0) adds its share (Theorem M2).

use dashu_ratio::RBig;

use crate::exact::{Dyadic, norm2, ratio};
use crate::failure::{Reason, require, require_length, require_not_negative};
use crate::lambda::Lambda;
use crate::rules::{self, Feature};
use crate::statement::{Horizon, Statement};

/// The term for λ(θ) = (α‖θ‖² + βᵀθ)/η, for a proof that may be restricted to a ball. `momentum` is what F(θ_0) adds.
pub(crate) fn transient(
    statement: &Statement,
    lambda: &Lambda,
    ball: Option<f64>,
    momentum: &Dyadic,
    horizon: &Horizon,
    m: f64,
) -> Result<RBig, Reason> {
    let Horizon { steps, start, .. } = horizon;
    rules::require_supported(statement, [Feature::Horizon])?;
    require_length("entries of horizon.start", lambda.beta.len(), start.len())?;
    let room = room(statement, ball, start, m)?;
    let curve = &lambda.alpha + Dyadic::new(m);
    let (mut bound, mut free) = (Dyadic::zero(), Dyadic::zero());
    for (j, (&theta, &beta)) in start.iter().zip(lambda.beta).enumerate() {
        let is_free = lambda.free.contains(&j);
        let alpha = if is_free { &lambda.alpha * &lambda.k } else { curve.clone() };
        let term = (Dyadic::whole(2) * alpha * Dyadic::new(theta) + Dyadic::new(beta)).square();
        if is_free { free = free + term } else { bound = bound + term }
    }
    let four = Dyadic::whole(4) * curve;
    let rate = Dyadic::new(horizon.first_rate.unwrap_or(statement.learner.learning_rate));
    let of_time = horizon.total_rate.map_or(rate * Dyadic::whole(*steps), Dyadic::new);
    let divisor = &four * &of_time;
    let quadratic = ratio(&(bound + four * room), &divisor) + ratio(&free, &(divisor * &lambda.k));
    // λ is one of y, which moves 1/(1−μ) times as fast as θ.
    let slower = Dyadic::whole(1) - Dyadic::new(statement.learner.momentum.unwrap_or_default());
    Ok(RBig::from(slower) * quadratic + ratio(momentum, &of_time))
}

/// m(ϱ² − ‖θ_0‖²), after the conditions on both factors have been verified.
fn room(statement: &Statement, ball: Option<f64>, start: &[f64], m: f64) -> Result<Dyadic, Reason> {
    require(m >= 0.0 && m.is_finite(), "horizon.m", m, "≥ 0")?;
    let balls = [ball, statement.learner.projection];
    let Some(ball) = balls.into_iter().flatten().reduce(f64::min) else {
        require(m == 0.0, "horizon.m", m, "0, as it must be without a ball")?;
        return Ok(Dyadic::zero());
    };
    let room = Dyadic::new(ball).square() - norm2(start);
    require_not_negative(&room, "ϱ² − ‖θ_0‖²")?;
    let plain = statement.learner.schedule.is_none_or(|schedule| schedule.weighted);
    require(m == 0.0 || plain, "horizon.m", m, "0, as it must be for plain averages of a rate that changes")?;
    let is_kept = m == 0.0 || statement.learner.momentum.is_none();
    require(is_kept, "horizon.m", m, "0, as it must be with momentum: λ is not one of θ")?;
    Ok(Dyadic::new(m) * room)
}
