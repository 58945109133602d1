//! The paper's Theorem 3, corrected: the relaxation whose multipliers are the certificate.
//!
//! Clarabel is given the side of the program that looks for the worst case, because it has four times fewer variables than
//! the side with the multipliers. Its variables are the share q_i of a row that acts, w_i for q_iθ, and the second moments
//! of (θ, z); θ, w and z are measured in units of ϱ, ϱ and R. The multiplier of the equation "the moments are stationary" is A,
//! that of "the means are stationary" is b, and the others are ν1 to ν10 (`docs/theory.md`, Section 13).

use crate::certify::conic::{Cone, Program, Progress, Solved, packed, triangle};

/// Constants and rows of the program.
pub(super) struct Setting<'a> {
    /// η.
    pub(super) eta: f64,
    /// σ.
    pub(super) sigma: f64,
    /// ε.
    pub(super) eps: f64,
    /// R, but not 0: a bound for a larger radius is one for a smaller.
    pub(super) radius: f64,
    /// ϱ, a norm that θ never exceeds.
    pub(super) ball: f64,
    /// h, a number that no |θᵀz_i| exceeds.
    pub(super) reach: f64,
    /// d.
    pub(super) dimension: usize,
    /// The rows of positive weight.
    pub(super) rows: Vec<Row<'a>>,
}

/// A row of positive weight.
pub(super) struct Row<'a> {
    /// p_i.
    pub(super) weight: f64,
    /// z_i.
    pub(super) z: &'a [f64],
}

/// The multipliers that make a bound, those of a row divided by its weight.
pub(super) struct Multipliers {
    /// ηA, the upper triangle column by column.
    pub(super) a: Vec<f64>,
    /// ηb.
    pub(super) b: Vec<f64>,
    /// ν1 − ν2 for each row.
    pub(super) m: Vec<f64>,
    /// ν4 − ν6 for each row, d numbers.
    pub(super) h: Vec<f64>,
    /// ν8, ν9, ν10.
    pub(super) nu: [f64; 3],
    /// What the solver says the bound is.
    pub(super) value: f64,
    /// Whether the solver met its tolerances.
    pub(super) converged: bool,
}

/// Which program: the correct one, or the one in print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    /// Theorem 3 as it should be.
    Corrected,
    /// Theorem 3 with ν3 and ν5 missing from the row of q_i, and w_i ≥ 0.
    Printed,
}

/// Where the variables are.
struct Places {
    rows: usize,
    dimension: usize,
}

impl Places {
    fn share(&self, i: usize) -> usize {
        debug_assert!(i < self.rows);
        i
    }

    fn product(&self, i: usize, j: usize) -> usize {
        self.rows + i * self.dimension + j
    }

    /// Entry j of (θ, z).
    fn mean(&self, j: usize) -> usize {
        self.rows * (1 + self.dimension) + j
    }

    /// Entry (i, j) of the second moments of (θ, z).
    fn moment(&self, i: usize, j: usize) -> usize {
        self.mean(2 * self.dimension) + packed(i, j)
    }

    fn count(&self) -> usize {
        self.moment(0, 2 * self.dimension)
    }
}

/// How many rows of the program come before and after those of the data.
struct Layout {
    /// First row of the data rows' multipliers.
    data: usize,
    /// Rows per data row.
    per_row: usize,
}

/// Solves the program and reads its multipliers; `None` if the solver does not accept it.
pub(super) fn solve(s: &Setting, progress: Option<&Progress>) -> Option<Multipliers> {
    Some(read(s, &program(s, Version::Corrected).solve(progress)?))
}

/// The value of the program in print; `None` if it has none.
pub(super) fn printed(s: &Setting) -> Option<f64> {
    let solved = program(s, Version::Printed).solve(None)?;
    solved.converged().then_some(-solved.cost)
}

fn program(s: &Setting, version: Version) -> Program {
    let places = Places { rows: s.rows.len(), dimension: s.dimension };
    let mut program = Program::new(places.count());
    for (i, row) in s.rows.iter().enumerate() {
        program.pay(places.share(i), -row.weight);
        for (j, z) in row.z.iter().enumerate() {
            program.pay(places.product(i, j), row.weight * s.ball * z);
        }
    }
    program.cone(Cone::Zero, |p| {
        stationary_moments(p, s, &places);
        stationary_means(p, s, &places);
    });
    program.cone(Cone::NonNegative, |p| {
        for (i, row) in s.rows.iter().enumerate() {
            data_row(p, s, &places, i, row, version);
        }
        balls(p, s, &places);
    });
    program.cone(Cone::SemiDefinite(2 * s.dimension + 1), |p| moments(p, &places));
    program
}

/// (−σ(2−ησ)Θ + 2k(1−ε) Σ p_i sym(z_iw_iᵀ) + (1−ε)η Σ p_iq_iz_iz_iᵀ + ε(2k sym(X) + ηZ))/ϱ = 0, with Θ, X, Z the blocks of the
/// second moments. The multiplier of an entry off the diagonal is √2 times that of the matrix.
fn stationary_moments(p: &mut Program, s: &Setting, places: &Places) {
    let (d, k) = (s.dimension, s.k());
    for (i, j) in triangle(d) {
        let scale = if i == j { 1.0 } else { 2_f64.sqrt() } / s.ball;
        let theta = (places.moment(i, j), -scale * s.shrink() * s.ball * s.ball);
        let cross = scale * s.eps * k * s.ball * s.radius;
        let cross = [(places.moment(i, d + j), cross), (places.moment(j, d + i), cross)];
        let point = (places.moment(d + i, d + j), scale * s.eps * s.eta * s.radius * s.radius);
        let rows = s.rows.iter().enumerate().flat_map(|(n, row)| {
            let (zi, zj) = (row.z[i], row.z[j]);
            let product = scale * (1.0 - s.eps) * k * s.ball * row.weight;
            [
                (places.share(n), scale * (1.0 - s.eps) * s.eta * row.weight * zi * zj),
                (places.product(n, j), product * zi),
                (places.product(n, i), product * zj),
            ]
        });
        p.row(0.0, rows.chain([theta, point]).chain(cross));
    }
}

/// −σθ + (1−ε) Σ p_iq_iz_i + εz = 0.
fn stationary_means(p: &mut Program, s: &Setting, places: &Places) {
    for j in 0..s.dimension {
        let rows = s.rows.iter().enumerate();
        let rows = rows.map(|(n, row)| (places.share(n), (1.0 - s.eps) * row.weight * row.z[j]));
        let theta = (places.mean(j), -s.sigma * s.ball);
        p.row(0.0, rows.chain([theta, (places.mean(s.dimension + j), s.eps * s.radius)]));
    }
}

/// The rows of ν1, ν2, ν7, then of ν3 to ν6 for each dimension. Each is divided by its largest number.
fn data_row(p: &mut Program, s: &Setting, places: &Places, i: usize, row: &Row, version: Version) {
    let (q, unit) = (places.share(i), s.reach_unit());
    let product = |sign: f64| {
        let terms = row.z.iter().enumerate();
        terms.map(move |(j, z)| (places.mean(j), sign * s.ball * z / unit))
    };
    p.row(-1.0 / unit, product(1.0).chain([(q, (1.0 + s.reach) / unit)]));
    p.row((2.0 + s.reach) / unit, product(-1.0).chain([(q, -(1.0 + s.reach) / unit)]));
    p.row(1.0, [(q, -1.0)]);
    let share = if version == Version::Corrected { 1.0 } else { 0.0 };
    for j in 0..s.dimension {
        let (w, theta) = (places.product(i, j), places.mean(j));
        p.row(0.0, [(w, 1.0), (q, share)]);
        p.row(1.0, [(w, 1.0), (theta, -1.0), (q, -1.0)]);
        p.row(0.0, [(w, -1.0), (q, share)]);
        p.row(1.0, [(w, -1.0), (theta, 1.0), (q, -1.0)]);
    }
    if version == Version::Printed {
        p.row(0.0, [(q, 1.0)]);
        for j in 0..s.dimension {
            p.row(0.0, [(places.product(i, j), 1.0)]);
        }
    }
}

/// The rows of ν8, ν9, ν10: ‖θ‖ ≤ ϱ, θᵀz ≤ 1, ‖z‖ ≤ R.
fn balls(p: &mut Program, s: &Setting, places: &Places) {
    let d = s.dimension;
    p.row(1.0, (0..d).map(|j| (places.moment(j, j), -1.0)));
    let unit = s.cross_unit();
    p.row(1.0 / unit, (0..d).map(|j| (places.moment(j, d + j), -s.ball * s.radius / unit)));
    p.row(1.0, (d..2 * d).map(|j| (places.moment(j, j), -1.0)));
}

/// The moments are those of some (θ, z).
fn moments(p: &mut Program, places: &Places) {
    let order = 2 * places.dimension;
    for (i, j) in triangle(order + 1) {
        if i == order {
            p.row(1.0, []);
        } else if j == order {
            p.row(0.0, [(places.mean(i), 2_f64.sqrt())]);
        } else {
            p.row(0.0, [(places.moment(i, j), if i == j { 1.0 } else { 2_f64.sqrt() })]);
        }
    }
}

impl Setting<'_> {
    /// k = 1 − ησ.
    pub(super) fn k(&self) -> f64 {
        1.0 - self.eta * self.sigma
    }

    /// σ(2−ησ) = (1−k²)/η.
    pub(super) fn shrink(&self) -> f64 {
        self.sigma * (2.0 - self.eta * self.sigma)
    }

    fn reach_unit(&self) -> f64 {
        1.0 + self.reach
    }

    fn cross_unit(&self) -> f64 {
        1.0 + self.ball * self.radius
    }

    /// Σ p_i(m_iz_i − h_i): the slope of the rows' bounds in θ.
    pub(super) fn slope(&self, m: &[f64], h: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.dimension];
        for ((row, m), h) in self.rows.iter().zip(m).zip(h.chunks_exact(self.dimension)) {
            for ((sum, z), h) in sum.iter_mut().zip(row.z).zip(h) {
                *sum += row.weight * (m * z - h);
            }
        }
        sum
    }
}

/// From the solver's multipliers to those of the theorem.
fn read(s: &Setting, solved: &Solved) -> Multipliers {
    let (d, y) = (s.dimension, &solved.multipliers);
    let entry = |(i, j): (usize, usize)| y[packed(i, j)] / s.ball / if i == j { 1.0 } else { 2_f64.sqrt() };
    let means = d * (d + 1) / 2;
    let layout = Layout { data: means + d, per_row: 3 + 4 * d };
    let (mut m, mut h) = (vec![], vec![]);
    for (i, row) in s.rows.iter().enumerate() {
        let y = &y[layout.data + i * layout.per_row..];
        m.push((y[0] - y[1]) / s.reach_unit() / row.weight);
        h.extend((0..d).map(|j| (y[4 + 4 * j] - y[6 + 4 * j]) / s.ball / row.weight));
    }
    let last = &y[layout.data + s.rows.len() * layout.per_row..];
    Multipliers {
        a: triangle(d).map(entry).collect(),
        b: y[means..layout.data].to_vec(),
        m,
        h,
        nu: [last[0] / (s.ball * s.ball), last[1] / (2.0 * s.cross_unit()), last[2] / (s.radius * s.radius)],
        value: -solved.cost,
        converged: solved.converged(),
    }
}
