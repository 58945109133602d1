//! The adversary's sets, as the program sees them (Section 3 of `docs/learners.md`).

use faer::{Mat, Side};
use unswayed_check::{Linear, Set};

/// How the adversary's point enters a case.
#[derive(Clone, Debug)]
pub(super) enum Reach {
    /// Any point of a symmetric set.
    Symmetric(Symmetric),
    /// This point.
    Point(Vec<f64>),
    /// Not at all, or together with the rows.
    Nothing,
}

/// w·zᵀx ≤ ½(w²t + Σ (span_j/τ_j) x_j²) with t = Σ price·τ: Lemma L7 in coordinates where N is diagonal.
#[derive(Clone, Debug)]
pub(super) struct Symmetric {
    /// An upper bound on ‖z‖².
    pub(super) squared: f64,
    /// For each τ, its factor in t. There is one τ for all coordinates, or one for each.
    pub(super) price: Vec<f64>,
    /// For each coordinate, its factor in N.
    pub(super) span: Vec<f64>,
}

impl Symmetric {
    /// The place of coordinate j's τ.
    pub(super) fn tau_of(&self, j: usize) -> usize {
        if self.price.len() == 1 { 0 } else { j }
    }
}

/// The coordinates in which the set is simple: the rows of an orthogonal matrix, or none for those of the data.
pub(super) type Axes = Option<Mat<f64>>;

/// The cases of a set, and the coordinates they are written in; `None` if the set is not supported.
pub(super) fn cases(learner: &Linear, dimension: usize) -> Option<(Vec<Reach>, Axes)> {
    let one = |symmetric: Symmetric| vec![Reach::Symmetric(symmetric)];
    Some(match &learner.set {
        _ if learner.poison_rate == 0.0 && learner.set != Set::Labels => (vec![Reach::Nothing], None),
        Set::Ball { radius } => {
            let (squared, span) = (radius * radius, vec![*radius; dimension]);
            (one(Symmetric { squared, price: vec![*radius], span }), None)
        }
        Set::Box { radii } => {
            let squared = radii.iter().map(|r| r * r).sum();
            (one(Symmetric { squared, price: radii.clone(), span: radii.clone() }), None)
        }
        Set::Ellipsoid { q } => {
            let (values, axes) = eigen(q, dimension)?;
            let values: Vec<f64> = values.iter().map(|q| q * ROOM).collect();
            let squared = values.iter().copied().fold(0.0, f64::max);
            (one(Symmetric { squared, price: vec![1.0], span: values }), Some(axes))
        }
        Set::Points { points } => {
            (points.chunks_exact(dimension).map(|a| Reach::Point(a.to_vec())).collect(), None)
        }
        Set::Labels => (vec![Reach::Nothing], None),
        Set::Any => return None,
    })
}

/// The program's Q is this much larger than Q, so that its solution has room for ω and for rounding.
const ROOM: f64 = 1.0 + 1e-7;

/// ω over the largest eigenvalue of the program's Q: still above that of Q, below what the program allows for.
pub(super) const OUTSIDE: f64 = 1.0 - 5e-8;

/// Eigenvalues of a packed symmetric matrix, and its eigenvectors as rows.
fn eigen(q: &[f64], dimension: usize) -> Option<(Vec<f64>, Mat<f64>)> {
    let at = |i: usize, j: usize| {
        let (i, j) = if i <= j { (i, j) } else { (j, i) };
        q.get(j * (j + 1) / 2 + i).copied().unwrap_or(f64::NAN)
    };
    let matrix = Mat::from_fn(dimension, dimension, at);
    let eigen = matrix.self_adjoint_eigen(Side::Lower).ok()?;
    let values: Vec<f64> = (0..dimension).map(|j| eigen.S()[j]).collect();
    Some((values, eigen.U().transpose().to_owned()))
}
