//! The points an adversary may send: which they are, the way into the set, and its farthest point in a direction.

use faer::linalg::solvers::DenseSolveCore;
use faer::{Mat, Side};
use unswayed_check::{Learner, Loss, Set, Statement};

use crate::attack::scale;
use crate::certify::dot;
use crate::error::AttackError;

/// How far beyond the edge rounding may take a point, relative to the size of the set.
const TOLERANCE: f64 = 1e-9;

/// A set of points.
#[derive(Clone, Debug)]
pub(crate) enum Region {
    /// ‖z − centre‖ ≤ radius; around 0 without a centre.
    Ball { radius: f64, centre: Option<Vec<f64>> },
    /// ‖z‖ ≤ radius without the column, whose entry is the constant; or minus it, if `either`.
    Features { radius: f64, constant: f64, column: usize, either: bool },
    /// |z_j| ≤ radii_j.
    Box { radii: Vec<f64> },
    /// zᵀQ⁻¹z ≤ 1.
    Ellipsoid { q: Vec<Vec<f64>>, inverse: Vec<Vec<f64>> },
    /// One of these.
    Points { points: Vec<f64>, dimension: usize },
    /// The row that nature drew, or its negative.
    Labels,
    /// Whatever is finite.
    Any,
    /// A label below `classes`, then x with ‖x‖ ≤ radius.
    Classes { classes: usize, radius: f64 },
    /// A number of size at most `bound`, then x in a set. Points that are brought in get the label `usual`.
    Numbers { bound: f64, usual: f64, x: Box<Region> },
}

impl Region {
    /// The set of a linear learner's adversary; fails if its numbers describe none.
    pub fn new(statement: &Statement, dimension: usize) -> Result<Self, AttackError> {
        if statement.learner.loss.is_regression() {
            let x = Region::of_set(statement, dimension - 1)?;
            return Ok(x.with_numbers(statement));
        }
        Region::of_set(statement, dimension)
    }

    fn of_set(statement: &Statement, dimension: usize) -> Result<Self, AttackError> {
        let Learner { loss, unregularized, .. } = &statement.learner;
        Ok(match (&statement.threat.set, *loss) {
            (Set::Ball { radius }, Loss::Multiclass(classes)) => Region::Classes { classes, radius: *radius },
            (Set::Ball { radius }, _) => Region::Ball { radius: *radius, centre: None },
            (Set::Features { radius, constant }, _) => Region::Features {
                radius: *radius,
                constant: *constant,
                column: unregularized.first().copied().unwrap_or(0),
                either: !loss.is_regression(),
            },
            (Set::Box { radii }, _) => Region::Box { radii: radii.clone() },
            (Set::Ellipsoid { q }, _) => Region::ellipsoid(q, dimension)?,
            (Set::Points { points }, _) => Region::Points { points: points.clone(), dimension },
            (Set::LabelFlips, _) => Region::Labels,
            (Set::Any, _) => Region::Any,
        })
    }

    /// The column whose entry is fixed, if there is one.
    pub fn fixed_column(&self) -> Option<usize> {
        if let Region::Features { column, .. } = self { Some(*column) } else { None }
    }

    /// The points of each class, where a fixed entry shows it.
    pub fn by_class(&self) -> Option<[Region; 2]> {
        let Region::Features { radius, constant, column, either: true } = *self else { return None };
        Some([-constant, constant].map(|constant| Region::Features {
            radius,
            constant,
            column,
            either: false,
        }))
    }

    /// Points with these features and a number as label. The usual one is as large as it may be, on the side where the loss is steeper;
    /// without a bound, so large that the model never gets there.
    fn with_numbers(self, statement: &Statement) -> Self {
        let e = statement.learner.loss.conjugate();
        let sign = if e.is_some_and(|e| -e.low > e.high) { -1.0 } else { 1.0 };
        let bound = statement.threat.label_bound.unwrap_or(f64::INFINITY);
        let usual = sign * bound.min(out_of_reach(statement));
        Region::Numbers { bound, usual, x: Box::new(self) }
    }

    /// From the upper triangle of Q, column by column.
    fn ellipsoid(packed: &[f64], dimension: usize) -> Result<Self, AttackError> {
        let entry = |i: usize, j: usize| packed[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)];
        let q = Mat::from_fn(dimension, dimension, entry);
        let factor = q.llt(Side::Lower).map_err(|_| {
            AttackError::Data("the matrix Q of the adversary's ellipsoid is not positive definite".to_owned())
        })?;
        let rows = |m: &Mat<f64>| -> Vec<Vec<f64>> {
            (0..dimension).map(|i| (0..dimension).map(|j| m[(i, j)]).collect()).collect()
        };
        Ok(Region::Ellipsoid { inverse: rows(&factor.inverse()), q: rows(&q) })
    }

    /// Refuses a point outside the set. `drawn` is nature's row, padded with zeros, if the adversary was given one.
    pub fn admit(&self, policy: &str, point: &[f64], drawn: Option<&[f64]>) -> Result<(), AttackError> {
        let refuse = |reason: String| Err(AttackError::Inadmissible { policy: policy.to_owned(), reason });
        if let Some(i) = point.iter().position(|z| !z.is_finite()) {
            return refuse(format!("entry {} is {}", i + 1, point[i]));
        }
        match self {
            Region::Ball { radius, centre } => {
                within(policy, squared_distance(point, centre.as_deref()), *radius)
            }
            Region::Features { radius, constant, column, either } => {
                let own = point[*column];
                let is = |x: f64| own.to_bits() == x.to_bits();
                let is_fixed = is(*constant) || *either && is(-constant);
                if !is_fixed {
                    let sign = if *either { "±" } else { "" };
                    return refuse(format!("entry {} is {own}, not {sign}{constant}", column + 1));
                }
                let others = point.iter().enumerate().filter(|(j, _)| j != column);
                within(policy, others.map(|(_, z)| z * z).sum(), *radius)
            }
            Region::Box { radii } => {
                let beyond = |(z, r): (&f64, &f64)| z.abs() > r * (1.0 + TOLERANCE);
                match point.iter().zip(radii).position(beyond) {
                    Some(j) => refuse(format!("entry {} is {}, beyond ±{}", j + 1, point[j], radii[j])),
                    None => Ok(()),
                }
            }
            Region::Ellipsoid { inverse, .. } => {
                let level = form(inverse, point);
                if level <= 1.0 + 2.0 * TOLERANCE {
                    Ok(())
                } else {
                    refuse(format!("zᵀQ⁻¹z is {level}, above 1"))
                }
            }
            Region::Points { points, dimension } => {
                let known = points.chunks_exact(*dimension).any(|p| p == point);
                if known {
                    Ok(())
                } else {
                    refuse(format!("it is none of the {} points", points.len() / dimension))
                }
            }
            Region::Labels => {
                let row = drawn.and_then(|row| row.get(..point.len())).unwrap_or_default();
                let is_flipped = point.iter().map(|z| -z).eq(row.iter().copied());
                if is_flipped || point == row {
                    return Ok(());
                }
                refuse("it is not the drawn row with one of the labels".to_owned())
            }
            Region::Any => Ok(()),
            Region::Classes { classes, radius } => {
                let label = point[0];
                if label < 0.0 || label >= *classes as f64 || label.fract() != 0.0 {
                    return refuse(format!("its label {label} is none of the {classes} classes"));
                }
                within(policy, dot(&point[1..], &point[1..]), *radius)
            }
            Region::Numbers { bound, x, .. } => {
                if point[0].abs() > bound * (1.0 + TOLERANCE) {
                    return refuse(format!("its label is {}, beyond ±{bound}", point[0]));
                }
                x.admit(policy, &point[1..], None)
            }
        }
    }

    /// Whether the adversary gets a row that nature drew.
    pub fn is_labels(&self) -> bool {
        matches!(self, Region::Labels)
    }

    /// Moves a point into the set: to the nearest point of a ball or a box, towards 0 into an ellipsoid. Other sets are left alone.
    pub fn bring_in(&self, z: &mut [f64]) {
        match self {
            Region::Ball { radius, .. } => shorten(z, *radius),
            Region::Features { radius, constant, column, either } => {
                let own = if *either && z[*column] < 0.0 { -constant } else { *constant };
                z[*column] = 0.0;
                shorten(z, *radius);
                z[*column] = own;
            }
            Region::Classes { radius, .. } => shorten(&mut z[1..], *radius),
            Region::Box { radii } => z.iter_mut().zip(radii).for_each(|(z, r)| *z = z.clamp(-r, *r)),
            Region::Ellipsoid { inverse, .. } => {
                let level = form(inverse, z);
                if level > 1.0 {
                    scale(z, 1.0 / level.sqrt());
                }
            }
            Region::Numbers { usual, x, .. } => {
                z[0] = *usual;
                x.bring_in(&mut z[1..]);
            }
            Region::Points { .. } | Region::Labels | Region::Any => {}
        }
    }

    /// The direction of steepest ascent for a linear function with the gradient g, in the metric in which [`Region::bring_in`] moves to
    /// the nearest point. Labels stay, and so do fixed entries.
    pub fn steepest(&self, g: &[f64]) -> Vec<f64> {
        match self {
            Region::Ellipsoid { q, .. } => q.iter().map(|row| dot(row, g)).collect(),
            Region::Features { column, .. } => {
                let mut along = g.to_vec();
                along[*column] = 0.0;
                along
            }
            Region::Classes { .. } => [&[0.0], &g[1..]].concat(),
            Region::Numbers { x, .. } => [vec![0.0], x.steepest(&g[1..])].concat(),
            _ => g.to_vec(),
        }
    }

    /// The point of a ball, box or ellipsoid, or with a fixed entry, that is farthest along g; of classes the x alone, the label is 0.
    pub fn farthest(&self, g: &[f64], out: &mut [f64]) {
        match self {
            Region::Box { radii } => {
                for ((out, g), r) in out.iter_mut().zip(g).zip(radii) {
                    *out = if *g == 0.0 { 0.0 } else { r * g.signum() };
                }
            }
            Region::Ellipsoid { q, .. } => {
                out.iter_mut().zip(q).for_each(|(out, q)| *out = dot(q, g));
                let length = dot(out, g).sqrt();
                scale(out, if length > 0.0 { 1.0 / length } else { 0.0 });
            }
            Region::Features { radius, constant, column, either } => {
                let mut along = g.to_vec();
                along[*column] = 0.0;
                point_along(&along, *radius, out);
                out[*column] = if *either && g[*column] < 0.0 { -constant } else { *constant };
            }
            Region::Classes { radius, .. } => {
                out[0] = 0.0;
                point_along(&g[1..], *radius, &mut out[1..]);
            }
            Region::Numbers { usual, x, .. } => {
                out[0] = *usual;
                x.farthest(&g[1..], &mut out[1..]);
            }
            Region::Ball { radius, .. } => point_along(g, *radius, out),
            Region::Points { .. } | Region::Labels | Region::Any => out.fill(0.0),
        }
    }
}

/// A label farther out than any prediction for a point of the set can be. Rows have norms of at most 1.
fn out_of_reach(statement: &Statement) -> f64 {
    let learner = &statement.learner;
    let reach = match &statement.threat.set {
        Set::Ball { radius } => *radius,
        Set::Features { radius, constant } => radius.hypot(*constant),
        Set::Box { radii } => dot(radii, radii).sqrt(),
        // The trace, where entry (j, j) has the place j(j+3)/2.
        Set::Ellipsoid { q } => (0..).map_while(|j: usize| q.get(j * (j + 3) / 2)).sum::<f64>().sqrt(),
        Set::Points { .. } | Set::LabelFlips | Set::Any => 1.0,
    };
    let steepest = learner.loss.steepest();
    let farthest = steepest * reach.max(1.0) / learner.regularization;
    let e = learner.loss.conjugate();
    let beyond = e.map_or(0.0, |e| e.tube + e.curve * steepest);
    2.0 * (1.0 + beyond + reach * farthest.min(learner.projection.unwrap_or(f64::INFINITY)))
}

fn within(policy: &str, squared: f64, radius: f64) -> Result<(), AttackError> {
    if squared <= (radius * (1.0 + TOLERANCE)).powi(2) {
        return Ok(());
    }
    Err(AttackError::OutsideSet { policy: policy.to_owned(), norm: squared.sqrt(), radius })
}

fn squared_distance(point: &[f64], centre: Option<&[f64]>) -> f64 {
    match centre {
        None => dot(point, point),
        Some(centre) => point.iter().zip(centre).map(|(z, c)| (z - c).powi(2)).sum(),
    }
}

/// zᵀMz.
fn form(m: &[Vec<f64>], z: &[f64]) -> f64 {
    m.iter().zip(z).map(|(row, z_i)| z_i * dot(row, z)).sum()
}

fn shorten(z: &mut [f64], length: f64) {
    let norm = dot(z, z).sqrt();
    if norm > length {
        scale(z, length / norm);
    }
}

fn point_along(g: &[f64], length: f64, out: &mut [f64]) {
    let norm = dot(g, g).sqrt();
    let scale = if norm > 0.0 { length / norm } else { 0.0 };
    out.iter_mut().zip(g).for_each(|(out, g)| *out = scale * g);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets() -> [Region; 5] {
        // Q = [[2, 0.5], [0.5, 1]].
        [
            Region::Ball { radius: 0.7, centre: None },
            Region::Features { radius: 0.7, constant: 0.4, column: 1, either: true },
            Region::Box { radii: vec![0.3, 2.0] },
            Region::ellipsoid(&[2.0, 0.5, 1.0], 2).unwrap(),
            Region::Classes { classes: 3, radius: 0.7 },
        ]
    }

    #[test]
    fn the_farthest_point_is_in_the_set_and_no_other_is_farther() {
        for region in sets() {
            let is_class = matches!(region, Region::Classes { .. });
            let lift = |x: [f64; 2]| if is_class { vec![0.0, x[0], x[1]] } else { x.to_vec() };
            let g = lift([0.4, -1.3]);
            let mut best = g.clone();
            region.farthest(&g, &mut best);
            region.admit("test", &best, None).unwrap();
            for i in 0..1000 {
                let angle = f64::from(i) * 0.01;
                let mut other = lift([3.0 * angle.cos(), 3.0 * angle.sin()]);
                region.bring_in(&mut other);
                region.admit("test", &other, None).unwrap();
                assert!(dot(&other, &g) <= dot(&best, &g) * (1.0 + 1e-9), "{region:?}");
            }
            scale(&mut best, 1.001);
            assert!(region.admit("test", &best, None).is_err());
        }
    }

    /// The entry that the learner appends is not the adversary's; its sign is, by the label, but not for regression.
    #[test]
    fn a_fixed_entry_stays_what_it_is() {
        let either = |either| Region::Features { radius: 0.7, constant: 0.4, column: 1, either };
        for entry in [0.4, -0.4] {
            assert!(either(true).admit("test", &[0.7, entry], None).is_ok());
        }
        assert!(either(true).admit("test", &[0.71, 0.4], None).is_err());
        assert!(either(true).admit("test", &[0.0, 0.399], None).is_err());
        assert!(either(false).admit("test", &[0.7, -0.4], None).is_err());
        let mut point = [3.0, -5.0];
        either(false).bring_in(&mut point);
        assert!((point[0] - 0.7).abs() < 1e-12 && (point[1] - 0.4).abs() < 1e-300);
        assert!(either(true).steepest(&[2.0, 3.0])[1].abs() < 1e-300);
    }

    #[test]
    fn a_flat_ellipsoid_is_refused() {
        assert!(Region::ellipsoid(&[1.0, 1.0, 1.0], 2).is_err());
    }
}
