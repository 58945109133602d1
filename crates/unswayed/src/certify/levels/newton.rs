//! The Newton system of the program: second derivatives of its smooth parts and of its barrier, and the rows' cuts with T
//! eliminated.

use faer::Mat;

use super::super::dot;
use super::program::{ALPHA, NU, POINT, Peak, Program, Slacks, TILT, Unknowns};

impl Program<'_> {
    /// Second derivative and minus the gradient of everything smooth, T's part excepted.
    pub(super) fn smooth_part(&self, x: &Unknowns, peak: &Peak, barrier: f64) -> (Mat<f64>, Vec<f64>) {
        let base = self.base;
        let (d, n, first) = (base.d, base.n, TILT + base.d);
        let size = first + n * if self.curved { 2 } else { 1 };
        let (diagonal, slopes, delta) = (self.diagonal(), self.slopes(), &peak.delta);
        let along: Vec<f64> = base.margins(delta);
        let halves: Vec<Vec<f64>> = (0..n).map(|i| peak.factor.half(base.row(i))).collect();
        let half_delta = peak.factor.half(delta);
        let half_centre = peak.factor.half(self.centre);
        let mut columns = Mat::<f64>::zeros(d, size);
        let mut rhs = vec![0.0; size];
        let square = dot(delta, delta);
        let with_centre = dot(delta, self.centre);
        let (costs, at_tilt) = self.costs();
        let slope_of = [slopes[0], slopes[1], 0.0];
        for g in 0..3 {
            for r in 0..d {
                columns[(r, g)] = slope_of[g] * half_centre[r] - 2.0 * diagonal[g] * half_delta[r];
            }
            rhs[g] = -(costs[g] + slope_of[g] * with_centre - diagonal[g] * square);
        }
        rhs[POINT] = -costs[POINT];
        for j in 0..d {
            let mut unit = vec![0.0; d];
            unit[j] = slopes[2];
            for (r, value) in peak.factor.half(&unit).into_iter().enumerate() {
                columns[(r, TILT + j)] = value;
            }
            rhs[TILT + j] = -(slopes[2] * delta[j] + at_tilt * self.centre[j]);
        }
        for i in 0..n {
            for r in 0..d {
                columns[(r, first + i)] = base.p[i] * halves[i][r];
            }
            rhs[first + i] = -base.p[i] * along[i];
            if self.curved {
                for r in 0..d {
                    columns[(r, first + n + i)] = 2.0 * base.p[i] * along[i] * halves[i][r];
                }
                rhs[first + n + i] = -base.p[i] * along[i] * along[i];
            }
        }
        let mut matrix = columns.transpose() * &columns;
        for i in 0..size {
            for j in 0..size {
                matrix[(i, j)] *= 0.5;
            }
        }
        self.add_tilt(&mut matrix, &mut rhs, x);
        self.add_determinant(&mut matrix, &mut rhs, peak, &halves, barrier);
        (matrix, rhs)
    }

    /// The term εR‖b̃‖²/(2χτ').
    fn add_tilt(&self, matrix: &mut Mat<f64>, rhs: &mut [f64], x: &Unknowns) {
        let (chi, tilt) = (self.chi(x), x.tilt());
        let factor = self.push() / (2.0 * self.tau);
        let square = dot(tilt, tilt);
        let of_chi = [2.0 * self.base.k, -1.0];
        for a in 0..2 {
            rhs[a] += factor * square / (chi * chi) * of_chi[a];
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
            rhs[TILT + j] -= 2.0 * factor * t / chi;
        }
    }

    /// The barrier −log det A.
    fn add_determinant(
        &self,
        matrix: &mut Mat<f64>,
        rhs: &mut [f64],
        peak: &Peak,
        halves: &[Vec<f64>],
        barrier: f64,
    ) {
        let base = self.base;
        let (d, n, first) = (base.d, base.n, TILT + base.d);
        let inverse: Vec<Vec<f64>> = (0..d)
            .map(|j| {
                let mut unit = vec![0.0; d];
                unit[j] = 1.0;
                peak.factor.solve(&unit)
            })
            .collect();
        let trace: f64 = (0..d).map(|j| inverse[j][j]).sum();
        let trace2: f64 = inverse.iter().map(|row| dot(row, row)).sum();
        let diagonal = self.diagonal();
        for a in 0..3 {
            rhs[a] += barrier * diagonal[a] * trace;
            for b in 0..3 {
                matrix[(a, b)] += barrier * diagonal[a] * diagonal[b] * trace2;
            }
        }
        if !self.curved {
            return;
        }
        for i in 0..n {
            let p = base.p[i];
            let full = peak.factor.solve(base.row(i));
            rhs[first + n + i] -= barrier * p * dot(&halves[i], &halves[i]);
            let double = dot(&full, &full);
            for a in 0..3 {
                let cross = -barrier * diagonal[a] * p * double;
                matrix[(a, first + n + i)] += cross;
                matrix[(first + n + i, a)] += cross;
            }
            for j in 0..n {
                // The rows' block is ½p_ip_jK_ij.
                let k = 2.0 * matrix[(first + i, first + j)];
                let pair = p * base.p[j];
                if pair > 0.0 {
                    matrix[(first + n + i, first + n + j)] += barrier * k * k / pair;
                }
            }
        }
    }

    /// The cuts of all rows, T eliminated.
    pub(super) fn add_rows(
        &self,
        matrix: &mut Mat<f64>,
        rhs: &mut [f64],
        slacks: &Slacks,
        barrier: f64,
    ) -> Vec<Local> {
        let base = self.base;
        let (d, n, first) = (base.d, base.n, TILT + base.d);
        let mut locals = Vec::with_capacity(n);
        let mut place = 0;
        for (i, cuts) in self.cuts.iter().enumerate() {
            let mut local = Local::new(base.p[i]);
            for cut in cuts {
                let (slack, multiplier) = (slacks.slack[place], slacks.multiplier[place]);
                local.add(multiplier / slack, barrier / slack, cut.u, self.coefficients(i, cut));
                place += 1;
            }
            local.eliminate();
            let (y, m) = (first + i, first + n + i);
            let mut whole = vec![self.margins[i]];
            whole.extend_from_slice(base.row(i));
            // The shared unknowns that a row sees: α, ν, b̃.
            let index = |j: usize| if j == 0 { NU } else { TILT + j - 1 };
            matrix[(y, y)] += local.powers[2];
            rhs[y] += local.right[1];
            matrix[(ALPHA, ALPHA)] += local.pairs[0];
            rhs[ALPHA] -= local.right[3];
            let mut both = |a: usize, b: usize, value: f64| {
                matrix[(a, b)] += value;
                matrix[(b, a)] += value;
            };
            both(y, ALPHA, -local.with_alpha[1]);
            if self.curved {
                both(y, m, local.powers[3]);
                both(m, ALPHA, -local.with_alpha[2]);
            }
            for (j, entry) in whole.iter().enumerate() {
                both(y, index(j), -local.with_fixed[1] * entry);
                both(ALPHA, index(j), local.pairs[1] * entry);
                if self.curved {
                    both(m, index(j), -local.with_fixed[2] * entry);
                }
            }
            for j in 0..=d {
                rhs[index(j)] -= local.right[4] * whole[j];
                for k in 0..=d {
                    matrix[(index(j), index(k))] += local.pairs[2] * whole[j] * whole[k];
                }
            }
            if self.curved {
                matrix[(m, m)] += local.powers[4];
                rhs[m] += local.right[2];
            }
            locals.push(local);
        }
        locals
    }

    pub(super) fn add_limits(&self, matrix: &mut Mat<f64>, rhs: &mut [f64], slacks: &Slacks, barrier: f64) {
        let limits = self.limits();
        let begin = slacks.slack.len() - limits.len();
        for (c, (limit, _)) in limits.iter().enumerate() {
            let (slack, multiplier) = (slacks.slack[begin + c], slacks.multiplier[begin + c]);
            for a in 0..4 {
                rhs[a] += barrier / slack * limit[a];
                for b in 0..4 {
                    matrix[(a, b)] += multiplier / slack * limit[a] * limit[b];
                }
            }
        }
    }
}

/// The sums over the cuts of one row, weighted by multiplier/slack.
pub(super) struct Local {
    /// Σ u^j
    powers: [f64; 5],
    /// Σ u^j·(coefficient of α)
    with_alpha: [f64; 3],
    /// Σ u^j·(coefficient of νoᵀz + b̃ᵀz)
    with_fixed: [f64; 3],
    /// αα, α with the other, the other squared.
    pairs: [f64; 3],
    /// Right sides: T, y, m, and what α and the other get.
    right: [f64; 5],
    /// The row of T before it is eliminated: powers 0 to 2, α, the other, the right side.
    own: [f64; 6],
}

impl Local {
    fn new(p: f64) -> Self {
        Local {
            powers: [0.0; 5],
            with_alpha: [0.0; 3],
            with_fixed: [0.0; 3],
            pairs: [0.0; 3],
            right: [-p, 0.0, 0.0, 0.0, 0.0],
            own: [0.0; 6],
        }
    }

    fn add(&mut self, weight: f64, force: f64, u: f64, [a, b]: [f64; 2]) {
        let mut power = weight;
        for j in 0..5 {
            self.powers[j] += power;
            if j < 3 {
                self.with_alpha[j] += power * a;
                self.with_fixed[j] += power * b;
            }
            power *= u;
        }
        self.pairs[0] += weight * a * a;
        self.pairs[1] += weight * a * b;
        self.pairs[2] += weight * b * b;
        self.right[0] += force;
        self.right[1] += force * u;
        self.right[2] += force * u * u;
        self.right[3] += force * a;
        self.right[4] += force * b;
    }

    fn eliminate(&mut self) {
        let [s0, s1, s2, ..] = self.powers;
        let (a0, b0, r) = (self.with_alpha[0], self.with_fixed[0], self.right[0]);
        self.own = [s0, s1, s2, a0, b0, r];
        self.powers[2] = s2 - s1 * s1 / s0;
        self.powers[3] -= s1 * s2 / s0;
        self.powers[4] -= s2 * s2 / s0;
        for (j, s) in [s0, s1, s2].into_iter().enumerate().skip(1) {
            self.with_alpha[j] -= s * a0 / s0;
            self.with_fixed[j] -= s * b0 / s0;
            self.right[j] -= s * r / s0;
        }
        self.pairs[0] -= a0 * a0 / s0;
        self.pairs[1] -= a0 * b0 / s0;
        self.pairs[2] -= b0 * b0 / s0;
        self.right[3] -= a0 * r / s0;
        self.right[4] -= b0 * r / s0;
    }

    /// The step of T, from those of the others.
    pub(super) fn constant(&self, step: &Unknowns, fixed: f64, i: usize) -> f64 {
        let [s0, s1, s2, a0, b0, r] = self.own;
        (r - s1 * step.y[i] - s2 * step.m[i] + a0 * step.alpha() + b0 * fixed) / s0
    }
}
