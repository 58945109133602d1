//! Reading and writing of certificate files; most tests are refusals.

mod common;

use common::{all, bounded_range, certificate, closed_form, convexity, hinge, mean, rows, zero_one};
use proptest::prelude::*;
use serde_json::{Value, json};
use unswayed_check::{Certificate, FormatError, Hinge, Learner, Witness};

/// Header and arrays of a certificate file.
fn take_apart(file: &[u8]) -> (Value, Vec<u8>) {
    let length = usize::try_from(u64::from_le_bytes(file[..8].try_into().unwrap())).unwrap();
    (serde_json::from_slice(&file[8..8 + length]).unwrap(), file[8 + length..].to_vec())
}

fn put_together(header: &Value, arrays: &[u8]) -> Vec<u8> {
    let header = header.to_string();
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), arrays].concat()
}

/// The complaint about a file whose header (and arrays) were changed.
fn refusal(change: impl FnOnce(&mut Value, &mut Vec<u8>)) -> FormatError {
    let original = certificate(hinge(), convexity(), Some(zero_one()), &rows());
    let (mut header, mut arrays) = take_apart(&original.to_bytes());
    change(&mut header, &mut arrays);
    Certificate::from_bytes(&put_together(&header, &arrays)).expect_err("a refusal")
}

fn refused_text(key: &str, value: &str) -> FormatError {
    refusal(|header, _| header["__metadata__"][key] = json!(value))
}

fn refused_number(name: &str, value: f64) -> FormatError {
    refusal(|header, arrays| {
        let at = usize::try_from(header[name]["data_offsets"][0].as_u64().unwrap()).unwrap();
        arrays[at..at + 8].copy_from_slice(&value.to_le_bytes());
    })
}

#[test]
fn what_is_written_is_read_and_written_the_same() {
    for (mut certificate, _) in all() {
        for step in 0..3 {
            certificate.data.first_rows = step > 0;
            certificate.data.labels = (step > 1).then(|| ("no \"quotes\" ü".into(), String::new()));
            certificate.data.scale = (step > 1).then_some(1.25);
            let file = certificate.to_bytes();
            assert_eq!(Certificate::from_bytes(&file).as_ref(), Ok(&certificate));
            assert_eq!(certificate.clone().to_bytes(), file);
            assert_eq!(file.len() % 8, 0);
        }
    }
}

#[test]
fn not_safetensors() {
    for bytes in [&b""[..], b"hello", &[0; 8], &[0xff; 64], b"\x02\0\0\0\0\0\0\0{}", b"PK\x03\x04 an archive"]
    {
        let error = Certificate::from_bytes(bytes).unwrap_err();
        let empty = matches!(&error, FormatError::MissingText(key) if key == "format");
        assert!(empty || matches!(error, FormatError::NotSafetensors(_)), "{error}");
    }
}

#[test]
fn other_formats_and_versions() {
    let cases = [
        ("format", "something-else"),
        ("format_version", "2"),
        ("format_version", "01"),
        ("learner", "perceptron"),
        ("data.rows", "+5"),
        ("data.rows", "-1"),
        ("data.rows", "5.0"),
        ("data.dimension", ""),
        ("data.dimension", "99999999999999999999999"),
        ("data.first_rows", "4"),
        ("data.sha256", "abc"),
    ];
    for (key, value) in cases {
        let error = refused_text(key, value);
        assert!(matches!(&error, FormatError::BadText { key: k, .. } if k == key), "{error}");
    }
    let upper = refused_text("data.sha256", &"A".repeat(64));
    assert!(matches!(upper, FormatError::BadText { .. }));
}

#[test]
fn methods_that_prove_no_such_claim() {
    for (key, method) in [
        ("loss.method", "zero-one"),
        ("loss.method", "closed-form"),
        ("loss.method", "trust-me"),
        ("error.method", "convexity"),
        ("error.method", "bounded-range"),
    ] {
        assert!(matches!(refused_text(key, method), FormatError::BadMethod { .. }));
    }
    let original = certificate(mean(Some(1.0)), closed_form(), None, &common::no_rows());
    let (mut header, arrays) = take_apart(&original.to_bytes());
    header["__metadata__"]["loss.method"] = json!("convexity");
    let error = Certificate::from_bytes(&put_together(&header, &arrays)).unwrap_err();
    assert!(matches!(error, FormatError::BadMethod { learner: "mean", .. }));
}

#[test]
fn missing_and_unknown_entries() {
    assert_eq!(refused_text("extra", "x"), FormatError::UnknownText("extra".into()));
    assert_eq!(refused_text("data.negative", "x"), FormatError::MissingText("data.positive".into()));
    for key in [
        "format",
        "format_version",
        "tool",
        "learner",
        "data.sha256",
        "data.rows",
        "data.dimension",
        "loss.method",
    ] {
        let error = refusal(|header, _| {
            header["__metadata__"].as_object_mut().unwrap().shift_remove(key);
        });
        assert_eq!(error, FormatError::MissingText(key.into()));
    }
    let error = refusal(|header, _| {
        header["__metadata__"].as_object_mut().unwrap().shift_remove("error.method");
    });
    assert!(matches!(error, FormatError::UnknownTensor(_)));
    for name in [
        "learning_rate",
        "radius",
        "loss.bound",
        "loss.u",
        "loss.beta",
        "error.c",
        "horizon.start",
        "horizon.steps",
    ] {
        let error = refusal(|header, _| {
            let entry = header.as_object_mut().unwrap().shift_remove(name).unwrap();
            header["another"] = entry;
        });
        let missing = error == FormatError::MissingTensor(name.into());
        assert!(missing || matches!(error, FormatError::UnknownTensor(_)), "{error}");
    }
    let same = refusal(|header, _| {
        header["__metadata__"]["data.negative"] = json!("1");
        header["__metadata__"]["data.positive"] = json!("1");
    });
    assert!(matches!(same, FormatError::BadText { .. }));
}

#[test]
fn types_and_shapes() {
    let error = refusal(|header, _| header["loss.alpha"]["dtype"] = json!("I64"));
    assert_eq!(error, FormatError::WrongType("loss.alpha".into()));
    let error = refusal(|header, _| header["loss.alpha"]["shape"] = json!([1]));
    assert!(matches!(error, FormatError::WrongShape { .. }));
    let error = refusal(|header, _| header["loss.u"]["shape"] = json!([5, 1]));
    assert!(matches!(error, FormatError::WrongShape { .. }));
    let error = refused_text("data.rows", "6");
    assert!(matches!(error, FormatError::WrongShape { .. }));
    let error = refused_text("data.dimension", "3");
    assert!(matches!(error, FormatError::WrongShape { .. }));
    let error = refusal(|header, _| header["loss.u"]["shape"] = json!([u64::MAX, 2]));
    assert!(matches!(error, FormatError::NotSafetensors(_)));
    let error = refusal(|header, _| header["loss.u"]["data_offsets"] = json!([0, 40]));
    assert!(matches!(error, FormatError::NotSafetensors(_)));
}

#[test]
fn numbers_out_of_range() {
    let names =
        ["learning_rate", "loss.bound", "loss.alpha", "loss.u", "error.u2", "horizon.start", "horizon.bound"];
    for name in names {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(matches!(refused_number(name, value), FormatError::BadNumber { .. }));
        }
    }
    for steps in [0.0, -1.0, 0.5, 1e16, f64::NAN] {
        assert!(matches!(refused_number("horizon.steps", steps), FormatError::BadNumber { .. }));
    }
    let mut scaled = certificate(hinge(), convexity(), None, &rows());
    for scale in [0.0, -1.0, f64::NAN] {
        scaled.data.scale = Some(scale);
        let error = Certificate::from_bytes(&scaled.to_bytes()).unwrap_err();
        assert!(matches!(error, FormatError::BadNumber { .. }));
    }
}

#[test]
fn a_horizon_belongs_to_the_hinge_learner() {
    let mut original = certificate(mean(None), closed_form(), None, &rows());
    original.horizon = certificate(hinge(), convexity(), None, &rows()).horizon;
    let error = Certificate::from_bytes(&original.to_bytes()).unwrap_err();
    assert!(matches!(error, FormatError::UnknownTensor(_)));
}

#[test]
fn m_belongs_to_the_horizon_of_bounded_range() {
    let mut original = certificate(hinge(), convexity(), None, &rows());
    let (header, _) = take_apart(&original.to_bytes());
    assert!(header.get("horizon.steps").is_some() && header.get("horizon.m").is_none());
    original.horizon.as_mut().unwrap().m = 0.5;
    let error = Certificate::from_bytes(&original.to_bytes()).unwrap_err();
    assert_eq!(error, FormatError::UnknownTensor("horizon.m".into()));

    let mut original = certificate(hinge(), bounded_range(), None, &rows());
    for m in [f64::NAN, f64::INFINITY] {
        original.horizon.as_mut().unwrap().m = m;
        let error = Certificate::from_bytes(&original.to_bytes()).unwrap_err();
        assert!(matches!(error, FormatError::BadNumber { name, .. } if name == "horizon.m"));
    }
    original.horizon.as_mut().unwrap().m = 0.0;
    let (mut header, mut arrays) = take_apart(&original.to_bytes());
    assert_eq!(header["horizon.m"]["shape"], json!([]));
    // It is the last tensor, so it can be taken out with its bytes.
    header.as_object_mut().unwrap().shift_remove("horizon.m").unwrap();
    arrays.truncate(arrays.len() - 8);
    let error = Certificate::from_bytes(&put_together(&header, &arrays)).unwrap_err();
    assert_eq!(error, FormatError::MissingTensor("horizon.m".into()));
    // Without the rest of the horizon it is unknown.
    let (mut header, arrays) = take_apart(&original.to_bytes());
    let steps = header.as_object_mut().unwrap().shift_remove("horizon.steps").unwrap();
    header["another"] = steps;
    assert!(matches!(
        Certificate::from_bytes(&put_together(&header, &arrays)),
        Err(FormatError::UnknownTensor(_))
    ));
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(Certificate::from_bytes(&bytes).is_err());
    }

    #[test]
    fn any_finite_numbers_survive(numbers in prop::collection::vec(any::<f64>().prop_filter("finite", |x| x.is_finite()), 12)) {
        let mut original = certificate(hinge(), convexity(), None, &rows());
        original.learner = Learner::Hinge(Hinge {
            learning_rate: numbers[0],
            regularization: numbers[1],
            poison_rate: numbers[2],
            radius: numbers[3],
        });
        original.loss.witness = Witness::Convexity {
            alpha: numbers[4],
            beta: numbers[5..7].to_vec(),
            tau: numbers[4],
            nu: numbers[3],
            u: numbers[7..12].to_vec(),
        };
        let read = Certificate::from_bytes(&original.to_bytes());
        prop_assert_eq!(read, Ok(original));
    }
}
