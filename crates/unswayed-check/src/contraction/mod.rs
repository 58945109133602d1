//! Theorem C2: models at which more than B could be lost are excluded, by intervals of the margins that become shorter.
//!
//! | file | its part |
//! |---|---|
//! | `setting` | the numbers that all rounds share, and Φ of Lemma C1 |
//! | `intervals` | the intervals, and lines above the rows on them |

mod intervals;
mod proof;
mod setting;

pub use proof::{ContractionCase, ContractionProof, ContractionRound};

use crate::exact::Dyadic;
use crate::failure::{Reason, require_length};
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
    require_length("cases", evidence.data.len(), proof.cases.len())?;
    setting::require_numbers(statement, proof, evidence)?;
    let bounds = (0..proof.cases.len()).map(|dataset| {
        let setting = Setting::new(statement, proof, &evidence.data[dataset], dataset);
        case_value(&setting, &proof.cases[dataset])
    });
    bounds.reduce(|most, bound| Ok(most?.max(bound?))).unwrap_or_else(|| Ok(Dyadic::new(proof.target)))
}

/// The bound where the rows are those of one dataset.
fn case_value(setting: &Setting, case: &ContractionCase) -> Result<Dyadic, Reason> {
    let mut intervals = Intervals::first(setting)?;
    for round in &case.rounds {
        for (end, to) in setting.moved(&intervals.lines(setting)?, round)? {
            intervals.cut(end, to);
        }
        if intervals.are_empty() {
            return Ok(setting.target.clone());
        }
    }
    setting.last(&intervals.lines(setting)?, case)
}
