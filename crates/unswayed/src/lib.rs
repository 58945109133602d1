//! Proven bounds on what an adaptive data poisoner can do to an online learner.
//!
//! A learner that keeps learning from its users' data can be steered by users who mean harm: they see the model and adapt
//! their points to it. For a given learner, benign data and a given fraction of hostile points, [`certify::certify`]
//! computes a number that the long-run loss cannot exceed, whatever the adversary does, and a witness for it that
//! the small crate `unswayed-check` verifies in exact arithmetic.
//!
//! ```
//! use unswayed::{Dataset, Hinge, Threat, certify};
//!
//! let data = Dataset::sample()?;                  // features and labels; see `data` for files
//! let learner = Hinge::new(1e-3, 0.01)?;          // learning rate, regularization
//! let threat = Threat::new(0.02)?;                // one point in fifty is hostile
//! let outcome = certify::certify(&data, &learner, &threat, &certify::Options::default())?;
//! println!("certified loss {}", outcome.certified_loss);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The way data takes: [`data`] → [`learner`] and [`threat`] → [`certify`] → `unswayed_check::Certificate`, and
//! beside it [`attack`] → [`simulate`] → the strongest attack found.

pub mod attack;
mod cancel;
pub mod certify;
pub mod data;
pub mod design;
mod error;
pub mod experiment;
pub mod learner;
pub mod prepare;
pub mod simulate;
pub mod threat;

pub use cancel::Cancel;
pub use data::Dataset;
pub use error::{AttackError, CertifyError, ParameterError};
pub use learner::Hinge;
pub use threat::Threat;
pub use unswayed_check as check;
