//! Files and pages, without a browser.

use super::common::{HOSTILE, heat, lines, report, scatter};
use unswayed_report::{
    Block, Kind, LinePlot, Report, Section, Series, Table, to_html, to_svg, write_folder, write_pictures,
};

/// The JSON text, since numbers that are not numbers are equal to none.
fn json(report: &Report) -> String {
    serde_json::to_string(report).unwrap()
}

#[test]
fn reports_survive_json() {
    let original = report();
    let again: Report = serde_json::from_str(&json(&original)).unwrap();
    assert_eq!(json(&again), json(&original));
    assert_eq!(again.sections[1], original.sections[1]);
    assert_eq!(to_html(&again), to_html(&original));
    let sparse: Report = serde_json::from_str(r#"{"title": "only this"}"#).unwrap();
    assert_eq!(sparse, Report { title: "only this".into(), ..Report::default() });
}

#[test]
fn the_page_has_all_parts_in_order() {
    let html = to_html(&report());
    let parts = [
        "<h1>",
        "class=\"verdict\"",
        "<dl>",
        "id=\"losses\"",
        "id=\"settings\"",
        "id=\"trade-off\"",
        "id=\"results\"",
        "The numbers in the plots",
        "Repeat this run",
        "Check the certificates",
        "<footer>unswayed 0.1.0",
        "<script>",
    ];
    let places: Vec<usize> =
        parts.iter().map(|part| html.find(part).unwrap_or_else(|| panic!("{part}"))).collect();
    assert!(places.is_sorted(), "{places:?}");
    assert!(html.contains("--test &#39;b &amp; c.npz&#39; --output run"));
    assert_eq!(html.matches("<svg class=\"plot").count(), 6, "each plot for wide and narrow screens");
    assert_eq!(html.matches("<title").count(), html.matches("</title>").count());
}

#[test]
fn hostile_names_stay_names() {
    let html = to_html(&report());
    assert!(!html.contains(HOSTILE) && !html.contains("<img"));
    assert_eq!(html.matches("<script").count(), 1);
    for block in [Block::Lines(lines()), Block::Scatter(scatter())] {
        assert!(!to_svg(&block).unwrap().contains("<script"));
    }
}

#[test]
fn nothing_is_fetched() {
    let html = to_html(&report());
    for word in ["http://", "https://", "@import", "url(", " src="] {
        assert!(!html.replace("&lt;img src=x", "").contains(word), "{word}");
    }
}

#[test]
fn bounds_are_rounded_up_and_measurements_down() {
    let html = to_html(&report());
    assert!(html.contains("certified loss 0.1837") && html.contains("attack loss 0.1530 (0.1500 to 0.1561)"));
    assert!(html.contains("gap 1.20"));
}

#[test]
fn the_folder_has_every_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut report = report();
    // Names that meet, or lead elsewhere, get files of their own.
    let again = LinePlot { id: "LOSSES".into(), ..lines() };
    let elsewhere = Table { id: "../elsewhere".into(), ..Table::default() };
    report
        .sections
        .push(Section { blocks: vec![Block::Lines(again), Block::Table(elsewhere)], ..Section::default() });
    write_folder(&report, &folder.path().join("run")).unwrap();
    write_pictures(&report, &folder.path().join("run")).unwrap();
    let names = |path: &str| {
        let entries = std::fs::read_dir(folder.path().join(path)).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names(""), ["run"]);
    assert_eq!(names("run"), ["figures", "report.html", "report.json"]);
    let plots = ["LOSSES-2", "losses", "settings", "trade-off"];
    let mut wanted: Vec<String> =
        plots.iter().flat_map(|p| ["csv", "png", "svg"].map(|e| format!("{p}.{e}"))).collect();
    wanted.extend(["results.csv".to_owned(), "___elsewhere.csv".to_owned()]);
    wanted.sort();
    assert_eq!(names("run/figures"), wanted);
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = write_folder(&report(), &file).unwrap_err().to_string();
    assert!(error.contains("file") && error.contains("cannot be written"), "{error}");
}

#[test]
fn figures_for_papers_are_complete() {
    for block in [Block::Lines(lines()), Block::Heat(heat()), Block::Scatter(scatter())] {
        let svg = to_svg(&block).unwrap();
        assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\""));
        assert!(svg.contains("<title") && svg.contains("<desc") && svg.contains("fill=\"#ffffff\""));
        assert!(!svg.contains("var(--") && !svg.contains("data-tip"));
    }
    assert!(to_svg(&Block::Heat(heat())).unwrap().contains(">0.2063<"), "numbers in cells");
}

#[test]
fn long_lines_keep_few_markers() {
    let series = vec![Series::new("long", Kind::Other, (0..1000).map(|i| (f64::from(i), f64::from(i % 7))))];
    let svg = to_svg(&Block::Lines(LinePlot { series, ..LinePlot::default() })).unwrap();
    assert!(svg.matches("class=\"dot\"").count() <= 26);
}
