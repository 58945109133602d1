//! Data that loads: all formats, labels, weights, scale, rows.

use std::sync::Arc;

use crate::common::{Z, fixture, load_file, npy_f64, npz, policy};
use parquet::data_type::{DoubleType, Int32Type};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use proptest::prelude::*;
use unswayed_data::{Dataset, LabelPolicy, Labels, Reading, Source, load};

/// Two of the fixtures have weights.
fn weights_of(name: &str) -> Option<String> {
    ["numpy_f32_compressed.npz", "pandas_bool.parquet"].contains(&name).then(|| "weight".to_owned())
}

fn load_fixture(name: &str) -> Dataset {
    let reading = Reading { weight_column: weights_of(name), ..Reading::default() };
    load(&Source::path(fixture(name)), &reading).expect("a good file")
}

fn labels(negative: &str, positive: &str) -> Labels {
    Labels::Classes { negative: negative.to_owned(), positive: positive.to_owned() }
}

/// Same numbers, and no −0 among them.
fn assert_same(found: &[f64], expected: &[f64]) {
    let bits = |values: &[f64]| values.iter().map(|v| (v + 0.0).to_bits()).collect::<Vec<_>>();
    let raw: Vec<u64> = found.iter().map(|v| v.to_bits()).collect();
    assert_eq!(raw, bits(expected));
}

#[test]
fn foreign_single_files_hold_the_same_rows() {
    let expected = [
        ("numpy_f64.npz", labels("-1", "1")),
        ("numpy_f32_compressed.npz", labels("-1", "1")),
        ("numpy_z.npz", Labels::Premultiplied),
        ("pandas.csv", labels("ham", "spam")),
        ("pandas_snappy.parquet", labels("ham", "spam")),
        ("pandas_gzip.parquet", labels("ham", "spam")),
        ("pandas_lz4.parquet", labels("ham", "spam")),
        ("pandas_none.parquet", labels("ham", "spam")),
        ("pandas_bool.parquet", labels("0", "1")),
        ("pyarrow_groups.parquet", labels("-1", "1")),
    ];
    for (name, labels) in expected {
        let data = load_fixture(name);
        assert_eq!((data.rows(), data.dimension()), (5, 3), "{name}");
        assert_same(data.z(), &Z);
        let origin = data.origin();
        assert_eq!((origin.file.as_str(), &origin.labels, origin.label_file.as_ref()), (name, &labels, None));
        assert_eq!((origin.rows, origin.of, origin.columns, origin.scale), (5, 5, 3, 1.0));
        let table = name.ends_with("csv") || name.ends_with("parquet");
        assert_eq!(origin.label_column, table.then(|| "label".to_owned()));
        assert_eq!(origin.weight_column, weights_of(name));
    }
}

#[test]
fn foreign_features_and_labels_in_two_files_hold_the_same_rows() {
    for x in ["numpy_x.npy", "numpy_x_fortran.npy", "numpy_x_big_endian.npy"] {
        for y in ["i1", "i2", "i4", "i8", "f4", "f8", "big_i4", "u1", "u2", "u4", "u8", "bool"] {
            let y = format!("numpy_y_{y}.npy");
            let source = Source::path(fixture(x)).labels(fixture(&y));
            let data = load(&source, &Reading::default()).expect("good files");
            assert_same(data.z(), &Z);
            assert_eq!(data.origin().label_file, Some(y.clone()));
            let signed = !(y.contains("_u") || y.contains("bool"));
            assert_eq!(data.origin().labels, labels(if signed { "-1" } else { "0" }, "1"));
        }
    }
}

#[test]
fn weights_are_kept_as_they_are() {
    for name in ["numpy_f32_compressed.npz", "pandas_bool.parquet"] {
        let data = load_fixture(name);
        assert_eq!(data.weights(), Some(&[1.0, 2.0, 0.0, 0.5, 1.5][..]));
        assert_eq!(data.probabilities(), [0.2, 0.4, 0.0, 0.1, 0.3]);
    }
    let text = "weight,a,label\n3,0.5,0\n1,0.25,1\n";
    let reading = Reading { weight_column: Some("weight".to_owned()), ..Reading::default() };
    let data = load_file("w.csv", text, &reading).expect("a good file");
    assert_eq!(data.weights(), Some(&[3.0, 1.0][..]));
    assert_eq!(data.z(), [-0.5, 0.25]);
    assert_eq!(load_fixture("pandas.csv").probabilities(), [0.2; 5]);
    let data = Dataset::from_rows(vec![1.0, 2.0], 1, Some(vec![-0.0, 2.0])).expect("good rows");
    assert!(data.weights().is_some_and(|weights| weights[0].is_sign_positive()));
}

#[test]
fn numbers_to_predict_stand_in_front_of_the_features() {
    let text = "a,label,b\n3,-17.5,4\n0.5,0,0\n";
    let numbers = Reading { normalize: true, ..policy(LabelPolicy::Numbers) };
    let data = load_file("n.csv", text, &numbers).expect("a good file");
    // Features are divided by the largest norm, labels stay as they are.
    for (found, wanted) in data.z().iter().zip([-17.5, 0.6, 0.8, 0.0, 0.1, 0.0]) {
        assert!((found - wanted).abs() < 1e-12, "{:?}", data.z());
    }
    let origin = data.origin();
    assert_eq!((&origin.labels, origin.columns, origin.dimension()), (&Labels::Numbers, 2, 3));
    assert!(data.z()[0] <= -17.5 && (origin.scale - 5.0).abs() < 1e-12, "{}", origin.scale);
    assert!(data.describe().contains("labels are numbers"), "{}", data.describe());
    // Another label is another digest.
    let other = load_file("n.csv", text.replace("17.5", "17.25"), &numbers).expect("a good file");
    assert_ne!(origin.sha256, other.origin().sha256);
    let bad = load_file("n.csv", text.replace("-17.5", "many"), &numbers).expect_err("no number").to_string();
    assert!(bad.contains("many"), "{bad}");
    for name in ["numpy_f64.npz", "pyarrow_groups.parquet"] {
        let data = load(&Source::path(fixture(name)), &policy(LabelPolicy::Numbers)).expect("a good file");
        assert_eq!(data.dimension(), 4);
        assert!(data.iter().all(|row| row[0].abs().to_bits() == 1.0_f64.to_bits()), "{name}");
    }
}

#[test]
fn integer_columns_of_parquet_keep_their_signs() {
    let options = Reading { normalize: true, ..Reading::default() };
    let data = load(&Source::path(fixture("pyarrow_integers.parquet")), &options).expect("a good file");
    let scale = data.origin().scale;
    assert_same(data.z(), &[0.0, 1.0 / scale, 4_294_967_295.0 / scale, 1.0 / scale]);
}

/// A Parquet file of `a` = 1/(1+row) and a label that alternates, in groups of 5000 rows.
fn long_parquet(rows: u16) -> Vec<u8> {
    let schema = "message m { required double a; required int32 label; }";
    let schema = Arc::new(parse_message_type(schema).expect("a schema"));
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).expect("a file");
    for group in (0..rows).collect::<Vec<_>>().chunks(5000) {
        let mut writer = file.next_row_group().expect("a group");
        let a: Vec<f64> = group.iter().map(|&i| 1.0 / (1.0 + f64::from(i))).collect();
        let labels: Vec<i32> = group.iter().map(|&i| i32::from(i % 2)).collect();
        let mut column = writer.next_column().expect("a column").expect("a column");
        let typed = column.typed::<DoubleType>();
        typed.write_batch(&a, None, None).expect("values");
        column.close().expect("a column");
        let mut column = writer.next_column().expect("a column").expect("a column");
        let typed = column.typed::<Int32Type>();
        typed.write_batch(&labels, None, None).expect("values");
        column.close().expect("a column");
        writer.close().expect("a group");
    }
    file.into_inner().expect("a file")
}

#[test]
fn parquet_rows_stay_in_order_over_batches_and_groups() {
    let content = long_parquet(12_345);
    let expected: Vec<f64> =
        (0..12_345_u16).map(|i| (if i % 2 == 0 { -1.0 } else { 1.0 }) / (1.0 + f64::from(i))).collect();
    for rows in [None, Some(2), Some(4096), Some(4097), Some(5000), Some(9999), Some(12_345)] {
        let options = Reading { rows, ..Reading::default() };
        let data = load_file("long.parquet", &content, &options).expect("a good file");
        assert_same(data.z(), &expected[..rows.unwrap_or(12_345)]);
    }
}

#[test]
fn unlabelled_samples_may_be_long() {
    let options = policy(LabelPolicy::None);
    let data = load_file("s.csv", "a,b\n3,4\n-5,0\n", &options).expect("a good file");
    assert_eq!((data.z(), data.largest_norm()), (&[3.0, 4.0, -5.0, 0.0][..], 5.0));
    let content = npz(&[("x", npy_f64("(2, 1)", &[7.0, -0.0]))]);
    assert_same(load_file("s.npz", content, &options).expect("a good file").z(), &[7.0, 0.0]);
    let content = npy_f64("(1, 2)", &[2.0, 3.0]);
    assert_same(load_file("s.npy", content, &options).expect("a good file").z(), &[2.0, 3.0]);
    let source = Source::path(fixture("pyarrow_groups.parquet"));
    assert_eq!(load(&source, &options).expect("a good file").dimension(), 4);
}

#[test]
fn rows_can_be_premultiplied() {
    let options = policy(LabelPolicy::Premultiplied);
    let content = npy_f64("(2, 1)", &[0.5, -1.0]);
    let data = load_file("z.npy", content, &options).expect("a good file");
    assert_eq!((data.z(), &data.origin().labels), (&[0.5, -1.0][..], &Labels::Premultiplied));
    let source = Source::path(fixture("numpy_z.npz"));
    assert_same(load(&source, &options).expect("a good file").z(), &Z);
}

#[test]
fn labels_are_classes_or_scores() {
    let load = |values: &str, labels| {
        let rows = format!("1,{}", values.replace(' ', "\n1,"));
        let data = load_file("y.csv", format!("a,label\n{rows}"), &policy(labels)).expect("a good file");
        (data.z().to_vec(), data.origin().labels.clone())
    };
    let detect = LabelPolicy::Detect;
    assert_eq!(load("2 1.0 1", detect), (vec![1.0, -1.0, -1.0], labels("1", "2")));
    assert_eq!(load("10 9", detect), (vec![1.0, -1.0], labels("9", "10")));
    assert_eq!(load("0.5 -0", detect), (vec![1.0, -1.0], labels("0", "0.5")));
    assert_eq!(load("b a b", detect), (vec![1.0, -1.0, 1.0], labels("a", "b")));
    assert_eq!(load("a 1 a", detect), (vec![1.0, -1.0, 1.0], labels("1", "a")));
    assert_eq!(load("0.5 -1 0.25", detect), (vec![0.5, -1.0, 0.25], Labels::Scores));
    assert_eq!(load("0.5 -1", LabelPolicy::Scores), (vec![0.5, -1.0], Labels::Scores));
    assert_eq!(load("0.5 0.5", LabelPolicy::Scores), (vec![0.5, 0.5], Labels::Scores));
}

#[test]
fn csv_allows_quotes_spaces_blank_lines_and_a_byte_order_mark() {
    let text = "\u{feff}\"a, b\" , label\r\n 0.5 ,\"x\"\r\n\r\n1e-1,y\r\n\r\n";
    let data = load_file("q.csv", text, &Reading::default()).expect("a good file");
    assert_eq!(data.z(), [-0.5, 0.1]);
    let named = Reading { label_column: Some("kind".to_owned()), ..Reading::default() };
    let data = load_file("q.CSV", "kind,label\n1,0.5\n0,0.25", &named).expect("a good file");
    assert_eq!(data.z(), [0.5, -0.25]);
    let counted = Reading { label_column: Some("1".to_owned()), ..Reading::default() };
    let data = load_file("q.csv", "0,1\n0.5,1\n0.25,0\n", &counted).expect("a good file");
    assert_eq!(data.z(), [0.5, -0.25]);
}

#[test]
fn the_first_rows_alone_count() {
    let options = Reading { rows: Some(2), ..Reading::default() };
    let text = "a,label\n0.5,0\n0.25,1\n9,2\nnonsense\n";
    let data = load_file("f.csv", text, &options).expect("two good rows");
    assert_eq!(data.z(), [-0.5, 0.25]);
    assert_eq!((data.origin().rows, data.origin().of), (2, 4));
    for name in ["numpy_f64.npz", "pandas.csv", "pandas_gzip.parquet", "pyarrow_groups.parquet"] {
        for rows in 2..=5 {
            let options = Reading { rows: Some(rows), ..Reading::default() };
            let data = load(&Source::path(fixture(name)), &options).expect("a good file");
            assert_same(data.z(), &Z[..3 * rows]);
            assert_eq!(data, load_fixture(name).first(rows).expect("rows"), "{name}");
        }
    }
    let x = Source::path(fixture("numpy_x_fortran.npy")).labels(fixture("numpy_y_i8.npy"));
    assert_same(load(&x, &options).expect("good files").z(), &Z[..6]);
}

#[test]
fn a_norm_just_above_one_is_float32_rounding() {
    let text = "a,label\n1.0000009,0\n1,1\n";
    let data = load_file("n.csv", text, &Reading::default()).expect("rounding only");
    assert_eq!(data.z(), [-1.000_000_9, 1.0]);
}

#[test]
fn zero_rows_are_not_scaled() {
    let options = Reading { normalize: true, ..Reading::default() };
    let data = load_file("0.csv", "a,label\n0,0\n-0,1\n", &options).expect("a good file");
    assert!((data.origin().scale - 1.0).abs() < f64::EPSILON);
    assert_same(data.z(), &[0.0, 0.0]);
}

/// Whether the squares of a row sum to at most 1, in integer arithmetic that rounds up.
fn exactly_within_one(row: &[f64]) -> bool {
    let squares = row.iter().map(|v| in_units(v.abs()).pow(2));
    squares.sum::<u128>() <= 1 << 126
}

/// A number in [0, 1] as a multiple of 2^-63, rounded up.
fn in_units(v: f64) -> u128 {
    let bits = v.to_bits();
    let exponent = i32::try_from(bits >> 52).expect("eleven bits");
    let mantissa = u128::from(bits & ((1 << 52) - 1) | u64::from(exponent > 0) << 52);
    match exponent.max(1) - 1075 + 63 {
        left @ 0.. => mantissa << left,
        right => mantissa.checked_shr(right.unsigned_abs()).unwrap_or(0) + 1,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn text_and_binary_round_trip(values in prop::collection::vec(-0.4_f64..0.4, 12)) {
        let mut text = "a,b,c,d,label".to_owned();
        for (i, row) in values.chunks_exact(4).enumerate() {
            let cells: Vec<String> = row.iter().map(f64::to_string).collect();
            text += &["\n", &cells.join(","), if i == 0 { ",0" } else { ",1" }].concat();
        }
        let csv = load_file("r.csv", text, &Reading::default()).expect("good");
        let arrays = [("x", npy_f64("(3, 4)", &values)), ("y", npy_f64("(3, 1)", &[0.0, 1.0, 1.0]))];
        let npz = load_file("r.npz", npz(&arrays), &Reading::default()).expect("good");
        prop_assert_eq!(csv.z(), npz.z());
        let signed: Vec<f64> = values.iter().enumerate().map(|(i, v)| if i < 4 { -v } else { *v }).collect();
        assert_same(csv.z(), &signed);
    }

    #[test]
    fn normalized_rows_are_within_one_exactly(
        values in prop::collection::vec(-1.0_f64..1.0, 30),
        exponent in -1070_i32..1020,
        dimension in prop::sample::select(vec![1_usize, 2, 3, 5, 15, 30]),
    ) {
        let factor = 2_f64.powi(exponent / 2) * 2_f64.powi(exponent - exponent / 2);
        let values: Vec<f64> = values.iter().map(|v| v * factor).collect();
        let shape = format!("({}, {dimension})", 30 / dimension);
        let options = Reading { labels: LabelPolicy::Premultiplied, normalize: true, ..Reading::default() };
        let data = load_file("n.npy", npy_f64(&shape, &values), &options).expect("good");
        for row in &data {
            prop_assert!(exactly_within_one(row), "{:?}", row);
        }
        if exponent > -1000 {
            prop_assert!(data.largest_norm() > 1.0 - 1e-13);
        }
        assert_same(data.z(), &values.iter().map(|v| v / data.origin().scale).collect::<Vec<_>>());
    }
}
