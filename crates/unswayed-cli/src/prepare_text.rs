//! `unswayed prepare --hash`: sparse rows of texts.

use std::path::Path;
use std::process::ExitCode;

use serde_json::json;
use unswayed::data::{DataError, Frame, LabelPolicy, Labels, Reading, load_frame, write_sparse};
use unswayed::prepare::{PreparedTexts, Quality, TermWeights, TextOptions, TextTransform};
use unswayed_check::TextLine;

use crate::args::PrepareFlags;
use crate::args::prepare::{TEXT_COLUMN, TermWeightsFlag};
use crate::prepare_table::{figures, label_column, label_kind, meaning, stop, worth};
use crate::{Stop, input, output, print};

/// Fits a transform and writes it, and the rows that it makes.
pub fn fit(flags: &PrepareFlags, rows: &Path, path: &Path, as_json: bool) -> Result<ExitCode, Stop> {
    let given = &flags.text;
    let texts = match given.text_column.as_slice() {
        [] => vec![TEXT_COLUMN.to_owned()],
        names => names.to_vec(),
    };
    let usual = TextOptions::of(texts);
    let options = TextOptions {
        columns: given.hash.unwrap_or(usual.columns),
        longest_term: given.ngrams,
        weights: match given.term_weights {
            TermWeightsFlag::Counts => TermWeights::Counts,
            TermWeightsFlag::TfIdf => TermWeights::TfIdf,
        },
        bias: given.bias,
        labels: label_kind(flags),
        ..usual
    };
    let frame = load(flags, &options.texts, None, !flags.unlabelled)?;
    let (transform, prepared) =
        TextTransform::fit(&frame, &options).map_err(|error| stop(flags, &error.to_string()))?;
    let transform = transform.with_label_column(flags.data.label_column.clone());
    output::write(path, &transform.to_bytes(), "--transform")?;
    Report { flags, frame: &frame, transform: &transform, prepared: &prepared, path }.write(rows, as_json)
}

/// Applies a transform and writes the rows.
pub fn apply(
    flags: &PrepareFlags,
    transform: &TextTransform,
    rows: &Path,
    as_json: bool,
) -> Result<ExitCode, Stop> {
    if flags.clip_rows.is_some() {
        return Err(Stop("--clip-rows: rows of texts have norm 1 already; leave it out".to_owned()));
    }
    let is_labelled = transform.labels().is_some() && !flags.unlabelled;
    let frame = load(flags, transform.needs(), transform.label_column(), is_labelled)?;
    let prepared =
        transform.apply(&frame, flags.allow_seen).map_err(|error| stop(flags, &error.to_string()))?;
    let path = flags.apply.as_deref().unwrap_or(Path::new(""));
    Report { flags, frame: &frame, transform, prepared: &prepared, path }.write(rows, as_json)
}

/// Reads the columns of texts.
fn load(
    flags: &PrepareFlags,
    texts: &[String],
    label: Option<&str>,
    is_labelled: bool,
) -> Result<Frame, Stop> {
    let labels = if is_labelled { LabelPolicy::Detect } else { LabelPolicy::None };
    let reading = Reading {
        labels,
        label_column: label_column(flags, label),
        weight_column: flags.weight_column.clone(),
        columns: Some(texts.to_vec()),
        rows: flags.rows,
        ..Reading::default()
    };
    let source = input::source(input::data_path(&flags.data), flags.data.labels.as_deref(), labels);
    // The columns were named by another flag than those of a table.
    let named = |error: DataError| Stop(error.for_command_line().replace("`--columns`", "`--text-column`"));
    load_frame(&source, &reading, |_| Some(true)).map_err(named)
}

struct Report<'a> {
    flags: &'a PrepareFlags,
    frame: &'a Frame,
    transform: &'a TextTransform,
    prepared: &'a PreparedTexts,
    /// The transform's file.
    path: &'a Path,
}

impl Report<'_> {
    fn write(&self, output: &Path, as_json: bool) -> Result<ExitCode, Stop> {
        let Report { frame, prepared, transform, .. } = self;
        let PreparedTexts { pattern, values, dimension, y, .. } = prepared;
        let bytes = write_sparse(pattern, values, *dimension, y.as_deref(), frame.weights.as_deref())?;
        output::write(output, &bytes, "--output")?;
        let quality = transform.labels().and_then(|labels| prepared.quality(labels));
        if as_json {
            print::json(&self.json(quality, output));
        } else {
            print::text(&print::lines(self.lines(quality, output)));
        }
        Ok(ExitCode::SUCCESS)
    }

    fn json(&self, quality: Option<Quality>, output: &Path) -> serde_json::Value {
        let Report { frame, transform, prepared, path, .. } = self;
        let (model, baseline) = figures(quality);
        json!({
            "rows": frame.rows,
            "texts": transform.needs(),
            "done": transform.describe(),
            "dimension": transform.dimension(),
            "entries": prepared.values.len(),
            "bias": transform.has_bias(),
            "labels": transform.labels(),
            "seen": prepared.seen,
            "wordless": prepared.wordless,
            "weighted": frame.weights.is_some(),
            "model": model,
            "baseline": baseline,
            "warnings": self.warnings(quality),
            "transform": path.display().to_string(),
            "output": output.display().to_string(),
        })
    }

    fn lines(&self, quality: Option<Quality>, output: &Path) -> Vec<TextLine> {
        let Report { flags, frame, transform, prepared, path } = self;
        let names = transform.needs().join(", ");
        let mut lines = vec![
            ("read", format!("{} texts of {names}; other columns are left out", frame.rows)),
            ("words", transform.describe()),
        ];
        let bias = if transform.has_bias() { "; then a constant is appended, the bias" } else { "" };
        let mean = prepared.values.len() as f64 / frame.rows as f64;
        lines.push(("rows", format!("each divided by its norm{bias}; {mean:.1} entries on average")));
        lines.extend(transform.labels().map(|labels| ("labels", meaning(labels))));
        lines.extend(quality.map(|quality| ("model", worth(quality))));
        if flags.apply.is_some() {
            let text =
                format!("{} rows have the texts of one that the transform was fitted on", prepared.seen);
            lines.push(("seen", text));
        }
        lines.extend(self.warnings(quality).into_iter().map(|warning| ("warning", warning)));
        lines.push((if flags.apply.is_some() { "applied" } else { "transform" }, path.display().to_string()));
        let weights = if frame.weights.is_some() { "; certify with --weight-column weight" } else { "" };
        let last = if transform.has_bias() { ", the last is the bias" } else { "" };
        let text =
            format!("{}: sparse rows of {} columns{last}{weights}", output.display(), transform.dimension());
        lines.push(("written", text));
        lines
    }

    /// What makes a bound on these rows worth little, or impossible.
    fn warnings(&self, quality: Option<Quality>) -> Vec<String> {
        let mut warnings = Vec::new();
        if quality.is_some_and(Quality::is_idle) {
            warnings.push(
                "a linear model of these rows is no better than one that ignores them: a bound on its loss says little; try \
                 --ngrams 2, or other columns"
                    .to_owned(),
            );
        }
        if self.prepared.wordless > 0 {
            warnings.push(format!("{} of {} rows have no words", self.prepared.wordless, self.frame.rows));
        }
        if matches!(self.transform.labels(), Some(Labels::Multiclass { .. } | Labels::Numbers)) {
            warnings.push(
                "sparse rows are certified for two classes and for scores; for other labels make few columns (--hash 2^10) and certify \
                 with --dense"
                    .to_owned(),
            );
        }
        warnings
    }
}
