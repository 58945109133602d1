//! stub
pub mod data;
pub mod certify;
mod error;
pub mod learner;
pub mod threat;
pub use error::ParameterError;
pub use learner::Hinge;
pub use threat::Threat;
