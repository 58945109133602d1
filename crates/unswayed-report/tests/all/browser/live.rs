//! The page that answers while one moves a slider, against the library itself.

use tempfile::TempDir;
use unswayed::Template;
use unswayed::certify::{Outcome, certify};
use unswayed::{Dataset, Problem};
use unswayed_report::about::{Subject, Summary, certify_report};
use unswayed_report::live::{Live, setting};
use unswayed_wasm::number::up;

use super::chrome::Chrome;

/// A run on this many rows of the sample, live, in a browser.
struct Run {
    chrome: Chrome,
    data: Dataset,
    _folder: TempDir,
}

const SETTLED: &str = "document.getElementById('live').dataset.settled === document.getElementById('live-command').textContent \
                       && !document.getElementById('live').classList.contains('stale')";

impl Run {
    fn open(rows: usize) -> Run {
        let data = unswayed::data::sample().unwrap().first(rows).unwrap();
        let problem = problem(&data, [0.02, 1e-3, 0.01, 1.0]);
        let outcome = certify(&problem).unwrap();
        let summary = Summary::new(&outcome, &[]);
        let subject = Subject { problem: &problem, outcome: &outcome, attacked: None, seed: 0 };
        let command = "unswayed certify d.npz --learning-rate 1e-3 --poison-rate 0.02 --report out --live";
        let mut report = certify_report(&subject, &summary, command.into()).unwrap();
        let template = Template { radius: Some(1.0), ..Template::default() };
        report.live = Some(Live::new(&problem, &template, setting(&problem, &template), 0).unwrap());
        let folder = tempfile::tempdir().unwrap();
        unswayed_report::write_folder(&report, folder.path()).unwrap();
        assert!(
            !std::fs::read_to_string(folder.path().join("report.json")).unwrap().contains("\"features\"")
        );
        let mut chrome = Chrome::start();
        chrome.size(1280, 900);
        chrome.open(&folder.path().join("report.html"));
        chrome.until(SETTLED);
        Run { chrome, data, _folder: folder }
    }

    /// Types a number.
    fn type_in(&mut self, name: &str, value: f64) {
        self.chrome.eval(&format!(
            "(() => {{ const f = document.getElementById('live-{name}').nextElementSibling; f.value = '{value}'; \
             f.dispatchEvent(new Event('input')); }})()"
        ));
        self.chrome.until(SETTLED);
    }

    /// Moves a slider to a place in [0, 1], and tells what it then says.
    fn slide(&mut self, name: &str, place: f64) -> f64 {
        self.chrome.eval(&format!(
            "(() => {{ const s = document.getElementById('live-{name}'); s.value = Math.round({place} * s.max); \
             s.dispatchEvent(new Event('input')); }})()"
        ));
        self.chrome.until(SETTLED);
        self.chrome
            .text(&format!("document.getElementById('live-{name}').nextElementSibling.value"))
            .parse()
            .unwrap()
    }

    /// A number of the answer, all its digits.
    fn number(&mut self, key: &str) -> f64 {
        self.chrome
            .text(&format!("document.querySelector('[data-key={key}]').dataset.value"))
            .parse()
            .unwrap()
    }

    /// What the page says is what the library says, to the last bit.
    fn agrees(&mut self, setting: [f64; 4]) {
        let problem = problem(&self.data, setting);
        let Outcome { certified_loss, certified_error, benign, .. } = certify(&problem).unwrap();
        let wanted = [certified_loss, certified_error.unwrap(), benign.loss, benign.error.unwrap()];
        let found =
            ["certified_loss", "certified_error", "benign_loss", "benign_error"].map(|key| self.number(key));
        assert_eq!(found.map(f64::to_bits), wanted.map(f64::to_bits), "{setting:?}: {found:?} {wanted:?}");
        let shown = self.chrome.text("document.querySelector('[data-key=certified_loss]').textContent");
        assert_eq!(shown, up(certified_loss));
        let attack = self.number("attack_loss");
        assert!(benign.loss <= attack && attack <= certified_loss, "{setting:?}: {attack}");
        let said = self.chrome.text("document.getElementById('live-verdict').textContent");
        assert!(said.contains("Verified in exact arithmetic, in your browser"), "{said}");
    }
}

fn problem(data: &Dataset, [poison_rate, learning_rate, regularization, radius]: [f64; 4]) -> Problem {
    let builder = Problem::builder(data.clone()).learning_rate(learning_rate).regularization(regularization);
    builder.poison_rate(poison_rate).radius(radius).build().unwrap()
}

#[test]
fn sliders_change_the_bound_to_what_the_library_finds_bit_by_bit() {
    let mut run = Run::open(120);
    let mut setting = [0.02, 1e-3, 0.01, 1.0];
    run.agrees(setting);
    for (i, (name, place)) in
        [("poison_rate", 0.7), ("learning_rate", 0.6), ("regularization", 0.4), ("radius", 0.65)]
            .into_iter()
            .enumerate()
    {
        let before = setting[i];
        setting[i] = run.slide(name, place);
        assert!((setting[i] - before).abs() > 0.0, "{name} stays at {before}");
        run.agrees(setting);
    }
    run.type_in("poison_rate", 0.012_345_678_9);
    setting[0] = 0.012_345_678_9;
    run.agrees(setting);
    let command = run.chrome.text("document.getElementById('live-command').textContent");
    assert!(
        command
            .starts_with("unswayed certify d.npz --effort quick --poison-rate 0.0123456789 --learning-rate "),
        "{command}"
    );
    run.chrome.click("#live-reset");
    run.chrome.until(SETTLED);
    run.agrees([0.02, 1e-3, 0.01, 1.0]);
    assert_eq!(run.chrome.complaints(), Vec::<serde_json::Value>::new());
}

#[test]
fn what_has_no_bound_is_said_and_then_there_is_one_again() {
    let mut run = Run::open(40);
    run.type_in("poison_rate", 1.5);
    let said = run.chrome.text("document.getElementById('live-verdict').textContent");
    assert!(said.starts_with("There is no bound here:") && said.contains("poison"), "{said}");
    assert_eq!(run.chrome.text("document.querySelector('[data-key=certified_loss]').textContent"), "–");
    run.type_in("poison_rate", 0.03);
    run.agrees([0.03, 1e-3, 0.01, 1.0]);
}

#[test]
fn a_phone_shows_the_sliders_and_paper_does_not() {
    let mut run = Run::open(40);
    run.chrome.size(400, 800);
    let cut = "[...document.querySelectorAll('#live *')].filter(e => e.getClientRects().length && \
               (e.getBoundingClientRect().right > 400.5 || e.getBoundingClientRect().left < -0.5)).length";
    assert_eq!(run.chrome.eval(cut), 0);
    assert_eq!(run.chrome.eval("document.documentElement.scrollWidth"), 400);
    run.chrome.media("print", "light");
    assert_eq!(run.chrome.eval("document.getElementById('live').getClientRects().length"), 0);
}

#[test]
fn the_module_in_the_page_is_current() {
    let mut run = Run::open(40);
    run.chrome.eval(
        "(() => { URL.createObjectURL = (blob) => { window.saved = blob.text(); return 'data:,'; }; \
         HTMLAnchorElement.prototype.click = () => {}; })()",
    );
    run.chrome.click("#live-save");
    let saved = run.chrome.text("window.saved");
    let made = certify(&problem(&run.data, [0.02, 1e-3, 0.01, 1.0])).unwrap().certificate;
    assert_eq!(
        saved.as_bytes(),
        made.to_bytes(),
        "the module is not that of these sources: run scripts/wasm"
    );
}
