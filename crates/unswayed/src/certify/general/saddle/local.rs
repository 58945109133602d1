//! One row's own problem: its best line for given (α, b, s), with a barrier for the inequalities of its unknowns ℓ.
//!
//! ```text
//! Ψ(α, b, s) = min over ℓ   cost + s·slope − μ Σ log slack_k
//! ```
//!
//! Slacks are affine in (α, b, ℓ), or an unknown less the supremum of a curve. Newton's method finds ℓ, one-dimensional searches find
//! the suprema, and what the rest of the program sees are the derivatives of Ψ: convex in (α, b), concave in s.

use std::array::from_fn;

use super::super::affine::Affine;
use super::super::logistic::{Arc, Curve, WHOLE, margin};
use super::super::rows::RowConstraints;

/// The most unknowns of a row.
pub(super) const UNKNOWNS: usize = 4;
/// The most curves of a row.
pub(super) const CURVES: usize = 4;
/// The constant, two inputs and the unknowns: the places of an affine function's coefficients.
const WIDTH: usize = 3 + UNKNOWNS;
/// Newton steps for one row, at most.
const MOST_STEPS: usize = 60;
/// They end when the next would be worth less than this, relative to μ.
const ENOUGH: f64 = 1e-13;

/// Coefficients of (1, α, b, ℓ).
pub(super) type Form = [f64; WIDTH];

/// An unknown that must not be below the supremum of a curve.
#[derive(Clone, Debug)]
struct Supremum {
    unknown: usize,
    /// Margins between which w is searched, in rising order.
    between: (f64, f64),
    /// Coefficients of the entropy, log w, log(1−w), w, w² and 1.
    parts: [Form; 6],
    shape: Shape,
}

/// How a curve's maximiser is found.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    /// In closed form.
    Parabola,
    /// By Newton's steps between the ends.
    Concave,
    /// The same, around the highest point of a grid.
    Free,
}

/// The problem of one row.
#[derive(Clone, Debug)]
pub(super) struct Local {
    unknowns: usize,
    fixed: Box<[Form]>,
    suprema: Box<[Supremum]>,
    cost: Form,
    slope: Form,
}

/// Where a row's unknowns are, and the margins of its curves' maximisers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    pub(super) own: [f64; UNKNOWNS],
    pub(super) margins: [f64; CURVES],
}

/// Ψ and its derivatives in u = (α, b, s).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slopes {
    /// Ψ without barriers.
    pub(super) value: f64,
    pub(super) gradient: [f64; 3],
    /// Of the gradient in μ.
    pub(super) rate: [f64; 3],
    /// αα, αb, bb, αs, bs, ss.
    pub(super) hessian: [f64; 6],
    /// Of ℓ in α, b, s and μ.
    pub(super) follow: [[f64; UNKNOWNS]; 4],
}

/// One inequality at a point: its slack, the slack's gradient, and c·dᵀd, by which the slack bends down.
struct Slack {
    value: f64,
    gradient: Form,
    bend: Option<(Form, f64)>,
}

/// Gradient and Hessian of the barrier function in (α, b, ℓ); `pull` is Σ ∇slack/slack.
struct Expansion {
    pull: Form,
    hessian: [[f64; WIDTH]; WIDTH],
}

fn form(affine: &Affine) -> Form {
    let mut form = [0.0; WIDTH];
    form[0] = affine.constant;
    affine.terms.iter().for_each(|(variable, factor)| form[variable + 1] += factor);
    form
}

fn inner(a: &Form, b: &Form) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Local {
    /// From a row's place in the conic program, its variables being α, b and the unknowns in this order.
    pub(super) fn new(unknowns: usize, part: &RowConstraints) -> Local {
        let supremum = |arc: &Arc<Affine>| Supremum::new(arc, false);
        Local {
            unknowns,
            fixed: part.fixed.iter().map(form).collect(),
            suprema: part.curves.iter().map(supremum).collect(),
            cost: form(&part.cost),
            slope: form(&part.slope),
        }
    }

    /// A number C ≥ 0 that costs so much, not below some functions of two inputs and the supremum of a curve.
    pub(super) fn constant(price: f64, floors: &[Affine], curve: Option<Curve<Affine>>) -> Local {
        let above = |floor: &Affine| form(&(Affine::of(2) - floor.clone()));
        let free = |curve: Curve<Affine>| Supremum::new(&curve.everywhere(), true);
        Local {
            unknowns: 1,
            fixed: floors.iter().map(above).chain([form(&Affine::of(2))]).collect(),
            suprema: curve.map(free).into_iter().collect(),
            cost: form(&(Affine::of(2) * price)),
            slope: [0.0; WIDTH],
        }
    }

    /// How many inequalities there are.
    pub(super) fn count(&self) -> f64 {
        (self.fixed.len() + self.suprema.len()) as f64
    }

    fn slack(&self, k: usize, v: &Form, margins: &mut [f64; CURVES]) -> Slack {
        if let Some(fixed) = self.fixed.get(k) {
            return Slack { value: inner(fixed, v), gradient: *fixed, bend: None };
        }
        let c = k - self.fixed.len();
        self.suprema[c].slack(v, &mut margins[c])
    }

    fn all(&self) -> std::ops::Range<usize> {
        0..self.fixed.len() + self.suprema.len()
    }

    fn expand(&self, v: &Form, mu: f64, margins: &mut [f64; CURVES]) -> Option<Expansion> {
        let mut of = Expansion { pull: [0.0; WIDTH], hessian: [[0.0; WIDTH]; WIDTH] };
        for k in self.all() {
            let Slack { value, gradient, bend } = self.slack(k, v, margins);
            if value.is_nan() || value <= 0.0 {
                return None;
            }
            (1..WIDTH).for_each(|i| of.pull[i] += gradient[i] / value);
            of.add(&gradient, mu / (value * value));
            if let Some((along, factor)) = bend {
                of.add(&along, mu / value * factor);
            }
        }
        Some(of)
    }

    /// Raises T and the unknowns that suprema are about until the inequalities that have them hold.
    fn raised(&self, at: &Place, [alpha, b]: [f64; 2], mu: f64) -> Place {
        let mut place = *at;
        let mut v = self.point(&place, [alpha, b]);
        let tops = std::iter::once(0).chain(self.suprema.iter().map(|s| s.unknown));
        for unknown in tops {
            let mut need: f64 = 0.0;
            for k in self.all() {
                let slack = self.slack(k, &v, &mut place.margins);
                let factor = slack.gradient[3 + unknown];
                if factor > 0.0 {
                    need = need.max((mu - slack.value) / factor);
                }
            }
            v[3 + unknown] += need;
            place.own[unknown] += need;
        }
        place
    }

    fn point(&self, place: &Place, [alpha, b]: [f64; 2]) -> Form {
        let mut v = [1.0, alpha, b, 0.0, 0.0, 0.0, 0.0];
        v[3..3 + self.unknowns].copy_from_slice(&place.own[..self.unknowns]);
        v
    }

    /// A place with positive slacks: what was expected, or that with T raised, or one that is always inside if there is any.
    fn begin(&self, from: &Place, inside: &Place, inputs: [f64; 2], mu: f64) -> Option<(Place, Expansion)> {
        let expanded = |mut place: Place| {
            let of = self.expand(&self.point(&place, inputs), mu, &mut place.margins)?;
            Some((place, of))
        };
        expanded(*from)
            .or_else(|| expanded(self.raised(from, inputs, mu)))
            .or_else(|| expanded(self.raised(inside, inputs, mu)))
    }

    /// The best unknowns and the derivatives of Ψ there, from where they were expected; `inside` is where to begin if that is
    /// outside. `None` if no line is allowed.
    pub(super) fn solve(
        &self,
        from: &Place,
        inside: &Place,
        u: [f64; 3],
        mu: f64,
    ) -> Option<(Place, Slopes)> {
        let inputs = [u[0], u[1]];
        let (mut place, mut of) = self.begin(from, inside, inputs, mu)?;
        for _ in 0..MOST_STEPS {
            let small = self.factor(&of)?;
            let mut force = [0.0; UNKNOWNS];
            for (i, force) in force.iter_mut().enumerate().take(self.unknowns) {
                *force = mu * of.pull[3 + i] - self.cost[3 + i] - u[2] * self.slope[3 + i];
            }
            let step = small.solve(&force);
            let size = step.iter().zip(&force).map(|(a, b)| a * b).sum::<f64>() / mu;
            if size < ENOUGH {
                break;
            }
            if !size.is_finite() {
                return None;
            }
            let part = if size > 0.06 { 1.0 / (1.0 + size.sqrt()) } else { 1.0 };
            (place, of) = self.along(&place, &step, part, inputs, mu)?;
        }
        let slopes = self.slopes(&place, &of, u, mu)?;
        Some((place, slopes))
    }

    /// A part of a step, less if that leaves the inside.
    fn along(
        &self,
        from: &Place,
        step: &[f64; UNKNOWNS],
        mut part: f64,
        inputs: [f64; 2],
        mu: f64,
    ) -> Option<(Place, Expansion)> {
        while part > 1e-10 {
            let mut place = *from;
            place.own.iter_mut().zip(step).for_each(|(own, step)| *own += part * step);
            if let Some(of) = self.expand(&self.point(&place, inputs), mu, &mut place.margins) {
                return Some((place, of));
            }
            part /= 2.0;
        }
        None
    }

    fn factor(&self, of: &Expansion) -> Option<Small> {
        Small::new(self.unknowns, |i, j| of.hessian[3 + i][3 + j])
    }

    /// Derivatives of Ψ where ℓ is best.
    fn slopes(&self, place: &Place, of: &Expansion, u: [f64; 3], mu: f64) -> Option<Slopes> {
        let v = self.point(place, [u[0], u[1]]);
        let small = self.factor(of)?;
        let m = self.unknowns;
        // How the force on ℓ changes with α, b, s and μ.
        let force = |which: usize, i: usize| match which {
            0 | 1 => -of.hessian[1 + which][3 + i],
            2 => -self.slope[3 + i],
            _ => of.pull[3 + i],
        };
        let push: [[f64; UNKNOWNS]; 4] =
            from_fn(|which| from_fn(|i| if i < m { force(which, i) } else { 0.0 }));
        let follow = push.map(|push| small.solve(&push));
        let answer = |i: usize, j: usize| -> f64 { (0..m).map(|l| push[i][l] * follow[j][l]).sum() };
        let direct = |i: usize| self.cost[1 + i] + u[2] * self.slope[1 + i] - mu * of.pull[1 + i];
        let slope = inner(&self.slope, &v);
        Some(Slopes {
            value: inner(&self.cost, &v) + u[2] * slope,
            gradient: [direct(0), direct(1), slope],
            rate: [-of.pull[1] - answer(0, 3), -of.pull[2] - answer(1, 3), -answer(2, 3)],
            hessian: [
                of.hessian[1][1] - answer(0, 0),
                of.hessian[1][2] - answer(0, 1),
                of.hessian[2][2] - answer(1, 1),
                self.slope[1] - answer(0, 2),
                self.slope[2] - answer(1, 2),
                -answer(2, 2),
            ],
            follow,
        })
    }
}

impl Expansion {
    fn add(&mut self, along: &Form, factor: f64) {
        for i in 1..WIDTH {
            let scaled = factor * along[i];
            if scaled != 0.0 {
                (1..WIDTH).for_each(|j| self.hessian[i][j] += scaled * along[j]);
            }
        }
    }
}

impl Supremum {
    fn new(arc: &Arc<Affine>, is_free: bool) -> Supremum {
        let curve = &arc.curve;
        let parts =
            [&curve.entropy, &curve.first, &curve.second, &curve.linear, &curve.square, &curve.constant]
                .map(form);
        let is_parabola = parts[..3].iter().flatten().all(|x| *x == 0.0);
        let (low, high) = arc.interval;
        let shape = match (is_parabola, is_free) {
            (true, _) => Shape::Parabola,
            (false, true) => Shape::Free,
            (false, false) => Shape::Concave,
        };
        Supremum { unknown: arc.unknown, between: (margin(high), margin(low)), parts, shape }
    }

    /// The unknown less the supremum.
    fn slack(&self, v: &Form, at: &mut f64) -> Slack {
        let parts = self.parts.map(|part| inner(&part, v));
        let (w, other, is_inside) = match self.shape {
            Shape::Parabola => parabola(parts[3], parts[4]),
            _ => self.search(&parts, at),
        };
        let (log, other_log) = if self.shape == Shape::Parabola { (0.0, 0.0) } else { logs(*at) };
        let basis = [-w * log - other * other_log, log, other_log, w, w * w, 1.0];
        let mut gradient = [0.0; WIDTH];
        for (part, factor) in self.parts.iter().zip(basis) {
            (0..WIDTH).for_each(|i| gradient[i] -= factor * part[i]);
        }
        gradient[3 + self.unknown] += 1.0;
        let value = inner(&gradient, v);
        if !is_inside {
            return Slack { value, gradient, bend: None };
        }
        let (rates, curve) = if self.shape == Shape::Parabola {
            ([0.0, 0.0, 0.0, 1.0, 2.0 * w, 0.0], 2.0 * parts[4])
        } else {
            ([*at, 1.0 / w, -1.0 / other, 1.0, 2.0 * w, 0.0], bend(&parts, w, other))
        };
        let mut along = [0.0; WIDTH];
        for (part, rate) in self.parts.iter().zip(rates) {
            (0..WIDTH).for_each(|i| along[i] += rate * part[i]);
        }
        let factor = if curve < 0.0 { -1.0 / curve } else { 0.0 };
        Slack { value, gradient, bend: Some((along, factor)) }
    }

    /// w and 1−w of the maximiser, and whether it is between the ends; `at` is its margin.
    fn search(&self, parts: &[f64; 6], at: &mut f64) -> (f64, f64, bool) {
        let (mut low, mut high) = self.between;
        if self.shape == Shape::Free {
            let curve = Curve {
                entropy: parts[0],
                first: parts[1],
                second: parts[2],
                linear: parts[3],
                square: parts[4],
                constant: parts[5],
            };
            let around = super::super::logistic::around_highest(curve).interval;
            let (left, right) = (around.0.max(WHOLE.0), around.1.min(WHOLE.1));
            (low, high) = (margin(right), margin(left));
        }
        let slope = |s: f64, w: f64, other: f64| {
            parts[0] * s + parts[1] / w - parts[2] / other + parts[3] + 2.0 * parts[4] * w
        };
        let halves = |s: f64| {
            let small = (-s.abs()).exp();
            let (less, more) = (small / (1.0 + small), 1.0 / (1.0 + small));
            if s > 0.0 { (less, more) } else { (more, less) }
        };
        // The slope in w falls with w and so rises with the margin.
        let mut s = at.clamp(low, high);
        let mut tried = [false; 2];
        for _ in 0..100 {
            let (w, other) = halves(s);
            let now = slope(s, w, other);
            if now > 0.0 {
                if s <= low {
                    *at = low;
                    return (w, other, false);
                }
                high = s;
            } else {
                if s >= high {
                    *at = high;
                    return (w, other, false);
                }
                low = s;
            }
            let newton = s - now / (bend(parts, w, other) * -w * other);
            // An end is tried once before it counts as a bracket.
            let next = if newton > low && newton < high {
                newton
            } else if newton <= low && !tried[0] && low <= self.between.0 {
                tried[0] = true;
                low
            } else if newton >= high && !tried[1] && high >= self.between.1 {
                tried[1] = true;
                high
            } else {
                f64::midpoint(low, high)
            };
            // Newton's next error is about the square of this one; more is below rounding.
            let is_last = (next - s).abs() <= 1e-8 * (1.0 + s.abs());
            s = next;
            if is_last {
                break;
            }
        }
        *at = s;
        let (w, other) = halves(s);
        (w, other, true)
    }
}

/// h''(w).
fn bend(parts: &[f64; 6], w: f64, other: f64) -> f64 {
    2.0 * parts[4] - parts[0] / (w * other) - parts[1] / (w * w) - parts[2] / (other * other)
}

/// log w and log(1−w) for a margin.
fn logs(s: f64) -> (f64, f64) {
    if s > 0.0 {
        let other = -(-s).exp().ln_1p();
        (other - s, other)
    } else {
        let log = -s.exp().ln_1p();
        (log, log + s)
    }
}

/// w and 1−w of the largest bw + cw² on [0, 1], and whether it is between the ends.
fn parabola(b: f64, c: f64) -> (f64, f64, bool) {
    let vertex = -0.5 * b / c;
    if c < 0.0 && vertex > 0.0 && vertex < 1.0 {
        (vertex, 1.0 - vertex, true)
    } else if b + c > 0.0 {
        (1.0, 0.0, false)
    } else {
        (0.0, 1.0, false)
    }
}

/// The Cholesky factor of a small matrix.
struct Small {
    size: usize,
    factor: [[f64; UNKNOWNS]; UNKNOWNS],
}

impl Small {
    fn new(size: usize, entry: impl Fn(usize, usize) -> f64) -> Option<Small> {
        let mut factor = [[0.0; UNKNOWNS]; UNKNOWNS];
        for i in 0..size {
            for j in 0..=i {
                let sum: f64 = (0..j).map(|k| factor[i][k] * factor[j][k]).sum();
                let rest = entry(i, j) - sum;
                if i == j {
                    // Where rounding leaves nothing, the direction has no curvature to speak of.
                    let least = 1e-15 * entry(i, i);
                    if rest.max(least).is_nan() || rest.max(least) <= 0.0 {
                        return None;
                    }
                    factor[i][i] = rest.max(least).sqrt();
                } else {
                    factor[i][j] = rest / factor[j][j];
                }
            }
        }
        Some(Small { size, factor })
    }

    fn solve(&self, right: &[f64; UNKNOWNS]) -> [f64; UNKNOWNS] {
        let mut x = *right;
        for i in 0..self.size {
            let sum: f64 = (0..i).map(|k| self.factor[i][k] * x[k]).sum();
            x[i] = (x[i] - sum) / self.factor[i][i];
        }
        for i in (0..self.size).rev() {
            let sum: f64 = (i + 1..self.size).map(|k| self.factor[k][i] * x[k]).sum();
            x[i] = (x[i] - sum) / self.factor[i][i];
        }
        x
    }
}
