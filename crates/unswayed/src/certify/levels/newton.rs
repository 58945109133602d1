//! Newton steps of the program, in the moments of the worst model.
//!
//! Rows see the rest of the program only through a mean δ and a second moment Δ. So each row's (T, y, m) is eliminated by itself,
//! in polynomials that are orthonormal over its cuts, and d + d(d+1)/2 unknowns remain beside the shared ones. In the coordinates
//! of `scaling` their part of the system is the unit matrix plus one square for each row's slope and one for its curvature.

use faer::linalg::solvers::{Llt, Solve};
use faer::{Mat, Side};

use super::super::dot;
use super::base::add;
use super::program::{ALPHA, NU, POINT, Program, Slacks, TILT, Unknowns};
use super::scaling::{Scaling, mean_and_trace};
use super::squares::{Inverse, Squares};

/// A row of the program in its own polynomials 1/√…, (u − …)/√…, (u² − …)/√….
struct Row {
    /// Their coefficients of 1, u, u².
    basis: [[f64; 3]; 3],
    /// What they are computed from without cancellation: mean, tilt, level, roots.
    mean: f64,
    tilt: f64,
    level: f64,
    roots: [f64; 3],
    /// The coefficients of α and of νoᵀz + b̃ᵀz in them.
    alpha: [f64; 3],
    fixed: [f64; 3],
    /// What the polynomials leave of the products αα, α·fixed, fixed·fixed.
    rest: [f64; 3],
    /// p·(1, zᵀδ, zᵀΔz), in the polynomials.
    gradient: [f64; 3],
}

/// A cut as a row sees it: place, weight (multiplier/slack), coefficients of α and of fixed.
struct Seen {
    u: f64,
    weight: f64,
    coefficients: [f64; 2],
}

impl Row {
    /// `gradient` is p·(1, zᵀδ, zᵀΔz).
    fn new(cuts: &[Seen], gradient: [f64; 3]) -> Self {
        let sum = |f: &dyn Fn(&Seen) -> f64| cuts.iter().map(f).sum::<f64>();
        let total = sum(&|c| c.weight);
        let mean = sum(&|c| c.weight * c.u) / total;
        // Rows whose interval is a point leave the slope and the curvature open.
        let least = 1e-20 * total;
        let second = sum(&|c| c.weight * (c.u - mean).powi(2)).max(least);
        let tilt = sum(&|c| c.weight * (c.u - mean).powi(3)) / second;
        let level = second / total;
        let third = sum(&|c| {
            let v = c.u - mean;
            c.weight * ((v - tilt) * v - level).powi(2)
        });
        let third = third.max(least);
        let roots = [total.sqrt(), second.sqrt(), third.sqrt()];
        let basis = [
            [1.0 / roots[0], 0.0, 0.0],
            [-mean / roots[1], 1.0 / roots[1], 0.0],
            [(mean * (mean + tilt) - level) / roots[2], -(2.0 * mean + tilt) / roots[2], 1.0 / roots[2]],
        ];
        let zero = [0.0; 3];
        let gradient = basis.map(|polynomial| dot(&polynomial, &gradient));
        let mut row = Row { basis, mean, tilt, level, roots, alpha: zero, fixed: zero, rest: zero, gradient };
        for cut in cuts {
            let (values, [a, b]) = (row.values(cut.u), cut.coefficients);
            add(&mut row.alpha, cut.weight * a, &values);
            add(&mut row.fixed, cut.weight * b, &values);
        }
        for cut in cuts {
            let (values, [a, b]) = (row.values(cut.u), cut.coefficients);
            let (a, b) = (a - dot(&values, &row.alpha), b - dot(&values, &row.fixed));
            row.rest[0] += cut.weight * a * a;
            row.rest[1] += cut.weight * a * b;
            row.rest[2] += cut.weight * b * b;
        }
        row
    }

    /// The polynomials' values.
    fn values(&self, u: f64) -> [f64; 3] {
        let v = u - self.mean;
        [1.0 / self.roots[0], v / self.roots[1], ((v - self.tilt) * v - self.level) / self.roots[2]]
    }
}

/// The moments' coordinates: places of products z_jz_k after the first d.
fn square(z: &[f64], factor: f64, mut put: impl FnMut(usize, f64)) {
    let mut place = z.len();
    for (j, a) in z.iter().enumerate() {
        for b in &z[..j] {
            put(place, std::f64::consts::SQRT_2 * factor * a * b);
            place += 1;
        }
        put(place, factor * a * a);
        place += 1;
    }
}

/// The matrix of Newton steps at a place, decomposed: the moments' part, the coupling with the shared unknowns, and theirs.
pub(super) struct System<'a> {
    pub(super) program: &'a Program<'a>,
    squares: Squares,
    coupling: Mat<f64>,
    rows: Vec<Row>,
    /// Minus the gradient by the shared unknowns.
    right: Vec<f64>,
    inverse: Inverse,
    /// The inverse times the coupling.
    solved: Mat<f64>,
    /// What the shared unknowns see.
    shared: Llt<f64>,
}

/// Decomposes a matrix that may be positive definite up to rounding only.
fn decompose(mut matrix: Mat<f64>) -> Option<Llt<f64>> {
    for ridge in [1e-14, 1e-12, 1e-10, 1e-8] {
        (0..matrix.nrows()).for_each(|j| matrix[(j, j)] *= 1.0 + ridge);
        if let Ok(factor) = matrix.llt(Side::Lower) {
            return Some(factor);
        }
    }
    None
}

/// zᵀΔz
fn square_form(moments: &Mat<f64>, z: &[f64]) -> f64 {
    let line = |j: usize| z.iter().enumerate().map(|(k, z)| z * moments[(k + 1, j + 1)]).sum::<f64>();
    z.iter().enumerate().map(|(j, z)| z * line(j)).sum()
}

/// Where the path is.
pub(super) struct Place<'a> {
    pub(super) x: &'a Unknowns,
    pub(super) slacks: &'a Slacks,
    /// S of `scaling`.
    pub(super) moments: &'a Mat<f64>,
    pub(super) scaling: &'a Scaling,
}

impl System<'_> {
    /// The step for these products of slacks and multipliers over the slacks, and this residual of the matrix inequality: the
    /// unknowns' change, and the moments' in their coordinates.
    pub(super) fn step(&self, forces: &[f64], residual: &Mat<f64>) -> (Unknowns, Vec<f64>) {
        let (program, shared) = (self.program, self.right.len());
        let (d, n, size) = (program.base.d, program.base.n, self.coupling.nrows());
        let Squares { lines, bends } = &self.squares;
        let mut right = self.right.clone();
        let mut rows = Vec::with_capacity(n);
        let mut left = forces;
        for (i, (row, cuts)) in self.rows.iter().zip(&program.cuts).enumerate() {
            let (own, after) = left.split_at(cuts.len());
            left = after;
            let mut side = row.gradient.map(|g| -g);
            let mut pulls = [0.0; 2];
            for (cut, &force) in cuts.iter().zip(own) {
                add(&mut side, force, &row.values(cut.u));
                add(&mut pulls, force, &program.coefficients(i, cut));
            }
            right[ALPHA] += dot(&row.alpha, &side) - pulls[0];
            let pull = dot(&row.fixed, &side) - pulls[1];
            right[NU] += pull * program.margins[i];
            add(&mut right[TILT..], pull, program.base.row(i));
            rows.push(side);
        }
        for ((limit, _), &force) in program.limits().iter().zip(left) {
            add(&mut right[..4], force, limit);
        }
        let parts = |k: usize| Mat::from_fn(n, 1, |i, _| rows[i][k]);
        let mut side = bends * parts(2);
        let first = lines * parts(1);
        (0..d).for_each(|j| side[(j, 0)] += first[(j, 0)]);
        for (j, value) in Scaling::coordinates(residual).into_iter().enumerate() {
            side[(j, 0)] += value;
        }
        let alone = self.squares.solve(&self.inverse, &side);
        let coupled = self.coupling.transpose() * &alone;
        let step = self.shared.solve(&Mat::from_fn(shared, 1, |j, _| right[j] - coupled[(j, 0)]));
        let moments = alone + &self.solved * &step;
        let bends = bends.transpose() * &moments;
        let lines = lines.transpose() * moments.submatrix(0, 0, d, 1);
        let mut out = Unknowns {
            shared: (0..shared).map(|j| step[(j, 0)]).collect(),
            t: vec![0.0; n],
            y: vec![0.0; n],
            m: vec![0.0; n],
        };
        for (i, (row, side)) in self.rows.iter().zip(&rows).enumerate() {
            let (alpha, fixed) = (out.alpha(), program.fixed(&out, i));
            let mut parts: [f64; 3] =
                std::array::from_fn(|k| side[k] + alpha * row.alpha[k] + fixed * row.fixed[k]);
            parts[1] -= lines[(i, 0)];
            parts[2] -= bends[(i, 0)];
            let entry = |j: usize| (0..3).map(|k| parts[k] * row.basis[k][j]).sum();
            (out.t[i], out.y[i], out.m[i]) = (entry(0), entry(1), entry(2));
        }
        (out, (0..size).map(|j| moments[(j, 0)]).collect())
    }
}

impl Program<'_> {
    /// The matrix of Newton steps.
    pub(super) fn system(&self, at: &Place) -> Option<System<'_>> {
        let Place { x, slacks, moments, scaling } = at;
        let base = self.base;
        let (d, n, shared) = (base.d, base.n, TILT + base.d);
        let size = d + d * (d + 1) / 2;
        let half = std::f64::consts::FRAC_1_SQRT_2 / scaling.corner;
        let (mean, trace) = mean_and_trace(moments);
        let (mut lines, mut bends) = (Mat::<f64>::zeros(d, n), Mat::<f64>::zeros(size, n));
        let (mut slopes, mut curves) = (Mat::<f64>::zeros(n, shared), Mat::<f64>::zeros(n, shared));
        let (mut own, right) = self.shared_part(x, &mean, trace);
        self.add_limits(&mut own, slacks);
        let mut rows = Vec::with_capacity(n);
        let mut place = 0;
        for i in 0..n {
            let (z, p) = (scaling.factor.half(base.row(i)), base.p[i]);
            let along = dot(base.row(i), &scaling.centre);
            let cuts = self.seen(i, slacks, place);
            place += cuts.len();
            let gradient = [p, p * dot(base.row(i), &mean), p * square_form(moments, base.row(i))];
            let row = Row::new(&cuts, gradient);
            let [_, line, bend] = row.basis;
            for j in 0..d {
                lines[(j, i)] = p * half * line[1] * z[j];
                bends[(j, i)] = p * half * (bend[1] + 2.0 * along * bend[2]) * z[j];
            }
            square(&z, p * bend[2], |j, value| bends[(j, i)] = value);
            let whole: Vec<f64> =
                std::iter::once(self.margins[i]).chain(base.row(i).iter().copied()).collect();
            let index = |j: usize| if j == 0 { NU } else { TILT + j - 1 };
            (slopes[(i, ALPHA)], curves[(i, ALPHA)]) = (row.alpha[1], row.alpha[2]);
            own[(ALPHA, ALPHA)] += row.rest[0];
            for (j, a) in whole.iter().enumerate() {
                let at = index(j);
                (slopes[(i, at)], curves[(i, at)]) = (row.fixed[1] * a, row.fixed[2] * a);
                own[(ALPHA, at)] += row.rest[1] * a;
                own[(at, ALPHA)] += row.rest[1] * a;
                for (k, b) in whole.iter().enumerate() {
                    own[(at, index(k))] += row.rest[2] * a * b;
                }
            }
            rows.push(row);
        }
        let mut coupling = self.moments_of_shared(scaling);
        coupling += &bends * &curves;
        let first = &lines * &slopes;
        for j in 0..d {
            for k in 0..shared {
                coupling[(j, k)] += first[(j, k)];
            }
        }
        let squares = Squares { lines, bends };
        let inverse = squares.decompose()?;
        let solved = squares.solve(&inverse, &coupling);
        let shared = decompose(own + coupling.transpose() * &solved)?;
        Some(System { program: self, squares, coupling, rows, right, inverse, solved, shared })
    }

    fn seen(&self, i: usize, slacks: &Slacks, first: usize) -> Vec<Seen> {
        let one = |(c, cut): (usize, &super::rows::Cut)| Seen {
            u: cut.u,
            weight: slacks.multiplier[first + c] / slacks.slack[first + c],
            coefficients: self.coefficients(i, cut),
        };
        self.cuts[i].iter().enumerate().map(one).collect()
    }

    /// How v and A change with the shared unknowns, in the moments' coordinates.
    fn moments_of_shared(&self, scaling: &Scaling) -> Mat<f64> {
        let d = self.base.d;
        let (diagonal, slopes) = (self.diagonal(), self.slopes());
        let half = std::f64::consts::FRAC_1_SQRT_2 / scaling.corner;
        let units: Vec<Vec<f64>> = (0..d)
            .map(|j| {
                let mut unit = vec![0.0; d];
                unit[j] = 1.0;
                scaling.factor.half(&unit)
            })
            .collect();
        let (centre, delta) = (scaling.factor.half(self.centre), scaling.factor.half(&scaling.centre));
        let mut coupling = Mat::<f64>::zeros(d + d * (d + 1) / 2, TILT + d);
        for (g, slope) in [slopes[0], slopes[1], 0.0].into_iter().enumerate() {
            for j in 0..d {
                coupling[(j, g)] = half * (slope * centre[j] - 2.0 * diagonal[g] * delta[j]);
            }
        }
        for (k, unit) in units.iter().enumerate() {
            for j in 0..d {
                coupling[(j, TILT + k)] = half * slopes[2] * unit[j];
            }
            square(unit, -1.0, |j, value| (0..3).for_each(|g| coupling[(j, g)] += diagonal[g] * value));
        }
        coupling
    }

    /// The second derivative by the shared unknowns of what only they see, and minus their gradient.
    fn shared_part(&self, x: &Unknowns, delta: &[f64], second: f64) -> (Mat<f64>, Vec<f64>) {
        let d = self.base.d;
        let mut matrix = Mat::<f64>::zeros(TILT + d, TILT + d);
        let mut right = vec![0.0; TILT + d];
        let (diagonal, slopes) = (self.diagonal(), self.slopes());
        let with_centre = dot(delta, self.centre);
        let (costs, at_tilt) = self.costs();
        for (g, slope) in [slopes[0], slopes[1], 0.0].into_iter().enumerate() {
            right[g] = diagonal[g] * second - costs[g] - slope * with_centre;
        }
        right[POINT] = -costs[POINT];
        for j in 0..d {
            right[TILT + j] = -(slopes[2] * delta[j] + at_tilt * self.centre[j]);
        }
        self.add_tilt(&mut matrix, &mut right, x);
        (matrix, right)
    }

    /// The term εR‖b̃‖²/(2χτ').
    fn add_tilt(&self, matrix: &mut Mat<f64>, right: &mut [f64], x: &Unknowns) {
        let (chi, tilt) = (self.chi(x), x.tilt());
        let factor = self.push() / (2.0 * self.tau);
        let square = dot(tilt, tilt);
        let of_chi = [2.0 * self.base.k, -1.0];
        for a in 0..2 {
            right[a] += factor * square / (chi * chi) * of_chi[a];
            for b in 0..2 {
                matrix[(a, b)] += 2.0 * factor * square / chi.powi(3) * of_chi[a] * of_chi[b];
            }
            for (j, t) in tilt.iter().enumerate() {
                let cross = -2.0 * factor * t / (chi * chi) * of_chi[a];
                matrix[(a, TILT + j)] += cross;
                matrix[(TILT + j, a)] += cross;
            }
        }
        for (j, t) in tilt.iter().enumerate() {
            matrix[(TILT + j, TILT + j)] += 2.0 * factor / chi;
            right[TILT + j] -= 2.0 * factor * t / chi;
        }
    }

    fn add_limits(&self, matrix: &mut Mat<f64>, slacks: &Slacks) {
        let limits = self.limits();
        let begin = slacks.slack.len() - limits.len();
        for (c, (limit, _)) in limits.iter().enumerate() {
            let weight = slacks.multiplier[begin + c] / slacks.slack[begin + c];
            for a in 0..4 {
                for b in 0..4 {
                    matrix[(a, b)] += weight * limit[a] * limit[b];
                }
            }
        }
    }
}
