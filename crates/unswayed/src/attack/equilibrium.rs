//! Where a learner settles under constant pulls: the minimiser of Σ c_i φ(⟨θ, m_i⟩) + ½ Σ σ_j θ_j², in a ball if steps are
//! projected on one.
//!
//! Newton's method on a smoothed loss. At the loss itself this is the fixed point of Proposition L19 of docs/theory.md, up to
//! about the last width. (For a projection: at the minimiser in the ball the expected step leads straight outwards, away from
//! the centre of λ, which is in the ball by Theorem L15; so E λ(kθ + ηg) ≥ λ(θ), which is all that the proof needs.)

use faer::linalg::solvers::{Lblt, Solve};
use faer::{Mat, Side};
use unswayed_check::{Loss, Statement};

use super::curve::Curve;
use super::dot;
use super::margins::Margins;

/// Steps of Newton's method at one width, and of the search for the ball's multiplier.
const MOST_STEPS: usize = 80;
const MOST_MULTIPLIERS: usize = 80;

/// Newton's method ends when the objective is to fall by less than this times the width, or if shorter steps do not help.
const CONVERGED: f64 = 1e-9;
const SHORTEST_STEP: f64 = 1e-8;

/// What rounding may add to the objective.
const ROUNDING: f64 = 1e-15;

/// What a coordinate without regularization has in the matrix of Newton's method, so that it can be inverted.
const LEAST_CURVATURE: f64 = 1e-10;

/// What the learner minimises on average: the rows and points that act on θ, with their weights, and the regularizer.
#[derive(Clone, Debug)]
pub(super) struct Objective {
    pub margins: Margins,
    /// c_i.
    pub weights: Vec<f64>,
    /// The largest −φ' of each margin that clipping lets pass.
    pub caps: Vec<f64>,
    /// σ_j.
    pub ridge: Vec<f64>,
    /// ϱ.
    pub ball: Option<f64>,
    /// A constant pull: the objective has −⟨pull, θ⟩ in it.
    pub pull: Vec<f64>,
}

/// A place of rest, and how it moves when pulled.
pub(super) struct Rest {
    pub theta: Vec<f64>,
    hessian: Lblt<f64>,
    /// Whether θ is held by the edge of the ball.
    held: bool,
}

impl Rest {
    /// H⁻¹v: where θ goes when pulled a little along v. On the edge of the ball it stays on the edge.
    pub fn moved(&self, v: &[f64]) -> Vec<f64> {
        let mut moved = solve(&self.hessian, v);
        if self.held {
            let along = solve(&self.hessian, &self.theta);
            let factor = dot(&self.theta, &moved) / dot(&self.theta, &along);
            moved.iter_mut().zip(&along).for_each(|(m, a)| *m -= factor * a);
        }
        moved
    }
}

/// G/‖z‖, at most 1: how much of the pull of z along itself clipping lets pass.
pub(super) fn passed(statement: &Statement, z: &[f64]) -> f64 {
    statement.learner.clip.map_or(1.0, |clip| (clip / dot(z, z).sqrt()).min(1.0))
}

fn solve(hessian: &Lblt<f64>, v: &[f64]) -> Vec<f64> {
    hessian.solve(Mat::from_fn(v.len(), 1, |i, _| v[i])).col(0).iter().copied().collect()
}

impl Objective {
    /// Gives a row its weight. Clipping scales the pull of a hinge and caps that of a logistic loss.
    pub fn weigh(&mut self, row: usize, z: &[f64], weight: f64, statement: &Statement) {
        let passed = passed(statement, z);
        let is_logistic = statement.learner.loss == Loss::Logistic;
        let (scale, cap) = if is_logistic { (1.0, passed) } else { (passed, 1.0) };
        let each = self.margins.each();
        self.weights[row * each..][..each].fill(weight * scale);
        self.caps[row * each..][..each].fill(cap);
    }

    /// Where θ settles on a smooth loss; the nearer the start, the sooner it is found.
    pub fn settle(&self, curve: Curve, start: &[f64]) -> Rest {
        let (theta, hessian) = self.newton(curve, 0.0, start.to_vec());
        let mut rest = Rest { theta, hessian, held: false };
        let Some(ball) = self.ball else { return rest };
        // ‖θ‖ falls as the multiplier grows; 1/‖θ‖ is nearly linear in it, so Newton's method on that needs few steps. Where a kink misleads
        // it, the bracket is halved.
        let (mut multiplier, mut low, mut high) = (0.0_f64, 0.0_f64, f64::INFINITY);
        for _ in 0..MOST_MULTIPLIERS {
            let norm = dot(&rest.theta, &rest.theta).sqrt();
            if norm <= ball * (1.0 + 1e-12) && (multiplier == 0.0 || norm >= ball * (1.0 - 1e-12)) {
                break;
            }
            *(if norm > ball { &mut low } else { &mut high }) = multiplier;
            let slope = dot(&rest.theta, &solve(&rest.hessian, &rest.theta));
            let newton = multiplier + norm * norm / slope * (norm / ball - 1.0);
            let careful = if high.is_finite() { f64::midpoint(low, high) } else { (4.0 * low).max(1e-3) };
            multiplier = if newton > low && newton < high.min(10.0 * careful) { newton } else { careful };
            (rest.theta, rest.hessian) = self.newton(curve, multiplier, rest.theta);
            rest.held = multiplier > 0.0;
        }
        rest
    }

    /// Where θ settles on the last of the curves. θ is nearly linear in the width, so each start is extrapolated.
    pub fn follow(&self, curves: &[Curve], start: &[f64]) -> Vec<f64> {
        let (mut before, mut theta) = (start.to_vec(), start.to_vec());
        for (i, curve) in curves.iter().enumerate() {
            let mut guess = theta.clone();
            if i >= 2 {
                let [a, b] = [curves[i - 2].width(), curves[i - 1].width()];
                let ahead = (b - curve.width()) / (a - b);
                guess.iter_mut().zip(&before).for_each(|(g, before)| *g += ahead * (*g - before));
            }
            before = theta;
            theta = self.settle(*curve, &guess).theta;
        }
        theta
    }

    fn newton(&self, curve: Curve, multiplier: f64, mut theta: Vec<f64>) -> (Vec<f64>, Lblt<f64>) {
        let ridge: Vec<f64> = self.ridge.iter().map(|r| r + multiplier).collect();
        let mut scores = self.margins.scores(&theta);
        for _ in 0..MOST_STEPS {
            let (gradient, hessian) = self.derivatives(curve, &ridge, &theta, &scores);
            let step = solve(&hessian, &gradient);
            let slope = dot(&gradient, &step);
            let along = self.margins.products(&step);
            let value = |t: f64| {
                let rows = scores.iter().zip(&along).zip(self.weights.iter().zip(&self.caps));
                let loss: f64 = rows.map(|((s, a), (c, cap))| c * curve.at(s - t * a, *cap).value).sum();
                let moved = theta.iter().zip(&step).zip(ridge.iter().zip(&self.pull));
                let rest = |((x, d), (r, v)): ((&f64, &f64), (&f64, &f64))| {
                    let x = x - t * d;
                    0.5 * r * x * x - v * x
                };
                loss + moved.map(rest).sum::<f64>()
            };
            let now = value(0.0);
            let mut length = 1.0;
            while length > SHORTEST_STEP && value(length) > now + ROUNDING * now.abs() - 0.25 * length * slope
            {
                length /= 2.0;
            }
            if length <= SHORTEST_STEP {
                return (theta, hessian);
            }
            theta.iter_mut().zip(&step).for_each(|(t, s)| *t -= length * s);
            scores.iter_mut().zip(&along).for_each(|(s, a)| *s -= length * a);
            // The last step squares what error there was. Where the curve bends sharply that needs a smaller error.
            if length >= 1.0 && slope <= CONVERGED * curve.width() {
                return (theta, hessian);
            }
        }
        let hessian = self.derivatives(curve, &ridge, &theta, &scores).1;
        (theta, hessian)
    }

    fn derivatives(
        &self,
        curve: Curve,
        ridge: &[f64],
        theta: &[f64],
        scores: &[f64],
    ) -> (Vec<f64>, Lblt<f64>) {
        let mut gradient: Vec<f64> =
            theta.iter().zip(ridge.iter().zip(&self.pull)).map(|(t, (r, v))| r * t - v).collect();
        let mut second = vec![0.0; scores.len()];
        for (i, s) in scores.iter().enumerate() {
            let bend = curve.at(*s, self.caps[i]);
            self.margins.add(i, -self.weights[i] * bend.pull, &mut gradient);
            second[i] = self.weights[i] * bend.second;
        }
        let mut hessian = self.margins.outer(&second);
        let largest = (0..ridge.len()).map(|j| hessian[(j, j)]).fold(0.0, f64::max);
        for (j, r) in ridge.iter().enumerate() {
            hessian[(j, j)] += r.max(LEAST_CURVATURE * (1.0 + largest));
        }
        // Positive definite but for rounding, which this factorization survives.
        (gradient, hessian.lblt(Side::Lower))
    }
}
