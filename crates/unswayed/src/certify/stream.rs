//! Certificates for data that are read in parts, which need not fit into memory, nor be on one machine.
//!
//! A proof by a rule (Section 23 of `docs/theory.md`) is found on a sample, improved by passes over all rows, and then evaluated by the
//! exact checker in one more pass, in which the digest is compared again. What a pass adds up does not depend on the order of the
//! rows, so that the certificate is the same to the last bit whether threads or machines have made it, and however many.

use serde::{Deserialize, Serialize};
use unswayed_check::{
    Certificate, CertificateSums, Claim, Failure, HorizonClaim, Origin, Proof, RowSums, Statement,
};

use super::interior::{self, Model, Parts, Totals, add_rows};
use super::{Options, Outcome, outcome, rule_features, start, stated_horizon, tool};
use crate::data::{Block, DataError, Partition, Partitions, Stream};
use crate::error::CertifyError;
use crate::problem::Problem;

/// Passes over all rows in the search, each of which reads them: for the sample's proof, that of the next solution, and models of its
/// rule.
const ROUNDS: usize = 1;
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
    certify_passes(sample, &Threads { stream, progress }, options)
}

/// The same for rows that are spread over machines. `run` has [`pass_over`] called for each partition with the text that it is given,
/// and returns what that returns, in the order of the rows. The certificate has the same bytes as if all rows were in one place.
///
/// # Errors
/// As [`certify_stream`], and what `run` returns.
pub fn certify_partitions(
    sample: &Problem,
    partitions: &Partitions,
    origin: &Origin,
    options: &Options,
    run: &dyn Fn(&str) -> Result<Vec<String>, CertifyError>,
) -> Result<Outcome, CertifyError> {
    certify_passes(sample, &Machines { partitions, origin, run }, options)
}

fn certify_passes(sample: &Problem, rows: &dyn Passes, options: &Options) -> Result<Outcome, CertifyError> {
    sample.require(&rule_features(sample))?;
    if !interior::applies(sample) || options.confidence.is_some() {
        return Err(CertifyError::Unsupported("rows in parts and this problem"));
    }
    let start = start(sample, options)?;
    let mut statement = Statement { data: vec![rows.origin().clone()], ..sample.statement().clone() };
    let horizon = options.horizon.map(|steps| stated_horizon(sample, options, steps, start.clone()));
    statement.horizon = horizon.transpose()?;
    let pass =
        |models: &[Model; 2], number| rows.search(models, &format!("pass {} of {}", number + 1, PASSES + 1));
    let (proofs, converged) = Parts::of_sample(sample).improved(ROUNDS, PASSES, pass)?;
    let [loss, error] = proofs.map(|proof| Claim { bound: 0.0, proof: Proof::Cases(Box::new(proof)) });
    let error = (!sample.learner().average).then_some(error);
    let (horizon, horizon_error, new_data) = (None, None, None);
    let draft = Certificate { tool: tool(), statement, loss, error, horizon, horizon_error, new_data };
    let certificate = claimed(&rows.exact(&draft)?)?;
    Ok(outcome(sample, certificate, converged, &start))
}

/// The certificate with the bounds that its proofs prove.
fn claimed(sums: &CertificateSums) -> Result<Certificate, CertifyError> {
    let refused = |failure: Failure| CertifyError::NoProof { refusal: Some(failure) };
    let draft = sums.certificate();
    let proven = sums.proofs()[0].prove().map_err(refused)?;
    let bound = proven.bound().map_err(refused)?;
    let horizon = match &draft.statement.horizon {
        None => None,
        Some(horizon) => {
            let bound = proven.horizon(horizon, 0.0).map_err(CertifyError::Refused)?;
            Some(HorizonClaim { bound, m: 0.0, proof: None })
        }
    };
    // An error that has no proof is bounded by the loss.
    let of_error = |sums: &RowSums| sums.prove().and_then(|proven| proven.bound()).ok();
    let of_error = sums.proofs().get(1).and_then(of_error).filter(|error| *error < bound.min(1.0));
    let claim = |(bound, claim): (f64, &Claim)| Claim { bound, ..claim.clone() };
    Ok(Certificate {
        loss: claim((bound, &draft.loss)),
        error: of_error.zip(draft.error.as_ref()).map(claim),
        horizon,
        ..draft.clone()
    })
}

/// Rows that can be read as often as they are needed.
trait Passes {
    /// How they are made.
    fn origin(&self) -> &Origin;

    /// The sums of a pass in floating point, at the proofs of the loss and of the error.
    fn search(&self, models: &[Model; 2], what: &str) -> Result<[Totals; 2], CertifyError>;

    /// The exact sums, over rows whose digest is that of the origin.
    fn exact<'a>(&self, draft: &'a Certificate) -> Result<CertificateSums<'a>, CertifyError>;
}

/// Files that the threads of this process read.
struct Threads<'a> {
    stream: &'a Stream,
    progress: &'a dyn Fn(&str, usize, usize),
}

impl Passes for Threads<'_> {
    fn origin(&self) -> &Origin {
        self.stream.origin()
    }

    fn search(&self, models: &[Model; 2], what: &str) -> Result<[Totals; 2], CertifyError> {
        let add = |sums: &mut [Totals; 2], block: Block| -> Result<(), CertifyError> {
            add_rows(models, sums, &block.z);
            Ok(())
        };
        let new = || Ok(models.each_ref().map(Totals::new));
        merged(models, self.stream.in_threads(new, add, &|rows, of| (self.progress)(what, rows, of))?)
    }

    fn exact<'a>(&self, draft: &'a Certificate) -> Result<CertificateSums<'a>, CertifyError> {
        let new = || CertificateSums::new(draft).map_err(CertifyError::Refused);
        let add = |sums: &mut CertificateSums, block: Block| {
            sums.add(block.first, &block.z).map_err(CertifyError::Refused)
        };
        let each = self.stream.in_threads(new, add, &|rows, of| (self.progress)("exact check", rows, of))?;
        let mut all = new()?;
        each.iter().try_for_each(|one| all.merge(one)).map_err(CertifyError::Refused)?;
        Ok(all)
    }
}

/// Partitions that others read.
struct Machines<'a> {
    partitions: &'a Partitions,
    origin: &'a Origin,
    run: &'a dyn Fn(&str) -> Result<Vec<String>, CertifyError>,
}

/// What is asked of those who read a partition.
#[derive(Serialize, Deserialize)]
struct Request {
    origin: Origin,
    pass: PassOver,
}

/// What they add up.
#[derive(Serialize, Deserialize)]
enum PassOver {
    Search([Model; 2]),
    /// For a certificate that claims nothing yet.
    Exact(Box<Certificate>),
}

/// What they return.
#[derive(Serialize, Deserialize)]
struct Answer {
    /// The digest of the partition.
    sha256: String,
    sums: Added,
}

#[derive(Serialize, Deserialize)]
enum Added {
    Search([Totals; 2]),
    Exact(String),
}

impl Machines<'_> {
    /// The answers for all partitions, which must be those of the first look.
    fn ask(&self, pass: PassOver) -> Result<Vec<Added>, CertifyError> {
        let request = Request { origin: self.origin.clone(), pass };
        let texts = (self.run)(&serde_json::to_string(&request)?)?;
        let read = |text: &String| -> Result<Answer, CertifyError> { Ok(serde_json::from_str(text)?) };
        let answers = texts.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let digests: Vec<String> = answers.iter().map(|answer| answer.sha256.clone()).collect();
        self.partitions.require_same(&digests)?;
        Ok(answers.into_iter().map(|answer| answer.sums).collect())
    }
}

impl Passes for Machines<'_> {
    fn origin(&self) -> &Origin {
        self.origin
    }

    fn search(&self, models: &[Model; 2], _: &str) -> Result<[Totals; 2], CertifyError> {
        let sums = self.ask(PassOver::Search(models.clone()))?.into_iter().map(|sums| match sums {
            Added::Search(totals) => Ok(totals),
            Added::Exact(_) => Err(wrong_answer()),
        });
        merged(models, sums.collect::<Result<_, _>>()?)
    }

    fn exact<'a>(&self, draft: &'a Certificate) -> Result<CertificateSums<'a>, CertifyError> {
        let mut all = CertificateSums::new(draft).map_err(CertifyError::Refused)?;
        for sums in self.ask(PassOver::Exact(Box::new(draft.clone())))? {
            let Added::Exact(text) = sums else { return Err(wrong_answer()) };
            let one = CertificateSums::from_text(draft, &text).map_err(CertifyError::Refused)?;
            all.merge(&one).map_err(CertifyError::Refused)?;
        }
        Ok(all)
    }
}

/// What a machine does in a pass over its partition, the first row of which is row `first` of all: adds up what the text asks for.
///
/// # Errors
/// Rows that cannot be read, and texts that [`certify_partitions`] does not send.
pub fn pass_over(partition: &Partition, first: usize, request: &str) -> Result<String, CertifyError> {
    let Request { origin, pass } = serde_json::from_str(request)?;
    let (sha256, sums) = match &pass {
        PassOver::Search(models) => {
            let mut totals = models.each_ref().map(Totals::new);
            let sha256 = partition.read(first, &origin, |block| -> Result<(), CertifyError> {
                add_rows(models, &mut totals, &block.z);
                Ok(())
            })?;
            (sha256, Added::Search(totals.map(Totals::settled)))
        }
        PassOver::Exact(draft) => {
            let mut sums = CertificateSums::new(draft).map_err(CertifyError::Refused)?;
            let sha256 = partition.read(first, &origin, |block| {
                sums.add(block.first, &block.z).map_err(CertifyError::Refused)
            })?;
            (sha256, Added::Exact(sums.to_text()?))
        }
    };
    Ok(serde_json::to_string(&Answer { sha256, sums })?)
}

fn merged(models: &[Model; 2], each: Vec<[Totals; 2]>) -> Result<[Totals; 2], CertifyError> {
    let mut all = models.each_ref().map(Totals::new);
    for one in each {
        if !all.iter_mut().zip(one).all(|(all, one)| all.merge(&one.settled())) {
            return Err(wrong_answer());
        }
    }
    Ok(all)
}

fn wrong_answer() -> CertifyError {
    CertifyError::Elsewhere("a machine has added up something else than what it was asked for".to_owned())
}

impl From<serde_json::Error> for CertifyError {
    fn from(error: serde_json::Error) -> Self {
        CertifyError::Elsewhere(error.to_string())
    }
}

impl From<DataError> for CertifyError {
    fn from(error: DataError) -> Self {
        CertifyError::Data(error.to_string())
    }
}
