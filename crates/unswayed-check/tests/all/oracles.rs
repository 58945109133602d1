//! The reference values in `tests/oracles` and of `docs/learners.md`: the exact value of each stored proof.

use serde_json::{Value, json};
use unswayed_check::{
    CaseProof, Cases, Certificate, Claim, Deviation, Evidence, Feature, HorizonErrorClaim, HostileSample,
    Lines, Loss, MeanBenign, MeanCertificate, MeanStatement, NewDataClaim, Proof, RowBound, Rows, Set,
    Shells, Statement, Target, check, check_mean, prove, prove_new_data,
};
use unswayed_data::{Reading, Source, load_table};

use crate::common::fixtures::{self, bound, by_cases, by_paper};
use crate::common::generic::{CLIP, generic, generic_error};
use crate::common::random::{kinds, provable, random_problem};
use crate::common::search::Random;
use crate::common::{Numbers, Problem, certificate, dot, ellipsoid_x, origin, plain, slope, triangle};
use crate::levels_truth::random_proof;
use crate::steps::Weighted;
use crate::truth;

fn cases(text: &str) -> Vec<Value> {
    serde_json::from_str(text).expect("a list of cases")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(list) => list.iter().map(number).collect(),
        one => vec![number(one)],
    }
}

fn hinge_cases() -> Vec<Value> {
    cases(include_str!("../oracles/hinge.json"))
}

fn hinge(case: &Value) -> Statement {
    learner(case, Loss::Hinge)
}

fn proof(claim: &Value, rows: usize, is_error: bool) -> CaseProof {
    let cases = Cases {
        lines: vec![0],
        tau: vec![number(&claim["tau"])],
        nu: vec![claim["nu"].as_f64().unwrap_or(0.0)],
        ..Cases::default()
    };
    let mut lines = Lines { u: numbers(&claim["u"]), ..Lines::default() };
    let mut kind = RowBound::BoundedSlope;
    if is_error {
        kind = RowBound::ErrorHinge;
        lines.u2 = numbers(&claim["u2"]);
        lines.c = claim.get("c").map_or(vec![0.0; rows], numbers);
    }
    CaseProof::new(kind, number(&claim["alpha"]), numbers(&claim["beta"]), lines, cases)
}

#[test]
fn hinge_values_are_reproduced_exactly() {
    let mut checked = 0;
    for case in hinge_cases() {
        let z = table(&case["Z"]);
        let (dimension, z) = (z[0].len(), z.concat());
        let rows = Rows { z: &z, pattern: None, dimension, weights: None, steps: None };
        let statement = hinge(&case);
        for name in ["cert", "cert_basic", "zero_one", "zero_one_basic"] {
            let claim = &case[name];
            let proof = by_cases(proof(claim, rows.len(), name.starts_with("zero")));
            let exact = truth::value(&statement, &proof, &rows).expect("conditions hold");
            let value = number(&claim["value"]);
            assert_eq!(exact.to_f64().value(), value, "{} {name}", case["name"]);
            let bound = bound(&statement, &proof, &rows).unwrap();
            truth::assert_rounded_up(bound, &exact);
            assert!(bound == value || bound == value.next_up());
            checked += 1;
        }
    }
    assert_eq!(checked, 4 * 14);
}

/// The same lines on an interval that holds all θᵀz: the slopes are multiples of the weight 1/N there.
#[test]
fn intervals_contain_whole_lines() {
    let mut checked = 0;
    for case in hinge_cases() {
        let z = table(&case["Z"]);
        let (dimension, z) = (z[0].len(), z.concat());
        let rows = Rows { z: &z, pattern: None, dimension, weights: None, steps: None };
        let statement = hinge(&case);
        let mut wide = proof(&case["cert"], 0, false);
        let sigma = statement.learner.regularization;
        let kappa = Numbers::new(&statement, wide.alpha).kappa0 - 1.0;
        let ball = 1.001 / sigma;
        let u = std::mem::take(&mut wide.lines[0].u);
        // κ is rounded, so y may exceed it by 1e-16: reach must not be huge.
        wide.lines[0].y = u.iter().map(|u| kappa.max(0.0) * u / rows.len() as f64).collect();
        wide.lines[0].reach = vec![ball * 1.001; rows.len()];
        wide.rows = RowBound::Interval;
        wide.shells = Some(Shells { centre: vec![0.0; dimension], radii: vec![ball], ball });
        (wide.cases.outer, wide.cases.inner) = (vec![0.0], vec![0.0]);
        let wide = by_cases(wide);
        let bound = bound(&statement, &wide, &rows).unwrap();
        truth::assert_rounded_up(bound, &truth::value(&statement, &wide, &rows).unwrap());
        let value = number(&case["cert"]["value"]);
        assert!((bound - value).abs() <= 1e-9 * value.max(1.0), "{} {bound} {value}", case["name"]);
        checked += 1;
    }
    assert_eq!(checked, 14);
}

#[test]
fn mean_values() {
    let (mut checked, mut infinite) = (0, 0);
    for case in cases(include_str!("../oracles/mean.json")) {
        let trace = |m: &Value| {
            let rows = m.as_array().unwrap();
            (0..rows.len()).map(|i| number(&rows[i][i])).sum::<f64>()
        };
        let statement = MeanStatement {
            learning_rate: number(&case["eta"]),
            poison_rate: number(&case["eps"]),
            squared_radius: number(&case["r"]),
            noise_trace: trace(&case["S"]),
            benign: MeanBenign::CovarianceTrace(trace(&case["Sigma"])),
        };
        let closed = &case["closed"];
        let Some(nu) = closed["nu"].as_f64() else {
            // The closed form has no ν where the adversary has nothing to do, or everything.
            infinite += 1;
            continue;
        };
        // a and ν are rounded: a little more of both keeps the conditions.
        let certificate = MeanCertificate {
            tool: String::new(),
            statement,
            bound: 1e300,
            alpha: number(&closed["a"]) * (1.0 + 1e-10),
            nu: nu * (1.0 + 1e-8) + 1e-12,
        };
        let value = number(&closed["value"]);
        let bound = check_mean(&certificate, None).unwrap();
        truth::assert_rounded_up(bound, &truth::mean_value(&certificate, None).unwrap());
        assert!((bound - value).abs() <= 1e-6 * value.max(1e-3), "{} {bound} {value}", case["name"]);
        checked += 1;
    }
    assert!(checked >= 9 && infinite <= 1, "{checked} {infinite}");
}

fn table(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().expect("a table").iter().map(numbers).collect()
}

/// z = y·x for the first rows of a file of `experiments/data`.
fn file_rows(name: &str, count: usize) -> Vec<Vec<f64>> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/data/");
    let source = Source::path(format!("{root}{name}_x.npy")).labels(format!("{root}{name}_y.npy"));
    let (table, y, _) = load_table(&source, &Reading::default()).expect("a data file");
    let row = |i: usize| table.x[i * table.columns..][..table.columns].iter().map(|x| x * y[i]).collect();
    (0..count).map(row).collect()
}

fn rows(case: &Value) -> Vec<Vec<f64>> {
    match case["file"].as_str() {
        Some(name) => file_rows(name, usize::try_from(case["rows"].as_u64().unwrap()).unwrap()),
        None => table(&case["Z"]),
    }
}

fn learner(case: &Value, loss: Loss) -> Statement {
    let set = if case["name"].as_str().unwrap().contains("label-only") {
        Set::LabelFlips
    } else if let Some(points) = case.get("points") {
        Set::Points { points: table(points).concat() }
    } else if let Some(q) = case.get("Q") {
        Set::Ellipsoid { q: triangle(&table(q)) }
    } else if let Some(radii) = case.get("half_widths") {
        Set::Box { radii: numbers(radii) }
    } else {
        Set::Ball { radius: number(&case["radius"]) }
    };
    let mut statement = plain(number(&case["eta"]), number(&case["sigma"]), number(&case["eps"]), loss, set);
    if let Some(t) = case.get("target_weights") {
        statement.target = Target::Weights(vec![numbers(t)]);
    }
    if let Some(free) = case.get("free") {
        statement.learner.unregularized = numbers(free).iter().map(|&j| j as usize).collect();
    }
    statement
}

/// The same proof in two unbounded slabs, where ν is 2αk.
fn halved(proof: CaseProof) -> CaseProof {
    let lines = (0..2).map(|shell| Lines { shell, ..proof.lines[0].clone() }).collect();
    let tau = proof.cases.tau.repeat(2);
    let cases = Cases { lines: vec![0, 1], tau, nu: vec![0.0; 2], ..Cases::default() };
    CaseProof { slabs: vec![0.0], lines, cases, ..proof }
}

/// A problem with one dataset and no classes.
fn one_dataset(case: &Value) -> Problem {
    let name = case["name"].as_str().unwrap();
    let (is_logistic, is_error) = (name.starts_with("logistic"), name.contains("-error"));
    let loss = if is_logistic { Loss::Logistic } else { Loss::Hinge };
    let statement = learner(case, loss);
    let z = rows(case);
    let w = &case["witness"];
    let (mut alpha, beta) = (number(&w["alpha"]), numbers(&w["beta"]));
    if !statement.learner.unregularized.is_empty() {
        alpha /= 1.0 - statement.learner.learning_rate * statement.learner.regularization;
    }
    let constants = Numbers::new(&statement, alpha);
    let t = |i: usize| case.get("target_weights").map_or(1.0, |t| number(&t[i]) * z.len() as f64);
    let is_label = statement.threat.set == Set::LabelFlips;
    let method = match (is_logistic, is_error, is_label) {
        (false, false, false) => RowBound::BoundedSlope,
        (true, false, false) => RowBound::Logistic,
        (false, true, _) => RowBound::ErrorHinge,
        (true, true, _) => RowBound::ErrorLogistic,
        (false, _, true) => RowBound::LabelHinge,
        (true, _, true) => RowBound::LabelLogistic,
    };
    let lines_of = |u: Vec<f64>| {
        let mut lines = Lines::default();
        match method {
            RowBound::Logistic => {
                lines.w = w.get("w").map_or_else(
                    || {
                        let y = |i: usize| (constants.kappa0 - t(i)) * u[i];
                        (0..z.len()).map(|i| constants.logistic(&z[i], &beta, y(i), t(i))).collect()
                    },
                    numbers,
                );
            }
            RowBound::ErrorLogistic => {
                let place = |i: usize| constants.logistic(&z[i], &beta, constants.kappa0 * u[i], 0.0);
                lines.w = (0..z.len()).map(|i| place(i).min(0.5)).collect();
                lines.w2 = (0..z.len()).map(|i| place(i).max(0.5)).collect();
            }
            RowBound::LabelLogistic => {
                let places = |i: usize| constants.labels(&z[i], &beta, (constants.kappa0 - 1.0) * u[i]);
                (lines.w, lines.w2) = (0..z.len()).map(places).unzip();
            }
            RowBound::ErrorHinge => {
                lines.u2 = numbers(&w["u2"]);
                lines.c = numbers(&w["c"]);
            }
            _ => {}
        }
        lines.u = u;
        lines
    };
    let mut cases = Cases { lines: vec![0], ..Cases::default() };
    let mut omega = None;
    let flat = z.concat();
    let lines: Vec<Lines> = match &statement.threat.set {
        Set::Points { points } => {
            let d = beta.len();
            cases.share = numbers(&w["point_share"]);
            cases.lines = (0..cases.share.len()).collect();
            if is_logistic {
                let place = |(a, &share): (&[f64], &f64)| constants.finite(a, &beta, share);
                cases.w = points.chunks(d).zip(&cases.share).map(place).collect();
            }
            table(&w["u"]).into_iter().map(lines_of).collect()
        }
        set => {
            let u = numbers(&w["u"]);
            if *set != Set::LabelFlips {
                cases.tau = w.get("tau").map_or_else(|| vec![dot(&beta, &beta).sqrt()], numbers);
                cases.nu = vec![w.get("nu").map_or(0.0, number)];
            }
            if let Some(q) = case.get("Q") {
                let q = table(q);
                let y = |i: usize| (constants.kappa0 - t(i)) * u[i];
                let r = slope(&flat, beta.len(), y);
                cases.x = ellipsoid_x(&statement, alpha, &beta, &q, &r, cases.tau[0], cases.nu[0]);
                omega = Some(largest_eigenvalue(&q) * (1.0 + 1e-12));
            }
            vec![lines_of(u)]
        }
    };
    let dimension = beta.len();
    let proof = CaseProof { omega, lines, ..CaseProof::new(method, alpha, beta, Lines::default(), cases) };
    let proof = if statement.learner.unregularized.is_empty() { proof } else { halved(proof) };
    Problem { statement, proof, data: vec![flat], weights: vec![None], dimension, target: None }
}

/// By repeated multiplication.
fn largest_eigenvalue(q: &[Vec<f64>]) -> f64 {
    let mut x: Vec<f64> = (0..q.len()).map(|i| 1.0 + 0.1 * i as f64).collect();
    let mut value = 0.0;
    for _ in 0..5000 {
        let y: Vec<f64> = q.iter().map(|row| dot(row, &x)).collect();
        value = dot(&y, &y).sqrt();
        x = y.iter().map(|y| y / value).collect();
    }
    value
}

fn drift(case: &Value) -> Problem {
    let w = &case["witness"];
    let parts = w["datasets"].as_array().unwrap();
    let lines =
        |(dataset, part): (usize, &Value)| Lines { dataset, u: numbers(&part["u"]), ..Lines::default() };
    let all = |name: &str| parts.iter().map(|p| number(&p[name])).collect();
    let proof = CaseProof {
        lines: parts.iter().enumerate().map(lines).collect(),
        cases: Cases { lines: vec![0, 1], tau: all("tau"), nu: all("nu"), ..Cases::default() },
        ..CaseProof::new(
            RowBound::BoundedSlope,
            number(&w["alpha"]),
            numbers(&w["beta"]),
            Lines::default(),
            Cases::default(),
        )
    };
    let data: Vec<_> = case["datasets"].as_array().unwrap().iter().map(|z| table(z).concat()).collect();
    let (dimension, weights) = (proof.beta.len(), vec![None; data.len()]);
    let statement = Statement { data: vec![origin(1, 1); data.len()], ..learner(case, Loss::Hinge) };
    Problem { statement, proof, data, weights, dimension, target: None }
}

fn classes(case: &Value) -> Problem {
    let name = case["name"].as_str().unwrap();
    let count = name["multi-class K=".len()..][..1].parse::<usize>().unwrap();
    let by_class = name.ends_with("classes");
    let w = &case["witness"];
    let parts = w["cases"].as_array().unwrap();
    let (k, radius) = (count as f64, number(&case["radius"]));
    let gamma = if by_class { 1.0 } else { (k * (k - 1.0)).sqrt() * radius };
    let proof = CaseProof {
        by_class,
        lines: parts.iter().map(|p| Lines { u: numbers(&p["u"]), ..Lines::default() }).collect(),
        cases: Cases {
            lines: (0..parts.len()).collect(),
            tau: parts.iter().map(|p| number(&p["tau"]) / gamma).collect(),
            nu: parts.iter().map(|p| number(&p["nu"])).collect(),
            ..Cases::default()
        },
        ..CaseProof::new(
            RowBound::BoundedSlope,
            number(&w["alpha"]),
            numbers(&w["beta"]),
            Lines::default(),
            Cases::default(),
        )
    };
    let (x, labels) = (table(&case["X"]), numbers(&case["labels"]));
    let dimension = 1 + x[0].len();
    let data = vec![x.iter().zip(&labels).flat_map(|(x, &y)| [&[y], x.as_slice()].concat()).collect()];
    let statement = learner(case, Loss::Multiclass(count));
    Problem { statement, proof, data, weights: vec![None], dimension, target: None }
}

#[test]
fn every_reference_case_is_reproduced() {
    let text = include_str!("../../../unswayed/tests/oracles/learners.json");
    let cases: Vec<Value> = serde_json::from_str(text).expect("a list of cases");
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let problem = match name {
            _ if name.contains("drift") => drift(case),
            _ if name.starts_with("multi-class") => classes(case),
            _ => one_dataset(case),
        };
        let value = number(&case["value"]);
        let bound = problem.bound().unwrap_or_else(|e| panic!("{name}: {e}"));
        let is_logistic = name.starts_with("logistic");
        let error = (bound - value).abs() / value.abs().max(1.0);
        assert!(error <= if is_logistic { 1e-7 } else { 1e-9 }, "{name}: {bound} {value}");
        for below in ["brute_force", "fixed_point"] {
            assert!(case[below].as_f64().is_none_or(|x| x <= bound), "{name} {below}");
        }
    }
    assert_eq!(cases.len(), 35);
}

/// A certificate with its rows, for the other checker.
fn sample(name: &str, problem: &Problem, certificate: &Certificate) -> Value {
    let file: Value = serde_json::from_slice(&certificate.to_bytes()).expect("JSON");
    json!({
        "name": name,
        "certificate": file,
        "data": problem.data,
        "weights": problem.weights,
        "target": problem.target,
        "dimension": problem.dimension,
    })
}

/// A certificate of the loss for a learner with step weights.
fn weighted(kind: RowBound, set: &str, random: &mut Random) -> Value {
    let draw = || Weighted::random(random, kind, set);
    let weighted = std::iter::repeat_with(draw).take(1000).find(|weighted| weighted.bound().is_ok()).unwrap();
    let Weighted { problem, steps } = &weighted;
    let mut statement = problem.complete();
    statement.data[0].step_weight_column = Some("c".to_owned());
    let proof = Proof::Cases(Box::new(problem.proof.clone()));
    let file = Certificate {
        tool: "test 1.0".to_owned(),
        statement,
        loss: Claim { bound: weighted.bound().unwrap(), proof },
        error: None,
        horizon: None,
        horizon_error: None,
        new_data: None,
    };
    let mut value = sample(&format!("step weights {kind:?} {set}"), problem, &file);
    value["steps"] = json!([steps]);
    value
}

/// A certificate whose error is proved by levels.
fn by_levels(kind: RowBound, random: &mut Random) -> Value {
    for _ in 0..1000 {
        let mut problem = random_problem(random, kind, "ball", |_, _| {});
        problem.statement.data[0] = origin(4, 2);
        let (z, weights) = (problem.data[0].clone(), problem.weights[0].clone());
        let case = random_proof(random, problem.statement.clone(), 2, z, weights);
        let (Ok(_), Ok(bounds)) = (problem.bound(), case.proven()) else { continue };
        let bound = bounds.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let mut file = certificate(&problem);
        file.error = Some(Claim { bound, proof: Proof::Levels(Box::new(case.proof)) });
        add_horizon_error(&problem, &mut file, 0.0);
        return sample(&format!("levels {kind:?}"), &problem, &file);
    }
    panic!("no random proof by levels of {kind:?} was accepted")
}

/// The claim on the error over the first steps.
fn add_horizon_error(problem: &Problem, file: &mut Certificate, m: f64) {
    let (error, horizon) = (file.error.as_ref().expect("an error"), file.statement.horizon.as_ref());
    let proven =
        problem.with_evidence(|e| prove(&file.statement, &error.proof, e)?.horizon(horizon.unwrap(), m));
    file.horizon_error = Some(HorizonErrorClaim { bound: proven.expect("first steps"), m });
}

/// An unregularized column whose slab in the middle is the worst one, where the ends of the slab have different x.
fn middle_slab(loss: Feature) -> Value {
    let mut problem = generic(&[loss, Feature::Ellipsoid, Feature::Bias]);
    problem.proof.slabs = vec![-30.0, 40.0];
    problem.proof.cases.x = (0..problem.proof.cases.x.len()).map(|j| 0.25 * j as f64 - 1.0).collect();
    let (bound, cases) = problem.bounds().expect("a bound");
    assert_eq!(bound, cases[1], "the slab in the middle");
    sample("middle slab", &problem, &certificate(&problem))
}

/// A claim on new data for the hinge learner against this set.
fn with_new_data(
    set: Feature,
    deviation: Deviation,
    beta: f64,
    random: &mut Random,
) -> (Problem, Certificate) {
    let mut problem = generic(&[Feature::Hinge, set]);
    problem.statement.learner.projection = Some(12.0);
    let width = problem.proof.cases.tau.len();
    let mut claim = NewDataClaim {
        bound: 0.0,
        delta: random.between(0.01, 0.1),
        radius: random.between(1.0, 1.5),
        deviation,
        alpha: random.between(0.7, 0.9),
        beta: random.vector(2, 2.0 * beta, 0.5 * beta),
        tau: random.vector(width, 1.5, 2.5),
        nu: random.between(0.0, 0.5),
        omega: problem.proof.omega,
        theta: random.vector(2, 0.2, 2.5),
        gain: random.between(0.3, 0.9),
        floor: None,
        w: vec![],
        hostile: None,
    };
    let mut file = certificate(&problem);
    claim.bound = prove_new_data(&file.statement, &claim, &problem.rows()[0]).expect("a bound");
    file.new_data = Some(claim);
    (problem, file)
}

/// The same where one of the last three rows may be hostile, by any linear loss.
fn with_hostile_sample(loss: Feature, deviation: Deviation, random: &mut Random) -> (Problem, Certificate) {
    let problem = generic(&[loss, Feature::Ball, Feature::HostileRows]);
    let is_logistic = loss == Feature::Logistic;
    let mut claim = NewDataClaim {
        bound: 0.0,
        delta: random.between(0.01, 0.1),
        radius: random.between(1.0, 1.5),
        deviation,
        alpha: random.between(0.7, 0.9),
        beta: random.vector(2, -1.2, -0.3),
        tau: random.vector(1, 1.5, 2.5),
        nu: random.between(0.0, 0.5),
        omega: None,
        theta: random.vector(2, 0.2, 2.5),
        gain: random.between(0.3, 0.9),
        floor: is_logistic.then(|| random.between(-0.5, 0.5)),
        w: if is_logistic { random.vector(3, 0.1, 0.9) } else { vec![] },
        hostile: Some(HostileSample {
            earlier: 1,
            pull: random.vector(2, -0.5, 0.5),
            spread: random.between(5.0, 50.0),
            threshold: random.between(-1.0, 0.5),
        }),
    };
    let mut file = certificate(&problem);
    claim.bound = prove_new_data(&file.statement, &claim, &problem.rows()[0]).expect("a bound");
    file.new_data = Some(claim);
    (problem, file)
}

/// Points that act push the other way, and further.
fn steeper(problem: &mut Problem) {
    problem.proof.beta.iter_mut().for_each(|beta| *beta *= -4.0);
}

/// Rows with entries beyond 1, which are no classes.
fn longer(problem: &mut Problem) {
    if !matches!(problem.statement.learner.loss, Loss::Multiclass(_)) {
        problem.data.iter_mut().flatten().for_each(|z| *z *= 3.0);
    }
}

/// Where one half of the error's logistic rows ends and the other begins.
fn at_half(problem: &mut Problem) {
    if problem.proof.rows == RowBound::ErrorLogistic {
        for lines in &mut problem.proof.lines {
            lines.w.fill(0.5);
            lines.w2.fill(0.5);
        }
    }
}

/// The constant of the points without a search.
fn without_nu(problem: &mut Problem) {
    if problem.proof.rows == RowBound::Logistic {
        problem.proof.cases.nu.fill(0.0);
    }
}

/// Rows that weigh a quarter.
fn lighter(problem: &mut Problem) {
    if problem.proof.rows == RowBound::ErrorHinge || problem.proof.rows == RowBound::BoundedSlope {
        let weights =
            |z: &Vec<f64>| (0..z.len() / problem.dimension).map(|i| [0.25, 1.0, 2.0][i % 3]).collect();
        problem.weights = problem.data.iter().map(|z| Some(weights(z))).collect();
    }
}

/// Certificates of every kind with random numbers.
fn every_kind() -> Vec<Value> {
    let mut random = Random(2024);
    let mut all = vec![];
    for (name, make) in kinds() {
        let problem = provable(|| make(&mut random), |_| true);
        all.push(sample(&name, &problem, &certificate(&problem)));
        for change in [steeper, longer, at_half, lighter, without_nu] {
            let mut other = problem.clone();
            change(&mut other);
            if other.proof != problem.proof || other.data != problem.data || other.weights != problem.weights
            {
                let is_proven = other.bound().is_ok();
                all.extend(is_proven.then(|| sample(&name, &other, &certificate(&other))));
            }
        }
    }
    for loss in [Feature::Hinge, Feature::Logistic] {
        let problem = generic(&[loss, Feature::Ball, Feature::TargetWeights, Feature::RowWeights]);
        all.push(sample("target of a quarter", &problem, &certificate(&problem)));
    }
    // Both theorems on momentum; the second is for one dataset and regularized coordinates.
    let with_momentum: [&[Feature]; 10] = [
        &[Feature::Hinge, Feature::Ball],
        &[Feature::Logistic, Feature::Box],
        &[Feature::SmoothMargin, Feature::Ellipsoid],
        &[Feature::Hinge, Feature::Points],
        &[Feature::Logistic, Feature::LabelFlips],
        &[Feature::Hinge, Feature::AnyPoint, Feature::Clip],
        &[Feature::Multiclass, Feature::Ball],
        &[Feature::Regression, Feature::Ball],
        &[Feature::Hinge, Feature::Ball, Feature::Bias],
        &[Feature::Hinge, Feature::Ball, Feature::Drift],
    ];
    for features in with_momentum {
        let mut problem = generic(&[features, &[Feature::Momentum]].concat());
        all.push(sample("momentum", &problem, &certificate(&problem)));
        if problem.data.len() == 1 && problem.proof.slabs.is_empty() {
            problem.proof.rate = Some(0.014);
            all.push(sample("momentum at less than the rate of M1", &problem, &certificate(&problem)));
        }
    }
    // Points that reach the clip, and are not clipped.
    let mut problem = generic(&[Feature::Logistic, Feature::Ball, Feature::Clip]);
    problem.statement.threat.set = Set::Ball { radius: CLIP };
    all.push(sample("clip at the radius", &problem, &certificate(&problem)));
    for set in [Feature::Ball, Feature::Box, Feature::Ellipsoid] {
        for deviation in [Deviation::Hoeffding, Deviation::Bernstein] {
            for beta in [-0.6, -4.0] {
                let (problem, file) = with_new_data(set, deviation, beta, &mut random);
                all.push(sample(&format!("new data {set:?} {deviation:?}"), &problem, &file));
            }
        }
    }
    for kind in [RowBound::BoundedSlope, RowBound::Logistic, RowBound::Interval] {
        for set in ["ball", "box", "ellipsoid"] {
            all.push(weighted(kind, set, &mut random));
        }
    }
    for _ in 0..6 {
        all.extend([RowBound::BoundedSlope, RowBound::Logistic].map(|kind| by_levels(kind, &mut random)));
    }
    for loss in [Feature::Hinge, Feature::Logistic] {
        let problem = generic_error(&[loss, Feature::Ball]);
        let mut file = certificate(&problem);
        add_horizon_error(&problem, &mut file, 0.0);
        all.push(sample("error over first steps", &problem, &file));
    }
    all.extend([Feature::Hinge, Feature::Logistic].map(middle_slab));
    for _ in 0..4 {
        let kinds = [RowBound::BoundedSlope, RowBound::Logistic];
        all.extend(kinds.map(|kind| weighted(kind, "classes", &mut random)));
    }
    for (file, rows) in fixtures::all() {
        if let Proof::Paper(proof) = &file.loss.proof {
            let problem = Problem {
                data: vec![rows.z.to_vec()],
                weights: vec![rows.weights.map(<[f64]>::to_vec)],
                ..generic(&[Feature::Hinge, Feature::Ball])
            };
            let mut idle = (**proof).clone();
            // Rows that count most where they do not act.
            idle.m = vec![0.01, -2.0, 0.0, 0.01, -1.0];
            idle.h = rows.z.iter().map(|z| -0.2337 * z).collect();
            for proof in [(**proof).clone(), idle] {
                let file = fixtures::certificate(fixtures::hinge(), by_paper(proof), None, &rows);
                all.push(sample("paper", &problem, &file));
            }
        }
    }
    for loss in [Feature::Hinge, Feature::Logistic] {
        for deviation in [Deviation::Hoeffding, Deviation::Bernstein] {
            let (problem, file) = with_hostile_sample(loss, deviation, &mut random);
            all.push(sample(&format!("new data, hostile rows {loss:?} {deviation:?}"), &problem, &file));
        }
    }
    all
}

/// `python/unswayed/verify.py` shares no code with this checker. The bounds that it proves are in the file, and are the same to
/// the last bit. `UNSWAYED_BLESS=1` writes the certificates, then `tests/oracles/verified.py` the bounds.
#[test]
fn the_other_checker_proves_the_same() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oracles/verified.json");
    if std::env::var_os("UNSWAYED_BLESS").is_some() {
        std::fs::write(path, json!(every_kind()).to_string()).unwrap();
    }
    let all: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(all.len() >= 100, "{}", all.len());
    for case in &all {
        let file =
            Certificate::from_bytes(case["certificate"].to_string().as_bytes()).expect("a certificate");
        let data: Vec<Vec<f64>> = case["data"].as_array().unwrap().iter().map(numbers).collect();
        let weights = case["weights"].as_array().unwrap().iter();
        let weights: Vec<Option<Vec<f64>>> = weights.map(|w| w.is_array().then(|| numbers(w))).collect();
        let target = case["target"].is_array().then(|| numbers(&case["target"]));
        let steps = case["steps"].as_array().map(|steps| steps.iter().map(numbers).collect::<Vec<_>>());
        let dimension = usize::try_from(case["dimension"].as_u64().unwrap()).unwrap();
        let rows: Vec<Rows> = data
            .iter()
            .zip(&weights)
            .enumerate()
            .map(|(i, (z, w))| {
                let steps = steps.as_ref().map(|steps| steps[i].as_slice());
                Rows { z, pattern: None, dimension, weights: w.as_deref(), steps }
            })
            .collect();
        let target =
            target.as_ref().map(|z| Rows { z, pattern: None, dimension, weights: None, steps: None });
        let evidence = Evidence { data: &rows, target };
        let verdict = check(&file, &evidence);
        let verdict = verdict.unwrap_or_else(|failure| panic!("{}: {failure}", case["name"]));
        // The verdict on the error is the smaller of two bounds and 1; here it is that of its own proof.
        let error = file.error.as_ref().map(|claim| prove(&file.statement, &claim.proof, &evidence)?.bound());
        let error = error.transpose().expect("a bound");
        let own = file.error.as_ref().zip(file.horizon_error).map(|(error, claim)| {
            let horizon = file.statement.horizon.as_ref().expect("first steps");
            prove(&file.statement, &error.proof, &evidence)?.horizon(horizon, claim.m)
        });
        let own = own.transpose().expect("a bound over the first steps");
        let proved = [Some(verdict.loss), error, verdict.horizon, own, verdict.new_data];
        assert_eq!(json!(proved), case["proved"], "{}", case["name"]);
    }
}
