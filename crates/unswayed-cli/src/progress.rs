//! One progress bar with the time left, on a terminal; nothing on a pipe.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use unswayed::design::sweep::Observer;

/// A bar on standard error. indicatif draws nothing if that is no terminal.
pub struct Bar(ProgressBar);

impl Bar {
    pub fn new() -> Self {
        Bar::with_template("{bar:40} {pos}/{len} results, {eta} left (Ctrl-C is safe)", 0)
    }

    /// A bar for so many rows that are encoded.
    #[cfg(feature = "onnx")]
    pub fn rows(rows: usize) -> Self {
        Bar::with_template("{bar:40} {pos}/{len} rows encoded, {eta} left", rows as u64)
    }

    fn with_template(template: &str, length: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Bar(bar)
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// A bar for passes over rows.
pub struct Rows(ProgressBar);

impl Rows {
    pub fn new() -> Self {
        let Bar(bar) = Bar::with_template("{msg:16} {bar:40} {human_pos}/{human_len} rows, {eta} left", 0);
        Rows(bar)
    }

    /// So many rows of so many have been read in a pass.
    pub fn show(&self, what: &str, rows: usize, of: usize) {
        if self.0.message() != what {
            self.0.set_message(what.to_owned());
            self.0.reset_eta();
        }
        self.0.set_length(of as u64);
        self.0.set_position(rows as u64);
    }
}

impl Drop for Rows {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// A line that shows for how long something has been going on; it goes away when this does.
pub struct Busy(ProgressBar);

impl Busy {
    pub fn with(what: &'static str) -> Self {
        let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}, {elapsed}") {
            line.set_style(style);
        }
        line.set_message(what);
        line.enable_steady_tick(Duration::from_millis(200));
        Busy(line)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

impl Observer for Bar {
    fn expect(&self, pieces: usize) {
        self.0.inc_length(pieces as u64);
    }

    fn done(&self) {
        self.0.inc(1);
    }
}
