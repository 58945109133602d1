//! Grids of settings.

use super::Area;
use super::canvas::{Canvas, fit, width};
use crate::figure::cell;
use crate::number::rounded;
use crate::style::heat;
use crate::{HeatMap, Steps};

/// The place of one cell.
struct Cells {
    area: Area,
    wide: f64,
    high: f64,
}

impl Cells {
    fn corner(&self, row: usize, column: usize) -> (f64, f64) {
        (self.area.left + column as f64 * self.wide, self.area.top + row as f64 * self.high)
    }

    fn rect(&self, row: usize, column: usize) -> String {
        let (x, y) = self.corner(row, column);
        let (w, h) = ((self.wide - 2.0).max(0.5), (self.high - 2.0).max(0.5));
        format!("<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{w:.1}\" height=\"{h:.1}\"", x + 1.0, y + 1.0)
    }
}

/// Draws the grid and returns its description.
pub fn draw(canvas: &mut Canvas, map: &HeatMap, outer: Area) -> String {
    let cells = frame(canvas, map, outer);
    let (low, high) = extremes(map);
    let place = |x: f64| if high > low { x / (high - low) - low / (high - low) } else { 0.3 };
    for row in 0..map.rows.values.len() {
        for column in 0..map.columns.values.len() {
            let value = cell(map, row, column);
            let (fill, ink) = value.map_or((String::new(), ""), |x| heat(place(x)));
            draw_cell(canvas, map, &cells, (row, column), (&fill, ink));
        }
    }
    if let Some((row, column)) = map.chosen.filter(|(r, c)| cell(map, *r, *c).is_some()) {
        let rect = cells.rect(row, column);
        canvas.raw(&format!("{rect} class=\"halo\"/>{rect} class=\"chosen\"/>"));
    }
    let hit = |canvas: &mut Canvas, row, column| explain(canvas, map, &cells, (row, column));
    for row in 0..map.rows.values.len() {
        (0..map.columns.values.len()).for_each(|column| hit(canvas, row, column));
    }
    describe(map, (low, high))
}

/// The smallest and the largest number; infinities the wrong way round if there is none.
pub fn extremes(map: &HeatMap) -> (f64, f64) {
    let finite = || map.cells.iter().flatten().flatten().copied().filter(|x| x.is_finite());
    (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max))
}

/// Labels around the grid.
fn frame(canvas: &mut Canvas, map: &HeatMap, outer: Area) -> Cells {
    let size = canvas.font();
    let names = |steps: &Steps| (0..steps.values.len()).map(|i| steps.name(i)).collect::<Vec<_>>();
    let (rows, columns) = (names(&map.rows), names(&map.columns));
    let widest = rows.iter().map(|name| width(name, size)).fold(0.0, f64::max).min(120.0);
    let area = Area {
        left: outer.left + widest + 8.0,
        top: outer.top + size * 2.0,
        right: outer.right,
        bottom: outer.bottom - size * 3.5,
    };
    let (across, down) = (columns.len().max(1) as f64, rows.len().max(1) as f64);
    let cells =
        Cells { area, wide: (area.right - area.left) / across, high: (area.bottom - area.top) / down };
    let room = outer.right - outer.left;
    canvas.text("label", (outer.left, outer.top + size), "start", &fit(&map.rows.label, room, size));
    let middle = f64::midpoint(area.left, area.right);
    canvas.text("label", (middle, outer.bottom - size * 0.5), "middle", &fit(&map.columns.label, room, size));
    let every = (size * 1.2 / cells.high).ceil().max(1.0) as usize;
    for (i, name) in rows.iter().enumerate().step_by(every) {
        let y = cells.corner(i, 0).1 + cells.high / 2.0 + size * 0.35;
        canvas.text("tick", (area.left - 6.0, y), "end", &fit(name, 120.0, size));
    }
    let widest = columns.iter().map(|name| width(name, size)).fold(0.0, f64::max);
    let every = ((widest + size * 0.7) / cells.wide).ceil().max(1.0) as usize;
    for (i, name) in columns.iter().enumerate().step_by(every) {
        let x = cells.corner(0, i).0 + cells.wide / 2.0;
        canvas.text("tick", (x, area.bottom + size * 1.4), "middle", name);
    }
    cells
}

fn words(map: &HeatMap, row: usize, column: usize) -> String {
    cell(map, row, column).map_or_else(|| "not computed".into(), |x| rounded(x, map.kind, false))
}

/// Do all numbers fit in their cells?
fn readable(canvas: &Canvas, map: &HeatMap, cells: &Cells) -> bool {
    let fits = |text: String| width(&text, canvas.font()) < cells.wide - 4.0;
    let known = |r: usize, c: usize| cell(map, r, c).is_none() || fits(words(map, r, c));
    cells.high > canvas.font() * 1.3
        && (0..map.rows.values.len()).all(|r| (0..map.columns.values.len()).all(|c| known(r, c)))
}

fn draw_cell(
    canvas: &mut Canvas,
    map: &HeatMap,
    cells: &Cells,
    (row, column): (usize, usize),
    (fill, ink): (&str, &str),
) {
    let rect = cells.rect(row, column);
    if fill.is_empty() {
        return canvas.raw(&format!("{rect} class=\"empty\"/>"));
    }
    canvas.raw(&format!("{rect} fill=\"{fill}\"/>"));
    if readable(canvas, map, cells) {
        let (x, y) = cells.corner(row, column);
        let (size, value) = (canvas.font(), words(map, row, column));
        canvas.raw(&format!("<g fill=\"{ink}\">"));
        canvas.text("value", (x + cells.wide / 2.0, y + cells.high / 2.0 + size * 0.35), "middle", &value);
        canvas.raw("</g>");
    }
}

fn explain(canvas: &mut Canvas, map: &HeatMap, cells: &Cells, (row, column): (usize, usize)) {
    let mut tip = vec![
        (String::new(), map.rows.label.clone(), map.rows.name(row)),
        (String::new(), map.columns.label.clone(), map.columns.name(column)),
        (String::new(), map.unit.clone(), words(map, row, column)),
    ];
    if map.chosen == Some((row, column)) {
        tip.push((String::new(), "chosen".into(), String::new()));
    }
    let rect = cells.rect(row, column);
    canvas.hit(&rect, &format!("{rect} class=\"glow frame\"/>"), &tip);
}

fn describe(map: &HeatMap, (low, high): (f64, f64)) -> String {
    let range = if low <= high {
        format!(" from {} to {}", rounded(low, map.kind, false), rounded(high, map.kind, false))
    } else {
        String::new()
    };
    let chosen = map.chosen.map(|(r, c)| {
        let value = words(map, r, c);
        let (row, column) = (map.rows.name(r), map.columns.name(c));
        format!(" Chosen: {} {row}, {} {column}, {value}.", map.rows.label, map.columns.label)
    });
    format!(
        "Grid of {} by {} and {}{range}; darker is larger.{} {}",
        map.unit,
        map.rows.label,
        map.columns.label,
        chosen.unwrap_or_default(),
        map.note
    )
}
