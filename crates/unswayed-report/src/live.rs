//! Pages that answer while one moves a slider: the solver and the exact checker as a WebAssembly module in the page.
//!
//! The module is made by `scripts/wasm` and kept here, so that nobody else needs a compiler for it. Pages can answer for the hinge
//! learner with plain steps against a ball.

use serde::{Deserialize, Serialize};
use unswayed::attack::Suite;
use unswayed::certify::{MOST_SAME_COLUMNS, MOST_SAME_ROWS};
use unswayed::check::{Loss, Origin, Target};
use unswayed::{Adversary, AttackError, LossName, Problem, Template};
use unswayed_wasm::{Page, Setting};

use crate::html::{base64, fill};

/// The module, compressed.
pub const MODULE: &[u8] = include_bytes!("../module/live.wasm.gz");

const PANEL: &str = include_str!("../assets/live.html");
const WORKER: &str = include_str!("../assets/live-worker.js");

/// Numbers that a page holds at most; 4 MB.
const MOST_NUMBERS: usize = 500_000;

/// Poison rates at which attacks are searched for the page, relative to that of the run, and the largest.
const RATES: [f64; 3] = [1.0, 1.6, 4.0];
const MOST_POISON: f64 = 0.3;

/// Flags of the command that a page sets itself, and how many words follow them.
const OWN_FLAGS: [(&str, usize); 8] = [
    ("--learning-rate", 1),
    ("--regularization", 1),
    ("--poison-rate", 1),
    ("--radius", 1),
    ("--report", 1),
    ("--output", 1),
    ("--effort", 1),
    ("--live", 0),
];

/// What a page can be made live from, together with the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WhatIf {
    /// The learner and the adversary.
    pub template: Template,
    /// The setting of the run.
    pub setting: Setting,
    /// How rows were made from the file.
    pub origin: Origin,
    /// The data file, as it was named.
    pub data: String,
    /// The file of the labels, if they have one of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<String>,
}

/// What a live page holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Live {
    page: Page,
    setting: Setting,
    /// Whether the radius was not named.
    implied: bool,
}

/// Why a page cannot be live.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// Another learner.
    #[error("pages answer for the hinge loss against a ball with plain steps only: leave out --live, or {0}")]
    Learner(&'static str),
    /// Too many rows.
    #[error(
        "a live page holds its rows, and {0} numbers are too many (at most {MOST_NUMBERS}); --rows takes fewer rows"
    )]
    Large(usize),
    /// The search for attacks failed.
    #[error(transparent)]
    Attack(#[from] AttackError),
}

/// What a page can change, as a problem has it.
pub fn setting(problem: &Problem, template: &Template) -> Setting {
    Setting {
        poison_rate: problem.threat().poison_rate,
        learning_rate: problem.learner().learning_rate,
        regularization: problem.learner().regularization,
        radius: template.radius,
    }
}

/// Refuses learners that pages cannot answer for.
pub fn supports(problem: &Problem, template: &Template) -> Result<(), LiveError> {
    let plain = Template { radius: None, loss: None, batch: 1, ..template.clone() } == Template::default();
    let hinge = matches!(template.loss, None | Some(LossName::Of(Loss::Hinge)));
    let numbers = problem.data().iter().map(|data| data.z().len()).sum();
    let refused = [
        (!hinge || problem.learner().loss != Loss::Hinge, "use --loss hinge"),
        (template.adversary != Adversary::Ball, "use --adversary ball"),
        (!plain, "the flags that change the steps"),
        (problem.data().len() > 1, "all but one dataset"),
        (problem.statement().target != Target::Data, "--target"),
        (problem.threat().poison_weight.is_some(), "step weights"),
        (problem.data().iter().any(|data| data.sparse().is_some()), "use --dense"),
        (
            problem.data().iter().any(|data| data.rows() < data.dimension()),
            "data with more columns than rows",
        ),
        (problem.data().iter().any(|data| data.dimension() > MOST_SAME_COLUMNS), "64 columns at most"),
        (problem.data().iter().any(|data| data.rows() > MOST_SAME_ROWS), "use --rows 10000"),
    ];
    match refused.into_iter().find(|(is, _)| *is) {
        Some((_, remedy)) => Err(LiveError::Learner(remedy)),
        None if numbers > MOST_NUMBERS => Err(LiveError::Large(numbers)),
        None => Ok(()),
    }
}

impl Live {
    /// The data of a page, with points that attack well at some poison rates. The setting is that of the run.
    pub fn new(
        problem: &Problem,
        template: &Template,
        setting: Setting,
        seed: u64,
    ) -> Result<Live, LiveError> {
        supports(problem, template)?;
        let mut points = Vec::new();
        for factor in RATES {
            let rate = (setting.poison_rate * factor).min(MOST_POISON).max(setting.poison_rate);
            let Ok(problem) = problem.with_poison_rate(rate) else { continue };
            points.push(Suite::new(&problem)?.with_seed(seed).steady_point()?);
        }
        let data = &problem.data()[0];
        // A radius that is not named is 1 after the division of the rows.
        let implied = setting.radius.is_none();
        let radius = setting.radius.or(Some(data.origin().scale));
        Ok(Live {
            page: Page::new(data, template.clone(), &points),
            setting: Setting { radius, ..setting },
            implied,
        })
    }

    /// The part of the page.
    pub(crate) fn to_html(&self, command: &str) -> String {
        let run = serde_json::json!({ "setting": self.setting, "command": base_command(command), "implied": self.implied });
        fill(PANEL, |name| match name {
            "page" => data(&serde_json::json!(self.page).to_string()),
            "run" => data(&run.to_string()),
            "module" => base64(MODULE),
            "worker" => WORKER.into(),
            _ => String::new(),
        })
    }
}

/// JSON that cannot end the element it is in.
fn data(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// A command line without what the page sets, so that this can be appended.
fn base_command(command: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut words = words(command).into_iter();
    while let Some(word) = words.next() {
        match OWN_FLAGS.iter().find(|(flag, _)| word == *flag) {
            Some((_, following)) => {
                for _ in 0..*following {
                    words.next();
                }
            }
            None if OWN_FLAGS.iter().any(|(flag, _)| word.starts_with(&format!("{flag}="))) => {}
            None => kept.push(word),
        }
    }
    // Answers are to appear while a slider moves.
    kept.extend(["--effort", "quick"]);
    kept.join(" ")
}

/// The words of a command line; blanks between quotes do not separate.
fn words(command: &str) -> Vec<&str> {
    let mut quoted = false;
    let separates = |c: char| {
        quoted ^= c == '\'';
        c == ' ' && !quoted
    };
    command.split(separates).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_appends_its_own_flags_to_the_command() {
        let command = "unswayed certify 'my data.npz' --rows 500 --learning-rate 1e-3 --poison-rate=0.02 --report out --effort tight --seed 3";
        assert_eq!(
            base_command(command),
            "unswayed certify 'my data.npz' --rows 500 --seed 3 --effort quick"
        );
    }

    #[test]
    fn data_stay_in_their_element() {
        assert_eq!(data("{\"file\":\"</script>\"}"), "{\"file\":\"\\u003c/script>\"}");
    }
}
