//! `unswayed prepare`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;
use unswayed::data::{Features, LabelPolicy, Reading, Source, write_dataset};
use unswayed::prepare::{AnyTransform, Prepared, Transform};
use unswayed_check::TextLine;

use crate::args::PrepareFlags;
use crate::{Stop, input, output, prepare_table, prepare_text, print};

/// How many singular directions are kept if the flags do not say.
const DIRECTIONS: usize = 30;

/// Features, and how they came about.
pub struct Made {
    pub features: Features,
    /// Encoder and settings in a line, if there was an encoder.
    pub recipe: Option<String>,
    /// What was encoded, in a line for the user.
    pub summary: Option<String>,
}

pub fn run(flags: &PrepareFlags, as_json: bool) -> Result<ExitCode, Stop> {
    let data = input::data_path(&flags.data);
    let rows = output::beside(flags.output.as_ref(), data, ".prepared.npz");
    keep_inputs(flags, data, &rows)?;
    let fitted = match flags.apply.as_deref().map(read).transpose()? {
        Some(AnyTransform::Table(transform)) => {
            return prepare_table::apply(flags, &transform, &rows, as_json);
        }
        Some(AnyTransform::Texts(transform)) => {
            return prepare_text::apply(flags, &transform, &rows, as_json);
        }
        None if flags.text.hash.is_some() => {
            let transform = transform_path(flags, data);
            return prepare_text::fit(flags, &rows, &transform, as_json);
        }
        None if wants_table(flags, data) => {
            let transform = transform_path(flags, data);
            return prepare_table::fit(flags, &rows, &transform, as_json);
        }
        Some(AnyTransform::Features(transform)) => Some(transform),
        None => None,
    };
    let made = match &flags.encoder.encoder {
        Some(encoder) => encoded(flags, data, encoder, fitted.as_ref())?,
        None => Made { features: features(flags, data)?, recipe: None, summary: None },
    };
    let features = &made.features;
    if let Some(path) = &flags.encoder.features_output {
        let bytes = write_dataset(&features.x, features.dimension, features.y.as_deref())?;
        output::write(path, &bytes, "--features-output")?;
    }
    let (transform, prepared, path) = match (fitted, &flags.apply) {
        (Some(transform), Some(path)) => {
            let prepared = transform
                .apply(features, flags.allow_seen)
                .map_err(|error| Stop(format!("{}: {error}", data.display())))?;
            (transform, prepared, path.clone())
        }
        _ => fit(flags, &made, data)?,
    };
    let prepared = match flags.clip_rows {
        Some(radius) => prepared.clip(radius),
        None => prepared,
    };
    let bytes = write_dataset(&prepared.x, prepared.dimension, features.y.as_deref())?;
    output::write(&rows, &bytes, "--output")?;
    if as_json {
        print::json(&json!({
            "rows": features.rows(),
            "features": features.dimension,
            "dimension": prepared.dimension,
            "kept_variance": transform.kept(),
            "shortened": prepared.shortened,
            "labels": features.classes.as_ref().map(|(negative, positive)| [negative, positive]),
            "encoder": made.recipe,
            "transform": path.display().to_string(),
            "output": rows.display().to_string(),
        }));
    } else {
        print::text(&describe(flags, &made, &transform, &prepared, &path, &rows));
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether columns are looked at one by one. Tables that are to be projected, as the paper does, and arrays are not, unless asked
/// for.
fn wants_table(flags: &PrepareFlags, data: &Path) -> bool {
    let is_asked = flags.auto
        || flags.fourier.is_some()
        || flags.norm.is_some()
        || !flags.categories.is_empty()
        || flags.classes
        || flags.regression
        || flags.weight_column.is_some();
    is_asked || flags.encoder.encoder.is_none() && flags.directions.is_none() && Source::path(data).is_table()
}

/// Refuses to write where something is read from.
fn keep_inputs(flags: &PrepareFlags, data: &Path, rows: &Path) -> Result<(), Stop> {
    let mut inputs = input::data_files(&flags.data);
    inputs.extend(flags.apply.iter().chain(&flags.encoder.encoder).chain(&flags.encoder.tokenizer).cloned());
    output::keep_inputs(rows, "--output", &inputs)?;
    if let Some(path) = &flags.encoder.features_output {
        output::keep_inputs(path, "--features-output", &inputs)?;
    }
    match &flags.apply {
        Some(_) => Ok(()),
        None => output::keep_inputs(&transform_path(flags, data), "--transform", &inputs),
    }
}

fn transform_path(flags: &PrepareFlags, data: &Path) -> PathBuf {
    output::beside(flags.transform.as_ref(), data, ".transform.safetensors")
}

/// Features by an encoder. A transform that was fitted to those of another encoder is refused before the work begins.
#[cfg(feature = "onnx")]
fn encoded(
    flags: &PrepareFlags,
    data: &Path,
    encoder: &Path,
    fitted: Option<&Transform>,
) -> Result<Made, Stop> {
    crate::encode::features(flags, data, encoder, |recipe| match fitted.and_then(Transform::encoder) {
        Some(noted) if noted != recipe => {
            let file = flags.apply.as_deref().unwrap_or(data).display();
            Err(Stop(format!(
                "{file}: fitted on features made otherwise ({noted}); now it is {recipe}: use the same encoder and settings"
            )))
        }
        _ => Ok(()),
    })
}

#[cfg(not(feature = "onnx"))]
fn encoded(_: &PrepareFlags, _: &Path, _: &Path, _: Option<&Transform>) -> Result<Made, Stop> {
    let remedy = "cargo install --path crates/unswayed-cli --features onnx";
    Err(Stop(format!("--encoder: this program was built without encoders; install it with them: {remedy}")))
}

/// The features, with labels where there are any: a lone .npy file has none.
fn features(flags: &PrepareFlags, data: &Path) -> Result<Features, Stop> {
    let labels = flags.data.labels.as_deref();
    let lone = data.extension().is_some_and(|e| e.eq_ignore_ascii_case("npy"))
        && labels.is_none()
        && input::labels_beside(data).is_none();
    let policy = match (flags.unlabelled || lone, flags.scores) {
        (true, _) => LabelPolicy::None,
        (_, true) => LabelPolicy::Scores,
        _ => LabelPolicy::Detect,
    };
    let reading = Reading {
        labels: policy,
        label_column: flags.data.label_column.clone(),
        columns: flags.columns.columns.clone(),
        drop_columns: flags.columns.drop_columns.clone(),
        rows: flags.rows,
        ..Reading::default()
    };
    Ok(Features::load(&input::source(data, labels, policy), &reading)?)
}

fn fit(flags: &PrepareFlags, made: &Made, data: &Path) -> Result<(Transform, Prepared, PathBuf), Stop> {
    let (mut transform, prepared) = Transform::fit(&made.features, flags.directions.unwrap_or(DIRECTIONS))
        .map_err(|error| Stop(format!("{}: {error} (--directions)", data.display())))?;
    if let Some(recipe) = &made.recipe {
        transform = transform.with_encoder(recipe);
    }
    let path = transform_path(flags, data);
    output::write(&path, &transform.to_bytes(), "--transform")?;
    Ok((transform, prepared, path))
}

fn read(path: &Path) -> Result<AnyTransform, Stop> {
    let stop = |text: String| Stop(format!("{}: {text}", path.display()));
    let bytes = std::fs::read(path).map_err(|error| stop(format!("cannot be read ({error})")))?;
    AnyTransform::from_bytes(&bytes).map_err(|error| stop(error.to_string()))
}

fn describe(
    flags: &PrepareFlags,
    made: &Made,
    transform: &Transform,
    prepared: &Prepared,
    path: &Path,
    output: &Path,
) -> String {
    let features = &made.features;
    let kept = (transform.kept() * 1000.0).floor() / 10.0;
    let directions =
        format!("{}, which keep {kept} % of the training rows' variance", transform.directions());
    let mut lines: Vec<TextLine> = made.summary.iter().map(|summary| ("encoded", summary.clone())).collect();
    lines.push(("read", format!("{} rows of {} features", features.rows(), features.dimension)));
    lines.push(("directions", directions));
    if let Some((negative, positive)) = &features.classes {
        lines.push(("labels", format!("{negative} is −1, {positive} is +1")));
    }
    if flags.apply.is_some() || flags.clip_rows.is_some() {
        let limit = flags.clip_rows.unwrap_or(1.0).min(1.0);
        let text = format!("{} of {} rows were longer than {limit}", prepared.shortened, features.rows());
        lines.push(("shortened", text));
    }
    let word = if flags.apply.is_some() { "applied" } else { "transform" };
    lines.push((word, path.display().to_string()));
    let text = format!("{}: {} columns, the last is the bias", output.display(), prepared.dimension);
    lines.push(("written", text));
    print::lines(lines)
}
