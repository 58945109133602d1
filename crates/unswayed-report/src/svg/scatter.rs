//! Settings by two losses.

use super::Area;
use super::axes::{self, Frame, radius};
use super::canvas::{Canvas, Tip, width};
use super::lines::join;
use crate::number::rounded;
use crate::style::{Shape, marker};
use crate::ticks::{padded, range, shows};
use crate::{Kind, ScatterPlot};

/// Lines of an explanation before it is cut short.
const SHOWN: usize = 5;

/// Draws the plot and returns its description.
pub fn draw(canvas: &mut Canvas, plot: &ScatterPlot, outer: Area) -> String {
    let seen: Vec<usize> = (0..plot.points.len()).filter(|i| visible(plot, *i)).collect();
    let x = range(&plot.x, seen.iter().map(|i| plot.points[*i].x));
    let y = range(&plot.y, seen.iter().map(|i| plot.points[*i].y));
    let (x, y) = (padded(&plot.x, x, 0.06), padded(&plot.y, y, 0.08));
    let frame = axes::draw(canvas, outer, (&plot.x, x), (&plot.y, y));
    let at = |i: &usize| frame.at(plot.points[*i].x, plot.points[*i].y);
    let r = radius(canvas);
    canvas.raw("<g data-series=\"0\" class=\"other\">");
    for (x, y) in seen.iter().filter(|i| !plot.front.contains(i)).map(at) {
        canvas.path("ring", &marker(Shape::Ring, x, y, r), "");
    }
    canvas.raw("</g><g data-series=\"1\" class=\"certified\">");
    let mut front: Vec<_> = plot.front.iter().filter(|i| visible(plot, **i)).map(at).collect();
    front.sort_by(|a, b| a.0.total_cmp(&b.0));
    canvas.path("line", &join(&front), "");
    for (x, y) in &front {
        canvas.path("dot", &marker(Shape::Square, *x, *y, r), "");
    }
    canvas.raw("</g>");
    if let Some((x, y)) = plot.chosen.filter(|i| visible(plot, *i)).as_ref().map(at) {
        chosen(canvas, &frame, (x, y));
    }
    hits(canvas, plot, &frame, &seen);
    describe(plot)
}

fn visible(plot: &ScatterPlot, i: usize) -> bool {
    plot.points.get(i).is_some_and(|p| shows(&plot.x, p.x) && shows(&plot.y, p.y))
}

/// The chosen point, with the word beside it.
fn chosen(canvas: &mut Canvas, frame: &Frame, (x, y): (f64, f64)) {
    let (r, size) = (radius(canvas), canvas.font());
    canvas.raw("<g data-series=\"2\" class=\"attack\">");
    canvas.path("dot", &marker(Shape::Diamond, x, y, r * 1.6), "");
    let room = frame.area.right - x > width("chosen", size) + 16.0;
    let (dx, anchor) = if room { (12.0, "start") } else { (-12.0, "end") };
    canvas.text("label", (x + dx, y - size * 0.7), anchor, "chosen");
    canvas.raw("</g>");
}

/// Points that lie on one another are explained together.
fn hits(canvas: &mut Canvas, plot: &ScatterPlot, frame: &Frame, seen: &[usize]) {
    let mut groups: Vec<((f64, f64), Vec<usize>)> = Vec::new();
    for &i in seen {
        let (x, y) = frame.at(plot.points[i].x, plot.points[i].y);
        match groups.iter_mut().find(|(at, _)| (at.0 - x).hypot(at.1 - y) < 6.0) {
            Some((_, members)) => members.push(i),
            None => groups.push(((x, y), vec![i])),
        }
    }
    groups.sort_by(|a, b| a.0.0.total_cmp(&b.0.0));
    for ((x, y), members) in groups {
        let circle = |r: f64, more: &str| format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r}\"{more}");
        canvas.hit(&circle(13.0, ""), &circle(9.0, " class=\"glow frame\"/>"), &explain(plot, &members));
    }
}

fn explain(plot: &ScatterPlot, members: &[usize]) -> Vec<Tip> {
    let mut tip: Vec<Tip> = Vec::new();
    for &i in members.iter().take(SHOWN) {
        let point = &plot.points[i];
        let role = match (plot.chosen == Some(i), plot.front.contains(&i)) {
            (true, _) => "chosen",
            (false, true) => "Pareto front",
            _ => "",
        };
        tip.push((String::new(), point.label.clone(), role.into()));
        let (x, y) = (
            rounded(point.x, Kind::Benign, plot.x.percent),
            rounded(point.y, Kind::Certified, plot.y.percent),
        );
        tip.push((String::new(), plot.x.label.clone(), x));
        tip.push((String::new(), plot.y.label.clone(), y));
    }
    if members.len() > SHOWN {
        tip.push((String::new(), format!("and {} more", members.len() - SHOWN), String::new()));
    }
    tip
}

fn describe(plot: &ScatterPlot) -> String {
    let chosen = plot.chosen.and_then(|i| plot.points.get(i)).map(|p| format!(" Chosen: {}.", p.label));
    format!(
        "{} points, {} upwards over {}; {} of them on the Pareto front.{} {}",
        plot.points.len(),
        plot.y.label,
        plot.x.label,
        plot.front.len(),
        chosen.unwrap_or_default(),
        plot.note
    )
}
