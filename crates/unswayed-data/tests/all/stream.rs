//! Data that are read in parts: the same rows, the same origin and the same refusals as if they were read at once.

use std::path::{Path, PathBuf};

use unswayed_data::{Block, DataError, Dataset, LabelPolicy, Reading, Source, Stream, load};

use crate::common::{npy, npy_f64, parquet_doubles, policy};

/// More rows than a block has.
const ROWS: usize = 600_000;
const COLUMNS: usize = 3;

fn silent(_: usize, _: usize) {}

/// Numbers that look random, of absolute value at most ½.
fn features(rows: usize) -> Vec<f64> {
    let number = |i: usize| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f64 / f64::from(1 << 24) - 0.5;
    (0..rows * COLUMNS).map(number).collect()
}

fn write(folder: &Path, name: &str, content: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, content).expect("a file");
    path
}

/// All rows of a stream, and whether blocks follow each other.
fn rows_of(stream: &Stream) -> Result<Vec<f64>, DataError> {
    let mut z: Vec<f64> = vec![];
    stream.read(|block: Block| -> Result<(), DataError> {
        assert_eq!(block.first * stream.origin().columns, z.len());
        z.extend(block.z);
        Ok(())
    })?;
    Ok(z)
}

#[track_caller]
fn assert_same(source: &Source, reading: &Reading) -> (Stream, Dataset) {
    let whole = load(source, reading).expect("good data");
    let (stream, sample) = Stream::open(source, reading, 1000, &silent).expect("good data");
    assert_eq!(stream.origin(), whole.origin());
    let bits = |z: &[f64]| z.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert!(bits(&rows_of(&stream).expect("the same rows")) == bits(whole.z()));
    let again = Stream::of(source, whole.origin()).expect("the same files");
    assert!(bits(&rows_of(&again).expect("the same rows")) == bits(whole.z()));
    assert_eq!(
        (sample.origin().scale, &sample.origin().labels),
        (whole.origin().scale, &whole.origin().labels)
    );
    assert!(sample.iter().all(|row| whole.iter().any(|other| row == other)) || whole.rows() > 2000);
    (stream, sample)
}

#[test]
fn arrays() {
    let folder = tempfile::tempdir().expect("a folder");
    let x = features(ROWS);
    let labels = |of: &dyn Fn(usize) -> f64| (0..ROWS).map(of).collect::<Vec<f64>>();
    let shape = format!("({ROWS}, {COLUMNS})");
    let single: Vec<u8> = x.iter().flat_map(|x| (*x as f32).to_be_bytes()).collect();
    let x_path = write(folder.path(), "x.npy", &npy_f64(&shape, &x));
    let single = write(folder.path(), "single.npy", &npy(">f4", &shape, &single));
    let with = |y: &[f64]| {
        let y = write(folder.path(), "y.npy", &npy_f64(&format!("({ROWS},)"), y));
        Source::path(&x_path).labels(y)
    };
    let classes = with(&labels(&|i| f64::from(u8::from(i % 7 < 3))));
    let (_, sample) = assert_same(&classes, &Reading::default());
    assert_eq!(sample.rows(), 1000);
    assert_same(&classes, &Reading { normalize: true, ..Reading::default() });
    assert_same(&classes, &Reading { scale: Some(0.25), rows: Some(400_001), ..Reading::default() });
    assert_same(&classes, &policy(LabelPolicy::Scores));
    let signed = with(&labels(&|i| if i.is_multiple_of(2) { 0.0 } else { -0.0 - 3.0 }));
    assert_same(&signed, &Reading::default());
    let scores = with(&labels(&|i| (i % 100) as f64 / 100.0));
    assert_same(&scores, &Reading { normalize: true, ..Reading::default() });
    assert_same(&Source::path(&single), &policy(LabelPolicy::Premultiplied));
}

#[test]
fn folders_of_tables() {
    let folder = tempfile::tempdir().expect("a folder");
    let x = features(900);
    let column =
        |j: usize, rows: std::ops::Range<usize>| -> Vec<f64> { rows.map(|i| x[COLUMNS * i + j]).collect() };
    for (name, rows) in [("a.parquet", 0..300), ("c.parquet", 301..900), ("b.parquet", 300..301)] {
        let label: Vec<f64> = rows.clone().map(|i| f64::from(u8::from(i % 3 == 0))).collect();
        let columns = [column(0, rows.clone()), column(1, rows), label];
        let columns = [&columns[0][..], &columns[1], &columns[2]];
        write(folder.path(), name, &parquet_doubles(&["p", "q", "label"], &columns));
    }
    let source = Source::path(folder.path());
    assert_same(&source, &Reading::default());
    assert_same(&source, &Reading { rows: Some(301), ..Reading::default() });
    assert_same(&source, &Reading { columns: Some(vec!["q".into()]), ..Reading::default() });
    assert_same(&Source::path(folder.path().join("c.parquet")), &Reading::default());
}

/// What is refused is refused in the same words.
#[test]
fn refusals() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = |x: &[f64], y: &[f64], reading: &Reading| {
        let shape = format!("({}, {COLUMNS})", x.len() / COLUMNS);
        let x = write(folder.path(), "x.npy", &npy_f64(&shape, x));
        let y = write(folder.path(), "y.npy", &npy_f64(&format!("({},)", y.len()), y));
        let source = Source::path(x).labels(y);
        let words = |error: DataError| error.for_command_line();
        let whole = load(&source, reading).map(drop).map_err(words);
        let parts = Stream::open(&source, reading, 100, &silent).map(drop).map_err(words);
        assert_eq!(whole, parts);
        parts.expect_err("a refusal")
    };
    let (rows, plain) = (400_000, Reading::default());
    let y: Vec<f64> = (0..rows).map(|i| f64::from(u8::from(i % 2 == 0))).collect();
    let good = features(rows);
    let with = |at: usize, value: f64| {
        let mut x = good.clone();
        x[at] = value;
        x
    };
    assert!(case(&with(399_000 * COLUMNS + 1, f64::NAN), &y, &plain).contains("row 399001"));
    assert!(case(&with(399_000 * COLUMNS + 1, 1.5), &y, &plain).contains("row 399001"));
    let huge = Reading { normalize: true, ..Reading::default() };
    assert!(case(&with(5, f64::MAX), &y, &huge).contains("row 2"));
    let with_label = |at: usize, value: f64| {
        let mut y = y.clone();
        y[at] = value;
        y
    };
    assert!(case(&good, &with_label(399_999, f64::INFINITY), &plain).contains("row 400000"));
    assert!(case(&good, &with_label(399_999, 7.0), &plain).contains("row 400000"));
    assert!(case(&good, &with_label(7, -1.5), &policy(LabelPolicy::Scores)).contains("row 8"));
    case(&good, &vec![1.0; rows], &plain);
    case(&good, &y[1..], &plain);
    case(&good, &y, &Reading { rows: Some(rows + 1), ..Reading::default() });
    case(&good, &y, &Reading { rows: Some(0), ..Reading::default() });
    case(&good, &y, &Reading { scale: Some(0.0), ..Reading::default() });
}

/// What can only be read at once, and files that change.
#[test]
fn other_data() {
    let folder = tempfile::tempdir().expect("a folder");
    let x = features(4);
    let path = write(folder.path(), "x.npy", &npy_f64("(4, 3)", &x));
    let source =
        Source::path(&path).labels(write(folder.path(), "y.npy", &npy_f64("(4,)", &[0.0, 1.0, 0.0, 1.0])));
    let words = |source: &Source, reading: &Reading| {
        Stream::open(source, reading, 10, &silent).expect_err("a refusal").for_command_line()
    };
    let table = Source::path(write(folder.path(), "t.csv", b"a,label\n0.5,1\n0.25,0\n"));
    assert!(words(&table, &Reading::default()).contains("cannot be read in parts"));
    assert_eq!(Stream::bytes(&table), None);
    assert!(words(&source, &policy(LabelPolicy::Multiclass)).contains("cannot be read in parts"));
    assert!(words(&source, &policy(LabelPolicy::Numbers)).contains("cannot be read in parts"));
    let (stream, _) = Stream::open(&source, &Reading::default(), 10, &silent).expect("good data");
    assert!(rows_of(&stream).is_ok());
    write(folder.path(), "x.npy", &npy_f64("(4, 3)", &features(5)[3..]));
    let changed = rows_of(&stream).expect_err("other rows").for_command_line();
    assert!(changed.contains("these are not the certified rows: sha256"), "{changed}");
    let swapped = npy_f64("(4, 3)", &x);
    let swapped = String::from_utf8_lossy(&swapped).contains("False").then(|| {
        let mut bytes = swapped.clone();
        let at = bytes.windows(5).position(|word| word == b"False").expect("a word");
        bytes[at..at + 5].copy_from_slice(b"True ");
        bytes
    });
    let columns = write(folder.path(), "f.npy", &swapped.expect("a header"));
    assert!(words(&Source::path(columns), &policy(LabelPolicy::Premultiplied)).contains("column by column"));
}

/// Every row is given to one thread.
#[test]
fn threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let x = features(ROWS);
    let path = write(folder.path(), "x.npy", &npy_f64(&format!("({ROWS}, {COLUMNS})"), &x));
    let (stream, _) = Stream::open(&Source::path(path), &policy(LabelPolicy::Premultiplied), 10, &silent)
        .expect("good data");
    let add = |rows: &mut usize, block: Block| -> Result<(), DataError> {
        *rows += block.z.len() / COLUMNS;
        Ok(())
    };
    let each = stream.in_threads(|| Ok(0), add, &silent).expect("rows");
    assert_eq!(each.iter().sum::<usize>(), ROWS);
}
