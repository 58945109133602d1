//! A bound for the distribution that the rows were drawn from (Theorem L18): one half of the rows chooses the numbers, the other half
//! is what they are evaluated on.

use rayon::prelude::*;
use unswayed_check::{Deviation, NewDataClaim, Rows, Set, Statement, prove_new_data};

use super::points::{OUTSIDE, PointSet};
use super::program::CaseProgram;
use super::setting::{Constants, RowTable};
use super::solve::{Found, solve};
use super::theta::{Quadratic, sum};
use super::{MOST_ROWS, points, rows};
use crate::certify::dot;
use crate::data::Dataset;
use crate::error::CertifyError;
use crate::problem::Problem;

/// What α costs besides, in units of what the deviation makes of it at first sight.
const BURDENS: [f64; 8] = [0.0, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.5];
/// Widths over which the rule's slope goes from κ to 0.
const WIDTHS: [f64; 2] = [0.03, 0.15];
/// What τ is multiplied by: Theorem L18 divides by the least curvature, which the program may leave near 0.
const ROOMS: [f64; 4] = [1.000_001, 1.1, 1.5, 2.5];

/// The radius of the adversary's set is taken a little larger: rows of that norm are no longer but for rounding.
const ROUNDING: f64 = 1.0 + 1e-12;

/// The problem on the half of the rows that is certified, and the half that chooses.
pub(in super::super) fn halves(problem: &Problem, level: f64) -> Result<(Problem, Dataset), CertifyError> {
    if !(level > 0.0 && level < 1.0) {
        return Err(CertifyError::Confidence("it must be above 0 and below 1, say 0.99"));
    }
    let data = &problem.data()[0];
    if data.rows() < 4 {
        return Err(CertifyError::Confidence("too few rows: one half chooses, the other evaluates"));
    }
    if data.origin().is_scaled() {
        return Err(CertifyError::Confidence(
            "the rows were divided by a number that was read off all of them; divide by a number chosen beforehand",
        ));
    }
    if data.weights().is_some() {
        return Err(CertifyError::Confidence("it is for rows of equal weight, drawn independently"));
    }
    let longest = points::longest(problem.statement(), problem.parameters()) * ROUNDING;
    if data.largest_norm() > longest {
        return Err(CertifyError::Confidence(
            "a row is longer than every point that the adversary may send, so new data may be longer still; allow the \
             adversary longer points, or shorten the rows",
        ));
    }
    let half = data.rows() / 2;
    let unusable = |_| CertifyError::Confidence("the rows cannot be split");
    let rest = data.z()[half * data.dimension()..].to_vec();
    let chosen = Dataset::from_rows(rest, data.dimension(), None).map_err(unusable)?;
    Ok((problem.on(data.first(half).map_err(unusable)?), chosen))
}

/// The claim: numbers from one half, evaluated on the other by the exact checker.
pub(in super::super) fn new_data(
    problem: &Problem,
    chosen: &Dataset,
    level: f64,
) -> Result<NewDataClaim, CertifyError> {
    let (statement, evaluated) = (problem.statement(), &problem.data()[0]);
    let candidates = candidates(statement, chosen, evaluated, 1.0 - level)?;
    // The choice is made where it costs nothing: on the half that chooses.
    let value = |c: &NewDataClaim| prove_new_data(statement, c, &Rows::of(chosen)).unwrap_or(f64::INFINITY);
    let best = candidates.into_par_iter().map(|c| (value(&c), c)).min_by(|a, b| a.0.total_cmp(&b.0));
    let Some((_, claim)) = best else { return Err(CertifyError::NoProof { refusal: None }) };
    let bound = prove_new_data(statement, &claim, &Rows::of(evaluated)).map_err(CertifyError::Refused)?;
    Ok(NewDataClaim { bound, ..claim })
}

fn candidates(
    statement: &Statement,
    chosen: &Dataset,
    evaluated: &Dataset,
    delta: f64,
) -> Result<Vec<NewDataClaim>, CertifyError> {
    let constants = Constants::new(statement, chosen.dimension());
    let table = RowTable::new(statement, chosen, 0, None)?;
    let tables = [table.sample(table.len().div_ceil(MOST_ROWS / 2))];
    let parts = points::parts(statement, constants.parameters, false)
        .ok_or(CertifyError::Confidence("it is not proved for this set of points"))?;
    let task = CaseProgram {
        constants: &constants,
        loss: statement.learner.loss,
        is_cut: false,
        kind: &rows::Hinge,
        tables: &tables,
        shells: &[],
        slabs: &[],
        parts: &parts,
        is_shared: true,
        burden: 0.0,
    };
    let omega = match (&parts[0], &statement.threat.set) {
        (PointSet::Symmetric(set), Set::Ellipsoid { .. }) => Some(set.squared * OUTSIDE),
        (PointSet::Symmetric(_), _) => None,
        _ => return Err(CertifyError::Confidence("it is not proved for this set of points")),
    };
    // The learner takes no longer point than the adversary may send; what the rows are must not matter here.
    let radius = points::longest(statement, constants.parameters) * ROUNDING;
    let n = evaluated.rows() as f64;
    let spread = radius / n.sqrt() * (1.0 + (2.0 * (2.0 / delta).ln()).sqrt());
    let Some(first) = solve(&task) else { return Ok(vec![]) };
    // d/dα of κΔ‖θ‖, which is what the deviation adds to first order, where λ is least.
    let centre = dot(&first.beta, &first.beta).sqrt() / (2.0 * first.alpha);
    let unit = 2.0 * constants.k * (1.0 - constants.eps) * spread * centre;
    let mut candidates = vec![];
    for burden in BURDENS {
        let Some(found) = solve(&CaseProgram { burden: burden * unit, ..task }) else { continue };
        let theta = model(&task, &found);
        for (width, room) in WIDTHS.into_iter().flat_map(|width| ROOMS.map(|room| (width, room))) {
            let bernstein = NewDataClaim {
                bound: f64::INFINITY,
                deviation: Deviation::Bernstein,
                alpha: found.alpha,
                beta: found.beta.clone(),
                tau: found.cases[0].tau.iter().map(|tau| tau * room).collect(),
                nu: found.cases[0].nu,
                omega,
                theta: theta.clone(),
                gain: 1.0 / width,
                radius,
                delta,
            };
            candidates.push(NewDataClaim { deviation: Deviation::Hoeffding, ..bernstein.clone() });
            candidates.push(bernstein);
        }
    }
    Ok(candidates)
}

/// ½A⁻¹v, the worst model.
fn model(task: &CaseProgram, found: &Found) -> Vec<f64> {
    let place = task.places()[0];
    let quadratic = Quadratic::new(task, &place, found, &found.cases[0]);
    let (_, slope) = sum(task, found, &found.lines[0]);
    let v: Vec<f64> = slope.iter().zip(&quadratic.push).map(|(r, h)| r + h).collect();
    quadratic.inverse(&v).iter().map(|x| x / 2.0).collect()
}
