//! What a report holds.

use serde::{Deserialize, Serialize};

use crate::live::{Live, WhatIf};
use crate::ticks::shows;

/// A report, in the order in which it is read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// What was examined.
    pub title: String,
    /// The result in plain words; the first paragraph is set large.
    pub verdict: Vec<String>,
    /// Names and texts: data, settings, dates.
    pub facts: Vec<(String, String)>,
    /// Plots and tables.
    pub sections: Vec<Section>,
    /// The exact command that repeats the run.
    pub command: String,
    /// Commands that verify the certificates.
    pub check: Vec<String>,
    /// Words that the report uses, and what they mean.
    pub glossary: Vec<(String, String)>,
    /// The program and its version.
    pub tool: String,
    /// How to ask what would be if, for learners that a page can answer for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what_if: Option<WhatIf>,
    /// What a live page holds. Not kept with the report: it has the rows of the data.
    #[serde(skip)]
    pub live: Option<Live>,
}

impl Report {
    /// The report with axes that can be compared: where line plots have axes of the same name, these have the same range.
    ///
    /// ```
    /// use unswayed_report::{Axis, Block, Kind, LinePlot, Report, Section, Series};
    /// let plot = |y| {
    ///     let series = vec![Series::new("loss", Kind::Attack, [(1.0, y)])];
    ///     Block::Lines(LinePlot { y: Axis::new("loss"), series, ..LinePlot::default() })
    /// };
    /// let section = Section { blocks: vec![plot(0.1), plot(0.9)], ..Section::default() };
    /// let report = Report { sections: vec![section], ..Report::default() }.with_common_axes();
    /// let Block::Lines(first) = &report.sections[0].blocks[0] else { unreachable!() };
    /// assert_eq!(first.y_reach, Some((0.1, 0.9)));
    /// ```
    pub fn with_common_axes(mut self) -> Self {
        let axes: Vec<_> =
            self.plots().map(|p| (p.x.clone(), p.x_range(), p.y.clone(), p.y_range())).collect();
        for plot in self.plots() {
            let across = axes.iter().filter(|(x, ..)| *x == plot.x).map(|(_, range, ..)| *range);
            let upwards = axes.iter().filter(|(_, _, y, _)| *y == plot.y).map(|(.., range)| *range);
            let (x, y) = (across.fold(None, wider), upwards.fold(None, wider));
            (plot.x_reach, plot.y_reach) = (x, y);
        }
        self
    }

    fn plots(&mut self) -> impl Iterator<Item = &mut LinePlot> {
        let blocks = self.sections.iter_mut().flat_map(|section| &mut section.blocks);
        blocks.filter_map(|block| if let Block::Lines(plot) = block { Some(plot) } else { None })
    }
}

/// From the lesser of the low ends to the greater of the high ones.
fn wider(a: Option<(f64, f64)>, b: Option<(f64, f64)>) -> Option<(f64, f64)> {
    let both = a.zip(b).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1)));
    both.or(a).or(b)
}

/// A heading, a paragraph, and what belongs to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Section {
    /// The heading.
    pub heading: String,
    /// A paragraph below it; may be empty.
    pub text: String,
    /// Plots, tables, paragraphs.
    pub blocks: Vec<Block>,
}

/// One element of a section.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Block {
    /// Lines over a common axis.
    Lines(LinePlot),
    /// A grid of settings.
    Heat(HeatMap),
    /// Settings by benign and certified loss.
    Scatter(ScatterPlot),
    /// A table.
    Table(Table),
    /// A paragraph.
    Text(String),
}

impl Block {
    /// The name of its files; none for a paragraph.
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::Lines(plot) => Some(&plot.id),
            Self::Heat(map) => Some(&map.id),
            Self::Scatter(plot) => Some(&plot.id),
            Self::Table(table) => Some(&table.id),
            Self::Text(_) => None,
        }
    }

    /// Its title; empty for a paragraph.
    pub fn title(&self) -> &str {
        match self {
            Self::Lines(plot) => &plot.title,
            Self::Heat(map) => &map.title,
            Self::Scatter(plot) => &plot.title,
            Self::Table(table) => &table.title,
            Self::Text(_) => "",
        }
    }

    /// The words below it.
    pub fn note(&self) -> &str {
        match self {
            Self::Lines(plot) => &plot.note,
            Self::Heat(map) => &map.note,
            Self::Scatter(plot) => &plot.note,
            Self::Table(table) => &table.note,
            Self::Text(_) => "",
        }
    }
}

/// What a number is. Decides its colour, and the direction in which it is rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A proven upper bound; rounded up.
    Certified,
    /// What an attack reaches, a lower bound; rounded down.
    Attack,
    /// What happens with no adversary; rounded down.
    Benign,
    /// An upper bound by the paper's method; rounded up.
    Paper,
    /// Any other measurement; rounded down.
    #[default]
    Other,
}

/// A horizontal or vertical axis.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Axis {
    /// Its name.
    pub label: String,
    /// Logarithmic. Values that are not positive are then left out.
    pub log: bool,
    /// Fractions, shown as percentages.
    pub percent: bool,
}

impl Axis {
    /// A linear axis.
    pub fn new(label: &str) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    /// A linear axis of fractions that are shown as percentages.
    pub fn percent(label: &str) -> Self {
        Self { percent: true, ..Self::new(label) }
    }

    /// A logarithmic axis.
    pub fn log(label: &str) -> Self {
        Self { log: true, ..Self::new(label) }
    }
}

/// Lines over a common axis: losses over poison rates, say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LinePlot {
    /// The name of its files.
    pub id: String,
    /// The title.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The lines.
    pub series: Vec<Series>,
    /// Pairs of series, the upper bound first: the area between them is shaded, their quotient shown as the gap.
    pub gaps: Vec<(usize, usize)>,
    /// Horizontal lines across the plot.
    pub limits: Vec<Limit>,
    /// Values that the horizontal axis has to reach, whatever the series do; see [`Report::with_common_axes`].
    pub x_reach: Option<(f64, f64)>,
    /// The same for the vertical axis.
    pub y_reach: Option<(f64, f64)>,
    /// Words below the plot.
    pub note: String,
}

impl LinePlot {
    /// The points that can be shown.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &Point> {
        let points = self.series.iter().flat_map(|series| &series.points);
        points.filter(|p| shows(&self.x, p.x) && shows(&self.y, p.y))
    }

    /// The ends of what is shown horizontally.
    pub(crate) fn x_range(&self) -> Option<(f64, f64)> {
        self.shown().map(|p| Some((p.x, p.x))).fold(self.x_reach, wider)
    }

    /// The ends of what is shown vertically, confidence intervals and limits included.
    pub(crate) fn y_range(&self) -> Option<(f64, f64)> {
        let points = self.shown().flat_map(|p| [Some(p.y), p.low, p.high]).flatten();
        let heights = points.chain(self.limits.iter().map(|limit| limit.value));
        heights.filter(|y| shows(&self.y, *y)).map(|y| Some((y, y))).fold(self.y_reach, wider)
    }
}

/// A horizontal line with a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// Where.
    #[serde(with = "finite")]
    pub value: f64,
    /// Its name.
    pub label: String,
}

/// A line of a plot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// What it shows.
    pub kind: Kind,
    /// Its points, from left to right.
    pub points: Vec<Point>,
}

impl Series {
    /// A series of (x, y) without a confidence band.
    ///
    /// ```
    /// use unswayed_report::{Kind, Series};
    /// let series = Series::new("attack loss", Kind::Attack, [(0.01, 0.08), (0.02, 0.11)]);
    /// assert_eq!(series.points[1].y, 0.11);
    /// ```
    pub fn new(name: &str, kind: Kind, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let points = points.into_iter().map(|(x, y)| Point { x, y, ..Point::default() }).collect();
        Self { name: name.into(), kind, points }
    }

    /// The first point at this place.
    pub(crate) fn at(&self, x: f64) -> Option<&Point> {
        self.points.iter().find(|p| p.x.total_cmp(&x).is_eq())
    }

    /// The series with a confidence interval of these half widths around its points.
    pub fn with_half_widths(mut self, half_widths: impl IntoIterator<Item = f64>) -> Self {
        for (point, half) in self.points.iter_mut().zip(half_widths) {
            point.low = Some(point.y - half);
            point.high = Some(point.y + half);
        }
        self
    }
}

/// A point of a series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Horizontal.
    #[serde(with = "finite")]
    pub x: f64,
    /// Vertical. A number that is not finite leaves a hole in the line.
    #[serde(with = "finite")]
    pub y: f64,
    /// The lower end of its confidence interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// The upper end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

/// A grid of settings with a number in each cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HeatMap {
    /// The name of its files.
    pub id: String,
    /// The title.
    pub title: String,
    /// The rows, from top to bottom.
    pub rows: Steps,
    /// The columns, from left to right.
    pub columns: Steps,
    /// One number for each row and column, or none.
    pub cells: Vec<Vec<Option<f64>>>,
    /// What the numbers are, in words.
    pub unit: String,
    /// What the numbers are, for rounding.
    pub kind: Kind,
    /// Row and column of the cell to mark.
    pub chosen: Option<(usize, usize)>,
    /// Words below the plot.
    pub note: String,
}

/// The rows or columns of a grid.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Steps {
    /// What is varied.
    pub label: String,
    /// Its values; absent where the thing that is varied is left out.
    pub values: Vec<Option<f64>>,
}

impl Steps {
    /// A name and its values.
    pub fn new(label: &str, values: &[f64]) -> Self {
        Self { label: label.into(), values: values.iter().copied().map(Some).collect() }
    }

    /// A value in words.
    pub(crate) fn name(&self, place: usize) -> String {
        let value = self.values.get(place).copied().flatten();
        value.map_or_else(|| "none".to_owned(), |x| crate::number::plain(x, false))
    }
}

/// Settings by two losses: across a measurement (rounded down), upwards a bound (rounded up).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScatterPlot {
    /// The name of its files.
    pub id: String,
    /// The title.
    pub title: String,
    /// The horizontal axis: benign loss.
    pub x: Axis,
    /// The vertical axis: certified loss.
    pub y: Axis,
    /// The settings.
    pub points: Vec<ScatterPoint>,
    /// Indices of the points on the Pareto front, which a line joins.
    pub front: Vec<usize>,
    /// Index of the chosen point.
    pub chosen: Option<usize>,
    /// Words below the plot.
    pub note: String,
}

/// A point with a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScatterPoint {
    /// Its name.
    pub label: String,
    /// Benign loss.
    #[serde(with = "finite")]
    pub x: f64,
    /// Certified loss.
    #[serde(with = "finite")]
    pub y: f64,
}

/// A table of words. Numbers in it are rounded by whoever makes it, see [`crate::number`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Table {
    /// The name of its file.
    pub id: String,
    /// The title.
    pub title: String,
    /// The names of the columns.
    pub header: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// Words below the table.
    pub note: String,
}

/// JSON has no infinities: what is not finite becomes null, and null not a number.
mod finite {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    pub fn serialize<S: Serializer>(x: &f64, to: S) -> Result<S::Ok, S::Error> {
        x.is_finite().then_some(*x).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
    }
}
