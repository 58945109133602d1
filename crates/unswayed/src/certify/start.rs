//! What a start costs over finitely many steps (Theorem 5): the term that a search for a horizon adds to its bound.
//!
//! ```text
//! ( Σ_j α_jθ_j² + βᵀθ + Σ_j β_j²/(4α_j) ) / (ηT),      α_j = α, or αk in coordinates without regularization
//! ```
//!
//! It is jointly convex in (α, β), so a proof that minimises the bound with it costs no more than one without.

use unswayed_check::{Horizon, Statement};

use super::dot;

/// A start and a number of steps, as a price of α and β.
#[derive(Clone, Debug)]
pub(super) struct StartCost {
    /// 1/(ηT), or what stands for it where the learning rate changes.
    pub(super) weight: f64,
    /// θ_0.
    pub(super) theta: Vec<f64>,
    /// α_j/α: 1, or k where there is no regularization.
    pub(super) shares: Vec<f64>,
}

/// ηT; where the learning rate changes, with the first one for η, or the sum of all.
pub(super) fn time(rate: f64, horizon: &Horizon) -> f64 {
    horizon.total_rate.unwrap_or(horizon.first_rate.unwrap_or(rate) * horizon.steps as f64)
}

/// Derivatives in α and β: `beta_beta` is identity·I + outer·ββᵀ.
pub(super) struct StartDerivatives {
    pub(super) alpha: f64,
    pub(super) beta: Vec<f64>,
    pub(super) alpha_alpha: f64,
    pub(super) alpha_beta: Vec<f64>,
    pub(super) identity: f64,
    pub(super) outer: f64,
}

impl StartCost {
    pub(super) fn new(statement: &Statement, horizon: &Horizon) -> Self {
        let learner = &statement.learner;
        let k = 1.0 - learner.learning_rate * learner.regularization;
        let share = |j: usize| if learner.unregularized.contains(&j) { k } else { 1.0 };
        StartCost {
            weight: 1.0 / time(learner.learning_rate, horizon),
            theta: horizon.start.clone(),
            shares: (0..horizon.start.len()).map(share).collect(),
        }
    }

    /// What α costs for itself: Σ_j θ_j²α_j/(αηT).
    pub(super) fn price_of_alpha(&self) -> f64 {
        let squares = self.theta.iter().zip(&self.shares);
        self.weight * squares.map(|(theta, share)| share * theta * theta).sum::<f64>()
    }

    /// The term, for a θ that may be anywhere.
    pub(super) fn value(&self, alpha: f64, beta: &[f64]) -> f64 {
        let squares: f64 = beta.iter().zip(&self.shares).map(|(b, share)| b * b / share).sum();
        self.price_of_alpha() * alpha + self.weight * (dot(beta, &self.theta) + squares / (4.0 * alpha))
    }

    /// The same for a θ that stays in a ball, if there is one: ‖β‖²/(4α) is then −min Λ over it (the best m of Theorem 5).
    pub(super) fn value_in(&self, ball: Option<f64>, alpha: f64, beta: &[f64]) -> f64 {
        let length = dot(beta, beta).sqrt();
        match ball.filter(|ball| length > 2.0 * alpha * ball) {
            None => self.value(alpha, beta),
            Some(ball) => {
                let depth = ball * (length - alpha * ball);
                self.price_of_alpha() * alpha + self.weight * (dot(beta, &self.theta) + depth)
            }
        }
    }

    /// Its derivatives, where every coordinate is regularized.
    pub(super) fn derivatives(&self, ball: Option<f64>, alpha: f64, beta: &[f64]) -> StartDerivatives {
        let (w, squared) = (self.weight, dot(beta, beta));
        let length = squared.sqrt();
        let along = |factor: f64| beta.iter().map(|b| factor * b).collect::<Vec<f64>>();
        // Of ‖β‖²/(4α), or of ϱ‖β‖ − αϱ² beyond 2αϱ: value and slopes agree where the two meet.
        let mut of = match ball.filter(|ball| length > 2.0 * alpha * ball) {
            None => StartDerivatives {
                alpha: -w * squared / (4.0 * alpha * alpha),
                beta: along(w / (2.0 * alpha)),
                alpha_alpha: w * squared / (2.0 * alpha.powi(3)),
                alpha_beta: along(-w / (2.0 * alpha * alpha)),
                identity: w / (2.0 * alpha),
                outer: 0.0,
            },
            Some(ball) => StartDerivatives {
                alpha: -w * ball * ball,
                beta: along(w * ball / length),
                alpha_alpha: 0.0,
                alpha_beta: vec![0.0; beta.len()],
                identity: w * ball / length,
                outer: -w * ball / length.powi(3),
            },
        };
        of.alpha += self.price_of_alpha();
        of.beta.iter_mut().zip(&self.theta).for_each(|(g, theta)| *g += w * theta);
        of
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Inside and outside of the ball's cone: derivatives against differences.
    #[test]
    fn derivatives_are_those_of_the_value() {
        let start = StartCost { weight: 0.7, theta: vec![0.3, -2.0, 1.0], shares: vec![1.0; 3] };
        for (alpha, beta, ball) in [
            (0.8, [1.0, -0.5, 0.2], None),
            (0.8, [1.0, -0.5, 0.2], Some(2.0)),
            (0.1, [1.0, -0.5, 0.2], Some(2.0)),
        ] {
            let value = |x: &[f64; 4]| start.value_in(ball, x[0], &x[1..]);
            let slopes = |x: &[f64; 4]| {
                let of = start.derivatives(ball, x[0], &x[1..]);
                [of.alpha, of.beta[0], of.beta[1], of.beta[2]]
            };
            let x = [alpha, beta[0], beta[1], beta[2]];
            let of = start.derivatives(ball, alpha, &beta);
            for i in 0..4 {
                let (mut up, mut down, h) = (x, x, 1e-6);
                (up[i], down[i]) = (x[i] + h, x[i] - h);
                assert!(((value(&up) - value(&down)) / (2.0 * h) - slopes(&x)[i]).abs() < 1e-7);
                for j in 0..4 {
                    let found = match (i, j) {
                        (0, 0) => of.alpha_alpha,
                        (0, b) | (b, 0) => of.alpha_beta[b - 1],
                        _ => of.outer * beta[i - 1] * beta[j - 1] + if i == j { of.identity } else { 0.0 },
                    };
                    let wanted = (slopes(&up)[j] - slopes(&down)[j]) / (2.0 * h);
                    assert!((found - wanted).abs() < 1e-6, "{i} {j}: {found} {wanted}");
                }
            }
        }
    }
}
