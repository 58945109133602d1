//! Inequalities whose one side is the supremum of a curve: their slacks with derivatives, and the search for the supremum.

use super::super::affine::Affine;
use super::super::logistic::{Arc, Curve, WHOLE, around_highest, margin};

/// The most unknowns of a row.
pub(super) const UNKNOWNS: usize = 4;
/// The constant, two inputs and the unknowns: the places of an affine function's coefficients.
pub(super) const WIDTH: usize = 3 + UNKNOWNS;

/// Coefficients of (1, α, b, ℓ).
pub(super) type Form = [f64; WIDTH];

pub(super) fn form(affine: &Affine) -> Form {
    let mut form = [0.0; WIDTH];
    form[0] = affine.constant;
    affine.terms.iter().for_each(|(variable, factor)| form[variable + 1] += factor);
    form
}

pub(super) fn inner(a: &Form, b: &Form) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// One inequality at a point: its slack, the slack's gradient, and c·dᵀd, by which the slack bends down.
pub(super) struct Slack {
    pub(super) value: f64,
    pub(super) gradient: Form,
    pub(super) bend: Option<(Form, f64)>,
}

/// An unknown that must not be below the supremum of a curve.
#[derive(Clone, Debug)]
pub(super) struct Supremum {
    pub(super) unknown: usize,
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

/// Where a curve has its maximum: the margin, w, 1−w, their logarithms, and whether it is between the ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peak {
    margin: f64,
    w: f64,
    other: f64,
    logs: (f64, f64),
    is_inside: bool,
}

impl Default for Peak {
    fn default() -> Self {
        Peak::at(0.0, true)
    }
}

impl Peak {
    fn at(margin: f64, is_inside: bool) -> Self {
        let ((w, other), logs) = (halves(margin), logs(margin));
        Peak { margin, w, other, logs, is_inside }
    }
}

impl Supremum {
    pub(super) fn new(arc: &Arc<Affine>, is_free: bool) -> Supremum {
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

    /// Where the supremum is, from where it was last.
    pub(super) fn peak(&self, v: &Form, last: &Peak) -> Peak {
        let parts = self.parts.map(|part| inner(&part, v));
        if self.shape != Shape::Parabola {
            return self.search(&parts, last.margin);
        }
        let (w, other, is_inside) = parabola(parts[3], parts[4]);
        Peak { w, other, is_inside, ..*last }
    }

    /// The unknown less the curve at its peak.
    pub(super) fn slack(&self, v: &Form, peak: &Peak) -> Slack {
        let Peak { margin, w, other, logs, is_inside } = *peak;
        let is_parabola = self.shape == Shape::Parabola;
        let first = if is_parabola { 3 } else { 0 };
        let basis = [-w * logs.0 - other * logs.1, logs.0, logs.1, w, w * w, 1.0];
        let mut gradient = [0.0; WIDTH];
        for (part, factor) in self.parts.iter().zip(basis).skip(first) {
            (0..WIDTH).for_each(|i| gradient[i] -= factor * part[i]);
        }
        gradient[3 + self.unknown] += 1.0;
        let value = inner(&gradient, v);
        if !is_inside {
            return Slack { value, gradient, bend: None };
        }
        let square = 2.0 * inner(&self.parts[4], v);
        let curve = if is_parabola {
            square
        } else {
            let [entropy, low, high] = [0, 1, 2].map(|i: usize| inner(&self.parts[i], v));
            square - entropy / (w * other) - low / (w * w) - high / (other * other)
        };
        let rates = [margin, 1.0 / w, -1.0 / other, 1.0, 2.0 * w, 0.0];
        let mut along = [0.0; WIDTH];
        for (part, rate) in self.parts.iter().zip(rates).skip(first) {
            (0..WIDTH).for_each(|i| along[i] += rate * part[i]);
        }
        let factor = if curve < 0.0 { -1.0 / curve } else { 0.0 };
        Slack { value, gradient, bend: Some((along, factor)) }
    }

    fn search(&self, parts: &[f64; 6], from: f64) -> Peak {
        let (mut low, mut high) = self.between;
        if self.shape == Shape::Free {
            let [entropy, first, second, linear, square, constant] = *parts;
            let around = around_highest(Curve { entropy, first, second, linear, square, constant }).interval;
            let (left, right) = (around.0.max(WHOLE.0), around.1.min(WHOLE.1));
            (low, high) = (margin(right), margin(left));
        }
        let slope = |s: f64, w: f64, other: f64| {
            parts[0] * s + parts[1] / w - parts[2] / other + parts[3] + 2.0 * parts[4] * w
        };
        // The slope in w falls with w and so rises with the margin.
        let mut s = from.clamp(low, high);
        let mut tried = [false; 2];
        for _ in 0..100 {
            let (w, other) = halves(s);
            let now = slope(s, w, other);
            if now > 0.0 {
                if s <= low {
                    return Peak::at(low, false);
                }
                high = s;
            } else {
                if s >= high {
                    return Peak::at(high, false);
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
        Peak::at(s, true)
    }
}

/// h''(w).
fn bend(parts: &[f64; 6], w: f64, other: f64) -> f64 {
    2.0 * parts[4] - parts[0] / (w * other) - parts[1] / (w * w) - parts[2] / (other * other)
}

/// w and 1−w for a margin.
fn halves(s: f64) -> (f64, f64) {
    let small = (-s.abs()).exp();
    let (less, more) = (small / (1.0 + small), 1.0 / (1.0 + small));
    if s > 0.0 { (less, more) } else { (more, less) }
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
