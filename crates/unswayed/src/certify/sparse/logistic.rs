//! What logistic rows contribute, by Lemma L3 with the best y:
//!
//! ```text
//! Ψ = max over w of  κ0 H(w) + (1−ε)(bw + αηnw²) + κ log(1−w) + κ min(0, s − log((1−w)/w)).
//! ```
//!
//! For fixed y the function of Lemma L3 is concave in w (if ηn < 4k) and linear in y, so the order of min over y and max over w
//! does not matter. Three cases: the maximum is where w = π(s), with 0 ≤ y ≤ κ; or above it, y = 0; or below it, y = κ.

use super::program::{Bend, Envelope, Program};

/// Margins beyond this are cut: e^−35 is below every rounding.
const FARTHEST: f64 = 35.0;
/// Newton steps for one row.
const MOST_STEPS: usize = 60;

/// Logistic rows and their loss.
pub(super) struct LogisticLoss<'p, 'a> {
    pub program: &'p Program<'a>,
}

/// The numbers of a row that do not depend on w: of h(w) = κ0H + y log w + (κ−y) log(1−w) + bw + cw².
struct Row {
    kappa0: f64,
    kappa: f64,
    b: f64,
    c: f64,
}

/// 1/(1 + e^t).
fn share(t: f64) -> f64 {
    1.0 / (1.0 + t.clamp(-FARTHEST, FARTHEST).exp())
}

/// H(w).
fn entropy(w: f64) -> f64 {
    -w * w.ln() - (1.0 - w) * (-w).ln_1p()
}

impl Row {
    /// h'(w) with y of κ on w.
    fn slope(&self, w: f64, y: f64) -> f64 {
        self.kappa0 * ((1.0 - w) / w).ln() + y / w - (self.kappa - y) / (1.0 - w) + self.b + 2.0 * self.c * w
    }

    fn bend(&self, w: f64, y: f64) -> f64 {
        let other = 1.0 - w;
        2.0 * self.c - self.kappa0 / (w * other) - y / (w * w) - (self.kappa - y) / (other * other)
    }

    /// The w where h is largest, by Newton's method in t = log((1−w)/w) within a bracket.
    fn peak(&self, y: f64) -> f64 {
        let (mut low, mut high, mut t) = (-FARTHEST, FARTHEST, 0.0_f64);
        for _ in 0..MOST_STEPS {
            let w = share(t);
            let slope = self.slope(w, y);
            // w falls as t grows: where h still rises in w, t must fall.
            if slope > 0.0 {
                high = t;
            } else {
                low = t;
            }
            let step = slope / (self.bend(w, y) * w * (1.0 - w));
            let newton = t + step;
            let next = if newton > low && newton < high { newton } else { f64::midpoint(low, high) };
            if (next - t).abs() <= 1e-14 * (1.0 + t.abs()) {
                return share(next);
            }
            t = next;
        }
        share(t)
    }

    fn height(&self, w: f64, y: f64) -> f64 {
        self.kappa0 * entropy(w) + y * w.ln() + (self.kappa - y) * (-w).ln_1p() + w * (self.b + self.c * w)
    }
}

impl LogisticLoss<'_, '_> {
    fn row(&self, i: usize, alpha: f64, b: f64) -> Row {
        let program = self.program;
        let (kappa0, benign) = (program.kappa_slope() * alpha, 1.0 - program.eps);
        let c = benign * alpha * program.eta * program.squared[i];
        Row { kappa0, kappa: kappa0 - 1.0, b: benign * b, c }
    }

    /// y/κ of a row, and for it the w and the height T of Lemma L3.
    pub fn line(&self, i: usize, alpha: f64, b: f64, s: f64) -> [f64; 3] {
        let row = self.row(i, alpha, b);
        let y = row.kink(s).0.clamp(0.0, row.kappa);
        let w = row.peak(y);
        [if row.kappa > 0.0 { y / row.kappa } else { 0.0 }, w, row.height(w, y)]
    }
}

impl Row {
    /// y at w = π(s), if that is where the maximum is; and w.
    fn kink(&self, s: f64) -> (f64, f64) {
        let w = share(s);
        (self.kappa * w - w * (1.0 - w) * (self.kappa0 * s + self.b + 2.0 * self.c * w), w)
    }
}

impl Envelope for LogisticLoss<'_, '_> {
    fn at(&self, i: usize, alpha: f64, b: f64, s: f64) -> Bend {
        let (program, row) = (self.program, self.row(i, alpha, b));
        let (benign, k) = (1.0 - program.eps, program.kappa_slope());
        // c = c'α.
        let rate = benign * program.eta * program.squared[i];
        let (y, w) = row.kink(s);
        if (0.0..=row.kappa).contains(&y) {
            let (m, pull) = (w * (1.0 - w), row.kappa0 * s + row.b + 2.0 * row.c * w);
            let loss = if s > 0.0 { (-s).exp().ln_1p() } else { s.exp().ln_1p() - s };
            return Bend {
                value: row.kappa0 * s * w + loss + w * (row.b + row.c * w),
                alpha: k * s * w + rate * w * w,
                b: benign * w,
                s: y,
                alpha_s: k * w - m * (k * s + 2.0 * rate * w),
                b_s: -benign * m,
                s_s: -row.kappa * m + m * (1.0 - 2.0 * w) * pull - m * (row.kappa0 - 2.0 * row.c * m),
                ..Bend::default()
            };
        }
        // One end of y: its w is found from the side that s is not on.
        let y = if y < 0.0 { 0.0 } else { row.kappa };
        let (w, at_end) = (row.peak(y), y > 0.0);
        let turn = if at_end { 1.0 / w } else { -1.0 / (1.0 - w) };
        let by_alpha = k * (((1.0 - w) / w).ln() + turn) + 2.0 * rate * w;
        let bend = -1.0 / row.bend(w, y);
        let logarithm = if at_end { w.ln() + s } else { (-w).ln_1p() };
        Bend {
            value: row.height(w, y) + y * s,
            alpha: k * (entropy(w) + logarithm) + rate * w * w,
            b: benign * w,
            s: y,
            alpha_alpha: by_alpha * by_alpha * bend,
            alpha_b: benign * by_alpha * bend,
            alpha_s: if at_end { k } else { 0.0 },
            b_b: benign * benign * bend,
            ..Bend::default()
        }
    }
}
