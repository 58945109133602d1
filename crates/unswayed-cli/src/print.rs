//! Output: writing that survives a closed pipe. Numbers are rounded as in reports.

use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::Arc;

use unswayed::certify::paper::Progress;
use unswayed_check::{TextLine, decimal_up};
pub use unswayed_report::about::steps;
pub use unswayed_report::number::{down, parameter as number, percent, up};

/// Writes to standard output. That nobody reads it any more (`| head`) is no error. Anything else is, such as a full disk: a
/// result that got lost must not look like a success, so the program ends here.
pub fn text(text: &str) {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if let Some(reason) = written.err().filter(|reason| reason.kind() != ErrorKind::BrokenPipe) {
        error(&format!("standard output cannot be written ({reason})"));
        std::process::exit(2);
    }
}

/// One JSON value on a line.
pub fn json(value: &serde_json::Value) {
    text(&format!("{value}\n"));
}

/// An error message on standard error.
pub fn error(message: &str) {
    let _ = writeln!(std::io::stderr(), "unswayed: {message}");
}

/// Shows how far a solver has come, in one line on standard error; nothing if that is no terminal.
pub fn progress(name: &'static str) -> Option<Progress> {
    std::io::stderr().is_terminal().then(|| -> Progress {
        Arc::new(move |step| {
            let (iteration, gap) = (step.iteration, step.gap);
            let _ = write!(std::io::stderr(), "\r{name}: iteration {iteration}, gap {gap:.1e} ");
        })
    })
}

/// Clears the line of [`progress`].
pub fn clear_progress() {
    let mut err = std::io::stderr();
    if err.is_terminal() {
        let _ = write!(err, "\r\x1b[K");
    }
}

/// Names and texts in two columns.
pub fn lines(lines: Vec<TextLine>) -> String {
    let line = |(name, text): TextLine| format!("{name:<15}  {text}").trim_end().to_owned() + "\n";
    lines.into_iter().map(line).collect()
}

/// A quotient of a bound and a measurement.
pub fn gap(gap: f64) -> String {
    decimal_up(gap, 2)
}

/// Columns aligned to the right, the first to the left, two spaces apart.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| rows.iter().filter_map(|r| r.get(c)).map(|s| s.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    rows.iter().map(|row| aligned(row, &widths) + "\n").collect()
}

/// The cells of a row of such a table.
pub fn aligned(cells: &[String], widths: &[usize]) -> String {
    let padded =
        cells.iter().zip(widths).enumerate().map(|(c, (cell, width))| {
            if c == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
    padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_round_up_and_measurements_down() {
        assert_eq!(up(0.172_053_8), "0.1721");
        assert_eq!(down(0.172_053_8), "0.1720");
        assert_eq!(up(0.5), "0.5000");
        assert_eq!(up(0.000_123_41), "0.000124");
        assert_eq!(down(0.000_123_49), "0.000123");
        assert_eq!(up(1e-20), "0.00000000000000000001");
        assert_eq!(down(0.0), "0.0000");
        assert_eq!(down(2.5), "2.5000");
        assert_eq!(up(0.0), "0.0000");
        assert_eq!(up(f64::INFINITY), "inf");
        assert_eq!(percent(0.07), "7 %");
        assert_eq!(percent(0.000_012_34), "0.001234 %");
    }
}
