//! Certificates.
pub mod convexity;
