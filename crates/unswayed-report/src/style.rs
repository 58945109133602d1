//! Colours, dashes and markers. Colours are Okabe and Ito's, which colour-blind people can tell apart, darker or
//! lighter where the background asks for it; each series has a dash and a marker of its own as well.

use crate::{Kind, LinePlot};

/// Name, light and dark value of each colour.
pub const COLOURS: [(&str, &str, &str); 15] = [
    ("page", "#ffffff", "#14171c"),
    ("panel", "#f5f6f8", "#1d2229"),
    ("ink", "#1b1f24", "#e8eaed"),
    ("quiet", "#57606a", "#a3abb5"),
    ("rule", "#d5d9de", "#3a414b"),
    ("grid", "#e6e8eb", "#2b313a"),
    ("certified", "#0072b2", "#56b4e9"),
    ("attack", "#c65700", "#f28e3c"),
    ("benign", "#00805d", "#2fc79b"),
    ("paper", "#a34d80", "#e39cc4"),
    ("other", "#4a4f57", "#c3c9d1"),
    ("other-1", "#8a6300", "#e6b23c"),
    ("other-2", "#5b4bb5", "#a99cf0"),
    ("link", "#0b5f96", "#7cc4f0"),
    ("mark", "#c65700", "#f28e3c"),
];

/// Dash patterns; the empty one is a solid line.
const DASHES: [&str; 8] = ["", "7 4", "2 4", "9 3 2 3", "14 4", "4 2", "12 3 2 3 2 3", "5 6"];

/// The shape of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Circle,
    TriangleDown,
    Square,
    Diamond,
    TriangleUp,
    Cross,
    Plus,
    Ring,
}

const SHAPES: [Shape; 8] = [
    Shape::Circle,
    Shape::TriangleDown,
    Shape::Square,
    Shape::Diamond,
    Shape::TriangleUp,
    Shape::Cross,
    Shape::Plus,
    Shape::Ring,
];

/// How a series looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// The class that gives its colour.
    pub class: &'static str,
    pub dash: &'static str,
    pub shape: Shape,
}

/// The colour class of a kind.
pub fn class(kind: Kind) -> &'static str {
    match kind {
        Kind::Certified => "certified",
        Kind::Attack => "attack",
        Kind::Benign => "benign",
        Kind::Paper => "paper",
        Kind::Other => "other",
    }
}

/// The looks of all series of a plot: the first of each kind has its kind's dash and marker, the others take what
/// is left.
pub fn looks(plot: &LinePlot) -> Vec<Look> {
    let own = |kind: Kind| kind as usize;
    let mut taken: Vec<Kind> = Vec::new();
    let mut spare = Kind::Other as usize + 1;
    let mut others = 0;
    plot.series
        .iter()
        .map(|s| s.kind)
        .map(|kind| {
            let index = if taken.contains(&kind) {
                spare += 1;
                spare - 1
            } else {
                taken.push(kind);
                own(kind)
            };
            let class = match kind {
                Kind::Other => {
                    others += 1;
                    ["other", "other-1", "other-2"][(others - 1) % 3]
                }
                _ => class(kind),
            };
            Look { class, dash: DASHES[index % DASHES.len()], shape: SHAPES[index % SHAPES.len()] }
        })
        .collect()
}

/// The path of a marker.
pub fn marker(shape: Shape, x: f64, y: f64, r: f64) -> String {
    let polygon = |points: &[(f64, f64)]| {
        let step = |(i, (dx, dy)): (usize, &(f64, f64))| {
            format!("{}{:.1} {:.1}", if i == 0 { 'M' } else { 'L' }, x + dx * r, y + dy * r)
        };
        points.iter().enumerate().map(step).collect::<String>() + "Z"
    };
    match shape {
        Shape::Circle | Shape::Ring => {
            format!("M{:.1} {y:.1}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0Z", x - r, d = 2.0 * r)
        }
        Shape::Square => polygon(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
        Shape::Diamond => polygon(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]),
        Shape::TriangleUp => polygon(&[(0.0, -1.2), (1.15, 0.9), (-1.15, 0.9)]),
        Shape::TriangleDown => polygon(&[(0.0, 1.2), (1.15, -0.9), (-1.15, -0.9)]),
        Shape::Cross => {
            polygon(&[(-1.0, -1.0), (1.0, 1.0), (0.0, 0.0), (1.0, -1.0), (-1.0, 1.0), (0.0, 0.0)])
        }
        Shape::Plus => polygon(&[(0.0, -1.2), (0.0, 1.2), (0.0, 0.0), (1.2, 0.0), (-1.2, 0.0), (0.0, 0.0)]),
    }
}

/// The style sheet with the light colours in place of the variables, for programs that know no variables.
pub fn light(css: &str) -> String {
    COLOURS.iter().fold(css.to_owned(), |css, (name, light, _)| css.replace(&format!("var(--{name})"), light))
}

/// Declarations of all colours; `pick` chooses between light and dark.
pub fn variables(pick: fn(&(&'static str, &'static str, &'static str)) -> &'static str) -> String {
    COLOURS.iter().flat_map(|c| ["--", c.0, ":", pick(c), ";"]).collect()
}

/// From pale to dark blue; `place` is between 0 and 1. With it the colour of text upon it.
pub fn heat(place: f64) -> (String, &'static str) {
    const STOPS: [[f64; 3]; 4] =
        [[236.0, 244.0, 251.0], [158.0, 202.0, 225.0], [49.0, 130.0, 189.0], [8.0, 48.0, 107.0]];
    let at = place.clamp(0.0, 1.0) * 3.0;
    let i = (at as usize).min(2);
    let mix = |c: usize| STOPS[i][c] + (STOPS[i + 1][c] - STOPS[i][c]) * (at - i as f64);
    let rgb = [mix(0), mix(1), mix(2)].map(f64::round);
    let text = if luminance(rgb) > 0.195 { "#10151b" } else { "#ffffff" };
    (format!("#{:02x}{:02x}{:02x}", rgb[0] as u8, rgb[1] as u8, rgb[2] as u8), text)
}

/// Relative luminance, as in the accessibility guidelines.
fn luminance(rgb: [f64; 3]) -> f64 {
    let part = |v: f64| {
        let v = v / 255.0;
        if v <= 0.040_45 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(rgb[0]) + 0.7152 * part(rgb[1]) + 0.0722 * part(rgb[2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Series;

    fn rgb(hex: &str) -> [f64; 3] {
        [1, 3, 5].map(|i| f64::from(u8::from_str_radix(&hex[i..i + 2], 16).unwrap()))
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(rgb(a)), luminance(rgb(b)));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn colours_stand_out_from_their_background() {
        for (name, light, dark) in COLOURS.iter().skip(6) {
            assert!(contrast(light, COLOURS[0].1) >= 4.0, "{name} light");
            assert!(contrast(dark, COLOURS[0].2) >= 4.0, "{name} dark");
        }
        for words in &COLOURS[2..4] {
            for ground in &COLOURS[..2] {
                assert!(contrast(words.1, ground.1) >= 5.0);
                assert!(contrast(words.2, ground.2) >= 5.0);
            }
        }
    }

    #[test]
    fn words_in_cells_are_legible() {
        for i in 0..=100 {
            let (ground, text) = heat(f64::from(i) / 100.0);
            assert!(contrast(&ground, text) >= 4.2, "{i}: {ground} {text} {}", contrast(&ground, text));
        }
    }

    #[test]
    fn no_two_series_look_alike() {
        let kinds = [Kind::Certified, Kind::Attack, Kind::Certified, Kind::Benign, Kind::Other, Kind::Attack];
        let series = kinds.map(|kind| Series { kind, ..Series::default() }).to_vec();
        let looks = looks(&LinePlot { series, ..LinePlot::default() });
        for (i, a) in looks.iter().enumerate() {
            for b in &looks[..i] {
                assert!(a.dash != b.dash && a.shape != b.shape);
            }
        }
        assert_eq!(looks[0].class, looks[2].class);
    }
}
