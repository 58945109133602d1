//! Rounds: ends of the margins' intervals move inwards, each by a search of its own, until little moves any more.

use rayon::prelude::*;
use unswayed_check::ContractionRound;

use super::descent::{Multipliers, Search, Work};
use super::hull::{Hulls, Intervals, NEAR};
use super::numbers::Numbers;

/// Ends that move at once, seen from the intervals before them: fewer see shorter intervals sooner, more keep all cores busy.
const TOGETHER: usize = 128;
/// Work of an end in the first sweep of all, and later.
const FIRST: Work = Work { steps: 16, passes: 25, tolerance: 1e-3 };
const LATER: Work = Work { steps: 4, passes: 20, tolerance: 1e-3 };
const LAST: Work = Work { steps: 40, passes: 150, tolerance: 1e-4 };
/// An end must move by this to be written down.
const LEAST_MOVE: f64 = 1e-6;
/// The end that matters less for a row's hull is moved in one sweep of so many.
const OTHERS: usize = 3;

/// Where the search for an end stands.
#[derive(Clone)]
pub(super) struct State {
    pub(super) multipliers: Multipliers,
    /// u of all rows.
    pub(super) u: Vec<f32>,
}

impl State {
    /// u of the free rows.
    fn gathered(&self, free: &[usize]) -> Vec<f32> {
        free.iter().map(|row| self.u[*row]).collect()
    }

    fn scatter(&mut self, free: &[usize], u: &[f32]) {
        free.iter().zip(u).for_each(|(row, u)| self.u[*row] = *u);
    }
}

/// A proof in the making.
#[derive(Clone)]
pub(super) struct Rounds<'a> {
    numbers: &'a Numbers,
    pub(super) intervals: Intervals,
    /// 2i and 2i + 1 for the ends of row i.
    pub(super) ends: Vec<State>,
    /// For the bound on all that is left.
    pub(super) rest: State,
    pub(super) written: Vec<ContractionRound>,
    sweeps: usize,
}

/// The bound on what is left, with the numbers that prove it.
pub(super) struct Rest {
    pub(super) bound: f64,
    pub(super) tau: f64,
    pub(super) nu: f64,
    pub(super) codes: Vec<u8>,
}

/// An end that moves.
struct Move {
    end: usize,
    to: f64,
    at: [f64; 3],
    codes: Vec<u8>,
}

impl<'a> Rounds<'a> {
    /// Before the first round. All searches start at the same numbers.
    pub(super) fn new(numbers: &'a Numbers, ball: f64, start: &State) -> Self {
        Rounds {
            numbers,
            intervals: Intervals::first(numbers, ball),
            ends: vec![start.clone(); 2 * numbers.n],
            rest: start.clone(),
            written: vec![],
            sweeps: 0,
        }
    }

    /// Before the first round, with the searches where others have left them.
    pub(super) fn again(&self, ball: f64) -> Self {
        Rounds {
            intervals: Intervals::first(self.numbers, ball),
            written: vec![],
            sweeps: 0,
            ends: self.ends.clone(),
            rest: self.rest.clone(),
            ..*self
        }
    }

    /// The bound on what is left; good enough once it is at most the target.
    pub(super) fn rest(&mut self, target: f64) -> Rest {
        let hulls = Hulls::new(self.numbers, &self.intervals);
        let search = Search { numbers: self.numbers, hulls: &hulls, direction: None, target, work: LAST };
        let mut u = self.rest.gathered(&hulls.free);
        let best = search.best(&mut self.rest.multipliers, &mut u);
        self.rest.scatter(&hulls.free, &u);
        let (bound, codes) = search.rounded(&best);
        Rest { bound, tau: best.at[1].exp(), nu: best.at[2], codes }
    }

    /// Moves all ends that matter. Returns what is left of the free rows' lengths.
    pub(super) fn sweep(&mut self, target: f64, is_first: bool) -> f64 {
        let before = self.lengths();
        let ends = self.chosen();
        for together in ends.chunks(TOGETHER) {
            let hulls = Hulls::new(self.numbers, &self.intervals);
            let together: Vec<usize> = together.iter().copied().filter(|end| self.is_open(*end)).collect();
            let moves = self.searched(&together, &hulls, target, if is_first { FIRST } else { LATER });
            self.apply(moves);
        }
        self.sweeps += 1;
        self.lengths() / before
    }

    /// The ends to move: in the first sweep all, later those of free rows.
    fn chosen(&self) -> Vec<usize> {
        let both = self.sweeps.is_multiple_of(OTHERS);
        let matters = |end: &usize| {
            let [jump, kappa] = [&self.numbers.jumps, &self.numbers.kappas].map(|of| of[end / 2]);
            // The chord of a row with κ < 0 depends on both ends.
            kappa < 0.0 || end.is_multiple_of(2) == (jump > 0.0)
        };
        (0..self.ends.len()).filter(|end| self.is_open(*end) && (both || matters(end))).collect()
    }

    fn is_open(&self, end: usize) -> bool {
        self.sweeps == 0 || self.intervals.is_free(end / 2)
    }

    /// How long the parts of intervals are that make hulls wide.
    fn lengths(&self) -> f64 {
        let length = |i: usize| {
            let Intervals { low, high } = &self.intervals;
            match self.numbers.jumps[i] > 0.0 {
                _ if self.numbers.kappas[i] < 0.0 => high[i] - low[i],
                true => high[i] - 1.0,
                false => 1.0 - low[i],
            }
        };
        (0..self.numbers.n).filter(|i| self.intervals.is_free(*i)).map(length).sum::<f64>().max(1e-300)
    }

    /// Searches ends on all cores.
    fn searched(&mut self, ends: &[usize], hulls: &Hulls, target: f64, work: Work) -> Vec<Move> {
        let (numbers, intervals) = (self.numbers, &self.intervals);
        let mut wanted = vec![false; self.ends.len()];
        for end in ends {
            wanted[*end] = true;
        }
        let states: Vec<(usize, &mut State)> =
            self.ends.iter_mut().enumerate().filter(|(end, _)| wanted[*end]).collect();
        let one = |(end, state): (usize, &mut State)| {
            let sign = if end.is_multiple_of(2) { 1.0 } else { -1.0 };
            let search = Search { numbers, hulls, direction: Some((end / 2, sign)), target, work };
            let mut u = state.gathered(&hulls.free);
            let best = search.best(&mut state.multipliers, &mut u);
            state.scatter(&hulls.free, &u);
            let (to, codes) = search.rounded(&best);
            let is_move = to < intervals.at(end) - LEAST_MOVE && (to.abs() - 1.0).abs() > NEAR;
            is_move.then_some(Move { end, to, at: best.at, codes })
        };
        states.into_par_iter().filter_map(one).collect()
    }

    /// Moves ends and writes the round down.
    fn apply(&mut self, moves: Vec<Move>) {
        let mut round = ContractionRound::default();
        for Move { end, to, at, codes } in moves {
            self.intervals.cut(end, to);
            round.ends.push(end as f64);
            round.pulls.push(at[0].exp());
            round.tau.push(at[1].exp());
            round.nu.push(at[2]);
            round.codes.extend(codes);
        }
        if !round.ends.is_empty() {
            self.written.push(round);
        }
    }
}
