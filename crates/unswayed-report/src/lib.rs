//! Reports: one HTML file that explains a run to people who were not there, and its figures for papers.
//!
//! A [`Report`] is data: words, plots and tables. [`to_html`] makes one self-contained page of it, [`to_svg`],
//! `to_png` and [`to_csv`] a single figure, [`write_folder`] all of them at once. A report is kept as JSON beside them,
//! so that it can be rendered again. Pictures of pixels (`to_png`, `write_pictures`) need the feature `png`.
//!
//! ```
//! use unswayed_report::{Axis, Block, Kind, LinePlot, Report, Section, Series, to_html};
//!
//! let plot = LinePlot {
//!     id: "losses".into(),
//!     title: "Loss under attack".into(),
//!     x: Axis::percent("poison rate"),
//!     y: Axis::new("loss"),
//!     series: vec![
//!         Series::new("certified loss", Kind::Certified, [(0.01, 0.0890), (0.02, 0.1309)]),
//!         Series::new("attack loss", Kind::Attack, [(0.01, 0.0824), (0.02, 0.1110)]),
//!     ],
//!     gaps: vec![(0, 1)],
//!     ..LinePlot::default()
//! };
//! let report = Report {
//!     title: "Spam filter".into(),
//!     verdict: vec!["With 2 % poison the loss stays below 0.1309.".into()],
//!     sections: vec![Section { heading: "Losses".into(), blocks: vec![Block::Lines(plot)], ..Section::default() }],
//!     ..Report::default()
//! };
//! assert!(to_html(&report).contains("0.1309"));
//! ```
//!
//! Upper bounds are rounded up wherever they are shown, measurements down ([`number`]).

pub mod about;
mod calendar;
mod escape;
mod figure;
mod folder;
mod html;
pub mod live;
mod model;
pub mod number;
#[cfg(feature = "png")]
mod png;
mod style;
mod svg;
mod table;
mod ticks;

pub use calendar::utc;
#[cfg(feature = "png")]
pub use folder::write_pictures;
pub use folder::{Error, write_folder};
pub use html::to_html;
pub use model::{
    Axis, Block, HeatMap, Kind, Limit, LinePlot, Point, Report, ScatterPlot, ScatterPoint, Section, Series,
    Steps, Table,
};
#[cfg(feature = "png")]
pub use png::{PngError, to_png};
pub use svg::to_svg;
pub use table::to_csv;
