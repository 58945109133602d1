//! Where a learner of sparse rows settles, and the point that drags it to the worst place, without any matrix.
//!
//! The minimiser of Σ c_i φ(θᵀm_i) + (σ/2)‖θ‖² is found by dual coordinate descent: θ = Σ a_im_i/σ, one a_i at a time set to its best
//! value. The attack's point is R times the direction of H⁻¹∇ℓ, where pulling the place of rest raises the goal most; H⁻¹∇ℓ is
//! found by conjugate gradients, the place of rest and the point in turn.

use unswayed_check::{Loss, Set};
use unswayed_data::SparseRows;

use super::{SteadyState, dot, scale};
use crate::certify::Benign;
use crate::problem::Problem;

/// Sweeps over the rows for one place of rest, and the move of a margin that ends them.
const MOST_SWEEPS: usize = 150;
const STILL: f64 = 1e-4;
/// Turns of the search from one start, and how far each goes towards the new direction.
const TURNS: usize = 6;
const TOWARDS: f64 = 0.7;
/// Conjugate gradient steps.
const MOST_CG: usize = 60;
const CG_PRECISION: f64 = 1e-3;
/// The width over which the hinge's kink, and the error's jump, are smoothed for derivatives.
const KINK_WIDTH: f64 = 0.2;
const JUMP_WIDTH: f64 = 0.2;

/// Rows and learner.
#[derive(Clone, Copy)]
pub(crate) struct SparseLearner<'a> {
    pub rows: SparseRows<'a>,
    /// p_i.
    pub p: &'a [f64],
    pub loss: Loss,
    pub sigma: f64,
    pub dimension: usize,
}

/// Where a learner rests, with the multipliers of its rows and of the point.
#[derive(Clone)]
pub(crate) struct Rest {
    pub theta: Vec<f64>,
    a: Vec<f64>,
    point: Vec<f64>,
    held: f64,
}

impl<'a> SparseLearner<'a> {
    /// The learner of a problem, if its rows are sparse; `p` holds their probabilities.
    pub fn of(problem: &'a Problem, p: &'a [f64]) -> Option<Self> {
        let (data, learner) = (&problem.data()[0], problem.learner());
        let (loss, sigma) = (learner.loss, learner.regularization);
        Some(SparseLearner { rows: data.sparse()?, p, loss, sigma, dimension: data.dimension() })
    }
}

/// Where a learner of sparse rows settles with nobody attacking; none for other rows.
pub(crate) fn benign(problem: &Problem) -> Option<Benign> {
    let p = problem.data()[0].sparse().map(|_| problem.data()[0].probabilities())?;
    let learner = SparseLearner::of(problem, &p)?;
    let mut rest = learner.nowhere();
    learner.settle(&mut rest, &vec![0.0; learner.dimension], 0.0);
    let (loss, error) = learner.measure(&rest.theta);
    Some(Benign { theta: rest.theta, loss, error: Some(error) })
}

/// The steady-state attack on a learner of sparse rows; none for other rows.
pub(super) fn steady_state(problem: &Problem, by_error: bool) -> Option<SteadyState> {
    let p = problem.data()[0].sparse().map(|_| problem.data()[0].probabilities())?;
    let learner = SparseLearner::of(problem, &p)?;
    let Set::Ball { radius } = problem.threat().set else { return None };
    let (point, rest) = learner.worst_point(problem.threat().poison_rate, radius, by_error);
    let (loss, error) = learner.measure(&rest.theta);
    Some(SteadyState { point, theta: rest.theta, loss, error: Some(error) })
}

/// −φ' and φ, for the two losses that sparse rows are supported for.
fn pull(loss: Loss, s: f64) -> f64 {
    match loss {
        Loss::Logistic => 1.0 / (1.0 + s.exp()),
        _ => f64::from(s <= 1.0),
    }
}

fn height(loss: Loss, s: f64) -> f64 {
    match loss {
        Loss::Logistic if s > 0.0 => (-s).exp().ln_1p(),
        Loss::Logistic => s.exp().ln_1p() - s,
        _ => (1.0 - s).max(0.0),
    }
}

/// φ'', with a hinge's kink smoothed.
fn bend(loss: Loss, s: f64) -> f64 {
    let x = if loss == Loss::Logistic { s } else { (s - 1.0) / KINK_WIDTH };
    let w = 1.0 / (1.0 + x.exp());
    w * (1.0 - w) / if loss == Loss::Logistic { 1.0 } else { KINK_WIDTH }
}

/// The multiplier a ∈ \[0, c\] of a term cφ(s): s is its margin with the multiplier `now`, and `gain` what s grows by as a does.
fn best_multiplier(loss: Loss, c: f64, now: f64, s: f64, gain: f64) -> f64 {
    if loss != Loss::Logistic {
        return (now + (1.0 - s) / gain).clamp(0.0, c);
    }
    // log((c−a)/a) = s + (a − now)·gain; the left side falls from ∞ to −∞.
    let (mut low, mut high, mut a) = (0.0, c, now.clamp(0.01 * c, 0.99 * c));
    for _ in 0..30 {
        let miss = ((c - a) / a).ln() - s - (a - now) * gain;
        if miss > 0.0 {
            low = a;
        } else {
            high = a;
        }
        let newton = a + miss / (c / (a * (c - a)) + gain);
        let next = if newton > low && newton < high { newton } else { f64::midpoint(low, high) };
        if (next - a).abs() <= 1e-12 * c {
            return next;
        }
        a = next;
    }
    a
}

impl SparseLearner<'_> {
    /// θ = 0.
    pub fn nowhere(&self) -> Rest {
        let d = self.dimension;
        Rest { theta: vec![0.0; d], a: vec![0.0; self.p.len()], point: vec![0.0; d], held: 0.0 }
    }

    /// Moves to the place of rest where a point comes with probability ε.
    pub fn settle(&self, rest: &mut Rest, point: &[f64], eps: f64) {
        let Rest { theta, a, point: before, held } = rest;
        for (theta, (new, old)) in theta.iter_mut().zip(point.iter().zip(before.iter())) {
            *theta += *held / self.sigma * (new - old);
        }
        before.copy_from_slice(point);
        let squares: Vec<f64> =
            (0..a.len()).map(|i| self.rows.row(i).map(|(_, z)| z * z).sum::<f64>() / self.sigma).collect();
        let own = dot(point, point) / self.sigma;
        for _ in 0..MOST_SWEEPS {
            let mut largest = 0.0_f64;
            for i in 0..a.len() {
                let c = (1.0 - eps) * self.p[i];
                if squares[i] > 0.0 && c > 0.0 {
                    let next = best_multiplier(self.loss, c, a[i], self.rows.dot(i, theta), squares[i]);
                    let change = next - a[i];
                    if change != 0.0 {
                        self.rows.add(i, change / self.sigma, theta);
                        a[i] = next;
                        largest = largest.max((change * squares[i]).abs());
                    }
                }
            }
            if own > 0.0 && eps > 0.0 {
                let next = best_multiplier(self.loss, eps, *held, dot(theta, point), own);
                let change = (next - *held) / self.sigma;
                theta.iter_mut().zip(point).for_each(|(theta, z)| *theta += change * z);
                largest = largest.max(((next - *held) * own).abs());
                *held = next;
            }
            if largest < STILL {
                break;
            }
        }
    }

    /// Loss and error of a model.
    pub fn measure(&self, theta: &[f64]) -> (f64, f64) {
        let (mut loss, mut error) = (0.0, 0.0);
        for (i, p) in self.p.iter().enumerate() {
            let s = self.rows.dot(i, theta);
            loss += p * height(self.loss, s);
            error += if s <= 0.0 { *p } else { 0.0 };
        }
        (loss, error)
    }

    /// The point of norm R that raises loss or error most, as far as this search sees, and where it holds the learner.
    pub fn worst_point(&self, eps: f64, radius: f64, by_error: bool) -> (Vec<f64>, Rest) {
        let mut benign = self.nowhere();
        let none = vec![0.0; self.dimension];
        self.settle(&mut benign, &none, 0.0);
        let mut best: Option<(f64, Vec<f64>, Rest)> = None;
        let mut mean = vec![0.0; self.dimension];
        self.p.iter().enumerate().for_each(|(i, p)| self.rows.add(i, -p, &mut mean));
        let against = benign.theta.iter().map(|t| -t).collect();
        for mut point in [against, mean] {
            stretch(&mut point, radius);
            let mut rest = benign.clone();
            for _ in 0..TURNS {
                self.settle(&mut rest, &point, eps);
                let (loss, error) = self.measure(&rest.theta);
                let reached = if by_error { error } else { loss };
                if best.as_ref().is_none_or(|(least, ..)| reached > *least) {
                    best = Some((reached, point.clone(), rest.clone()));
                }
                let mut push = self.lever(&rest.theta, by_error);
                stretch(&mut push, radius);
                point.iter_mut().zip(&push).for_each(|(z, push)| *z += TOWARDS * (push - *z));
                stretch(&mut point, radius);
            }
        }
        best.map_or((none, benign), |(_, point, rest)| (point, rest))
    }

    /// H⁻¹∇: where to pull a resting model so that the goal rises most.
    fn lever(&self, theta: &[f64], by_error: bool) -> Vec<f64> {
        let scores: Vec<f64> = (0..self.p.len()).map(|i| self.rows.dot(i, theta)).collect();
        let mut gradient = vec![0.0; self.dimension];
        for (i, s) in scores.iter().enumerate() {
            let steep = if by_error {
                let wrong = 1.0 / (1.0 + (s / JUMP_WIDTH).exp());
                wrong * (1.0 - wrong) / JUMP_WIDTH
            } else {
                pull(self.loss, *s)
            };
            if steep != 0.0 {
                self.rows.add(i, -self.p[i] * steep, &mut gradient);
            }
        }
        let bends: Vec<f64> = scores.iter().zip(self.p).map(|(s, p)| p * bend(self.loss, *s)).collect();
        let product = |v: &[f64]| -> Vec<f64> {
            let mut out: Vec<f64> = v.iter().map(|v| self.sigma * v).collect();
            for (i, bend) in bends.iter().enumerate().filter(|(_, bend)| **bend > 1e-9 * self.p[0]) {
                self.rows.add(i, bend * self.rows.dot(i, v), &mut out);
            }
            out
        };
        conjugate_gradients(product, &gradient)
    }
}

/// Solves Hx = r for a positive definite H, roughly.
fn conjugate_gradients(product: impl Fn(&[f64]) -> Vec<f64>, r: &[f64]) -> Vec<f64> {
    let (mut x, mut left, mut towards) = (vec![0.0; r.len()], r.to_vec(), r.to_vec());
    let first = dot(r, r);
    let mut size = first;
    for _ in 0..MOST_CG {
        if size <= CG_PRECISION * CG_PRECISION * first || size == 0.0 {
            break;
        }
        let along = product(&towards);
        let step = size / dot(&towards, &along);
        x.iter_mut().zip(&towards).for_each(|(x, d)| *x += step * d);
        left.iter_mut().zip(&along).for_each(|(r, d)| *r -= step * d);
        let next = dot(&left, &left);
        towards.iter_mut().zip(&left).for_each(|(d, r)| *d = r + next / size * *d);
        size = next;
    }
    x
}

/// A little shorter than the radius, so that rounding leaves the point in the ball.
fn stretch(point: &mut [f64], radius: f64) {
    let norm = dot(point, point).sqrt();
    if norm > 0.0 {
        scale(point, radius * (1.0 - 1e-12) / norm);
    }
}
