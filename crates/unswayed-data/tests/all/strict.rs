//! What is refused because it could be meant in two ways, and what is accepted just inside of that.

use unswayed_data::{LabelPolicy, RawLabels, Reading, Setting, Table};

use crate::common::{load_file, npy, npy_f64, npz, npz_members, parquet_booleans, policy, refusal};

fn x() -> Vec<u8> {
    npy_f64("(2, 1)", &[0.5, 0.25])
}

fn y() -> Vec<u8> {
    npy_f64("(2,)", &[0.0, 1.0])
}

fn weighted(column: &str) -> Reading {
    Reading { weight_column: Some(column.to_owned()), ..Reading::default() }
}

#[test]
fn weights_are_used_only_if_they_are_named() {
    let text = "a,weight,label\n0.5,0.5,0\n0.25,0.25,1\n";
    let data = load_file("w.csv", text, &Reading::default()).expect("a feature called weight");
    assert_eq!((data.dimension(), data.weights(), data.names()), (2, None, vec!["a", "weight"]));
    let data = load_file("w.csv", text, &weighted("weight")).expect("weights");
    assert_eq!((data.dimension(), data.weights()), (1, Some(&[0.5, 0.25][..])));
    let data = load_file("w.csv", text, &weighted("a")).expect("weights of another name");
    assert_eq!((data.weights(), data.names()), (Some(&[0.5, 0.25][..]), vec!["weight"]));
    assert_eq!(
        refusal("w.csv", text, &weighted("w")),
        r#"w.csv: there is no weight column "w"; the file has "a", "weight", "label"; name the column (`--weight-column`)"#
    );
    assert_eq!(
        refusal("w.csv", text, &weighted("label")),
        r#"w.csv: column "label": the column is named for the labels and for the weights; name two columns"#
    );
    assert_eq!(
        refusal("w.npy", x(), &Reading { labels: LabelPolicy::Premultiplied, ..weighted("w") }),
        "w.npy: weights were given or named, but these data take none; leave them out (`--weight-column`); a column of \
         weights goes with .npz files and tables"
    );
}

#[test]
fn every_array_of_an_npz_file_is_used() {
    let file = npz(&[("x", x()), ("y", y()), ("w", y())]);
    let data = load_file("w.npz", &file, &weighted("w")).expect("named weights");
    assert_eq!(data.weights(), Some(&[0.0, 1.0][..]));
    assert_eq!(data.origin().weight_column.as_deref(), Some("w"));
    assert_eq!(
        refusal("w.npz", &file, &Reading::default()),
        r#"w.npz: there are arrays that are not used: "w"; save the file without them, or name the one that holds weights (`--weight-column`)"#
    );
    assert_eq!(
        refusal("w.npz", npz(&[("x", x()), ("y", y())]), &weighted("w")),
        r#"w.npz: there is no array "w"; the file has "x", "y"; check the name"#
    );
    // Samples take no labels.
    let file = npz(&[("x", x()), ("y", y())]);
    assert!(refusal("s.npz", file, &policy(LabelPolicy::None)).contains(r#"not used: "y""#));
    assert!(load_file("s.npz", npz(&[("x", x())]), &policy(LabelPolicy::None)).is_ok());
}

#[test]
fn an_npz_file_has_one_array_of_a_name() {
    let good = npz_members(&[("x", x()), ("y.npy", y())]);
    assert!(load_file("a.npz", good, &Reading::default()).is_ok(), "names without an ending are fine");
    let two = npz_members(&[("x", x()), ("x.npy", x()), ("y.npy", y())]);
    let expected = r#"a.npz: the file has two arrays "x"; keep one of them"#;
    assert_eq!(refusal("a.npz", two, &Reading::default()), expected);
    // Two members of the same name; a writer refuses that, so one is renamed afterwards.
    let mut two = npz_members(&[("x.npy", x()), ("q.npy", x()), ("y.npy", y())]);
    for at in 0..two.len() - 5 {
        if &two[at..at + 5] == b"q.npy" {
            two[at] = b'x';
        }
    }
    assert_eq!(refusal("a.npz", two, &Reading::default()), expected);
    for labels in [LabelPolicy::Detect, LabelPolicy::Premultiplied, LabelPolicy::Scores] {
        let both = npz(&[("x", x()), ("y", y()), ("z", x())]);
        assert_eq!(
            refusal("a.npz", both, &policy(labels)),
            "a.npz: the file has both \"x\" and \"z\", so the rows could be made in two ways; keep one of them"
        );
    }
}

#[test]
fn labels_are_one_column() {
    let with_y = |x, y| load_file("a.npz", npz(&[("x", x), ("y", y)]), &policy(LabelPolicy::Scores));
    assert!(with_y(x(), npy_f64("(2, 1)", &[0.0, 1.0])).is_ok());
    assert!(with_y(x(), npy_f64("(1, 2)", &[0.0, 1.0])).is_err());
    assert!(with_y(npy_f64("(1, 1)", &[0.5]), npy_f64("(1, 1)", &[1.0])).is_ok());
    assert!(with_y(x(), npy_f64("(2, 1, 1)", &[0.0, 1.0])).is_err());
    assert!(with_y(x(), npy_f64("()", &[0.0])).is_err());
}

#[test]
fn truth_values_are_numbers_in_every_format() {
    let text = "a,b,label\nTRUE,0.5,true\nfalse,-0.5,False\n";
    let reading = Reading { normalize: true, ..Reading::default() };
    let csv = load_file("b.csv", text, &reading).expect("truth values");
    let file = parquet_booleans(&[true, false], &[0.5, -0.5], &[true, false]);
    let parquet = load_file("b.parquet", file, &reading).expect("truth values");
    assert_eq!(csv.table(), parquet.table());
    assert_eq!(csv.origin().same_rows(parquet.origin()), Ok(()));
    assert_eq!(csv.table().x, [1.0, 0.5, 0.0, -0.5]);
    assert_eq!(csv.table().y, Some(RawLabels::Numbers(vec![1.0, 0.0])));
    let arrays = [("x", npy_f64("(2, 2)", &[1.0, 0.5, 0.0, -0.5])), ("y", npy("|b1", "(2,)", &[1, 0]))];
    let npz = load_file("b.npz", npz(&arrays), &reading).expect("truth values");
    assert_eq!(csv.origin().same_rows(npz.origin()), Ok(()));
    // Beside another text they are texts.
    let data = load_file("b.csv", "a,label\n0.5,true\n0.25,maybe\n", &Reading::default()).expect("texts");
    assert_eq!(data.origin().labels.classes(), ["maybe", "true"]);
    assert!(load_file("b.csv", "a,label\nyes,0\n0.25,1\n", &Reading::default()).is_err());
}

#[test]
fn names_of_columns_differ() {
    let good = "a,A,label\n0.5,0.5,0\n0.25,0.25,1\n";
    assert!(load_file("a.csv", good, &Reading::default()).is_ok());
    let bad = "a,a ,label\n0.5,0.5,0\n0.25,0.25,1\n";
    assert!(refusal("a.csv", bad, &Reading::default()).contains("columns 1 and 2 have this name"));
    let bad =
        crate::common::parquet_doubles(&["a", "a", "label"], &[&[0.5, 0.25], &[0.5, 0.25], &[0.0, 1.0]]);
    assert!(refusal("a.parquet", bad, &Reading::default()).contains("columns 1 and 2 have this name"));
}

#[test]
fn texts_and_kinds_of_labels_have_limits() {
    let many = |kinds: usize| RawLabels::texts((0..kinds).map(|kind| format!("k{kind}")));
    assert!(many(1000).is_ok());
    assert!(many(1001).unwrap_err().to_string().contains("more than 1000 different labels"));
    assert!(RawLabels::texts(["a".repeat(1000)]).is_ok());
    assert!(RawLabels::texts(["a".repeat(1001)]).unwrap_err().to_string().contains("1001 bytes"));
    assert!(RawLabels::texts([" "]).is_err());
    let many = |kinds: u16| {
        let y = (0..kinds).map(f64::from).collect();
        let table = Table { y: Some(RawLabels::Numbers(y)), ..Table::new(vec![0.5; kinds.into()], 1) };
        table.into_dataset(&policy(LabelPolicy::Multiclass))
    };
    assert_eq!(many(1000).expect("classes").origin().labels.classes().len(), 1000);
    assert!(many(1001).is_err());
}

#[test]
fn remedies_are_worded_for_who_reads_them() {
    let table = Table::new(vec![3.0, 4.0], 2);
    let error = table.into_dataset(&policy(LabelPolicy::Premultiplied)).unwrap_err();
    let text = "row 1: the norm 5.0 is larger than 1; divide all rows by the largest norm";
    assert_eq!(error.to_string(), text);
    assert_eq!(error.for_command_line(), format!("{text} (`--normalize`)"));
    assert_eq!(error.for_python(), format!("{text} (`normalize=True`)"));
    assert_eq!((Setting::Scores.flag(), Setting::Scores.argument()), ("--scores", "labels=\"scores\""));
}

#[test]
fn in_memory_the_same_is_refused() {
    let table = |y: Option<RawLabels>, weights| Table { y, weights, ..Table::new(vec![0.5, 0.25], 1) };
    let numbers = |values: &[f64]| Some(RawLabels::Numbers(values.to_vec()));
    let made = |table: Table, labels| table.into_dataset(&policy(labels));
    assert!(made(table(numbers(&[0.0, 1.0]), Some(vec![1.0, 2.0])), LabelPolicy::Detect).is_ok());
    assert!(made(table(None, None), LabelPolicy::Detect).is_err());
    assert!(made(table(numbers(&[0.0, 1.0]), None), LabelPolicy::Premultiplied).is_err());
    assert!(made(table(numbers(&[0.0]), None), LabelPolicy::Detect).is_err());
    assert!(made(table(numbers(&[0.0, f64::NAN]), None), LabelPolicy::Detect).is_err());
    assert!(made(table(None, Some(vec![1.0])), LabelPolicy::None).is_err());
    assert!(made(Table::new(vec![0.5; 3], 3), LabelPolicy::Preferences).is_err());
    let scaled = |scale| Reading { scale: Some(scale), ..policy(LabelPolicy::None) };
    assert!(table(None, None).into_dataset(&scaled(2.0)).is_ok());
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(table(None, None).into_dataset(&scaled(scale)).is_err(), "{scale}");
    }
    assert!(Table::new(vec![1e300], 1).into_dataset(&scaled(1e-300)).is_err(), "not finite once divided");
    assert!(Table::new(vec![1e308, -1e308], 2).into_dataset(&policy(LabelPolicy::Preferences)).is_err());
}
