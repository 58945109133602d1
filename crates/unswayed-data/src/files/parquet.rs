//! Parquet tables, read column by column.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use bytes::Bytes;
use parquet::basic::{Compression, ConvertedType, LogicalType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};

use super::LARGEST_RATIO;
use super::columns::{Columns, Layout, Role};
use super::pages::{self, Refusal};
use super::zstd_pages;
use crate::error::{DataError, Place, Problem};
use crate::frame::{Cells, Frame, FrameColumn, TextCells};
use crate::labels::{RawLabels, TextLabels};
use crate::table::Table;

/// How many rows are read at a time.
const BATCH: usize = 4096;

/// Reads the columns of a Parquet file according to their roles. Returns the table, and how many rows the file has.
pub(super) fn read(content: &Bytes, layout: Layout) -> Result<(Table, usize), DataError> {
    // The library is written to return errors, but a damaged file can still make it panic.
    catch_unwind(AssertUnwindSafe(|| read_table(content, layout)))
        .unwrap_or_else(|_| Err(damaged("its content contradicts itself")))
}

fn read_table(content: &Bytes, layout: Layout) -> Result<(Table, usize), DataError> {
    let Opened { file, roles, features, names, of } = open(content, layout, false)?;
    let kept = layout.rows.map_or(of, |rows| rows.min(of));
    let mut target = Target::new(features, layout, kept)?;
    let mut done = 0;
    for i in 0..file.num_row_groups() {
        let group = file.get_row_group(i).map_err(parquet_error)?;
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0).min(kept - done);
        let used = roles.iter().enumerate().filter(|(_, role)| rows > 0 && **role != Role::Ignored);
        for (j, &role) in used {
            let read =
                Column::open(content, &*group, j).and_then(|column| target.read(column, role, done, rows));
            read.map_err(|error| error.in_column(&names[j]))?;
        }
        done += rows;
    }
    Ok((target.finish(layout), of))
}

/// A Parquet file of which a row group is read at a time.
pub(super) struct Groups {
    content: Bytes,
    opened: Opened,
    next: usize,
}

impl Groups {
    /// Reads the file, but none of its rows.
    pub(super) fn open(path: &Path, layout: Layout) -> Result<Self, DataError> {
        let content = super::source::content(path)?;
        let opened = catch_unwind(AssertUnwindSafe(|| open(&content, layout, false)));
        let opened = opened.unwrap_or_else(|_| Err(damaged("its content contradicts itself")))?;
        Ok(Groups { content, opened, next: 0 })
    }

    /// The rows of the next group that has any, at most as many as the layout says; `None` after the last one.
    pub(super) fn next(&mut self, layout: Layout) -> Result<Option<Table>, DataError> {
        while self.next < self.opened.file.num_row_groups() {
            let read =
                catch_unwind(AssertUnwindSafe(|| read_group(&self.content, &self.opened, layout, self.next)));
            let table = read.unwrap_or_else(|_| Err(damaged("its content contradicts itself")))?;
            self.next += 1;
            if table.rows() > 0 {
                return Ok(Some(table));
            }
        }
        Ok(None)
    }
}

/// One row group as a table.
fn read_group(content: &Bytes, opened: &Opened, layout: Layout, index: usize) -> Result<Table, DataError> {
    let group = opened.file.get_row_group(index).map_err(parquet_error)?;
    let of = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
    let rows = layout.rows.map_or(of, |wanted| wanted.min(of));
    let mut target = Target::new(opened.features.clone(), layout, rows)?;
    let used = opened.roles.iter().enumerate().filter(|(_, role)| rows > 0 && **role != Role::Ignored);
    for (j, &role) in used {
        let read = Column::open(content, &*group, j).and_then(|column| target.read(column, role, 0, rows));
        read.map_err(|error| error.in_column(&opened.names[j]))?;
    }
    Ok(target.finish(layout))
}

/// How many rows a file says that it has; only its last bytes are read.
pub(super) fn rows(path: &Path) -> Result<usize, DataError> {
    let file = std::fs::File::open(path).map_err(super::npy::read_error)?;
    let read = catch_unwind(AssertUnwindSafe(|| SerializedFileReader::new(file).map_err(parquet_error)));
    let file = read.unwrap_or_else(|_| Err(damaged("its content contradicts itself")))?;
    usize::try_from(file.metadata().file_metadata().num_rows()).map_err(|_| damaged("a number is negative"))
}

/// Reads a Parquet file as a frame: columns of numbers or texts, with values that may be missing.
pub(super) fn read_frame(content: &Bytes, layout: Layout) -> Result<Frame, DataError> {
    catch_unwind(AssertUnwindSafe(|| read_columns(content, layout)))
        .unwrap_or_else(|_| Err(damaged("its content contradicts itself")))
}

fn read_columns(content: &Bytes, layout: Layout) -> Result<Frame, DataError> {
    let Opened { file, roles, features, names, of } = open(content, layout, true)?;
    let kept = layout.rows.map_or(of, |rows| rows.min(of));
    let columns = features.into_iter().map(|name| FrameColumn { name, cells: Cells::Numbers(Vec::new()) });
    let mut frame = Frame { columns: columns.collect(), rows: kept, y: None, weights: None };
    for (j, &role) in roles.iter().enumerate().filter(|(_, role)| **role != Role::Ignored) {
        let cells = read_cells(content, &file, j, kept).map_err(|error| error.in_column(&names[j]))?;
        let missing = |row: Option<usize>| match row {
            Some(row) => {
                Err(Problem::MissingValue.at(Place { row: Some(row + 1), ..Place::column(&names[j]) }))
            }
            None => Ok(()),
        };
        match (role, cells) {
            (Role::Feature(feature), cells) => frame.columns[feature].cells = cells,
            (Role::Label, Cells::Texts(texts)) => {
                missing(texts.iter().position(|text| text.is_none()))?;
                let labels = RawLabels::texts(texts.iter().flatten());
                frame.y = Some(labels.map_err(|error| error.in_column(&names[j]))?);
            }
            (Role::Label, Cells::Numbers(numbers)) => {
                missing(numbers.iter().position(|number| number.is_nan()))?;
                frame.y = Some(RawLabels::Numbers(numbers));
            }
            (_, Cells::Numbers(numbers)) => {
                missing(numbers.iter().position(|number| number.is_nan()))?;
                frame.weights = Some(numbers);
            }
            (_, Cells::Texts(_)) => {
                return Err(Problem::WrongType("text".to_owned()).at(Place::column(&names[j])));
            }
        }
    }
    Ok(frame)
}

/// The first rows of a column.
fn read_cells(
    content: &Bytes,
    file: &SerializedFileReader<Bytes>,
    index: usize,
    kept: usize,
) -> Result<Cells, DataError> {
    let (mut numbers, mut texts, mut done) = (Vec::new(), None, 0);
    for i in 0..file.num_row_groups() {
        let group = file.get_row_group(i).map_err(parquet_error)?;
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0).min(kept - done);
        let mut column = Column::open(content, &*group, index)?;
        for start in (0..rows).step_by(BATCH) {
            let rows = BATCH.min(rows - start);
            if let ColumnReader::ByteArrayColumnReader(reader) = &mut column.reader {
                let texts: &mut TextCells = texts.get_or_insert_default();
                for text in read_values(reader, rows)? {
                    let text = text.as_ref().map(utf8).transpose()?;
                    texts.push(text.map(str::trim).filter(|text| !text.is_empty()));
                }
            } else {
                numbers.extend(column.gaps(rows)?.into_iter().map(|value| value.unwrap_or(f64::NAN)));
            }
        }
        done += rows;
    }
    Ok(texts.map_or(Cells::Numbers(numbers), Cells::Texts))
}

/// A file whose claims have been looked at.
struct Opened {
    file: SerializedFileReader<Bytes>,
    roles: Vec<Role>,
    /// The names of the features.
    features: Vec<String>,
    /// The names of all columns.
    names: Vec<String>,
    /// How many rows there are.
    of: usize,
}

fn open(content: &Bytes, layout: Layout, in_frame: bool) -> Result<Opened, DataError> {
    if !pages::is_shallow(content) {
        return Err(damaged("its schema cannot be understood"));
    }
    let file = SerializedFileReader::new(content.clone()).map_err(parquet_error)?;
    let schema = file.metadata().file_metadata().schema_descr();
    let names: Vec<String> = schema.columns().iter().map(|column| column.path().string()).collect();
    let Columns { roles, names: features } = Columns::new(&names, layout)?;
    check_types(schema, &roles, in_frame)?;
    let of = check_sizes(file.metadata().row_groups(), content, layout.rows)?;
    Ok(Opened { file, roles, features, names, of })
}

/// The number of rows, after a look at what the file claims of its size.
fn check_sizes(
    groups: &[RowGroupMetaData],
    content: &Bytes,
    wanted: Option<usize>,
) -> Result<usize, DataError> {
    let (mut rows, mut bytes) = (0_usize, 0_u64);
    for group in groups {
        let in_group = u64::try_from(group.num_rows()).map_err(|_| damaged("a number is negative"))?;
        for column in group.columns() {
            check_compression(column.compression())?;
            if column.num_values() != group.num_rows() {
                return Err(damaged("its columns differ in length"));
            }
            let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
            let length =
                u64::try_from(column.compressed_size()).map_err(|_| damaged("a number is negative"))?;
            bytes = bytes.saturating_add(length);
            let chunk = usize::try_from(start).ok().zip(usize::try_from(length).ok());
            let chunk = chunk.and_then(|(start, length)| content.get(start..start.checked_add(length)?));
            let chunk = chunk.ok_or_else(|| damaged("a column is not within the file"))?;
            pages::check_column(chunk, in_group).map_err(|refusal| match refusal {
                Refusal::Damaged => damaged("a page contradicts itself"),
                Refusal::Encoding => {
                    let encoding = Problem::Encoding("encoding of the column".to_owned());
                    DataError::from(encoding).in_column(&column.column_path().string())
                }
            })?;
        }
        rows = usize::try_from(in_group).ok().and_then(|n| rows.checked_add(n)).unwrap_or(usize::MAX);
    }
    let columns = groups.first().map_or(0, RowGroupMetaData::num_columns);
    let kept = wanted.map_or(rows, |wanted| wanted.min(rows));
    let needed = (kept as u64).saturating_mul(8 * columns as u64);
    if needed > LARGEST_RATIO * content.len() as u64 {
        return Err(Problem::TooLarge { rows: kept, columns }.into());
    }
    if bytes > content.len() as u64 {
        return Err(damaged("its columns overlap"));
    }
    Ok(rows)
}

fn check_compression(compression: Compression) -> Result<(), DataError> {
    match compression {
        Compression::UNCOMPRESSED
        | Compression::SNAPPY
        | Compression::GZIP(_)
        | Compression::LZ4_RAW
        | Compression::ZSTD(_) => Ok(()),
        other => {
            let name = other.to_string().split('(').next().unwrap_or_default().to_lowercase();
            Err(Problem::Encoding(format!("compression {name}")).into())
        }
    }
}

/// Refuses columns that do not hold numbers; a label column can hold text too, and in a frame a feature.
fn check_types(schema: &SchemaDescriptor, roles: &[Role], in_frame: bool) -> Result<(), DataError> {
    for (column, &role) in schema.columns().iter().zip(roles) {
        let may_be_text = role == Role::Label || in_frame && matches!(role, Role::Feature(_));
        let problem = match type_name(column).as_str() {
            _ if role == Role::Ignored => continue,
            "number" => continue,
            "text" if may_be_text => continue,
            "date or time" => Problem::Dates,
            kind => Problem::WrongType(kind.to_owned()),
        };
        return Err(problem.at(Place::column(&column.path().string())));
    }
    Ok(())
}

/// `number`, `text`, or what else a column holds.
fn type_name(column: &ColumnDescriptor) -> String {
    let logical = column.logical_type_ref();
    if column.max_rep_level() > 0 {
        return "list".to_owned();
    }
    if column.physical_type() == Type::BYTE_ARRAY {
        return "text".to_owned();
    }
    if matches!(column.physical_type(), Type::INT96 | Type::FIXED_LEN_BYTE_ARRAY) {
        return logical.map_or("bytes".to_owned(), |kind| format!("{kind:?}").to_lowercase());
    }
    match (logical, column.converted_type()) {
        (Some(LogicalType::Integer(_)), _) | (None, ConvertedType::NONE) => "number".to_owned(),
        (Some(LogicalType::Decimal(_)), _) => "decimal".to_owned(),
        (Some(_), _) => "date or time".to_owned(),
        (None, kind) if kind.to_string().contains("INT_") => "number".to_owned(),
        (None, kind) => kind.to_string().to_lowercase(),
    }
}

/// What has been read so far.
struct Target {
    table: Table,
    labels: Vec<f64>,
    texts: Option<TextLabels>,
    weights: Vec<f64>,
    steps: Vec<f64>,
}

impl Target {
    fn new(names: Vec<String>, layout: Layout, rows: usize) -> Result<Self, DataError> {
        let columns = names.len();
        let mut table = Table { names, ..Table::new(Vec::new(), columns) };
        let reserved = table.x.try_reserve_exact(rows.saturating_mul(columns));
        reserved.map_err(|_| Problem::TooLarge { rows, columns })?;
        table.x.resize(rows * columns, 0.0);
        table.weights = layout.weight_column.map(|_| Vec::new());
        Ok(Target { table, labels: Vec::new(), texts: None, weights: Vec::new(), steps: Vec::new() })
    }

    /// Reads the first `rows` rows of a column of a row group; `before` rows were read already.
    fn read(&mut self, mut column: Column, role: Role, before: usize, rows: usize) -> Result<(), DataError> {
        for start in (0..rows).step_by(BATCH) {
            let (before, rows) = (before + start, BATCH.min(rows - start));
            if let ColumnReader::ByteArrayColumnReader(reader) = &mut column.reader {
                let texts = self.texts.get_or_insert_default();
                for (i, label) in read_values(reader, rows)?.iter().enumerate() {
                    let text = label.as_ref().map_or(Err(Problem::MissingValue), |label| utf8(label));
                    let pushed = text.and_then(|text| texts.push(text));
                    pushed.map_err(|problem| problem.at(Place::row(before + i)))?;
                }
                continue;
            }
            let values = column.numbers(rows, before)?;
            match role {
                Role::Ignored => {}
                Role::Label => self.labels.extend(values),
                Role::Weight => self.weights.extend(values),
                Role::StepWeight => self.steps.extend(values),
                Role::Feature(feature) => {
                    let columns = self.table.columns;
                    let rows = self.table.x[before * columns..].chunks_exact_mut(columns);
                    rows.zip(values).for_each(|(row, value)| row[feature] = value);
                }
            }
        }
        Ok(())
    }

    fn finish(self, layout: Layout) -> Table {
        let labels = self.texts.map_or(RawLabels::Numbers(self.labels), RawLabels::Texts);
        Table {
            y: layout.label_column.map(|_| labels),
            weights: layout.weight_column.map(|_| self.weights),
            step_weights: layout.step_weight_column.map(|_| self.steps),
            ..self.table
        }
    }
}

/// A column of a row group.
struct Column {
    unsigned: bool,
    reader: ColumnReader,
}

impl Column {
    fn open(content: &Bytes, group: &dyn RowGroupReader, index: usize) -> Result<Self, DataError> {
        let chunk = group.metadata().column(index);
        let column = chunk.column_descr();
        let unsigned = match column.logical_type_ref() {
            Some(LogicalType::Integer(kind)) => !kind.is_signed,
            _ => column.converted_type().to_string().starts_with("UINT_"),
        };
        let reader = match chunk.compression() {
            Compression::ZSTD(_) => {
                let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
                zstd_pages::column(content, chunk, rows)
            }
            _ => group.get_column_reader(index),
        };
        Ok(Self { unsigned, reader: reader.map_err(parquet_error)? })
    }

    /// The next `rows` values; `before` rows were read already.
    fn numbers(&mut self, rows: usize, before: usize) -> Result<Vec<f64>, DataError> {
        let values = self.gaps(rows)?;
        match values.iter().position(Option::is_none) {
            Some(missing) => Err(Problem::MissingValue.at(Place::row(before + missing))),
            None => Ok(values.into_iter().flatten().collect()),
        }
    }

    /// The next `rows` values, `None` where one is missing.
    fn gaps(&mut self, rows: usize) -> Result<Vec<Option<f64>>, DataError> {
        let unsigned = self.unsigned;
        match &mut self.reader {
            ColumnReader::FloatColumnReader(reader) => convert(reader, rows, f64::from),
            ColumnReader::DoubleColumnReader(reader) => read_values(reader, rows),
            ColumnReader::BoolColumnReader(reader) => convert(reader, rows, f64::from),
            ColumnReader::Int32ColumnReader(reader) => convert(reader, rows, |value| {
                if unsigned { f64::from(value.cast_unsigned()) } else { f64::from(value) }
            }),
            ColumnReader::Int64ColumnReader(reader) => {
                convert(
                    reader,
                    rows,
                    |value| {
                        if unsigned { value.cast_unsigned() as f64 } else { value as f64 }
                    },
                )
            }
            _ => Err(Problem::WrongType("bytes".to_owned()).into()),
        }
    }
}

fn convert<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    to_f64: impl Fn(T::T) -> f64,
) -> Result<Vec<Option<f64>>, DataError> {
    Ok(read_values(reader, rows)?.into_iter().map(|value| value.map(&to_f64)).collect())
}

/// Exactly `rows` values, `None` where one is null; an error if there are fewer.
fn read_values<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
) -> Result<Vec<Option<T::T>>, DataError> {
    let mut levels = Vec::with_capacity(rows);
    let mut values = Vec::with_capacity(rows);
    let (found, present, _) =
        reader.read_records(rows, Some(&mut levels), None, &mut values).map_err(parquet_error)?;
    if found != rows {
        return Err(damaged("a column ends too early"));
    }
    if present == rows && values.len() == rows {
        return Ok(values.into_iter().map(Some).collect());
    }
    // A value that is there has the highest level.
    let highest = levels.iter().copied().max().unwrap_or_default();
    let is_present = |level: &i16| present > 0 && *level == highest;
    if levels.len() != rows || levels.iter().filter(|level| is_present(level)).count() != values.len() {
        return Err(damaged("a column contradicts itself"));
    }
    let mut values = values.into_iter();
    Ok(levels.iter().map(|level| if is_present(level) { values.next() } else { None }).collect())
}

fn utf8(text: &ByteArray) -> Result<&str, Problem> {
    std::str::from_utf8(text.data()).map_err(|_| Problem::Damaged("a text is not UTF-8".to_owned()))
}

fn damaged(cause: &str) -> DataError {
    Problem::Damaged(cause.to_owned()).into()
}

#[allow(clippy::needless_pass_by_value)] // used in `map_err`
fn parquet_error(error: ParquetError) -> DataError {
    damaged(&error.to_string())
}
