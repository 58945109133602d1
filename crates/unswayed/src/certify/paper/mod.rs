//! The paper's semidefinite certificates, solved by Clarabel and proven by the exact checker.
//!
//! They are here for comparison: the convexity certificate is usually tighter and thousands of times faster. Both
//! programs are the paper's with its misprints put right (`docs/theory.md`, Section 13).

mod hinge;
mod mean;
mod repair;

pub use super::conic::{Progress, Step};
pub use mean::{MeanMoments, certify_mean, mean_value, printed_mean_value};
use unswayed_check::{Claim, Failure, Feature, PaperProof, Proof};

use super::interior::Instance;
use super::{Found, Options, Outcome, exact_bound, finish, norm, start};
use crate::data::Dataset;
use crate::error::CertifyError;
use crate::problem::Problem;
use hinge::{Multipliers, Row, Setting};
use repair::Spectrum;

/// Most columns: the solver's memory grows with their fourth power, its time with the sixth.
pub const MOST_COLUMNS: usize = 80;
/// Most numbers in the data.
pub const MOST_NUMBERS: usize = 200_000;
/// The program's radius where the adversary's is smaller. A bound for a larger radius is one for a smaller, and the
/// proof uses the true one.
const SMALLEST_RADIUS: f64 = 1e-6;
/// What ν8, ν9 and ν10 are raised by, in units of what they can add to the bound, until the proof holds.
const RAISES: [f64; 6] = [0.0, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5];

/// A proven bound this much above the solver's value is taken without trying further.
const PROOF_LOSS: f64 = 1e-8;

/// Certifies the hinge learner against a ball by the paper's Theorem 3, corrected, with a general symmetric matrix A.
///
/// ```
/// use unswayed::certify::{Options, paper};
/// use unswayed::{Dataset, Problem, certify};
/// let data = Dataset::from_rows(vec![0.6, 0.8, 0.8, 0.6, -0.1, 0.9], 2, None)?;
/// let problem = Problem::builder(data).learning_rate(0.01).regularization(0.1).poison_rate(0.05).build()?;
/// let outcome = paper::certify(&problem, &Options::default(), None)?;
/// assert!(certify(&problem)?.certified_loss < outcome.certified_loss);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Problems of other learners, too many columns, or a solver that breaks down.
pub fn certify(
    problem: &Problem,
    options: &Options,
    progress: Option<&Progress>,
) -> Result<Outcome, CertifyError> {
    problem.require(&[Feature::Paper])?;
    let (start, data) = (start(problem, options)?, &problem.data()[0]);
    fits(data)?;
    let program = program(problem, &start);
    let none = || CertifyError::NoProof { refusal: None };
    let found = hinge::solve(&program, progress).ok_or_else(none)?;
    let spectrum = Spectrum::new(&found.a, program.dimension).ok_or_else(none)?;
    let slope = program.slope(&found.m, &found.h);
    let nu = repair::best(&program, &spectrum, &slope, &found.b, found.nu).ok_or_else(none)?;
    let proofs = RAISES.iter().map(|raise| {
        let raised = raise_by(&program, nu, *raise);
        proof(&program, &found, &spectrum, &slope, raised, data)
    });
    let enough = found.value + PROOF_LOSS * found.value.abs().max(1.0);
    let loss = smallest(proofs, |proof| exact_bound(problem, proof), enough)?;
    finish(problem, options, Found { loss, error: None, converged: found.converged }, None, None)
}

/// The proof with the smallest bound, or the first whose bound is small enough.
fn smallest(
    proofs: impl Iterator<Item = Proof>,
    bound: impl Fn(&Proof) -> Result<f64, Failure>,
    enough: f64,
) -> Result<Claim, CertifyError> {
    let (mut best, mut refusal): (Option<Claim>, _) = (None, None);
    for proof in proofs {
        match bound(&proof) {
            Ok(bound) if best.as_ref().is_none_or(|claim| bound < claim.bound) => {
                best = Some(Claim { bound, proof });
            }
            Ok(_) => {}
            Err(failure) => refusal = Some(failure),
        }
        if best.as_ref().is_some_and(|claim| claim.bound <= enough) {
            break;
        }
    }
    best.ok_or(CertifyError::NoProof { refusal })
}

/// The value of Theorem 3 as it is printed: **no bound**, kept to show the misprint. `None` if the program has no value.
///
/// In print ν3 and ν5 are missing from the row of q_i, and the row of w_i is an inequality, as if w_i were never negative.
pub fn printed_value(problem: &Problem) -> Option<f64> {
    problem.require(&[Feature::Paper]).ok()?;
    fits(&problem.data()[0]).ok()?;
    hinge::printed(&program(problem, &vec![0.0; problem.parameters()]))
}

fn fits(data: &Dataset) -> Result<(), CertifyError> {
    let (rows, columns) = (data.rows(), data.dimension());
    if columns > MOST_COLUMNS || rows.saturating_mul(columns) > MOST_NUMBERS {
        return Err(CertifyError::TooLarge { rows, columns });
    }
    Ok(())
}

/// The program's constants and rows. The ball is as large as the start needs it.
fn program<'a>(problem: &'a Problem, start: &[f64]) -> Setting<'a> {
    let instance = Instance::new(problem);
    let data = &problem.data()[0];
    let ball = instance.ball().max(instance.rounded_up(norm(start)));
    let rows = data.iter().zip(data.probabilities()).filter(|(_, weight)| *weight > 0.0);
    Setting {
        eta: instance.eta,
        sigma: instance.sigma,
        eps: instance.epsilon,
        radius: instance.radius.max(SMALLEST_RADIUS),
        ball,
        reach: instance.rounded_up(ball * data.largest_norm().max(1.0)),
        dimension: data.dimension(),
        rows: rows.map(|(z, weight)| Row { weight, z }).collect(),
    }
}

fn raise_by(s: &Setting, nu: [f64; 3], raise: f64) -> [f64; 3] {
    let [nu8, nu9, nu10] = nu;
    [nu8 + raise / (s.ball * s.ball), nu9, nu10 + raise / (s.radius * s.radius)]
}

/// Everything the checker needs. Rows of weight 0 get multipliers 0.
fn proof(
    s: &Setting,
    found: &Multipliers,
    spectrum: &Spectrum,
    slope: &[f64],
    nu: [f64; 3],
    data: &Dataset,
) -> Proof {
    let point = repair::point(s, spectrum, slope, &found.b, nu);
    let (low, high) = spectrum.range();
    let (mut m, mut h) = (vec![], vec![]);
    let (mut ms, mut hs) = (found.m.iter(), found.h.chunks_exact(s.dimension));
    for weight in data.probabilities() {
        let known = if weight > 0.0 { ms.next().zip(hs.next()) } else { None };
        m.push(known.map_or(0.0, |(m, _)| *m));
        h.extend_from_slice(known.map_or(&vec![0.0; s.dimension], |(_, h)| h));
    }
    let [nu8, nu9, nu10] = nu;
    Proof::Paper(Box::new(PaperProof {
        a: found.a.clone(),
        b: found.b.clone(),
        m,
        h,
        nu8,
        nu9,
        nu10,
        ball: s.ball,
        reach: s.reach,
        low,
        high,
        delta: point.delta,
        theta: point.theta,
        point: point.z,
    }))
}
