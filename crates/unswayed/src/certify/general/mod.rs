//! Proofs for all learners, sets, targets and steps: by an interior point method on a saddle function where there is one case, else by a
//! conic program. The program sees at most some thousand rows; with more, it sees a sample, and the lines of all rows follow from its
//! solution. Hinge rows against a ball have a faster method ([`super::interior`]).
//!
//! | module | its part |
//! |---|---|
//! | `setting` | learner and data as numbers |
//! | `rows` | what a row contributes, one file for each kind |
//! | `hostile` | rows that may be hostile themselves |
//! | `points`, `shells`, `slabs` | the adversary's sets; where θ may be |
//! | `program`, `cuts`, `solve` | the program, points on its curves, their refinement |
//! | `finite` | sets of many points |
//! | `saddle` | one dataset and one case: the fast method |
//! | `large` | data of more rows than the program sees |
//! | `theta`, `witness` | from a solution to a witness |
//! | `confidence` | bounds for the distribution that the rows come from |
//! | `affine`, `logistic` | affine functions of unknowns; curves of the logistic loss |

mod affine;
mod confidence;
mod cuts;
mod finite;
mod hostile;
mod large;
mod logistic;
mod points;
mod program;
mod rows;
mod saddle;
mod setting;
mod shells;
mod slabs;
mod solve;
mod theta;
mod witness;

use unswayed_check::{CaseProof, Claim, Failure, Loss, RowBound, Set, Shells, Statement, Target};

use super::Found as ProvenClaims;
use super::start::StartCost;
use crate::data::Dataset;
use crate::error::CertifyError;
use crate::learner::has_kink;
use crate::problem::Problem;
pub(super) use confidence::{halves, new_data};
use points::PointSet;
use program::CaseProgram;
use rows::RowKind;
use setting::{Constants, RowTable};
use solve::Found;

/// The smallest bounds that are found and that the exact checker confirms.
pub(super) fn search(problem: &Problem) -> Result<ProvenClaims, CertifyError> {
    let search = Search::new(problem, None)?;
    let (loss, found) = search.loss()?;
    let error = search.error().filter(|error| error.bound < 1.0 && error.bound < loss.bound);
    Ok(ProvenClaims { loss, error, converged: found.converged })
}

/// Proofs for the first steps from a start, each a little further inside of what is allowed than the last. They minimise the
/// bound together with what the start costs.
pub(super) fn first_steps(problem: &Problem, start: &StartCost) -> Vec<CaseProof> {
    let Ok(search) = Search::new(problem, Some(start)) else { return vec![] };
    let (method, kind) = search.loss_kind();
    let shells: Vec<shells::Shell> = search.shells.iter().flat_map(shells::each).collect();
    let task = search.task(&*kind, &shells);
    let Ok(edges) = search.edges(&task) else { return vec![] };
    let slabs = slabs::each(&edges);
    let task = CaseProgram { slabs: &slabs, ..task };
    let Ok(found) = search.find(&task) else { return vec![] };
    ROOMS.map(|room| search.proof(&task, &edges, &found, method, room)).into()
}

/// The best α and β for hinge rows whose margins are in intervals, without a proof that they are. The rows are those of all datasets.
pub(super) fn on_intervals(problem: &Problem, intervals: &[[f64; 2]]) -> Option<(f64, Vec<f64>)> {
    let mut search = Search::new(problem, None).ok()?;
    let range = |[low, high]: &[f64; 2]| (f64::midpoint(*low, *high), 0.5 * (high - low));
    let mut rest = intervals.iter().map(range);
    for table in &mut search.tables {
        table.ranges = rest.by_ref().take(table.len()).collect();
    }
    let task = search.task(&rows::Interval, &[]);
    let found = by_program(&task, most_rows(&task))?;
    Some((found.alpha, found.beta))
}

fn refused(refusal: Failure) -> CertifyError {
    CertifyError::NoProof { refusal: Some(refusal) }
}

/// Rows that the program sees, at most: unknowns and inequalities grow with them.
const MOST_ROWS: usize = 5000;
/// The same for rows of losses without kinks, each of which has many inequalities.
const MOST_CURVED_ROWS: usize = 500;
/// The same where rows may be hostile: for losses with kinks, and without.
const MOST_HOSTILE_ROWS: [usize; 2] = [1000, 500];
/// Rows times shells that a target of its own rows may have: lines in shells cannot be found from a sample.
const MOST_SHELL_ROWS: usize = 10_000;
/// Semidefinite cones up to which each label of a multi-class learner's adversary is a case of its own.
const MOST_CONES: usize = 2000;
/// How far inside of what is allowed the numbers of a witness are put, relatively, until the checker accepts them.
const ROOMS: [f64; 6] = [0.0, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2];

/// Everything a search needs.
struct Search<'a> {
    problem: &'a Problem,
    constants: Constants,
    tables: Vec<RowTable>,
    parts: Vec<PointSet>,
    shells: Option<Shells>,
}

impl<'a> Search<'a> {
    /// With a start, for the first steps from it.
    fn new(problem: &'a Problem, start: Option<&StartCost>) -> Result<Self, CertifyError> {
        let (statement, data) = (problem.statement(), problem.data());
        let constants = Constants { start: start.cloned(), ..Constants::new(statement, data[0].dimension()) };
        let table =
            |(i, d): (usize, &std::sync::Arc<Dataset>)| RowTable::new(statement, d, i, problem.target());
        let tables: Vec<RowTable> = data.iter().enumerate().map(table).collect::<Result<_, _>>()?;
        let cones = match statement.learner.loss {
            Loss::Multiclass(classes) => constants.parameters * classes * data.len(),
            _ => 0,
        };
        let parts = points::parts(statement, constants.parameters, cones <= MOST_CONES)
            .ok_or(CertifyError::Unsupported("this ellipsoid: its matrix has no eigenvalues"))?;
        let shells = Self::shells(problem, &constants, &tables);
        Ok(Search { problem, constants, tables, parts, shells })
    }

    /// Shells where lines must be bounded in range: for rows that the target alone has. For a projection, its ball.
    fn shells(problem: &Problem, constants: &Constants, tables: &[RowTable]) -> Option<Shells> {
        let statement = problem.statement();
        if !matches!(statement.target, Target::Rows(_)) {
            return if has_ball(statement) { shells::projection(constants) } else { None };
        }
        // The centre is where the learner settles on the data, whatever it is judged by.
        let centre = super::benign(&problem.on((*problem.data()[0]).clone())).theta;
        let step = |table: &RowTable, i: usize| table.length[i] * table.p[i];
        let own = |table: &RowTable| (0..table.own).map(|i| step(table, i)).fold(0.0, f64::max);
        let reach = points::longest(statement, constants.parameters);
        let longest =
            tables.iter().map(own).fold(reach, f64::max).min(statement.learner.clip.unwrap_or(f64::INFINITY));
        Some(shells::around(centre, constants, longest, reach))
    }

    /// How the rows are bounded for the loss.
    fn loss_kind(&self) -> (RowBound, Box<dyn RowKind>) {
        let is_few = self.tables.iter().all(|table| table.len() <= MOST_ROWS / self.tables.len());
        // With more rows than the program sees, lines on the whole line are found more easily than those on an interval.
        let is_bounded =
            self.shells.is_some() && (is_few || matches!(self.statement().target, Target::Rows(_)));
        // Such lines are not proved where rows may be hostile.
        let is_bounded = is_bounded && self.statement().hostile_rows.is_empty();
        loss_kind(self.statement(), is_bounded)
    }

    /// The claim on the loss, and the numbers behind it.
    fn loss(&self) -> Result<(Claim, Found), CertifyError> {
        let (method, kind) = self.loss_kind();
        self.claim(method, &*kind)
    }

    /// The claim on the error, where there is a theorem for it.
    fn error(&self) -> Option<Claim> {
        let Statement { learner, threat, target, .. } = self.statement();
        let is_plain = *target == Target::Data && learner.clip.is_none() && !learner.average;
        if !is_plain || threat.set == Set::LabelFlips {
            return None;
        }
        let (method, kind): (RowBound, &dyn RowKind) = match learner.loss {
            Loss::Logistic => (RowBound::ErrorLogistic, &rows::ErrorLogistic),
            Loss::Hinge | Loss::Multiclass(_) => (RowBound::ErrorHinge, &rows::ErrorHinge),
            _ => return None,
        };
        self.claim(method, kind).ok().map(|(claim, _)| claim)
    }

    /// A witness with the bound that the exact checker finds for it.
    fn claim(&self, method: RowBound, kind: &dyn RowKind) -> Result<(Claim, Found), CertifyError> {
        let shells: Vec<shells::Shell> = self.shells.iter().flat_map(shells::each).collect();
        let task = self.task(kind, &shells);
        let edges = self.edges(&task)?;
        let slabs = slabs::each(&edges);
        let task = CaseProgram { slabs: &slabs, ..task };
        let found = self.find(&task)?;
        match self.confirmed(&task, &edges, &found, method) {
            Ok(claim) => Ok((claim, found)),
            // Where the fast method ends at the edge of what is allowed, the program may end inside.
            Err(refusal) => {
                let found = by_program(&task, most_rows(&task)).ok_or(refusal)?;
                Ok((self.confirmed(&task, &edges, &found, method)?, found))
            }
        }
    }

    /// The smallest bound that the exact checker confirms for the numbers, put a little further inside each time.
    fn confirmed(
        &self,
        task: &CaseProgram,
        edges: &[f64],
        found: &Found,
        method: RowBound,
    ) -> Result<Claim, CertifyError> {
        let mut refusal = None;
        let mut best: Option<Claim> = None;
        for room in ROOMS {
            let proof = self.proof(task, edges, found, method, room);
            match super::claim(self.problem, proof) {
                Ok(claim) if best.as_ref().is_none_or(|best| claim.bound < best.bound) => {
                    // More room may do better still where the least leaves a curvature near 0.
                    best = Some(claim);
                }
                Ok(_) => break,
                Err(failure) => refusal = Some(refused(failure)),
            }
        }
        best.ok_or_else(|| refusal.unwrap_or(CertifyError::NoProof { refusal: None }))
    }

    fn task<'b>(&'b self, kind: &'b dyn RowKind, shells: &'b [shells::Shell<'b>]) -> CaseProgram<'b> {
        CaseProgram {
            constants: &self.constants,
            loss: self.statement().learner.loss,
            is_cut: self.statement().learner.clip.is_some(),
            kind,
            tables: &self.tables,
            shells,
            slabs: &[],
            parts: &self.parts,
            is_shared: true,
            burden: 0.0,
        }
    }

    /// The best numbers.
    fn find(&self, task: &CaseProgram) -> Result<Found, CertifyError> {
        let (rows, shells) = (self.tables.iter().map(RowTable::len).sum::<usize>(), task.shells.len());
        if shells > 1 && rows * shells > MOST_SHELL_ROWS {
            return Err(CertifyError::TooManyForShells { rows: MOST_SHELL_ROWS / shells });
        }
        find(task, most_rows(task)).ok_or(CertifyError::NoProof { refusal: None })
    }

    /// The edges of slabs along an unregularized coordinate, if there is one.
    fn edges(&self, task: &CaseProgram) -> Result<Vec<f64>, CertifyError> {
        match self.constants.free[..] {
            [_] => slabs::edges(task).ok_or(CertifyError::NoProof { refusal: None }),
            _ => Ok(vec![]),
        }
    }

    fn proof(
        &self,
        task: &CaseProgram,
        edges: &[f64],
        found: &Found,
        method: RowBound,
        room: f64,
    ) -> CaseProof {
        let regions = (self.shells.clone(), edges.to_vec());
        witness::witness(task, found, method, regions, &self.statement().threat.set, room)
    }

    fn statement(&self) -> &Statement {
        self.problem.statement()
    }
}

/// Whether the ball of a projection enters the proof. For classes it does not: the bound is then that without it.
fn has_ball(statement: &Statement) -> bool {
    statement.learner.projection.is_some() && !matches!(statement.learner.loss, Loss::Multiclass(_))
}

/// How the rows are bounded for the loss, where scores are bounded or not.
fn loss_kind(statement: &Statement, is_bounded: bool) -> (RowBound, Box<dyn RowKind>) {
    let clipped = statement.learner.clip.is_some();
    match (statement.learner.loss, &statement.threat.set) {
        (Loss::Hinge, Set::LabelFlips) => (RowBound::LabelHinge, Box::new(rows::LabelHinge)),
        (Loss::Hinge, _) if clipped => (RowBound::ClippedHinge, Box::new(rows::ClippedHinge)),
        (Loss::Hinge, _) if is_bounded => (RowBound::Interval, Box::new(rows::Interval)),
        (Loss::Logistic, Set::LabelFlips) => (RowBound::LabelLogistic, Box::new(rows::LabelLogistic)),
        (Loss::Logistic, _) if clipped => (RowBound::ClippedLogistic, Box::new(rows::ClippedLogistic)),
        (Loss::Hinge | Loss::Multiclass(_), _) => (RowBound::BoundedSlope, Box::new(rows::Hinge)),
        (loss, _) => match loss.conjugate() {
            Some(conjugate) => (RowBound::BoundedSlope, Box::new(rows::BoundedSlope(conjugate))),
            None => (RowBound::Logistic, Box::new(rows::Logistic)),
        },
    }
}

/// The rows of each dataset that the program may see.
fn most_rows(task: &CaseProgram) -> usize {
    let is_hostile = task.tables.iter().any(|table| table.hostile > 0.0);
    let all = match has_kink(task.loss) {
        is_kinked if is_hostile => MOST_HOSTILE_ROWS[usize::from(!is_kinked)],
        true => MOST_ROWS,
        false => MOST_CURVED_ROWS,
    };
    // In slabs lines are many times as many, and α and β of a sample cost more.
    let all = if task.slabs.is_empty() { all } else { 2 * all / task.slabs.len() };
    (all / task.tables.len()).max(50)
}

/// The best numbers for all rows.
fn find(task: &CaseProgram, most_rows: usize) -> Option<Found> {
    let fast = if saddle::applies(task) { saddle::solve(task) } else { None };
    let rows: usize = task.tables.iter().map(RowTable::len).sum();
    match fast {
        // What a sample of the rows gives is no better than where the method stopped.
        Some(found) if found.converged || rows > most_rows => Some(found),
        fast => {
            let found = [fast, by_program(task, most_rows)].into_iter().flatten();
            found.min_by(|a, b| a.value.total_cmp(&b.value))
        }
    }
}

/// The best numbers by the conic program, from a sample of the rows if they are too many.
fn by_program(task: &CaseProgram, most_rows: usize) -> Option<Found> {
    let solve = |task: &CaseProgram| match task.parts {
        [PointSet::Point(_), ..] => finite::solve_points(task),
        _ => solve::solve(&CaseProgram { is_shared: finite::must_share(task, task.parts.len()), ..*task }),
    };
    let strides = task.tables.iter().map(|table| table.len().div_ceil(most_rows));
    let samples: Vec<RowTable> =
        task.tables.iter().zip(strides).map(|(table, stride)| table.sample(stride)).collect();
    if samples.iter().zip(task.tables).all(|(sample, table)| sample.len() == table.len()) {
        return solve(task);
    }
    let sample = CaseProgram { tables: &samples, ..*task };
    Some(large::lines(task, &sample, &solve(&sample)?))
}
