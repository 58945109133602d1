//! Choosing the learner: the same certificate for many settings, and the setting that keeps the harm small.
//!
//! The learner's setting φ = (η, σ, and how it projects, clips and collects points) is chosen on training tasks to minimise the mean of
//!
//! ```text
//! benign loss + κ · certified loss
//! ```
//!
//! over tasks and poison rates, or to have the smallest benign loss among those whose certified error stays under a limit; and judged
//! on a held-out task. With a horizon both losses are averages over so many first steps.
//!
//! | module | its part |
//! |---|---|
//! | [`axis`] | what is varied: η, σ, projection, clipping, batch |
//! | [`grid`] | the settings and poison rates to try |
//! | [`steps`] | the further axes: radii to project on, norms to clip at, points per step |
//! | [`record`] | what is known of one task and setting |
//! | [`journal`] | records on disk, as they come; survives being killed |
//! | [`piece`] | what is computed in one go, in this process or in another |
//! | [`sweep`] | has the records that are missing computed, on all cores or elsewhere |
//! | [`choose`] | objective, ranking, Pareto front, κ, the continuous search |
//! | [`table`] | all figures as rows: CSV, Parquet, JSON |
//! | [`tolerate`] | the question turned round: the largest poison rate under a limit |
//! | [`noise`] | mean estimation: the paper's Algorithm 1, which designs noise and finds that none is best |

pub mod axis;
pub mod choose;
mod customary;
mod error;
pub mod grid;
pub mod journal;
pub mod noise;
pub mod piece;
mod plan;
pub mod record;
pub mod steps;
pub mod sweep;
pub mod table;
pub mod tolerate;

pub use customary::Customary;
pub use error::DesignError;
pub use grid::{Grid, Growing, Setting};
pub use plan::{AttackPlan, Design, OnTest, Request, design};
pub use steps::{Steps, Tried};
pub use sweep::{BenignLoss, Run, Sweep, SweepPlan, Task};
