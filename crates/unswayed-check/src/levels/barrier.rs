//! Lemma E3: the mean change of the barrier λ_b = (c/η)·e^{γ(Y−Ȳ)}, Y = √(V−v₀+a²), in each shell between two levels; and
//! (E4), a bound of G_λ for all models of the kept ball.

use std::fmt::Display;

use super::LevelsProof;
use super::level::Levels;
use super::logistic::activity;
use super::quadratic::second_moments;
use super::setting::Setting;
use crate::exact::{Dyadic, Round, norm2, quotient, sqrt_down, sqrt_up};
use crate::exp::exp;
use crate::failure::{Reason, require, require_not_negative, require_positive};
use crate::matrix;

/// A little more than sup s/(1 + e^s), by Lemma L8.
const LAMBERT: f64 = 0.278_470_1;
/// Exponents are not taken beyond this; a smaller one weakens a negative drift.
const LARGEST_EXPONENT: u64 = 700;
/// Second moments are rounded to so many bits below W.
const MOMENT_BITS: i64 = 60;

/// G_∞ of (E4), rounded up.
pub(crate) fn anywhere(setting: &Setting) -> Dyadic {
    let Setting { proof, sigma, eps, radius, norm, nu, chi, benign, total, .. } = setting;
    let zero = Dyadic::zero();
    let (lambert, one) = (Dyadic::new(LAMBERT), Dyadic::whole(1));
    let row = |s: &Dyadic| {
        if setting.is_hinge() {
            (&one - s).max(zero.clone())
        } else {
            (&zero - s).max(zero.clone()) + &lambert
        }
    };
    let sum = setting.margins.iter().enumerate();
    let sum = sum.fold(Dyadic::zero(), |sum, (i, s)| sum + setting.weight(i) * row(s));
    let rows = quotient(&(benign * sum), total, Round::Up);
    let pull = sigma * sqrt_up(&norm2(&proof.centre)) + eps * radius;
    let middle = quotient(&pull.square(), &(Dyadic::whole(4) * sigma), Round::Up);
    let most = if setting.is_hinge() { one.clone() } else { lambert.clone() };
    let second = &setting.alpha * &setting.eta * norm.square();
    let tilt = Dyadic::whole(2) * norm * sqrt_up(&norm2(&proof.tilt));
    (one + chi * (rows + middle) + nu * most + second + tilt).shortened(Round::Up)
}

/// S₁ and S₂ of some shells.
struct Moments {
    /// √S₁
    root: Dyadic,
    spread: Dyadic,
}

/// What Lemma E3 needs in every shell.
struct Barrier<'a> {
    setting: &'a Setting<'a>,
    levels: &'a Levels<'a>,
    near: Moments,
    far: Moments,
    gamma: Dyadic,
    /// L
    lipschitz: Dyadic,
    /// e^t̄ and e^{t̄+t̄₂}
    jump: Dyadic,
    jumps: Dyadic,
}

/// The barrier in a shell.
#[derive(Clone, Debug)]
pub(crate) struct Drift {
    /// Y on the lower level, rounded down, and on the upper one, rounded up.
    pub(crate) edges: [Dyadic; 2],
    /// K, rounded up.
    pub(crate) growth: Dyadic,
    /// b, rounded up.
    pub(crate) size: Dyadic,
}

/// The barrier in every shell, after the conditions of Theorem E4 on it.
pub(crate) fn drifts(setting: &Setting, levels: &Levels) -> Result<Vec<Drift>, Reason> {
    let Setting { proof, sigma, benign, norm, .. } = setting;
    let two = Dyadic::whole(2);
    // v₀ + v_K ≥ (1−ε)(1 + n̂²/σ) + n̂²/(2σ), times 2σ
    let reached = &two * sigma * levels.top();
    let wanted = &two * benign * (sigma + norm.square()) + norm.square();
    require_not_negative(&(reached - wanted), "2σ(v₀ + the last height) − 2σ·(the largest F)")?;
    let barrier = Barrier::new(setting, levels)?;
    (0..proof.heights.len()).map(|k| barrier.drift(k)).collect()
}

impl<'a> Barrier<'a> {
    fn new(setting: &'a Setting<'a>, levels: &'a Levels<'a>) -> Result<Self, Reason> {
        let Setting { proof, sigma, benign, eta, norm, .. } = setting;
        let (two, four) = (Dyadic::whole(2), Dyadic::whole(4));
        let gamma = Dyadic::new(proof.steepness);
        let room = Dyadic::new(proof.offset) - &levels.gap;
        require_positive(&room, "offset − (v₀ − F_q)")?;
        if setting.learner.batch > 1 {
            let convex = gamma.square() * &room - Dyadic::whole(1);
            require_not_negative(&convex, "γ²(a² − gap) − 1, for batches,")?;
        }
        let near = moments(setting, &near_activities(setting, levels), proof.spread_near, "spread_near")?;
        let far = moments(setting, &vec![1.0; setting.rows.len()], proof.spread_far, "spread_far")?;
        let lipschitz = if setting.is_hinge() {
            quotient(&Dyadic::whole(1), &setting.smoothing, Round::Up)
        } else {
            sigma + (benign * Dyadic::new(proof.spread_far)).half().half()
        };
        let longest = &two * norm * eta;
        let first = &gamma * &longest * sqrt_up(&lipschitz.clone().half());
        let lowest = sqrt_down(&room);
        let second = quotient(&(&gamma * &lipschitz * longest.square()), &(four * lowest), Round::Up);
        let largest = Dyadic::whole(LARGEST_EXPONENT);
        let total = &first + second;
        require_not_negative(&(largest - &total), "700 − (t̄ + t̄₂)")?;
        let (jump, jumps) = (exp(&first, Round::Up), exp(&total, Round::Up));
        Ok(Barrier { setting, levels, near, far, gamma, lipschitz, jump, jumps })
    }

    /// The barrier in shell k.
    fn drift(&self, k: usize) -> Result<Drift, Reason> {
        let Setting { proof, sigma, eta, eps, radius, norm, .. } = self.setting;
        let (two, four) = (Dyadic::whole(2), Dyadic::whole(4));
        let offset = Dyadic::new(proof.offset);
        let low = if k == 0 { Dyadic::zero() - &self.levels.gap } else { Dyadic::new(proof.heights[k - 1]) };
        let y0 = sqrt_down(&(&low + &offset));
        let y1 = sqrt_up(&(Dyadic::new(proof.heights[k]) + offset));
        let moments = if k < proof.near { &self.near } else { &self.far };
        let gamma_eta = &self.gamma * eta;
        let variance = quotient(&(&gamma_eta * &moments.spread * &self.jump), &(&four * &y0), Round::Up);
        let c2 = Dyadic::whole(1) - variance;
        require_positive(&c2, format_args!("c₂ of shell {k}"))?;
        // −c₂r² + εRr for r ≥ √(2σ'·low)
        let push = eps * radius;
        let slope =
            quotient(&(&two * sigma * low.max(Dyadic::zero())), &self.levels.softening(), Round::Down);
        let r = sqrt_down(&slope);
        let mean = if (&two * &c2 * &r - &push).is_negative() {
            quotient(&push.square(), &(&four * &c2), Round::Up)
        } else {
            (&push - &c2 * &r) * r
        };
        let divisor = if mean.is_positive() { &y0 } else { &y1 };
        let zeta = quotient(&(&gamma_eta * mean), &(two * divisor), Round::Up);
        let reach = self.levels.reach(k) + sqrt_up(&norm2(&proof.centre));
        // σt
        let pull = (sigma * reach).min(norm.clone());
        let second = &self.jumps * &gamma_eta * eta * &self.lipschitz * (&moments.root + pull).square();
        let second = quotient(&second, &(four * &y0), Round::Up);
        let largest = Dyadic::whole(LARGEST_EXPONENT);
        let zeta = zeta.max(Dyadic::zero() - &largest);
        require_not_negative(&(&largest - &zeta), format_args!("700 − ζ of shell {k}"))?;
        let growth = exp(&zeta, Round::Up) - Dyadic::whole(1) + second;
        let power = if growth.is_positive() {
            power_up(proof, &y1, format_args!("700 − γ(Y − Ȳ) of shell {k}"))?
        } else {
            power_down(proof, &y0)
        };
        let size = Dyadic::new(proof.size) * &growth * power;
        Ok(Drift { edges: [y0, y1], size: quotient(&size, eta, Round::Up), growth })
    }
}

/// e^{γ(Y−Ȳ)}, rounded up; an exponent that is too large is refused by this name.
pub(super) fn power_up(proof: &LevelsProof, y: &Dyadic, name: impl Display) -> Result<Dyadic, Reason> {
    let largest = Dyadic::whole(LARGEST_EXPONENT);
    let exponent = Dyadic::new(proof.steepness) * (y - Dyadic::new(proof.anchor));
    require_not_negative(&(&largest - &exponent), name)?;
    Ok(exp(&exponent.max(Dyadic::zero() - largest), Round::Up))
}

/// The same, rounded down.
pub(super) fn power_down(proof: &LevelsProof, y: &Dyadic) -> Dyadic {
    let largest = Dyadic::whole(LARGEST_EXPONENT);
    let exponent = Dyadic::new(proof.steepness) * (y - Dyadic::new(proof.anchor));
    if (&exponent + &largest).is_negative() {
        return Dyadic::zero();
    }
    exp(&exponent.min(largest), Round::Down)
}

/// w̄_i on the level of the last near shell, as binary64 numbers above.
fn near_activities(setting: &Setting, levels: &Levels) -> Vec<f64> {
    let Some(k) = setting.proof.near.checked_sub(1) else { return vec![1.0; setting.rows.len()] };
    let x = levels.reach(k);
    let bound = |i: usize| {
        let low = levels.interval(i, k, &x).low;
        if setting.is_hinge() {
            return f64::from(u8::from(!(low - Dyadic::whole(1)).is_positive()));
        }
        activity(&low.on_grid(-10, Round::Down), Round::Up).on_grid(-16, Round::Up).nearest().min(1.0)
    };
    (0..setting.rows.len()).map(bound).collect()
}

/// S₁ = (1−ε)Σp w̄²n + εR² and S₂ = (1−ε)Λ + εR², where ΛI − Σp w̄²zzᵀ must be positive definite.
fn moments(
    setting: &Setting,
    activities: &[f64],
    spread: f64,
    name: &'static str,
) -> Result<Moments, Reason> {
    let Setting { rows, eps, benign, total, radius, .. } = setting;
    let d = rows.dimension;
    let squares: Vec<f64> = activities.iter().map(|w| w * w).collect();
    let unit = total.length() - MOMENT_BITS;
    // Entries rounded up; d units on the diagonal make up for it.
    let matrix: Vec<Dyadic> =
        second_moments(setting, &squares).iter().map(|x| x.on_grid(unit, Round::Up)).collect();
    let diagonal = total * Dyadic::new(spread) - Dyadic::scaled(d.into(), unit);
    let definite = matrix::is_definite_by(d, |i, j| {
        let entry = Dyadic::zero() - &matrix[i * (i + 1) / 2 + j];
        if i == j { entry + &diagonal } else { entry }
    });
    require(definite, format_args!("ΛI − Σp w̄²zzᵀ, with Λ = {name}"), spread, "positive definite")?;
    let trace = (0..d).fold(Dyadic::zero(), |sum, j| sum + &matrix[j * (j + 1) / 2 + j]);
    let point = eps * radius.square();
    let first = quotient(&(benign * trace), total, Round::Up) + &point;
    Ok(Moments { root: sqrt_up(&first), spread: benign * Dyadic::new(spread) + point })
}
