//! The right singular vectors of a matrix with the largest singular values.

use faer::Mat;
use faer::mat::MatRef;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;

/// Up to this size of the shorter side the whole decomposition is computed.
const SMALL: usize = 400;
/// Directions in the random block beyond those wanted.
const OVERSAMPLING: usize = 10;
/// Rounds of the iteration, at most.
const MOST_ROUNDS: usize = 200;
/// The iteration ends when no wanted singular value changes by more than this, relative to the largest, twice in a row.
const TOLERANCE: f64 = 1e-13;

/// The top right singular vectors of the rows, one after the other, each with its largest entry positive.
///
/// Small matrices: the whole decomposition. Large ones: a random block, multiplied by FᵀF and orthonormalised again and again
/// (randomised subspace iteration), which costs a few passes over the rows.
pub(super) fn right_singular_vectors(rows: &[f64], columns: usize, count: usize) -> Vec<f64> {
    let f = MatRef::from_row_major_slice(rows, rows.len() / columns, columns);
    let found = if f.nrows().min(columns) <= SMALL { whole(f) } else { None };
    let vectors = found.unwrap_or_else(|| iterated(f, count));
    let mut flat = Vec::with_capacity(count * columns);
    for j in 0..count {
        let column: Vec<f64> = (0..columns).map(|i| vectors[(i, j)]).collect();
        let largest = column.iter().copied().fold(0.0, |a: f64, b| if b.abs() > a.abs() { b } else { a });
        flat.extend(column.iter().map(|x| if largest < 0.0 { -x } else { *x }));
    }
    flat
}

fn whole(f: MatRef<'_, f64>) -> Option<Mat<f64>> {
    f.thin_svd().ok().map(|svd| svd.V().to_owned())
}

fn iterated(f: MatRef<'_, f64>, count: usize) -> Mat<f64> {
    let block = (count + OVERSAMPLING).min(f.ncols()).min(f.nrows());
    let mut random = Pcg64Mcg::seed_from_u64(0);
    let mut q: Mat<f64> = Mat::from_fn(f.ncols(), block, |_, _| StandardNormal.sample(&mut random));
    let (mut before, mut quiet) = (vec![0.0; count], 0);
    for _ in 0..MOST_ROUNDS {
        let basis = q.qr().compute_thin_Q();
        let image = f * &basis;
        // The best directions within the block, and how long their images are.
        let Ok(small) = image.thin_svd() else { return basis };
        let values: Vec<f64> = (0..count).map(|j| small.S()[j]).collect();
        q = &basis * small.V();
        let change = values.iter().zip(&before).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        quiet = if change <= TOLERANCE * values[0] { quiet + 1 } else { 0 };
        if quiet == 2 {
            break;
        }
        before = values;
        q = f.transpose() * (f * &q);
    }
    q
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_iteration_finds_what_the_whole_decomposition_finds() {
        let (n, p, count) = (500, 450, 12);
        let mut random = Pcg64Mcg::seed_from_u64(7);
        let rows: Vec<f64> = (0..n * p)
            .map(|i| {
                let noise: f64 = StandardNormal.sample(&mut random);
                noise * 0.8f64.powf((i % p) as f64)
            })
            .collect();
        let f = MatRef::from_row_major_slice(&rows, n, p);
        let (a, b) = (whole(f).unwrap(), iterated(f, count));
        for j in 0..count {
            let cosine: f64 = (0..p).map(|i| a[(i, j)] * b[(i, j)]).sum();
            assert!((cosine.abs() - 1.0).abs() < 1e-9, "direction {j}: {cosine}");
        }
    }
}
