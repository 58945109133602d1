//! The intervals that margins are confined to, and the lines above the rows on them (Lemma L4 for each row's own interval).

use super::setting::Setting;
use crate::exact::{Dyadic, ExactSum, round_up};
use crate::failure::{Reason, require_each};
use crate::parts::rows::envelope;

/// Slopes that a row can have.
const SLOPES: usize = 16;
/// The steepest slope, as a multiple of |κ| + |F|.
const STEEPEST: f64 = 4.0;

/// Where the margin of each row is.
pub(super) struct Intervals {
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Intervals {
    /// For every θ of norm at most ϱ: ϱ‖z‖ ≤ ½ϱ(1 + ‖z‖²).
    pub(super) fn first(setting: &Setting) -> Result<Self, Reason> {
        let reach = |n: &Dyadic| round_up(&(&setting.ball * (Dyadic::whole(1) + n)).half().into());
        let high: Vec<f64> = setting.squares.iter().map(reach).collect();
        require_each("½ϱ(1 + ‖z‖²)", &high, f64::is_finite, "finite")?;
        Ok(Intervals { low: high.iter().map(|h| -h).collect(), high })
    }

    /// Moves an end inwards: 2i is the upper end of row i, 2i + 1 the lower one, of which `to` is the negative.
    pub(super) fn cut(&mut self, end: usize, to: f64) {
        let row = end / 2;
        if end.is_multiple_of(2) {
            self.high[row] = self.high[row].min(to);
        } else {
            self.low[row] = self.low[row].max(-to);
        }
    }

    /// Whether no θ has margins like these.
    pub(super) fn are_empty(&self) -> bool {
        self.low.iter().zip(&self.high).any(|(low, high)| low > high)
    }

    /// The slopes that the rows can have: one for a row that always or never acts, else from R to L of (C1) in equal steps. Where R > L
    /// the hull is a chord, and all of them are its slope.
    fn slopes(&self, row: usize, jump: f64, kappa: f64) -> Vec<f64> {
        let (low, high) = (self.low[row], self.high[row]);
        if high < 1.0 {
            return vec![kappa];
        }
        if low > 1.0 {
            return vec![0.0];
        }
        let steepest = STEEPEST * (kappa.abs() + jump.abs());
        let (below, above) = (1.0 - low, high - 1.0);
        let (left, right) = match jump > 0.0 {
            true if above > 0.0 => (kappa, (-jump / above).max(-steepest)),
            true => (kappa, -steepest),
            false if below > 0.0 => ((kappa - jump / below).min(steepest), 0.0),
            false => (steepest, 0.0),
        };
        let chord = (kappa * below - jump) / (high - low);
        let (left, right) = if right > left { (chord, chord) } else { (left, right) };
        (0..SLOPES).map(|c| right + (left - right) * (c as f64 / (SLOPES - 1) as f64)).collect()
    }

    /// The lines above all rows on these intervals.
    pub(super) fn lines(&self, setting: &Setting) -> Result<Lines, Reason> {
        let one = Dyadic::whole(1);
        let mut lines = Lines {
            free: vec![],
            choices: vec![],
            constant: Dyadic::zero(),
            slope: vec![ExactSum::new(); setting.rows.dimension],
        };
        for i in 0..setting.rows.len() {
            let (jump, kappa) = (&setting.jumps[i], &setting.kappas[i]);
            let [low, high] = [self.low[i], self.high[i]].map(|s| Dyadic::new(s) - &one);
            let slopes = self.slopes(i, jump.nearest(), kappa.nearest());
            let choice = |slope: f64| {
                super::setting::require_finite("slope", slope)?;
                let y = Dyadic::new(slope);
                Ok(Choice { constant: envelope(jump, kappa, &y, &low, &high) - y, slope })
            };
            let choices = slopes.into_iter().map(choice).collect::<Result<Vec<_>, Reason>>()?;
            if let [only] = &choices[..] {
                lines.constant = lines.constant + &only.constant;
                setting.add_row(i, only.slope, &mut lines.slope);
            } else {
                lines.free.push(i);
                lines.choices.push(choices);
            }
        }
        Ok(lines)
    }
}

/// A line above a row.
pub(super) struct Choice {
    /// Its constant at θ = 0.
    pub(super) constant: Dyadic,
    pub(super) slope: f64,
}

/// The lines above all rows: of most of them one can be chosen.
pub(super) struct Lines {
    /// The rows whose lines can be chosen.
    pub(super) free: Vec<usize>,
    /// Their lines.
    pub(super) choices: Vec<Vec<Choice>>,
    /// The sum of the other rows' constants.
    pub(super) constant: Dyadic,
    /// The sum of their slopes.
    pub(super) slope: Vec<ExactSum>,
}

impl Lines {
    /// Bytes of the codes that choose them.
    pub(super) fn bytes(&self) -> usize {
        self.free.len().div_ceil(2)
    }

    /// The lines that these codes choose, with their rows.
    pub(super) fn chosen<'a>(&'a self, codes: &'a [u8]) -> impl Iterator<Item = (usize, &'a Choice)> {
        self.free.iter().zip(&self.choices).enumerate().map(|(place, (&row, choices))| {
            let code = codes[place / 2] >> (4 * (place % 2)) & 15;
            (row, &choices[usize::from(code)])
        })
    }
}
