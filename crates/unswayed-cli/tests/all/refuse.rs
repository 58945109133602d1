//! What is unsupported gets one clear line and exit code 2.

use ndarray::{Array2, arr2};

use super::files::{csv, folder, npy, npz, points};
use super::{SETTING, refused, text, unswayed};

#[test]
fn bad_combinations() {
    let folder = folder();
    let wide = Array2::from_shape_fn((4, 4), |(i, j)| if i == j { 0.5 } else { 0.0 });
    npz(&folder, "wide.npz", &[("x", &wide)], Some(&ndarray::arr1(&[1.0, -1.0, 1.0, -1.0])));
    npz(&folder, "flat.npz", &[("z", &Array2::from_elem((5, 2), 0.5))], None);
    npy(&folder, "wide.npy", &wide);
    npy(&folder, "askew.npy", &arr2(&[[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]));
    npy(&folder, "saddle.npy", &arr2(&[[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]]));
    npy(&folder, "row.npy", &arr2(&[[1.0, 2.0, 0.0]]));
    let (x, _) = points(6, 0.3, 5);
    csv(&folder, "three.csv", &["a", "b", "c"], &x, &["x", "y", "z", "x", "y", "z"]);
    csv(&folder, "other.csv", &["a", "b", "c"], &x, &["y", "z", "z", "y", "z", "z"]);
    csv(&folder, "two.csv", &["a", "b", "c"], &x, &["x", "y", "y", "x", "y", "y"]);
    let around = "a box or ellipsoid around the data";
    let cases = [
        ("a.npz b.npz", "several data files need --drift"),
        ("a.npz --drift", "--drift needs several data files"),
        ("a.npz wide.npz --drift", "a.npz has 3 columns, wide.npz has 4"),
        ("a.npz --target wide.npz", "a.npz has 3 columns, wide.npz has 4"),
        ("a.npz --adversary any", "--adversary any without --clip is unsupported: one point could"),
        (
            "a.npz --adversary box --clip 1",
            "--clip without --adversary ball or --adversary any is unsupported",
        ),
        ("a.npz --adversary box --radius 2", "--radius is for --adversary ball"),
        ("a.npz --radius -1", "--radius -1: it must be"),
        ("a.npz --adversary box=-1", "--adversary box: the radius -1"),
        ("a.npz --adversary box=1,2", "--adversary box: 2 radii for 3 columns"),
        ("a.npz --adversary box=wide", "--adversary box: \"wide\" is not a number"),
        ("a.npz --adversary box=wide.npy", "wide.npy: the array has the shape [4, 4]"),
        ("a.npz --adversary ellipsoid=wide.npy", "wide.npy: there are 4 columns, but the data have 3"),
        ("a.npz --adversary ellipsoid=row.npy", "--adversary ellipsoid: the matrix has 1 rows and 3 columns"),
        (
            "a.npz --adversary ellipsoid=askew.npy",
            "--adversary ellipsoid: the matrix is not symmetric and positive definite",
        ),
        ("a.npz --adversary ellipsoid=saddle.npy", "--adversary ellipsoid: the matrix is not symmetric"),
        ("flat.npz --adversary ellipsoid", "--adversary ellipsoid: the rows do not fill all 2 columns"),
        ("a.npz --adversary points=wide.npy", "wide.npy: there are 4 columns, but the data have 3"),
        ("a.npz --adversary points=absent.npy", "absent.npy: there is no such file"),
        ("a.npz --adversary labels --target b.npz", "--adversary labels with --target with rows of its own"),
        ("a.npz --loss logistic --target b.npz", "--target with rows of its own without --loss hinge"),
        ("a.npz --bias 4", "--bias 4: there is no such column; give a name, a number from 1 to 3"),
        ("a.npz --bias width", "--bias width: there is no such column"),
        ("a.npz --bias last --projection 2", "--bias with --projection is unsupported"),
        ("a.npz --bias last --clip 2", "--bias with --clip is unsupported"),
        (
            "a.npz --bias last --adversary labels",
            "--bias without --adversary ball or --adversary features or --adversary box or",
        ),
        ("a.npz --bias last --target a.npz", "--bias with --target with rows of the data is unsupported"),
        (
            "a.npz --confidence 0.9 --loss modified-huber",
            "--confidence without --loss hinge or --loss logistic is unsupported",
        ),
        ("a.npz b.npz --drift --confidence 0.9", "--confidence with --drift is unsupported"),
        ("a.npz --confidence 0.9 --adversary flips", "--confidence without --adversary ball or"),
        ("a.npz --confidence 0.9 --target b.npz", "--confidence with --target"),
        ("a.npz --adversary box --confidence 0.9", &format!("--confidence with {around} is unsupported")),
        ("a.npz --normalize --confidence 0.9", "--confidence: the rows were divided by a number"),
        ("a.npz --bootstrap 5 --poison-rate 0.01,0.02", "--bootstrap: it is for one poison rate"),
        ("a.npz --confidence 0.9 --method paper", "--method paper with --confidence is unsupported"),
        ("a.npz --method paper --loss logistic", "--method paper without --loss hinge is unsupported"),
        ("a.npz --preferences --scores", "--preferences have no labels"),
        ("three.csv --loss multiclass --adversary box", "--loss multiclass without --adversary ball is"),
        ("three.csv --loss multiclass --target three.csv", "--loss multiclass with --target"),
        ("three.csv --loss multiclass --premultiplied", "--loss multiclass needs labels of classes"),
        ("three.csv --loss multiclass --bias 1", "--loss multiclass with --bias is unsupported"),
        ("three.csv", "three.csv: row 3 (line 4), column \"label\": \"z\" is a third label"),
        ("two.csv other.csv --drift --normalize", "two.csv and other.csv have different labels"),
        ("three.csv two.csv --loss multiclass --drift", "three.csv and two.csv have different labels"),
        (
            "a.npz --loss logistic --regularization 0",
            "--regularization 0 without --projection is unsupported",
        ),
    ];
    for (words, expected) in cases {
        let words: Vec<&str> = words.split_whitespace().collect();
        let setting = if words.contains(&"--regularization") {
            &["--learning-rate", "0.01", "--poison-rate", "0"]
        } else {
            &SETTING[..]
        };
        let message = refused(&folder, &[&["certify"], &words[..], setting].concat());
        assert!(message.starts_with(&format!("unswayed: {expected}")), "{words:?}: {message}");
    }
}

#[test]
fn bad_values_name_the_flag() {
    let folder = folder();
    let cases = [
        ("--adversary", "sphere", "one of ball, features, box, box=R"),
        ("--adversary", "ball=2", "the ball's radius is --radius"),
        ("--adversary", "points", "name the file of the points"),
        ("--clip", "0", "must be a positive number"),
        ("--projection", "-1", "must be a positive number"),
        ("--confidence", "1", "must be between 0 and 1"),
        ("--bootstrap", "1", "a whole number of samples from 2 to 1000"),
        ("--bootstrap", "1001", "a whole number of samples from 2 to 1000"),
        ("--batch", "0", "0 is not in 1.."),
        ("--loss", "square", "none of hinge, logistic, smooth-hinge=WIDTH, modified-huber, absolute"),
    ];
    for (flag, value, expected) in cases {
        let output = unswayed(&folder, &[&["certify", "a.npz", flag, value], &SETTING[..]].concat());
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{flag} {value}");
        assert!(message.contains(flag) && message.contains(expected), "{message}");
    }
}
