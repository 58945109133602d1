//! The certificates of docs/learners.md against reference values: as good as those, and above what attacks reach.

use serde_json::Value;
use unswayed::Dataset;
use unswayed::certify::linear::{LinearOptions, certify_linear};
use unswayed::check::{Linear, Loss, Set, Step, Target};
use unswayed::data::{Options, Source, load};

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(values) => values.iter().flat_map(numbers).collect(),
        other => other.as_f64().into_iter().collect(),
    }
}

fn rows(z: &Value) -> Dataset {
    Dataset::from_rows(numbers(z), numbers(&z[0]).len(), None).unwrap()
}

/// Rows of a multi-class learner: the label, then x.
fn labelled(case: &Value) -> Dataset {
    let (x, labels) = (case["X"].as_array().unwrap(), numbers(&case["labels"]));
    let row = |(x, label): (&Value, f64)| std::iter::once(label).chain(numbers(x)).collect::<Vec<f64>>();
    let rows: Vec<f64> = x.iter().zip(labels).flat_map(row).collect();
    Dataset::from_rows(rows, 1 + numbers(&x[0]).len(), None).unwrap()
}

fn datasets(case: &Value) -> Vec<Dataset> {
    if let Some(file) = case["file"].as_str() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/data");
        let source = Source::path(format!("{folder}/{file}_x.npy")).labels(format!("{folder}/{file}_y.npy"));
        let rows = case["rows"].as_u64().map(|n| usize::try_from(n).unwrap());
        return vec![load(&source, &Options { rows, ..Options::default() }).unwrap()];
    }
    match case["datasets"].as_array() {
        Some(all) => all.iter().map(rows).collect(),
        None if case["X"].is_array() => vec![labelled(case)],
        None => vec![rows(&case["Z"])],
    }
}

fn set(case: &Value, name: &str, dimension: usize) -> Set {
    if name.contains("label-only") {
        Set::Labels
    } else if !case["points"].is_null() {
        Set::Points { points: numbers(&case["points"]) }
    } else if !case["half_widths"].is_null() {
        Set::Box { radii: numbers(&case["half_widths"]) }
    } else if !case["Q"].is_null() {
        let q = (0..dimension).flat_map(|j| (0..=j).map(move |i| (i, j)));
        Set::Ellipsoid { q: q.map(|(i, j)| case["Q"][i][j].as_f64().unwrap()).collect() }
    } else {
        Set::Ball { radius: case["radius"].as_f64().unwrap() }
    }
}

fn loss(case: &Value, name: &str) -> Loss {
    match indices(&case["labels"]).into_iter().max() {
        Some(last) => Loss::Classes(last + 1),
        None if name.starts_with("logistic") => Loss::Logistic,
        None => Loss::Hinge,
    }
}

fn indices(value: &Value) -> Vec<usize> {
    numbers(value).into_iter().map(|x| x as usize).collect()
}

#[test]
fn bounds_are_as_good_as_the_reference_and_hold() {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oracles/learners.json")).unwrap();
    let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
    let mut seen = 0;
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let data = datasets(case);
        let data: Vec<&Dataset> = data.iter().collect();
        let number = |key: &str| case[key].as_f64().unwrap();
        let weights = numbers(&case["target_weights"]);
        let learner = Linear {
            learning_rate: number("eta"),
            regularization: number("sigma"),
            poison_rate: number("eps"),
            loss: loss(case, name),
            step: Step { free: indices(&case["free"]), ..Step::default() },
            set: set(case, name, data[0].dimension()),
            target: if weights.is_empty() { Target::Data } else { Target::Weights(vec![weights]) },
        };
        let outcome = certify_linear(&data, &learner, &LinearOptions::default());
        let outcome = outcome.unwrap_or_else(|e| panic!("{name}: {e}"));
        let found =
            if name.contains("error") { outcome.certified_error.unwrap() } else { outcome.certified_loss };
        let value = number("value");
        println!("{name}: {found} (reference {value}, {})", outcome.status.word());
        assert!(found <= value + 1e-5, "{name}: {found} above {value}");
        for below in ["fixed_point", "simulated"] {
            if let Some(loss) = case[below].as_f64() {
                assert!(loss <= found + 1e-3, "{name}: {below} {loss} above {found}");
            }
        }
        seen += 1;
    }
    assert_eq!(seen, 35);
}
