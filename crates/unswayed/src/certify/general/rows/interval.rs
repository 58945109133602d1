//! A hinge row on an interval of s (Lemma L4), for either sign of κ, also a row of the target alone; the line is T + y(s − 1).

use unswayed_check::Lines;

use super::super::affine::Scalar;
use super::{Affine, Row, RowConstraints, RowKind, RowUnknowns, own};

pub(in super::super) struct Interval;

/// The s − 1 of the interval's ends.
fn ends<T>(row: &Row<T>) -> (f64, f64) {
    let (middle, reach) = row.range;
    (middle - reach - 1.0, middle + reach - 1.0)
}

/// What T must not be below for the slope y.
fn floors<T: Scalar>(row: &Row<T>, y: &T) -> Vec<T> {
    let (low, high) = ends(row);
    let acts = |x: f64| row.j() + (row.kappa() - y.clone()) * x;
    let idles = |x: f64| y.clone() * -x;
    match (low <= 0.0, high < 0.0) {
        (true, true) => vec![acts(low), acts(high)],
        (true, false) => vec![acts(low), row.j(), idles(high), T::from(0.0)],
        (false, _) => vec![idles(low), idles(high)],
    }
}

impl RowKind for Interval {
    fn part(&self, row: &Row<Affine>, own: &[Affine]) -> RowConstraints {
        let [t, y] = [&own[0], &own[1]].map(Affine::clone);
        let fixed = floors(row, &y).into_iter().map(|floor| t.clone() - floor).collect();
        RowConstraints { fixed, curves: vec![], cost: t - y.clone(), slope: y }
    }

    /// The best slopes at a few scores around s, averaged.
    fn line(&self, row: &Row<f64>, _: f64, s: f64, width: f64) -> RowUnknowns {
        let near = [-0.5, -0.25, 0.0, 0.25, 0.5];
        own(near.iter().map(|part| best(row, s + part * width)).sum::<f64>() / near.len() as f64)
    }

    fn height(&self, row: &Row<f64>, own: &RowUnknowns) -> f64 {
        highest(row, own[1]) - own[1]
    }

    fn write(&self, row: &Row<f64>, own: &RowUnknowns, _: &[f64], lines: &mut Lines) {
        lines.y.push(own[1] * row.mass);
        lines.reach.push(row.range.1);
    }
}

/// T(y), the highest of the floors.
fn highest(row: &Row<f64>, y: f64) -> f64 {
    floors(row, &y).into_iter().fold(f64::NEG_INFINITY, f64::max)
}

/// The y of the least T(y) + y(s − 1), which is convex in y and bends only where two of the floors meet.
fn best(row: &Row<f64>, s: f64) -> f64 {
    let cost = |y: f64| highest(row, y) + y * (s - 1.0);
    // Each floor is affine in y: its values at 0 and 1 tell where it meets another.
    let (at0, at1) = (floors(row, &0.0), floors(row, &1.0));
    let slope = |i: usize| at1[i] - at0[i];
    let pairs = (0..at0.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let meets = pairs.map(|(i, j)| (at0[i] - at0[j]) / (slope(j) - slope(i))).filter(|y| y.is_finite());
    meets.chain([0.0, row.kappa()]).min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap_or(0.0)
}
