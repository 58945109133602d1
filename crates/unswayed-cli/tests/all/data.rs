//! Preferences and classes in every format.

use ndarray::{Array2, Axis, concatenate};
use unswayed::data::{LabelPolicy, Reading, Source, load};

use super::files::{csv, first, npy, npz, parquet, points};
use super::{SETTING, certificate, certified, loss, text, unswayed};

const NAMES: [&str; 6] = ["chosen_a", "chosen_b", "chosen_c", "rejected_a", "rejected_b", "rejected_c"];

/// Features of 20 chosen and 20 rejected ones.
fn pairs() -> (Array2<f64>, Array2<f64>) {
    (points(20, 0.2, 3).0 * 0.5 + 0.2, points(20, 0.2, 4).0 * 0.5)
}

#[test]
fn preferences_in_every_format_are_the_same_rows() {
    let folder = tempfile::tempdir().unwrap();
    let (chosen, rejected) = pairs();
    let side_by_side = concatenate![Axis(1), chosen, rejected];
    npz(&folder, "p.npz", &[("chosen", &chosen), ("rejected", &rejected)], None);
    npy(&folder, "p.npy", &side_by_side);
    csv(&folder, "p.csv", &NAMES, &side_by_side, &[]);
    // Columns are matched by name, wherever they stand; the chosen ones give the order.
    let order = [3, 0, 5, 1, 4, 2];
    parquet(&folder, "p.parquet", &order.map(|i| NAMES[i]), &side_by_side.select(Axis(1), &order));
    let mut digests = vec![];
    for name in ["p.npz", "p.npy", "p.csv", "p.parquet"] {
        let found = certified(&folder, &format!("--preferences {name}"));
        assert_eq!((&found["loss_function"], &found["dimension"]), (&"logistic".into(), &3.into()));
        assert!(loss(&found) < 0.7, "{found}");
        digests.push(certificate(&folder, &found).statement.data[0].sha256.clone());
    }
    assert!(digests.windows(2).all(|pair| pair[0] == pair[1]), "{digests:?}");
    let scaled = certified(&folder, "--preferences p.csv --normalize --rows 10 --loss hinge");
    assert_eq!((&scaled["loss_function"], &scaled["rows"]), (&"hinge".into(), &10.into()));
}

#[test]
fn classes_are_numbered_in_the_order_of_their_labels() {
    let folder = tempfile::tempdir().unwrap();
    let x = points(4, 0.3, 5).0;
    let kinds = ["cow", "ant", "bee", "ant"];
    csv(&folder, "kinds.csv", &["a", "b", "c"], &x, &kinds);
    csv(&folder, "numbers.csv", &["a", "b", "c"], &x, &["10", "-1", "2.5", "-1"]);
    npz(&folder, "numbers.npz", &[("x", &x)], Some(&ndarray::arr1(&[7.0, 0.0, 3.0, 0.0])));
    let classes = ndarray::arr2(&[[2.0], [0.0], [1.0], [0.0]]);
    let expected = concatenate![Axis(1), classes, x];
    for (name, labels) in [
        ("kinds.csv", ["ant", "bee", "cow"]),
        ("numbers.csv", ["-1", "2.5", "10"]),
        ("numbers.npz", ["0", "3", "7"]),
    ] {
        let reading = Reading::labels(LabelPolicy::Multiclass);
        let data = load(&Source::path(folder.path().join(name)), &reading).unwrap();
        assert!(data.z().iter().zip(&expected).all(|(found, z)| found.to_bits() == z.to_bits()), "{name}");
        assert_eq!(data.origin().labels.classes(), labels);
        assert!(data.describe().contains("4 rows, 3 columns; 3 classes"), "{}", data.describe());
    }
    csv(&folder, "one.csv", &["a", "b", "c"], &x, &["1", "1", "1", "1"]);
    let output = unswayed(&folder, &[&["certify", "one.csv", "--loss", "multiclass"], &SETTING[..]].concat());
    assert!(text(&output.stderr).contains("one.csv: column \"label\": every label is \"1\""));
}

#[test]
fn unusable_preferences_are_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let (chosen, rejected) = pairs();
    let both = concatenate![Axis(1), chosen, rejected];
    npz(&folder, "alone.npz", &[("chosen", &chosen)], None);
    let short = first(&rejected, Axis(0), 19);
    npz(&folder, "short.npz", &[("chosen", &chosen), ("rejected", &short)], None);
    npy(&folder, "odd.npy", &first(&both, Axis(1), 5));
    npy(&folder, "empty.npy", &first(&both, Axis(0), 0));
    csv(
        &folder,
        "partner.csv",
        &["chosen_a", "chosen_b", "rejected_a", "rejected_x", "chosen_c", "rejected_c"],
        &both,
        &[],
    );
    csv(&folder, "other.csv", &["chosen_a", "rejected_a", "x", "y", "u", "v"], &both, &[]);
    let mut broken = both.clone();
    broken[[6, 4]] = f64::NAN;
    csv(&folder, "nan.csv", &NAMES, &broken, &[]);
    npy(&folder, "nan.npy", &broken);
    broken[[6, 4]] = 1e300;
    csv(&folder, "long.csv", &NAMES, &broken, &[]);
    std::fs::write(folder.path().join("none.csv"), "chosen_a,rejected_a\n").unwrap();
    let cases = [
        ("alone.npz", "there is no array \"rejected\"; the file has \"chosen\""),
        ("short.npz", "array \"rejected\": it has the shape [19, 3], but \"chosen\" has [20, 3]"),
        ("odd.npy", "5 columns cannot be halved"),
        ("empty.npy", "there are no rows"),
        ("none.csv", "there are no rows"),
        ("partner.csv", "column \"chosen_b\": there is no column \"rejected_b\" to go with it"),
        ("other.csv", "column \"x\": the columns of preferences are called chosen_… and rejected_…"),
        ("nan.csv", "row 7 (line 8), column \"rejected_b\": NaN is not a finite number"),
        ("nan.npy", "row 7, column 5: NaN is not a finite number"),
        ("long.csv", "row 7 (line 8): the norm 1e300 is larger than 1; divide all rows"),
    ];
    for (name, expected) in cases {
        let output = unswayed(&folder, &[&["certify", "--preferences", name], &SETTING[..]].concat());
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(message.starts_with(&format!("unswayed: {name}: {expected}")), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}
