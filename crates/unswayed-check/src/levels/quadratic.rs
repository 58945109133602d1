//! Theorem E1: G_λ on a level, for λ = (α‖θ‖² + βᵀθ)/η with β = −χo + b̃.
//!
//! ```text
//! A = (αs₂ + ω − εRχρ/2)I − Σp_im_iz_iz_iᵀ ⪰ aI      s₂ = σ(2−ησ)      ρ = 1/τ'
//! v = Σp_iy_iz_i − 2αs₂o − σβ + εRρb̃
//! B = Σp_iT_i + ωx² − αs₂‖o‖² − σβᵀo + ε(C + Rρ‖b̃‖²/(2χ)) + ¼vᵀA⁻¹v
//! ```
//!
//! A and v are kept as multiples of W, the sum of the weights. For every x̂, vᵀA⁻¹v ≤ 2vᵀx̂ − x̂ᵀAx̂ + ‖v−Ax̂‖²/a.

use super::level::Levels;
use super::rows::RowQuadratics;
use super::setting::{Setting, dot};
use crate::exact::{Dyadic, ExactSum, Round, norm2, quotient};
use crate::failure::{Reason, require, require_positive};
use crate::loss::HINGE;
use crate::matrix;
use crate::parts::points::Acting;

/// Entries of W·A are rounded to so many bits below W.
const ENTRY_BITS: i64 = 60;

/// All of B but for what depends on the level.
pub(crate) struct Quadratic<'a> {
    rows: RowQuadratics<'a>,
    fixed: Dyadic,
}

impl<'a> Quadratic<'a> {
    pub(crate) fn new(setting: &'a Setting<'a>) -> Result<Self, Reason> {
        let Setting { proof, sigma, eps, radius, alpha, eta, chi, nu, .. } = setting;
        let (rho, two) = (Dyadic::new(proof.rho), Dyadic::whole(2));
        let d = quotient(&(radius * chi), &(&two * &rho), Round::Up) + alpha * eta * radius.square();
        let acting = if setting.is_hinge() { Acting::Bounded(HINGE, 1.0) } else { Acting::Logistic };
        let tilt = quotient(&(radius * &rho * norm2(&proof.tilt)), &(two * chi), Round::Up);
        let point = eps * (acting.constant(&d, &Dyadic::zero(), nu) + tilt);
        let centre = (sigma * chi - setting.curvature()) * norm2(&proof.centre);
        let slope = sigma * dot(&proof.tilt, &proof.centre);
        let fixed = (point + centre - slope + peak(setting)?).shortened(Round::Up);
        Ok(Quadratic { rows: RowQuadratics::new(setting), fixed })
    }

    /// B on level k, rounded up.
    pub(crate) fn bound(&self, setting: &Setting, levels: &Levels, k: usize) -> Result<Dyadic, Reason> {
        let x = levels.reach(k);
        let mut rows = Dyadic::zero();
        for i in 0..setting.rows.len() {
            rows = rows + setting.weight(i) * self.rows.constant(i, &levels.interval(i, k, &x))?;
        }
        let reach = Dyadic::new(setting.proof.omega) * x.square();
        Ok(quotient(&rows, &setting.total, Round::Up) + reach + &self.fixed)
    }
}

/// Σ_i w_i f_i z_ij z_ik for j ≤ k, column by column.
pub(super) fn second_moments(setting: &Setting, factors: &[f64]) -> Vec<Dyadic> {
    let rows = setting.rows;
    let mut sum = ExactSum::new();
    let mut entry = |j: usize, k: usize| {
        for (i, &f) in factors.iter().enumerate() {
            sum.add([rows.weight(i), f, rows.row(i)[j], rows.row(i)[k]]);
        }
        sum.take()
    };
    (0..rows.dimension).flat_map(|k| (0..=k).map(move |j| (j, k))).map(|(j, k)| entry(j, k)).collect()
}

/// ¼vᵀA⁻¹v, rounded up.
fn peak(setting: &Setting) -> Result<Dyadic, Reason> {
    let Setting { proof, rows, sigma, eps, radius, chi, total, .. } = setting;
    let d = rows.dimension;
    let rho = Dyadic::new(proof.rho);
    // W·A from below: every entry of the sum is rounded down, which d units on the diagonal make up for.
    let unit = total.length() - ENTRY_BITS;
    let moments: Vec<Dyadic> =
        second_moments(setting, &proof.curves).iter().map(|x| x.on_grid(unit, Round::Down)).collect();
    let base = setting.curvature() + Dyadic::new(proof.omega) - (eps * radius * chi * &rho).half();
    let diagonal = (total * base).on_grid(unit, Round::Down) - Dyadic::scaled(d.into(), unit);
    let entry = |i: usize, j: usize| {
        let (low, high) = (i.min(j), i.max(j));
        let moment = Dyadic::zero() - &moments[high * (high + 1) / 2 + low];
        if i == j { moment + &diagonal } else { moment }
    };
    let least = total * Dyadic::new(proof.least);
    require_positive(&least, "least")?;
    let definite = matrix::is_definite_by(d, |i, j| if i == j { entry(i, j) - &least } else { entry(i, j) });
    require(definite, "A − aI, with a = least", proof.least, "positive definite")?;
    let mut sum = ExactSum::new();
    let (mut inner, mut rest) = (Dyadic::zero(), Dyadic::zero());
    let at_centre = sigma * chi - Dyadic::whole(2) * setting.curvature();
    let at_tilt = eps * radius * &rho - sigma;
    for j in 0..d {
        (0..rows.len()).for_each(|i| sum.add([rows.weight(i), proof.slopes[i], rows.row(i)[j]]));
        let fixed = &at_centre * Dyadic::new(proof.centre[j]) + &at_tilt * Dyadic::new(proof.tilt[j]);
        let v = sum.take() + total * fixed;
        let x = Dyadic::new(proof.peak[j]);
        let ax = (0..d).fold(Dyadic::zero(), |sum, k| sum + entry(j, k) * Dyadic::new(proof.peak[k]));
        inner = inner + (Dyadic::whole(2) * &v - &ax) * x;
        rest = rest + (v - ax).square();
    }
    let four = Dyadic::whole(4) * total;
    Ok(quotient(&inner, &four, Round::Up) + quotient(&rest, &(four * least), Round::Up))
}
