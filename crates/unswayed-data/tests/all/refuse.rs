//! Data that is refused: one test per reason, with the exact message.

use crate::common::{fixture, message, npy, npy_f64, npz, policy, refusal, refusal_of_pair};
use unswayed_data::{Dataset, LabelPolicy, Problem, Reading, Source, load};

fn plain(name: &str, content: impl AsRef<[u8]>) -> String {
    refusal(name, content, &Reading::default())
}

fn refused_fixture(name: &str) -> String {
    message(load(&Source::path(fixture(name)), &Reading::default()), &fixture(""))
        .replace(&format!("{}", fixture("").display()), "")
}

/// A `.npz` file with these features of two rows and one column.
fn with_x(x: Vec<u8>) -> Vec<u8> {
    npz(&[("x", x), ("y", npy_f64("(2,)", &[0.0, 1.0]))])
}

/// A `.npz` file with good features and these labels.
fn with_y(y: Vec<u8>) -> Vec<u8> {
    npz(&[("x", npy_f64("(2, 1)", &[0.5, 0.25])), ("y", y)])
}

/// A `.npz` file with good features and labels and these weights.
fn with_weights(shape: &str, weights: &[f64]) -> Vec<u8> {
    npz(&[
        ("x", npy_f64("(2, 1)", &[0.5, 0.25])),
        ("y", npy_f64("(2,)", &[0.0, 1.0])),
        ("weight", npy_f64(shape, weights)),
    ])
}

/// The message with which a file with a column or array `weight` is refused.
fn weighted(name: &str, content: impl AsRef<[u8]>) -> String {
    refusal(name, content, &Reading { weight_column: Some("weight".to_owned()), ..Reading::default() })
}

/// One test per line: a name, the message found, the message expected.
macro_rules! refuses {
    ($($name:ident: $found:expr => $expected:expr;)*) => {
        $(
            #[test]
            fn $name() {
                assert_eq!($found, $expected);
            }
        )*
    };
}

refuses! {
    a_missing_file: load(&Source::path("no/such.csv"), &Reading::default()).unwrap_err().for_command_line()
        => "no/such.csv: there is no such file; check the path";
    a_missing_label_file: {
        let x = fixture("numpy_x.npy");
        load(&Source::path(x).labels("no/y.npy"), &Reading::default()).unwrap_err().to_string()
    } => "no/y.npy: there is no such file; check the path";
    a_directory: load(&Source::path(env!("CARGO_MANIFEST_DIR")), &Reading::default()).unwrap_err().to_string()
        => concat!(env!("CARGO_MANIFEST_DIR"), ": there are no tables in this folder; name a folder of .csv, .tsv, .jsonl or .parquet files, a pattern that fits some, or a list of them");
    an_unknown_ending: plain("a.txt", "x")
        => "a.txt: the format is told from the file's ending, and this one is not known; use .npz, .npy, .csv, .tsv, .jsonl, .parquet or .svm";
    zero_rows_wanted: refusal("a.csv", "a,label\n1,0\n", &Reading { rows: Some(0), ..Reading::default() })
        => "a.csv: zero rows were asked for; ask for at least one (`--rows`)";
    more_rows_than_there_are: refusal("a.csv", "a,label\n1,0\n1,1\n", &Reading { rows: Some(3), ..Reading::default() })
        => "a.csv: the first 3 rows were asked for, but there are only 2; ask for fewer (`--rows`)";
}

refuses! {
    csv_empty: plain("a.csv", "") => "a.csv: the file is empty; write or download it again";
    csv_header_only: plain("a.csv", "a,label\n") => "a.csv: there are no rows; at least one is needed";
    csv_no_features: weighted("a.csv", "label,weight\n0,1\n") => "a.csv: there are no feature columns; at least one is needed";
    csv_no_label_column: plain("a.csv", "a,b\n1,0\n")
        => r#"a.csv: there is no label column "label"; the file has "a", "b"; name the column (`--label-column`)"#;
    csv_many_columns: plain("a.csv", "a,b,c,d,e,f,g,h,i,j,k,l\n1,0\n")
        => r#"a.csv: there is no label column "label"; the file has "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", 2 more; name the column (`--label-column`)"#;
    csv_duplicate_column: plain("a.csv", "a,label,a\n1,0,2\n")
        => r#"a.csv: column "a": columns 1 and 3 have this name; rename or remove one of them"#;
    csv_pandas_index: refused_fixture("pandas_index.csv")
        => "pandas_index.csv: column 1: the column is a saved row index or has no name; save without the index (pandas: `index=False`), leave it out (`--drop-columns`), or name the column";
    csv_no_header: plain("a.csv", "0.5,1\n0.25,0\n")
        => "a.csv: the first line holds numbers; add a line of column names above it";
    csv_ragged: plain("a.csv", "a,label\n1,0\n1,0,7\n")
        => "a.csv: row 2 (line 3): the row has 3 cells instead of 2; repair the row";
    csv_cut_short: plain("a.csv", "a,b,label\n1,0,1\n1,")
        => "a.csv: row 2 (line 3): the row has 2 cells instead of 3; repair the row";
    csv_text_cell: plain("spam.csv", "age,label\n1,0\nn/a,1\n")
        => r#"spam.csv: row 2 (line 3), column "age": "n/a" is not a number; remove the row or replace the value"#;
    csv_line_after_blank_lines: plain("a.csv", "a,label\n\n\r\n1,0\n\n\nx,1\n")
        => r#"a.csv: row 2 (line 7), column "a": "x" is not a number; remove the row or replace the value"#;
    csv_line_after_quoted_break: plain("a.csv", "\"a\nb\",label\n1,\"x\ny\"\nq,1\n")
        => r#"a.csv: row 2 (line 5), column "a\nb": "q" is not a number; remove the row or replace the value"#;
    csv_long_text_cell: plain("a.csv", format!("a,label\n{},1\n", "é".repeat(99)))
        => format!(r#"a.csv: row 1 (line 2), column "a": "{}…" is not a number; remove the row or replace the value"#, "é".repeat(39));
    csv_empty_cell: plain("a.csv", "a,b,label\n1, ,0\n")
        => r#"a.csv: row 1 (line 2), column "b": the value is missing; remove the row or fill in the value"#;
    csv_nan: plain("a.csv", "a,label\nNaN,0\n")
        => r#"a.csv: row 1 (line 2), column "a": NaN is not a finite number; remove the row or replace the value"#;
    csv_infinite: plain("a.csv", "a,label\n1,0\n-1e999,0\n")
        => r#"a.csv: row 2 (line 3), column "a": -inf is not a finite number; remove the row or replace the value"#;
    csv_label_missing: plain("a.csv", "a,label\n1,0\n1,\n")
        => r#"a.csv: row 2 (line 3), column "label": the value is missing; remove the row or fill in the value"#;
    csv_label_nan: plain("a.csv", "a,label\n1,0\n1,nan\n")
        => r#"a.csv: row 2 (line 3), column "label": NaN is not a finite number; remove the row or replace the value"#;
    csv_label_typo: plain("a.csv", "a,label\n1,0\n1,0.5\n1,1\n1,o\n")
        => r#"a.csv: row 4 (line 5), column "label": "o" is not a number; remove the row or replace the value"#;
    csv_negative_weight: weighted("a.csv", "a,label,weight\n1,0,1\n1,1,-2\n")
        => r#"a.csv: row 2 (line 3), column "weight": the weight -2.0 is negative; weights are at least 0"#;
    csv_zero_weights: weighted("a.csv", "a,label,weight\n1,0,0\n1,1,0\n")
        => r#"a.csv: column "weight": every weight is 0; at least one must be positive"#;
    csv_binary: plain("a.csv", b"a,label\n\xff\xfe,0\n")
        => "a.csv: row 1 (line 2), column \"a\": \"\u{fffd}\u{fffd}\" is not a number; remove the row or replace the value";
}

refuses! {
    one_class: plain("a.csv", "a,label\n1,yes\n1,yes\n")
        => r#"a.csv: column "label": every label is "yes", and two classes are needed; add the other class, or take the labels as scores (`--scores`)"#;
    one_numeric_class: plain("a.npz", with_y(npy_f64("(2,)", &[3.0, 3.0])))
        => r#"a.npz: array "y": every label is "3", and two classes are needed; add the other class, or take the labels as scores (`--scores`)"#;
    three_texts: plain("a.csv", "a,label\n1,x\n1,y\n1,x\n1,w\n")
        => r#"a.csv: row 4 (line 5), column "label": "w" is a third label beside "x" and "y"; keep two classes, use scores between -1 and 1, or certify a learner of several classes (`--loss multiclass`)"#;
    three_numbers: plain("a.csv", "a,label\n1,0\n1,1\n1,2\n")
        => r#"a.csv: row 3 (line 4), column "label": "2" is a third label beside "0" and "1"; keep two classes, use scores between -1 and 1, or certify a learner of several classes (`--loss multiclass`)"#;
    score_out_of_range: refusal("a.csv", "a,label\n1,0\n1,1.5\n", &policy(LabelPolicy::Scores))
        => r#"a.csv: row 2 (line 3), column "label": the score 1.5 is not between -1 and 1; scale the scores"#;
    text_scores: refusal("a.csv", "a,label\n1,x\n1,y\n", &policy(LabelPolicy::Scores))
        => r#"a.csv: row 1 (line 2), column "label": the label "x" is not a number, so it cannot be a score; use numbers or two classes"#;
    long_row: plain("a.csv", "a,b,label\n0,1,0\n3,4,1\n")
        => "a.csv: row 2 (line 3): the norm 5.0 is larger than 1; divide all rows by the largest norm (`--normalize`)";
    slightly_long_row: plain("a.npz", with_x(npy_f64("(2, 1)", &[0.5, -1.000_002])))
        => "a.npz: row 2: the norm 1.000002 is larger than 1; divide all rows by the largest norm (`--normalize`)";
    huge_row: refusal("a.csv", "a,b,label\n0,1,0\n1.7e308,1.7e308,1\n", &Reading { normalize: true, ..Reading::default() })
        => "a.csv: row 2 (line 3): the norm is too large for a number; scale the features";
}

refuses! {
    npy_without_labels: plain("x.npy", npy_f64("(1, 1)", &[1.0]))
        => r#"x.npy: there are features but no labels; name the file of the labels too (`--labels`), or save both in one .npz file as "x" and "y""#;
    npy_empty: plain_z("z.npy", b"") => "z.npy: the file is empty; write or download it again";
    npy_header_cut: plain_z("z.npy", &npy_f64("(2, 2)", &[])[..30])
        => "z.npy: the file is cut short or damaged (it ends too early); write or download it again";
    npy_not_npy: plain_z("z.npy", b"0123456789")
        => "z.npy: the file is cut short or damaged (it does not begin like a .npy file); write or download it again";
    npy_bad_header: plain_z("z.npy", &npy("<f8", "5", &[]))
        => "z.npy: the file is cut short or damaged (its header cannot be understood); write or download it again";
    npy_cut_short: plain_z("z.npy", &npy_f64("(2, 2)", &[0.0; 3]))
        => "z.npy: the file is cut short or damaged (the array is shorter than its header says); write or download it again";
    npy_too_long: plain_z("z.npy", &npy_f64("(2, 2)", &[0.0; 5]))
        => "z.npy: the file is cut short or damaged (it is longer than its header says); write or download it again";
    npy_huge_shape: plain_z("z.npy", &npy_f64("(9999999999999999, 9999999999)", &[0.0]))
        => "z.npy: the file is cut short or damaged (the array is shorter than its header says); write or download it again";
    npy_zero_times_huge: plain_z("z.npy", &npy_f64("(0, 9999999999999999, 9999999999)", &[]))
        => "z.npy: the array has the shape [0, 9999999999999999, 9999999999], but one of two dimensions (rows, features) is needed; reshape it";
    npy_no_rows: plain_z("z.npy", &npy_f64("(0, 3)", &[])) => "z.npy: there are no rows; at least one is needed";
    npy_no_columns: plain_z("z.npy", &npy_f64("(3, 0)", &[]))
        => "z.npy: there are no feature columns; at least one is needed";
    npy_one_dimension: plain_z("z.npy", &npy_f64("(3,)", &[0.0; 3]))
        => "z.npy: the array has the shape [3], but one of two dimensions (rows, features) is needed; reshape it";
    npy_nan: plain_z("z.npy", &npy_f64("(2, 2)", &[0.0, 0.0, f64::NAN, 0.0]))
        => "z.npy: row 2, column 1: NaN is not a finite number; remove the row or replace the value";
    npy_float16: refused_fixture_z("numpy_x_f16.npy")
        => "numpy_x_f16.npy: the values are of type float16; convert them to float32 or float64";
    npy_complex: refused_fixture_z("numpy_x_complex.npy")
        => "numpy_x_complex.npy: the values are of type complex; convert them to float32 or float64";
    npy_object: refused_fixture_z("numpy_x_object.npy")
        => "numpy_x_object.npy: the values are of type object; convert them to float32 or float64";
    npy_structured: plain_z("z.npy", &structured())
        => "z.npy: the values are of type structured records; convert them to float32 or float64";
    npy_unknown_type: plain_z("z.npy", &npy("<M8[s]", "(1,)", &[0; 8]))
        => "z.npy: the values are of type <M8[s]; convert them to float32 or float64";
    npy_text_labels: {
        let source = Source::path(fixture("numpy_x.npy")).labels(fixture("numpy_y_text.npy"));
        message(load(&source, &Reading::default()), fixture("numpy_x.npy").parent().unwrap())
    } => "numpy_y_text.npy: the values are of type text (use numbers, or a .csv file for text labels); convert them to float32 or float64";
    npy_label_length: refusal_of_pair(&npy_f64("(2, 1)", &[0.0; 2]), &npy_f64("(3,)", &[0.0; 3]), &Reading::default())
        => "y.npy: there are 3 values for 2 rows; give exactly one per row";
    npy_label_nan: refusal_of_pair(&npy_f64("(2, 1)", &[0.0; 2]), &npy_f64("(2,)", &[0.0, f64::INFINITY]), &Reading::default())
        => "y.npy: row 2: inf is not a finite number; remove the row or replace the value";
    npy_third_label: refusal_of_pair(&npy_f64("(3, 1)", &[0.0; 3]), &npy_f64("(3,)", &[7.0, 8.0, 9.0]), &Reading::default())
        => r#"y.npy: row 3: "9" is a third label beside "7" and "8"; keep two classes, use scores between -1 and 1, or certify a learner of several classes (`--loss multiclass`)"#;
    npy_unwanted_labels: refusal_of_pair(&npy_f64("(1, 1)", &[0.0]), &npy_f64("(1,)", &[0.0]), &policy(LabelPolicy::None))
        => "x.npy: labels were given beside data that take none; leave them out (`--labels`); a file of labels is for .npy features and sparse matrices";
    npz_label_column: refusal("a.npz", npz(&[]), &Reading { label_column: Some("y".to_owned()), ..Reading::default() })
        => "a.npz: a label column was named, but these data have none; leave it out (`--label-column`); it goes with tables that have labels";
}

/// A `.npy` file of records instead of numbers.
fn structured() -> Vec<u8> {
    let mut file = npy("????????????", "(1,)", &[]);
    let quoted = file.windows(14).position(|part| part == b"'????????????'").expect("the type");
    file[quoted..quoted + 14].copy_from_slice(b"[('a', '<f4')]");
    file
}

fn plain_z(name: &str, content: &[u8]) -> String {
    refusal(name, content, &policy(LabelPolicy::Premultiplied))
}

fn refused_fixture_z(name: &str) -> String {
    let options = policy(LabelPolicy::Premultiplied);
    message(load(&Source::path(fixture(name)), &options), fixture(name).parent().unwrap())
}

refuses! {
    npz_empty: plain("a.npz", "")
        => "a.npz: the file is empty; write or download it again";
    npz_without_x: plain("a.npz", npz(&[("a", vec![]), ("y", vec![])]))
        => r#"a.npz: there is no array "x"; the file has "a", "y"; save the features as "x" and the labels as "y" (NumPy: `savez(file, x=…, y=…)`)"#;
    npz_without_y: plain("a.npz", npz(&[("x", npy_f64("(1, 1)", &[0.0]))]))
        => r#"a.npz: there is no array "y"; the file has "x"; save the features as "x" and the labels as "y" (NumPy: `savez(file, x=…, y=…)`)"#;
    npz_without_z: refusal("a.npz", npz(&[]), &policy(LabelPolicy::Premultiplied))
        => r#"a.npz: there is no array "z"; the file has nothing; save the rows as "z" (NumPy: `savez(file, z=…)`)"#;
    npz_x_and_z: plain("a.npz", npz(&[("x", vec![]), ("z", vec![])]))
        => r#"a.npz: the file has both "x" and "z", so the rows could be made in two ways; keep one of them"#;
    npz_cell: plain("a.npz", with_x(npy_f64("(2, 1)", &[0.0, f64::NEG_INFINITY])))
        => r#"a.npz: array "x", row 2, column 1: -inf is not a finite number; remove the row or replace the value"#;
    npz_array_cut_short: plain("a.npz", with_x(npy_f64("(2, 7)", &[0.0, 0.0])))
        => r#"a.npz: array "x": the file is cut short or damaged (the array is shorter than its header says); write or download it again"#;
    npz_label_shape: plain("a.npz", with_y(npy_f64("(1, 2)", &[0.0, 1.0])))
        => r#"a.npz: array "y": the array has the shape [1, 2], but one value per row is needed; reshape it"#;
    npz_weight_length: weighted("a.npz", with_weights("(3,)", &[1.0; 3]))
        => r#"a.npz: array "weight": there are 3 values for 2 rows; give exactly one per row"#;
    npz_negative_weight: weighted("a.npz", with_weights("(2,)", &[1.0, -0.5]))
        => r#"a.npz: array "weight", row 2: the weight -0.5 is negative; weights are at least 0"#;
    npz_zero_weights: weighted("a.npz", with_weights("(2,)", &[0.0, -0.0]))
        => r#"a.npz: array "weight": every weight is 0; at least one must be positive"#;
}

refuses! {
    parquet_empty_file: plain("a.parquet", "")
        => "a.parquet: the file is empty; write or download it again";
    parquet_no_rows: refused_fixture("pyarrow_empty.parquet")
        => "pyarrow_empty.parquet: there are no rows; at least one is needed";
    parquet_null: refused_fixture("pyarrow_null.parquet")
        => r#"pyarrow_null.parquet: row 2, column "a": the value is missing; remove the row or fill in the value"#;
    parquet_nan: refused_fixture("pyarrow_nan.parquet")
        => r#"pyarrow_nan.parquet: row 2, column "a": NaN is not a finite number; remove the row or replace the value"#;
    parquet_list: refused_fixture("pyarrow_list.parquet")
        => r#"pyarrow_list.parquet: column "a.list.element": the values are of type list; convert them to float32 or float64"#;
    parquet_text: refused_fixture("pyarrow_text.parquet")
        => r#"pyarrow_text.parquet: column "a": the values are of type text; convert them to float32 or float64"#;
    parquet_time: refused_fixture("pyarrow_time.parquet")
        => r#"pyarrow_time.parquet: column "a": the values are dates or times; leave the column out (`--drop-columns`), or make a number of it, such as the days since an event"#;
}

refuses! {
    rows_without_columns: Dataset::from_rows(vec![], 0, None).unwrap_err().to_string()
        => "there are no feature columns; at least one is needed";
    rows_without_rows: Dataset::from_rows(vec![], 2, None).unwrap_err().to_string()
        => "there are no rows; at least one is needed";
    rows_ragged: Dataset::from_rows(vec![0.0; 5], 2, None).unwrap_err().to_string()
        => "row 3: the row has 1 cells instead of 2; repair the row";
    rows_nan: Dataset::from_rows(vec![0.0, f64::NAN], 2, None).unwrap_err().to_string()
        => "row 1, column 2: NaN is not a finite number; remove the row or replace the value";
    rows_weight_count: Dataset::from_rows(vec![0.0; 4], 2, Some(vec![1.0])).unwrap_err().to_string()
        => r#"array "weight": there are 1 values for 2 rows; give exactly one per row"#;
    rows_weight_nan: Dataset::from_rows(vec![0.0; 2], 1, Some(vec![1.0, f64::NAN])).unwrap_err().to_string()
        => r#"array "weight", row 2: NaN is not a finite number; remove the row or replace the value"#;
    first_of_none: Dataset::from_rows(vec![0.0; 2], 1, None).unwrap().first(0).unwrap_err().to_string()
        => "zero rows were asked for; ask for at least one";
    first_of_too_few: Dataset::from_rows(vec![0.0; 2], 1, None).unwrap().first(3).unwrap_err().to_string()
        => "the first 3 rows were asked for, but there are only 2; ask for fewer";
}

#[test]
fn errors_tell_their_parts() {
    let error = load(&Source::bytes("a.csv", "a,label\nx,0\n"), &Reading::default()).unwrap_err();
    assert_eq!(error.file(), "a.csv");
    assert_eq!((error.place().row, error.place().line), (Some(1), Some(2)));
    assert_eq!(*error.problem(), Problem::NotANumber("x".to_owned()));
}
