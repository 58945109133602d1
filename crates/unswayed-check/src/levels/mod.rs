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
//! | `start` | Theorem E5: what a start adds over the first steps |

mod barrier;
mod level;
mod logistic;
mod proof;
mod quadratic;
mod rows;
mod setting;
mod start;

pub use proof::LevelsProof;
pub(crate) use start::Shells;

use crate::failure::Reason;
use crate::rows::Rows;
use crate::statement::Statement;
use level::Levels;
use setting::Setting;
use start::Shell;

/// The shells with their bounds, after every condition has been verified; the largest is the proof's value.
pub(crate) fn shells(statement: &Statement, proof: &LevelsProof, rows: &Rows) -> Result<Shells, Reason> {
    let setting = Setting::new(statement, proof, rows)?;
    let levels = Levels::new(&setting)?;
    let anywhere = barrier::anywhere(&setting);
    let drifts = barrier::drifts(&setting, &levels)?;
    let quadratic = quadratic::Quadratic::new(&setting)?;
    let shell = |(k, barrier)| {
        if k >= proof.fine {
            return Ok(Shell { bound: anywhere.clone(), barrier });
        }
        let bound = quadratic.bound(&setting, &levels, k)?.min(anywhere.clone());
        Ok(Shell { bound, barrier })
    };
    let shells = drifts.into_iter().enumerate().map(shell).collect::<Result<_, Reason>>()?;
    Ok(Shells::new(shells, &levels, rows))
}
