//! What hinge rows contribute: max(J, 0) − κ max(0, 1−s) (12.1), and for the error the same less m(s)·clip(−J, 0, 1) and
//! max(0, −s), where m(s) = max(0, 1−s) − max(0, −s) (Theorem 4 with the best c, which is clip(−J, 0, 1) for κ ≥ 0).
//!
//! A kink max(x, 0) = max over q ∈ \[0, 1\] of qx is rounded to max qx − (δ/2)(q − q⁰)². Where q⁰ is the q of the solution,
//! rounding changes nothing there: solving again with the last q as q⁰ is the method of multipliers.

use super::program::{Bend, Envelope, Program};

/// max(x, 0), its kink rounded over the width δ around a multiplier.
#[derive(Clone, Copy)]
struct Kink {
    value: f64,
    /// The first derivative: the multiplier q.
    slope: f64,
    bend: f64,
}

fn kink(x: f64, centre: f64, width: f64) -> Kink {
    let free = centre + x / width;
    let q = free.clamp(0.0, 1.0);
    let inside = free > 0.0 && free < 1.0;
    let off = q - centre;
    Kink { value: q * x - 0.5 * width * off * off, slope: q, bend: if inside { 1.0 / width } else { 0.0 } }
}

/// Hinge rows and their loss.
pub(super) struct HingeLoss<'p, 'a> {
    pub program: &'p Program<'a>,
    /// The widths of the kinks in J and in s.
    pub widths: [f64; 2],
    /// The multipliers of max(J, 0) and of max(0, 1−s).
    pub centres: Vec<[f64; 2]>,
}

impl HingeLoss<'_, '_> {
    /// The multipliers at a point.
    pub fn multipliers(&self, alpha: f64, products: &[[f64; 2]]) -> Vec<[f64; 2]> {
        let at = |(i, [b, s]): (usize, &[f64; 2])| {
            let jump = (1.0 - self.program.eps) * (self.program.jump_slope(i) * alpha + b);
            let [q, u] = self.centres[i];
            [kink(jump, q, self.widths[0]).slope, kink(1.0 - s, u, self.widths[1]).slope]
        };
        products.iter().enumerate().map(at).collect()
    }
}

impl Envelope for HingeLoss<'_, '_> {
    fn at(&self, i: usize, alpha: f64, b: f64, s: f64) -> Bend {
        let (program, [q, u]) = (self.program, self.centres[i]);
        let (benign, c) = (1.0 - program.eps, program.jump_slope(i));
        let up = kink(benign * (c * alpha + b), q, self.widths[0]);
        let down = kink(1.0 - s, u, self.widths[1]);
        let (kappa, slope) = (program.kappa(alpha), program.kappa_slope());
        let bend = benign * benign * up.bend;
        Bend {
            value: up.value - kappa * down.value,
            alpha: benign * c * up.slope - slope * down.value,
            b: benign * up.slope,
            s: kappa * down.slope,
            alpha_alpha: c * c * bend,
            alpha_b: c * bend,
            alpha_s: slope * down.slope,
            b_b: bend,
            b_s: 0.0,
            s_s: -kappa * down.bend,
        }
    }
}

/// Hinge rows and their error.
pub(super) struct HingeError<'p, 'a> {
    pub program: &'p Program<'a>,
    /// The widths of the kinks in J and in s.
    pub widths: [f64; 2],
}

/// The shares of Theorem 4: u, u' and c.
pub(super) type Shares = [f64; 3];

impl HingeError<'_, '_> {
    /// The shares of a row.
    pub fn shares(&self, i: usize, alpha: f64, b: f64, s: f64) -> Shares {
        let jump = (1.0 - self.program.eps) * (self.program.jump_slope(i) * alpha + b);
        let width = self.widths[1];
        [kink(1.0 - s, 0.5, width).slope, kink(-s, 0.5, width).slope, (-jump).clamp(0.0, 1.0)]
    }
}

impl Envelope for HingeError<'_, '_> {
    fn at(&self, i: usize, alpha: f64, b: f64, s: f64) -> Bend {
        let (program, [width_j, width_s]) = (self.program, self.widths);
        let (benign, c) = (1.0 - program.eps, program.jump_slope(i));
        let jump = benign * (c * alpha + b);
        // max(J, 0) = J + max(−J, 0), and clip(−J, 0, 1) is the difference of two kinks.
        let (low, far) = (kink(-jump, 0.5, width_j), kink(-jump - 1.0, 0.5, width_j));
        let (hinge, wrong) = (kink(1.0 - s, 0.5, width_s), kink(-s, 0.5, width_s));
        let (share, by_j, by_jj) = (low.value - far.value, far.slope - low.slope, low.bend - far.bend);
        let (m, by_s, by_ss) =
            (hinge.value - wrong.value, wrong.slope - hinge.slope, hinge.bend - wrong.bend);
        let (kappa, slope) = (program.kappa(alpha), program.kappa_slope());
        // Ψ = J + low − share·m − κ·hinge − wrong.
        let (j, jj) = (1.0 - low.slope - by_j * m, low.bend - by_jj * m);
        let (ds, dss) = (
            -share * by_s + kappa * hinge.slope + wrong.slope,
            -share * by_ss - kappa * hinge.bend - wrong.bend,
        );
        let (js, bend) = (-by_j * by_s, benign * benign * jj);
        Bend {
            value: jump + low.value - share * m - kappa * hinge.value - wrong.value,
            alpha: benign * c * j - slope * hinge.value,
            b: benign * j,
            s: ds,
            alpha_alpha: c * c * bend,
            alpha_b: c * bend,
            alpha_s: benign * c * js + slope * hinge.slope,
            b_b: bend,
            b_s: benign * js,
            s_s: dss,
        }
    }
}
