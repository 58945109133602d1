//! Axes with ticks, labels and grid lines.

use super::canvas::{Canvas, fit, width};
use super::{Area, Place};
use crate::Axis;
use crate::ticks::{Scale, Tick, ticks};

/// Both scales and the area between the axes.
pub struct Frame {
    pub x: Scale,
    pub y: Scale,
    pub area: Area,
}

impl Frame {
    /// The pixel of a point.
    pub fn at(&self, x: f64, y: f64) -> (f64, f64) {
        (self.x.at(x), self.y.at(y))
    }
}

/// An axis and its range.
type Ranged<'a> = (&'a Axis, (f64, f64));

/// Draws both axes into the area and returns what remains between them.
pub fn draw(canvas: &mut Canvas, outer: Area, x: Ranged<'_>, y: Ranged<'_>) -> Frame {
    let size = canvas.font();
    let (top, bottom) = (outer.top + size * 2.0, outer.bottom - size * 3.6);
    let y_ticks = ticks(y.0, y.1, |t| (bottom - top) / t.len() as f64 >= size * 2.2);
    let widest = y_ticks.iter().map(|t| width(&t.1, size)).fold(0.0, f64::max);
    let right = outer.right - size * 1.6;
    let area = Area { left: (outer.left + widest + 8.0).min(right - 40.0), top, right, bottom };
    let frame = Frame {
        x: Scale::new(x.0.log, x.1, (area.left, area.right)),
        y: Scale::new(y.0.log, y.1, (bottom, top)),
        area,
    };
    let x_ticks = ticks(x.0, x.1, |t| apart(t, &frame.x, size));
    draw_ticks(canvas, &frame, &x_ticks, &y_ticks);
    let room = outer.right - outer.left;
    let label = |axis: &Axis| {
        fit(&format!("{}{}", axis.label, if axis.log { " (log scale)" } else { "" }), room, size)
    };
    canvas.text("label", (outer.left, outer.top + size), "start", &label(y.0));
    let middle = f64::midpoint(area.left, area.right);
    canvas.text("label", (middle, outer.bottom - size * 0.5), "middle", &label(x.0));
    frame
}

/// Do the labels of the horizontal axis leave room between them?
fn apart(ticks: &[Tick], scale: &Scale, size: f64) -> bool {
    let half = |t: &Tick| width(&t.1, size) / 2.0;
    ticks.windows(2).all(|w| scale.at(w[0].0) + half(&w[0]) + size <= scale.at(w[1].0) - half(&w[1]))
}

fn draw_ticks(canvas: &mut Canvas, frame: &Frame, x_ticks: &[Tick], y_ticks: &[Tick]) {
    let (area, size) = (frame.area, canvas.font());
    for (value, label) in y_ticks {
        let y = frame.y.at(*value);
        canvas.line("grid", (area.left, y), (area.right, y));
        canvas.text("tick", (area.left - 6.0, y + size * 0.35), "end", label);
    }
    for (value, label) in x_ticks {
        let x = frame.x.at(*value);
        canvas.line("rule", (x, area.bottom), (x, area.bottom + 5.0));
        canvas.text("tick", (x, area.bottom + size * 1.5), "middle", label);
    }
    canvas.line("rule", (area.left, area.bottom), (area.right, area.bottom));
}

/// The radius of markers.
pub fn radius(canvas: &Canvas) -> f64 {
    if canvas.place == Place::Narrow { 3.5 } else { 4.0 }
}
