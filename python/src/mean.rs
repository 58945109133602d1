//! Mean estimation.

use pyo3::prelude::*;
use serde_json::json;
use unswayed::attack::{Effort, MeanLearner, attack_mean};
use unswayed::certify::{MeanOutcome, MeanSetting, certify_mean};

use crate::data::Data;
use crate::error;
use crate::value::to_python;
use crate::work::run;

/// The certificate's bytes and its figures. Without samples the traces say all there is to know.
#[pyfunction]
pub fn mean<'py>(
    py: Python<'py>,
    samples: Option<&Data>,
    learning_rate: f64,
    poison_rate: f64,
    squared_radius: f64,
    covariance_trace: f64,
    noise_trace: f64,
    attacks: bool,
    seed: u64,
) -> PyResult<(Vec<u8>, Bound<'py, PyAny>)> {
    let samples = samples.map(|s| s.0.clone());
    let result = run(py, move || -> Result<_, String> {
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let Some(samples) = samples else {
            let setting =
                MeanSetting::new(learning_rate, poison_rate, squared_radius, covariance_trace, noise_trace);
            return Ok((certify_mean(&setting.map_err(|e| text(&e))?).map_err(|e| text(&e))?, None));
        };
        let outcome =
            MeanOutcome::of_samples(&samples, learning_rate, poison_rate, squared_radius, noise_trace)
                .map_err(|e| text(&e))?;
        // The simulated learner adds no noise, and an adversary who sends every point needs no simulation.
        if !attacks || noise_trace > 0.0 || poison_rate >= 1.0 {
            return Ok((outcome, None));
        }
        let learner = MeanLearner::plain(learning_rate);
        let pushed = attack_mean(&samples, &learner, poison_rate, squared_radius, Effort::Fast, seed);
        Ok((outcome, Some(pushed.map_err(|e| text(&e))?.loss)))
    })?;
    let (outcome, pushed) = result.map_err(error)?;
    let figures = json!({
        "certified_loss": outcome.certified_loss,
        "benign_loss": outcome.benign_loss,
        "attack_loss": outcome.attack_loss,
        "simulated_loss": pushed.map(|e| [e.mean, e.half_width]),
        "transient_steps": outcome.transient_steps,
        "statement": outcome.certificate.statement,
        "lines": outcome.certificate.statement.lines(),
    });
    Ok((outcome.certificate.to_bytes(), to_python(py, &figures)?))
}
