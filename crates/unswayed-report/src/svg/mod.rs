//! Plots as SVG: in a page, where the style sheet colours them and the legend is HTML, or on their own.

mod axes;
mod canvas;
mod heat;
mod legend;
#[cfg(feature = "png")]
mod letters;
mod lines;
mod scatter;

pub use canvas::Canvas;
pub use legend::{Entry, entries, swatch};

use crate::Block;
use crate::escape::{escape, slug};
use crate::style::light;

/// The style sheet of plots, in a page and on their own.
pub const FIGURE_CSS: &str = include_str!("../../assets/figure.css");

/// Where a plot is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a page on a wide screen or on paper.
    Wide,
    /// In a page on a phone.
    Narrow,
    /// In a file of its own.
    Alone,
    /// In a file of pixels.
    #[cfg(feature = "png")]
    Pixels,
}

impl Place {
    /// Whether there is no page around it.
    fn is_alone(self) -> bool {
        !matches!(self, Self::Wide | Self::Narrow)
    }

    /// Width and height in pixels, without the legend.
    fn size(self) -> (f64, f64) {
        match self {
            Self::Wide => (720.0, 400.0),
            Self::Narrow => (328.0, 310.0),
            _ => (640.0, 400.0),
        }
    }

    fn class(self) -> &'static str {
        match self {
            Self::Wide => "wide",
            Self::Narrow => "narrow",
            _ => "alone",
        }
    }
}

/// A rectangle in which a plot draws.
#[derive(Clone, Copy, Debug)]
pub struct Area {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

/// A figure in a file of its own, for papers: light, of fixed size, with its legend; none for tables and words.
///
/// ```
/// use unswayed_report::{Block, LinePlot, to_svg};
/// let svg = to_svg(&Block::Lines(LinePlot::default())).unwrap();
/// assert!(svg.starts_with("<svg") && svg.contains("width=\"640\""));
/// assert!(to_svg(&Block::Text("words".into())).is_none());
/// ```
pub fn to_svg(block: &Block) -> Option<String> {
    draw(block, Place::Alone, "figure")
}

/// The plot of a block. `id` is unique in the page.
pub fn draw(block: &Block, place: Place, id: &str) -> Option<String> {
    let (width, height) = place.size();
    let legend_height = if place.is_alone() { legend::height(block, width) } else { 0.0 };
    let mut canvas = Canvas::new(place);
    legend_height.gt(&0.0).then(|| legend::draw(&mut canvas, block, width));
    let area = Area {
        left: 4.0,
        top: legend_height + 4.0,
        right: width - 4.0,
        bottom: legend_height + height - 4.0,
    };
    let description = match block {
        Block::Lines(plot) => lines::draw(&mut canvas, plot, area),
        Block::Heat(map) => heat::draw(&mut canvas, map, area),
        Block::Scatter(plot) => scatter::draw(&mut canvas, plot, area),
        Block::Table(_) | Block::Text(_) => return None,
    };
    Some(wrap(
        &canvas.out,
        place,
        &format!("{}-{}", slug(id), place.class()),
        (width, height + legend_height),
        (block.title(), &description),
    ))
}

fn wrap(
    body: &str,
    place: Place,
    id: &str,
    (width, height): (f64, f64),
    (title, description): (&str, &str),
) -> String {
    let (title, description) = (escape(title), escape(description));
    let (size, style) = if place.is_alone() {
        let css = light(FIGURE_CSS);
        (
            format!(" xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\""),
            format!("<style>{css}</style><rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>"),
        )
    } else {
        (String::new(), String::new())
    };
    format!(
        "<svg{size} class=\"plot {}\" viewBox=\"0 0 {width} {height}\" role=\"group\" aria-labelledby=\"{id}-t {id}-d\">\
         <title id=\"{id}-t\">{title}</title><desc id=\"{id}-d\">{description}</desc>{style}{body}</svg>",
        place.class()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HeatMap, Kind, LinePlot, ScatterPlot, ScatterPoint, Series, Steps, Table};

    #[test]
    fn nothing_breaks_on_odd_data() {
        let odd = [0.0, -1.0, 1e300, -1e300, 1e-300, f64::NAN, f64::INFINITY];
        for log in [false, true] {
            let axis = crate::Axis { log, ..crate::Axis::default() };
            for n in 0..=odd.len() {
                let points = || odd[..n].iter().map(|x| (*x, *x));
                let series = vec![Series::new("a", Kind::Other, points()); 9];
                let (x, y) = (axis.clone(), axis.clone());
                let plot = LinePlot { x, y, series, gaps: vec![(0, 1), (3, 99)], ..LinePlot::default() };
                let dots = points().map(|(x, y)| ScatterPoint { label: "<b>".into(), x, y }).collect();
                let (x, y) = (axis.clone(), axis.clone());
                let cloud = ScatterPlot {
                    x,
                    y,
                    points: dots,
                    front: vec![0, 99],
                    chosen: Some(7),
                    ..ScatterPlot::default()
                };
                let map = HeatMap {
                    rows: Steps::new("r", &odd[..n]),
                    columns: Steps::new("c", &odd),
                    cells: vec![odd.map(Some).to_vec()],
                    chosen: Some((99, 0)),
                    ..HeatMap::default()
                };
                for block in [Block::Lines(plot), Block::Scatter(cloud), Block::Heat(map)] {
                    for place in [Place::Wide, Place::Narrow, Place::Alone, Place::Pixels] {
                        let svg = draw(&block, place, "x").unwrap();
                        assert!(!svg.contains("<b>"));
                        let drawn = svg.split("data-tip").next().unwrap();
                        assert!(!drawn.contains("NaN\"") && !drawn.contains("inf\""), "{drawn}");
                    }
                    assert!(crate::to_png(&block, 1.0).unwrap().is_ok());
                }
            }
        }
        assert!(to_svg(&Block::Table(Table::default())).is_none());
    }
}
