//! Symmetric matrices of binary64 numbers: the upper triangle, column by column.

use dashu_int::IBig;

use crate::exact::{Dyadic, ExactSum, common_integers};

/// The entry (i, j) of a symmetric matrix whose upper triangle is stored column by column.
pub(crate) fn entry(a: &[f64], i: usize, j: usize) -> f64 {
    let (i, j) = if i <= j { (i, j) } else { (j, i) };
    a[j * (j + 1) / 2 + i]
}

/// Ax.
pub(crate) fn times(a: &[f64], x: &[f64]) -> Vec<Dyadic> {
    let mut sum = ExactSum::new();
    let product = |i| {
        for (j, &x) in x.iter().enumerate() {
            sum.add([entry(a, i, j), x]);
        }
        sum.take()
    };
    (0..x.len()).map(product).collect()
}

/// Whether A − shift·I is positive definite, or shift·I − A if it is `turned`.
pub(crate) fn is_definite(a: &[f64], d: usize, shift: f64, turned: bool) -> bool {
    let mut entries = Vec::with_capacity(d * d);
    for i in 0..d {
        for j in 0..d {
            let x = Dyadic::new(entry(a, i, j));
            let x = if i == j { x - Dyadic::new(shift) } else { x };
            entries.push(if turned { Dyadic::zero() - x } else { x });
        }
    }
    is_positive(&entries, d)
}

/// Whether the symmetric matrix with these entries (i, j), j ≤ i, is positive definite.
pub(crate) fn is_definite_by(d: usize, entry: impl Fn(usize, usize) -> Dyadic) -> bool {
    let mut entries = vec![Dyadic::zero(); d * d];
    for i in 0..d {
        for j in 0..=i {
            entries[i * d + j] = entry(i, j);
        }
    }
    is_positive(&entries, d)
}

/// Whether a symmetric matrix is positive definite, from its lower triangle: in binary64 where that leaves no doubt.
fn is_positive(entries: &[Dyadic], d: usize) -> bool {
    is_clearly_positive(entries, d) || has_positive_minors(common_integers(entries), d)
}

/// Sums of absolute values for which no underflow comes near the errors that are allowed for.
const ORDINARY: std::ops::Range<f64> = 1e-90..1e90;

/// Lemma G1: whether Cholesky's factorization in binary64 ends for the rounded matrix less c on its diagonal, c being more than all
/// rounding errors together.
fn is_clearly_positive(entries: &[Dyadic], d: usize) -> bool {
    let mut a: Vec<f64> = entries.iter().map(Dyadic::nearest).collect();
    let sum: f64 = (0..d).flat_map(|i| &a[i * d..=i * d + i]).map(|x| 2.0 * x.abs()).sum();
    if !ORDINARY.contains(&sum) {
        return false;
    }
    let c = 8.0 * (d + 8) as f64 * f64::EPSILON * sum;
    for i in 0..d {
        for j in 0..=i {
            let product: f64 = (0..j).map(|k| a[i * d + k] * a[j * d + k]).sum();
            if i > j {
                a[i * d + j] = (a[i * d + j] - product) / a[j * d + j];
            } else {
                let rest = a[i * d + i] - c - product;
                if rest.is_nan() || rest <= 0.0 {
                    return false;
                }
                a[i * d + i] = rest.sqrt();
            }
        }
    }
    true
}

/// Sylvester's criterion by Bareiss' elimination, which stays within the integers: after step k the entry (k+1, k+1) is the
/// leading minor of order k+2. Only the lower triangle is used.
fn has_positive_minors(mut a: Vec<IBig>, d: usize) -> bool {
    let mut previous = IBig::ONE;
    for k in 0..d {
        let pivot = a[k * d + k].clone();
        if pivot <= IBig::ZERO {
            return false;
        }
        for i in k + 1..d {
            for j in k + 1..=i {
                let product = &a[i * d + j] * &pivot - &a[i * d + k] * &a[j * d + k];
                a[i * d + j] = product / &previous;
            }
        }
        previous = pivot;
    }
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The determinant by expansion along the first row.
    fn determinant(a: &[Vec<i64>]) -> i64 {
        if a.is_empty() {
            return 1;
        }
        let minor = |j: usize| {
            let rest = a[1..].iter();
            rest.map(|row| [&row[..j], &row[j + 1..]].concat()).collect::<Vec<_>>()
        };
        let sign = |j: usize| if j.is_multiple_of(2) { 1 } else { -1 };
        (0..a.len()).map(|j| sign(j) * a[0][j] * determinant(&minor(j))).sum()
    }

    proptest! {
        #[test]
        fn the_elimination_agrees_with_the_minors(d in 1_usize..=4, x in prop::collection::vec(-6_i64..=9, 10)) {
            let entry = |i: usize, j: usize| {
                let (low, high) = (i.min(j), i.max(j));
                x[high * (high + 1) / 2 + low] + if i == j { 4 } else { 0 }
            };
            let full: Vec<Vec<i64>> = (0..d).map(|i| (0..d).map(|j| entry(i, j)).collect()).collect();
            let leading = |k: usize| full[..k].iter().map(|row| row[..k].to_vec()).collect::<Vec<_>>();
            let expected = (1..=d).all(|k| determinant(&leading(k)) > 0);
            let flat = full.concat().into_iter().map(IBig::from).collect();
            prop_assert_eq!(has_positive_minors(flat, d), expected);
            let entries: Vec<Dyadic> = full.concat().into_iter().map(|x| Dyadic::new(x as f64)).collect();
            prop_assert_eq!(is_positive(&entries, d), expected);
            // Integers this small leave no doubt.
            prop_assert_eq!(is_clearly_positive(&entries, d), expected);
        }

        /// At the edge of what is definite, and a little to both sides, the factorization never says yes where elimination says no.
        #[test]
        fn the_factorization_is_never_wrong(
            (d, b) in (1_usize..=8).prop_flat_map(|d| (Just(d), prop::collection::vec(-1.0..1.0_f64, d * d))),
            shift in -60_i32..=-20,
            above in any::<bool>(),
        ) {
            // BBᵀ without its last column has the eigenvalue 0.
            let product = |i: usize, j: usize| -> Dyadic {
                let terms = (0..d - 1).map(|k| Dyadic::new(b[i * d + k]) * Dyadic::new(b[j * d + k]));
                terms.fold(Dyadic::zero(), |sum, x| sum + x)
            };
            let moved = Dyadic::new(2.0_f64.powi(shift));
            let entry = |i: usize, j: usize| match i == j {
                true if above => product(i, j) + moved.clone(),
                true => product(i, j) - moved.clone(),
                false => product(i, j),
            };
            let entries: Vec<Dyadic> = (0..d * d).map(|at| entry(at / d, at % d)).collect();
            let exact = has_positive_minors(common_integers(&entries), d);
            prop_assert_eq!(exact, above);
            prop_assert!(!is_clearly_positive(&entries, d) || exact);
            // And it does say yes where the least eigenvalue is well above rounding.
            prop_assert!(!above || shift < -34 || is_clearly_positive(&entries, d));
        }
    }
}
