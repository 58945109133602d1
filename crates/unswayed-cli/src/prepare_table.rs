//! `unswayed prepare` for tables: what is done to each column, and what it is worth.

use std::path::Path;
use std::process::ExitCode;

use serde_json::json;
use unswayed::data::{Frame, LabelPolicy, Labels, Reading, load_frame, write_weighted};
use unswayed::prepare::{LabelKind, PreparedTable, Quality, RowNorms, TableOptions, TableTransform};
use unswayed_check::TextLine;

use crate::args::PrepareFlags;
use crate::args::prepare::NormFlag;
use crate::{Stop, input, output, print};

/// A column with more than this share of the rows' mean square is warned of.
const HEAVY: f64 = 0.5;

/// Fits a transform and writes it, and the rows that it makes.
pub fn fit(flags: &PrepareFlags, rows: &Path, path: &Path, as_json: bool) -> Result<ExitCode, Stop> {
    let frame = load(flags, None)?;
    let options = TableOptions {
        fourier: flags.fourier,
        directions: flags.directions,
        norm: flags.norm.map(|norm| match norm {
            NormFlag::Unit => RowNorms::Unit,
            NormFlag::Clip => RowNorms::Clip,
        }),
        labels: label_kind(flags),
    };
    let (transform, prepared) =
        TableTransform::fit(&frame, &options).map_err(|error| stop(flags, &error.to_string()))?;
    let transform = transform.with_label_column(flags.data.label_column.clone());
    let prepared = clipped(flags, prepared);
    output::write(path, &transform.to_bytes(), "--transform")?;
    Report { flags, frame: &frame, transform: &transform, prepared: &prepared, path }.write(rows, as_json)
}

/// Applies a transform and writes the rows.
pub fn apply(
    flags: &PrepareFlags,
    transform: &TableTransform,
    rows: &Path,
    as_json: bool,
) -> Result<ExitCode, Stop> {
    let frame = load(flags, Some(transform))?;
    let prepared =
        transform.apply(&frame, flags.allow_seen).map_err(|error| stop(flags, &error.to_string()))?;
    let prepared = clipped(flags, prepared);
    let path = flags.apply.as_deref().unwrap_or(Path::new(""));
    Report { flags, frame: &frame, transform, prepared: &prepared, path }.write(rows, as_json)
}

/// Rows as a learner gets them that clips its points.
fn clipped(flags: &PrepareFlags, prepared: PreparedTable) -> PreparedTable {
    match flags.clip_rows {
        Some(radius) => PreparedTable { rows: prepared.rows.clip(radius), ..prepared },
        None => prepared,
    }
}

/// What the flags say of the labels.
pub fn label_kind(flags: &PrepareFlags) -> LabelKind {
    match () {
        () if flags.scores => LabelKind::Scores,
        () if flags.classes => LabelKind::Classes,
        () if flags.regression => LabelKind::Numbers,
        () => LabelKind::Detect,
    }
}

/// The column of labels: what the flags say, or what they said when the transform was fitted. Labels in a file of their own have none.
pub fn label_column(flags: &PrepareFlags, fitted: Option<&str>) -> Option<String> {
    let fitted = fitted.filter(|_| flags.data.labels.is_none() && !flags.unlabelled);
    flags.data.label_column.clone().or_else(|| fitted.map(str::to_owned))
}

/// An error of the data file.
pub fn stop(flags: &PrepareFlags, text: &str) -> Stop {
    Stop(format!("{}: {text}", input::data_path(&flags.data).display()))
}

/// Reads the table; for a transform only the columns that it needs.
fn load(flags: &PrepareFlags, transform: Option<&TableTransform>) -> Result<Frame, Stop> {
    let data = input::data_path(&flags.data);
    let is_unlabelled = transform.is_some_and(|transform| transform.labels().is_none());
    let labels = match () {
        () if flags.unlabelled || is_unlabelled => LabelPolicy::None,
        () => LabelPolicy::Detect,
    };
    let source = input::source(data, flags.data.labels.as_deref(), labels);
    let needed = |transform: &TableTransform| transform.needs().map(|(name, _)| name.to_owned()).collect();
    let is_table = source.is_table();
    let reading = Reading {
        labels,
        label_column: label_column(flags, transform.and_then(TableTransform::label_column)),
        weight_column: flags.weight_column.clone(),
        columns: match transform {
            Some(transform) if is_table => Some(needed(transform)),
            Some(_) => None,
            None => flags.columns.columns.clone(),
        },
        drop_columns: if transform.is_some() { vec![] } else { flags.columns.drop_columns.clone() },
        rows: flags.rows,
        ..Reading::default()
    };
    let is_text = |name: &str| match transform {
        Some(transform) => transform.needs().find(|(needed, _)| *needed == name).map(|(_, text)| text),
        None => flags.categories.iter().any(|category| category == name).then_some(true),
    };
    Ok(load_frame(&source, &reading, is_text)?)
}

struct Report<'a> {
    flags: &'a PrepareFlags,
    frame: &'a Frame,
    transform: &'a TableTransform,
    prepared: &'a PreparedTable,
    /// The transform's file.
    path: &'a Path,
}

impl Report<'_> {
    fn write(&self, rows: &Path, as_json: bool) -> Result<ExitCode, Stop> {
        let Report { frame, prepared, .. } = self;
        let (x, y) = (&prepared.rows, prepared.y.as_deref());
        let bytes = write_weighted(&x.x, x.dimension, y, frame.weights.as_deref())?;
        output::write(rows, &bytes, "--output")?;
        if as_json {
            print::json(&self.json(rows));
        } else {
            print::text(&print::lines(self.lines(rows)));
        }
        Ok(ExitCode::SUCCESS)
    }

    fn json(&self, rows: &Path) -> serde_json::Value {
        let Report { frame, transform, prepared, path, .. } = self;
        let columns = transform.columns();
        let columns: Vec<_> =
            columns.iter().map(|(name, what)| json!({ "name": name, "done": what })).collect();
        let (model, baseline) = figures(self.quality());
        json!({
            "rows": frame.rows,
            "columns": columns,
            "dimension": transform.dimension(),
            "labels": transform.labels(),
            "norm": transform.norm(),
            "seen": prepared.seen,
            "unknown_texts": prepared.unknown,
            "shortened": prepared.rows.shortened,
            "weighted": frame.weights.is_some(),
            "model": model,
            "baseline": baseline,
            "warnings": self.warnings(),
            "transform": path.display().to_string(),
            "output": rows.display().to_string(),
        })
    }

    fn quality(&self) -> Option<Quality> {
        let labels = self.transform.labels()?;
        let rows = &self.prepared.rows;
        Quality::measure(&rows.x, rows.dimension, self.prepared.y.as_deref()?, labels)
    }

    fn lines(&self, output: &Path) -> Vec<TextLine> {
        let Report { flags, frame, transform, prepared, path } = self;
        let mut lines = vec![("read", format!("{} rows of {} columns", frame.rows, frame.columns.len()))];
        if flags.apply.is_none() {
            lines.extend(
                transform.columns().into_iter().map(|(name, what)| ("column", format!("{name}: {what}"))),
            );
        }
        lines.push(("rows", format!("{}; then a constant is appended, the bias", transform.norm())));
        lines.extend(transform.labels().map(|labels| ("labels", meaning(labels))));
        lines.extend(self.quality().map(|quality| ("model", worth(quality))));
        if flags.apply.is_some() {
            let text = format!("{} rows equal one that the transform was fitted on", prepared.seen);
            lines.push(("seen", text));
            let text = format!("{} texts that the training rows had rarely or never", prepared.unknown);
            lines.push(("unknown", text));
        }
        if let Some(radius) = flags.clip_rows {
            let text =
                format!("{} of {} rows were longer than {radius}", prepared.rows.shortened, frame.rows);
            lines.push(("shortened", text));
        }
        lines.extend(self.warnings().into_iter().map(|warning| ("warning", warning)));
        let word = if flags.apply.is_some() { "applied" } else { "transform" };
        lines.push((word, path.display().to_string()));
        let weights = if frame.weights.is_some() { "; certify with --weight-column weight" } else { "" };
        let columns = transform.dimension();
        lines.push((
            "written",
            format!("{}: {columns} columns, the last is the bias{weights}", output.display()),
        ));
        lines
    }

    /// What makes a bound on these rows worth little.
    fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.quality().is_some_and(Quality::is_idle) {
            warnings.push(
                "a linear model of these rows is no better than one that ignores them: a bound on its loss says little; try --fourier \
                 300, or other columns"
                    .to_owned(),
            );
        }
        let heaviest = self.transform.heaviest(&self.prepared.rows);
        if let Some((name, share)) =
            heaviest.filter(|(_, share)| *share > HEAVY && self.transform.dimension() > 3)
        {
            warnings.push(format!(
                "{:.0} % of the rows' mean square is in one column, made of {name:?}: look at its values, or leave it out \
                 (--drop-columns)",
                100.0 * share
            ));
        }
        warnings
    }
}

/// What the quick model reaches, and one that ignores the features.
pub fn figures(quality: Option<Quality>) -> (Option<f64>, Option<f64>) {
    match quality {
        Some(Quality::Accuracy { model, majority }) => (Some(model), Some(majority)),
        Some(Quality::Distance { model, median }) => (Some(model), Some(median)),
        None => (None, None),
    }
}

/// What labels became.
pub fn meaning(labels: &Labels) -> String {
    match labels {
        Labels::Classes { negative, positive } => format!("{negative} is −1, {positive} is +1"),
        Labels::Multiclass { labels } => {
            let classes: Vec<String> =
                labels.iter().zip(0..).map(|(label, i)| format!("{label} is {i}")).collect();
            format!("{} classes ({}); certify with --loss multiclass", labels.len(), classes.join(", "))
        }
        Labels::Numbers => "numbers; certify with a loss for regression and --label-bound".to_owned(),
        _ => "scores in [−1, 1]".to_owned(),
    }
}

/// What a quick model reaches, in words.
pub fn worth(quality: Quality) -> String {
    match quality {
        Quality::Accuracy { model, majority } => format!(
            "a quick one is right on {:.1} % of rows that were held out; the most frequent class is {:.1} % of them",
            100.0 * model,
            100.0 * majority
        ),
        Quality::Distance { model, median } => format!(
            "a quick one is {model:.4} from the label on average, on rows that were held out; the median is {median:.4}"
        ),
    }
}
