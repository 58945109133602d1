//! How many cases there are and how long each vector of a witness is.

use crate::failure::{Reason, require, require_each, require_length};
use crate::rows::Rows;

use crate::proof::{CaseProof, Lines, RowBound};
use crate::rows::Evidence;
use crate::statement::{Loss, PoisonWeight, Set, Statement, Target};

/// The counts that learner, data and witness determine.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// Entries of a row without its class or label.
    pub(crate) dimension: usize,
    /// Entries of θ.
    pub(crate) parameters: usize,
    /// Lines that each dataset needs.
    pub(crate) lines: Vec<usize>,
    /// Whether rows may be hostile.
    pub(crate) hostile: bool,
    /// Rows of the target, if they are rows of their own.
    pub(crate) target: Option<usize>,
    /// Shells or slabs, at least one.
    pub(crate) shells: usize,
    /// Parts of the adversary's set.
    pub(crate) parts: usize,
    /// Cases.
    pub(crate) cases: usize,
    /// Numbers τ per case.
    pub(crate) tau_width: usize,
    /// The vectors of the cases, and how many numbers of each there are per case.
    pub(crate) case_vectors: Vec<(&'static str, usize)>,
}

/// How many rows and columns there are.
pub(crate) struct Size {
    /// Rows of each dataset.
    pub(crate) rows: Vec<usize>,
    /// Entries of a row.
    pub(crate) columns: usize,
    /// Rows of the target, if it has rows of its own.
    pub(crate) target: Option<usize>,
}

impl Size {
    pub(crate) fn of(evidence: &Evidence) -> Self {
        Size {
            rows: evidence.data.iter().map(Rows::len).collect(),
            columns: evidence.data.first().map_or(0, |r| r.dimension),
            target: evidence.target.as_ref().map(Rows::len),
        }
    }
}

impl Shape {
    pub(crate) fn new(statement: &Statement, proof: &CaseProof, size: &Size) -> Self {
        let Size { rows, columns, target } = size;
        let has_shells = proof.shells.is_some();
        let is_free = !proof.slabs.is_empty();
        let slabs = if is_free { proof.slabs.len().saturating_add(1) } else { 1 };
        let shells = proof.shells.as_ref().map_or(slabs, |s| s.radii.len());
        let (learner, set) = (&statement.learner, &statement.threat.set);
        let dimension = columns.saturating_sub(learner.loss.label_entries());
        let (parameters, each, classes) = match learner.loss {
            Loss::Multiclass(k) => (dimension.saturating_mul(k), k.saturating_sub(1), k),
            _ => (dimension, 1, 1),
        };
        let (tau_width, parts) = match set {
            Set::Ball { .. } if proof.by_class => (1, classes),
            Set::Features { .. }
                if matches!(statement.threat.poison_weight, Some(PoisonWeight::ByClass(_))) =>
            {
                (1, 2)
            }
            Set::Ball { .. } | Set::Features { .. } | Set::Ellipsoid { .. } | Set::Any => (1, 1),
            Set::Box { .. } => (dimension, 1),
            Set::Points { points } => (0, points.len().checked_div(dimension).unwrap_or(0)),
            Set::LabelFlips => (0, 1),
        };
        let is_finite = matches!(set, Set::Points { .. });
        let is_ellipsoid = matches!(set, Set::Ellipsoid { .. });
        let wanted = [
            ("tau", tau_width),
            ("nu", usize::from(tau_width > 0)),
            ("share", usize::from(is_finite)),
            ("w", usize::from(is_finite && learner.loss == Loss::Logistic)),
            ("x", if is_ellipsoid { dimension.saturating_mul(1 + usize::from(is_free)) } else { 0 }),
            ("outer", usize::from(has_shells)),
            ("inner", usize::from(has_shells)),
        ];
        let case_vectors = wanted.into_iter().filter(|(_, width)| *width > 0).collect();
        let cases = rows.len().saturating_mul(shells).saturating_mul(parts);
        let lines = rows.iter().map(|n| n.saturating_mul(each)).collect();
        let hostile = !statement.hostile_rows.is_empty();
        let target = *target;
        Shape { dimension, parameters, lines, hostile, target, shells, parts, cases, tau_width, case_vectors }
    }

    /// Dataset, shell or slab, and part of a case.
    pub(crate) fn place(&self, case: usize) -> (usize, usize, usize) {
        let (rest, part) = (case / self.parts, case % self.parts);
        (rest / self.shells, rest % self.shells, part)
    }

    /// The vectors of lines for a dataset, and their lengths.
    pub(crate) fn line_vectors(
        &self,
        kind: RowBound,
        target: &Target,
        lines: &Lines,
    ) -> Vec<(&'static str, usize)> {
        let has_rule = lines.has_rule();
        let rows = self.lines.get(lines.dataset).copied().unwrap_or(0);
        let count = if has_rule { lines.exceptions.len() } else { rows };
        let mut vectors: Vec<_> = kind.vectors().iter().map(|&name| (name, count)).collect();
        if has_rule {
            vectors.extend([("theta", self.parameters), ("gain", 1), ("exceptions", count)]);
        }
        if self.hostile {
            vectors.extend([("pull", self.parameters), ("spread", 1), ("threshold", 1)]);
        }
        if kind == RowBound::Interval && matches!(target, Target::Rows(_)) {
            let count = self.target.unwrap_or(0);
            vectors.extend([("target_y", count), ("target_reach", count)]);
        }
        vectors
    }

    /// Requires all numbers to be finite, and all vectors to be as long as they must be.
    pub(crate) fn require(&self, proof: &CaseProof, target: &Target) -> Result<(), Reason> {
        require(proof.alpha.is_finite(), "alpha", proof.alpha, "finite")?;
        require_vector("beta", self.parameters, &proof.beta)?;
        let omega = proof.omega.unwrap_or_default();
        require(omega.is_finite(), "omega", omega, "finite")?;
        if let Some(shells) = &proof.shells {
            require_vector("shell.centre", self.parameters, &shells.centre)?;
            require(!shells.radii.is_empty(), "the number of shells", 0.0, "> 0")?;
            require_each("shell.radii", &shells.radii, f64::is_finite, "finite")?;
            require(shells.ball.is_finite(), "shell.ball", shells.ball, "finite")?;
        }
        require_each("slabs", &proof.slabs, f64::is_finite, "finite")?;
        for lines in &proof.lines {
            let known = lines.dataset < self.lines.len();
            require(known, "lines.dataset", lines.dataset as f64, "a dataset")?;
            require(lines.shell < self.shells, "lines.shell", lines.shell as f64, "a shell")?;
            let wanted = self.line_vectors(proof.rows, target, lines);
            for (name, values) in lines.vectors() {
                require_vector(name, length(&wanted, name), values)?;
            }
        }
        require_length("lines of the cases", self.cases, proof.cases.lines.len())?;
        for (name, values) in proof.cases.vectors() {
            let expected = length(&self.case_vectors, name).saturating_mul(self.cases);
            require_vector(name, expected, values)?;
        }
        Ok(())
    }
}

/// The length under that name, 0 if there is none.
fn length(wanted: &[(&'static str, usize)], name: &str) -> usize {
    wanted.iter().find(|(n, _)| *n == name).map_or(0, |(_, length)| *length)
}

fn require_vector(name: &'static str, expected: usize, values: &[f64]) -> Result<(), Reason> {
    require_length(name, expected, values.len())?;
    require_each(name, values, f64::is_finite, "finite")
}
