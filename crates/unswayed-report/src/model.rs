//! What a report holds.

use serde::{Deserialize, Serialize};

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
    /// The program and its version.
    pub tool: String,
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
    /// Words below the plot.
    pub note: String,
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
    /// Its values.
    pub values: Vec<f64>,
}

impl Steps {
    /// A name and its values.
    pub fn new(label: &str, values: &[f64]) -> Self {
        Self { label: label.into(), values: values.to_vec() }
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
