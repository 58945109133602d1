//! The page.

use sha2::{Digest, Sha256};

use crate::escape::escape;
use crate::figure::{Cell, Grid, grid};
use crate::folder::named;
use crate::style::variables;
use crate::svg::{Canvas, Entry, FIGURE_CSS, Place, draw, entries, swatch};
use crate::{Block, Report, Section};

const PAGE: &str = include_str!("../assets/page.html");
const PAGE_CSS: &str = include_str!("../assets/page.css");
const SCRIPT: &str = include_str!("../assets/page.js");
const LIVE_SCRIPT: &str = include_str!("../assets/live.js");

/// The report as one page, without anything outside of it: it opens from disk, fetches nothing, and is readable
/// without its script.
///
/// ```
/// use unswayed_report::{Report, to_html};
/// let html = to_html(&Report { title: "<Spam>".into(), ..Report::default() });
/// assert!(html.contains("<h1>&lt;Spam&gt;</h1>"));
/// ```
pub fn to_html(report: &Report) -> String {
    let mut names = named(report).into_iter().map(|(id, _)| id);
    let sections: String = report.sections.iter().map(|s| section(s, &mut names)).collect();
    let script = if report.live.is_some() { [SCRIPT, LIVE_SCRIPT].concat() } else { SCRIPT.to_owned() };
    fill(PAGE, |name| match name {
        "title" => escape(&report.title),
        "css" => css(),
        "verdict" => verdict(report),
        "facts" => facts(report),
        "sections" => sections.clone(),
        "numbers" => numbers(report),
        "command" => part("Repeat this run", std::slice::from_ref(&report.command)),
        "check" => part("Check the certificates", &report.check),
        "glossary" => glossary(report),
        "tool" => escape(&report.tool),
        "live" => report.live.as_ref().map(|live| live.to_html(&report.command)).unwrap_or_default(),
        "live-script" | "live-worker" if report.live.is_none() => String::new(),
        "live-script" => " 'wasm-unsafe-eval'".into(),
        "live-worker" => " worker-src blob:;".into(),
        "script" => script.clone(),
        "script-hash" => base64(&Sha256::digest(&script)),
        _ => String::new(),
    })
}

/// The template with each `{{name}}` replaced, once: what is put in is not read again.
pub(crate) fn fill(template: &str, value: impl Fn(&str) -> String) -> String {
    let mut parts = template.split("{{");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once("}}").unwrap_or((part, ""));
        out.push_str(&value(name));
        out.push_str(rest);
    }
    out
}

/// Colours for light, for dark, for print; then the rules.
fn css() -> String {
    let (light, dark) = (variables(|c| c.1), variables(|c| c.2));
    format!(
        ":root{{color-scheme:light;{light}}}\n\
         @media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{color-scheme:dark;{dark}}}}}\n\
         @media screen{{:root[data-theme=dark]{{color-scheme:dark;{dark}}}}}\n{FIGURE_CSS}{PAGE_CSS}"
    )
}

fn paragraph(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!("<p>{}</p>\n", escape(words)) }
}

fn verdict(report: &Report) -> String {
    let words: String = report.verdict.iter().map(|words| paragraph(words)).collect();
    format!("<div class=\"verdict\">{words}</div>")
}

fn facts(report: &Report) -> String {
    list(&report.facts)
}

/// Names and texts.
fn list(entries: &[(String, String)]) -> String {
    if entries.is_empty() {
        return String::new();
    }
    let entry =
        |(name, text): &(String, String)| format!("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(text));
    format!("<dl>{}</dl>", entries.iter().map(entry).collect::<String>())
}

fn glossary(report: &Report) -> String {
    let words = list(&report.glossary);
    if words.is_empty() { words } else { format!("<section><h2>Words</h2>\n{words}</section>") }
}

fn section(section: &Section, names: &mut impl Iterator<Item = String>) -> String {
    let heading = if section.heading.is_empty() {
        String::new()
    } else {
        format!("<h2>{}</h2>\n", escape(&section.heading))
    };
    let mut show = |block: &Block| {
        let id = block.id().and_then(|_| names.next()).unwrap_or_default();
        self::block(block, &id)
    };
    let blocks: String = section.blocks.iter().map(&mut show).collect();
    format!("<section>{heading}{}{blocks}</section>\n", paragraph(&section.text))
}

fn block(block: &Block, id: &str) -> String {
    let title = escape(block.title());
    let note = escape(block.note());
    let note = if note.is_empty() { note } else { format!("<p class=\"note\">{note}</p>") };
    match block {
        Block::Text(words) => paragraph(words),
        Block::Table(_) => {
            let table = grid(block).map(|grid| table(&grid, block.title())).unwrap_or_default();
            let title = if title.is_empty() { title } else { format!("<h3>{title}</h3>") };
            format!("<div class=\"table\" id=\"{id}\">{title}{table}{note}</div>\n")
        }
        Block::Lines(_) | Block::Heat(_) | Block::Scatter(_) => {
            let plots = [Place::Wide, Place::Narrow].map(|place| draw(block, place, id).unwrap_or_default());
            let columns = match block {
                Block::Heat(map) => format!(" data-columns=\"{}\"", map.columns.values.len()),
                _ => String::new(),
            };
            format!(
                "<figure id=\"{id}\"{columns}><figcaption>{title}</figcaption>{}{}{note}</figure>\n",
                legend(&entries(block)),
                plots.concat()
            )
        }
    }
}

/// The legend as buttons that switch their series.
fn legend(entries: &[Entry]) -> String {
    let entry = |entry: &Entry| {
        let mut canvas = Canvas::new(Place::Wide);
        swatch(&mut canvas, entry.swatch, (1.0, 0.0));
        let picture = format!(
            "<svg width=\"32\" height=\"14\" viewBox=\"0 0 32 14\" aria-hidden=\"true\">{}</svg>",
            canvas.out
        );
        let name = escape(&entry.name);
        if entry.series.is_empty() {
            format!("<li><span>{picture}{name}</span></li>")
        } else {
            format!(
                "<li><button type=\"button\" data-series=\"{}\" aria-pressed=\"true\">{picture}{name}</button></li>",
                entry.series
            )
        }
    };
    if entries.is_empty() {
        return String::new();
    }
    format!(
        "<ul class=\"legend\" aria-label=\"Legend\">{}</ul>",
        entries.iter().map(entry).collect::<String>()
    )
}

/// The numbers of all plots.
fn numbers(report: &Report) -> String {
    let plot = |block: &&Block| !matches!(block, Block::Table(_) | Block::Text(_));
    let blocks = report.sections.iter().flat_map(|section| &section.blocks).filter(plot);
    let table = |block: &Block| {
        let grid = grid(block)?;
        let title = escape(block.title());
        Some(format!("<details><summary>{title}</summary>{}</details>\n", table(&grid, block.title())))
    };
    let tables: String = blocks.filter_map(table).collect();
    if tables.is_empty() {
        tables
    } else {
        format!("<section><h2>The numbers in the plots</h2>\n{tables}</section>")
    }
}

fn table(grid: &Grid, title: &str) -> String {
    let numeric = |cell: &Cell| match cell {
        Cell::Number(..) | Cell::Empty => true,
        Cell::Word(word) => {
            word.trim_end_matches(" %").parse::<f64>().is_ok() || matches!(word.as_str(), "" | "-" | "–")
        }
    };
    let right: Vec<bool> =
        (0..grid.header.len()).map(|c| grid.rows.iter().filter_map(|row| row.get(c)).all(numeric)).collect();
    let class = |c: usize| if right.get(c) == Some(&true) { " class=\"number\"" } else { "" };
    let head = |(c, name): (usize, &String)| format!("<th scope=\"col\"{}>{}</th>", class(c), escape(name));
    let cell = |(c, cell): (usize, &Cell)| match cell {
        Cell::Empty => format!("<td{}></td>", class(c)),
        Cell::Word(words) | Cell::Number(_, words) => format!("<td{}>{}</td>", class(c), escape(words)),
    };
    let row =
        |row: &Vec<Cell>| format!("<tr>{}</tr>\n", row.iter().enumerate().map(cell).collect::<String>());
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table><thead><tr>{}</tr></thead>\
         <tbody>{}</tbody></table></div>",
        escape(title),
        grid.header.iter().enumerate().map(head).collect::<String>(),
        grid.rows.iter().map(row).collect::<String>()
    )
}

/// Commands with a button that copies them.
fn part(heading: &str, commands: &[String]) -> String {
    let lines: Vec<&str> = commands.iter().map(String::as_str).filter(|c| !c.is_empty()).collect();
    if lines.is_empty() {
        return String::new();
    }
    format!(
        "<section><h2>{heading}</h2>\n<div class=\"command\"><pre>{}</pre>\
         <button type=\"button\" class=\"control\" data-copy hidden>Copy</button></div></section>",
        escape(&lines.join("\n"))
    )
}

/// As the page's policy names its only script.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let letters = |three: &[u8]| {
        let bits = (0..3).fold(0u32, |bits, i| bits << 8 | u32::from(three.get(i).copied().unwrap_or(0)));
        let letter = |i: usize| {
            if i > three.len() { '=' } else { LETTERS[(bits >> (18 - 6 * i) & 63) as usize] as char }
        };
        [0, 1, 2, 3].map(letter)
    };
    bytes.chunks(3).flat_map(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_is_not_read_again() {
        let report = Report { title: "{{script}} {{tool}}".into(), tool: "x".into(), ..Report::default() };
        assert!(to_html(&report).contains("<h1>{{script}} {{tool}}</h1>"));
    }

    #[test]
    fn base64_is_as_everywhere() {
        for (plain, coded) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob?>", "Zm9vYj8+")]
        {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }
}
