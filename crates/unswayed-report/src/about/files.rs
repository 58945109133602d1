//! The folder of a design: tables, certificates, report.

use std::path::Path;

use serde_json::{Value, json};
use unswayed::design::choose::Ranked;
use unswayed::design::table::{to_csv, to_json, to_parquet};
use unswayed::design::{Design, Request};

use super::design_report;
use crate::folder::write;
use crate::{Error, Report, write_folder};

/// Everything a design found, for machines.
pub fn design_summary(request: &Request, result: &Design) -> Value {
    let ranked = |r: &Ranked| {
        json!({
            "learning_rate": r.setting.learning_rate,
            "regularization": r.setting.regularization,
            "projection": r.setting.projection,
            "clip": r.setting.clip,
            "batch": r.setting.batch,
            "benign_loss": r.benign_loss,
            "certified_loss": r.certified_loss,
            "benign_error": r.benign_error,
            "certified_error": r.certified_error,
            "objective": r.objective,
            "pareto": r.pareto,
        })
    };
    json!({
        "chosen": ranked(&result.chosen),
        "poor": ranked(&result.poor),
        "kappa": result.kappa,
        "kappa_tuned": result.tuned,
        "at_most_error": request.at_most_error,
        "horizon": request.horizon,
        "price": result.price,
        "learning_rates": result.grid.learning_rates,
        "regularizations": result.grid.regularizations,
        "projections": result.grid.projections,
        "clips": result.grid.clips,
        "batches": result.grid.batches,
        "at_edge": result.grid.edges(result.chosen.setting),
        "scikit_learn_default": json!({
            "task": result.customary.task,
            "bounds": result.customary.bounds.iter().map(|(rate, loss, error)| json!({
                "poison_rate": rate,
                "certified_loss": loss,
                "certified_error": error,
            })).collect::<Vec<_>>(),
        }),
        "benign_source": request.benign.word(),
        "train": request.train.iter().map(|t| &t.name).collect::<Vec<_>>(),
        "validate": request.validate.as_ref().map(|t| &t.name),
        "poison_rates": request.grid.poison_rates,
        "radius": request.template.radius,
        "learner": request.template,
        "seed": request.seed,
        "ranking": result.ranking.iter().map(ranked).collect::<Vec<_>>(),
        "test": result.test.as_ref().map(|test| json!({
            "task": test.task,
            "chosen": to_json(&test.chosen),
            "poor": to_json(&test.poor),
            "hindsight": to_json(&test.hindsight),
        })),
        "rows": to_json(&result.rows),
    })
}

/// Writes `results.csv`, `.parquet` and `.json`, the chosen setting's certificates, and the report, for the command that
/// found it all. Returns the report.
pub fn write_design(
    request: &Request,
    result: &Design,
    command: String,
    folder: &Path,
) -> Result<Report, Error> {
    let certificates = folder.join("certificates");
    std::fs::create_dir_all(&certificates)
        .map_err(|source| Error::Write { path: certificates.clone(), source })?;
    let summary = format!("{:#}\n", design_summary(request, result));
    write(&folder.join("results.csv"), &to_csv(&result.rows))?;
    write(&folder.join("results.parquet"), &to_parquet(&result.rows)?)?;
    write(&folder.join("results.json"), summary.as_bytes())?;
    for (task, rate, bytes) in &result.certificates {
        write(&certificates.join(certificate_name(task, *rate)), bytes)?;
    }
    let report = design_report(request, result, command, &folder.display().to_string());
    write_folder(&report, folder)?;
    Ok(report)
}

/// The file of a task's certificate at a poison rate.
pub fn certificate_name(task: &str, poison_rate: f64) -> String {
    let task: String =
        task.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect();
    format!("{task}-{poison_rate}.certificate.json")
}
