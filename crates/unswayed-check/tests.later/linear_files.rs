//! Classes and preferences, made into rows from files by the program.

mod linear_common;

use std::collections::HashSet;
use std::fmt::Write;
use std::fs::File;
use std::path::Path;
use std::process::Command;

use linear_common::random::kinds;
use linear_common::search::Random;
use linear_common::{Problem, certificate};
use ndarray::{Array1, Array2};
use ndarray_npy::{NpzWriter, write_npy};
use tempfile::TempDir;

/// What the program says of the certificate and this file.
fn checked(folder: &TempDir, data: &str, more: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unswayed-check"));
    let output =
        command.current_dir(folder.path()).args(["c.safetensors", data]).args(more).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// A problem of this kind that is as wanted, and its certificate in a folder of its own. Its rows have no weights.
fn problem(kind: &str, wanted: impl Fn(&Problem) -> bool) -> (Problem, TempDir) {
    let (_, make) = kinds().into_iter().find(|(name, _)| *name == kind).unwrap();
    let mut random = Random(5);
    let unweighted = || Problem { weights: vec![None], ..make(&mut random) };
    let problem = std::iter::repeat_with(unweighted).find(|p| p.bound().is_ok() && wanted(p)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("c.safetensors"), certificate(&problem).to_bytes()).unwrap();
    (problem, folder)
}

fn npz(path: &Path, arrays: &[(&str, &Array2<f64>)], y: Option<&Array1<i64>>) {
    let mut npz = NpzWriter::new(File::create(path).unwrap());
    for (name, array) in arrays {
        npz.add_array(*name, *array).unwrap();
    }
    if let Some(y) = y {
        npz.add_array("y", y).unwrap();
    }
    npz.finish().unwrap();
}

#[test]
fn preferences_are_differences() {
    let (problem, folder) = problem("logistic ball", |_| true);
    let d = problem.dimension;
    let z = Array2::from_shape_vec((problem.data[0].len() / d, d), problem.data[0].clone()).unwrap();
    // Twice z minus z is z without rounding.
    let (chosen, rejected) = (&z * 2.0, &z);
    let at = |name: &str| folder.path().join(name);
    npz(&at("p.npz"), &[("chosen", &chosen), ("rejected", rejected)], None);
    write_npy(at("p.npy"), &ndarray::concatenate![ndarray::Axis(1), chosen, *rejected]).unwrap();
    let mut text = "rejected_b,chosen_a,rejected_a,chosen_b\n".to_owned();
    for (c, r) in chosen.rows().into_iter().zip(rejected.rows()) {
        writeln!(text, "{},{},{},{}", r[1], c[0], r[0], c[1]).unwrap();
    }
    std::fs::write(at("p.csv"), &text).unwrap();
    for name in ["p.npz", "p.npy", "p.csv"] {
        let said = checked(&folder, name, &[]);
        assert!(said.starts_with("valid: "), "{name}: {said}");
    }
    npz(&at("q.npz"), &[("chosen", rejected), ("rejected", &chosen)], None);
    std::fs::write(at("q.csv"), text.replace("rejected_b", "rejected_x")).unwrap();
    for name in ["q.npz", "q.csv"] {
        let said = checked(&folder, name, &[]);
        assert!(said.starts_with("not valid: data: "), "{name}: {said}");
    }
    npz(&at("r.npz"), &[("chosen", &chosen), ("rejected", &z.t().to_owned())], None);
    assert!(checked(&folder, "r.npz", &[]).contains("the arrays chosen and rejected differ in shape"));
}

#[test]
fn classes_are_counted_in_the_order_of_their_labels() {
    let classes = |p: &Problem| p.data[0].chunks(p.dimension).map(|z| z[0] as usize).collect::<HashSet<_>>();
    let (problem, folder) = problem("hinge 3 classes", |p| classes(p).len() == 3);
    let d = problem.dimension;
    let rows: Vec<&[f64]> = problem.data[0].chunks(d).collect();
    let x = Array2::from_shape_fn((rows.len(), d - 1), |(i, j)| rows[i][j + 1]);
    let class = |i: usize| rows[i][0] as usize;
    let at = |name: &str| folder.path().join(name);
    // Any labels in the right order will do: −1, 4, 9 and a, b, c.
    let y = Array1::from_shape_fn(rows.len(), |i| [-1, 4, 9][class(i)]);
    npz(&at("c.npz"), &[("x", &x)], Some(&y));
    write_npy(at("x.npy"), &x).unwrap();
    write_npy(at("y.npy"), &y).unwrap();
    let header: Vec<String> = (1..d).map(|j| format!("c{j}")).collect();
    let mut text = format!("{},kind\n", header.join(","));
    for (i, row) in rows.iter().enumerate() {
        let cells: Vec<String> = row[1..].iter().map(f64::to_string).collect();
        writeln!(text, "{},{}", cells.join(","), ["a", "b", "c"][class(i)]).unwrap();
    }
    std::fs::write(at("c.csv"), &text).unwrap();
    for (name, more) in
        [("c.npz", &[][..]), ("x.npy", &["--labels", "y.npy"]), ("c.csv", &["--label-column", "kind"])]
    {
        let said = checked(&folder, name, more);
        assert!(said.starts_with("valid: "), "{name}: {said}");
    }
    std::fs::write(at("c.csv"), text.replace(",a\n", ",z\n")).unwrap();
    let said = checked(&folder, "c.csv", &["--label-column", "kind"]);
    assert!(said.starts_with("not valid: data: these are not the certified rows"), "{said}");
}
