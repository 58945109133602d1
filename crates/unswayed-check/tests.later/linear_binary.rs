//! The program on certificates about linear learners, from the outside.

mod linear_common;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use linear_common::random::{improve, kinds};
use linear_common::search::Random;
use linear_common::{Problem, certificate};
use ndarray::{Array1, Array2};
use ndarray_npy::NpzWriter;
use serde_json::Value;
use tempfile::TempDir;

fn run(arguments: &[&Path]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_unswayed-check")).args(arguments).output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

/// The data files and the target's file.
fn files(problem: &Problem, folder: &TempDir) -> (Vec<PathBuf>, Option<PathBuf>) {
    let write = |name: String, z: &[f64], weights: Option<&Vec<f64>>| {
        let path = folder.path().join(name);
        let mut npz = NpzWriter::new(File::create(&path).unwrap());
        let shape = (z.len() / problem.dimension, problem.dimension);
        npz.add_array("z", &Array2::from_shape_vec(shape, z.to_vec()).unwrap()).unwrap();
        if let Some(weights) = weights {
            npz.add_array("weight", &Array1::from(weights.clone())).unwrap();
        }
        npz.finish().unwrap();
        path
    };
    let rows = problem.data.iter().zip(&problem.weights).enumerate();
    let data = rows.map(|(i, (z, w))| write(format!("{i}.npz"), z, w.as_ref())).collect();
    let target = problem.target.as_ref().map(|z| write("target.npz".to_owned(), z, None));
    (data, target)
}

#[test]
fn every_kind_of_certificate() {
    for (number, (name, make)) in kinds().into_iter().enumerate() {
        let mut random = Random(31 + number as u64);
        let mut problem = make(&mut random);
        while problem.bound().is_err() {
            problem = make(&mut random);
        }
        improve(&mut problem, &mut random, 30);
        problem.learner.step.batch = 1 + number as u64 % 2;
        let folder = tempfile::tempdir().unwrap();
        let (data, target) = files(&problem, &folder);
        let path = folder.path().join("a.safetensors");
        std::fs::write(&path, certificate(&problem).to_bytes()).unwrap();
        let mut arguments: Vec<&Path> = vec![&path];
        arguments.extend(data.iter().map(PathBuf::as_path));
        if let Some(target) = &target {
            arguments.extend([Path::new("--target"), target]);
        }
        let (code, text) = run(&arguments);
        assert_eq!(code, 0, "{name}: {text}");
        assert!(text.starts_with("valid: against every adversary who sees everything and "), "{text}");
        assert!(text.contains("first 1000 steps"), "{text}");
        assert_eq!(text.contains("2 points per step"), number % 2 == 1, "{text}");
        let (code, json) = run(&[&arguments[..], &[Path::new("--json")]].concat());
        let json: Value = serde_json::from_str(&json).unwrap();
        let expected = certificate(&problem);
        assert_eq!((code, json["certified_loss"].as_f64()), (0, Some(expected.loss.bound)));
        // Other data, too few files, too many.
        assert_eq!(run(&[&path]).0, 2);
        assert_eq!(run(&[&arguments[..], &[&data[0]]].concat()).0, 2);
        if target.is_none() {
            assert_eq!(run(&[&arguments[..], &[Path::new("--target"), &data[0]]].concat()).0, 2);
        }
        problem.data[0][1] += 1e-9;
        files(&problem, &folder);
        let (code, text) = run(&arguments);
        assert!(code == 1 && text.starts_with("not valid: data: these are not the certified rows"), "{text}");
    }
}
