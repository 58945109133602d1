//! Reading and writing of certificate files; most tests are refusals.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use proptest::prelude::*;
use serde_json::{Value, json};
use unswayed_check::{AnyCertificate, Certificate, FormatError, MeanCertificate, Proof};

use crate::common::files::{Sample, samples};
use crate::common::fixtures;
use crate::common::random::{kinds, provable};
use crate::common::search::Random;
use crate::common::{certificate, rounds};

/// Where a value is: keys and places from the top.
type Path = Vec<String>;

/// All values of a document with their paths, the outermost first.
fn values(document: &Value) -> Vec<(Path, Value)> {
    let (mut found, mut open) = (vec![], vec![(vec![], document.clone())]);
    while let Some((path, value)) = open.pop() {
        let inner: Vec<(String, &Value)> = match &value {
            Value::Object(entries) => entries.iter().map(|(key, value)| (key.clone(), value)).collect(),
            Value::Array(entries) => entries.iter().enumerate().map(|(i, v)| (i.to_string(), v)).collect(),
            _ => vec![],
        };
        open.extend(
            inner.into_iter().map(|(key, value)| ([path.clone(), vec![key]].concat(), value.clone())),
        );
        found.push((path, value));
    }
    found
}

fn pointer(path: &[String]) -> String {
    path.iter().map(|part| format!("/{part}")).collect()
}

/// The document with another value at the path.
fn with(document: &Value, path: &[String], value: Value) -> Value {
    let mut changed = document.clone();
    *changed.pointer_mut(&pointer(path)).expect("a value") = value;
    changed
}

fn read(document: &Value) -> Result<AnyCertificate, FormatError> {
    AnyCertificate::from_bytes(document.to_string().as_bytes())
}

#[track_caller]
fn refused(document: &Value, words: &[&str]) {
    let error = read(document).expect_err("a refusal").to_string();
    assert!(words.iter().any(|words| error.contains(words)), "{error:?}: none of {words:?}");
}

/// Texts of a file that are no arrays.
const TEXTS: [&str; 14] = [
    "format",
    "tool",
    "file",
    "label_file",
    "labels",
    "label_column",
    "weight_column",
    "sha256",
    "rows",
    "loss",
    "set",
    "target",
    "deviation",
    "negative",
];

/// The arrays of a document: every text under another key than [`TEXTS`].
fn arrays(document: &Value) -> Vec<(Path, Vec<f64>)> {
    let numbers = |text: &str| -> Vec<f64> {
        let bytes = STANDARD.decode(text).expect("base64");
        let (chunks, []) = bytes.as_chunks::<8>() else { panic!("eight bytes each") };
        chunks.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect()
    };
    let is_text = |path: &Path| {
        path.iter()
            .rev()
            .find(|part| part.parse::<usize>().is_err())
            .is_some_and(|key| TEXTS.contains(&key.as_str()))
    };
    // Bytes, not numbers.
    let is_bytes = |path: &Path| path.last().is_some_and(|key| key == "codes");
    let is_array = |path: &Path| !is_text(path) && !is_bytes(path);
    let texts = values(document).into_iter().filter(|(path, value)| value.is_string() && is_array(path));
    texts.map(|(path, value)| (path, numbers(value.as_str().expect("a text")))).collect()
}

fn encoded(numbers: &[f64]) -> Value {
    json!(STANDARD.encode(numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>()))
}

#[test]
fn what_is_written_is_read_and_written_the_same() {
    for sample in samples() {
        let bytes = sample.bytes();
        let read = AnyCertificate::from_bytes(&bytes).expect(sample.name);
        assert_eq!(read, sample.certificate, "{}", sample.name);
        assert_eq!(Sample { certificate: read, ..sample.clone() }.bytes(), bytes);
        sample.check(&sample.certificate).unwrap_or_else(|failure| panic!("{}: {failure}", sample.name));
        // The same values from the same document without line breaks.
        assert_eq!(self::read(&sample.json()).expect(sample.name), sample.certificate);
        match &sample.certificate {
            AnyCertificate::Linear(certificate) => {
                assert_eq!(Certificate::from_bytes(&bytes).as_ref(), Ok(certificate));
                assert_eq!(MeanCertificate::from_bytes(&bytes), Err(FormatError::OtherLearner("linear")));
            }
            AnyCertificate::Mean(certificate) => {
                assert_eq!(MeanCertificate::from_bytes(&bytes).as_ref(), Ok(certificate));
                assert_eq!(Certificate::from_bytes(&bytes), Err(FormatError::OtherLearner("mean")));
            }
        }
    }
    let mut random = Random(77);
    for (name, make) in kinds() {
        let problem = provable(|| make(&mut random), |_| true);
        let original = certificate(&problem);
        let read = Certificate::from_bytes(&original.to_bytes()).expect("a file");
        assert_eq!(read, original, "{name}");
        assert_eq!(problem.check(&read), problem.check(&original), "{name}");
    }
}

/// The samples have every vector, every optional field and every kind of everything.
#[test]
fn the_samples_have_every_field() {
    let keys: std::collections::HashSet<String> =
        samples().iter().flat_map(|s| values(&s.json())).flat_map(|(path, _)| path).collect();
    for key in [
        "linear",
        "mean",
        "error",
        "horizon",
        "new_data",
        "projection",
        "clip",
        "unregularized",
        "omega",
        "shells",
        "slabs",
        "by_class",
        "u",
        "u2",
        "c",
        "w",
        "w2",
        "y",
        "reach",
        "low",
        "high",
        "target_y",
        "target_reach",
        "tau",
        "nu",
        "share",
        "x",
        "outer",
        "inner",
        "ball",
        "box",
        "ellipsoid",
        "points",
        "weights",
        "rows",
        "multiclass",
        "cases",
        "paper",
        "samples",
        "covariance_trace",
        "steps",
        "start",
        "delta",
        "gain",
        "theta",
        "exceptions",
    ] {
        // Cases by class are in no small sample, and are written only if they are there.
        assert!(keys.contains(key) || key == "by_class", "{key}");
    }
}

#[test]
fn unknown_keys_at_every_level() {
    let mut changed = 0;
    for sample in samples() {
        let document = sample.json();
        for (path, value) in values(&document) {
            let Value::Object(mut entries) = value else { continue };
            entries.insert("extra".to_owned(), json!(0));
            // An enumeration has one key, so what is wrong with a second one is that there is one.
            refused(
                &with(&document, &path, Value::Object(entries)),
                &["unknown field `extra`", "expected value"],
            );
            changed += 1;
        }
    }
    assert!(changed > 200, "{changed}");
}

/// The document as text, with entry number `twice` of all objects written twice. Returns how many entries there are.
fn write(value: &Value, twice: usize, count: &mut usize, text: &mut String) {
    match value {
        Value::Object(entries) => {
            text.push('{');
            for (i, (key, value)) in entries.iter().enumerate() {
                let entry = |count: &mut usize| {
                    let mut entry = format!("{}:", json!(key));
                    write(value, twice, count, &mut entry);
                    entry
                };
                if i > 0 {
                    text.push(',');
                }
                *count += 1;
                let own = *count - 1 == twice;
                let entry = entry(count);
                text.push_str(&entry);
                if own {
                    text.push(',');
                    text.push_str(&entry);
                }
            }
            text.push('}');
        }
        Value::Array(entries) => {
            text.push('[');
            for (i, value) in entries.iter().enumerate() {
                if i > 0 {
                    text.push(',');
                }
                write(value, twice, count, text);
            }
            text.push(']');
        }
        other => text.push_str(&other.to_string()),
    }
}

#[test]
fn duplicate_keys_at_every_level() {
    let mut changed = 0;
    for sample in samples() {
        let document = sample.json();
        let (mut count, mut text) = (0, String::new());
        write(&document, usize::MAX, &mut count, &mut text);
        assert_eq!(AnyCertificate::from_bytes(text.as_bytes()).as_ref(), Ok(&sample.certificate));
        for twice in 0..count {
            let mut text = String::new();
            write(&document, twice, &mut 0, &mut text);
            let error = AnyCertificate::from_bytes(text.as_bytes()).expect_err(&text).to_string();
            assert!(error.contains("duplicate field") || error.contains("expected value"), "{error}");
            changed += 1;
        }
    }
    assert!(changed > 800, "{changed}");
}

/// Without a key a file is refused, or its claims are; but some keys say something that may be left out.
#[test]
fn missing_keys() {
    /// Claims beside the loss, and names of files and columns, which are for information.
    const MAY_BE_LEFT_OUT: [&str; 5] = ["error", "new_data", "label_file", "label_column", "weight_column"];
    /// Without them the statement is another one, which the same proof may prove.
    const OTHER_STATEMENT: [&str; 1] = ["projection"];
    let (mut unreadable, mut refused, mut accepted) = (0, 0, 0);
    for sample in samples() {
        let document = sample.json();
        for (path, value) in values(&document) {
            let Value::Object(entries) = value else { continue };
            for key in entries.keys() {
                let mut rest = entries.clone();
                rest.shift_remove(key);
                match read(&with(&document, &path, Value::Object(rest))) {
                    Err(error) => {
                        unreadable += 1;
                        let error = error.to_string();
                        let is_clear = error.contains(&format!("missing field `{key}`"))
                            || error.contains("expected value")
                            || error.contains("either a certificate");
                        assert!(is_clear, "{key}: {error}");
                    }
                    Ok(changed) => match sample.check(&changed) {
                        Err(_) => refused += 1,
                        Ok(_) => {
                            accepted += 1;
                            let key = key.as_str();
                            // The proof of the loss may serve for the horizon as well.
                            let serves = key == "proof" && path.last().is_some_and(|last| last == "horizon");
                            assert!(
                                serves || MAY_BE_LEFT_OUT.contains(&key) || OTHER_STATEMENT.contains(&key),
                                "{}: {key}",
                                sample.name
                            );
                        }
                    },
                }
            }
        }
    }
    assert!(unreadable > 500 && refused > 50 && accepted > 50, "{unreadable} {refused} {accepted}");
}

#[test]
fn numbers_that_are_none() {
    let mut changed = 0;
    for sample in samples() {
        let document = sample.json();
        for (path, _) in values(&document).into_iter().filter(|(_, value)| value.is_number()) {
            let text = with(&document, &path, json!("@@")).to_string();
            for bad in [
                "NaN",
                "Infinity",
                "-Infinity",
                "1e999",
                "-1e999",
                "\"0.5\"",
                "[0.5]",
                "true",
                "0x1",
                "01",
                ".5",
                "1.",
                "",
            ] {
                // A list without the number is another list.
                if bad.is_empty() && path.last().is_some_and(|part| part.parse::<usize>().is_ok()) {
                    continue;
                }
                let error =
                    AnyCertificate::from_bytes(text.replace("\"@@\"", bad).as_bytes()).expect_err(&text);
                assert!(matches!(error, FormatError::Malformed(_)), "{error}");
                changed += 1;
            }
        }
    }
    assert!(changed > 3000, "{changed}");
}

/// Codes are bytes in base64, of any number, and nothing else.
#[test]
fn codes_that_are_none() {
    let mut changed = 0;
    for sample in samples() {
        let document = sample.json();
        for (path, _) in
            values(&document).into_iter().filter(|(path, _)| path.last().is_some_and(|key| key == "codes"))
        {
            for wrong in ["*", "DzeI8Q", "DzeI8Q= ", "DzeI8R=="] {
                refused(&with(&document, &path, json!(wrong)), &["not base64"]);
            }
            for wrong in [json!(null), json!(1.0), json!([15])] {
                refused(&with(&document, &path, wrong), &["invalid type"]);
            }
            let longer = read(&with(&document, &path, json!("DzeI8Q8="))).expect("bytes");
            assert!(sample.check(&longer).expect_err("another length").contains("expected"));
            changed += 1;
        }
    }
    assert!(changed >= 3, "{changed}");
}

#[test]
fn arrays_that_are_none() {
    let mut changed = 0;
    for sample in samples() {
        let document = sample.json();
        for (path, numbers) in arrays(&document) {
            let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
            let put = |value: Value| with(&document, &path, value);
            for wrong in [&bytes[1..], &[bytes.as_slice(), &[0]].concat(), &[0; 7]] {
                refused(&put(json!(STANDARD.encode(wrong))), &["not a multiple of 8"]);
            }
            let text = STANDARD.encode(&bytes);
            for wrong in [
                format!("{text}="),
                format!(" {text}"),
                format!("{text}\n"),
                format!("*{}", &text[1..]),
                text[1..].to_owned(),
            ] {
                refused(&put(json!(wrong)), &["not base64"]);
            }
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let mut numbers = numbers.clone();
                numbers[0] = bad;
                refused(&put(encoded(&numbers)), &["which is not finite"]);
            }
            for wrong in [json!(numbers), json!(null), json!(1.0), json!({})] {
                refused(&put(wrong), &["invalid type"]);
            }
            changed += 1;
            // One number more or less is read, and refused by its length.
            for longer in [[numbers.as_slice(), &[0.5]].concat(), numbers[1..].to_vec()] {
                if let Ok(changed) = read(&put(encoded(&longer))) {
                    let failure = sample.check(&changed).expect_err("another length");
                    assert!(
                        failure.contains("expected")
                            || failure.contains("the number of")
                            || failure.contains("not a shell")
                            || failure.contains("above the one before")
                            || failure.contains("does not fit"),
                        "{failure}"
                    );
                }
            }
        }
    }
    assert!(changed >= 150, "{changed}");
}

/// A list of the fields' values is no object, at any level.
#[test]
fn lists_in_place_of_objects() {
    let mut refused = 0;
    for sample in samples() {
        let document = sample.json();
        for (path, value) in values(&document) {
            let Value::Object(fields) = value else { continue };
            let list = Value::Array(fields.values().cloned().collect());
            let error = read(&with(&document, &path, list)).expect_err(sample.name).to_string();
            assert!(error.starts_with("not a certificate: "), "{}: {path:?}: {error}", sample.name);
            refused += 1;
        }
        let whole = Value::Array(document.as_object().expect("an object").values().cloned().collect());
        assert!(read(&whole).is_err(), "{}", sample.name);
    }
    assert!(refused > 100, "{refused}");
    let document = samples().swap_remove(0).json();
    let learner = ["linear", "statement", "learner"].map(str::to_owned);
    let error =
        read(&with(&document, &learner, json!(["hinge", 0.01, null, 0.1, null, 1]))).unwrap_err().to_string();
    assert_eq!(error, "not a certificate: linear.statement.learner is a list, not an object");
}

#[test]
fn other_documents() {
    let sample = samples().swap_remove(0);
    let bytes = sample.bytes();
    let document = sample.json();
    for tail in [&b"x"[..], b"{}", b"\0", b"1", b"]", b"}", b"// comment"] {
        let error = AnyCertificate::from_bytes(&[bytes.as_slice(), tail].concat()).expect_err("a tail");
        assert!(error.to_string().contains("trailing characters"), "{error}");
    }
    // White space around the object is no content.
    for (before, after) in [("\n\t ", " \r\n\n"), ("", "")] {
        let padded = [before.as_bytes(), &bytes, after.as_bytes()].concat();
        assert_eq!(AnyCertificate::from_bytes(&padded).as_ref(), Ok(&sample.certificate));
    }
    for other in [
        &b""[..],
        b"null",
        b"[]",
        b"{}",
        b"0",
        b"\"\"",
        b"\xef\xbb\xbf{}",
        b"\xff\xfe",
        b"PK\x03\x04",
        &[0; 64],
    ] {
        assert!(matches!(AnyCertificate::from_bytes(other), Err(FormatError::Malformed(_))));
    }
    let bom = [b"\xef\xbb\xbf", bytes.as_slice()].concat();
    assert!(AnyCertificate::from_bytes(&bom).is_err());
    let at = |key: &str| vec![key.to_owned()];
    assert_eq!(
        read(&with(&document, &at("format"), json!("other"))),
        Err(FormatError::OtherFormat("other".into()))
    );
    for version in [0, 2, 3, u32::MAX] {
        assert_eq!(
            read(&with(&document, &at("version"), json!(version))),
            Err(FormatError::OtherVersion(version))
        );
    }
    for version in [json!(-1), json!(1.5), json!("1"), json!(1_u64 << 40), json!(null)] {
        assert!(matches!(read(&with(&document, &at("version"), version)), Err(FormatError::Malformed(_))));
    }
    // Both kinds, or none.
    let mean = samples().into_iter().find(|s| s.name == "mean").expect("a mean").json();
    let mut both = document.clone();
    both["mean"] = mean["mean"].clone();
    assert_eq!(read(&both), Err(FormatError::NotOne));
    let mut none = document.clone();
    none.as_object_mut().expect("an object").shift_remove("linear");
    assert_eq!(read(&none), Err(FormatError::NotOne));
    assert_eq!(read(&with(&document, &at("linear"), json!(null))), Err(FormatError::NotOne));
    // The older kind of file: eight bytes, a header, arrays.
    let old = b"\x40\0\0\0\0\0\0\0{\"__metadata__\":{\"format\":\"unswayed-certificate\"}}             ";
    assert!(matches!(AnyCertificate::from_bytes(old), Err(FormatError::Malformed(_))));
}

#[test]
fn names_of_kinds() {
    let document = samples().swap_remove(0).json();
    let path = |text: &str| text.split('.').map(str::to_owned).collect::<Vec<_>>();
    for (at, bad) in [
        ("linear.statement.learner.loss", json!("square")),
        ("linear.statement.learner.loss", json!({ "multiclass": -1 })),
        ("linear.statement.learner.loss", json!({ "hinge": 3 })),
        ("linear.statement.learner.batch", json!(1.5)),
        ("linear.statement.learner.batch", json!(-1)),
        ("linear.statement.threat.set", json!("sphere")),
        ("linear.statement.threat.set", json!("ball")),
        ("linear.statement.threat.set", json!({})),
        ("linear.statement.threat.set", json!({ "ball": { "radius": 1 }, "box": { "radii": "" } })),
        ("linear.statement.target", json!("rows")),
        ("linear.statement.target", json!("weights")),
        ("linear.statement.target", json!({ "weights": "AAAAAAAA8D8=" })),
        ("linear.statement.data", json!({})),
        ("linear.loss.proof", json!({ "trust": "me" })),
        ("linear.loss.proof.cases.rows", json!("convexity")),
        ("linear.loss.proof.cases.cases.lines", json!([0.5])),
        ("linear.loss.proof.cases.cases.lines", json!([-1])),
        ("linear.loss.proof.cases.lines.0.dataset", json!(-1)),
    ] {
        let error = read(&with(&document, &path(at), bad.clone())).expect_err(at);
        assert!(matches!(error, FormatError::Malformed(_)), "{at} {bad}: {error}");
    }
}

/// A radius of −0 is none: it is read, because it is a number, and refused by name.
#[test]
fn negative_zero() {
    let by_name = |name: &str| samples().into_iter().find(|s| s.name == name).expect("a sample");
    let path = |text: &str| text.split('.').map(str::to_owned).collect::<Vec<_>>();
    let ball = by_name("bare");
    let changed = read(&with(&ball.json(), &path("linear.statement.threat.set.ball.radius"), json!(-0.0)))
        .expect("a number");
    assert!(ball.check(&changed).expect_err("−0").contains("set.radius = -0.0 is not ≥ 0"));
    let cuboid = by_name("hinge error");
    let changed =
        read(&with(&cuboid.json(), &path("linear.statement.threat.set.box.radii"), encoded(&[1.0, -0.0])))
            .expect("numbers");
    assert!(cuboid.check(&changed).expect_err("−0").contains("set.radii[1] = -0.0 is not ≥ 0"));
}

/// Only the line break at the end can be missing.
#[test]
fn cut_files() {
    for sample in samples() {
        let bytes = sample.bytes();
        assert_eq!(bytes.last(), Some(&b'\n'));
        for length in 0..bytes.len() - 1 {
            let error = AnyCertificate::from_bytes(&bytes[..length]).expect_err("a part of a file");
            assert!(matches!(error, FormatError::Malformed(_)), "{error}");
        }
        assert_eq!(AnyCertificate::from_bytes(&bytes[..bytes.len() - 1]).as_ref(), Ok(&sample.certificate));
    }
}

#[test]
fn deep_and_long_documents_are_refused_quickly() {
    for deep in ["[".repeat(1 << 20), "{\"linear\":".repeat(1 << 16)] {
        assert!(AnyCertificate::from_bytes(deep.as_bytes()).is_err());
    }
    let sample = samples().swap_remove(0);
    let AnyCertificate::Linear(mut certificate) = sample.certificate.clone() else { unreachable!() };
    // Counts that no memory holds are compared with what is there, not allocated.
    certificate.statement.learner.loss = unswayed_check::Loss::Multiclass(usize::MAX);
    assert!(sample.check(&AnyCertificate::Linear(certificate.clone())).is_err());
    let Proof::Cases(proof) = &mut certificate.loss.proof else { unreachable!() };
    proof.lines[0].dataset = usize::MAX;
    proof.cases.lines = vec![usize::MAX];
    assert!(sample.check(&AnyCertificate::Linear(certificate)).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(7),
        cases: u32::try_from(rounds(200, 20_000)).unwrap_or(200), ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(AnyCertificate::from_bytes(&bytes).is_err());
    }

    /// Every finite number is written and read as it is, to the last bit.
    #[test]
    fn any_finite_numbers_survive(bits in prop::collection::vec(any::<u64>(), 12)) {
        let numbers: Vec<f64> = bits.into_iter().map(f64::from_bits).map(|x| if x.is_finite() { x } else { -0.0 }).collect();
        let rows = fixtures::rows();
        let mut original = fixtures::certificate(fixtures::hinge(), fixtures::by_cases(fixtures::convexity()), None, &rows);
        original.statement.learner.learning_rate = numbers[0];
        original.statement.threat = unswayed_check::Threat::ball(numbers[1], numbers[2]);
        original.statement.learner.clip = Some(numbers[3]);
        original.loss.bound = numbers[4];
        let Proof::Cases(proof) = &mut original.loss.proof else { unreachable!() };
        proof.alpha = numbers[5];
        proof.beta = numbers[6..12].to_vec();
        let bytes = original.to_bytes();
        let read = Certificate::from_bytes(&bytes).expect("a file");
        let Proof::Cases(proof) = &read.loss.proof else { unreachable!() };
        let found = [read.statement.learner.learning_rate, read.statement.threat.poison_rate, read.loss.bound, proof.alpha];
        let wanted = [numbers[0], numbers[1], numbers[4], numbers[5]];
        prop_assert_eq!(found.map(f64::to_bits), wanted.map(f64::to_bits));
        let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!(bits(&proof.beta), bits(&numbers[6..12]));
        prop_assert_eq!(read.to_bytes(), bytes);
    }
}
