//! What stands in for the general strategies where they are left out (without the feature `general`): they find nothing.

/// See the module of this name.
pub mod general {
    use unswayed_check::{CaseProof, NewDataClaim};

    use super::super::Found;
    use super::super::start::StartCost;
    use crate::data::Dataset;
    use crate::error::CertifyError;
    use crate::problem::Problem;

    const LEFT_OUT: CertifyError = CertifyError::NoProof { refusal: None };

    pub fn search(_: &Problem) -> Result<Found, CertifyError> {
        Err(LEFT_OUT)
    }

    pub fn first_steps(_: &Problem, _: &StartCost) -> Vec<CaseProof> {
        vec![]
    }

    pub fn halves(_: &Problem, _: f64) -> Result<(Problem, Dataset), CertifyError> {
        Err(LEFT_OUT)
    }

    pub fn new_data(_: &Problem, _: &Dataset, _: f64) -> Result<NewDataClaim, CertifyError> {
        Err(LEFT_OUT)
    }
}

/// See the module of this name.
pub mod contraction {
    use unswayed_check::Claim;

    use crate::problem::Problem;

    pub fn search(_: &Problem, _: &Claim, _: &[f64]) -> Option<Claim> {
        None
    }
}

/// See the module of this name.
pub mod levels {
    use unswayed_check::Claim;

    use crate::problem::Problem;

    pub fn search(_: &Problem, _: bool) -> Option<Claim> {
        None
    }

    pub fn is_quick(_: &Problem) -> bool {
        false
    }
}

/// See the module of this name. Data keep their coordinates.
pub mod span {
    use std::convert::Infallible;
    use std::marker::PhantomData;

    pub struct Span<'a>(Infallible, PhantomData<&'a [f64]>);

    impl<'a> Span<'a> {
        pub fn new(_: &'a [f64], _: usize) -> Option<Self> {
            None
        }

        pub fn rows(&self) -> Vec<f64> {
            match self.0 {}
        }

        pub fn forth(&self, _: &[f64]) -> Vec<f64> {
            match self.0 {}
        }

        pub fn back(&self, _: &[f64]) -> Vec<f64> {
            match self.0 {}
        }
    }
}
