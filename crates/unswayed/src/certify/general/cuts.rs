//! Suprema over w as values at finitely many w: start with a few, add each maximiser, repeat.

use super::hostile;
use super::logistic::{Arc, around_highest, weight};
use super::program::{CaseProgram, Layout};
use super::rows::RowUnknowns;

/// Margins at which curves are held down at first.
const FIRST: [f64; 11] = [-8.0, -5.0, -3.0, -1.75, -0.75, 0.0, 0.75, 1.75, 3.0, 5.0, 8.0];

/// The w at which each curve is held down: of each row of each lines, and of each case.
#[derive(Clone, Default)]
pub(super) struct Cuts {
    pub(super) rows: Vec<Vec<Vec<Vec<f64>>>>,
    pub(super) cases: Vec<Vec<f64>>,
    /// For each lines, the rows whose norm is in the program where rows may be hostile.
    pub(super) normed: Vec<Vec<usize>>,
}

impl Cuts {
    /// A few for every curve.
    pub(super) fn first(task: &CaseProgram) -> Cuts {
        let whole: Vec<f64> = FIRST.into_iter().map(weight).collect();
        let of_row = |arc: &Arc<f64>| {
            let (low, high) = arc.interval;
            let within = whole.iter().copied().filter(|w| (low..=high).contains(w));
            within.collect::<Vec<f64>>()
        };
        let rows = task.each_lines().into_iter().map(|(s, _, shell)| {
            let table = &task.tables[s];
            let arcs = |i: usize| {
                let row = task.row(table, shell, i, 1.0, 0.0);
                task.kind.curves(&row, &RowUnknowns::default())
            };
            (0..table.len()).map(|i| arcs(i).iter().map(of_row).collect()).collect()
        });
        let normed = task.each_lines().into_iter().map(|(s, ..)| hostile::first(&task.tables[s]));
        Cuts {
            rows: rows.collect(),
            cases: vec![whole.clone(); task.places().len()],
            normed: normed.collect(),
        }
    }

    /// Adds the maximisers of all curves at x; returns how much the value falls short of what they demand.
    pub(super) fn refine(&mut self, task: &CaseProgram, layout: &Layout, x: &[f64]) -> f64 {
        let unknowns = task.kind.unknowns();
        let mut short: Vec<f64> = vec![0.0; layout.lines.len()];
        for (l, (lines, (s, _, _))) in layout.lines.iter().zip(task.each_lines()).enumerate() {
            short[l] += hostile::refine(&task.tables[s], lines, x, &mut self.normed[l]);
            for (i, part) in lines.parts.iter().enumerate() {
                let mut worst = RowUnknowns::default();
                for (arc, cuts) in part.curves.iter().zip(&mut self.rows[l][i]) {
                    let at = Arc { curve: arc.curve.values(x), interval: arc.interval, unknown: arc.unknown };
                    let top = x[lines.first + i * unknowns + arc.unknown];
                    worst[arc.unknown] = worst[arc.unknown].max(add(&at, top, cuts));
                }
                short[l] += task.tables[s].mass[i] * worst.iter().sum::<f64>();
            }
        }
        let mut missing: f64 = 0.0;
        for ((case, place), cuts) in layout.cases.iter().zip(task.places()).zip(&mut self.cases) {
            let curves = case.curves.iter();
            let own: f64 =
                curves.map(|(top, curve)| add(&around_highest(curve.values(x)), x[*top], cuts)).sum();
            missing = missing.max(short[place.lines] + task.constants.eps * own);
        }
        missing
    }
}

/// Adds a curve's maximiser; returns how far the top is below it.
fn add(arc: &Arc<f64>, top: f64, cuts: &mut Vec<f64>) -> f64 {
    let w = arc.maximiser();
    let above = arc.curve.at(w) - top;
    cuts.push(w);
    above.max(0.0)
}
