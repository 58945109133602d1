//! Rows of which some may be hostile (Theorem H1): c, ρ = 1/t and γ are unknowns of the program like all others.
//!
//! With ξ' = H/(W−H), rows cost (1+ξ')Σ mass_i(T_i + e_i) + ξ'γ, where e_i ≥ 0 and e_i ≥ −T_i + ‖c − y_iz_i‖²/(2ρ) − γ, r is
//! (1+ξ')Σ mass_i y_iz_i − ξ'c, and ρξ'/2 is taken from A. The norms are costly, and few rows need them: the others are added when
//! they do.

use super::affine::{Affine, not_negative};
use super::program::{CaseProgram, LinesAt, quotient};
use super::rows::RowConstraints;
use super::setting::RowTable;
use super::solve::LinesFound;
use crate::certify::conic::Program;
use crate::certify::dot;

/// Entries of the norms that the program has at first, at most.
const FIRST_ENTRIES: usize = 2000;

/// The places of c, ρ and γ, and what they cost.
pub(super) struct HostileAt {
    pub(super) pull: usize,
    pub(super) curve: usize,
    threshold: usize,
    pub(super) price: Affine,
}

/// The values of c and ρ.
#[derive(Clone, Debug)]
pub(super) struct HostileFound {
    pub(super) pull: Vec<f64>,
    pub(super) curve: f64,
}

/// The rows that have their norm in the program at first: some of all.
pub(super) fn first(table: &RowTable) -> Vec<usize> {
    if table.hostile == 0.0 {
        return vec![];
    }
    let most = (FIRST_ENTRIES / table.parameters).max(10);
    (0..table.len()).step_by(table.len().div_ceil(most)).collect()
}

/// The unknowns of lines, and their price.
pub(super) fn place(
    program: &mut Program,
    table: &RowTable,
    parts: &[RowConstraints],
    normed: &[usize],
) -> HostileAt {
    let pull = program.variables(table.parameters);
    let (curve, threshold) = (program.variables(1), program.variables(1));
    let first = program.variables(table.len());
    let excess = |i: usize| Affine::of(first + i);
    let mut price = Affine::of(threshold) * table.hostile;
    let mut above = vec![Affine::of(curve)];
    for (i, part) in parts.iter().enumerate() {
        price = price + excess(i) * (table.mass[i] * table.kept());
        above.extend([excess(i), excess(i) + Affine::of(threshold) + part.cost.clone()]);
    }
    for &i in normed {
        let gap = |(j, z): (usize, &f64)| Affine::of(pull + j) - parts[i].slope.clone() * *z;
        let norm = quotient(program, table.row(i).iter().enumerate().map(gap), &(Affine::of(curve) * 0.5));
        above.push(excess(i) + Affine::of(threshold) + parts[i].cost.clone() - Affine::of(norm));
    }
    not_negative(program, above);
    HostileAt { pull, curve, threshold, price }
}

/// Adds the rows whose norm is missed at x; returns how much they are short of.
pub(super) fn refine(table: &RowTable, lines: &LinesAt, x: &[f64], normed: &mut Vec<usize>) -> f64 {
    let Some(at) = &lines.hostile else { return 0.0 };
    let found = HostileFound { pull: x[at.pull..][..table.parameters].to_vec(), curve: x[at.curve] };
    let mut missing = 0.0;
    for (i, part) in lines.parts.iter().enumerate().filter(|(i, _)| !normed.contains(i)).collect::<Vec<_>>() {
        let (height, slope) = (part.cost.at(x), part.slope.at(x));
        let excess = found.value(table.row(i), height, slope) - x[at.threshold];
        let short = excess.max(0.0) - (-height - x[at.threshold]).max(0.0);
        if short > 0.0 {
            missing += table.kept() * table.mass[i] * short;
            normed.push(i);
        }
    }
    missing
}

impl HostileFound {
    /// x_i = −T_i + ‖c − y_iz_i‖²/(2ρ).
    fn value(&self, z: &[f64], height: f64, slope: f64) -> f64 {
        let squared: f64 = self.pull.iter().zip(z).map(|(c, z)| (c - slope * z).powi(2)).sum();
        squared / (2.0 * self.curve) - height
    }
}

/// The height and slope of each row's line.
fn each_line(task: &CaseProgram, alpha: f64, beta: &[f64], lines: &LinesFound) -> Vec<(f64, f64)> {
    let (table, shell) = (&task.tables[lines.dataset], task.shells.get(lines.shell).copied());
    let line = |(i, own)| {
        let row = task.row(table, shell, i, alpha, dot(beta, table.row(i)));
        (task.kind.height(&row, own), task.kind.slope(own))
    };
    lines.rows.iter().enumerate().map(line).collect()
}

/// γ, the value that rows with as much mass as may be hostile are not below, and what they cost: ξ'γ + (1+ξ')Σ mass_i max(x_i − γ, 0).
pub(super) fn top(
    task: &CaseProgram,
    (alpha, beta): (f64, &[f64]),
    lines: &LinesFound,
    hostile: &HostileFound,
) -> (f64, f64) {
    let table = &task.tables[lines.dataset];
    let each = each_line(task, alpha, beta, lines);
    let mut values: Vec<(f64, f64)> = each
        .iter()
        .enumerate()
        .map(|(i, (height, slope))| (hostile.value(table.row(i), *height, *slope), table.mass[i]))
        .collect();
    values.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut left = table.hostile / table.kept();
    let mut threshold = values.first().map_or(0.0, |first| first.0);
    for (value, mass) in &values {
        if left <= 0.0 {
            break;
        }
        threshold = *value;
        left -= mass;
    }
    let above: f64 = values.iter().map(|(value, mass)| mass * (value - threshold).max(0.0)).sum();
    (threshold, table.hostile * threshold + table.kept() * above)
}
