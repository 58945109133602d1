//! Legends: what there is to explain, and how it is drawn in a file of its own.

use super::canvas::{Canvas, fit, width};
use super::heat::extremes;
use crate::Block;
use crate::figure::{cell, gaps};
use crate::number::rounded;
use crate::style::{Look, Shape, heat, looks, marker};

/// What a legend entry shows beside its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swatch {
    /// A line with its marker.
    Line(Look),
    /// A marker alone.
    Dot(&'static str, Shape),
    /// The shaded area.
    Gap,
    /// The frame of the chosen cell.
    Frame,
    /// The colour of the smallest or the largest number.
    Cell { largest: bool },
}

/// An entry of a legend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it switches off; empty for what cannot be.
    pub series: String,
    pub name: String,
    pub swatch: Swatch,
}

/// The legend of a block.
pub fn entries(block: &Block) -> Vec<Entry> {
    let entry = |series: &str, name: &str, swatch| Entry { series: series.into(), name: name.into(), swatch };
    match block {
        Block::Lines(plot) => {
            let lines = plot.series.iter().zip(looks(plot)).enumerate();
            let lines = lines.map(|(i, (s, look))| entry(&i.to_string(), &s.name, Swatch::Line(look)));
            let gaps =
                gaps(plot).enumerate().map(|(i, (name, _))| entry(&format!("g{i}"), &name, Swatch::Gap));
            lines.chain(gaps).collect()
        }
        Block::Heat(map) => {
            let chosen = map.chosen.filter(|(r, c)| cell(map, *r, *c).is_some());
            let mut all: Vec<_> = chosen.map(|_| entry("", "chosen", Swatch::Frame)).into_iter().collect();
            let (low, high) = extremes(map);
            if low < high {
                let name = |word: &str, x: f64| format!("{word} {}", rounded(x, map.kind, false));
                all.push(entry("", &name("smallest", low), Swatch::Cell { largest: false }));
                all.push(entry("", &name("largest", high), Swatch::Cell { largest: true }));
            }
            all
        }
        Block::Scatter(plot) => {
            let mut all = vec![entry("0", "settings", Swatch::Dot("other", Shape::Ring))];
            let front = Look { class: "certified", dash: "", shape: Shape::Square };
            (!plot.front.is_empty()).then(|| all.push(entry("1", "Pareto front", Swatch::Line(front))));
            plot.chosen
                .is_some()
                .then(|| all.push(entry("2", "chosen", Swatch::Dot("attack", Shape::Diamond))));
            all
        }
        Block::Table(_) | Block::Text(_) => Vec::new(),
    }
}

/// The swatch of an entry, 30 pixels wide and 14 high, at this place.
pub fn swatch(canvas: &mut Canvas, swatch: Swatch, (x, y): (f64, f64)) {
    let middle = y + 7.0;
    let mut group = |class: &str, line: bool, dash: &str, shape: Shape, r: f64| {
        canvas.raw(&format!("<g class=\"{class}\">"));
        if line {
            canvas.path("line", &format!("M{x:.1} {middle:.1}L{:.1} {middle:.1}", x + 30.0), dash);
        }
        let class = if shape == Shape::Ring { "ring" } else { "dot" };
        canvas.path(class, &marker(shape, x + 15.0, middle, r), "");
        canvas.raw("</g>");
    };
    match swatch {
        Swatch::Line(look) => group(look.class, true, look.dash, look.shape, 4.0),
        Swatch::Dot(class, shape) => group(class, false, "", shape, 4.5),
        Swatch::Gap => {
            canvas.raw(&format!(
                "<rect class=\"gap\" x=\"{x:.1}\" y=\"{:.1}\" width=\"30\" height=\"10\"/>",
                y + 2.0
            ));
        }
        Swatch::Cell { largest } => {
            let (fill, _) = heat(f64::from(u8::from(largest)));
            canvas.raw(&format!(
                "<rect class=\"cell\" fill=\"{fill}\" x=\"{:.1}\" y=\"{:.1}\" width=\"18\" height=\"11\"/>",
                x + 6.0,
                y + 1.5
            ));
        }
        Swatch::Frame => {
            let x = x + 6.0;
            canvas.raw(&format!(
                "<rect class=\"chosen\" x=\"{x:.1}\" y=\"{:.1}\" width=\"18\" height=\"11\"/>",
                y + 1.5
            ));
        }
    }
}

const LINE: f64 = 22.0;

/// The places of the entries in lines of this width.
fn flow(canvas: &Canvas, entries: &[Entry], room: f64) -> Vec<(f64, f64)> {
    let (mut x, mut y) = (8.0, 6.0);
    let mut places = Vec::new();
    for entry in entries {
        let wide = 36.0 + width(&entry.name, canvas.font()).min(room - 60.0) + 18.0;
        if x > 8.0 && x + wide > room {
            (x, y) = (8.0, y + LINE);
        }
        places.push((x, y));
        x += wide;
    }
    places
}

/// The height of the legend; nothing for one that is empty.
pub fn height(block: &Block, room: f64) -> f64 {
    let canvas = Canvas::new(super::Place::Alone);
    flow(&canvas, &entries(block), room).last().map_or(0.0, |(_, y)| y + LINE + 4.0)
}

/// Draws the legend at the top.
pub fn draw(canvas: &mut Canvas, block: &Block, room: f64) {
    let entries = entries(block);
    let places = flow(canvas, &entries, room);
    for (entry, (x, y)) in entries.iter().zip(places) {
        swatch(canvas, entry.swatch, (x, y));
        let name = fit(&entry.name, room - 60.0, canvas.font());
        canvas.text("tick", (x + 36.0, y + 11.5), "start", &name);
    }
}
