//! The adversary's sets, as the program sees them (Section 4 of `docs/theory.md`).

use faer::{Mat, Side};
use unswayed_check::{Learner, Loss, PoisonWeight, Set, Statement};

/// How the adversary's point enters a case.
#[derive(Clone, Debug)]
pub(super) enum PointSet {
    /// Any point of a symmetric set.
    Symmetric(Symmetric),
    /// This point.
    Point(Vec<f64>),
    /// Together with the rows.
    Nothing,
}

/// w·zᵀx ≤ ½(w²t + Σ (span_j/τ_j) x_j²) with t = Σ price·τ: Lemma L7 in coordinates where N is diagonal.
#[derive(Clone, Debug)]
pub(super) struct Symmetric {
    /// An upper bound on ‖g‖².
    pub(super) squared: f64,
    /// For each τ, its factor in t. There is one τ for all coordinates, or one for each.
    pub(super) price: Vec<f64>,
    /// For each coordinate, its factor in N.
    pub(super) span: Vec<f64>,
    /// The coordinates: the rows of an orthogonal matrix, or those of θ.
    pub(super) axes: Option<Mat<f64>>,
    /// ν costs so much.
    pub(super) terms: f64,
    /// τ in a file over τ here.
    pub(super) unit: f64,
    /// The entry of the unregularized column, where it is fixed. Its span is 0.
    pub(super) fixed: Option<Fixed>,
}

/// The entry of the unregularized column.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fixed {
    /// c₀ or −c₀, whichever is worse (Lemma I1).
    Either(f64),
    /// This, for the points of one class (Lemma I2).
    Class(f64),
}

impl Fixed {
    fn scaled(self, factor: f64) -> Self {
        match self {
            Fixed::Either(constant) => Fixed::Either(constant * factor),
            Fixed::Class(constant) => Fixed::Class(constant * factor),
        }
    }
}

impl Symmetric {
    fn new(squared: f64, price: Vec<f64>, span: Vec<f64>) -> Self {
        Symmetric { squared, price, span, axes: None, terms: 1.0, unit: 1.0, fixed: None }
    }

    fn ball(radius: f64, parameters: usize) -> Self {
        Symmetric::new(radius * radius, vec![radius], vec![radius; parameters])
    }

    /// The ball of the regularized columns, with a fixed entry besides.
    fn features(radius: f64, fixed: Fixed, learner: &Learner, parameters: usize) -> Self {
        let (Fixed::Either(constant) | Fixed::Class(constant)) = fixed;
        let k = 1.0 - learner.learning_rate * learner.regularization;
        let mut set = Symmetric::ball(radius, parameters);
        learner.unregularized.iter().for_each(|j| set.span[*j] = 0.0);
        Symmetric { squared: set.squared + k * constant * constant, fixed: Some(fixed), ..set }
    }

    /// For points with a step weight of at most so much: their steps are those of a set that is so much larger (Lemma W1).
    fn weighted(self, weight: f64) -> Self {
        // A file has τ of √(xᵀQx), where Q counts the square; otherwise of R‖x‖.
        let (price, span) = if self.axes.is_some() { (1.0, weight * weight) } else { (weight, weight) };
        Symmetric {
            squared: self.squared * weight * weight,
            price: self.price.iter().map(|p| p * price).collect(),
            span: self.span.iter().map(|s| s * span).collect(),
            terms: self.terms * weight,
            fixed: self.fixed.map(|fixed| fixed.scaled(weight)),
            ..self
        }
    }

    /// The place of coordinate j's τ.
    pub(super) fn tau_of(&self, j: usize) -> usize {
        if self.price.len() == 1 { 0 } else { j }
    }

    /// A vector in the set's coordinates.
    pub(super) fn turn(&self, v: &[f64]) -> Vec<f64> {
        match &self.axes {
            None => v.to_vec(),
            Some(axes) => {
                (0..axes.nrows()).map(|i| (0..v.len()).map(|j| axes[(i, j)] * v[j]).sum()).collect()
            }
        }
    }

    /// And back.
    pub(super) fn turn_back(&self, v: &[f64]) -> Vec<f64> {
        match &self.axes {
            None => v.to_vec(),
            Some(axes) => {
                (0..axes.ncols()).map(|j| (0..v.len()).map(|i| axes[(i, j)] * v[i]).sum()).collect()
            }
        }
    }
}

/// The parts of a set: one, the points of a finite set, or the labels if each is to be a part of its own. `None` if there is no program for it.
pub(super) fn parts(statement: &Statement, parameters: usize, by_class: bool) -> Option<Vec<PointSet>> {
    if let (Loss::Multiclass(classes), Set::Ball { radius }) = (statement.learner.loss, &statement.threat.set)
    {
        return Some(if by_class {
            (0..classes).map(|y| PointSet::Symmetric(label(classes, y, *radius, parameters))).collect()
        } else {
            vec![PointSet::Symmetric(labels_together(classes, *radius, parameters))]
        });
    }
    let clip = statement.learner.clip.unwrap_or(f64::INFINITY);
    if let (Set::Features { radius, constant }, Some(PoisonWeight::ByClass(weights))) =
        (&statement.threat.set, statement.threat.poison_weight)
    {
        let class = |constant: f64, weight: f64| {
            let set = Symmetric::features(*radius, Fixed::Class(constant), &statement.learner, parameters);
            PointSet::Symmetric(set.weighted(weight))
        };
        return Some(vec![class(-constant, weights.negative), class(*constant, weights.positive)]);
    }
    let weight = statement.threat.poison_weight.map_or(1.0, PoisonWeight::largest);
    let symmetric = match &statement.threat.set {
        Set::Ball { radius } => Symmetric::ball(radius.min(clip), parameters),
        Set::Features { radius, constant } => {
            Symmetric::features(*radius, Fixed::Either(*constant), &statement.learner, parameters)
        }
        Set::Any if clip.is_finite() => Symmetric::ball(clip, parameters),
        Set::Box { radii } => Symmetric::new(radii.iter().map(|r| r * r).sum(), radii.clone(), radii.clone()),
        Set::Ellipsoid { q } => ellipsoid(q, parameters)?,
        Set::Points { points } => {
            return Some(points.chunks_exact(parameters).map(|a| PointSet::Point(a.to_vec())).collect());
        }
        Set::LabelFlips => return Some(vec![PointSet::Nothing]),
        Set::Any => return None,
    };
    Some(vec![PointSet::Symmetric(symmetric.weighted(weight))])
}

/// The largest norm of a point; 0 where points are rows.
pub(super) fn longest(statement: &Statement, dimension: usize) -> f64 {
    let squared = match &statement.threat.set {
        Set::Ball { radius } => radius * radius,
        Set::Features { radius, constant } => radius * radius + constant * constant,
        Set::Box { radii } => radii.iter().map(|r| r * r).sum(),
        Set::Ellipsoid { q } => ellipsoid(q, dimension).map_or(0.0, |set| set.squared),
        Set::Points { points } => {
            points.chunks(dimension.max(1)).map(|a| a.iter().map(|a| a * a).sum()).fold(0.0, f64::max)
        }
        Set::LabelFlips => 0.0,
        Set::Any => f64::INFINITY,
    };
    squared.sqrt() * statement.threat.poison_weight.map_or(1.0, PoisonWeight::largest)
}

/// The program's Q is this much larger than Q, so that its solution has room for ω and for rounding.
const ROOM: f64 = 1.0 + 1e-7;

/// ω over the largest eigenvalue of the program's Q: still above that of Q, below what the program allows for.
pub(super) const OUTSIDE: f64 = 1.0 - 5e-8;

/// zᵀQ⁻¹z ≤ 1 for a packed Q.
fn ellipsoid(q: &[f64], dimension: usize) -> Option<Symmetric> {
    let at = |i: usize, j: usize| {
        let (i, j) = if i <= j { (i, j) } else { (j, i) };
        q.get(j * (j + 1) / 2 + i).copied().unwrap_or(f64::NAN)
    };
    let matrix = Mat::from_fn(dimension, dimension, at);
    let eigen = matrix.self_adjoint_eigen(Side::Lower).ok()?;
    let span: Vec<f64> = (0..dimension).map(|j| eigen.S()[j] * ROOM).collect();
    let largest = span.iter().copied().fold(0.0, f64::max);
    let axes = Some(eigen.U().transpose().to_owned());
    // A file has τ of √(xᵀQx) ≤ ½(τ + xᵀQx/τ).
    Some(Symmetric { axes, ..Symmetric::new(largest, vec![1.0], span) })
}

/// Lemma L11 (c). Files have τ/Γ, so that no root is needed.
fn labels_together(classes: usize, radius: f64, parameters: usize) -> Symmetric {
    let terms = (classes - 1) as f64;
    let gamma = (classes as f64 * terms).sqrt() * radius;
    Symmetric { terms, unit: 1.0 / gamma, ..Symmetric::ball(gamma, parameters) }
}

/// Lemma L11 (d): along c_y = Ke_y − 1, along what is 0 at y and has sum 0, and along 1.
fn label(classes: usize, y: usize, radius: f64, parameters: usize) -> Symmetric {
    let (d, k) = (parameters / classes, classes as f64);
    let basis = class_basis(classes, y);
    let span_of = |m: usize| match m {
        0 => 0.0,
        1 => radius * k * (k - 1.0),
        _ => radius * (k - 1.0) / 2.0,
    };
    let axes =
        Mat::from_fn(parameters, parameters, |i, j| if i % d == j % d { basis[i / d][j / d] } else { 0.0 });
    Symmetric {
        squared: k * (k - 1.0) * radius * radius,
        price: vec![radius],
        span: (0..parameters).map(|i| span_of(i / d)).collect(),
        axes: Some(axes),
        terms: k - 1.0,
        unit: 1.0,
        fixed: None,
    }
}

/// An orthonormal basis of R^K: 1, c_y, and the rest by the steps of Helmert's matrix over the other labels.
fn class_basis(classes: usize, y: usize) -> Vec<Vec<f64>> {
    let unit = |v: Vec<f64>| {
        let norm = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        v.into_iter().map(|x| x / norm).collect::<Vec<f64>>()
    };
    let others: Vec<usize> = (0..classes).filter(|j| *j != y).collect();
    let mut basis = vec![unit(vec![1.0; classes])];
    basis.push(unit((0..classes).map(|j| if j == y { classes as f64 - 1.0 } else { -1.0 }).collect()));
    for m in 1..others.len() {
        let mut v = vec![0.0; classes];
        others[..m].iter().for_each(|j| v[*j] = 1.0);
        v[others[m]] = -(m as f64);
        basis.push(unit(v));
    }
    basis
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The basis is orthonormal, and in it M_y of Lemma L11 has the spans on its diagonal.
    #[test]
    fn the_basis_of_a_label() {
        for (classes, y) in [(2, 1), (3, 0), (5, 3)] {
            let (basis, k) = (class_basis(classes, y), classes as f64);
            let set = label(classes, y, 1.0, classes);
            let c: Vec<f64> = (0..classes).map(|j| if j == y { k - 1.0 } else { -1.0 }).collect();
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            for (i, a) in basis.iter().enumerate() {
                for (j, b) in basis.iter().enumerate() {
                    assert!((dot(a, b) - f64::from(u8::from(i == j))).abs() < 1e-12);
                }
                // M_y a = c(cᵀa) + ½(K−1)Πa, Π onto what is 0 at y and has sum 0.
                let mean = (a.iter().sum::<f64>() - a[y]) / (k - 1.0);
                let inner: f64 = (0..classes).filter(|j| *j != y).map(|j| (a[j] - mean).powi(2)).sum();
                let value = dot(&c, a).powi(2) + (k - 1.0) / 2.0 * inner;
                assert!((value - set.span[i]).abs() < 1e-9, "{classes} {y} {i}: {value} {}", set.span[i]);
            }
        }
    }
}
