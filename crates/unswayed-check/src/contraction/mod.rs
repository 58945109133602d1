//! Theorem C2: models at which more than B could be lost are excluded, by intervals of the margins that become shorter.
//!
//! | file | its part |
//! |---|---|
//! | `setting` | the numbers that all rounds share, and Φ of Lemma C1 |
//! | `intervals` | the intervals, and lines above the rows on them |

mod intervals;
mod proof;
mod setting;

pub use proof::{ContractionProof, ContractionRound};

use crate::exact::Dyadic;
use crate::failure::Reason;
use crate::rows::Evidence;
use crate::statement::Statement;
use intervals::Intervals;
use setting::Setting;

/// The bound, after every condition has been verified.
pub(crate) fn value(
    statement: &Statement,
    proof: &ContractionProof,
    evidence: &Evidence,
) -> Result<Dyadic, Reason> {
    let setting = Setting::new(statement, proof, evidence)?;
    let mut intervals = Intervals::first(&setting)?;
    for round in &proof.rounds {
        for (end, to) in setting.moved(&intervals.lines(&setting)?, round)? {
            intervals.cut(end, to);
        }
        if intervals.are_empty() {
            return Ok(setting.target);
        }
    }
    setting.last(&intervals.lines(&setting)?, proof)
}
