//! Proofs of the loss by contraction (Theorem C2): the formulas of Section 24 computed once more, models that touch them, planted
//! errors, every condition from both sides, and horizons.

use unswayed_check::{
    ContractionCase, ContractionProof, ContractionRound, Evidence, Horizon, Loss, Proof, Rows, Schedule, Set,
    Statement, Target, prove,
};

use crate::common::search::Random;
use crate::common::section24::{Case, Term};
use crate::common::{dot, plain, rounds};

/// Proofs whose values an exact evaluation of Lemma C1 in Python has found, round by round: the same to the last bit.
#[test]
fn stored_values() {
    let all: Vec<serde_json::Value> =
        serde_json::from_str(include_str!("../oracles/contraction.json")).expect("JSON");
    assert!(all.iter().filter(|one| one.get("target").is_some()).count() >= 2);
    for one in all {
        let proof: Proof =
            serde_json::from_value(serde_json::json!({ "contraction": one["proof"] })).expect("a proof");
        let Proof::Contraction(proof) = proof else { unreachable!() };
        let z: Vec<f64> = serde_json::from_value(one["z"].clone()).expect("numbers");
        let [eta, sigma, eps] = serde_json::from_value(one["rates"].clone()).expect("three numbers");
        let mut statement = plain(eta, sigma, eps, Loss::Hinge, Set::Ball { radius: 1.0 });
        let sizes: Vec<usize> = one.get("sizes").map_or(vec![z.len() / 2], |sizes| {
            serde_json::from_value(sizes.clone()).expect("numbers of rows")
        });
        statement.data = sizes.iter().map(|n| crate::common::origin(*n, 2)).collect();
        if sizes.len() > 1 {
            assert_eq!(Some(of_datasets(&statement, proof, &z, &sizes)), one["value"].as_f64());
            continue;
        }
        if let Some(weights) = one.get("target") {
            statement.target =
                Target::Weights(vec![serde_json::from_value(weights.clone()).expect("numbers")]);
        }
        let case = Case { statement, proof: *proof, z, weights: None };
        assert_eq!(Some(case.bound().expect("accepted")), one["value"].as_f64());
        assert!((case.value(None) - case.bound().unwrap()).abs() < 1e-9);
    }
}

/// The bound where the first rows are those of the first dataset, and so on.
fn of_datasets(statement: &Statement, proof: Box<ContractionProof>, z: &[f64], sizes: &[usize]) -> f64 {
    let mut rest = z;
    let rows = sizes.iter().map(|n| {
        let (z, others) = rest.split_at(2 * n);
        rest = others;
        Rows { z, pattern: None, dimension: 2, weights: None, steps: None }
    });
    let rows: Vec<Rows> = rows.collect();
    let proof = Proof::Contraction(proof);
    let proven = prove(statement, &proof, &Evidence { data: &rows, target: None }).expect("accepted");
    proven.bound().expect("finite")
}

/// One row in one dimension, or two of the same sign whose weights in the target differ, and a model θ with the margin 1 (or less, without rounds) at which Lemma C1 is an equality. Returns θ and
/// the adversary's point.
fn touching(random: &mut Random, with_rounds: bool) -> Option<(Case, f64, f64)> {
    let (eta, sigma) = (random.between(0.05, 0.3), random.between(0.2, 0.8));
    let (eps, z) = (random.between(0.05, 0.3), random.between(0.5, 1.0) * [1.0, -1.0][random.below(2)]);
    let k = 1.0 - eta * sigma;
    let alpha = (1.05 + random.between(0.0, 2.0)) / (2.0 * k * (1.0 - eps));
    let kappa0 = 2.0 * alpha * k * (1.0 - eps);
    // z, p and t of each row.
    let rows = if with_rounds || random.below(2) == 0 {
        vec![(z, 1.0, 1.0)]
    } else {
        let part = random.between(0.49, 0.51);
        vec![(z, 0.5, part), (z * random.between(0.4, 0.9), 0.5, 1.0 - part)]
    };
    let steep: f64 = rows.iter().map(|(z, p, t)| (p * kappa0 - t) * z).sum();
    let kappa = kappa0 - 1.0;
    let is_held = random.below(2) == 0;
    let theta = if with_rounds { 1.0 } else { random.between(-1.0, 0.9) } / z;
    // Where the point's margin is 1, ν counts.
    let radius = if is_held { 1.0 / theta.abs() } else { random.between(0.5, 1.2) };
    let nu = if is_held { random.between(0.1, 0.5) * alpha } else { 0.0 };
    let chi = 2.0 * alpha * k - nu;
    let on = |z: f64, beta: f64| (1.0 - eps) * (2.0 * alpha * k + alpha * eta * z * z + beta * z);
    let on_row = |beta: f64| rows.iter().map(|row| on(row.0, beta)).fold(f64::INFINITY, f64::min);
    let parts = |beta: f64| {
        let q = chi * theta + beta;
        let tau = q.abs();
        let a = alpha * sigma * (2.0 - eta * sigma) - eps * radius * chi * chi / (2.0 * tau);
        (q, tau, a, 2.0 * a * theta - (eps * radius * chi / tau - sigma) * beta)
    };
    let mut beta = random.between(-3.0, 3.0);
    if !with_rounds {
        // x = 0 for the slope κ: by secants.
        let gap = |beta: f64| parts(beta).3 - steep;
        let mut other = beta + 0.1;
        for _ in 0..60 {
            let (here, there) = (gap(beta), gap(other));
            if here == there {
                break;
            }
            (other, beta) = (beta, beta - here * (other - beta) / (there - here));
        }
        let gap = gap(beta).abs();
        if gap.is_nan() || gap >= 1e-12 {
            return None;
        }
    }
    let (q, tau, a, rest) = parts(beta);
    let point = radius * q.signum();
    let acts = if is_held { theta * point > 0.0 } else { theta * point <= 1.0 };
    if !(a > 1e-3 && tau > 1e-3 && acts && (with_rounds || on_row(beta) > 0.01)) {
        return None;
    }
    let mut statement = plain(eta, sigma, eps, Loss::Hinge, Set::Ball { radius });
    statement.data = vec![crate::common::origin(rows.len(), 1)];
    if rows.len() > 1 {
        statement.target = Target::Weights(vec![rows.iter().map(|row| row.2).collect()]);
    }
    let ball = 2.0 * radius.max(z.abs()).max(1.0) / sigma + theta.abs();
    let ends = ContractionCase { tau, nu, codes: vec![0xff], rounds: vec![] };
    let mut proof =
        ContractionProof { alpha, beta: vec![beta], ball, cases: vec![ends], ..Default::default() };
    let z_of_all = rows.iter().map(|row| row.0).collect();
    let mut case = Case { statement, proof: proof.clone(), z: z_of_all, weights: None };
    if with_rounds {
        let jump = on_row(beta);
        let high = 0.5 * ball * (1.0 + z * z);
        let [flat, steep] =
            if jump > 0.0 { [-jump / (high - 1.0), kappa] } else { [0.0, kappa - jump / (high + 1.0)] };
        let [up, down] = [(rest - flat * z) / z, -(rest - steep * z) / z];
        if !(up > 1e-3 && down > 1e-3) {
            return None;
        }
        proof.target = case.g(&[theta], &[point]) - 1e-7;
        let (ends, pulls) = (vec![0.0, 1.0], vec![up, down]);
        proof.cases[0].rounds =
            vec![ContractionRound { ends, pulls, tau: vec![tau; 2], nu: vec![nu; 2], codes: vec![0, 15] }];
    } else {
        proof.target = -100.0;
    }
    case.proof = proof;
    Some((case, theta, point))
}

/// The largest G_λ of a case in one dimension that a search finds, from a place.
fn largest(case: &Case, near: f64, point: f64) -> f64 {
    let kinks = case.z.iter().map(|z| 1.0 / z);
    let grid = (-400..=400).map(|i| near + f64::from(i) / 100.0);
    let models = kinks.chain(grid).chain([near]).filter(|theta| theta.abs() <= case.proof.ball);
    models.flat_map(|theta| [point, -point].map(|z| case.g(&[theta], &[z]))).fold(f64::NEG_INFINITY, f64::max)
}

/// Where Lemma C1 is an equality the bound is reached to the last digits, and it is never below what is reached.
#[test]
fn models_that_touch_the_bound() {
    let mut random = Random(24);
    for with_rounds in [false, true] {
        let mut found = 0;
        while found < rounds(40, 2000) {
            let Some((case, theta, point)) = touching(&mut random, with_rounds) else { continue };
            let bound = case.bound().expect("accepted");
            let reached = case.g(&[theta], &[point]);
            assert!(reached <= bound + 1e-9 * bound.abs().max(1.0), "{reached} {bound} {case:?}");
            assert!((case.value(None) - bound).abs() <= 1e-9 * bound.abs().max(1.0), "{case:?}");
            assert!(
                with_rounds || bound - reached < 1e-9 * bound.abs().max(1.0),
                "{reached} {bound} {case:?}"
            );
            assert!(largest(&case, theta, point) <= bound + 1e-9 * bound.abs().max(1.0), "{case:?}");
            found += 1;
        }
    }
}

/// A formula with an error of 1 % in one term says less than what is reached: the search finds each of them.
#[test]
fn planted_errors_are_found() {
    let mut random = Random(25);
    let mut cases = vec![];
    for with_rounds in [false, true] {
        while cases.len() < if with_rounds { 120 } else { 60 } {
            cases.extend(touching(&mut random, with_rounds));
        }
    }
    for term in Term::ALL {
        let is_found = |(case, theta, point): &&(Case, f64, f64)| {
            case.value(Some(term)) < largest(case, *theta, *point) - 1e-8
        };
        let found = cases.iter().filter(is_found).count();
        assert!(found >= 5, "{term:?}: {found}");
    }
}

/// A proof with random numbers for four rows in the plane.
fn random_case(random: &mut Random) -> Case {
    let (eta, sigma, eps) =
        (random.between(0.005, 0.3), random.between(0.05, 0.8), random.between(0.01, 0.3));
    let radius = random.between(0.3, 1.2);
    let mut statement = plain(eta, sigma, eps, Loss::Hinge, Set::Ball { radius });
    statement.data = vec![crate::common::origin(4, 2)];
    let k = 1.0 - eta * sigma;
    let alpha = (0.8 + random.between(0.0, 2.0)) / (2.0 * k * (1.0 - eps));
    let least = eps * radius * (2.0 * alpha * k).powi(2) / (2.0 * alpha * sigma * (2.0 - eta * sigma));
    let weights = (random.below(2) == 0).then(|| random.vector(4, 0.1, 1.0));
    if random.below(2) == 0 {
        // Some rows are no part of the target, and some are nearly all of it.
        let target = random.vector(4, -0.5, 1.0).iter().map(|t| t.max(0.0)).collect::<Vec<f64>>();
        if target.iter().any(|t| *t > 0.0) {
            statement.target = Target::Weights(vec![target]);
        }
    }
    let z = random.vector(8, -0.7, 1.0);
    let proof = ContractionProof {
        alpha,
        beta: random.vector(2, -2.0, 1.0),
        ball: 40.0,
        target: -100.0,
        cases: vec![ContractionCase::default()],
    };
    let mut case = Case { statement, proof, z, weights };
    let tau = |random: &mut Random| least * random.between(1.01, 4.0) + 0.1;
    *case.case() = ContractionCase { tau: tau(random), nu: 0.0, codes: vec![0x7f, 0xf7], rounds: vec![] };
    case.proof.target = random.between(0.5, 1.1) * case.value(None);
    for _ in 0..3 {
        // As many codes as there are free rows, which the formulas do not tell: more are not read.
        let (ends, count) = ((0..8).map(f64::from).collect::<Vec<_>>(), 8);
        let round = ContractionRound {
            ends,
            pulls: random.vector(count, 0.01, 2.0),
            tau: (0..count).map(|_| tau(random)).collect(),
            nu: random.vector(count, 0.0, 0.3),
            codes: vec![],
        };
        case.case().rounds.push(round);
    }
    case
}

/// Fills codes in as the checker asks for them, until it is content.
fn completed(mut case: Case, random: &mut Random) -> Option<Case> {
    for _ in 0..20 {
        let failure = match case.bound() {
            Ok(_) => return Some(case),
            Err(failure) => failure.reason,
        };
        let unswayed_check::Reason::Length { name, expected, .. } = failure else { return None };
        let codes = (0..expected).map(|_| random.below(256) as u8).collect();
        if name == "codes" {
            case.case().codes = codes;
        } else {
            let empty = case.case().rounds.iter_mut().find(|round| round.codes.is_empty())?;
            empty.codes = codes;
        }
    }
    None
}

/// Random proofs: the checker's value is that of the formulas, and no model that is tried has a larger G_λ.
#[test]
fn random_proofs() {
    let mut random = Random(26);
    let (mut accepted, mut shorter) = (0, 0);
    for _ in 0..rounds(300, 20_000) {
        let case = random_case(&mut random);
        let Some(case) = completed(case, &mut random) else { continue };
        let bound = case.bound().expect("accepted");
        let value = case.value(None);
        assert!((value - bound).abs() <= 1e-7 * bound.abs().max(1.0), "{value} {bound} {case:?}");
        let mut without = case.clone();
        without.case().rounds.clear();
        without.case().codes = vec![0x7f, 0xf7];
        shorter += usize::from(bound < without.bound().expect("accepted") - 1e-6);
        let Set::Ball { radius } = case.statement.threat.set else { unreachable!() };
        for _ in 0..200 {
            let theta = random.vector(2, -6.0, 6.0);
            let point = random.vector(2, -1.0, 1.0);
            let length = dot(&point, &point).sqrt().max(1e-9);
            let point: Vec<f64> = point.iter().map(|x| x * radius / length).collect();
            assert!(case.g(&theta, &point) <= bound + 1e-9, "{theta:?} {point:?} {case:?}");
        }
        accepted += 1;
    }
    println!("{accepted} accepted, rounds help {shorter}");
    assert!(accepted > 100 && shorter > 20, "{accepted} {shorter}");
}

/// A proof that meets every condition with room to spare: two rows in the plane, one round.
fn spacious() -> Case {
    let mut statement = plain(0.01, 0.1, 0.05, Loss::Hinge, Set::Ball { radius: 1.0 });
    statement.data = vec![crate::common::origin(2, 2)];
    let round = ContractionRound {
        ends: vec![0.0, 3.0],
        pulls: vec![0.5, 0.25],
        tau: vec![8.0; 2],
        nu: vec![0.125; 2],
        codes: vec![0x4f, 0xf2],
    };
    let proof = ContractionProof {
        alpha: 2.0,
        beta: vec![-0.5, 0.25],
        ball: 16.0,
        target: 0.5,
        cases: vec![ContractionCase { rounds: vec![round], tau: 8.0, nu: 0.125, codes: vec![0x88] }],
    };
    Case { statement, proof, z: vec![0.5, 0.25, -0.75, 0.5], weights: None }
}

/// Each number just inside its condition, and just outside, where it is refused by name.
#[test]
fn conditions_from_both_sides() {
    type Change = fn(&mut Case, f64);
    let above = 1.0_f64.next_up();
    let edges: [(&str, f64, f64, Change); 13] = [
        ("alpha", 1.0, 0.0, |c, x| c.proof.alpha = x),
        ("(ϱσ)² − ‖z‖² on the set", 10.0, 10.0_f64.next_down(), |c, x| c.proof.ball = x),
        ("(ϱσ)² − ‖z[0]‖²", 16.0, 12.0, |c, x| (c.z[0], c.proof.ball) = (1.3, x)),
        ("ball", 16.0, 0.0, |c, x| c.proof.ball = x),
        ("tau", 8.0, 0.0, |c, x| c.case().tau = x),
        ("nu", 0.0, -1e-300, |c, x| c.case().nu = x),
        ("pulls[1]", 1e-9, 0.0, |c, x| c.case().rounds[0].pulls[1] = x),
        ("tau[0]", 8.0, 0.0, |c, x| c.case().rounds[0].tau[0] = x),
        ("nu[1]", 0.0, -1e-300, |c, x| c.case().rounds[0].nu[1] = x),
        ("ends[1]", 3.0, 4.0, |c, x| c.case().rounds[0].ends[1] = x),
        ("ends[0]", 2.0, 1.5, |c, x| c.case().rounds[0].ends[0] = x),
        ("A", 8.0, 0.5, |c, x| c.case().rounds[0].tau[1] = x),
        ("finite", above, f64::INFINITY, |c, x| c.proof.target = x),
    ];
    for (name, inside, outside, change) in edges {
        let with = |x: f64| {
            let mut case = spacious();
            change(&mut case, x);
            case.bound()
        };
        with(inside).unwrap_or_else(|failure| panic!("{name}: {inside} is refused: {failure}"));
        let failure = with(outside).expect_err(name).to_string();
        assert!(failure.contains(name), "{name}: refused otherwise: {failure}");
    }
    let lengths: [(&str, fn(&mut ContractionCase)); 6] = [
        ("codes", |p| p.codes.push(0)),
        ("codes", |p| p.codes.clear()),
        ("codes of a round", |p| p.rounds[0].codes.push(0)),
        ("pulls", |p| p.rounds[0].pulls.push(1.0)),
        ("tau", |p| p.rounds[0].tau.truncate(1)),
        ("nu", |p| p.rounds[0].nu.truncate(1)),
    ];
    for (name, change) in lengths {
        let mut case = spacious();
        change(case.case());
        let failure = case.bound().expect_err(name).to_string();
        assert!(failure.contains(name), "{name}: {failure}");
    }
}

/// a = ασ(2−ησ) − εRχ²/(2τ) at neighbouring τ.
#[test]
fn the_edge_of_the_curvature() {
    let mut case = spacious();
    let accepted = |case: &mut Case, tau: f64| {
        case.case().tau = tau;
        case.bound().is_ok()
    };
    let (mut low, mut high) = (0.1, 8.0);
    while low < f64::midpoint(low, high) && f64::midpoint(low, high) < high {
        let middle = f64::midpoint(low, high);
        *(if accepted(&mut case, middle) { &mut high } else { &mut low }) = middle;
    }
    let (chi, curvature) = (4.0 * (1.0 - 0.01 * 0.1) - 0.125, 2.0 * 0.1 * (2.0 - 0.01 * 0.1));
    let edge = 0.05 * chi * chi / (2.0 * curvature);
    assert!((high - edge).abs() < 1e-12, "{high} {edge}");
}

/// Work beyond the limit is refused before any of it is done.
#[test]
fn rounds_without_end_are_refused() {
    let mut case = spacious();
    let empty = ContractionRound::default();
    // 128 · 2 · 18 products for each empty round.
    let most = (1_usize << 33) / (128 * 2 * 18);
    case.case().rounds = vec![empty; most + 1];
    let failure = case.bound().expect_err("too many").to_string();
    assert!(failure.contains("the work of all rounds"), "{failure}");
}

/// Steps that are projected, batches and averages are covered; what is not is refused by its rule.
#[test]
fn statements() {
    let bound = spacious().bound().expect("accepted");
    let allowed: [fn(&mut Statement); 3] =
        [|s| s.learner.batch = 4, |s| s.learner.average = true, |s| s.learner.projection = Some(16.0)];
    for change in allowed {
        let mut case = spacious();
        change(&mut case.statement);
        assert_eq!(case.bound().expect("accepted"), bound);
    }
    // 4α²ϱ² ≥ ‖β‖², and ϱ is not less than the radius of the projection.
    for (projection, beta, name) in [(16.5, -0.5, "ϱ − step.projection"), (0.1, -0.5, "4α²ϱ² − ‖β‖²")]
    {
        let mut case = spacious();
        case.statement.learner.projection = Some(projection);
        case.proof.beta[0] = beta;
        let failure = case.bound().expect_err(name).to_string();
        assert!(failure.contains(name), "{failure}");
    }
    let refused: [fn(&mut Statement); 4] = [
        |s| s.learner.loss = Loss::Logistic,
        |s| s.threat.set = Set::Box { radii: vec![1.0; 2] },
        |s| s.learner.clip = Some(2.0),
        |s| s.learner.schedule = Some(Schedule { slowdown: 0.01, from_step: None, weighted: false }),
    ];
    for change in refused {
        let mut case = spacious();
        change(&mut case.statement);
        let failure = case.bound().expect_err("no theorem").to_string();
        assert!(failure.contains("contraction bounds the loss"), "{failure}");
    }
}

/// The start costs what Theorem 5 says, and must be in the ball.
#[test]
fn horizons() {
    let case = spacious();
    let proof = Proof::Contraction(Box::new(case.proof.clone()));
    assert_eq!(proof.ball(), Some(16.0));
    assert_eq!(proof.method(), "contraction");
    let rows = [case.rows()];
    let proven = prove(&case.statement, &proof, &Evidence { data: &rows, target: None }).expect("accepted");
    let bound = proven.bound().expect("finite");
    let horizon = |start: [f64; 2]| Horizon { steps: 100, start: start.to_vec(), ..Horizon::default() };
    for m in [0.0, 0.5] {
        let (theta, curve) = ([3.0, -2.0], 2.0 + m);
        let squares: f64 =
            [(3.0, -0.5), (-2.0, 0.25)].map(|(t, b): (f64, f64)| (2.0 * curve * t + b).powi(2)).iter().sum();
        let cost = (squares / (4.0 * curve) + m * (256.0 - 13.0)) / (0.01 * 100.0);
        let found = proven.horizon(&horizon(theta), m).expect("accepted");
        assert!((found - bound - cost).abs() < 1e-9, "{found} {bound} {cost}");
    }
    assert!(proven.horizon(&horizon([16.0, 0.0]), 0.0).is_ok());
    let failure = proven.horizon(&horizon([16.0_f64.next_up(), 0.0]), 0.0).expect_err("outside").to_string();
    assert!(failure.contains("ϱ² − ‖θ_0‖²"), "{failure}");
}

/// The bound of several datasets is the largest one of the cases, each with the rows, the weights and the target of its own dataset.
#[test]
fn several_datasets() {
    let mut random = Random(27);
    let mut largest = [0; 2];
    while largest.iter().sum::<usize>() < rounds(40, 1000) {
        let pair = [random_case(&mut random), random_case(&mut random)];
        let [Some(first), Some(mut second)] = pair.map(|case| completed(case, &mut random)) else { continue };
        // One learner, one adversary, one λ; the target of the second dataset is a part of it or all of it.
        second.statement = Statement { target: second.statement.target.clone(), ..first.statement.clone() };
        let cases = second.proof.cases.clone();
        second.proof = ContractionProof { cases, ..first.proof.clone() };
        let (Some(first), Some(second)) = (Some(first), completed(second, &mut random)) else { continue };
        let own = [first.bound().expect("accepted"), second.bound().expect("accepted")];
        let target = |case: &Case| match &case.statement.target {
            Target::Weights(weights) => weights[0].clone(),
            _ => case.weights.clone().unwrap_or_else(|| vec![1.0; 4]),
        };
        let mut statement = first.statement.clone();
        statement.data = vec![statement.data[0].clone(), statement.data[0].clone()];
        statement.target = Target::Weights(vec![target(&first), target(&second)]);
        let cases = [&first, &second].map(|case| case.proof.cases[0].clone()).to_vec();
        let proof = Proof::Contraction(Box::new(ContractionProof { cases, ..first.proof.clone() }));
        let rows = [first.rows(), second.rows()];
        let evidence = Evidence { data: &rows, target: None };
        let bound = prove(&statement, &proof, &evidence).and_then(|proven| proven.bound()).expect("accepted");
        assert!((bound - own[0].max(own[1])).abs() <= 1e-12 * bound.abs().max(1.0), "{bound} {own:?}");
        largest[usize::from(own[1] > own[0])] += 1;
        // A dataset without a case.
        let Proof::Contraction(mut fewer) = proof else { unreachable!() };
        fewer.cases.pop();
        let failure =
            prove(&statement, &Proof::Contraction(fewer), &evidence).map(drop).expect_err("one case");
        assert!(failure.to_string().contains("cases"), "{failure}");
    }
    assert!(largest.iter().all(|count| *count > 5), "{largest:?}");
}
