//! Dense linear algebra with the same results on every machine, to the last bit: certificates that are made in a browser are
//! those of the command.
//!
//! Each entry of a result is one sum in one order, and each product is rounded before it is added. So a vector unit may work on
//! as many entries at a time as it likes. Rows are contiguous everywhere, blocks fit a cache.

use std::ops::{Index, IndexMut};

/// Rows and columns of a product that are held in registers.
const HIGH: usize = 4;
pub(crate) const WIDE: usize = 8;
/// Rows of a product that are taken together.
const TALL: usize = 32;

/// Rows that are eliminated before the others learn of it.
const PANEL: usize = 32;

/// Columns of a system up to which it is solved to the same bits on every machine: those of 64 columns of data and of a few numbers more.
const MOST_SAME: usize = 72;

/// A matrix, row after row.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    pub(super) columns: usize,
    pub(super) values: Vec<f64>,
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;

    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.values[i * self.columns + j]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.values[i * self.columns + j]
    }
}

impl Matrix {
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Matrix { columns, values: vec![0.0; rows * columns] }
    }

    pub fn from_fn(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let values = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
        Matrix { columns, values: values.map(|(i, j)| entry(i, j)).collect() }
    }

    pub fn rows(&self) -> usize {
        self.values.len().checked_div(self.columns).unwrap_or(0)
    }

    /// self + other.
    pub fn plus(mut self, other: &Matrix) -> Matrix {
        self.values.iter_mut().zip(&other.values).for_each(|(a, b)| *a += b);
        self
    }

    /// self += aᵀb, where `a` has as many columns as this has rows; both are given row after row. The first [`WIDE`] columns are
    /// anything. Each [`padded`] number of columns after them is a symmetric product, of which only the upper triangle is right.
    #[inline(always)]
    pub fn add_gram(&mut self, a: &[f64], b: &[f64]) {
        let (p, q) = (self.rows(), self.columns);
        for (a, b) in a.chunks(p * TALL).zip(b.chunks(q * TALL)) {
            for i in (0..p).step_by(HIGH) {
                let mut add = |j: usize| match p - i {
                    1 => add_block::<1>(a, (p, i), b, (q, j), &mut self.values, q),
                    2 => add_block::<2>(a, (p, i), b, (q, j), &mut self.values, q),
                    3 => add_block::<3>(a, (p, i), b, (q, j), &mut self.values, q),
                    _ => add_block::<HIGH>(a, (p, i), b, (q, j), &mut self.values, q),
                };
                add(0);
                for first in (WIDE..q).step_by(padded(p)) {
                    (first + i / WIDE * WIDE..first + padded(p)).step_by(WIDE).for_each(&mut add);
                }
            }
        }
    }

    /// self += aᵀb.
    pub fn add_product_of(&mut self, a: &Matrix, b: &Matrix) {
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || {
                let (rows, columns) = (self.rows(), self.columns);
                add_product(&a.values, rows, &b.values, columns, &mut self.values, columns);
            },
        );
    }

    /// self += aᵀb, a symmetric product, of which only the upper triangle is right.
    pub fn add_symmetric_product_of(&mut self, a: &Matrix, b: &Matrix) {
        #[cfg(feature = "general")]
        if self.columns > MOST_SAME {
            return super::dense_large::add_symmetric(self, a, b);
        }
        self.add_product_of(a, b);
    }

    /// self·x.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        self.values.chunks_exact(self.columns).map(|row| super::dot(row, x)).collect()
    }

    /// selfᵀx.
    pub fn transposed_times(&self, x: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.columns];
        for (row, x) in self.values.chunks_exact(self.columns).zip(x) {
            axpy(*x, row, &mut sum);
        }
        sum
    }
}

/// The width that a product of so many columns has, so that it is a whole number of blocks.
pub(crate) fn padded(columns: usize) -> usize {
    columns.next_multiple_of(WIDE)
}

/// A positive definite matrix as UᵀU, where U is an upper triangle.
struct Upper(Matrix);

/// The factors of a positive definite matrix.
pub(crate) struct Cholesky(Factors);

enum Factors {
    Same(Upper),
    #[cfg(feature = "general")]
    Large(super::dense_large::Factors),
}

impl Cholesky {
    /// Factorises a symmetric matrix, of which the upper triangle is read; `None` if it is not positive definite.
    pub fn new(mut matrix: Matrix) -> Option<Cholesky> {
        #[cfg(feature = "general")]
        if matrix.columns > MOST_SAME {
            return super::dense_large::Factors::new(&matrix)
                .map(|factors| Cholesky(Factors::Large(factors)));
        }
        let done = pulp::Arch::new().dispatch(
            #[inline(always)]
            || factorise(&mut matrix),
        );
        done.then_some(Cholesky(Factors::Same(Upper(matrix))))
    }

    /// The solution of a system with several right sides, the columns of a matrix.
    pub fn solve(&self, mut right: Matrix) -> Matrix {
        match &self.0 {
            Factors::Same(upper) => pulp::Arch::new().dispatch(
                #[inline(always)]
                || {
                    upper.forward(&mut right);
                    upper.backward(&mut right);
                },
            ),
            #[cfg(feature = "general")]
            Factors::Large(factors) => factors.solve(&mut right),
        }
        right
    }

    /// The solution for one right side.
    pub fn solve_one(&self, right: Vec<f64>) -> Vec<f64> {
        self.solve(Matrix { columns: 1, values: right }).values
    }
}

impl Upper {
    /// Solves Uᵀy = b in place.
    #[inline(always)]
    fn forward(&self, y: &mut Matrix) {
        let (u, n, m) = (&self.0, self.0.columns, y.columns);
        for first in (0..n).step_by(PANEL) {
            let end = (first + PANEL).min(n);
            for k in first..end {
                let (done, rest) = y.values.split_at_mut((k + 1) * m);
                let row = &mut done[k * m..];
                for y in row.iter_mut() {
                    *y /= u[(k, k)];
                }
                for (i, other) in (k + 1..end).zip(rest.chunks_exact_mut(m)) {
                    axpy(-u[(k, i)], row, other);
                }
            }
            let panel = u.negative_panel(first..end, end);
            let (done, rest) = y.values.split_at_mut(end * m);
            add_product(&panel, n - end, &done[first * m..], m, rest, m);
        }
    }

    /// Solves Ux = y in place.
    #[inline(always)]
    fn backward(&self, x: &mut Matrix) {
        let (u, n, m) = (&self.0, self.0.columns, x.columns);
        for first in (0..n).step_by(PANEL).rev() {
            let end = (first + PANEL).min(n);
            for k in (first..end).rev() {
                let (before, from) = x.values.split_at_mut(k * m);
                let row = &mut from[..m];
                for x in row.iter_mut() {
                    *x /= u[(k, k)];
                }
                for (i, other) in (first..k).zip(before[first * m..].chunks_exact_mut(m)) {
                    axpy(-u[(i, k)], row, other);
                }
            }
            let panel: Vec<f64> = (first..end).flat_map(|k| (0..first).map(move |i| -u[(i, k)])).collect();
            let (before, from) = x.values.split_at_mut(first * m);
            add_product(&panel, first, &from[..(end - first) * m], m, before, m);
        }
    }
}

impl Matrix {
    /// Minus the entries of some rows from a column on, row after row.
    #[inline(always)]
    fn negative_panel(&self, rows: std::ops::Range<usize>, from: usize) -> Vec<f64> {
        let part = |k: usize| self.values[k * self.columns + from..(k + 1) * self.columns].iter();
        rows.flat_map(|k| part(k).map(|u| -u)).collect()
    }
}

/// Turns the upper triangle of a symmetric matrix into U; false if a pivot is not positive.
#[inline(always)]
fn factorise(a: &mut Matrix) -> bool {
    let n = a.columns;
    for first in (0..n).step_by(PANEL) {
        let end = (first + PANEL).min(n);
        for k in first..end {
            let pivot = a[(k, k)];
            if pivot.is_nan() || pivot <= 0.0 || pivot.is_infinite() {
                return false;
            }
            let root = pivot.sqrt();
            let (done, rest) = a.values.split_at_mut((k + 1) * n);
            let row = &mut done[k * n..];
            row[k] = root;
            row[k + 1..].iter_mut().for_each(|u| *u /= root);
            for (i, other) in (k + 1..end).zip(rest.chunks_exact_mut(n)) {
                axpy(-row[i], &row[i..], &mut other[i..]);
            }
        }
        let panel = a.negative_panel(first..end, end);
        // Blocks below the diagonal are computed too, where a block of the product has part of it; nobody reads them.
        for top in (end..n).step_by(PANEL) {
            let (high, wide) = (PANEL.min(n - top), n - top);
            let part = |k: usize, width: usize| &panel[k * (n - end) + top - end..][..width];
            let left: Vec<f64> = (0..end - first).flat_map(|k| part(k, high)).copied().collect();
            let right: Vec<f64> = (0..end - first).flat_map(|k| part(k, wide)).map(|u| -u).collect();
            add_product(&left, high, &right, wide, &mut a.values[top * n + top..], n);
        }
    }
    true
}

/// c += aᵀb for rows of length p and q, where rows of c are `stride` apart.
#[inline(always)]
fn add_product(a: &[f64], p: usize, b: &[f64], q: usize, c: &mut [f64], stride: usize) {
    if p == 0 || q == 0 {
        return;
    }
    let (high, wide) = (p - p % HIGH, q - q % WIDE);
    // Some rows at a time, so that they stay in the cache; each sum takes them in the same order.
    for (a, b) in a.chunks(p * TALL).zip(b.chunks(q * TALL)) {
        for i in (0..high).step_by(HIGH) {
            for j in (0..wide).step_by(WIDE) {
                add_block::<HIGH>(a, (p, i), b, (q, j), c, stride);
            }
        }
    }
    // What is left at the right, and at the bottom.
    for (a, b) in a.chunks_exact(p).zip(b.chunks_exact(q)) {
        for (i, a) in a.iter().enumerate() {
            let from = if i < high { wide } else { 0 };
            axpy(*a, &b[from..], &mut c[i * stride + from..][..q - from]);
        }
    }
}

/// One block of the product, held in registers.
#[inline(always)]
fn add_block<const H: usize>(
    a: &[f64],
    (p, i): (usize, usize),
    b: &[f64],
    (q, j): (usize, usize),
    c: &mut [f64],
    stride: usize,
) {
    let mut sums = [[0.0; WIDE]; H];
    for (r, sums) in sums.iter_mut().enumerate() {
        sums.copy_from_slice(&c[(i + r) * stride + j..][..WIDE]);
    }
    for (a, b) in a.chunks_exact(p).zip(b.chunks_exact(q)) {
        let (a, b) = (&a[i..i + H], &b[j..j + WIDE]);
        for (sums, a) in sums.iter_mut().zip(a) {
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum += a * b;
            }
        }
    }
    for (r, sums) in sums.iter().enumerate() {
        c[(i + r) * stride + j..][..WIDE].copy_from_slice(sums);
    }
}

/// y += a·x.
#[inline(always)]
fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

/// √(x² + y²) without overflow, the same on every machine: libraries differ in the last bit of theirs.
pub(crate) fn hypot(x: f64, y: f64) -> f64 {
    let largest = x.abs().max(y.abs());
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    let (x, y) = (x / largest, y / largest);
    largest * (x * x + y * y).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fixed sequence of numbers in [−1, 1].
    fn entry(i: usize, j: usize) -> f64 {
        ((i * 131 + j * 71 + i * j * 37) % 1009) as f64 / 504.5 - 1.0
    }

    #[test]
    fn products_add_one_row_after_the_other_whatever_the_blocks() {
        for (n, p, q) in [(1, 1, 1), (5, 3, 7), (9, 4, 8), (70, 13, 29), (33, 41, 5)] {
            let (a, b) = (Matrix::from_fn(n, p, entry), Matrix::from_fn(n, q, |i, j| entry(j + 3, i)));
            let mut found = Matrix::from_fn(p, q, |i, j| entry(i, j + 9));
            let wanted = Matrix::from_fn(p, q, |i, j| {
                (0..n).fold(entry(i, j + 9), |sum, k| sum + a[(k, i)] * b[(k, j)])
            });
            found.add_product_of(&a, &b);
            assert_eq!(found.values, wanted.values, "{n} {p} {q}");
        }
    }

    /// The upper triangles of symmetric products, and the columns before them.
    #[test]
    fn grams_are_products_to_the_last_bit() {
        for (n, d) in [(1, 1), (5, 3), (9, 8), (70, 13), (33, 31), (40, 64)] {
            let (side, z) = (padded(d), Matrix::from_fn(n, d, entry));
            let width = WIDE + 2 * side;
            let weight = |i: usize, block: usize| entry(i + 7 * block, 3).abs();
            let b = Matrix::from_fn(n, width, |i, j| match j.checked_sub(WIDE) {
                None => entry(j, i),
                Some(j) if j % side < d => weight(i, j / side) * z[(i, j % side)],
                Some(_) => 0.0,
            });
            let mut found = Matrix::zeros(d, width);
            found.add_gram(&z.values, &b.values);
            let mut large = Matrix::zeros(d, width);
            super::super::dense_large::add_gram(&mut large, &z.values, &b.values);
            for (i, j) in (0..d).flat_map(|i| (0..width).map(move |j| (i, j))) {
                let is_upper = j.checked_sub(WIDE).is_none_or(|j| (i..d).contains(&(j % side)));
                let wanted = (0..n).fold(0.0, |sum, k| sum + z[(k, i)] * b[(k, j)]);
                if is_upper {
                    assert_eq!(found[(i, j)].to_bits(), f64::to_bits(wanted), "{n} {d}: {i} {j}");
                    assert!((large[(i, j)] - wanted).abs() < 1e-12, "{n} {d}: {i} {j}");
                }
            }
        }
    }

    #[test]
    fn systems_are_solved_and_the_factor_is_the_textbook_one_to_the_last_bit() {
        for n in [1, 2, 31, 32, 33, 64, 72, 73, 700] {
            let square = Matrix::from_fn(n, n, entry);
            let mut a = Matrix::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 });
            a.add_product_of(&square, &square);
            let cholesky = Cholesky::new(a.clone()).unwrap();
            let mut plain = a.clone();
            for k in 0..n {
                plain[(k, k)] = plain[(k, k)].sqrt();
                for j in k + 1..n {
                    plain[(k, j)] /= plain[(k, k)];
                }
                for i in k + 1..n {
                    for j in i..n {
                        plain[(i, j)] -= plain[(k, i)] * plain[(k, j)];
                    }
                }
            }
            let upper = |m: &Matrix| {
                (0..n).flat_map(|i| (i..n).map(move |j| (i, j))).map(|at| m[at]).collect::<Vec<_>>()
            };
            if let Factors::Same(found) = &cholesky.0 {
                assert_eq!(upper(&found.0), upper(&plain), "{n}");
            }
            assert_eq!(matches!(cholesky.0, Factors::Same(_)), n <= MOST_SAME);
            let x = Matrix::from_fn(n, 3, |i, j| entry(i, j + 5));
            let mut right = Matrix::zeros(n, 3);
            right.add_product_of(&a, &x);
            let mut again = Matrix::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 });
            again.add_symmetric_product_of(&square, &square);
            let near = |(a, b): (f64, f64)| (a - b).abs() < 1e-9;
            assert!(upper(&again).into_iter().zip(upper(&a)).all(near), "{n}");
            let solved = cholesky.solve(right.clone());
            let off = solved.values.iter().zip(&x.values).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-7, "{n}: {off}");
            let first = cholesky.solve_one((0..n).map(|i| right[(i, 0)]).collect());
            let near = |(i, x): (usize, &f64)| (x - solved[(i, 0)]).abs() < 1e-9;
            assert!(first.iter().enumerate().all(near), "{n}");
        }
    }

    #[test]
    fn what_is_not_positive_definite_has_no_factor() {
        let indefinite = Matrix::from_fn(2, 2, |i, j| if i == j { 1.0 } else { 2.0 });
        assert!(Cholesky::new(indefinite).is_none());
        assert!(Cholesky::new(Matrix::from_fn(1, 1, |_, _| f64::NAN)).is_none());
    }

    #[test]
    fn the_hypotenuse_neither_overflows_nor_vanishes() {
        for size in [1e-300, 1e-200, 1.0, 1e200, 1e300] {
            assert!((hypot(3.0 * size, -4.0 * size) / size - 5.0).abs() < 1e-14, "{size}");
        }
        assert!(hypot(0.0, 0.0).abs() < f64::MIN_POSITIVE);
        assert!(hypot(f64::INFINITY, 1.0).is_infinite());
    }
}
