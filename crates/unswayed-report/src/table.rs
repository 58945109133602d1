//! The numbers behind a plot, for other programs.

use crate::Block;
use crate::figure::{Cell, grid};

/// What is plotted, with all digits, as CSV; empty for a paragraph.
///
/// ```
/// use unswayed_report::{Axis, Block, Kind, LinePlot, Series, to_csv};
///
/// let plot = LinePlot {
///     x: Axis::percent("poison rate"),
///     series: vec![Series::new("certified loss", Kind::Certified, [(0.01, 0.08898), (0.02, 0.13081)])],
///     ..LinePlot::default()
/// };
/// assert_eq!(to_csv(&Block::Lines(plot)), "poison rate,certified loss\n0.01,0.08898\n0.02,0.13081\n");
/// ```
pub fn to_csv(block: &Block) -> String {
    let Some(grid) = grid(block) else { return String::new() };
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    let text = |cell: &Cell| match cell {
        Cell::Empty => String::new(),
        Cell::Word(word) => word.clone(),
        Cell::Number(x, _) => format!("{x}"),
    };
    // Writing to memory does not fail.
    let _ = writer.write_record(&grid.header);
    for row in &grid.rows {
        let _ = writer.write_record(row.iter().map(text));
    }
    writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, HeatMap, Kind, LinePlot, ScatterPlot, ScatterPoint, Series, Steps, Table};

    #[test]
    fn lines_share_their_places() {
        let plot = LinePlot {
            x: Axis::new("x"),
            series: vec![
                Series::new("a, upper", Kind::Certified, [(1.0, 4.0), (2.0, 6.0)]),
                Series::new("b", Kind::Attack, [(2.0, 3.0), (3.0, f64::NAN)]).with_half_widths([0.5, 0.5]),
            ],
            gaps: vec![(0, 1), (7, 0)],
            ..LinePlot::default()
        };
        let csv = to_csv(&Block::Lines(LinePlot { gaps: vec![(0, 1)], ..plot.clone() }));
        assert_eq!(csv, "x,\"a, upper\",b,\"b, low\",\"b, high\",gap\n1,4,,,,\n2,6,3,2.5,3.5,2\n3,,,,,\n");
        assert!(to_csv(&Block::Lines(plot)).contains("gap: a, upper / b"));
    }

    #[test]
    fn grids_and_points_and_tables() {
        let map = HeatMap {
            rows: Steps::new("learning rate", &[1e-4, 1e-3]),
            columns: Steps::new("regularization", &[0.01]),
            cells: vec![vec![Some(0.25)], vec![]],
            unit: "objective".into(),
            chosen: Some((0, 0)),
            ..HeatMap::default()
        };
        assert_eq!(
            to_csv(&Block::Heat(map)),
            "learning rate,regularization,objective,chosen\n0.0001,0.01,0.25,yes\n0.001,0.01,,\n"
        );
        let plot = ScatterPlot {
            x: Axis::new("benign loss"),
            y: Axis::new("certified loss"),
            points: vec![ScatterPoint { label: "say \"a\"".into(), x: 0.1, y: 0.2 }],
            front: vec![0],
            ..ScatterPlot::default()
        };
        assert_eq!(
            to_csv(&Block::Scatter(plot)),
            "setting,benign loss,certified loss,Pareto front,chosen\n\"say \"\"a\"\"\",0.1,0.2,yes,\n"
        );
        let table = Table { header: vec!["a".into()], rows: vec![vec!["1".into()]], ..Table::default() };
        assert_eq!(to_csv(&Block::Table(table)), "a\n1\n");
        assert_eq!(to_csv(&Block::Text("x".into())), "");
    }
}
