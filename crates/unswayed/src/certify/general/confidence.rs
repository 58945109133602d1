//! A bound for the distribution that the rows were drawn from (Theorem L18): one half of the rows chooses the numbers, the other half
//! is what they are evaluated on. Where rows may be hostile (Theorem H2), the half that came first chooses.

use rayon::prelude::*;
use unswayed_check::{Deviation, HostileSample, Loss, NewDataClaim, Rows, Set, Statement, prove_new_data};

use super::logistic::{Arc, Curve};
use super::points::{OUTSIDE, PointSet};
use super::program::CaseProgram;
use super::rows::RowKind;
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
/// The same for logistic rows, whose slope goes from κ to 0 along a line: what the fitted line's slope is multiplied by.
const STEEPER: [f64; 3] = [1.0, 0.7, 1.4];
/// A rule's gain is not nearer to 0 than this: it divides.
const LEAST_GAIN: f64 = 1e-3;
/// Parts of the rows whose constants T are raised to the floor T₋.
const RAISED: [f64; 4] = [0.05, 0.0, 0.2, 0.4];
/// What t of Theorem H1 is multiplied by, where rows may be hostile: the program does not know of all that the theorem adds.
const SPREADS: [f64; 5] = [1.0, 0.3, 0.6, 1.7, 3.0];
/// What τ is multiplied by: Theorem L18 divides by the least curvature, which the program may leave near 0.
const ROOMS: [f64; 4] = [1.000_001, 1.1, 1.5, 2.5];

/// The radius of the adversary's set is taken a little larger: rows of that norm are no longer but for rounding.
const ROUNDING: f64 = 1.0 + 1e-12;

/// The problem that is certified, and the half of the rows that chooses. The problem is on the other half; where rows may be hostile
/// it is on all of them.
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
    let own = |rows: &[f64]| Dataset::from_rows(rows.to_vec(), data.dimension(), None).map_err(unusable);
    let (first, rest) = data.z().split_at(half * data.dimension());
    match problem.statement().hostile_rows.first() {
        Some(&count) if count >= half => {
            Err(CertifyError::Confidence("half of the rows or more may be hostile; state fewer of them"))
        }
        Some(_) => Ok((problem.clone(), own(first)?)),
        None => Ok((problem.on(data.first(half).map_err(unusable)?), own(rest)?)),
    }
}

/// The claim: numbers from one half, evaluated on the other by the exact checker.
pub(in super::super) fn new_data(
    problem: &Problem,
    chosen: &Dataset,
    level: f64,
) -> Result<NewDataClaim, CertifyError> {
    let (statement, evaluated) = (problem.statement(), &problem.data()[0]);
    let constants = Constants::new(statement, chosen.dimension());
    let earlier = if statement.hostile_rows.is_empty() { 0 } else { chosen.rows() };
    // The choice is made where it costs nothing: on the half that chooses.
    let best = |candidates: Vec<Candidate>| {
        let value = |c: &Candidate| {
            let claim = c.on(&constants, statement, chosen, 0);
            prove_new_data(statement, &claim, &Rows::of(chosen)).unwrap_or(f64::INFINITY)
        };
        candidates.into_par_iter().map(|c| (value(&c), c)).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, c)| c)
    };
    let rows = evaluated.rows() - earlier;
    let first = best(candidates(statement, &constants, chosen, rows, 1.0 - level)?);
    let refined = first.and_then(|first| best(first.refined(&constants, statement.learner.loss, chosen)));
    let Some(found) = refined else { return Err(CertifyError::NoProof { refusal: None }) };
    let claim = found.on(&constants, statement, evaluated, earlier);
    let bound = prove_new_data(statement, &claim, &Rows::of(evaluated)).map_err(CertifyError::Refused)?;
    Ok(NewDataClaim { bound, ..claim })
}

/// A claim but for the numbers that may depend on the rows it is evaluated on (the places of the suprema and γ), and the rules y(z) that its slope may have instead: θ̂ and the gain.
#[derive(Clone)]
struct Candidate {
    claim: NewDataClaim,
    rules: Vec<(Vec<f64>, f64)>,
}

impl Candidate {
    /// The claim for these rows after the first.
    fn on(
        &self,
        constants: &Constants,
        statement: &Statement,
        data: &Dataset,
        earlier: usize,
    ) -> NewDataClaim {
        let (loss, rows) = (statement.learner.loss, data.iter().skip(earlier));
        let w = match loss {
            Loss::Logistic => rows.clone().map(|z| self.curve(constants, z).maximiser()).collect(),
            _ => vec![],
        };
        let hostile = self.claim.hostile.as_ref().map(|hostile| {
            let mut missed: Vec<f64> = rows.map(|z| self.missed(constants, loss, hostile, z)).collect();
            missed.sort_by(|a, b| b.total_cmp(a));
            let last = statement.hostile_rows[0].clamp(1, missed.len()) - 1;
            HostileSample { earlier, threshold: missed[last], ..hostile.clone() }
        });
        NewDataClaim { w, hostile, ..self.claim.clone() }
    }

    /// x of Theorem H1.
    fn missed(&self, constants: &Constants, loss: Loss, hostile: &HostileSample, z: &[f64]) -> f64 {
        let (_, y) = self.slope(constants, z);
        let floor = self.claim.floor.unwrap_or(f64::NEG_INFINITY);
        let distance: f64 = hostile.pull.iter().zip(z).map(|(c, z)| (c - y * z).powi(2)).sum();
        hostile.spread / 2.0 * distance - self.height(constants, loss, z).max(floor)
    }

    /// The same with each rule, floor and t.
    fn refined(self, constants: &Constants, loss: Loss, data: &Dataset) -> Vec<Candidate> {
        let with_rule = |(theta, gain): &(Vec<f64>, f64)| {
            let claim = NewDataClaim { theta: theta.clone(), gain: *gain, ..self.claim.clone() };
            Candidate { claim, rules: vec![] }
        };
        let each = self.rules.iter().map(with_rule).chain([Candidate { rules: vec![], ..self.clone() }]);
        let floored = |candidate: Candidate| {
            let floors = candidate.floors(constants, loss, data);
            floors.map(|floor| Candidate {
                claim: NewDataClaim { floor: Some(floor), ..candidate.claim.clone() },
                rules: vec![],
            })
        };
        let mut all: Vec<Candidate> = each.clone().flat_map(floored).collect();
        all.extend(each);
        all.into_iter().flat_map(Candidate::spread).collect()
    }

    /// The same with each t, if it has one.
    fn spread(self) -> Vec<Candidate> {
        let Some(hostile) = self.claim.hostile.clone() else { return vec![self] };
        let with = |times: f64| {
            let hostile = HostileSample { spread: times * hostile.spread, ..hostile.clone() };
            let claim = NewDataClaim { hostile: Some(hostile), ..self.claim.clone() };
            Candidate { claim, ..self.clone() }
        };
        SPREADS.map(with).to_vec()
    }

    /// T₋ below all but a part of the constants of these rows.
    fn floors(&self, constants: &Constants, loss: Loss, data: &Dataset) -> [f64; RAISED.len()] {
        let mut heights: Vec<f64> = data.iter().map(|z| self.height(constants, loss, z)).collect();
        heights.sort_by(f64::total_cmp);
        RAISED.map(|part| heights[(part * heights.len() as f64) as usize])
    }

    /// κ and the slope y(z).
    fn slope(&self, constants: &Constants, z: &[f64]) -> (f64, f64) {
        let kappa = 2.0 * self.claim.alpha * constants.k * (1.0 - constants.eps) - 1.0;
        let share = (1.0 - dot(&self.claim.theta, z)) * self.claim.gain + 0.5;
        (kappa, kappa * share.clamp(0.0, 1.0))
    }

    /// T(z).
    fn height(&self, constants: &Constants, loss: Loss, z: &[f64]) -> f64 {
        if loss == Loss::Logistic {
            return self.curve(constants, z).top();
        }
        let alpha = self.claim.alpha;
        let jump = alpha * (2.0 * constants.k + constants.eta * dot(z, z)) + dot(&self.claim.beta, z);
        ((1.0 - constants.eps) * jump).max(0.0) - self.slope(constants, z).1
    }

    /// h of (3.2).
    fn curve(&self, constants: &Constants, z: &[f64]) -> Arc<f64> {
        let (benign, (kappa, y)) = (1.0 - constants.eps, self.slope(constants, z));
        let curve = Curve {
            entropy: kappa + 1.0,
            first: y,
            second: kappa - y,
            linear: benign * dot(&self.claim.beta, z),
            square: benign * self.claim.alpha * constants.eta * dot(z, z),
            constant: 0.0,
        };
        curve.everywhere()
    }
}

fn candidates(
    statement: &Statement,
    constants: &Constants,
    chosen: &Dataset,
    rows: usize,
    delta: f64,
) -> Result<Vec<Candidate>, CertifyError> {
    let loss = statement.learner.loss;
    let table = RowTable::new(statement, chosen, 0, None)?;
    let tables = [table.sample(table.len().div_ceil(MOST_ROWS / 2))];
    let parts = points::parts(statement, constants.parameters, false)
        .ok_or(CertifyError::Confidence("it is not proved for this set of points"))?;
    let kind: &dyn RowKind = if loss == Loss::Logistic { &rows::Logistic } else { &rows::Hinge };
    let task = CaseProgram {
        constants,
        loss,
        is_cut: false,
        kind,
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
    let n = rows as f64;
    let hostile = statement.hostile_rows.iter().sum::<usize>() as f64 / n;
    let spread = radius / n.sqrt() * (1.0 + (2.0 * (2.0 / delta).ln()).sqrt()) + radius * hostile;
    let Some(first) = solve(&task) else { return Ok(vec![]) };
    // d/dα of κΔ‖θ‖, which is what the deviation adds to first order, where λ is least; and of ξT₊, where rows may be hostile.
    let centre = dot(&first.beta, &first.beta).sqrt() / (2.0 * first.alpha);
    let unit = 2.0 * constants.k * (1.0 - constants.eps) * (spread * centre + hostile);
    let mut candidates = vec![];
    for burden in BURDENS {
        let Some(found) = solve(&CaseProgram { burden: burden * unit, ..task }) else { continue };
        let mut rules = rules(&task, &found);
        // Logistic rows take long to evaluate: their other rules are tried on the best candidate alone.
        let rest = if loss == Loss::Logistic { rules.split_off(1) } else { vec![] };
        for ((theta, gain), room) in rules.iter().flat_map(|rule| ROOMS.map(|room| (rule, room))) {
            let claim = NewDataClaim {
                bound: f64::INFINITY,
                deviation: Deviation::Bernstein,
                alpha: found.alpha,
                beta: found.beta.clone(),
                tau: found.cases[0].tau.iter().map(|tau| tau * room).collect(),
                nu: found.cases[0].nu,
                omega,
                theta: theta.clone(),
                gain: *gain,
                radius,
                delta,
                floor: None,
                w: vec![],
                hostile: found.lines[0].hostile.as_ref().map(|hostile| HostileSample {
                    earlier: 0,
                    pull: hostile.pull.clone(),
                    spread: 1.0 / hostile.curve,
                    threshold: 0.0,
                }),
            };
            let mut bernstein = Candidate { claim, rules: rest.clone() };
            if loss == Loss::Logistic {
                bernstein.claim.floor = Some(bernstein.floors(constants, loss, chosen)[0]);
            }
            let claim = NewDataClaim { deviation: Deviation::Hoeffding, ..bernstein.claim.clone() };
            candidates.push(Candidate { claim, rules: rest.clone() });
            candidates.push(bernstein);
        }
    }
    Ok(candidates)
}

/// θ̂ and gains of rules y(z): a steep step at the margin 1 for the hinge, and for logistic rows the line that is nearest to the
/// slopes of the program.
fn rules(task: &CaseProgram, found: &Found) -> Vec<(Vec<f64>, f64)> {
    let theta = model(task, found);
    if task.loss != Loss::Logistic {
        return WIDTHS.map(|width| (theta.clone(), 1.0 / width)).to_vec();
    }
    let table = &task.tables[0];
    let kappa =
        (2.0 * found.alpha * task.constants.k * (1.0 - task.constants.eps) - 1.0).max(f64::MIN_POSITIVE);
    let pairs: Vec<(f64, f64)> = (found.lines[0].rows.iter().enumerate())
        .map(|(i, own)| (dot(&theta, table.row(i)), (task.kind.slope(own) / kappa).clamp(0.0, 1.0)))
        .collect();
    let n = pairs.len() as f64;
    let (s, u) = (pairs.iter().map(|p| p.0).sum::<f64>() / n, pairs.iter().map(|p| p.1).sum::<f64>() / n);
    let (cross, square) = pairs.iter().fold((0.0, f64::MIN_POSITIVE), |(cross, square), p| {
        (cross + (p.0 - s) * (p.1 - u), square + (p.0 - s) * (p.0 - s))
    });
    let with_slope = |steeper: f64| {
        let fall = -steeper * cross / square;
        // u + fall·(s̄ − s) = ½ + gain·(1 − θ̂ᵀz)
        let gain = u + fall * s - 0.5;
        let gain = if gain.abs() < LEAST_GAIN { LEAST_GAIN } else { gain };
        (theta.iter().map(|t| t * fall / gain).collect(), gain)
    };
    STEEPER.map(with_slope).to_vec()
}

/// ½A⁻¹v, the worst model.
fn model(task: &CaseProgram, found: &Found) -> Vec<f64> {
    let place = task.places()[0];
    let quadratic = Quadratic::new(task, &place, found, &found.cases[0]);
    let (_, slope) = sum(task, found, &found.lines[0]);
    let v: Vec<f64> = slope.iter().zip(&quadratic.push).map(|(r, h)| r + h).collect();
    quadratic.inverse(&v).iter().map(|x| x / 2.0).collect()
}
