//! All figures of a sweep as rows, and the files they are written to.

use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use serde::Serialize;
use serde_json::Value;

use super::Setting;
use super::record::AttackedRecord;
use super::sweep::{Chain, Sweep};

/// One task, setting and poison rate. Attack fields are absent where no attacks were run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The task's name.
    pub task: String,
    /// η.
    pub learning_rate: f64,
    /// σ.
    pub regularization: f64,
    /// The radius of the ball that every step is projected on.
    pub projection: Option<f64>,
    /// The norm at which gradients are clipped.
    pub clip: Option<f64>,
    /// Points per step.
    pub batch: u64,
    /// ε.
    pub poison_rate: f64,
    /// The loss without adversary: in the long run, or averaged over the first steps if there is a horizon.
    pub benign_loss: f64,
    /// The error without adversary; absent for a regression loss.
    pub benign_error: Option<f64>,
    /// Where these come from: simulated, or the limit of small learning rates.
    pub benign_source: &'static str,
    /// No adversary gets the long-run loss above this.
    pub certified_loss: f64,
    /// No adversary gets the long-run error above this; absent for a regression loss.
    pub certified_error: Option<f64>,
    /// The number of first points of a stream: benign and attack figures are averages over the steps that these make; absent for the
    /// long run.
    pub horizon: Option<u64>,
    /// No adversary gets the loss above this, averaged over these steps.
    pub horizon_loss: Option<f64>,
    /// No adversary gets the error above this, averaged over these steps.
    pub horizon_error: Option<f64>,
    /// The form of the bound.
    pub method: String,
    /// What the bound is worth.
    pub status: String,
    /// The strongest attack.
    pub attack: Option<String>,
    /// The loss it reached, in the long run or averaged over the first steps.
    pub attack_loss: Option<f64>,
    /// Half the width of the 95 % confidence interval of that.
    pub attack_loss_half_width: Option<f64>,
    /// The error it reached.
    pub attack_error: Option<f64>,
    /// Whether the simulation was stationary.
    pub verdict: Option<String>,
    /// certified loss (over the first steps, if there is a horizon) / attack loss.
    pub gap: Option<f64>,
}

impl Row {
    /// The learner's setting.
    pub fn setting(&self) -> Setting {
        let Row { learning_rate, regularization, projection, clip, batch, .. } = *self;
        Setting { learning_rate, regularization, projection, clip, batch }
    }

    /// The bound on the loss that the sweep is about: over the first steps if there is a horizon, else in the long run.
    pub fn bound(&self) -> f64 {
        self.horizon_loss.unwrap_or(self.certified_loss)
    }

    /// The same for the error.
    pub fn error_bound(&self) -> Option<f64> {
        if self.horizon.is_some() { self.horizon_error } else { self.certified_error }
    }
}

/// The rows of these settings on these tasks: by task, setting, poison rate. What has not been computed is left out.
pub fn rows(sweep: &Sweep, tasks: &[usize], settings: &[Setting]) -> Vec<Row> {
    let chains = tasks.iter().flat_map(|task| settings.iter().map(|s| Chain { task: *task, setting: *s }));
    let rates = &sweep.plan().grid.poison_rates;
    chains.flat_map(|chain| rates.iter().filter_map(move |rate| row(sweep, chain, *rate))).collect()
}

fn row(sweep: &Sweep, chain: Chain, rate: f64) -> Option<Row> {
    let (benign, bound) = (sweep.benign(chain)?, sweep.certified(chain, rate)?);
    let attacked = sweep.attacks(chain, rate);
    let strongest = attacked.as_ref().and_then(|a| a.strongest());
    let gap = strongest.map(|s| bound.bound() / s.loss);
    Some(Row {
        task: bound.task,
        learning_rate: chain.setting.learning_rate,
        regularization: chain.setting.regularization,
        projection: chain.setting.projection,
        clip: chain.setting.clip,
        batch: chain.setting.batch,
        poison_rate: rate,
        benign_loss: benign.loss,
        benign_error: benign.error,
        benign_source: sweep.plan().benign.word(),
        certified_loss: bound.loss,
        certified_error: bound.error,
        horizon: sweep.plan().horizon,
        horizon_loss: bound.horizon_loss,
        horizon_error: bound.horizon_error,
        method: bound.method,
        status: bound.status,
        attack: strongest.map(|s| s.attack.clone()),
        attack_loss: strongest.map(|s| s.loss),
        attack_loss_half_width: strongest.and_then(|s| s.half_width),
        attack_error: attacked.as_ref().and_then(AttackedRecord::largest_error),
        verdict: strongest.map(|s| s.verdict.clone()),
        gap,
    })
}

/// A comma-separated table with a header; absent values are empty.
///
/// ```
/// use unswayed::design::table::{Row, to_csv};
/// assert!(to_csv(&[]).starts_with(b"task,learning_rate,regularization,projection,clip,batch"));
/// ```
pub fn to_csv(rows: &[Row]) -> Vec<u8> {
    let mut out = format!("{}\n", COLUMNS.map(|c| c.name).join(","));
    for row in rows {
        let cells = COLUMNS.map(|column| match (column.get)(row) {
            Cell::Text(text) => text.map_or(String::new(), quoted),
            Cell::Number(number) => number.map_or(String::new(), |n| n.to_string()),
        });
        out.push_str(&cells.join(","));
        out.push('\n');
    }
    out.into_bytes()
}

/// Quoted where a comma, a quotation mark or a line break asks for it.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// A list of JSON objects.
pub fn to_json(rows: &[Row]) -> Value {
    serde_json::to_value(rows).unwrap_or_default()
}

/// A Parquet file with one row group.
pub fn to_parquet(rows: &[Row]) -> Result<Vec<u8>, ParquetError> {
    let fields = COLUMNS.iter().map(|column| {
        let builder = match column.kind {
            Kind::Text => Type::primitive_type_builder(column.name, Physical::BYTE_ARRAY)
                .with_logical_type(Some(LogicalType::String)),
            Kind::Number => Type::primitive_type_builder(column.name, Physical::DOUBLE),
        };
        builder.with_repetition(Repetition::OPTIONAL).build().map(Arc::new)
    });
    let schema = Type::group_type_builder("rows").with_fields(fields.collect::<Result<_, _>>()?).build()?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for column in &COLUMNS {
        let Some(mut out) = group.next_column()? else { break };
        write_column(&mut out, rows.iter().map(column.get))?;
        out.close()?;
    }
    group.close()?;
    writer.into_inner()
}

/// Present values, with definition level 1, and absent ones, with level 0.
fn write_column<'r>(
    out: &mut SerializedColumnWriter<'_>,
    cells: impl Iterator<Item = Cell<'r>>,
) -> Result<(), ParquetError> {
    let (mut texts, mut numbers, mut levels, mut text) = (Vec::new(), Vec::new(), Vec::new(), false);
    for cell in cells {
        let present = match cell {
            Cell::Text(value) => {
                text = true;
                value.map(|value| texts.push(ByteArray::from(value))).is_some()
            }
            Cell::Number(value) => value.map(|value| numbers.push(value)).is_some(),
        };
        levels.push(i16::from(present));
    }
    if text {
        out.typed::<ByteArrayType>().write_batch(&texts, Some(&levels), None)?;
    } else if !levels.is_empty() {
        out.typed::<DoubleType>().write_batch(&numbers, Some(&levels), None)?;
    }
    Ok(())
}

/// A column of the files.
struct Column {
    name: &'static str,
    kind: Kind,
    get: for<'r> fn(&'r Row) -> Cell<'r>,
}

#[derive(Clone, Copy)]
enum Kind {
    Text,
    Number,
}

enum Cell<'r> {
    Text(Option<&'r str>),
    Number(Option<f64>),
}

const fn text(name: &'static str, get: for<'r> fn(&'r Row) -> Cell<'r>) -> Column {
    Column { name, kind: Kind::Text, get }
}

const fn number(name: &'static str, get: for<'r> fn(&'r Row) -> Cell<'r>) -> Column {
    Column { name, kind: Kind::Number, get }
}

const COLUMNS: [Column; 23] = [
    text("task", |r| Cell::Text(Some(&r.task))),
    number("learning_rate", |r| Cell::Number(Some(r.learning_rate))),
    number("regularization", |r| Cell::Number(Some(r.regularization))),
    number("projection", |r| Cell::Number(r.projection)),
    number("clip", |r| Cell::Number(r.clip)),
    number("batch", |r| Cell::Number(Some(r.batch as f64))),
    number("poison_rate", |r| Cell::Number(Some(r.poison_rate))),
    number("benign_loss", |r| Cell::Number(Some(r.benign_loss))),
    number("benign_error", |r| Cell::Number(r.benign_error)),
    text("benign_source", |r| Cell::Text(Some(r.benign_source))),
    number("certified_loss", |r| Cell::Number(Some(r.certified_loss))),
    number("certified_error", |r| Cell::Number(r.certified_error)),
    number("horizon", |r| Cell::Number(r.horizon.map(|steps| steps as f64))),
    number("horizon_loss", |r| Cell::Number(r.horizon_loss)),
    number("horizon_error", |r| Cell::Number(r.horizon_error)),
    text("method", |r| Cell::Text(Some(&r.method))),
    text("status", |r| Cell::Text(Some(&r.status))),
    text("attack", |r| Cell::Text(r.attack.as_deref())),
    number("attack_loss", |r| Cell::Number(r.attack_loss)),
    number("attack_loss_half_width", |r| Cell::Number(r.attack_loss_half_width)),
    number("attack_error", |r| Cell::Number(r.attack_error)),
    text("verdict", |r| Cell::Text(r.verdict.as_deref())),
    number("gap", |r| Cell::Number(r.gap)),
];
