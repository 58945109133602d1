//! Parquet tables, read in batches of rows through the column interface.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use parquet::basic::{Compression, ConvertedType, LogicalType};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{ChunkReader, FileReader, Length, RowGroupReader, SerializedFileReader};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};

use super::error::{DataError, Place, Problem};
use super::labels::{RawLabels, TextLabels};
use super::load::LabelPolicy;
use super::source::Input;
use super::table::{Layout, Part, Role, Roles, Table};

/// How many rows are read at a time.
const BATCH: usize = 4096;

/// Reads the columns of a Parquet file according to their roles.
pub(super) fn read(input: Input, layout: Layout, rows: Option<usize>) -> Result<Table, DataError> {
    // The library is written to return errors, but a damaged file can still make it panic.
    catch_unwind(AssertUnwindSafe(|| read_table(input, layout, rows)))
        .unwrap_or_else(|_| Err(Problem::Damaged("its content contradicts itself".to_owned()).into()))
}

fn read_table(input: Input, layout: Layout, rows: Option<usize>) -> Result<Table, DataError> {
    let file = SerializedFileReader::new(input).map_err(damaged)?;
    let schema = file.metadata().file_metadata().schema_descr();
    let names: Vec<String> = schema.columns().iter().map(|column| column.path().string()).collect();
    let roles = Roles::new(&names, layout)?;
    check_types(schema, &roles)?;
    let mut rest = rows.unwrap_or(usize::MAX);
    let mut target = Target::new(&roles, layout.policy);
    for i in 0..file.num_row_groups() {
        let group = file.get_row_group(i).map_err(damaged)?;
        let rows = group_rows(group.metadata())?.min(rest);
        rest -= rows;
        target.read_group(&*group, &roles, rows)?;
    }
    Ok(roles.finish(target.finish(layout.label_column)))
}

/// The number of rows of a row group, after a look at what its columns say.
fn group_rows(group: &RowGroupMetaData) -> Result<usize, DataError> {
    for column in group.columns() {
        match column.compression() {
            Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::GZIP(_) | Compression::LZ4_RAW => {
            }
            other => {
                let name = other.to_string().split('(').next().unwrap_or_default().to_lowercase();
                return Err(Problem::Compression(name).into());
            }
        }
        if column.num_values() != group.num_rows() {
            return Err(Problem::Damaged("its columns differ in length".to_owned()).into());
        }
        let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
        if start < 0 || column.compressed_size() < 0 {
            return Err(Problem::Damaged("a column begins before the file".to_owned()).into());
        }
    }
    usize::try_from(group.num_rows()).map_err(|error| Problem::Damaged(error.to_string()).into())
}

/// Refuses columns that do not hold numbers; a label column can hold text too.
fn check_types(schema: &SchemaDescriptor, roles: &Roles) -> Result<(), DataError> {
    for (column, &role) in schema.columns().iter().zip(&roles.of) {
        let kind = type_name(column);
        let fits = match kind.as_str() {
            "number" => true,
            "text" => role == Role::Label,
            _ => false,
        };
        if !fits {
            return Err(Problem::WrongType(kind).at(Place::column(&column.path().string())));
        }
    }
    Ok(())
}

/// `number`, `text`, or what else a column holds.
fn type_name(column: &ColumnDescriptor) -> String {
    use parquet::basic::Type;
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
    texts: TextLabels,
    has_texts: bool,
    weights: Option<Vec<f64>>,
}

impl Target {
    fn new(roles: &Roles, policy: LabelPolicy) -> Self {
        Self {
            table: Table::new(roles.dimension),
            labels: Vec::new(),
            texts: TextLabels::new(policy),
            has_texts: false,
            weights: roles.has_weights().then(Vec::new),
        }
    }

    /// Reads the first `rows` rows of a row group.
    fn read_group(
        &mut self,
        group: &dyn RowGroupReader,
        roles: &Roles,
        rows: usize,
    ) -> Result<(), DataError> {
        let mut columns =
            (0..roles.of.len()).map(|j| Column::open(group, j)).collect::<Result<Vec<_>, _>>()?;
        let mut rest = rows;
        while rest > 0 {
            let rows = rest.min(BATCH);
            self.read_batch(&mut columns, roles, rows)?;
            rest -= rows;
        }
        Ok(())
    }

    fn read_batch(&mut self, columns: &mut [Column], roles: &Roles, rows: usize) -> Result<(), DataError> {
        let start = self.table.values.len();
        let dimension = self.table.dimension;
        let full = |_| Problem::OutOfMemory { rows: start / dimension + rows, columns: dimension };
        self.table.values.try_reserve(rows * dimension).map_err(full)?;
        let mut feature = 0;
        for (column, role) in columns.iter_mut().zip(&roles.of) {
            if let Values::Texts(reader) = &mut column.values {
                self.has_texts = true;
                let labels = read_values(reader, rows, self.table.rows)
                    .map_err(|error| error.in_column(&column.name))?;
                for label in &labels {
                    self.texts.push(label.data()).map_err(|error| error.in_column(&column.name))?;
                }
                continue;
            }
            let values = column.numbers(rows, self.table.rows)?;
            match role {
                Role::Label => self.labels.extend(values),
                Role::Weight => self.weights.get_or_insert_default().extend(values),
                Role::Feature => {
                    if feature == 0 {
                        self.table.values.resize(start + rows * dimension, 0.0);
                    }
                    let batch = self.table.values[start..].chunks_exact_mut(dimension);
                    batch.zip(values).for_each(|(row, value)| row[feature] = value);
                    feature += 1;
                }
            }
        }
        self.table.rows += rows;
        Ok(())
    }

    fn finish(self, label_column: Option<&str>) -> Table {
        let labels =
            if self.has_texts { RawLabels::Texts(self.texts) } else { RawLabels::Numbers(self.labels) };
        let mut table = self.table;
        table.values.shrink_to_fit();
        table.labels = label_column.map(|name| (labels, Part::Column(name.to_owned())));
        table.weights = self.weights.map(|weights| (weights, Part::weight_column()));
        table
    }
}

/// A column of a row group.
struct Column {
    name: String,
    unsigned: bool,
    values: Values,
}

/// The reader of a column's values.
enum Values {
    Numbers(ColumnReader),
    Texts(ColumnReaderImpl<parquet::data_type::ByteArrayType>),
}

impl Column {
    fn open(group: &dyn RowGroupReader, index: usize) -> Result<Self, DataError> {
        let column = group.metadata().schema_descr().column(index);
        let unsigned = match column.logical_type_ref() {
            Some(LogicalType::Integer(kind)) => !kind.is_signed,
            _ => column.converted_type().to_string().starts_with("UINT_"),
        };
        let values = match group.get_column_reader(index).map_err(damaged)? {
            ColumnReader::ByteArrayColumnReader(reader) => Values::Texts(reader),
            other => Values::Numbers(other),
        };
        Ok(Self { name: column.path().string(), unsigned, values })
    }

    /// The next `rows` values, all finite; `before` rows were read already.
    fn numbers(&mut self, rows: usize, before: usize) -> Result<Vec<f64>, DataError> {
        let unsigned = self.unsigned;
        let values = match &mut self.values {
            Values::Numbers(ColumnReader::FloatColumnReader(reader)) => {
                convert(reader, rows, before, f64::from)
            }
            Values::Numbers(ColumnReader::DoubleColumnReader(reader)) => read_values(reader, rows, before),
            Values::Numbers(ColumnReader::BoolColumnReader(reader)) => {
                convert(reader, rows, before, f64::from)
            }
            Values::Numbers(ColumnReader::Int32ColumnReader(reader)) => {
                convert(reader, rows, before, |value| {
                    if unsigned { f64::from(value.cast_unsigned()) } else { f64::from(value) }
                })
            }
            Values::Numbers(ColumnReader::Int64ColumnReader(reader)) => {
                convert(reader, rows, before, |value| {
                    if unsigned { value.cast_unsigned() as f64 } else { value as f64 }
                })
            }
            _ => Err(Problem::WrongType("bytes".to_owned()).into()),
        };
        let values = values.map_err(|error| error.in_column(&self.name))?;
        match values.iter().position(|value| !value.is_finite()) {
            Some(i) => Err(Problem::NotFinite(values[i]).at(Place::row(before + i).named(&self.name))),
            None => Ok(values),
        }
    }
}

fn convert<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    before: usize,
    to_f64: impl Fn(T::T) -> f64,
) -> Result<Vec<f64>, DataError> {
    Ok(read_values(reader, rows, before)?.into_iter().map(to_f64).collect())
}

/// Exactly `rows` values; an error if one is null or there are fewer.
fn read_values<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    before: usize,
) -> Result<Vec<T::T>, DataError> {
    let mut levels = Vec::with_capacity(rows);
    let mut values = Vec::with_capacity(rows);
    let (found, present, _) =
        reader.read_records(rows, Some(&mut levels), None, &mut values).map_err(damaged)?;
    if found != rows {
        return Err(Problem::Damaged("a column ends too early".to_owned()).into());
    }
    if present != rows || values.len() != rows {
        let highest = levels.iter().copied().max().unwrap_or_default();
        let missing =
            if present == 0 { 0 } else { levels.iter().position(|&level| level < highest).unwrap_or(0) };
        return Err(Problem::MissingValue.at(Place::row(before + missing)));
    }
    Ok(values)
}

#[allow(clippy::needless_pass_by_value)] // used in `map_err`
fn damaged(error: ParquetError) -> DataError {
    Problem::Damaged(error.to_string().replace(['\n', '\r'], " ")).into()
}

impl Length for Input {
    fn len(&self) -> u64 {
        self.length()
    }
}

impl ChunkReader for Input {
    type T = BufReader<Input>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        let mut input = self.again()?;
        input.seek(SeekFrom::Start(start))?;
        Ok(BufReader::new(input))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        // Checked first: a damaged file can ask for more bytes than there is memory.
        if start.checked_add(length as u64).is_none_or(|end| end > self.length()) {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        if let Input::Memory(content) = self {
            let start = usize::try_from(start)?;
            return Ok(content.get_ref().slice(start..start + length));
        }
        let mut input = self.again()?;
        input.seek(SeekFrom::Start(start))?;
        let mut bytes = vec![0; length];
        input.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}
