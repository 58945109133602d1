//! Certificates for data that are read in parts, which need not fit into memory.
//!
//! A proof by a rule (Section 23 of `docs/theory.md`) is found on a sample, improved by passes over all rows, and then evaluated by the
//! exact checker in one more pass, in which the digest is compared again.

use unswayed_check::{Certificate, Claim, Failure, HorizonClaim, Proof, RowSums, Statement};

use super::interior::{self, Parts, Pass};
use super::{Options, Outcome, outcome, rule_features, start, stated_horizon, tool};
use crate::data::{Block, DataError, Stream};
use crate::error::CertifyError;
use crate::problem::Problem;

/// Passes over all rows in the search: for the sample's proof, that of the next solution, and models of its rule.
const PASSES: usize = 4;
/// Rows of a sample, at most.
const SAMPLE_ROWS: usize = 100_000;
/// Numbers of a sample, at most, unless it would have fewer rows than a thousand.
const SAMPLE_NUMBERS: usize = 1 << 24;

/// How many rows of so many columns a sample should have.
pub fn sample_rows(columns: usize) -> usize {
    (SAMPLE_NUMBERS / columns.max(1)).clamp(1000, SAMPLE_ROWS)
}

/// Bounds what any adversary can do in the long run, for rows that are read in parts. The problem is that of a sample of them, as
/// [`Stream::open`] takes it; what it says of learner and threat is meant. `progress` is told what is being done, how many rows have
/// been read, and of how many.
///
/// The benign loss of the outcome is that of the sample.
///
/// # Errors
/// What rules are not supported for; files that have changed since they were opened; and that no proof passes the exact check.
pub fn certify_stream(
    sample: &Problem,
    stream: &Stream,
    options: &Options,
    progress: &dyn Fn(&str, usize, usize),
) -> Result<Outcome, CertifyError> {
    sample.require(&rule_features(sample))?;
    if !interior::applies(sample) || options.confidence.is_some() {
        return Err(CertifyError::Unsupported("rows in parts and this problem"));
    }
    let start = start(sample, options)?;
    let mut statement = Statement { data: vec![stream.origin().clone()], ..sample.statement().clone() };
    let horizon = options.horizon.map(|steps| stated_horizon(sample, options, steps, start.clone()));
    statement.horizon = horizon.transpose()?;
    let (proofs, converged) = improve(sample, stream, progress)?;
    let [loss, error] = proofs.map(|proof| Proof::Cases(Box::new(proof)));
    let wanted: Vec<&Proof> = if sample.learner().average { vec![&loss] } else { vec![&loss, &error] };
    let sums = exact_sums(&statement, &wanted, stream, progress)?;
    let refused = |failure: Failure| CertifyError::NoProof { refusal: Some(failure) };
    let proven = sums[0].prove().map_err(refused)?;
    let bound = proven.bound().map_err(refused)?;
    let horizon = match &statement.horizon {
        None => None,
        Some(horizon) => {
            let bound = proven.horizon(horizon, 0.0).map_err(CertifyError::Refused)?;
            Some(HorizonClaim { bound, m: 0.0, proof: None })
        }
    };
    // An error that has no proof is bounded by the loss.
    let of_error = sums.get(1).and_then(|sums| sums.prove().and_then(|proven| proven.bound()).ok());
    let of_error = of_error.filter(|error| *error < bound.min(1.0));
    drop(sums);
    let error = of_error.map(|bound| Claim { bound, proof: error });
    let loss = Claim { bound, proof: loss };
    let certificate = Certificate { tool: tool(), statement, loss, error, horizon, new_data: None };
    Ok(outcome(sample, certificate, converged, &start))
}

/// The best proofs of the loss and the error after some passes, and whether the solver converged.
fn improve(
    sample: &Problem,
    stream: &Stream,
    progress: &dyn Fn(&str, usize, usize),
) -> Result<([unswayed_check::CaseProof; 2], bool), CertifyError> {
    let mut parts = Parts::new(sample);
    let (mut best, mut bounds) = (parts.found.clone(), [f64::INFINITY; 2]);
    for pass in 0..PASSES {
        let what = format!("pass {} of {}", pass + 1, PASSES + 1);
        let sums = float_sums(&parts, stream, &|rows, of| progress(&what, rows, of))?;
        for (which, sums) in sums.iter().enumerate() {
            let (candidate, bound) = sums.settled();
            if bound < bounds[which] {
                (best[which], bounds[which]) = (candidate, bound);
            }
        }
        parts.found = match pass {
            0 => parts.solved_again(&sums.each_ref().map(Pass::slopes)),
            _ => sums.each_ref().map(Pass::with_next_model),
        };
    }
    let converged = best[0].converged;
    Ok((best.map(|candidate| candidate.proof), converged))
}

/// The sums of a pass in floating point.
fn float_sums<'a>(
    parts: &'a Parts,
    stream: &Stream,
    progress: &dyn Fn(usize, usize),
) -> Result<[Pass<'a>; 2], CertifyError> {
    let columns = stream.origin().columns;
    let add = |sums: &mut [Pass<'a>; 2], block: Block| -> Result<(), CertifyError> {
        for z in block.z.chunks_exact(columns) {
            for sums in &mut *sums {
                sums.add(z);
            }
        }
        Ok(())
    };
    let each = stream.in_threads(|| Ok(parts.passes()), add, progress)?;
    let merge = |mut all: [Pass<'a>; 2], one: [Pass<'a>; 2]| {
        all.iter_mut().zip(&one).for_each(|(all, one)| all.merge(one));
        all
    };
    each.into_iter().reduce(merge).ok_or(CertifyError::Unsupported("no rows"))
}

/// The exact sums for each proof.
fn exact_sums<'a>(
    statement: &'a Statement,
    proofs: &[&'a Proof],
    stream: &Stream,
    progress: &dyn Fn(&str, usize, usize),
) -> Result<Vec<RowSums<'a>>, CertifyError> {
    let new = || {
        let sums = proofs.iter().map(|proof| RowSums::new(statement, proof));
        sums.collect::<Result<Vec<_>, _>>().map_err(CertifyError::Refused)
    };
    let add = |sums: &mut Vec<RowSums<'a>>, block: Block| {
        sums.iter_mut().try_for_each(|sums| sums.add(block.first, &block.z)).map_err(CertifyError::Refused)
    };
    let each = stream.in_threads(new, add, &|rows, of| progress("exact check", rows, of))?;
    let mut each = each.into_iter();
    let mut all = each.next().map_or_else(new, Ok)?;
    for one in each {
        for (all, one) in all.iter_mut().zip(&one) {
            all.merge(one).map_err(CertifyError::Refused)?;
        }
    }
    Ok(all)
}

impl From<DataError> for CertifyError {
    fn from(error: DataError) -> Self {
        CertifyError::Data(error.to_string())
    }
}
