//! Origins: what they say, and that rows can be made again from them alone.

use proptest::prelude::*;
use unswayed_data::{
    ClassWeights, Dataset, LabelPolicy, Labels, Origin, RawLabels, Reading, Source, Table, load, reload,
};

use crate::common::{fixture, npy_f64, npz, policy};

fn data(text: &str, reading: &Reading) -> Dataset {
    load(&Source::bytes("d.csv", text), reading).expect("a good file")
}

/// The digests are those of the Python code in the documentation of [`Origin`].
#[test]
fn digests_are_those_of_another_implementation() {
    let table = |y, weights| Table { y, weights, ..Table::new(vec![0.5, 0.1, 0.2, -0.0], 2) };
    let digest =
        |table: Table| table.into_dataset(&Reading::default()).expect("good").origin().sha256.clone();
    assert_eq!(
        digest(table(Some(RawLabels::texts([" spam ", "ham"]).expect("texts")), None)),
        "1b0dee1e5a0c4bbd2a5313d0123a70d6cab88c8c51521bb234ac36352090c2e4"
    );
    assert_eq!(
        digest(table(Some(RawLabels::Numbers(vec![1.0, 0.0])), Some(vec![1.0, 2.5]))),
        "ddfd4a70036c5dece43caaf5c09c7044d535e423f4b4464a82ff27bd05b0e7c2"
    );
}

#[test]
fn the_digest_is_of_what_was_read_and_not_of_the_recipe() {
    let text = "a,b,label\n3,4,0\n0.5,1,1\n";
    let plain = data(text, &Reading { normalize: true, ..Reading::default() });
    let scaled = data(text, &Reading { scale: Some(10.0), ..Reading::default() });
    let scores = data(text, &Reading { scale: Some(10.0), ..policy(LabelPolicy::Scores) });
    assert_eq!(plain.origin().sha256, scaled.origin().sha256);
    assert_eq!(plain.origin().sha256, scores.origin().sha256);
    assert!(plain.origin().same_rows(scaled.origin()).unwrap_err().starts_with("scale: "));
    assert!(scores.origin().same_rows(scaled.origin()).unwrap_err().starts_with("labels: "));
    let renamed = Reading { label_column: Some("kind".to_owned()), scale: Some(10.0), ..Reading::default() };
    let renamed = load(&Source::bytes("other.csv", text.replace("label", "kind")), &renamed).expect("good");
    assert_eq!(renamed.origin().same_rows(scaled.origin()), Ok(()));
    for other in ["a,b,label\n3,4,0\n0.5,1.5,1\n", "a,b,label\n3,4,1\n0.5,1,0\n"] {
        let other = data(other, &Reading { scale: Some(10.0), ..Reading::default() });
        assert!(other.origin().same_rows(scaled.origin()).unwrap_err().starts_with("sha256: "));
    }
}

#[test]
fn it_is_written_and_read_strictly() {
    let origin = data("a,label\n0.5,ham\n0.25,spam\n", &Reading::default()).origin().clone();
    let json = serde_json::to_string(&origin).expect("text");
    assert!(json.contains(r#""labels":{"classes":{"negative":"ham","positive":"spam"}}"#), "{json}");
    assert_eq!(serde_json::from_str::<Origin>(&json).expect("an origin"), origin);
    let unknown = json.replacen('{', r#"{"more":1,"#, 1);
    assert!(serde_json::from_str::<Origin>(&unknown).is_err());
    let unknown = json.replace(r#""negative""#, r#""more":1,"negative""#);
    assert!(serde_json::from_str::<Origin>(&unknown).is_err());
    let kinds = [Labels::Scores, Labels::Premultiplied, Labels::Preferences, Labels::None];
    let names = ["scores", "premultiplied", "preferences", "none"];
    for (kind, name) in kinds.iter().zip(names) {
        assert_eq!(serde_json::to_string(kind).expect("text"), format!("{name:?}"));
    }
}

#[test]
fn it_says_everything_in_a_line() {
    let says = |text: &str, reading: &Reading| data(text, reading).origin().to_string();
    assert_eq!(
        says(
            "a,kind,w\n3,0,1\n4,1,2\n5,1,3\n",
            &Reading {
                label_column: Some("kind".to_owned()),
                weight_column: Some("w".to_owned()),
                scale: Some(5.0),
                rows: Some(2),
                ..Reading::default()
            }
        ),
        "d.csv: the first 2 of 3 rows, 1 column; label 0 is −1, 1 is +1; labels in column kind; weighted by w; rows \
         divided by 5"
    );
    assert_eq!(
        says("a,label\n0.5,0.5\n0.25,-0.5\n", &policy(LabelPolicy::Scores)),
        "d.csv: 2 rows, 1 column; labels are real scores"
    );
    assert_eq!(
        says("a,label\n0.5,x\n0.25,y\n1,z\n", &policy(LabelPolicy::Multiclass)),
        "d.csv: 3 rows, 1 column; 3 classes: x, y, z"
    );
    assert_eq!(
        says("chosen_a,rejected_a\n1,0.5\n", &policy(LabelPolicy::Preferences)),
        "d.csv: 1 row, 1 column; rows are chosen − rejected"
    );
    assert_eq!(says("a\n7\n", &policy(LabelPolicy::None)), "d.csv: 1 row, 1 column; samples without labels");
    let source = Source::path(fixture("numpy_x.npy")).labels(fixture("numpy_y_i8.npy"));
    assert_eq!(
        load(&source, &Reading::default()).expect("good files").describe(),
        "numpy_x.npy: 5 rows, 3 columns; label -1 is −1, 1 is +1; labels in numpy_y_i8.npy"
    );
}

/// A name that somebody chose cannot pass for a part of the statement.
#[test]
fn names_are_told_from_what_is_said() {
    let origin = data("a,label\n0.5,ham\n0.25,spam\n", &Reading::default()).origin().clone();
    let forged = "d.csv\nloss       at most 0.01\u{1b}[31m\u{202e}";
    let shown = r#""d.csv\nloss       at most 0.01\u{1b}[31m\u{202e}""#;
    let some = || Some(forged.to_owned());
    let classes = |negative: &str, positive: &str| Labels::Classes {
        negative: negative.to_owned(),
        positive: positive.to_owned(),
    };
    let weights = ClassWeights { negative: 2.0, positive: 1.0 };
    for (origin, times) in [
        (Origin { file: forged.to_owned(), ..origin.clone() }, 1),
        (Origin { label_file: some(), ..origin.clone() }, 1),
        (Origin { label_column: some(), ..origin.clone() }, 1),
        (Origin { weight_column: some(), ..origin.clone() }, 1),
        (Origin { step_weight_column: some(), ..origin.clone() }, 1),
        (Origin { chosen_columns: Some(vec![forged.to_owned()]), ..origin.clone() }, 1),
        (Origin { chosen_columns: Some(vec![forged.to_owned(); 11]), ..origin.clone() }, 3),
        (Origin { labels: classes(forged, "x"), class_weights: Some(weights), ..origin.clone() }, 2),
        (Origin { labels: classes("x", forged), class_weights: Some(weights), ..origin.clone() }, 2),
        (Origin { labels: Labels::Multiclass { labels: vec![forged.to_owned()] }, ..origin.clone() }, 1),
    ] {
        let line = origin.to_string();
        assert!(!line.chars().any(|c| c.is_control() || c == '\u{202e}'), "{line:?}");
        assert_eq!(line.matches(shown).count(), times, "{line}");
    }
    let spaced = Origin { file: "d.csv; rows divided by 4".to_owned(), ..origin.clone() };
    assert!(spaced.to_string().starts_with(r#""d.csv; rows divided by 4": 2 rows"#));
    let accented = Origin { file: "é_1-2+x.csv".to_owned(), ..origin };
    assert!(accented.to_string().starts_with("é_1-2+x.csv: 2 rows"));
}

/// For each way to read, a file and how to read it.
fn ways() -> Vec<(Source, Reading)> {
    let weighted = |labels| Reading { weight_column: Some("w".to_owned()), ..policy(labels) };
    let text = |text: &str| Source::bytes("d.csv", text);
    let array = |shape, values: &[f64]| npy_f64(shape, values);
    let x = || array("(3, 2)", &[0.5, 0.25, -0.5, 0.125, 1.0, 0.0]);
    vec![
        (text("a,b,label\n3,4,0\n0.5,1,1\n1,1,0\n"), Reading { normalize: true, ..Reading::default() }),
        (text("a,w,label\n0.5,1,ham\n0.25,2,spam\n1,0,ham\n"), weighted(LabelPolicy::Detect)),
        (text("a,label\n0.5,0.5\n0.25,-0.5\n1,0.25\n"), policy(LabelPolicy::Detect)),
        (text("a,w,label\n0.5,1,c\n0.25,2,b\n1,0,a\n"), weighted(LabelPolicy::Multiclass)),
        (text("a,b\n0.5,0.5\n0.25,-0.5\n1,0\n"), policy(LabelPolicy::Premultiplied)),
        (text("a,w\n3,0.5\n7,0.5\n9,1\n"), weighted(LabelPolicy::None)),
        (
            text("rejected_b,chosen_a,chosen_b,rejected_a\n1,2,3,4\n5,6,7,8\n9,1,2,3\n"),
            Reading { normalize: true, ..policy(LabelPolicy::Preferences) },
        ),
        (Source::bytes("d.npz", npz(&[("z", x())])), policy(LabelPolicy::Detect)),
        (
            Source::bytes("d.npz", npz(&[("x", x()), ("y", array("(3,)", &[2.0, 1.0, 2.0]))])),
            policy(LabelPolicy::Detect),
        ),
        (
            Source::bytes("d.npz", npz(&[("chosen", x()), ("rejected", x())])),
            policy(LabelPolicy::Preferences),
        ),
        (Source::bytes("d.npy", x()), policy(LabelPolicy::Preferences)),
        (
            Source::path(fixture("numpy_x.npy")).labels(fixture("numpy_y_bool.npy")),
            Reading { rows: Some(3), ..Reading::default() },
        ),
        (Source::path(fixture("pandas_snappy.parquet")), Reading { rows: Some(3), ..Reading::default() }),
    ]
}

#[test]
fn rows_are_made_again() {
    for (source, reading) in ways() {
        for rows in [reading.rows, Some(2)] {
            let reading = Reading { rows, ..reading.clone() };
            let data = load(&source, &reading).expect("a good file");
            let origin = data.origin();
            assert_eq!(origin.validate(), Ok(()));
            assert_eq!(reload(&source, origin).expect("the same"), data, "{source:?}");
            assert_eq!(data.table().clone().remade(origin).expect("the same"), data, "{source:?}");
            // The first rows of all are the same as reading them, if labels and scale do not change.
            let part = data.first(1).expect("a row");
            assert_eq!(reload(&source, part.origin()).expect("the same"), part, "{source:?}");
            assert_eq!(part.z(), data.row(0));
        }
    }
}

#[test]
fn preferences_are_chosen_then_rejected() {
    let (source, reading) = ways().swap_remove(6);
    let data = load(&source, &reading).expect("a good file");
    assert_eq!(data.table().names, ["chosen_a", "chosen_b", "rejected_a", "rejected_b"]);
    assert_eq!(data.table().x[..4], [2.0, 3.0, 4.0, 1.0]);
    assert_eq!((data.names(), data.dimension()), (vec!["a", "b"], 2));
    let scale = data.origin().scale;
    assert_eq!(data.row(0), [-2.0 / scale, 2.0 / scale]);
}

#[test]
fn what_an_origin_does_not_say_is_refused() {
    let mail = |text: &str| Source::bytes("d.csv", text);
    let good = "a,label\n0.5,ham\n0.25,spam\n";
    let origin = data(good, &Reading::default()).origin().clone();
    let refusal = |text: &str, origin: &Origin| reload(&mail(text), origin).unwrap_err().to_string();
    assert!(
        refusal("a,label\n0.5,ham\n0.25,eggs\n", &origin)
            .contains("row 2 (line 3), column \"label\": the label \"eggs\"")
    );
    assert!(refusal("a,label\n0.5,ham\n", &origin).contains("the first 2 rows were asked for"));
    assert!(refusal("a,kind\n0.5,ham\n0.25,spam\n", &origin).contains("no label column"));
    // Labels that are numbers are compared by their shortest form.
    let numbers = Labels::Classes { negative: "0".to_owned(), positive: "1".to_owned() };
    let of_numbers = Origin { labels: numbers, ..origin.clone() };
    assert!(reload(&mail("a,label\n0.5,0.0\n0.25,1e0\n"), &of_numbers).is_ok());
    assert!(refusal("a,label\n0.5,0\n0.25,2\n", &of_numbers).contains("the label \"2\""));
    let unusual = Labels::Classes { negative: "0.0".to_owned(), positive: "1".to_owned() };
    assert!(
        refusal("a,label\n0.5,0\n0.25,1\n", &Origin { labels: unusual, ..origin.clone() }).contains("\"0\"")
    );
    // One class alone is fine if the origin says which: nothing is told from the labels.
    let data = reload(&mail("a,label\n0.5,spam\n0.25,spam\n"), &origin).expect("the origin knows");
    assert_eq!(data.z(), [0.5, 0.25]);
    assert!(data.origin().same_rows(&origin).is_err());
    // More rows than there were, weights that are not there.
    let more = reload(&mail("a,label\n0.5,ham\n0.25,spam\n1,spam\n"), &origin).expect("two rows");
    assert_eq!(more.origin().same_rows(&origin), Err("of: 3 here, 2 there".to_owned()));
    let weighted = Origin { weight_column: Some("w".to_owned()), ..origin.clone() };
    assert!(refusal(good, &weighted).contains("no weight column"));
}

#[test]
fn how_features_were_made_stays_with_the_rows() {
    let text = "a,label\n0.5,ham\n0.25,spam\n";
    let plain = data(text, &Reading::default());
    let made = plain.clone().made_by("StandardScaler, clipped to norm 1").unwrap();
    assert!(made.describe().ends_with("; features made by: StandardScaler, clipped to norm 1"));
    assert_eq!(made.first(2).unwrap(), made);
    assert_eq!(reload(&Source::bytes("d.csv", text), made.origin()).unwrap(), made);
    // It is information: the rows are the same.
    assert_eq!(plain.origin().same_rows(made.origin()), Ok(()));
    assert!(plain.made_by("two\nlines").is_err());
}

#[test]
fn impossible_origins_are_refused() {
    let text = "a,label\n0.5,ham\n0.25,spam\n";
    let origin = data(text, &Reading::default()).origin().clone();
    let same = Labels::Classes { negative: "ham".to_owned(), positive: "ham".to_owned() };
    let one = Labels::Multiclass { labels: vec!["ham".to_owned()] };
    let wrong = [
        Origin { scale: 0.0, ..origin.clone() },
        Origin { scale: f64::NAN, ..origin.clone() },
        Origin { of: 1, ..origin.clone() },
        Origin { columns: 0, ..origin.clone() },
        Origin { labels: same, ..origin.clone() },
        Origin { labels: one, ..origin.clone() },
        Origin { sha256: "A".repeat(64), ..origin.clone() },
        Origin { sha256: "a".repeat(63), ..origin.clone() },
        Origin { made: Some(String::new()), ..origin.clone() },
        Origin { made: Some("scaled\tthen clipped".to_owned()), ..origin.clone() },
        Origin { made: Some("scaled\u{2028}then clipped".to_owned()), ..origin.clone() },
        Origin { made: Some("deppilc \u{202e}".to_owned()), ..origin.clone() },
    ];
    for origin in wrong {
        assert!(origin.validate().is_err(), "{origin:?}");
        assert!(reload(&Source::bytes("d.csv", text), &origin).is_err(), "{origin:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_rows_are_made_again(
        x in prop::collection::vec(-1e3_f64..1e3, 12),
        y in prop::collection::vec(0_u8..2, 6),
        normalize in any::<bool>(),
    ) {
        prop_assume!(y.contains(&0) && y.contains(&1));
        let y = RawLabels::Numbers(y.into_iter().map(f64::from).collect());
        let table = Table { y: Some(y), ..Table::new(x, 2) };
        let scale = (!normalize).then_some(1e4);
        let data = table.into_dataset(&Reading { normalize, scale, ..Reading::default() }).expect("good");
        prop_assert_eq!(&data.table().clone().remade(data.origin()).expect("the same"), &data);
    }
}
