//! Numbers as text, rounded in the safe direction.

use crate::Kind;

pub use unswayed_wasm::number::{down, up};

/// A fraction as a percentage, to ten digits.
pub fn percent(x: f64) -> String {
    let shown: f64 = format!("{:.9e}", x * 100.0).parse().unwrap_or(x * 100.0);
    format!("{shown} %")
}

/// A parameter: plain while short, else in powers of ten.
pub fn parameter(x: f64) -> String {
    let shown: f64 = format!("{x:.9e}").parse().unwrap_or(x);
    if shown == 0.0 || (1e-3..1e6).contains(&shown.abs()) { format!("{shown}") } else { format!("{shown:e}") }
}

/// A number of this kind: bounds up, measurements down.
pub(crate) fn rounded(x: f64, kind: Kind, as_percent: bool) -> String {
    let text = if matches!(kind, Kind::Certified | Kind::Paper) { up(x) } else { down(x) };
    if as_percent && x.is_finite() { format!("{} %", hundredfold(&text)) } else { text }
}

/// A decimal number times 100, exactly: the point moves.
fn hundredfold(text: &str) -> String {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let fraction = format!("{fraction:0<2}");
    let moved = format!("{whole}{}", &fraction[..2]);
    let whole = moved.trim_start_matches('0');
    let rest = &fraction[2..];
    format!(
        "{sign}{}{}{rest}",
        if whole.is_empty() { "0" } else { whole },
        if rest.is_empty() { "" } else { "." }
    )
}

/// A value of a horizontal axis, where nothing is a bound.
pub(crate) fn plain(x: f64, as_percent: bool) -> String {
    if as_percent { percent(x) } else { parameter(x) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_round_up_and_measurements_down() {
        assert_eq!(up(0.000_123_41), "0.000124");
        assert_eq!(down(0.000_123_49), "0.000123");
        assert_eq!(rounded(0.172_053_8, Kind::Certified, false), "0.1721");
        assert_eq!(rounded(0.172_053_8, Kind::Attack, false), "0.1720");
        assert_eq!(rounded(f64::INFINITY, Kind::Paper, true), "inf");
        assert_eq!(parameter(5e-5), "5e-5");
        assert_eq!(plain(0.07, true), "7 %");
    }

    #[test]
    fn percentages_keep_the_direction() {
        assert_eq!(rounded(0.172_053_8, Kind::Certified, true), "17.21 %");
        assert_eq!(rounded(0.172_053_8, Kind::Benign, true), "17.20 %");
        assert_eq!(rounded(-0.25, Kind::Benign, true), "-25.00 %");
        assert_eq!(rounded(0.0, Kind::Benign, true), "0.00 %");
        assert_eq!(rounded(1.5, Kind::Paper, true), "150.00 %");
    }
}
