//! Sets for the adversary that are read off data: what a filter that lets all benign rows pass would also let pass.

use thiserror::Error;

use super::Dataset;

/// The ellipsoid is so much larger than needed, so that rounding leaves no row outside.
const ROOM: f64 = 1.0 + 1e-9;
/// A column of which less than this share (of its square) is left beside the columns before it is one of their sums, up to
/// rounding.
const FLAT: f64 = 1e-12;
/// How much the two halves of a symmetric matrix may differ by rounding.
const SYMMETRY: f64 = 1e-9;

/// Why something is no set of points.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SetError {
    /// Rows that lie in a plane, where an ellipsoid needs a volume.
    #[error(
        "the rows do not fill all {0} columns, so they give no ellipsoid; use fewer columns, or give the ellipsoid yourself"
    )]
    Flat(usize),
    /// A matrix that is not square.
    #[error("{file}the matrix has {rows} rows and {columns} columns; a square matrix Q is needed")]
    NotSquare {
        /// Where it is from, with a colon behind it.
        file: String,
        /// Its rows.
        rows: usize,
        /// Its columns.
        columns: usize,
    },
    /// A matrix that gives no ellipsoid.
    #[error("{0}the matrix is not symmetric and positive definite; zᵀQ⁻¹z ≤ 1 is then no ellipsoid")]
    NotAnEllipsoid(String),
    /// Radii of a box that are neither one nor one for each column.
    #[error("{found} radii for {columns} columns; give one for all, or one for each")]
    OtherRadii {
        /// The number of columns.
        columns: usize,
        /// The number of radii.
        found: usize,
    },
    /// A radius of a box that is negative or not finite.
    #[error("the radius {0} is not a number from 0 on")]
    NotARadius(f64),
}

/// The smallest box |z_j| ≤ R_j around the rows of all datasets: R.
///
/// ```
/// use unswayed::{Dataset, data::box_around};
/// let data = Dataset::from_rows(vec![0.5, -0.25, -0.75, 0.0], 2, None)?;
/// assert_eq!(box_around(&[&data]), [0.75, 0.25]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn box_around(data: &[&Dataset]) -> Vec<f64> {
    let mut radii = vec![0.0; dimension(data)];
    for row in rows(data) {
        radii.iter_mut().zip(row).for_each(|(radius, z): (&mut f64, &f64)| *radius = radius.max(z.abs()));
    }
    radii
}

/// The box with these radii: one for all columns, or one for each.
///
/// # Errors
///
/// Refuses radii that are too many or too few, negative, or not finite.
///
/// ```
/// use unswayed::data::box_of;
/// assert_eq!(box_of(vec![0.5], 3)?, [0.5; 3]);
/// assert!(box_of(vec![0.5, 1.0], 3).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn box_of(mut radii: Vec<f64>, columns: usize) -> Result<Vec<f64>, SetError> {
    if radii.len() == 1 {
        radii = vec![radii[0]; columns];
    }
    if radii.len() != columns {
        return Err(SetError::OtherRadii { columns, found: radii.len() });
    }
    match radii.iter().find(|radius| !(**radius >= 0.0 && radius.is_finite())) {
        Some(radius) => Err(SetError::NotARadius(*radius)),
        None => Ok(radii),
    }
}

/// The ellipsoid zᵀQ⁻¹z ≤ 1 of the Mahalanobis filter that lets the rows of all datasets pass: Q is the matrix S of their second
/// moments times the largest zᵀS⁻¹z of a row. Returns the upper triangle of Q, column by column.
///
/// # Errors
///
/// Refuses rows that lie in a plane, so that S cannot be inverted.
///
/// ```
/// use unswayed::{Dataset, data::ellipsoid_around};
/// let data = Dataset::from_rows(vec![0.5, 0.0, 0.0, 1.0], 2, None)?;
/// let q = ellipsoid_around(&[&data])?;
/// assert!((q[0] - 0.25).abs() < 1e-8 && q[1] == 0.0 && (q[2] - 1.0).abs() < 1e-8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ellipsoid_around(data: &[&Dataset]) -> Result<Vec<f64>, SetError> {
    let d = dimension(data);
    // Fewer rows cannot fill the columns, and the matrix would be far larger than they are.
    if rows(data).count() < d {
        return Err(SetError::Flat(d));
    }
    let mut moments = vec![0.0; d * d];
    for one in data {
        for (row, p) in one.iter().zip(one.probabilities()) {
            for (i, z) in row.iter().enumerate() {
                moments[i * d..][..d].iter_mut().zip(row).for_each(|(s, other)| *s += p * z * other);
            }
        }
    }
    let factor = cholesky(&moments, d).ok_or(SetError::Flat(d))?;
    let largest = rows(data).map(|row| squared_length(&factor, row)).fold(0.0, f64::max);
    Ok(upper_triangle(&moments, d).into_iter().map(|s| s * largest * ROOM).collect())
}

/// Every row, and every row with the other label.
///
/// ```
/// use unswayed::{Dataset, data::flips};
/// let data = Dataset::from_rows(vec![0.5, -0.25], 2, None)?;
/// assert_eq!(flips(&[&data]), [0.5, -0.25, -0.5, 0.25]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn flips(data: &[&Dataset]) -> Vec<f64> {
    let flipped = rows(data).flatten().map(|z| 0.0 - z);
    rows(data).flatten().copied().chain(flipped).collect()
}

/// The ellipsoid zᵀQ⁻¹z ≤ 1 of a matrix Q that is given as rows: its upper triangle, column by column.
///
/// # Errors
///
/// Refuses what is not a symmetric, positive definite matrix.
///
/// ```
/// use unswayed::{Dataset, data::ellipsoid_of};
/// assert_eq!(ellipsoid_of(&Dataset::from_rows(vec![4.0, 1.0, 1.0, 2.0], 2, None)?)?, [4.0, 1.0, 2.0]);
/// assert!(ellipsoid_of(&Dataset::from_rows(vec![4.0, 1.0, 1.0, 0.0], 2, None)?).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ellipsoid_of(q: &Dataset) -> Result<Vec<f64>, SetError> {
    let d = q.dimension();
    if q.rows() != d {
        return Err(SetError::NotSquare { file: file(q), rows: q.rows(), columns: d });
    }
    let near = |a: f64, b: f64| (a - b).abs() <= SYMMETRY * a.abs().max(b.abs());
    let symmetric = (0..d).all(|i| (0..i).all(|j| near(q.row(i)[j], q.row(j)[i])));
    if !symmetric || cholesky(q.z(), d).is_none() {
        return Err(SetError::NotAnEllipsoid(file(q)));
    }
    Ok(upper_triangle(q.z(), d))
}

fn file(data: &Dataset) -> String {
    match data.origin().file.as_str() {
        "" => String::new(),
        name => format!("{name}: "),
    }
}

fn dimension(data: &[&Dataset]) -> usize {
    data.first().map_or(0, |one| one.origin().columns)
}

fn rows<'a>(data: &'a [&Dataset]) -> impl Iterator<Item = &'a [f64]> {
    // A class or label in front of the features is none of them.
    let features = |one: &'a &Dataset| {
        let front = one.dimension() - one.origin().columns;
        one.iter().map(move |row| &row[front..])
    };
    data.iter().flat_map(features)
}

/// The upper triangle of a square matrix, column by column.
fn upper_triangle(matrix: &[f64], d: usize) -> Vec<f64> {
    (0..d).flat_map(|j| (0..=j).map(move |i| matrix[i * d + j])).collect()
}

/// L with S = LLᵀ, row by row, for a symmetric S; `None` if S is not positive definite beyond rounding.
fn cholesky(s: &[f64], d: usize) -> Option<Vec<f64>> {
    let mut l = vec![0.0; d * d];
    for i in 0..d {
        for j in 0..=i {
            let before: f64 = (0..j).map(|k| l[i * d + k] * l[j * d + k]).sum();
            let rest = s[i * d + j] - before;
            l[i * d + j] = match i == j {
                true if rest > FLAT * s[i * d + i] => rest.sqrt(),
                true => return None,
                false => rest / l[j * d + j],
            };
        }
    }
    Some(l)
}

/// zᵀS⁻¹z = ‖y‖², Ly = z, from the L of S.
fn squared_length(l: &[f64], z: &[f64]) -> f64 {
    let d = z.len();
    let mut y: Vec<f64> = Vec::with_capacity(d);
    for i in 0..d {
        let before: f64 = y.iter().zip(&l[i * d..]).map(|(y, l)| y * l).sum();
        y.push((z[i] - before) / l[i * d + i]);
    }
    y.iter().map(|y| y * y).sum()
}
