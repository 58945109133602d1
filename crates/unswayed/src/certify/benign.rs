//! The loss without an adversary, in the limit of small learning rates.
//!
//! Then the learner settles at the minimiser of Σ p_i max(0, 1−θᵀz_i) + (σ/2)‖θ‖². This is the saddle problem of the
//! convexity certificate with everything but θ held fixed (ε = 0, κ = 1, P₁₁ = σ/2), so its rows serve here too.

use super::dense::{Cholesky, Matrix};
use super::descent::Descent;
use super::interior::{Instance, Point, Role, Rows, WholeLine, dot, is_plain_hinge, smaller};
use crate::data::Dataset;
use crate::problem::Problem;

/// With many rows, one in so many is solved for, if that suffices.
const SOLVED_FOR: usize = 10;

/// Steps after which the iteration ends, converged or not.
const MOST_STEPS: usize = 60;

/// Numbers to touch while polishing, at most, but for a few rounds in any case.
const POLISHING: f64 = 1e9;

/// Where the learner settles when nobody poisons it.
#[derive(Clone, Debug)]
pub struct Benign {
    /// The minimiser.
    pub theta: Vec<f64>,
    /// Its loss.
    pub loss: f64,
    /// Its error: the weight of the rows that it misclassifies, θᵀz ≤ 0; none for a regression loss.
    pub error: Option<f64>,
}

/// Where the learner settles without an adversary, for small learning rates.
///
/// ```
/// use unswayed::{Dataset, Problem};
/// let data = Dataset::from_rows(vec![1.0, 0.0, 0.0, 1.0], 2, None)?;
/// let problem = Problem::builder(data).learning_rate(1e-3).regularization(1.0).poison_rate(0.0).build()?;
/// let benign = unswayed::certify::benign(&problem);
/// assert!((benign.theta[0] - 0.5).abs() < 1e-9 && (benign.loss - 0.5).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn benign(problem: &Problem) -> Benign {
    #[cfg(feature = "general")]
    if let Some(benign) = crate::attack::sparse_benign(problem) {
        return benign;
    }
    if is_plain_hinge(problem) && problem.learner().projection.is_none() {
        hinge(&problem.data()[0], problem.learner().regularization)
    } else {
        other(problem)
    }
}

/// The same for other learners.
#[cfg(feature = "general")]
fn other(problem: &Problem) -> Benign {
    crate::attack::benign(problem)
}

/// They are left out.
#[cfg(not(feature = "general"))]
fn other(problem: &Problem) -> Benign {
    Benign { theta: vec![0.0; problem.parameters()], loss: f64::NAN, error: None }
}

/// Where the learner settles under an adversary who sends one point again and again, for small learning rates: a fixed-point attack,
/// in milliseconds. None but for the hinge learner with plain steps against a ball.
///
/// ```
/// use unswayed::certify::{benign, held};
/// use unswayed::{Dataset, Problem};
/// let data = Dataset::from_rows(vec![1.0, 0.0, 0.0, 1.0], 2, None)?;
/// let problem = Problem::builder(data).learning_rate(1e-3).regularization(1.0).poison_rate(0.1).build()?;
/// assert!(held(&problem, &[-1.0, 0.0]).unwrap().loss > benign(&problem).loss);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn held(problem: &Problem, point: &[f64]) -> Option<Benign> {
    let plain = is_plain_hinge(problem) && problem.learner().projection.is_none();
    let data = problem.data().first().filter(|data| plain && data.dimension() == point.len())?;
    let rate = problem.threat().poison_rate;
    let weights = data.probabilities().into_iter().map(|p| (1.0 - rate) * p).chain([rate]).collect();
    let all = Dataset::from_rows([data.z(), point].concat(), point.len(), Some(weights)).ok()?;
    Some(measure(data, hinge(&all, problem.learner().regularization).theta))
}

/// The minimiser for hinge rows.
pub(crate) fn hinge(data: &Dataset, sigma: f64) -> Benign {
    let own = Instance::benign(data);
    let (theta, weights) = match own.spanned() {
        None => settle(&own, sigma),
        Some((span, instance)) => {
            let (theta, weights) = settle(&instance, sigma);
            (span.back(&theta), weights)
        }
    };
    // At σ beyond reason rounding spoils either; θ = 0 is always a candidate, with the objective 1.
    let candidates = [polished(data, sigma, &weights), theta, vec![0.0; data.dimension()]]
        .map(|theta| measure(data, theta));
    let objective = |b: &Benign| b.loss + sigma / 2.0 * dot(&b.theta, &b.theta);
    let best = candidates.into_iter().filter(|b| objective(b).is_finite());
    best.min_by(|a, b| objective(a).total_cmp(&objective(b)))
        .unwrap_or_else(|| measure(data, vec![0.0; data.dimension()]))
}

/// The minimiser and the rows' activities, for many rows from the minimiser for a sample of them.
fn settle(instance: &Instance, sigma: f64) -> (Vec<f64>, Vec<f64>) {
    match smaller(instance) {
        None => settle_all(instance, sigma),
        Some(sample) => settle_near(instance, sigma, &settle(&sample, sigma).0),
    }
}

/// The same from a model that is near: rows that are far from their kink there are on the same side of it at the minimiser, which is
/// then looked at. If some are not, the rows that are solved for become more.
fn settle_near(instance: &Instance, sigma: f64, theta: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let beyond = |theta: &[f64]| -> Vec<f64> {
        (0..instance.rows()).map(|i| dot(theta, instance.row(i)) - 1.0).collect()
    };
    let first = beyond(theta);
    let mut distances: Vec<f64> = first.iter().map(|margin| margin.abs()).collect();
    let (_, width, _) = distances.select_nth_unstable_by(first.len() / SOLVED_FOR, f64::total_cmp);
    let mut width = *width;
    loop {
        let role = |i: usize| match first[i] {
            margin if margin > width => Role::Never,
            margin if margin < -width => Role::Always,
            _ => Role::Kept,
        };
        let reduced = instance.reduced(role);
        let (theta, weights) = settle_all(&reduced, sigma);
        let now = beyond(&theta);
        let has_moved = |i: usize| match role(i) {
            Role::Never => now[i] < 0.0,
            Role::Always => now[i] > 0.0,
            Role::Kept => false,
        };
        let largest = (0..first.len()).filter(|i| has_moved(*i)).map(|i| first[i].abs());
        let largest = largest.fold(0.0, f64::max);
        if largest == 0.0 {
            let mut kept = weights.into_iter();
            let weight = |i: usize| match role(i) {
                Role::Never => 0.0,
                Role::Always => 1.0,
                Role::Kept => kept.next().unwrap_or(1.0),
            };
            let weights = (0..first.len()).map(weight).collect();
            return (theta, weights);
        }
        width = 2.0 * largest;
    }
}

/// The same by an interior point method. It starts from nothing: from a good model it would get stuck at the many kinks around it.
fn settle_all(instance: &Instance, sigma: f64) -> (Vec<f64>, Vec<f64>) {
    let d = instance.dimension;
    let mut point = Point::at_alpha(1.0, d);
    let always = instance.always.as_ref().map_or_else(|| vec![0.0; d], |always| always.z.clone());
    let envelope = WholeLine;
    let mut rows = Rows::centred(instance, &envelope, &point, 1.0);
    for _ in 0..MOST_STEPS {
        let system = rows.assemble(&point);
        let c =
            Matrix::from_fn(d, d, |i, j| system.minus_theta_theta[(i, j)] + if i == j { sigma } else { 0.0 });
        let Some(c) = Cholesky::new(c) else { break };
        let direction = |aim: &[f64]| {
            let pulls = aim.iter().zip(&always).zip(&point.theta);
            let force = pulls.map(|((a, z), t)| a + z - sigma * t).collect();
            Point::towards(c.solve_one(force))
        };
        let predicted = rows.predict(&direction(&system.aim.theta));
        let [c0, c1, c2] = predicted.gap;
        let t = predicted.limit.min(1.0);
        let target = ((c0 + t * (c1 + t * c2)) / c0).powi(3).clamp(1e-6, 0.8) * c0 / 4.0;
        let corrector = direction(&predicted.aim.plus(&predicted.per_unit, target).theta);
        let step = (0.995 * rows.correct(&corrector, target)).min(1.0);
        if step.is_nan() || step < 1e-9 || corrector.theta.iter().any(|t| !t.is_finite()) {
            break;
        }
        rows.advance(step);
        point = point.moved(&corrector, step);
        let moved = dot(&corrector.theta, &corrector.theta).sqrt();
        if c0 < 1e-13 && moved <= 1e-12 * (1.0 + dot(&point.theta, &point.theta).sqrt()) {
            break;
        }
    }
    let weights = rows.locals().map(|local| local[1].clamp(0.0, 1.0)).collect();
    (point.theta, weights)
}

/// The last digits. Where a row sits on its kink with its multiplier at the end of the range, the interior point method
/// is off by the root of its gap; coordinate descent is exact there.
fn polished(data: &Dataset, sigma: f64, weights: &[f64]) -> Vec<f64> {
    let caps = data.probabilities();
    let a: Vec<f64> = caps.iter().zip(weights).map(|(p, y)| p * y).collect();
    let mut theta = vec![0.0; data.dimension()];
    for (z, a) in data.iter().zip(&a) {
        theta.iter_mut().zip(z).for_each(|(t, z)| *t += a / sigma * z);
    }
    let squared = data.iter().map(|z| dot(z, z)).collect();
    let mut descent = Descent { caps, squared, sigma, a, theta };
    let rounds = (POLISHING / data.z().len() as f64).clamp(3.0, 500.0) as usize;
    descent.run(|i| data.row(i), 1e-14, rounds);
    descent.theta
}

fn measure(data: &Dataset, theta: Vec<f64>) -> Benign {
    let (mut loss, mut error) = (0.0, 0.0);
    for (z, p) in data.iter().zip(data.probabilities()) {
        let score = dot(z, &theta);
        loss += p * (1.0 - score).max(0.0);
        error += if score <= 0.0 { p } else { 0.0 };
    }
    Benign { theta, loss, error: Some(error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From a near model and from one that is far off, for which rows change sides and more of them must be solved for.
    #[test]
    fn rows_far_from_their_kink_are_left_out_and_looked_at() {
        let entry = |i: usize| ((i * 7919 + i / 3 * 104_729) % 2003) as f64 / 1001.0 - 0.8;
        let data = Dataset::from_rows((0..60_000).map(|i| 0.5 * entry(i)).collect(), 3, None).unwrap();
        let (own, sigma) = (Instance::benign(&data), 0.01);
        let whole = settle_all(&own, sigma).0;
        for start in [whole.clone(), vec![0.0; 3], vec![-5.0, 3.0, 0.1]] {
            let (theta, weights) = settle_near(&own, sigma, &start);
            let apart = theta.iter().zip(&whole).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-6, "{start:?}: {theta:?} {whole:?}");
            let pull =
                |j: usize| (0..own.rows()).map(|i| own.weight(i) * weights[i] * own.row(i)[j]).sum::<f64>();
            assert!((0..3).all(|j| (pull(j) - sigma * theta[j]).abs() < 1e-7), "{start:?}");
        }
    }

    #[test]
    fn no_regularization_makes_it_worse_than_not_learning() {
        let data = crate::data::sample().unwrap();
        for sigma in [1e-200, 1e-30, 1e-12, 1e-4, 1.0, 1e3] {
            let benign = hinge(&data, sigma);
            assert!(benign.loss <= 1.0, "{sigma}: {}", benign.loss);
        }
    }
}
