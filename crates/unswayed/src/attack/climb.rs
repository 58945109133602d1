//! Ascent in a convex set by projected gradients whose step lengths come from the last change of the gradient.
//!
//! The spectral projected gradient method: a step length that fits the curvature seen last, and a line search that lets the value
//! fall now and then. It needs gradients and projections only, so it serves every set.

use super::dot;
use crate::error::AttackError;
use crate::simulate::Region;

/// Values that a new one is compared with: it must beat the lowest of them.
const MEMORY: usize = 5;
/// The share of the promised rise that a step must bring.
const SHARE: f64 = 1e-4;
/// The ascent ends when a step promises a rise of less than this.
const LEAST_RISE: f64 = 1e-9;
/// Shortenings of one step, at most.
const MOST_HALVINGS: usize = 12;
/// Step lengths relative to the first.
const SHORTEST: f64 = 1e-6;
const LONGEST: f64 = 1e4;

/// The highest point that an ascent of so many evaluations finds. `value` gives the height of a point and its gradient.
pub(super) fn climb(
    set: &Region,
    start: &[f64],
    evaluations: usize,
    mut value: impl FnMut(&[f64]) -> Result<(f64, Vec<f64>), AttackError>,
) -> Result<Vec<f64>, AttackError> {
    let mut point = start.to_vec();
    let (mut height, mut gradient) = value(&point)?;
    let mut best = (height, point.clone());
    let mut recent = vec![height];
    let first = first_length(set, &gradient);
    let (mut length, mut left) = (first, evaluations);
    while left > 0 {
        let direction = projected(set, &point, &gradient, length);
        let promise = dot(&gradient, &direction);
        if promise < LEAST_RISE {
            break;
        }
        let floor = recent.iter().copied().fold(f64::INFINITY, f64::min);
        let mut share = 1.0;
        let mut next = None;
        for _ in 0..MOST_HALVINGS.min(left) {
            let trial: Vec<f64> = point.iter().zip(&direction).map(|(x, d)| x + share * d).collect();
            let (trial_height, trial_gradient) = value(&trial)?;
            left -= 1;
            let enough = trial_height >= floor + SHARE * share * promise;
            if enough {
                next = Some((trial, trial_height, trial_gradient));
                break;
            }
            // Where the parabola through what is known has its top.
            let bend = share * promise - (trial_height - height);
            let top = 0.5 * share * share * promise / bend;
            share = if bend > 0.0 { top.clamp(0.1 * share, 0.5 * share) } else { 0.5 * share };
        }
        let Some((trial, trial_height, trial_gradient)) = next else { break };
        length = next_length(set, [&point, &trial], [&gradient, &trial_gradient], first);
        (point, height, gradient) = (trial, trial_height, trial_gradient);
        recent.push(height);
        if recent.len() > MEMORY {
            recent.remove(0);
        }
        if height > best.0 {
            best = (height, point.clone());
        }
    }
    Ok(best.1)
}

/// From x to the projection of x + length·(gradient in the set's own metric).
fn projected(set: &Region, x: &[f64], gradient: &[f64], length: f64) -> Vec<f64> {
    let steepest = set.steepest(gradient);
    let mut moved: Vec<f64> = x.iter().zip(&steepest).map(|(x, s)| x + length * s).collect();
    set.bring_in(&mut moved);
    moved.iter().zip(x).map(|(m, x)| m - x).collect()
}

/// A first step about half as long as the set is wide.
fn first_length(set: &Region, gradient: &[f64]) -> f64 {
    let mut far = vec![0.0; gradient.len()];
    set.farthest(gradient, &mut far);
    let steepest = set.steepest(gradient);
    let slope = dot(&steepest, gradient);
    if slope > 0.0 { 0.5 * dot(&far, gradient) / slope } else { 1.0 }
}

/// Length² over curvature along the last step: the step that Newton's method would make if all directions were alike.
fn next_length(set: &Region, points: [&[f64]; 2], gradients: [&[f64]; 2], first: f64) -> f64 {
    let change = |[a, b]: [&[f64]; 2]| -> Vec<f64> { b.iter().zip(a).map(|(b, a)| b - a).collect() };
    let (step, turn) = (change(points), change(gradients));
    let curvature = -dot(&step, &turn);
    let turned = dot(&set.steepest(&turn), &turn);
    if curvature <= 0.0 || turned <= 0.0 {
        return LONGEST * first;
    }
    (curvature / turned).max(squared(set, &step) / curvature).clamp(SHORTEST * first, LONGEST * first)
}

/// ‖v‖² in the set's metric.
fn squared(set: &Region, v: &[f64]) -> f64 {
    match set {
        Region::Ellipsoid { inverse, .. } => inverse.iter().zip(v).map(|(row, v_i)| v_i * dot(row, v)).sum(),
        Region::Numbers { x, .. } => squared(x, &v[1..]),
        _ => dot(v, v),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The top of −½ Σ c_j (x_j − a_j)² in a ball and in a box, where it is known.
    #[test]
    fn the_top_of_a_parabola_is_found() {
        let (c, a) = ([1.0, 30.0, 0.2], [0.3, -0.2, 4.0]);
        let value = |x: &[f64]| {
            let pull: Vec<f64> = (0..3).map(|j| c[j] * (a[j] - x[j])).collect();
            let height = -0.5 * (0..3).map(|j| pull[j] * pull[j] / c[j]).sum::<f64>();
            Ok((height, pull))
        };
        let boxed = climb(&Region::Box { radii: vec![1.0; 3] }, &[0.0; 3], 200, value).unwrap();
        let known = [0.3, -0.2, 1.0];
        assert!(boxed.iter().zip(known).all(|(x, k)| (x - k).abs() < 1e-4), "{boxed:?}");
        // In a ball the gradient is parallel to the point.
        let x = climb(&Region::Ball { radius: 1.0, centre: None }, &[0.0; 3], 200, value).unwrap();
        let (_, g) = value(&x).unwrap();
        let along = dot(&x, &g);
        assert!((dot(&x, &x) - 1.0).abs() < 1e-9 && along > 0.0);
        assert!((along * along / dot(&g, &g) - 1.0).abs() < 1e-6, "{x:?} {g:?}");
    }
}
