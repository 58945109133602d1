//! Lemma E2: what V(θ) ≤ v says of θ and of the margins.
//!
//! ```text
//! ‖θ−o‖ ≤ x = √(2(v−F_q)/σ') + ‖o−y_q‖
//! aᵀθ ≤ (1/π)( v + (μ/2)π²‖a‖² + ‖πa+c‖²/(2σ) − (1−ε)Σp_ie(q_i) ),   c = (1−ε)Σp_iq_iz_i            (E3)
//! ```
//!
//! Any q_i in [0, 1] will do in (E3). They are computed from the stored points in binary64 and rounded to whole multiples of
//! 2^−14, and the sums over them are whole numbers: 2N sums over N rows are quick that way.

use super::logistic::{entropy_down, loss_up};
use super::setting::{LARGEST_MARGIN, Setting};
use crate::exact::{Dyadic, ExactSum, Round, norm2, quotient, sqrt_up};
use crate::failure::{Reason, require, require_not_negative};
use crate::rows::Rows;
use crate::statement::{Learner, Loss};

/// Activities are multiples of 2^−14.
const SHARE_BITS: i64 = 14;
/// Conjugates of activities are multiples of 2^−40.
const CONJUGATE_BITS: i64 = 40;
/// Sums of weights, and of rows times weights, in these units stay below 2^47.
const SUM_BITS: i64 = 47;
/// The ends of intervals are rounded outward to multiples of 2^−40.
const END_BITS: i64 = 40;

/// The interval of a margin on a level.
pub(crate) struct Interval {
    pub(crate) low: Dyadic,
    pub(crate) high: Dyadic,
}

/// The levels of V.
pub(crate) struct Levels<'a> {
    setting: &'a Setting<'a>,
    /// v₀ ≥ F(o), rounded up.
    pub(super) base: Dyadic,
    /// v₀ − F_q ≥ 0
    pub(crate) gap: Dyadic,
    /// ‖o − y_q‖, rounded up.
    shift: Dyadic,
    /// ‖z_i‖, rounded up.
    lengths: Vec<Dyadic>,
    /// What (E3) adds to v, for the lower and then for the upper ends.
    constants: Vec<Dyadic>,
}

impl<'a> Levels<'a> {
    pub(crate) fn new(setting: &'a Setting<'a>) -> Result<Self, Reason> {
        let (base, least, shift) = centre(setting);
        let lengths = setting.squares.iter().map(sqrt_up).collect();
        let constants = constants(setting)?;
        let levels = Levels { setting, gap: &base - &least, base, shift, lengths, constants };
        levels.require_reach()?;
        Ok(levels)
    }

    /// Requires the margins of the levels whose intervals are used to be of a size that can be computed with.
    fn require_reach(&self) -> Result<(), Reason> {
        let proof = self.setting.proof;
        let Some(last) = proof.fine.max(proof.near).checked_sub(1) else { return Ok(()) };
        let room = Dyadic::whole(LARGEST_MARGIN) - self.reach(last) * &self.setting.norm;
        require_not_negative(&room, "2^20 − n̂·(the reach of the last fine or near level)")
    }

    /// v₀ + the height of level k.
    fn level(&self, k: usize) -> Dyadic {
        &self.base + Dyadic::new(self.setting.proof.heights[k])
    }

    /// v₀ + the last height, for the condition that it is not below V anywhere.
    pub(crate) fn top(&self) -> Dyadic {
        self.level(self.setting.proof.heights.len() - 1)
    }

    /// 1 + σμ, so that σ' = σ/(1 + σμ).
    pub(crate) fn softening(&self) -> Dyadic {
        Dyadic::whole(1) + &self.setting.sigma * &self.setting.smoothing
    }

    /// x of level k, rounded up.
    pub(crate) fn reach(&self, k: usize) -> Dyadic {
        let above = &self.gap + Dyadic::new(self.setting.proof.heights[k]);
        let square = Dyadic::whole(2) * above * self.softening();
        (sqrt_up(&quotient(&square, &self.setting.sigma, Round::Up)) + &self.shift).shortened(Round::Up)
    }

    /// The interval of margin i on level k, where x is the level's reach.
    pub(crate) fn interval(&self, i: usize, k: usize, x: &Dyadic) -> Interval {
        let setting = self.setting;
        let (n, level, around) = (self.lengths.len(), self.level(k), x * &self.lengths[i]);
        let end = |place: usize| {
            let force = Dyadic::new(setting.proof.forces[place]);
            quotient(&(&level + &self.constants[place]), &force, Round::Up)
        };
        let down = end(i).min(&around - &setting.margins[i]).on_grid(-END_BITS, Round::Up);
        let high = end(n + i).min(&around + &setting.margins[i]).on_grid(-END_BITS, Round::Up);
        Interval { low: Dyadic::zero() - down, high }
    }
}

/// v₀ ≥ F(o), F_q and ‖o − y_q‖.
fn centre(setting: &Setting) -> (Dyadic, Dyadic, Dyadic) {
    let Setting { proof, rows, sigma, benign, total, .. } = setting;
    let e = |q: f64| if setting.is_hinge() { Dyadic::new(q) } else { entropy_down(&Dyadic::new(q)) };
    let conjugate = proof.shares.iter().enumerate();
    let conjugate = conjugate.fold(Dyadic::zero(), |sum, (i, &q)| sum + setting.weight(i) * e(q));
    let base = objective(rows, setting.learner, benign, &proof.centre, &setting.margins);
    // W·c⁰/(1−ε)
    let mut sum = ExactSum::new();
    let mut column = |j: usize| {
        (0..rows.len()).for_each(|i| sum.add([rows.weight(i), proof.shares[i], rows.row(i)[j]]));
        sum.take()
    };
    let pull: Vec<Dyadic> = (0..rows.dimension).map(&mut column).collect();
    let square = pull.iter().fold(Dyadic::zero(), |sum, x| sum + x.square());
    let twice = Dyadic::whole(2) * sigma * total;
    let least = benign * &twice * conjugate - benign.square() * square;
    let least = quotient(&least, &(twice * total), Round::Down);
    let edge = sigma * total;
    let off = pull
        .iter()
        .zip(&proof.centre)
        .fold(Dyadic::zero(), |sum, (x, &o)| sum + (&edge * Dyadic::new(o) - benign * x).square());
    (base, least, quotient(&sqrt_up(&off), &edge, Round::Up))
}

/// F at a model whose margins are these, rounded up.
pub(super) fn objective(
    rows: &Rows,
    learner: &Learner,
    benign: &Dyadic,
    theta: &[f64],
    margins: &[Dyadic],
) -> Dyadic {
    let phi = |s: &Dyadic| match learner.loss {
        Loss::Hinge => (Dyadic::whole(1) - s).max(Dyadic::zero()),
        _ => loss_up(s),
    };
    let loss = margins.iter().enumerate();
    let loss = loss.fold(Dyadic::zero(), |sum, (i, s)| sum + Dyadic::new(rows.weight(i)) * phi(s));
    let mean = quotient(&(benign * loss), &rows.total_weight(), Round::Up);
    mean + (Dyadic::new(learner.regularization) * norm2(theta)).half()
}

/// The rows in whole numbers: weights, and entries times weights, rounded down to multiples of `unit`.
struct Whole {
    /// Exponents of the two units.
    weight_unit: i64,
    entry_unit: i64,
    weights: Vec<i64>,
    entries: Vec<i64>,
    /// e(k/2^14) in units of 2^−40, rounded down.
    conjugates: Vec<i64>,
}

impl Whole {
    fn new(setting: &Setting) -> Result<Self, Reason> {
        let weight_unit = setting.total.length() - SUM_BITS;
        let entry_unit = (&setting.total * &setting.norm).length() - SUM_BITS;
        let whole = |x: &Dyadic, unit: i64| x.on_grid(unit, Round::Down).units(unit);
        let rows = 0..setting.rows.len();
        let weights = rows.clone().map(|i| whole(&setting.weight(i), weight_unit)).collect();
        let entries = rows.flat_map(|i| {
            let weight = setting.weight(i);
            setting.rows.row(i).iter().map(move |&z| whole(&(&weight * Dyadic::new(z)), entry_unit))
        });
        let most = 1_i64 << SHARE_BITS;
        let conjugate = |k: i64| {
            let q = Dyadic::scaled(k.into(), -SHARE_BITS);
            whole(&if setting.is_hinge() { q } else { entropy_down(&q) }, -CONJUGATE_BITS)
        };
        let all = (weights, entries.collect(), (0..=most).map(conjugate).collect());
        let (Some(weights), Some(entries), Some(conjugates)) = all else { return Err(Reason::TooLarge) };
        Ok(Whole { weight_unit, entry_unit, weights, entries, conjugates })
    }
}

/// The activity at margin s in units of 2^−14: in binary64, every operation in this order.
fn share(is_hinge: bool, gain: f64, s: f64) -> usize {
    let q = if is_hinge {
        (1.0 - s) * gain + 0.5
    } else {
        // e^s ≈ (1 + s/2^20)^(2^20)
        let mut power = 1.0 + s.clamp(-40.0, 40.0) / f64::from(1 << 20);
        (0..20).for_each(|_| power *= power);
        1.0 / (1.0 + power)
    };
    (q.clamp(0.0, 1.0) * f64::from(1 << SHARE_BITS)) as usize
}

/// (μ/2)π²‖a‖² + ‖πa+c‖²/(2σ) − (1−ε)Σp_ie(q_i) for all a = −z_i and then all a = z_i, rounded up.
fn constants(setting: &Setting) -> Result<Vec<Dyadic>, Reason> {
    let whole = Whole::new(setting)?;
    let (n, d) = (setting.rows.len(), setting.rows.dimension);
    let places: Vec<Vec<usize>> = setting.rows.in_parallel(Iterator::collect);
    let work = |rows: &[usize]| -> Result<Vec<(usize, Dyadic)>, Reason> {
        let mut sums = vec![0_i64; d];
        let both = rows.iter().flat_map(|&i| [i, n + i]);
        both.map(|place| Ok((place, constant(setting, &whole, place, &mut sums)?))).collect()
    };
    let work = &work;
    let parts = std::thread::scope(|scope| {
        let handles: Vec<_> = places.iter().map(|rows| scope.spawn(move || work(rows))).collect();
        let join = |h: std::thread::ScopedJoinHandle<'_, _>| {
            h.join().unwrap_or_else(|e| std::panic::resume_unwind(e))
        };
        handles.into_iter().map(join).collect::<Result<Vec<_>, Reason>>()
    })?;
    let mut constants = vec![Dyadic::zero(); 2 * n];
    parts.into_iter().flatten().for_each(|(place, constant)| constants[place] = constant);
    Ok(constants)
}

/// The constant in one place; `sums` is scratch.
fn constant(setting: &Setting, whole: &Whole, place: usize, sums: &mut [i64]) -> Result<Dyadic, Reason> {
    let Setting { proof, rows, sigma, benign, total, .. } = setting;
    let (n, d) = (rows.len(), rows.dimension);
    let point = &proof.points[place * d..(place + 1) * d];
    let mut conjugate = 0_i128;
    sums.fill(0);
    for j in 0..n {
        let s = rows.row(j).iter().zip(point).fold(0.0, |sum, (z, y)| sum + z * y);
        require(s.is_finite(), format_args!("a product of points[{place}] and row {j}"), s, "finite")?;
        let k = share(setting.is_hinge(), proof.gain, s);
        if k == 0 {
            continue;
        }
        conjugate += i128::from(whole.weights[j]) * i128::from(whole.conjugates[k]);
        let entries = &whole.entries[j * d..(j + 1) * d];
        sums.iter_mut().zip(entries).for_each(|(sum, z)| *sum += z * k as i64);
    }
    let force = Dyadic::new(proof.forces[place]);
    let (i, scaled) = (place % n, &force * total);
    let scaled = if place < n { Dyadic::zero() - scaled } else { scaled };
    // W‖πa+ĉ‖, and what the entries that were rounded down can add.
    let unit = whole.entry_unit - SHARE_BITS;
    let square = rows.row(i).iter().zip(&*sums).fold(Dyadic::zero(), |square, (&z, &sum)| {
        square + (&scaled * Dyadic::new(z) + benign * Dyadic::scaled(sum.into(), unit)).square()
    });
    let lost = Dyadic::whole(n as u64 * (d.isqrt() as u64 + 1)) * Dyadic::scaled(1.into(), whole.entry_unit);
    let length = (sqrt_up(&square) + lost).square();
    let pulled = quotient(&length, &(Dyadic::whole(2) * sigma * total.square()), Round::Up);
    let conjugate = Dyadic::scaled(conjugate.into(), whole.weight_unit - CONJUGATE_BITS);
    let conjugate = quotient(&(benign * conjugate), total, Round::Down);
    let smooth = (&setting.smoothing * force.square() * &setting.squares[i]).half();
    Ok((smooth + pulled - conjugate).on_grid(-4 * END_BITS, Round::Up))
}
