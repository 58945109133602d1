//! Words as outlines, for pictures of pixels: their renderer then needs no text engine. The fonts of the machine are not used, so that
//! every machine draws the same.

use std::fmt::Write;

use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// The outlines of words that begin at x, end there or have their middle there, above the line y: the data of a path.
pub fn outlines(words: &str, (x, y): (f64, f64), size: f64, anchor: &str) -> String {
    // Noto Sans, which is licensed under Apache 2.0.
    let Ok(face) = Face::parse(ttf_noto_sans::REGULAR, 0) else { return String::new() };
    let scale = size / f64::from(face.units_per_em());
    let letter = |c: char| face.glyph_index(if c.is_control() { ' ' } else { c }).unwrap_or_default();
    let letters: Vec<GlyphId> = words.chars().map(letter).collect();
    let advance = |letter: &GlyphId| scale * f64::from(face.glyph_hor_advance(*letter).unwrap_or_default());
    let width: f64 = letters.iter().map(advance).sum();
    let before = match anchor {
        "middle" => width / 2.0,
        "end" => width,
        _ => 0.0,
    };
    let mut pen = Pen { data: String::new(), at: (x - before, y), scale };
    for letter in &letters {
        face.outline_glyph(*letter, &mut pen);
        pen.at.0 += advance(letter);
    }
    pen.data
}

/// Writes the outlines of letters, one after another.
struct Pen {
    data: String,
    at: (f64, f64),
    scale: f64,
}

impl Pen {
    fn write(&mut self, order: char, places: &[(f32, f32)]) {
        self.data.push(order);
        for (x, y) in places {
            let (x, y) = (self.at.0 + self.scale * f64::from(*x), self.at.1 - self.scale * f64::from(*y));
            let _ = write!(self.data, "{x:.3} {y:.3} ");
        }
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.write('M', &[(x, y)]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.write('L', &[(x, y)]);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.write('Q', &[(x1, y1), (x, y)]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.write('C', &[(x1, y1), (x2, y2), (x, y)]);
    }

    fn close(&mut self) {
        self.write('Z', &[]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(words: &str, anchor: &str) -> (f64, f64) {
        let data = outlines(words, (100.0, 50.0), 13.0, anchor);
        let numbers: Vec<f64> =
            data.split([' ', 'M', 'L', 'Q', 'C', 'Z']).filter_map(|n| n.parse().ok()).collect();
        let xs = numbers.iter().step_by(2);
        (xs.clone().copied().fold(f64::INFINITY, f64::min), xs.copied().fold(f64::NEG_INFINITY, f64::max))
    }

    #[test]
    fn words_stand_where_they_are_anchored() {
        let words = "certified loss, ε = 5 %";
        let (start, middle, end) = (ends(words, "start"), ends(words, "middle"), ends(words, "end"));
        assert!((100.0..102.0).contains(&start.0) && (98.0..=100.0).contains(&end.1), "{start:?} {end:?}");
        let width = start.1 - start.0;
        assert!((110.0..170.0).contains(&width), "{width}");
        assert!((middle.0 - (100.0 - width / 2.0)).abs() < 2.0, "{middle:?}");
    }

    #[test]
    fn what_has_no_outline_is_no_error() {
        assert_eq!(outlines("", (0.0, 0.0), 13.0, "start"), "");
        assert_eq!(outlines(" \u{7}\n", (0.0, 0.0), 13.0, "start"), "");
        assert!(!outlines("\u{1f600}", (0.0, 0.0), 13.0, "start").is_empty(), "a box in its place");
    }
}
