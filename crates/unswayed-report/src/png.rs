//! Figures as pictures.

use std::sync::{Arc, LazyLock};

use resvg::{tiny_skia, usvg};

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

/// Noto Sans, which is licensed under Apache 2.0. The fonts of the machine are not used, so that every machine draws
/// the same.
static FONTS: LazyLock<Arc<usvg::fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = usvg::fontdb::Database::new();
    fonts.load_font_data(ttf_noto_sans::REGULAR.to_vec());
    fonts.load_font_data(ttf_noto_sans::BOLD.to_vec());
    fonts.set_sans_serif_family("Noto Sans");
    Arc::new(fonts)
});

/// Draws a figure, so many pixels to the pixel of the SVG.
///
/// ```
/// use unswayed_report::{Block, LinePlot, to_png, to_svg};
/// let svg = to_svg(&Block::Lines(LinePlot::default())).unwrap();
/// let png = to_png(&svg, 2.0)?;
/// assert_eq!(&png[1..4], b"PNG");
/// # Ok::<(), unswayed_report::PngError>(())
/// ```
pub fn to_png(svg: &str, scale: f32) -> Result<Vec<u8>, PngError> {
    let options =
        usvg::Options { fontdb: FONTS.clone(), font_family: "Noto Sans".into(), ..usvg::Options::default() };
    let tree = usvg::Tree::from_str(svg, &options).map_err(|error| PngError::Svg(error.to_string()))?;
    let size = tree.size();
    let (width, height) = ((size.width() * scale).round() as u32, (size.height() * scale).round() as u32);
    let mut pixmap = tiny_skia::Pixmap::new(width, height).ok_or(PngError::Size(width, height))?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    pixmap.encode_png().map_err(|error| PngError::Encode(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Block, Kind, LinePlot, Series, to_svg};

    #[test]
    fn pictures_have_their_size_and_colours() {
        let series = vec![Series::new("certified loss", Kind::Certified, [(0.01, 0.1), (0.05, 0.3)])];
        let plot = LinePlot { x: Axis::percent("poison rate"), series, ..LinePlot::default() };
        let png = to_png(&to_svg(&Block::Lines(plot)).unwrap(), 2.0).unwrap();
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
        assert!(matches!(to_png("no", 1.0), Err(PngError::Svg(_))));
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"/>";
        assert!(matches!(to_png(svg, 0.0), Err(PngError::Size(0, 0))));
    }
}
