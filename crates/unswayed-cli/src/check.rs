//! `unswayed check`: like the binary `unswayed-check`, for every data format.

use std::path::Path;
use std::process::ExitCode;

use unswayed::Dataset;
use unswayed::data::{LabelPolicy, Options, load};
use unswayed_check::{Certificate, DataInfo, Evidence, Learner, LinearCertificate, Loss, Outcome, Rows};

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
    let in_file = |e| Stop(format!("{name}: {e}"));
    if LinearCertificate::is_linear(&bytes) {
        return verify_linear(flags, LinearCertificate::from_bytes(&bytes).map_err(in_file)?);
    }
    let certificate = Certificate::from_bytes(&bytes).map_err(in_file)?;
    if certificate.data.rows == 0 {
        if !flags.data.is_empty() || flags.target.is_some() {
            return Err(Stop(unswayed_check::NO_ROWS.into()));
        }
        let rows = Rows { z: &[], dimension: certificate.data.dimension, weights: None };
        return Ok(Outcome::of(certificate, &rows));
    }
    let path = match (flags.data.as_slice(), &flags.target) {
        ([path], None) => path,
        ([], _) => return Err(Stop("the certificate is about data: name the data file after it".into())),
        _ => return Err(Stop("the certificate is about one data file, and has no target of its own".into())),
    };
    let is_mean = matches!(certificate.learner, Learner::Mean(_));
    let other: &[LabelPolicy] =
        if is_mean { &[LabelPolicy::Absent] } else { &[LabelPolicy::Premultiplied, LabelPolicy::Scores] };
    let data = read(path, flags, &certificate.data, other)?;
    Ok(Outcome::of(certificate, &data.as_rows()))
}

/// Judges a certificate about a linear learner, which may be about several files.
fn verify_linear(flags: &CheckFlags, certificate: LinearCertificate) -> Result<Outcome, Stop> {
    let (needed, found) = (certificate.data.len(), flags.data.len());
    if needed != found {
        return Err(Stop(format!("the certificate needs {needed} data files, not {found}")));
    }
    if flags.target.is_some() != certificate.target.is_some() {
        let needs = if certificate.target.is_some() { "needs --target" } else { "has no target of its own" };
        return Err(Stop(format!("the certificate {needs}")));
    }
    let other: &[LabelPolicy] = match certificate.learner.loss {
        Loss::Classes(_) => &[LabelPolicy::Classes],
        _ => &[LabelPolicy::Premultiplied, LabelPolicy::Scores, LabelPolicy::Preferences],
    };
    let named = flags.data.iter().zip(&certificate.data).chain(flags.target.iter().zip(&certificate.target));
    let all: Vec<Dataset> =
        named.map(|(path, info)| read(path, flags, info, other)).collect::<Result<_, _>>()?;
    let rows: Vec<Rows> = all.iter().map(Dataset::as_rows).collect();
    let (data, target) = rows.split_at(needed);
    Ok(Outcome::of_linear(certificate, &Evidence { data, target: target.first().copied() }))
}

/// The rows, made from the file the way the certificate says: if it names no labels, in the first of these ways that gives the rows
/// it speaks of. If none does, the digest tells.
fn read(path: &Path, flags: &CheckFlags, info: &DataInfo, other: &[LabelPolicy]) -> Result<Dataset, Stop> {
    let policies = if info.labels.is_some() { &[LabelPolicy::Detect] } else { other };
    let mut best = None;
    for &labels in policies {
        let options = Options {
            labels,
            label_column: flags.label_column.clone(),
            normalize: false,
            scale: info.scale.or(Some(1.0)),
            rows: info.first_rows.then_some(info.rows),
        };
        match load(&input::source(path, flags.labels.as_deref(), labels), &options) {
            Ok(data) if data.as_rows().digest() == info.sha256 => return Ok(data),
            Ok(data) => best = Some(Ok(data)),
            Err(error) => best = best.or(Some(Err(error))),
        }
    }
    Ok(best.unwrap_or_else(|| unreachable!("there is at least one policy"))?)
}
