//! Reads data files and makes the rows z of them.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use ndarray::{ArrayD, IxDyn, OwnedRepr};
use ndarray_npy::{NpzReader, ReadNpyError, ReadNpyExt, ReadNpzError, ReadableElement};
use unswayed_check::{DataInfo, Rows};

/// What a data file holds.
pub struct Table {
    /// Entries in row-major order.
    entries: Vec<f64>,
    /// Number of columns.
    columns: usize,
    /// One label per row; without labels the entries are the rows z themselves.
    labels: Option<Labels>,
    /// The columns of what was chosen and of what was rejected, if the rows may be preferences.
    pairs: Option<Pairs>,
    /// One weight per row.
    weights: Option<Vec<f64>>,
}

type Pairs = Vec<(usize, usize)>;

/// Labels, as numbers if all of them are numbers.
enum Labels {
    Numbers(Vec<f64>),
    Texts(Vec<String>),
}

/// The rows z and their weights.
pub struct Data {
    pub z: Vec<f64>,
    pub dimension: usize,
    pub weights: Option<Vec<f64>>,
}

impl Data {
    /// The same, borrowed.
    pub fn rows(&self) -> Rows<'_> {
        Rows { z: &self.z, dimension: self.dimension, weights: self.weights.as_deref() }
    }
}

impl Table {
    /// Reads a file of one of the known kinds.
    pub fn read(path: &Path, labels: Option<&Path>, column: Option<&str>) -> Result<Self, String> {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        let table = match (extension.to_ascii_lowercase().as_str(), labels, column) {
            ("npz", None, None) => read_npz(path),
            ("npy", labels, None) => read_npy(path, labels),
            ("csv", None, column) => read_csv(path, column),
            ("npz" | "csv", Some(_), _) => Err("--labels goes with .npy features".to_owned()),
            ("npz" | "npy", _, Some(_)) => Err("--label-column goes with .csv files".to_owned()),
            ("parquet", ..) => Err("parquet files are read by `unswayed check`".to_owned()),
            _ => Err("data files are .npz, .npy or .csv".to_owned()),
        };
        let table = table.and_then(Table::with_consistent_lengths);
        table.map_err(|e| format!("{}: {e}", path.display()))
    }

    fn rows(&self) -> usize {
        self.entries.len().checked_div(self.columns).unwrap_or(0)
    }

    fn with_consistent_lengths(self) -> Result<Self, String> {
        let rows = self.rows();
        let labels = self.labels.as_ref().map_or(rows, |l| match l {
            Labels::Numbers(numbers) => numbers.len(),
            Labels::Texts(texts) => texts.len(),
        });
        let weights = self.weights.as_ref().map_or(rows, Vec::len);
        if labels == rows && weights == rows {
            return Ok(self);
        }
        Err(format!("{rows} rows, but {labels} labels and {weights} weights"))
    }

    /// Makes the rows z as the certificate says: labels or classes, scale, −0 to +0, the first rows only.
    pub fn into_rows(mut self, info: &DataInfo, of_classes: bool) -> Result<Data, String> {
        if let (None, Some(pairs)) = (&self.labels, self.pairs.take())
            && pairs.len() == info.dimension
        {
            self.subtract(&pairs);
        }
        let (mut signs, mut classes) = (None, None);
        match &self.labels {
            Some(labels) if of_classes => classes = Some(labels.classes(info)),
            Some(labels) => signs = Some(labels.signs(info)?),
            None => {}
        }
        if info.first_rows {
            if self.rows() < info.rows {
                return Err(format!("{} rows are needed, there are {}", info.rows, self.rows()));
            }
            self.entries.truncate(info.rows * self.columns);
            self.weights = self.weights.map(|w| w[..info.rows].to_vec());
        }
        for (i, row) in self.entries.chunks_mut(self.columns.max(1)).enumerate() {
            let sign = signs.as_ref().map(|s| s[i]);
            for x in row {
                let z = sign.map_or(*x, |y| y * *x);
                *x = info.scale.map_or(z, |s| z / s) + 0.0;
            }
        }
        if let Some(classes) = classes {
            self.put_in_front(&classes);
        }
        Ok(Data { z: self.entries, dimension: self.columns, weights: self.weights })
    }

    /// Makes each row chosen − rejected.
    fn subtract(&mut self, pairs: &Pairs) {
        let difference = |row: &[f64]| -> Vec<f64> { pairs.iter().map(|&(i, j)| row[i] - row[j]).collect() };
        self.entries = self.entries.chunks(self.columns.max(1)).flat_map(difference).collect();
        self.columns = pairs.len();
    }

    /// Puts a number in front of each row.
    fn put_in_front(&mut self, numbers: &[f64]) {
        let rows = numbers.iter().zip(self.entries.chunks(self.columns.max(1)));
        self.entries = rows.flat_map(|(number, row)| [&[*number], row].concat()).collect();
        self.columns += 1;
    }
}

impl Labels {
    /// The number each row is multiplied by. With `first_rows`, later rows do not matter.
    fn signs(&self, info: &DataInfo) -> Result<Vec<f64>, String> {
        let texts: Vec<String> = match (self, &info.labels) {
            (Labels::Numbers(numbers), None) => return Ok(numbers.clone()),
            (Labels::Texts(_), None) => {
                return Err("the labels are text, but the certificate names no labels".to_owned());
            }
            (Labels::Numbers(numbers), _) => numbers.iter().map(f64::to_string).collect(),
            (Labels::Texts(texts), _) => texts.clone(),
        };
        let needed = if info.first_rows { info.rows } else { texts.len() };
        let sign = |text: &String| match &info.labels {
            Some((negative, _)) if text == negative => Ok(-1.0),
            Some((_, positive)) if text == positive => Ok(1.0),
            _ => Err(format!("the label {text:?} is not one of the certificate's two")),
        };
        texts.iter().take(needed).map(sign).collect()
    }

    /// The number of each row's class: classes are counted from 0, in the order of their labels.
    fn classes(&self, info: &DataInfo) -> Vec<f64> {
        let needed = if info.first_rows { info.rows } else { usize::MAX };
        match self {
            Labels::Numbers(numbers) => ranks(&numbers[..needed.min(numbers.len())]),
            Labels::Texts(texts) => ranks(&texts[..needed.min(texts.len())]),
        }
    }
}

/// For each label how many different labels are smaller.
fn ranks<T: PartialOrd>(labels: &[T]) -> Vec<f64> {
    let mut kinds: Vec<&T> = labels.iter().collect();
    kinds.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    kinds.dedup();
    labels.iter().map(|label| kinds.partition_point(|kind| *kind < label) as f64).collect()
}

/// An array: its shape and its entries in row-major order.
type Array = (Vec<usize>, Vec<f64>);

/// Where an array is read from.
enum Source<'a> {
    Npy(&'a Path),
    Npz(&'a mut NpzReader<File>, &'a str),
}

impl Source<'_> {
    /// The array, if its elements are of the type `T`.
    fn of_type<T: ReadableElement>(&mut self, to_f64: impl Fn(&T) -> f64) -> Result<Option<Array>, String> {
        let array = match self {
            Source::Npy(path) => {
                let file = File::open(path).map_err(|e| e.to_string())?;
                ArrayD::<T>::read_npy(BufReader::new(file))
            }
            Source::Npz(npz, name) => match npz.by_name::<OwnedRepr<T>, IxDyn>(name) {
                Err(ReadNpzError::Npy(e)) => Err(e),
                Err(ReadNpzError::Zip(e)) => return Err(format!("{name}: {e}")),
                Ok(array) => Ok(array),
            },
        };
        match array {
            Ok(array) => Ok(Some((array.shape().to_vec(), array.iter().map(to_f64).collect()))),
            Err(ReadNpyError::WrongDescriptor(_)) => Ok(None),
            Err(e) => Err(e.to_string()),
        }
    }

    /// A matrix of float32 or float64 numbers: its entries and the number of its columns.
    fn matrix(mut self) -> Result<(Vec<f64>, usize), String> {
        let array = match self.of_type(|x: &f64| *x)? {
            Some(array) => Some(array),
            None => self.of_type(|x: &f32| f64::from(*x))?,
        };
        match array {
            Some((shape, entries)) if shape.len() == 2 => Ok((entries, shape[1])),
            Some((shape, _)) => Err(format!("features must have two axes, not {}", shape.len())),
            None => Err("features must be float32 or float64".to_owned()),
        }
    }

    /// A vector of numbers or truth values.
    fn vector(mut self) -> Result<Vec<f64>, String> {
        let mut array = self.of_type(|x: &f64| *x)?;
        macro_rules! or_else {
            ($($t:ty => $to_f64:expr),*) => {
                $(if array.is_none() {
                    array = self.of_type::<$t>($to_f64)?;
                })*
            };
        }
        or_else!(f32 => |x| f64::from(*x), i64 => |x| *x as f64, i32 => |x| f64::from(*x));
        or_else!(i16 => |x| f64::from(*x), i8 => |x| f64::from(*x), u8 => |x| f64::from(*x));
        or_else!(u16 => |x| f64::from(*x), u32 => |x| f64::from(*x), u64 => |x| *x as f64);
        or_else!(bool => |x| f64::from(u8::from(*x)));
        let (_, entries) = array.ok_or("labels and weights must be numbers or truth values")?;
        Ok(entries)
    }
}

fn read_npy(path: &Path, labels: Option<&Path>) -> Result<Table, String> {
    let (entries, columns) = Source::Npy(path).matrix()?;
    let labels = labels.map(|l| Source::Npy(l).vector().map_err(|e| format!("{}: {e}", l.display())));
    let labels = labels.transpose()?.map(Labels::Numbers);
    let pairs = (0..columns / 2).map(|j| (j, columns / 2 + j)).collect();
    Ok(Table { entries, columns, labels, pairs: columns.is_multiple_of(2).then_some(pairs), weights: None })
}

fn read_npz(path: &Path) -> Result<Table, String> {
    let file = File::open(path).map_err(|e| e.to_string())?;
    let mut npz = NpzReader::new(file).map_err(|e| e.to_string())?;
    let names = npz.names().map_err(|e| e.to_string())?;
    let has = |name: &str| names.iter().any(|n| n == name);
    let features = if has("x") { "x" } else { "z" };
    let (entries, columns) = if has("chosen") && !has("x") && !has("z") {
        read_pairs(&mut npz)?
    } else {
        Source::Npz(&mut npz, features).matrix()?
    };
    let mut optional = |name| has(name).then(|| Source::Npz(&mut npz, name).vector()).transpose();
    let labels = if features == "x" { optional("y")? } else { None };
    let labels = labels.map(Labels::Numbers);
    Ok(Table { entries, columns, labels, pairs: None, weights: optional("weight")? })
}

/// The array `chosen` minus the array `rejected`.
fn read_pairs(npz: &mut NpzReader<File>) -> Result<(Vec<f64>, usize), String> {
    let (chosen, columns) = Source::Npz(npz, "chosen").matrix()?;
    let (rejected, others) = Source::Npz(npz, "rejected").matrix()?;
    if (chosen.len(), columns) != (rejected.len(), others) {
        return Err("the arrays chosen and rejected differ in shape".to_owned());
    }
    Ok((chosen.iter().zip(&rejected).map(|(c, r)| c - r).collect(), columns))
}

fn read_csv(path: &Path, column: Option<&str>) -> Result<Table, String> {
    let mut reader =
        csv::ReaderBuilder::new().trim(csv::Trim::All).from_path(path).map_err(|e| e.to_string())?;
    let header = reader.headers().map_err(|e| e.to_string())?.clone();
    let label = header.iter().position(|h| h == column.unwrap_or("label"));
    if let (None, Some(column)) = (label, column) {
        return Err(format!("there is no column {column:?}"));
    }
    let weight = header.iter().position(|h| h == "weight");
    let (mut entries, mut labels, mut weights) = (vec![], vec![], vec![]);
    for (line, record) in reader.records().enumerate() {
        let record = record.map_err(|e| e.to_string())?;
        for (c, field) in record.iter().enumerate() {
            if Some(c) == label {
                labels.push(field.to_owned());
                continue;
            }
            let number = field.parse::<f64>();
            let number = number.map_err(|_| format!("row {}: {field:?} is no number", line + 1))?;
            if Some(c) == weight { &mut weights } else { &mut entries }.push(number);
        }
    }
    let special = usize::from(label.is_some()) + usize::from(weight.is_some());
    let names: Vec<&str> = header.iter().filter(|h| *h != "weight").collect();
    Ok(Table {
        entries,
        columns: header.len() - special,
        labels: label.map(|_| numbers_or_texts(labels)),
        pairs: pairs_by_name(&names),
        weights: weight.map(|_| weights),
    })
}

/// Matches the columns chosen_… with the columns rejected_…; none if a column has no partner.
fn pairs_by_name(names: &[&str]) -> Option<Pairs> {
    let chosen = names.iter().enumerate().filter_map(|(i, name)| Some((i, name.strip_prefix("chosen_")?)));
    let partner =
        |feature: &str| names.iter().position(|name| name.strip_prefix("rejected_") == Some(feature));
    let pairs: Pairs = chosen.map(|(i, feature)| Some((i, partner(feature)?))).collect::<Option<_>>()?;
    (2 * pairs.len() == names.len()).then_some(pairs)
}

/// Labels are numbers if every one of them is.
fn numbers_or_texts(texts: Vec<String>) -> Labels {
    match texts.iter().map(|t| t.parse::<f64>()).collect() {
        Ok(numbers) => Labels::Numbers(numbers),
        Err(_) => Labels::Texts(texts),
    }
}
