//! How a bound varies with the sample of rows: a picture, not a proof.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use super::{Options, Outcome, certify_near};
use crate::error::CertifyError;
use crate::problem::Problem;

/// The bounds of samples of the rows, as many rows as there are, drawn with replacement.
///
/// Each bound is proven, but about its sample, which nobody has. Together they show how much a bound would differ if other rows had
/// been drawn from the same source. They prove nothing about that source.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Bootstrap {
    /// The seed that the samples were drawn with.
    pub seed: u64,
    /// The certified loss of each sample.
    pub losses: Vec<f64>,
    /// The certified error of each sample; empty for a regression loss.
    pub errors: Vec<f64>,
}

/// Certifies samples of the rows, drawn with replacement: so many, each starting from the solution for the rows themselves where the
/// solver can. Bounds for first steps and for new data are left out. The same seed gives the same samples.
///
/// ```
/// use unswayed::Problem;
/// use unswayed::certify::{Options, bootstrap, certify};
/// let data = unswayed::data::sample()?.first(100)?;
/// let problem = Problem::builder(data).learning_rate(1e-3).regularization(0.01).poison_rate(0.01).build()?;
/// let found = bootstrap(&problem, &Options::default(), 5, 1)?;
/// assert_eq!(found, bootstrap(&problem, &Options::default(), 5, 1)?);
/// let bound = certify(&problem)?.certified_loss;
/// assert!(found.losses.iter().all(|loss| (0.5 * bound..2.0 * bound).contains(loss)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As for [`certify_with`](super::certify_with), of the rows or of any sample.
pub fn bootstrap(
    problem: &Problem,
    options: &Options,
    samples: usize,
    seed: u64,
) -> Result<Bootstrap, CertifyError> {
    let options =
        Options { horizon: None, first_rate: None, total_rate: None, confidence: None, ..options.clone() };
    let (_, near) = certify_near(problem, &options, None)?;
    let of_sample = |i: usize| -> Result<Outcome, CertifyError> {
        let mut random = Pcg64Mcg::seed_from_u64(seed.rotate_left(32) ^ i as u64);
        let rows = problem.data().iter().map(|data| {
            let rows = data.rows() as u64;
            (0..rows).map(|_| (((random.next_u64() >> 32) * rows) >> 32) as usize).collect()
        });
        let sample = problem.on_rows(&rows.collect::<Vec<Vec<usize>>>())?;
        Ok(certify_near(&sample, &options, near.as_ref())?.0)
    };
    let found = (0..samples).into_par_iter().map(of_sample).collect::<Result<Vec<_>, _>>()?;
    Ok(Bootstrap {
        seed,
        losses: found.iter().map(|outcome| outcome.certified_loss).collect(),
        errors: found.iter().filter_map(|outcome| outcome.certified_error).collect(),
    })
}
