//! Newton's method along the path of a falling barrier.

use faer::linalg::solvers::{Llt, Solve};
use faer::{Mat, Side};

use super::rows::{RowSums, Rows, View};
use super::shared::{ALPHA, Derivatives, Shared};
use crate::certify::dot;

/// Newton systems, at most.
const MOST_STEPS: usize = 200;
/// The method ends when barrier and remaining gradient are worth less than this, relative to max(1, bound).
const TOLERANCE: f64 = 1e-8;
/// It has converged if they are worth less than this.
const CONVERGED: f64 = 2e-7;
/// The factor by which the barrier falls in a step: at first, and at least.
const PACE: [f64; 2] = [0.2, 0.1];
/// The slowest fall that is worth a step, and how many are tried.
const SLOWEST: f64 = 0.7;
const MOST_FALLS: usize = 3;
/// Times that the barrier may rise again, at most.
const MOST_RISES: usize = 20;

/// x and θ, or a direction.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) x: Vec<f64>,
    pub(super) theta: Vec<f64>,
}

impl Point {
    fn moved(&self, along: &Point, part: f64) -> Point {
        let add = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + part * b).collect();
        Point { x: add(&self.x, &along.x), theta: add(&self.theta, &along.theta) }
    }
}

/// The state of the iteration.
pub(super) struct Method<'a> {
    pub(super) shared: Shared<'a>,
    pub(super) rows: Rows<'a>,
    pub(super) point: Point,
    mu: f64,
    /// Inequalities: the bound is at most count·μ above the best where the gradient is 0.
    count: f64,
    /// The factor by which the barrier is to fall next.
    pace: f64,
}

/// The gradient in x and θ, its rate in μ, and the value.
struct Slope {
    value: f64,
    gradient: Point,
    rate: Point,
}

/// The factorised Newton system at a point.
struct Newton {
    slope: Slope,
    b: Mat<f64>,
    /// C⁻¹B.
    answer: Mat<f64>,
    c: Llt<f64>,
    /// A + BᵀC⁻¹B.
    schur: Llt<f64>,
}

impl<'a> Method<'a> {
    pub(super) fn new(shared: Shared<'a>, rows: Rows<'a>, point: Point, mu: f64) -> Self {
        let count = rows.count() + shared.count();
        Method { shared, rows, point, mu, count, pace: PACE[0] }
    }

    /// Runs to the end; the value there, and whether it is the best up to the tolerance. `None` if there is no way to begin.
    pub(super) fn run(mut self) -> Option<(Self, f64, bool)> {
        let mut newton = self.system()?;
        let (mut is_close, mut rises) = (false, 0);
        for _ in 0..MOST_STEPS {
            let (centre, left) = newton.direction(&newton.slope.gradient);
            let (share, scale) = (self.count * self.mu, newton.slope.value.abs().max(1.0));
            is_close = share + left < CONVERGED * scale;
            if share + left < TOLERANCE * scale || left.is_nan() {
                break;
            }
            if left > 2.0 * share && self.mu < 1.0 && rises < MOST_RISES {
                // Too far from the path: it is nearer where the barrier is larger.
                self.mu = (left / self.count).clamp(1.5 * self.mu, 1.0);
                self.pace = self.pace.sqrt();
                rises += 1;
            } else {
                let (tangent, _) = newton.direction(&newton.slope.rate);
                if left < 0.02 * share {
                    self.pace = (0.5 * self.pace).max(PACE[1]);
                }
                let is_moved = if left < 0.5 * share {
                    self.fall(&newton, &centre, &tangent, left) || self.centre(&newton, &centre, left)
                } else {
                    self.centre(&newton, &centre, left)
                };
                if !is_moved {
                    break;
                }
            }
            let Some(next) = self.system() else { break };
            newton = next;
        }
        let value = newton.slope.value;
        Some((self, value, is_close))
    }

    /// A step along the path to a smaller barrier; false if that is too far however little smaller.
    fn fall(&mut self, newton: &Newton, centre: &Point, tangent: &Point, left: f64) -> bool {
        let tries = if left < 1e-3 * self.count * self.mu { 2 * MOST_FALLS } else { MOST_FALLS };
        for _ in 0..tries {
            let mu = self.mu * self.pace;
            let along = centre.moved(tangent, mu - self.mu);
            let point = self.inside(&along, 1.0);
            let after = self.slope(&point, mu).map(|slope| newton.direction(&slope.gradient).1);
            if after.is_some_and(|after| after < 0.5 * self.count * mu) {
                (self.point, self.mu) = (point, mu);
                return true;
            }
            self.pace = self.pace.sqrt();
        }
        self.pace = self.pace.min(SLOWEST);
        false
    }

    /// A step towards the path at the same barrier, as long as it brings what remains down; false if none does.
    fn centre(&mut self, newton: &Newton, centre: &Point, left: f64) -> bool {
        let mut part = 1.0;
        while part > 1e-4 {
            let point = self.inside(centre, part);
            let after = self.slope(&point, self.mu).map(|slope| newton.direction(&slope.gradient).1);
            if after.is_some_and(|after| after < (1.0 - 0.3 * part) * left) {
                self.point = point;
                return true;
            }
            part /= 3.0;
        }
        false
    }

    /// A part of a step, drawn back where it would leave the inside of the shared inequalities.
    fn inside(&self, along: &Point, part: f64) -> Point {
        let mut point = self.point.moved(along, part);
        self.shared.draw_back(&mut point.x, &self.point.x);
        point
    }

    fn view<'b>(&self, point: &'b Point, mu: f64) -> View<'b> {
        View { alpha: point.x[ALPHA], beta: &point.x[self.shared.beta()..], theta: &point.theta, mu }
    }

    /// The gradient at a point.
    fn slope(&mut self, point: &Point, mu: f64) -> Option<Slope> {
        let own = self.shared.derivatives(&point.x, &point.theta, mu, false)?;
        let view = self.view(point, mu);
        let sums = self.rows.sums(view, false)?;
        Some(slope(own, &sums, self.shared.beta()))
    }

    /// Newton's system where the method is.
    fn system(&mut self) -> Option<Newton> {
        let point = self.point.clone();
        let mut own = self.shared.derivatives(&point.x, &point.theta, self.mu, true)?;
        let view = self.view(&point, self.mu);
        let sums = self.rows.sums(view, true)?;
        let (mut a, mut b, diagonal) = own.blocks.take()?;
        let (d, first) = (point.theta.len(), self.shared.beta());
        a[(ALPHA, ALPHA)] += sums.alpha_alpha;
        let (cross, theta_alpha) = (sums.beta_alpha(), sums.theta_alpha());
        let (beta_beta, theta_beta, minus) = (sums.beta_beta(), sums.theta_beta(), sums.minus_theta_theta());
        for i in 0..d {
            a[(ALPHA, first + i)] += cross[i];
            a[(first + i, ALPHA)] += cross[i];
            b[(i, ALPHA)] += theta_alpha[i];
            for j in 0..d {
                a[(first + i, first + j)] += beta_beta(i, j);
                b[(i, first + j)] += theta_beta(i, j);
            }
        }
        let c = Mat::from_fn(d, d, |i, j| minus(i, j) + if i == j { diagonal[i] } else { 0.0 });
        let c = c.llt(Side::Lower).ok()?;
        let answer = c.solve(&b);
        let schur = (a + b.transpose() * &answer).llt(Side::Lower).ok()?;
        Some(Newton { slope: slope(own, &sums, first), b, answer, c, schur })
    }
}

/// The shared part and the rows together.
fn slope(own: Derivatives, sums: &RowSums, first: usize) -> Slope {
    let join = |mut x: Vec<f64>, mut theta: Vec<f64>, alpha: f64, [beta, by_theta]: [Vec<f64>; 2]| {
        x[ALPHA] += alpha;
        x[first..].iter_mut().zip(beta).for_each(|(x, b)| *x += b);
        theta.iter_mut().zip(by_theta).for_each(|(t, b)| *t += b);
        Point { x, theta }
    };
    let nothing = vec![0.0; own.theta.len()];
    Slope {
        value: own.value + sums.value,
        gradient: join(own.x, own.theta, sums.alpha, sums.gradient()),
        rate: join(own.rate, nothing, sums.alpha_rate, sums.rate()),
    }
}

fn column(v: &[f64]) -> Mat<f64> {
    Mat::from_fn(v.len(), 1, |i, _| v[i])
}

impl Newton {
    /// The step that takes a gradient to 0, and what it is worth: that in x, and that in θ for the old x.
    fn direction(&self, gradient: &Point) -> (Point, f64) {
        let (gx, gt) = (column(&gradient.x), column(&gradient.theta));
        let right = -(gx + self.answer.transpose() * &gt);
        let x = self.schur.solve(&right);
        let inner = self.c.solve(&gt);
        let theta = self.c.solve(&self.b * &x + &gt);
        let flat = |m: &Mat<f64>| m.col(0).iter().copied().collect::<Vec<f64>>();
        let worth = dot(&flat(&x), &flat(&right)) + dot(&flat(&inner), &gradient.theta);
        (Point { x: flat(&x), theta: flat(&theta) }, worth)
    }
}
