//! Line plots.

use super::Area;
use super::axes::{self, Frame, radius};
use super::canvas::{Canvas, Tip, fit};
use crate::figure::{gap_at, gaps, places};
use crate::number::{plain, rounded};
use crate::style::{Look, Shape, looks, marker};
use crate::ticks::{from_zero, padded, range, shows};
use crate::{LinePlot, Point, Series};

/// Places that are explained at most; of more, only some are.
const STRIPS: usize = 200;

/// Draws the plot and returns its description.
pub fn draw(canvas: &mut Canvas, plot: &LinePlot, outer: Area) -> String {
    let ends = |ends: Option<(f64, f64)>| ends.into_iter().flat_map(|(low, high)| [low, high]);
    let x_range = padded(&plot.x, range(&plot.x, ends(plot.x_range())), 0.02);
    let y_range = from_zero(&plot.y, range(&plot.y, ends(plot.y_range())));
    let frame = axes::draw(canvas, outer, (&plot.x, x_range), (&plot.y, y_range));
    for (i, (_, pair)) in gaps(plot).enumerate() {
        gap(canvas, plot, &frame, i, pair);
    }
    limits(canvas, plot, &frame);
    for (i, (series, look)) in plot.series.iter().zip(looks(plot)).enumerate() {
        line(canvas, plot, &frame, (i, series), look);
    }
    hits(canvas, plot, &frame);
    describe(plot)
}

/// The area between two series.
fn gap(canvas: &mut Canvas, plot: &LinePlot, frame: &Frame, i: usize, (upper, lower): (usize, usize)) {
    let points = |s: usize| {
        let seen = |p: &&Point| shows(&plot.x, p.x) && shows(&plot.y, p.y);
        plot.series[s].points.iter().filter(seen).copied().collect::<Vec<_>>()
    };
    let (above, below) = (points(upper), points(lower));
    let shared =
        |p: &Point, with: &[Point]| with.iter().any(|q| q.x <= p.x) && with.iter().any(|q| q.x >= p.x);
    let there = above.iter().filter(|p| shared(p, &below));
    let back = below.iter().rev().filter(|p| shared(p, &above));
    let around: Vec<_> = there.chain(back).map(|p| frame.at(p.x, p.y)).collect();
    canvas.raw(&format!("<g data-series=\"g{i} {upper} {lower}\">"));
    canvas.path("gap", &join(&around), "");
    canvas.raw("</g>");
}

fn limits(canvas: &mut Canvas, plot: &LinePlot, frame: &Frame) {
    for limit in plot.limits.iter().filter(|limit| shows(&plot.y, limit.value)) {
        let y = frame.y.at(limit.value);
        canvas.line("limit", (frame.area.left, y), (frame.area.right, y));
        let words = fit(&limit.label, frame.area.right - frame.area.left, canvas.font());
        let (x, anchor) = if room_at_left(plot, limit.value) {
            (frame.area.left + 4.0, "start")
        } else {
            (frame.area.right, "end")
        };
        canvas.text("tick", (x, y - 5.0), anchor, &words);
    }
}

/// Whether the lines stay further from a height at their left ends than at their right ends.
fn room_at_left(plot: &LinePlot, height: f64) -> bool {
    let nearest = |end: fn(&Series) -> Option<&Point>| {
        let ends = plot.series.iter().filter_map(end).map(|p| (p.y - height).abs());
        ends.fold(f64::INFINITY, f64::min)
    };
    nearest(|s| s.points.first()) > nearest(|s| s.points.last())
}

/// A series: its confidence band, its line, its markers.
fn line(canvas: &mut Canvas, plot: &LinePlot, frame: &Frame, (i, series): (usize, &Series), look: Look) {
    canvas.raw(&format!("<g data-series=\"{i}\" class=\"{}\">", look.class));
    for run in runs(plot, series) {
        let ends: Vec<(f64, f64, f64)> = run
            .iter()
            .filter_map(|p| Some((p.x, p.low?, p.high?)))
            .filter(|(_, low, high)| shows(&plot.y, *low) && shows(&plot.y, *high))
            .collect();
        if ends.len() > 1 {
            let above = ends.iter().map(|(x, _, high)| frame.at(*x, *high));
            let below = ends.iter().rev().map(|(x, low, _)| frame.at(*x, *low));
            canvas.path("band", &join(&above.chain(below).collect::<Vec<_>>()), "");
        }
        let points: Vec<_> = run.iter().map(|p| frame.at(p.x, p.y)).collect();
        canvas.path("line", &join(&points), look.dash);
        let every = points.len().div_ceil(25).max(1);
        let class = if look.shape == Shape::Ring { "ring" } else { "dot" };
        for (x, y) in points.iter().step_by(every) {
            canvas.path(class, &marker(look.shape, *x, *y, radius(canvas)), "");
        }
    }
    canvas.raw("</g>");
}

/// The parts of a series without holes.
fn runs<'a>(plot: &LinePlot, series: &'a Series) -> impl Iterator<Item = &'a [Point]> {
    let (x, y) = (plot.x.clone(), plot.y.clone());
    let hole = move |p: &Point| !(shows(&x, p.x) && shows(&y, p.y));
    series.points.split(hole).filter(|run| !run.is_empty())
}

/// A path through the points.
pub fn join(points: &[(f64, f64)]) -> String {
    let step = |(i, (x, y)): (usize, &(f64, f64))| format!("{}{x:.1} {y:.1}", if i == 0 { 'M' } else { 'L' });
    points.iter().enumerate().map(step).collect()
}

/// A strip around each place, which explains what is plotted there.
fn hits(canvas: &mut Canvas, plot: &LinePlot, frame: &Frame) {
    let mut places: Vec<f64> = places(plot).into_iter().filter(|x| shows(&plot.x, *x)).collect();
    let every = places.len().div_ceil(STRIPS).max(1);
    places = places.into_iter().step_by(every).collect();
    let at: Vec<f64> = places.iter().map(|x| frame.x.at(*x)).collect();
    let area = frame.area;
    for (i, x) in places.iter().enumerate() {
        let left = if i == 0 { area.left } else { f64::midpoint(at[i - 1], at[i]) };
        let right = at.get(i + 1).map_or(area.right, |next| f64::midpoint(at[i], *next));
        let (height, wide) = (area.bottom - area.top, (right - left).max(0.5));
        let rect =
            format!("<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{wide:.1}\" height=\"{height:.1}\"", area.top);
        let cross = format!(
            "<line class=\"glow cross\" x1=\"{0:.1}\" x2=\"{0:.1}\" y1=\"{1:.1}\" y2=\"{2:.1}\"/>",
            at[i], area.top, area.bottom
        );
        canvas.hit(&rect, &cross, &explain(plot, *x));
    }
}

fn explain(plot: &LinePlot, x: f64) -> Vec<Tip> {
    let mut tip = vec![(String::new(), plot.x.label.clone(), plain(x, plot.x.percent))];
    for (i, series) in plot.series.iter().enumerate() {
        let Some(point) = series.at(x).filter(|p| !p.y.is_nan()) else { continue };
        let show = |y: f64, kind| rounded(y, kind, plot.y.percent);
        let mut value = show(point.y, series.kind);
        if let (Some(low), Some(high)) = (point.low, point.high) {
            let (low, high) = (show(low, crate::Kind::Other), show(high, crate::Kind::Certified));
            value = format!("{value} ({low} to {high})");
        }
        tip.push((i.to_string(), series.name.clone(), value));
    }
    for (i, (name, pair)) in gaps(plot).enumerate() {
        if let Some((_, text)) = gap_at(plot, pair, x) {
            tip.push((format!("g{i} {} {}", pair.0, pair.1), name, text));
        }
    }
    tip
}

fn describe(plot: &LinePlot) -> String {
    let names: Vec<&str> = plot.series.iter().map(|s| s.name.as_str()).collect();
    format!("Lines of {} over {}: {}. {}", plot.y.label, plot.x.label, names.join(", "), plot.note)
}
