//! "What if" for a web page: the bound, its exact check and an attack at any setting, for the hinge learner against a ball.
//!
//! [`Page`] is what a page knows: the table of the data, how rows are made of it, and points that attacked well. [`Live`] answers for
//! a [`Setting`]. Compiled to WebAssembly by `scripts/wasm` it has four functions to call, see `exports`; compiled for this machine
//! it is what tests compare the page with. Both give the same answers to the last bit: the solver's arithmetic is the same everywhere.
//!
//! ```
//! use unswayed::{Dataset, Template};
//! use unswayed_wasm::{Live, Page, Setting};
//!
//! let data = Dataset::from_rows(vec![0.6, 0.8, 0.8, 0.6, 0.1, 0.9], 2, None)?;
//! let page = Page::new(&data, Template::default(), &[vec![-0.6, -0.8]]);
//! let live = Live::new(&serde_json::to_string(&page)?)?;
//! let setting = Setting { poison_rate: 0.02, learning_rate: 1e-3, regularization: 0.1, radius: Some(1.0) };
//! let answer = live.answer(&setting)?;
//! assert!(answer.benign_loss <= answer.attack_loss && answer.attack_loss <= answer.certified_loss, "{answer:?}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(target_arch = "wasm32")]
mod exports;
pub mod number;
mod page;

pub use page::{Page, PageError, Rows};

use number::{down, up};

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use unswayed::certify::{Benign, Status, certify, held};
use unswayed::{CertifyError, Dataset, Problem, ProblemError, Template};
use unswayed_check::{Certificate, Evidence, FormatError, Set, check};
use unswayed_data::DataError;

/// What can be changed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// ε.
    pub poison_rate: f64,
    /// η.
    pub learning_rate: f64,
    /// σ.
    pub regularization: f64,
    /// R, in the units of the data file; without it 1 after the division that the rows went through.
    pub radius: Option<f64>,
}

/// What holds at a setting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// What the bound is worth.
    pub status: Status,
    /// No adversary gets the long-run loss above this.
    pub certified_loss: f64,
    /// Nor the fraction misclassified above this.
    pub certified_error: f64,
    /// The learner without adversary, for small learning rates.
    pub benign_loss: f64,
    /// Its error.
    pub benign_error: f64,
    /// Where the best of the page's points holds the learner if it is sent again and again, for small learning rates.
    pub attack_loss: f64,
    /// The error there.
    pub attack_error: f64,
    /// All of them as they are shown: bounds rounded up, the others down.
    pub shown: Shown,
    /// The certificate file, byte by byte as the command writes it; read again and checked in exact arithmetic.
    pub certificate: String,
}

/// The figures of an [`Answer`] as texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "they are those of the answer")]
pub struct Shown {
    pub certified_loss: String,
    pub certified_error: String,
    pub benign_loss: String,
    pub benign_error: String,
    pub attack_loss: String,
    pub attack_error: String,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the variants say no more than the errors they hold")]
pub enum LiveError {
    #[error(transparent)]
    Page(#[from] PageError),
    #[error(transparent)]
    Data(#[from] DataError),
    #[error(transparent)]
    Problem(#[from] ProblemError),
    #[error(transparent)]
    Certify(#[from] CertifyError),
    #[error("the certificate cannot be read again ({0})")]
    Format(#[from] FormatError),
}

/// The rows of a page, made again and compared with their digest.
pub struct Live {
    data: Arc<Dataset>,
    template: Template,
    points: Vec<Vec<f64>>,
}

impl Live {
    /// Reads a page's data.
    pub fn new(page: &str) -> Result<Live, LiveError> {
        let page: Page = serde_json::from_str(page).map_err(PageError::from)?;
        let data = page.dataset()?;
        let points = page.points(data.dimension())?;
        Ok(Live { data: Arc::new(data), template: page.template, points })
    }

    /// The bound, checked, and the attack.
    pub fn answer(&self, setting: &Setting) -> Result<Answer, LiveError> {
        let problem = self.problem(setting)?;
        let made = certify(&problem)?;
        let certificate = made.certificate.to_bytes();
        // As a stranger would: from the file's bytes and the rows.
        let rows = [unswayed_check::Rows::of(&self.data)];
        let evidence = Evidence { data: &rows, target: None };
        let checked =
            check(&Certificate::from_bytes(&certificate)?, &evidence).map_err(CertifyError::Refused)?;
        let attack = self.attack(&problem, &made.benign);
        let certified = [checked.loss, checked.error.unwrap_or(1.0)];
        let benign = [made.benign.loss, made.benign.error.unwrap_or(0.0)];
        Ok(Answer {
            status: made.status,
            certified_loss: certified[0],
            certified_error: certified[1],
            benign_loss: benign[0],
            benign_error: benign[1],
            attack_loss: attack[0],
            attack_error: attack[1],
            shown: Shown {
                certified_loss: up(certified[0]),
                certified_error: up(certified[1]),
                benign_loss: down(benign[0]),
                benign_error: down(benign[1]),
                attack_loss: down(attack[0]),
                attack_error: down(attack[1]),
            },
            certificate: String::from_utf8_lossy(&certificate).into_owned(),
        })
    }

    /// The problem at a setting, as the command makes it.
    pub fn problem(&self, setting: &Setting) -> Result<Problem, LiveError> {
        let template = Template { radius: setting.radius, ..self.template.clone() };
        let builder = Problem::of_template(self.data.clone(), template)
            .learning_rate(setting.learning_rate)
            .regularization(setting.regularization)
            .poison_rate(setting.poison_rate);
        Ok(builder.build()?)
    }

    /// The largest loss and error that a point of the page, stretched to the radius, holds the learner at; those without adversary
    /// if none does worse.
    fn attack(&self, problem: &Problem, benign: &Benign) -> [f64; 2] {
        let radius = if let Set::Ball { radius } = problem.threat().set { radius } else { 0.0 };
        let worse =
            |most: [f64; 2], held: Benign| [most[0].max(held.loss), most[1].max(held.error.unwrap_or(0.0))];
        let points = self.points.iter().map(|point| point.iter().map(|u| u * radius).collect::<Vec<f64>>());
        let held = points.filter_map(|point| held(problem, &point));
        held.fold([benign.loss, benign.error.unwrap_or(0.0)], worse)
    }
}
