//! Certificates of similar problems, one after another.

use super::{Options, Outcome, Solution, certify_near};
use crate::error::CertifyError;
use crate::problem::Problem;

/// Certifies similar problems one after another: each search starts from the solution of the one before, where the solver can.
///
/// Bounds agree with those of single searches up to the solver's tolerance, and each is proven for itself.
///
/// ```
/// use unswayed::Problem;
/// use unswayed::certify::{Options, Series};
/// let data = unswayed::data::sample()?.first(100)?;
/// let problem = Problem::builder(data).learning_rate(1e-3).regularization(0.01).poison_rate(0.0).build()?;
/// let mut series = Series::new(Options::default());
/// let losses = [0.01, 0.02, 0.05].map(|rate| {
///     series.certify(&problem.with_poison_rate(rate).unwrap()).unwrap().certified_loss
/// });
/// assert!(losses.is_sorted());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Series {
    options: Options,
    near: Option<Solution>,
}

impl Series {
    /// Nothing is known yet.
    pub fn new(options: Options) -> Self {
        Series { options, near: None }
    }

    /// The next certificate.
    ///
    /// # Errors
    /// As for [`certify_with`](super::certify_with). The problems after it are certified as if it had not been there.
    pub fn certify(&mut self, problem: &Problem) -> Result<Outcome, CertifyError> {
        // The problem without adversary has fewer variables: it is no start for the others.
        let is_attacked = problem.threat().poison_rate > 0.0;
        let near = self.near.as_ref().filter(|_| is_attacked);
        let (outcome, solution) = certify_near(problem, &self.options, near)?;
        if is_attacked {
            self.near = solution;
        }
        Ok(outcome)
    }
}
