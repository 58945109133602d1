//! Proven bounds on what an adaptive data poisoner can do to an online learner.
//!
//! A learner that keeps learning from its users' data can be steered by users who mean harm: they see the model and adapt
//! their points to it. For a given learner, benign data and a given fraction of hostile points, [`certify()`] computes a number
//! that the long-run loss cannot exceed, whatever the adversary does, and a proof of it that the small crate `unswayed-check`
//! verifies in exact arithmetic.
//!
//! ```
//! use unswayed::{Adversary, Dataset, Problem, certify};
//!
//! let data = unswayed::data::sample()?;                       // features and labels; see `data` for files
//! let problem = Problem::builder(data.clone())
//!     .learning_rate(1e-3)
//!     .regularization(0.01)
//!     .poison_rate(0.02)                               // one point in fifty is hostile
//!     .build()?;
//! println!("certified hinge loss {}", certify(&problem)?.certified_loss);
//!
//! let problem = Problem::builder(data.first(100)?)     // another loss, another threat: the same path
//!     .loss("logistic".parse()?)
//!     .adversary(Adversary::BoxAroundData)             // whatever a filter by columns lets pass
//!     .learning_rate(1e-3)
//!     .regularization(0.01)
//!     .poison_rate(0.02)
//!     .build()?;
//! println!("certified logistic loss {}", certify(&problem)?.certified_loss);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The way data takes: [`data`] → [`Problem`] → [`mod@certify`] → [`check::Certificate`], and beside it [`attack`] → [`simulate`] →
//! the strongest attack found.

#![cfg_attr(
    not(feature = "general"),
    allow(dead_code, unused_imports, reason = "what the other learners need stands idle")
)]

#[cfg(feature = "general")]
pub mod attack;
mod cancel;
pub mod certify;
pub mod data;
#[cfg(feature = "files")]
pub mod design;
mod error;
#[cfg(feature = "files")]
pub mod experiment;
pub mod learner;
#[cfg(feature = "files")]
pub mod monitor;
mod poison_weight;
#[cfg(feature = "files")]
pub mod prepare;
mod problem;
#[cfg(feature = "general")]
mod sequential;
#[cfg(feature = "general")]
pub mod simulate;

pub use cancel::Cancel;
pub use certify::certify;
pub use data::Dataset;
pub use error::{AttackError, CertifyError, ParameterError};
pub use poison_weight::PoisonWeightPolicy;
pub use problem::{
    Adversary, Column, Decay, IntoData, LossName, Problem, ProblemBuilder, ProblemError, Template,
};
pub use unswayed_check as check;
