//! The page in a real browser, opened from disk.

mod chrome;
mod live;

use chrome::Chrome;
use tempfile::TempDir;
use unswayed_report::{Block, Report, Section, Table};

use super::common;

/// The example in a browser.
fn open() -> (Chrome, TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    unswayed_report::write_folder(&common::report(), folder.path()).expect("files");
    let mut chrome = Chrome::start();
    chrome.size(1000, 800);
    chrome.open(&folder.path().join("report.html"));
    (chrome, folder)
}

const TIP: &str = "[...document.querySelectorAll('.tip')].filter(t => !t.hidden)\
    .map(t => [...t.children].map(r => [...r.querySelectorAll('.name,.value')].map(c => c.textContent).join('=')).join('|')).join()";

/// What the explanation at the third poison rate says, below the hostile series' hole.
const THIRD: &str =
    "poison rate=3 %|certified loss=0.1837|attack loss=0.1530 (0.1500 to 0.1561)|benign loss=0.0594|gap=1.20";

fn third(plot: &str) -> String {
    format!("#losses {plot} .hit[aria-label^='poison rate 3 %']")
}

#[test]
fn it_is_quiet_and_alone() {
    let (mut chrome, _folder) = open();
    chrome.hover(&third(".wide"));
    for button in ["#theme", "[data-copy]", "#losses .legend button"] {
        chrome.click(button);
    }
    let requests = chrome.requests();
    let outside =
        |url: &&String| !(url.contains("file://") && url.ends_with("report.html\"")) && **url != "\"data:,\"";
    assert!(requests.iter().any(|url| url.contains("report.html")), "{requests:?}");
    assert_eq!(requests.iter().filter(outside).collect::<Vec<_>>(), Vec::<&String>::new());
    assert_eq!(chrome.complaints(), Vec::<serde_json::Value>::new());
    assert_eq!(chrome.eval("window.hacked === undefined && document.images.length === 0"), true);
}

/// A title is nearer to what is below it than to the note above.
#[test]
fn plots_and_tables_stand_apart() {
    let second = Table { id: "second".into(), ..common::table() };
    let blocks = vec![Block::Lines(common::lines()), Block::Table(common::table()), Block::Table(second)];
    let report = Report {
        sections: vec![Section { heading: "All".into(), text: String::new(), blocks }],
        ..common::report()
    };
    let folder = tempfile::tempdir().expect("a folder");
    unswayed_report::write_folder(&report, folder.path()).expect("files");
    let mut chrome = Chrome::start();
    for width in [1280, 400] {
        chrome.size(width, 800);
        chrome.open(&folder.path().join("report.html"));
        let gaps = "(() => { const all = [...document.querySelectorAll('section figure, section .table')].map(e => \
                    e.getBoundingClientRect()); \
                    return Math.min(...all.slice(1).map((box, i) => box.top - all[i].bottom)); })()";
        let least = chrome.eval(gaps).as_f64().expect("a number");
        assert!(least >= 20.0, "{least} at {width}");
    }
}

#[test]
fn pointing_shows_the_numbers() {
    let (mut chrome, _folder) = open();
    assert_eq!(chrome.text(TIP), "");
    chrome.hover(&third(".wide"));
    assert_eq!(chrome.text(TIP), THIRD);
    chrome.hover("h1");
    assert_eq!(chrome.text(TIP), "");
    chrome.hover("#settings .wide .hit");
    assert_eq!(chrome.text(TIP), "learning rate=5e-5|regularization=0.003|certified loss=0.2145");
    chrome.hover("#trade-off .wide .hit");
    assert_eq!(chrome.text(TIP), "first=chosen|benign loss=0.0772|certified loss=0.2145");
    let inside = "(() => { const t = document.querySelector('.tip:not([hidden])').getBoundingClientRect(); \
                  return t.left >= 0 && t.right <= innerWidth; })()";
    assert_eq!(chrome.eval(inside), true);
}

#[test]
fn keys_show_the_numbers_too() {
    let (mut chrome, _folder) = open();
    chrome.eval("document.querySelector('#losses .wide .hit[tabindex=\"0\"]').focus()");
    assert!(chrome.text(TIP).starts_with("poison rate=1 %|certified loss=0.0890"));
    chrome.press("ArrowRight");
    chrome.press("ArrowRight");
    assert_eq!(chrome.text(TIP), THIRD);
    chrome.press("End");
    assert!(chrome.text(TIP).starts_with("poison rate=5 %"));
    chrome.press("Escape");
    assert_eq!(chrome.text(TIP), "");
    chrome.eval("document.querySelector('#settings .wide .hit').focus()");
    chrome.press("ArrowDown");
    assert!(chrome.text(TIP).starts_with("learning rate=1e-4|regularization=0.003"));
    // One stop for the tab key in each plot, and names for those who do not see it.
    assert_eq!(chrome.eval("document.querySelectorAll('#losses .wide [tabindex=\"0\"]').length"), 1);
    assert_eq!(
        chrome.text("document.querySelector('#losses .wide').getAttribute('aria-label')"),
        "Loss by poison rate"
    );
}

#[test]
fn the_legend_switches_series() {
    let (mut chrome, _folder) = open();
    let shown = |what: &str| {
        format!(
            "getComputedStyle(document.querySelector('#losses .wide [data-series=\"{what}\"]')).display !== 'none'"
        )
    };
    let attack = "#losses .legend button[data-series='1']";
    let pressed = format!("document.querySelector(\"{attack}\").getAttribute('aria-pressed')");
    assert_eq!(chrome.eval(&shown("1")), true);
    chrome.click(attack);
    assert_eq!(chrome.eval(&shown("1")), false);
    assert_eq!(chrome.eval(&shown("0")), true);
    assert_eq!(chrome.eval(&shown("g0 0 1")), false, "no gap without its lower end");
    assert_eq!(chrome.text(&pressed), "false");
    chrome.hover(&third(".wide"));
    assert_eq!(chrome.text(TIP), "poison rate=3 %|certified loss=0.1837|benign loss=0.0594");
    chrome.click(attack);
    assert_eq!(chrome.eval(&shown("1")), true);
    assert_eq!(chrome.text(&pressed), "true");
}

#[test]
fn dark_and_light() {
    let (mut chrome, _folder) = open();
    let colours = "['html', '#losses .wide .certified'].map(s => getComputedStyle(document.querySelector(s)))\
                   .map(s => s.backgroundColor + s.color).join()";
    chrome.media("screen", "light");
    let light = chrome.text(colours);
    chrome.media("screen", "dark");
    let dark = chrome.text(colours);
    assert!(light.starts_with("rgb(255, 255, 255)") && dark.starts_with("rgb(20, 23, 28)"), "{light} {dark}");
    assert!(light.ends_with("rgb(0, 114, 178)") && dark.ends_with("rgb(86, 180, 233)"), "{light} {dark}");
    chrome.click("#theme");
    assert_eq!(chrome.text(colours), light);
    chrome.click("#theme");
    assert_eq!(chrome.text(colours), dark);
    assert_eq!(chrome.eval("document.cookie"), "");
}

#[test]
fn paper_has_no_controls_and_no_dark_ground() {
    let (mut chrome, _folder) = open();
    chrome.click("#theme");
    chrome.media("print", "dark");
    let controls =
        "[...document.querySelectorAll('.control,.tip')].filter(e => e.getClientRects().length).length";
    assert_eq!(chrome.eval(controls), 0);
    assert_eq!(chrome.text("getComputedStyle(document.querySelector('h1')).color"), "rgb(27, 31, 36)");
    assert_eq!(chrome.text("getComputedStyle(document.documentElement).backgroundColor"), "rgba(0, 0, 0, 0)");
    assert_eq!(chrome.text("getComputedStyle(document.querySelector('figure')).breakInside"), "avoid");
    let tables = "[...document.querySelectorAll('details table')].every(t => t.checkVisibility({contentVisibilityAuto: true}))";
    assert_eq!(chrome.eval(tables), true, "the numbers are printed, too");
}

#[test]
fn a_phone_shows_everything() {
    let (mut chrome, _folder) = open();
    chrome.size(360, 740);
    chrome.eval("document.querySelectorAll('details').forEach(d => { d.open = true; })");
    assert_eq!(chrome.eval("document.documentElement.scrollWidth"), 360);
    let cut = "[...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll') && e.getClientRects().length \
               && (e.getBoundingClientRect().right > 360.5 || e.getBoundingClientRect().left < -0.5))\
               .map(e => e.outerHTML.slice(0, 80)).join('\\n')";
    assert_eq!(chrome.text(cut), "");
    let scrolls =
        "[...document.querySelectorAll('#results .scroll')].some(e => e.scrollWidth > e.clientWidth)";
    assert_eq!(chrome.eval(scrolls), true, "wide tables scroll in their box");
    chrome.tap(&third(".narrow"));
    chrome.until("!document.querySelector('#losses .tip').hidden");
    assert_eq!(chrome.text(TIP), THIRD);
}

#[test]
fn words_in_plots_do_not_overlap() {
    let (mut chrome, _folder) = open();
    for (width, plot) in [(1000, ".wide"), (360, ".narrow")] {
        chrome.size(width, 800);
        let overlaps = format!(
            "[...document.querySelectorAll('{plot}')].flatMap(p => {{ const t = [...p.querySelectorAll('text')]; \
             const r = t.map(e => e.getBoundingClientRect()); return t.flatMap((e, i) => t.slice(i + 1).filter((_, k) => {{ \
             const a = r[i], b = r[i + 1 + k]; return a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 4 \
             && b.top < a.bottom - 4; }}).map(f => e.textContent + ' / ' + f.textContent)); }}).join('\\n')"
        );
        assert_eq!(chrome.text(&overlaps), "", "{plot}");
    }
}
