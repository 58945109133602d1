//! Files that tests read.

use std::fmt::Write;
use std::fs::File;
use std::sync::Arc;

use ndarray::{Array1, Array2, Axis};
use ndarray_npy::{NpzWriter, write_npy};
use parquet::data_type::DoubleType;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use tempfile::TempDir;

/// Numbers in [−½, ½], always the same ones.
fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 24) - 0.5
    }
}

/// Points of two classes in three dimensions with labels −1 and 1, around ±(shift, 0.2, 0).
pub fn points(rows: usize, shift: f64, seed: u64) -> (Array2<f64>, Array1<f64>) {
    let mut random = random(seed);
    let y = Array1::from_shape_fn(rows, |i| if i % 2 == 0 { 1.0 } else { -1.0 });
    let x = Array2::from_shape_fn((rows, 3), |(i, j)| 0.6 * random() + y[i] * [shift, 0.2, 0.0][j]);
    (x, y)
}

/// The first rows or columns.
pub fn first(array: &Array2<f64>, axis: Axis, count: usize) -> Array2<f64> {
    array.select(axis, &(0..count).collect::<Vec<_>>())
}

/// An .npz file of these arrays.
pub fn npz(folder: &TempDir, name: &str, arrays: &[(&str, &Array2<f64>)], y: Option<&Array1<f64>>) {
    let mut file = NpzWriter::new(File::create(folder.path().join(name)).unwrap());
    for (name, array) in arrays {
        file.add_array(*name, *array).unwrap();
    }
    if let Some(y) = y {
        file.add_array("y", y).unwrap();
    }
    file.finish().unwrap();
}

pub fn npy(folder: &TempDir, name: &str, array: &Array2<f64>) {
    write_npy(folder.path().join(name), array).unwrap();
}

/// A .csv file with a column of labels.
pub fn csv(folder: &TempDir, name: &str, columns: &[&str], x: &Array2<f64>, labels: &[&str]) {
    let mut text = columns.join(",");
    text.push_str(if labels.is_empty() { "\n" } else { ",label\n" });
    for (i, row) in x.rows().into_iter().enumerate() {
        let cells: Vec<String> = row.iter().map(f64::to_string).collect();
        text.push_str(&cells.join(","));
        match labels.get(i) {
            Some(label) => writeln!(text, ",{label}").unwrap(),
            None => text.push('\n'),
        }
    }
    std::fs::write(folder.path().join(name), text).unwrap();
}

/// Rows for a file of any format.
pub struct Rows {
    pub x: Array2<f64>,
    pub y: Option<Array1<f64>>,
    pub weights: Option<Array1<f64>>,
    /// What the features are in .npz files: `x`, `z`, or `pairs` of chosen and rejected ones.
    pub array: &'static str,
}

impl Rows {
    /// Features alone.
    pub fn of(x: Array2<f64>) -> Self {
        Rows { x, y: None, weights: None, array: "x" }
    }

    /// Features, labels and weights side by side, with the names of their columns.
    fn columns(&self) -> (Vec<&'static str>, Array2<f64>) {
        let mut names: Vec<&str> = match self.array {
            "pairs" => vec!["chosen_a", "chosen_b", "chosen_c", "rejected_a", "rejected_b", "rejected_c"],
            _ => vec!["a", "b", "c"],
        };
        let mut x = self.x.clone();
        for (name, column) in [("label", &self.y), ("trust", &self.weights)] {
            if let Some(column) = column {
                names.push(name);
                x.push_column(column.view()).unwrap();
            }
        }
        (names, x)
    }
}

/// Writes rows as `stem.format`; features with labels in .npy files as `stemx.npy` and `stemy.npy`.
pub fn save(folder: &TempDir, stem: &str, format: &str, rows: &Rows) {
    let (names, all) = rows.columns();
    let file = format!("{stem}.{format}");
    match format {
        "csv" => csv(folder, &file, &names, &all, &[]),
        "parquet" => parquet(folder, &file, &names, &all),
        "npz" => {
            let mut writer = NpzWriter::new(File::create(folder.path().join(file)).unwrap());
            if rows.array == "pairs" {
                let half = rows.x.ncols() / 2;
                let (chosen, rejected) = rows.x.view().split_at(Axis(1), half);
                writer.add_array("chosen", &chosen.to_owned()).unwrap();
                writer.add_array("rejected", &rejected.to_owned()).unwrap();
            } else {
                writer.add_array(rows.array, &rows.x).unwrap();
            }
            for (name, array) in [("y", &rows.y), ("trust", &rows.weights)] {
                if let Some(array) = array {
                    writer.add_array(name, array).unwrap();
                }
            }
            writer.finish().unwrap();
        }
        _ => match &rows.y {
            Some(y) => {
                npy(folder, &format!("{stem}x.npy"), &rows.x);
                write_npy(folder.path().join(format!("{stem}y.npy")), y).unwrap();
            }
            None => npy(folder, &file, &rows.x),
        },
    }
}

/// A .parquet file of double columns.
pub fn parquet(folder: &TempDir, name: &str, columns: &[&str], x: &Array2<f64>) {
    let schema: String =
        columns.iter().map(|c| format!("required double {c};\n")).collect::<Vec<_>>().concat();
    let schema = Arc::new(parse_message_type(&format!("message rows {{\n{schema}}}")).unwrap());
    let file = File::create(folder.path().join(name)).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for column in x.columns() {
        let mut column_writer = group.next_column().unwrap().unwrap();
        column_writer.typed::<DoubleType>().write_batch(&column.to_vec(), None, None).unwrap();
        column_writer.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
}

/// Two datasets of two classes, `a.npz` and `b.npz`, in a folder of their own.
pub fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, shift, seed) in [("a.npz", 0.4, 1), ("b.npz", 0.3, 2)] {
        let (x, y) = points(24, shift, seed);
        npz(&folder, name, &[("x", &x)], Some(&y));
    }
    folder
}
