//! The numbers behind a plot, as a table.

use crate::number::{plain, rounded};
use crate::{Block, HeatMap, Kind, LinePlot, ScatterPlot, Series, Steps};

/// A cell of the table behind a plot.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Empty,
    Word(String),
    /// A number, and how it is shown.
    Number(f64, String),
}

/// The numbers behind a plot, or a table's own words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    pub header: Vec<String>,
    pub rows: Vec<Vec<Cell>>,
}

/// The numbers of a block; none for a paragraph.
pub fn grid(block: &Block) -> Option<Grid> {
    match block {
        Block::Lines(plot) => Some(lines(plot)),
        Block::Heat(map) => Some(heat(map)),
        Block::Scatter(plot) => Some(scatter(plot)),
        Block::Table(table) => Some(Grid {
            header: table.header.clone(),
            rows: table.rows.iter().map(|row| row.iter().cloned().map(Cell::Word).collect()).collect(),
        }),
        Block::Text(_) => None,
    }
}

/// All horizontal places of a plot, in order.
pub fn places(plot: &LinePlot) -> Vec<f64> {
    let mut all: Vec<f64> =
        plot.series.iter().flat_map(|s| &s.points).map(|p| p.x).filter(|x| x.is_finite()).collect();
    all.sort_by(f64::total_cmp);
    all.dedup_by(|a, b| a.total_cmp(b).is_eq());
    all
}

/// The gaps of a plot that name two series, with their names.
pub fn gaps(plot: &LinePlot) -> impl Iterator<Item = (String, (usize, usize))> {
    let several = plot.gaps.len() > 1;
    let valid = |pair: &&(usize, usize)| pair.0 < plot.series.len() && pair.1 < plot.series.len();
    plot.gaps.iter().filter(valid).map(move |&(upper, lower)| {
        let name = format!("gap: {} / {}", plot.series[upper].name, plot.series[lower].name);
        (if several { name } else { "gap".into() }, (upper, lower))
    })
}

/// The gap at a place: the quotient of the two losses.
pub fn gap_at(plot: &LinePlot, (upper, lower): (usize, usize), x: f64) -> Option<(f64, String)> {
    let at = |s: usize| plot.series[s].at(x).map(|p| p.y);
    let gap = at(upper)? / at(lower)?;
    gap.is_finite().then(|| (gap, format!("{gap:.2}")))
}

fn number(x: Option<f64>, kind: Kind, percent: bool) -> Cell {
    match x {
        Some(x) if !x.is_nan() => Cell::Number(x, rounded(x, kind, percent)),
        _ => Cell::Empty,
    }
}

fn lines(plot: &LinePlot) -> Grid {
    let banded = |s: &Series| s.points.iter().any(|p| p.low.is_some() || p.high.is_some());
    let mut header = vec![plot.x.label.clone()];
    for series in &plot.series {
        header.push(series.name.clone());
        if banded(series) {
            header.extend([format!("{}, low", series.name), format!("{}, high", series.name)]);
        }
    }
    header.extend(gaps(plot).map(|(name, _)| name));
    let row =
        |x: f64| {
            let mut row = vec![Cell::Number(x, plain(x, plot.x.percent))];
            for series in &plot.series {
                let point = series.at(x);
                row.push(number(point.map(|p| p.y), series.kind, plot.y.percent));
                if banded(series) {
                    row.push(number(point.and_then(|p| p.low), Kind::Other, plot.y.percent));
                    row.push(number(point.and_then(|p| p.high), Kind::Certified, plot.y.percent));
                }
            }
            row.extend(gaps(plot).map(|(_, pair)| {
                gap_at(plot, pair, x).map_or(Cell::Empty, |(g, text)| Cell::Number(g, text))
            }));
            row
        };
    Grid { header, rows: places(plot).into_iter().map(row).collect() }
}

fn heat(map: &HeatMap) -> Grid {
    let header = vec![map.rows.label.clone(), map.columns.label.clone(), map.unit.clone(), "chosen".into()];
    let mut rows = Vec::new();
    let place = |steps: &Steps, i: usize| match steps.values[i] {
        Some(value) => Cell::Number(value, steps.name(i)),
        None => Cell::Word(steps.name(i)),
    };
    for r in 0..map.rows.values.len() {
        for c in 0..map.columns.values.len() {
            rows.push(vec![
                place(&map.rows, r),
                place(&map.columns, c),
                number(cell(map, r, c), map.kind, false),
                if map.chosen == Some((r, c)) { Cell::Word("yes".into()) } else { Cell::Empty },
            ]);
        }
    }
    Grid { header, rows }
}

/// The number in a cell, if there is one.
pub fn cell(map: &HeatMap, row: usize, column: usize) -> Option<f64> {
    map.cells.get(row)?.get(column).copied().flatten().filter(|x| !x.is_nan())
}

fn scatter(plot: &ScatterPlot) -> Grid {
    let header =
        ["setting", &plot.x.label, &plot.y.label, "Pareto front", "chosen"].map(str::to_owned).to_vec();
    let yes = |is: bool| if is { Cell::Word("yes".into()) } else { Cell::Empty };
    let row = |(i, point): (usize, &crate::ScatterPoint)| {
        vec![
            Cell::Word(point.label.clone()),
            number(Some(point.x), Kind::Benign, plot.x.percent),
            number(Some(point.y), Kind::Certified, plot.y.percent),
            yes(plot.front.contains(&i)),
            yes(plot.chosen == Some(i)),
        ]
    };
    Grid { header, rows: plot.points.iter().enumerate().map(row).collect() }
}
