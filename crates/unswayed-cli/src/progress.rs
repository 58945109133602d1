//! One progress bar with the time left, on a terminal; nothing on a pipe.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use unswayed::design::sweep::Observer;

/// A bar on standard error. indicatif draws nothing if that is no terminal.
pub struct Bar(ProgressBar);

impl Bar {
    pub fn new() -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{bar:40} {pos}/{len} results, {eta} left (Ctrl-C is safe)");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        Bar(bar)
    }

    /// Takes the bar away.
    pub fn finish(&self) {
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
