//! Conic programs for Clarabel, written row by row.

use std::sync::Arc;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultInfo, DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus, SupportedConeT,
};
// Clarabel's semidefinite cone calls BLAS and LAPACK; these are linked only if they are named.
use unswayed_lapack as _;

/// How far the solver has come.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Iterations of the interior point method.
    pub iteration: u32,
    /// Relative gap between the two sides of the program.
    pub gap: f64,
}

/// Called after every iteration of the solver.
pub type Progress = Arc<dyn Fn(Step) + Send + Sync>;

/// The solver's tolerances. The last iterations are few, and they are what makes the proven bound as good as the program's.
const TOLERANCE: f64 = 1e-10;

/// What a program's row must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cone {
    /// Zero.
    Zero,
    /// Not negative.
    NonNegative,
    /// The first is at least the norm of the others.
    SecondOrder,
    /// The upper triangle, column by column, of a positive semidefinite matrix of this order; what is not on the
    /// diagonal is multiplied by √2 (see [`packed`]).
    SemiDefinite(usize),
}

/// The place of entry (i, j), i ≤ j, in a packed upper triangle.
pub(crate) fn packed(i: usize, j: usize) -> usize {
    let (i, j) = if i <= j { (i, j) } else { (j, i) };
    j * (j + 1) / 2 + i
}

/// All (i, j) with i ≤ j < order, in packed order.
pub(crate) fn triangle(order: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..order).flat_map(|j| (0..=j).map(move |i| (i, j)))
}

/// Minimise costᵀx over all x whose rows, each a constant and a linear form of x, lie in their cones.
pub(crate) struct Program {
    cost: Vec<f64>,
    /// For each variable the rows it is in.
    columns: Vec<Vec<(usize, f64)>>,
    constants: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
}

/// What the solver found.
pub(crate) struct Solved {
    /// The variables.
    pub(crate) x: Vec<f64>,
    /// One multiplier per row.
    pub(crate) multipliers: Vec<f64>,
    /// The cost.
    pub(crate) cost: f64,
    /// How it ended.
    pub(crate) status: SolverStatus,
}

impl Solved {
    /// Whether the solver met its tolerances.
    pub(crate) fn converged(&self) -> bool {
        matches!(self.status, SolverStatus::Solved | SolverStatus::AlmostSolved)
    }
}

impl Program {
    /// No rows yet, and no cost.
    pub(crate) fn new(variables: usize) -> Self {
        Program {
            cost: vec![0.0; variables],
            columns: vec![vec![]; variables],
            constants: vec![],
            cones: vec![],
        }
    }

    /// So many more variables; the first of them.
    pub(crate) fn variables(&mut self, count: usize) -> usize {
        let first = self.cost.len();
        self.cost.resize(first + count, 0.0);
        self.columns.resize(first + count, vec![]);
        first
    }

    /// Adds to the cost of a variable.
    pub(crate) fn pay(&mut self, variable: usize, cost: f64) {
        self.cost[variable] += cost;
    }

    /// Adds rows to a cone by a closure; the rows must be as many as the cone has.
    pub(crate) fn cone(&mut self, cone: Cone, rows: impl FnOnce(&mut Self)) {
        let first = self.constants.len();
        rows(self);
        let count = self.constants.len() - first;
        self.cones.push(match cone {
            Cone::Zero => SupportedConeT::ZeroConeT(count),
            Cone::NonNegative => SupportedConeT::NonnegativeConeT(count),
            Cone::SecondOrder => SupportedConeT::SecondOrderConeT(count),
            Cone::SemiDefinite(order) => SupportedConeT::PSDTriangleConeT(order),
        });
    }

    /// One row: a constant plus a linear form. A variable may occur several times.
    pub(crate) fn row(&mut self, constant: f64, terms: impl IntoIterator<Item = (usize, f64)>) {
        let row = self.constants.len();
        self.constants.push(constant);
        for (variable, factor) in terms {
            // Clarabel's rows are s = b − Ax.
            match self.columns[variable].last_mut() {
                Some((last, sum)) if *last == row => *sum -= factor,
                _ if factor == 0.0 => {}
                _ => self.columns[variable].push((row, -factor)),
            }
        }
    }

    /// Runs the solver.
    pub(crate) fn solve(&self, progress: Option<&Progress>) -> Option<Solved> {
        let n = self.cost.len();
        let mut pointers = vec![0];
        for column in &self.columns {
            pointers.push(pointers.last().copied().unwrap_or(0) + column.len());
        }
        let rows = self.columns.iter().flatten().map(|(row, _)| *row).collect();
        let values = self.columns.iter().flatten().map(|(_, value)| *value).collect();
        let matrix = CscMatrix::new(self.constants.len(), n, pointers, rows, values);
        let square = CscMatrix::zeros((n, n));
        let settings = DefaultSettingsBuilder::default()
            .verbose(false)
            .tol_gap_abs(TOLERANCE)
            .tol_gap_rel(TOLERANCE)
            .tol_feas(TOLERANCE)
            .direct_solve_method("faer".into())
            // On several the last digits depend on how many there are.
            .max_threads(1)
            .build()
            .ok()?;
        let mut solver =
            DefaultSolver::new(&square, &self.cost, &matrix, &self.constants, &self.cones, settings).ok()?;
        if let Some(report) = progress.cloned() {
            solver.set_termination_callback(move |info: &DefaultInfo<f64>| {
                report(Step { iteration: info.iterations, gap: info.gap_rel });
                false
            });
        }
        solver.solve();
        let solution = solver.solution;
        Some(Solved {
            x: solution.x,
            multipliers: solution.z,
            cost: solution.obj_val,
            status: solution.status,
        })
    }
}
