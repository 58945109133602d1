//! Figures as pictures.

use resvg::{tiny_skia, usvg};

use crate::Block;
use crate::svg::{self, Place};

/// Why a figure could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// The text is not an SVG picture.
    #[error("the figure is not SVG: {0}")]
    Svg(String),
    /// Its size is zero, or too large for memory.
    #[error("the figure is {0} by {1} pixels, which cannot be drawn")]
    Size(u32, u32),
    /// The picture could not be encoded.
    #[error("the picture cannot be encoded: {0}")]
    Encode(String),
}

/// Draws a figure, so many pixels to the pixel of the SVG; none for tables and words.
///
/// ```
/// use unswayed_report::{Block, LinePlot, to_png};
/// let png = to_png(&Block::Lines(LinePlot::default()), 2.0).unwrap()?;
/// assert_eq!(&png[1..4], b"PNG");
/// # Ok::<(), unswayed_report::PngError>(())
/// ```
pub fn to_png(block: &Block, scale: f32) -> Option<Result<Vec<u8>, PngError>> {
    svg::draw(block, Place::Pixels, "figure").map(|svg| render(&svg, scale))
}

fn render(svg: &str, scale: f32) -> Result<Vec<u8>, PngError> {
    let tree = usvg::Tree::from_str(svg, &usvg::Options::default())
        .map_err(|error| PngError::Svg(error.to_string()))?;
    let size = tree.size();
    let (width, height) = ((size.width() * scale).round() as u32, (size.height() * scale).round() as u32);
    let mut pixmap = tiny_skia::Pixmap::new(width, height).ok_or(PngError::Size(width, height))?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    pixmap.encode_png().map_err(|error| PngError::Encode(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Kind, LinePlot, Series};

    #[test]
    fn pictures_have_their_size_and_colours() {
        let series = vec![Series::new("certified loss", Kind::Certified, [(0.01, 0.1), (0.05, 0.3)])];
        let plot = LinePlot { x: Axis::percent("poison rate"), series, ..LinePlot::default() };
        let png = to_png(&Block::Lines(plot), 2.0).unwrap().unwrap();
        let picture = tiny_skia::Pixmap::decode_png(&png).unwrap();
        assert_eq!((picture.width(), picture.height()), (1280, 864));
        let count =
            |rgb: [u8; 3]| picture.pixels().iter().filter(|p| [p.red(), p.green(), p.blue()] == rgb).count();
        assert!(count([255, 255, 255]) > 900_000, "white background");
        assert!(count([0x00, 0x72, 0xb2]) > 1000, "the certified series");
        // Letters: ink of the labels' colour, below the axis.
        let ink = |x: u32, y: u32| picture.pixel(x, y).is_some_and(|p| p.red() < 0x70);
        let label =
            (0..1280).flat_map(|x| (820..860).map(move |y| (x, y))).filter(|(x, y)| ink(*x, *y)).count();
        assert!(label > 200, "{label} dark pixels in the label");
    }

    #[test]
    fn nonsense_is_an_error() {
        assert!(matches!(render("no", 1.0), Err(PngError::Svg(_))));
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"/>";
        assert!(matches!(render(svg, 0.0), Err(PngError::Size(0, 0))));
    }
}
