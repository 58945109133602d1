//! Theorem E4: the error, by quadratics above the rows on the levels of the learner's own objective, and a barrier that makes
//! far levels rare.
//!
//! | file | its part |
//! |---|---|
//! | `setting` | the numbers that all parts share |
//! | `level` | Lemma E2: what a level says of the margins |
//! | `rows` | (E1): the constants of the rows' quadratics on intervals |
//! | `quadratic` | Theorem E1: the bound on one level |
//! | `barrier` | Lemma E3 and (E4): how fast the barrier falls, and a bound for all models |

mod barrier;
mod level;
mod logistic;
mod proof;
mod quadratic;
mod rows;
mod setting;

pub use proof::LevelsProof;

use crate::exact::Dyadic;
use crate::failure::Reason;
use crate::rows::Rows;
use crate::statement::Statement;
use level::Levels;
use setting::Setting;

/// The bound of each shell, after every condition has been verified; the largest is the proof's value.
pub(crate) fn shell_bounds(
    statement: &Statement,
    proof: &LevelsProof,
    rows: &Rows,
) -> Result<Vec<Dyadic>, Reason> {
    let setting = Setting::new(statement, proof, rows)?;
    let levels = Levels::new(&setting)?;
    let anywhere = barrier::anywhere(&setting);
    let drifts = barrier::drifts(&setting, &levels)?;
    let quadratic = quadratic::Quadratic::new(&setting)?;
    let bound = |(k, drift): (usize, Dyadic)| {
        if k >= proof.fine {
            return Ok(&anywhere + drift);
        }
        Ok(quadratic.bound(&setting, &levels, k)?.min(anywhere.clone()) + drift)
    };
    drifts.into_iter().enumerate().map(bound).collect()
}
