//! The certificates of docs/learners.md against reference values: as good as those, and above what attacks reach.

use serde_json::Value;
use unswayed::Dataset;
use unswayed::attack::{Attack, LinearSuite};
use unswayed::certify::linear::{LinearOptions, certify_linear};
use unswayed::check::{Evidence, Linear, LinearCertificate, Loss, Set, Step, Target, check_linear};
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

fn mnist(rows: usize) -> Dataset {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/data/mnist_1v7_train");
    let source = Source::path(format!("{folder}_x.npy")).labels(format!("{folder}_y.npy"));
    load(&source, &Options { rows: Some(rows), ..Options::default() }).unwrap()
}

fn hinge(poison_rate: f64) -> Linear {
    Linear {
        learning_rate: 1e-3,
        regularization: 0.01,
        poison_rate,
        loss: Loss::Hinge,
        step: Step::default(),
        set: Set::Ball { radius: 1.0 },
        target: Target::Data,
    }
}

fn bound(data: &Dataset, learner: &Linear) -> f64 {
    certify_linear(&[data], learner, &LinearOptions::default()).unwrap().certified_loss
}

/// Values of programs in another language and with another solver (docs/learners.md, Section 13, up to their rounding).
#[test]
fn steps_and_targets_are_as_good_as_the_reference() {
    let data = mnist(500);
    let projected = |radius: f64| Step { projection: Some(radius), ..Step::default() };
    let free = || Step { free: vec![30], ..Step::default() };
    let clipped = || Step { clip: Some(1.0), ..Step::default() };
    let any = Linear { set: Set::Any, step: clipped(), ..hinge(0.05) };
    for (name, learner, reference) in [
        ("ball", hinge(0.05), 0.2470),
        ("projection 3", Linear { step: projected(3.0), ..hinge(0.01) }, 0.2805),
        ("projection 3", Linear { step: projected(3.0), ..hinge(0.05) }, 0.3420),
        ("projection 6", Linear { step: projected(6.0), ..hinge(0.05) }, 0.2456),
        ("free bias", Linear { step: free(), ..hinge(0.05) }, 0.4509),
        ("label-only", Linear { set: Set::Labels, ..hinge(0.01) }, 0.1169),
        ("logistic", Linear { loss: Loss::Logistic, ..hinge(0.01) }, 0.3097),
        // A clip at 1 leaves the rows as they are and makes every adversary one of radius 1.
        ("any point, clipped", any, 0.2470),
        ("batches", Linear { step: Step { batch: 32, ..Step::default() }, ..hinge(0.05) }, 0.2470),
    ] {
        let found = bound(&data, &learner);
        assert!((found - reference).abs() < 2e-4, "{name}: {found} against {reference}");
    }
}

#[test]
fn a_target_of_other_rows_has_a_bound() {
    let (data, all) = (mnist(60), mnist(75));
    let target = Dataset::from_rows(all.z()[60 * 31..].to_vec(), 31, None).unwrap();
    let learner = Linear { target: Target::Rows, regularization: 0.1, ..hinge(0.005) };
    let options = LinearOptions { target: Some(&target), ..LinearOptions::default() };
    let outcome = certify_linear(&[&data], &learner, &options).unwrap();
    assert!(outcome.certified_loss < 1.0, "{}", outcome.certified_loss);
    let evidence = Evidence { data: &[data.as_rows()], target: Some(target.as_rows()) };
    let certificate = LinearCertificate::from_bytes(&outcome.certificate.to_bytes()).unwrap();
    let again = check_linear(&certificate, &evidence).unwrap().loss;
    assert_eq!(again.to_bits(), outcome.certified_loss.to_bits());
}

/// More rows than the program sees: each of 250 rows, in four coordinates, 24 times is the same data.
#[test]
fn a_sample_is_almost_enough() {
    let all = mnist(250);
    let few =
        Dataset::from_rows(all.iter().flat_map(|z| [z[0], z[1], z[2], z[30]]).collect(), 4, None).unwrap();
    let many = Dataset::from_rows(few.z().repeat(24), 4, None).unwrap();
    let radii: Vec<f64> = (0..4).map(|j| few.iter().map(|z| z[j].abs()).fold(0.0, f64::max)).collect();
    for (learner, room) in [
        (Linear { set: Set::Box { radii }, ..hinge(0.05) }, 0.02),
        (Linear { set: Set::Labels, ..hinge(0.05) }, 0.03),
        (Linear { loss: Loss::Logistic, ..hinge(0.05) }, 1e-5),
    ] {
        let (less, more) = (bound(&few, &learner), bound(&many, &learner));
        assert!(more > less - 1e-6 && more < less * (1.0 + room), "{more} against {less}");
    }
}

/// Samples of a distribution on few points, for which bound and attack are known: what holds with probability 0.9 must hold in most.
#[test]
fn confidence_covers_the_distribution() {
    let support = [[0.6, 0.5], [0.7, -0.1], [0.2, 0.8], [-0.3, 0.4]];
    let learner = Linear { learning_rate: 0.01, regularization: 0.1, ..hinge(0.05) };
    let truth = Dataset::from_rows(support.concat(), 2, None).unwrap();
    let suite = [&truth];
    let suite = LinearSuite::new(&suite, &learner, None).unwrap();
    let attacked = suite.run(&[Attack::SteadyState]).unwrap();
    let reached = attacked[0].steady.as_ref().unwrap().loss;
    let best = bound(&truth, &learner);
    let mut state: u64 = 1;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        support[(state >> 62) as usize]
    };
    let (mut below_best, mut below_reached, samples) = (0, 0, 30);
    for _ in 0..samples {
        let z: Vec<f64> = (0..400).flat_map(|_| draw()).collect();
        let data = Dataset::from_rows(z, 2, None).unwrap();
        let options = LinearOptions { confidence: Some(0.9), ..LinearOptions::default() };
        let found = certify_linear(&[&data], &learner, &options).unwrap().confident_loss.unwrap();
        assert!(found < 2.0, "{found}");
        below_best += usize::from(found < best);
        below_reached += usize::from(found < reached);
    }
    assert!(below_best * 10 <= samples && below_reached == 0, "{below_best} {below_reached}");
}

#[test]
fn what_cannot_be_is_refused_in_words() {
    let data = mnist(50);
    let refusal = |learner: &Linear, options: &LinearOptions| {
        certify_linear(&[&data], learner, options).unwrap_err().to_string()
    };
    let plain = LinearOptions::default();
    let free = Linear { step: Step { free: vec![0], ..Step::default() }, ..hinge(0.05) };
    assert!(refusal(&free, &plain).starts_with("column 1 is to go without regularization"));
    let unbounded = Linear { set: Set::Any, ..hinge(0.05) };
    assert!(refusal(&unbounded, &plain).contains("clip"));
    for confidence in [0.0, 1.0, f64::NAN] {
        let options = LinearOptions { confidence: Some(confidence), ..LinearOptions::default() };
        assert!(refusal(&hinge(0.05), &options).starts_with("confidence"));
    }
    let options = LinearOptions { confidence: Some(0.9), ..LinearOptions::default() };
    let logistic = Linear { loss: Loss::Logistic, ..hinge(0.05) };
    assert!(refusal(&logistic, &options).contains("loss"), "{}", refusal(&logistic, &options));
    let options = LinearOptions { horizon: Some(10), start: Some(vec![0.0]), ..LinearOptions::default() };
    assert!(refusal(&hinge(0.05), &options).contains("31"));
}

/// Settings in which the search, or the place of rest, once went wrong.
#[test]
#[expect(clippy::unreadable_literal, reason = "numbers as they were drawn")]
fn data_that_were_hard_stay_easy() {
    let free = [
        -0.1502015381946077,
        -0.2965658880006188,
        -1.0,
        -0.1671504278493295,
        0.008117807219376607,
        -1.0,
        -0.2843638256288016,
        0.33439558420574383,
        -1.0,
    ];
    let data = Dataset::from_rows(free.to_vec(), 3, None).unwrap();
    let learner = Linear {
        learning_rate: 0.7193470958925859,
        regularization: 0.0285667467350094,
        poison_rate: 0.008910508896624314,
        loss: Loss::Logistic,
        step: Step { free: vec![2], ..Step::default() },
        set: Set::Ball { radius: 0.310791501047698 },
        target: Target::Data,
    };
    let drift = certify_linear(&[&data, &data], &learner, &LinearOptions::default()).unwrap();
    let alone = bound(&data, &learner);
    assert!((drift.certified_loss - alone).abs() < 1e-3, "{} against {alone}", drift.certified_loss);

    let projected = [
        0.44190479796393756,
        0.2651111623091838,
        0.4150204235373709,
        0.19317285949533755,
        0.3048235416553495,
        0.06349522425503167,
        -0.010796832681427983,
        0.1394830135706961,
        0.20090809087167205,
        0.6392754586999586,
        0.25790489641997677,
        -0.003712193085137968,
        0.056064379297554964,
        0.6876843069913346,
    ];
    let data = Dataset::from_rows(projected.to_vec(), 2, None).unwrap();
    let learner = Linear {
        learning_rate: 0.01,
        regularization: 0.12300402841061778,
        poison_rate: 0.0,
        step: Step { projection: Some(1.767247225616011), ..Step::default() },
        set: Set::Ball { radius: 0.3 },
        ..hinge(0.0)
    };
    let all = [&data];
    let benign = LinearSuite::new(&all, &learner, None).unwrap().benign().loss;
    let bound = bound(&data, &learner);
    assert!(benign <= bound && bound < 0.357, "{benign} against {bound}");
}
