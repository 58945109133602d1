//! Writing SVG elements.

use std::fmt::Write;

use super::Place;
use crate::escape::escape;

/// SVG elements, one after another.
pub struct Canvas {
    pub out: String,
    pub place: Place,
}

impl Canvas {
    pub fn new(place: Place) -> Self {
        Self { out: String::new(), place }
    }

    /// The size of letters.
    pub fn font(&self) -> f64 {
        if self.place == Place::Narrow { 12.0 } else { 13.0 }
    }

    /// Raw markup.
    pub fn raw(&mut self, markup: &str) {
        self.out.push_str(markup);
    }

    pub fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let (a, b) = (from, to);
        let _ = write!(
            self.out,
            "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
            a.0, a.1, b.0, b.1
        );
    }

    /// A path; the dash may be empty.
    pub fn path(&mut self, class: &str, d: &str, dash: &str) {
        let dash = if dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
        let _ = write!(self.out, "<path class=\"{class}\" d=\"{d}\"{dash}/>");
    }

    /// Words; the anchor is `start`, `middle` or `end`.
    pub fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: &str, words: &str) {
        let size = self.font();
        #[cfg(feature = "png")]
        if self.place == Place::Pixels {
            return self.path(class, &super::letters::outlines(words, (x, y), size, anchor), "");
        }
        let words = escape(words);
        let _ = write!(
            self.out,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\">{words}</text>"
        );
    }

    /// What can be pointed at: `shape` is an element without its closing, `mark` what lights up, `tip` the lines of
    /// the explanation as (series, name, value). Left out of files of their own.
    pub fn hit(&mut self, shape: &str, mark: &str, tip: &[Tip]) {
        if self.place.is_alone() || tip.is_empty() {
            return;
        }
        let label = tip
            .iter()
            .map(|(_, name, value)| format!("{name} {value}").trim().to_owned())
            .collect::<Vec<_>>();
        let data = serde_json::to_string(tip).unwrap_or_default();
        let _ = write!(
            self.out,
            "<g class=\"hit\" tabindex=\"-1\" role=\"img\" aria-label=\"{}\" data-tip=\"{}\">{shape}>\
             <title>{}</title>{}{mark}</g>",
            escape(&label.join("; ")),
            escape(&data),
            escape(&label.join("\n")),
            closing(shape),
        );
    }
}

/// A line of an explanation: the series (a number, or empty), a name, a value.
pub type Tip = (String, String, String);

fn closing(shape: &str) -> String {
    let name = shape.trim_start_matches('<').split(' ').next().unwrap_or_default();
    format!("</{name}>")
}

/// About how wide the words are; rather too wide, since the reader's font is not known.
pub fn width(words: &str, size: f64) -> f64 {
    let of = |c: char| match c {
        'i' | 'l' | 'j' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | 'I' | ' ' => 0.33,
        'f' | 't' | 'r' | '(' | ')' | '-' => 0.42,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.95,
        'A'..='Z' => 0.7,
        c if c as u32 >= 0x2e80 => 1.05,
        _ => 0.62,
    };
    words.chars().map(of).sum::<f64>() * size
}

/// The words, cut with an ellipsis if they are wider than the room.
pub fn fit(words: &str, room: f64, size: f64) -> String {
    if width(words, size) <= room {
        return words.into();
    }
    let mut cut: String = words.into();
    while !cut.is_empty() && width(&cut, size) + 0.9 * size > room {
        cut.pop();
    }
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_are_cut() {
        assert_eq!(fit("short", 100.0, 12.0), "short");
        let cut = fit(&"long ".repeat(20), 100.0, 12.0);
        assert!(cut.ends_with('…') && width(&cut, 12.0) <= 101.0, "{cut}");
    }

    #[test]
    fn hostile_words_stay_words() {
        let mut canvas = Canvas::new(Place::Wide);
        let tip = (String::new(), "\"><script>".to_owned(), "'</title>".to_owned());
        canvas.hit("<rect x=\"1\"", "", &[tip]);
        assert!(!canvas.out.contains("<script>") && canvas.out.matches("</title>").count() == 1);
        assert!(canvas.out.contains("<rect x=\"1\"><title>") && canvas.out.contains("</title></rect>"));
    }
}
