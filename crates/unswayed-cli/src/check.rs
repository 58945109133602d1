//! `unswayed check`: like the binary `unswayed-check`, for every data format.

use std::process::ExitCode;

use unswayed::Dataset;
use unswayed::data::{LabelPolicy, Options, load};
use unswayed_check::{Certificate, Learner, Outcome, Rows};

use crate::args::CheckFlags;
use crate::{Stop, input, print};

pub fn run(flags: &CheckFlags, as_json: bool) -> ExitCode {
    let outcome = verify(flags).unwrap_or_else(|Stop(message)| Outcome::Unreadable(message));
    print::text(&(if as_json { outcome.json() } else { outcome.text() } + "\n"));
    outcome.code().into()
}

fn verify(flags: &CheckFlags) -> Result<Outcome, Stop> {
    let name = flags.certificate.display();
    let bytes =
        std::fs::read(&flags.certificate).map_err(|e| Stop(format!("{name}: cannot be read ({e})")))?;
    let certificate = Certificate::from_bytes(&bytes).map_err(|e| Stop(format!("{name}: {e}")))?;
    if certificate.data.rows == 0 {
        let rows = Rows { z: &[], dimension: certificate.data.dimension, weights: None };
        return Ok(Outcome::of(certificate, &rows));
    }
    let data = read(flags, &certificate)?;
    Ok(Outcome::of(certificate, &data.as_rows()))
}

/// The rows, made from the file the way the certificate says. If they are not the rows it speaks of, the digest tells.
fn read(flags: &CheckFlags, certificate: &Certificate) -> Result<Dataset, Stop> {
    let Some(path) = &flags.data else {
        return Err(Stop("the certificate is about data: name the data file after it".into()));
    };
    let info = &certificate.data;
    let options = |labels| Options {
        labels,
        label_column: flags.label_column.clone(),
        normalize: info.scale.is_some(),
        rows: info.first_rows.then_some(info.rows),
    };
    let source = |policy| input::source(path, flags.labels.as_deref(), policy);
    let policies: &[LabelPolicy] = match (&certificate.learner, &info.labels) {
        (Learner::Mean(_), _) => &[LabelPolicy::Absent],
        (Learner::Hinge(_), Some(_)) => &[LabelPolicy::Detect],
        // Without labels in the certificate the file held rows z, or real scores.
        (Learner::Hinge(_), None) => &[LabelPolicy::Premultiplied, LabelPolicy::Scores],
    };
    let mut error = None;
    for policy in policies {
        match load(&source(*policy), &options(*policy)) {
            Ok(data) if data.as_rows().digest() == info.sha256 || policies.len() == 1 => return Ok(data),
            Ok(data) => error = Some(Ok(data)),
            Err(e) => error = error.or(Some(Err(e))),
        }
    }
    Ok(error.unwrap_or_else(|| unreachable!("there is at least one policy"))?)
}
