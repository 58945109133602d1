//! (E1): the constants T_i of the quadratics T + yu + mu², u = s − oᵀz, above what a row contributes for l ≤ s ≤ h.
//!
//! ```text
//! (1−ε)( w(2αks + βᵀz) + αηn·w² ) + 1[s ≤ 0]  ≤  T + yu + mu²
//! ```
//!
//! Hinge: on [l, 0], [0, 1] and [1, h] the difference is a quadratic in u, largest at an end or at its vertex.
//! Logistic: cells are halved; on a cell of width t the difference is at most its larger end plus t²/8 times a bound on −f''.

use std::cell::RefCell;
use std::collections::HashMap;

use super::level::Interval;
use super::logistic::activity;
use super::setting::{Setting, dot};
use crate::exact::{Dyadic, Round, quotient};
use crate::failure::Reason;

/// The narrowest cells have the width 2^−CELL_BITS; margins are rounded outward to multiples of it.
const CELL_BITS: i64 = 10;
/// Cells that are looked at for one row, at most.
const MOST_CELLS: usize = 1 << 20;

/// What the constants of a row need.
pub(crate) struct RowQuadratics<'a> {
    setting: &'a Setting<'a>,
    /// νoᵀz + b̃ᵀz and αηn of each row.
    fixed: Vec<[Dyadic; 2]>,
    /// Activities at multiples of 2^−CELL_BITS, rounded down and up.
    activities: RefCell<HashMap<i64, [Dyadic; 2]>>,
}

impl<'a> RowQuadratics<'a> {
    pub(crate) fn new(setting: &'a Setting<'a>) -> Self {
        let fixed = |i: usize| {
            let tilt = dot(setting.rows.row(i), &setting.proof.tilt);
            [&setting.nu * &setting.margins[i] + tilt, &setting.alpha * &setting.eta * &setting.squares[i]]
        };
        let fixed = (0..setting.rows.len()).map(fixed).collect();
        RowQuadratics { setting, fixed, activities: RefCell::default() }
    }

    /// T_i on an interval.
    pub(crate) fn constant(&self, i: usize, interval: &Interval) -> Result<Dyadic, Reason> {
        if self.setting.is_hinge() { Ok(self.hinge(i, interval)) } else { self.logistic(i, interval) }
    }

    fn hinge(&self, i: usize, Interval { low, high }: &Interval) -> Dyadic {
        let setting = self.setting;
        let (zero, one) = (Dyadic::zero(), Dyadic::whole(1));
        let acting = &setting.benign * (&self.fixed[i][0] + &self.fixed[i][1]);
        let slope = &setting.benign * &setting.two_ak;
        let pieces = [
            (low.clone(), high.clone().min(zero.clone()), &acting + &one, &slope),
            (low.clone().max(zero.clone()), high.clone().min(one.clone()), acting, &slope),
            (low.clone().max(one), high.clone(), zero.clone(), &zero),
        ];
        let pieces = pieces.into_iter().filter(|(from, to, ..)| !(from - to).is_positive());
        let tops = pieces.map(|(from, to, constant, slope)| constant + self.top(i, &from, &to, slope));
        tops.reduce(Dyadic::max).unwrap_or(zero)
    }

    /// The largest slope·u − yu − mu² for from ≤ s ≤ to, rounded up.
    fn top(&self, i: usize, from: &Dyadic, to: &Dyadic, slope: &Dyadic) -> Dyadic {
        let proof = self.setting.proof;
        let [y, m] = [proof.slopes[i], proof.curves[i]].map(Dyadic::new);
        let rest = slope - y;
        let ends = [from, to].map(|s| s - &self.setting.margins[i]);
        let value = |u: &Dyadic| (&rest - &m * u) * u;
        let ends_top = value(&ends[0]).max(value(&ends[1]));
        let twice = Dyadic::whole(2) * &m;
        let inside = !(&twice * &ends[0] - &rest).is_positive() && !(&rest - &twice * &ends[1]).is_positive();
        if m.is_positive() && inside {
            return quotient(&rest.square(), &(twice + Dyadic::whole(2) * m), Round::Up);
        }
        ends_top
    }

    fn logistic(&self, i: usize, Interval { low, high }: &Interval) -> Result<Dyadic, Reason> {
        let unit = |s: &Dyadic, round| s.on_grid(-CELL_BITS, round).units(-CELL_BITS);
        let (from, to) = (unit(low, Round::Down), unit(high, Round::Up));
        let (Some(from), Some(to)) = (from, to) else { return Err(Reason::TooLarge) };
        let mut top: Option<Dyadic> = None;
        for (from, to, jump) in [(from, to.min(0), true), (from.max(0), to, false)] {
            if from <= to {
                self.search(i, from, to, jump, &mut top)?;
            }
        }
        Ok(top.unwrap_or_else(Dyadic::zero))
    }

    /// Raises `top` to a number above the difference on a piece: cells that could still raise it are halved.
    fn search(
        &self,
        i: usize,
        from: i64,
        to: i64,
        jump: bool,
        top: &mut Option<Dyadic>,
    ) -> Result<(), Reason> {
        let bend = self.bend(i);
        let [start, end] = [from, to].map(|s| self.difference(i, s, jump));
        let mut raise = |x: &Dyadic| {
            let higher = top.as_ref().is_none_or(|top| (x - top).is_positive());
            if higher {
                *top = Some(x.clone());
            }
        };
        raise(&start);
        raise(&end);
        let (mut cells, mut looked_at) = (vec![(from, to, start, end)], 0);
        while let Some((from, to, start, end)) = cells.pop() {
            looked_at += 1;
            if looked_at > MOST_CELLS {
                return Err(Reason::TooLarge);
            }
            let width = Dyadic::scaled((to - from).into(), -CELL_BITS);
            let above =
                start.clone().max(end.clone()) + &bend * width.square() * Dyadic::scaled(1.into(), -3);
            let current = top.clone().unwrap_or_else(Dyadic::zero);
            if !(&above - &current).is_positive() {
                continue;
            }
            if to - from <= 1 {
                *top = Some(current.max(above));
                continue;
            }
            let middle = from + (to - from) / 2;
            let value = self.difference(i, middle, jump);
            if (&value - &current).is_positive() {
                *top = Some(value.clone());
            }
            cells.push((from, middle, start, value.clone()));
            cells.push((middle, to, value, end));
        }
        Ok(())
    }

    /// A number that −f'' does not exceed.
    fn bend(&self, i: usize) -> Dyadic {
        let setting = self.setting;
        // βᵀz = νoᵀz + b̃ᵀz − 2αk·oᵀz
        let b = &self.fixed[i][0] - &setting.two_ak * &setting.margins[i];
        let tenth = quotient(&b.abs(), &Dyadic::whole(10), Round::Up);
        let rest = setting.two_ak.clone().half() + tenth + self.fixed[i][1].clone().half().half();
        (&setting.benign * rest + Dyadic::whole(2) * Dyadic::new(setting.proof.curves[i])).max(Dyadic::zero())
    }

    /// A number above the difference at s, in units of the narrowest cell.
    fn difference(&self, i: usize, s: i64, jump: bool) -> Dyadic {
        let setting = self.setting;
        let [low, high] = self.activity(s);
        let u = Dyadic::scaled(s.into(), -CELL_BITS) - &setting.margins[i];
        let slope = &setting.two_ak * &u + &self.fixed[i][0];
        let w = if slope.is_negative() { &low } else { &high };
        let drift = &setting.benign * (w * slope + &self.fixed[i][1] * high.square());
        let [y, m] = [setting.proof.slopes[i], setting.proof.curves[i]].map(Dyadic::new);
        let jump = Dyadic::whole(u64::from(jump));
        (drift + jump - (y + m * &u) * u).on_grid(-80, Round::Up)
    }

    fn activity(&self, s: i64) -> [Dyadic; 2] {
        let mut known = self.activities.borrow_mut();
        let at = Dyadic::scaled(s.into(), -CELL_BITS);
        let new = || [Round::Down, Round::Up].map(|round| activity(&at, round).on_grid(-80, round));
        known.entry(s).or_insert_with(new).clone()
    }
}
