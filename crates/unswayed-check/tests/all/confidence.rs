//! Bounds for new data from a sample.

use unswayed_check::{
    CaseProof, Cases, Certificate, Deviation, Lines, Loss, NewDataClaim, RowBound, Rows, Set, Statement,
    Target, prove_new_data,
};

use crate::common::search::Random;
use crate::common::{Numbers, Problem, certificate, dot, ellipsoid_x, plain, rounds, slope};

/// Support of the distribution the rows are drawn from, each point with probability 1/4.
pub const SUPPORT: [[f64; 2]; 4] = [[0.6, 0.5], [0.7, -0.1], [0.2, 0.8], [-0.3, 0.4]];

pub fn learner(set: Set) -> Statement {
    plain(0.01, 0.1, 0.05, Loss::Hinge, set)
}

pub fn witness(set: &Set, deviation: Deviation) -> NewDataClaim {
    let is_ellipsoid = matches!(set, Set::Ellipsoid { .. });
    let tau = if matches!(set, Set::Box { .. }) { vec![1.5, 2.0] } else { vec![2.0] };
    NewDataClaim {
        bound: 1e9,
        deviation,
        alpha: 0.8,
        beta: vec![-1.2, -0.9],
        tau,
        nu: 0.25,
        omega: is_ellipsoid.then_some(1.25),
        theta: vec![1.0, 0.75],
        gain: 0.5,
        radius: 1.0,
        delta: 0.05,
        floor: None,
        w: vec![],
        hostile: None,
    }
}

/// The same for the logistic loss, with the places of the suprema for these rows.
pub fn logistic(set: &Set, deviation: Deviation, z: &[f64]) -> (Statement, NewDataClaim) {
    let statement = plain(0.01, 0.1, 0.05, Loss::Logistic, set.clone());
    let mut claim = witness(set, deviation);
    (claim.gain, claim.floor) = (0.125, Some(0.25));
    claim.w = z.chunks(2).map(|z| place(&statement, &claim, z)).collect();
    (statement, claim)
}

/// h of (3.2) at w.
pub fn entropy(statement: &Statement, c: &NewDataClaim, z: &[f64], w: f64) -> f64 {
    let numbers = Numbers::new(statement, c.alpha);
    let kappa = numbers.kappa0 - 1.0;
    let y = kappa * share(c, z);
    numbers.kappa0 * (-w * w.ln() - (1.0 - w) * (1.0 - w).ln())
        + y * w.ln()
        + (kappa - y) * (1.0 - w).ln()
        + numbers.benign * (dot(&c.beta, z) * w + numbers.alpha_eta * dot(z, z) * w * w)
}

/// Where h is largest: by thirds, for it is concave.
pub fn place(statement: &Statement, c: &NewDataClaim, z: &[f64]) -> f64 {
    let (mut low, mut high) = (1e-9, 1.0 - 1e-9);
    for _ in 0..200 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if entropy(statement, c, z, a) < entropy(statement, c, z, b) {
            low = a;
        } else {
            high = b;
        }
    }
    f64::midpoint(low, high)
}

fn sets() -> [Set; 3] {
    [
        Set::Ball { radius: 1.0 },
        Set::Box { radii: vec![0.75, 0.5] },
        Set::Ellipsoid { q: vec![1.0, 0.25, 0.75] },
    ]
}

pub fn draw(random: &mut Random, n: usize) -> Vec<f64> {
    (0..n).flat_map(|_| SUPPORT[random.below(4)]).collect()
}

pub fn rows(z: &[f64]) -> Rows<'_> {
    Rows { z, pattern: None, dimension: 2, weights: None, steps: None }
}

pub fn share(c: &NewDataClaim, z: &[f64]) -> f64 {
    ((1.0 - dot(&c.theta, z)) * c.gain + 0.5).clamp(0.0, 1.0)
}

/// Theorem L18 in floating point, for the ball and the box.
fn expected(learner: &Statement, c: &NewDataClaim, z: &[f64]) -> f64 {
    let numbers = Numbers::new(learner, c.alpha);
    let (kappa, chi) = (numbers.kappa0 - 1.0, numbers.two_ak - c.nu);
    let (sigma, eps) = (learner.learner.regularization, learner.threat.poison_rate);
    let base = c.alpha * sigma * (2.0 - learner.learner.learning_rate * sigma);
    let radii = match &learner.threat.set {
        Set::Ball { radius } => vec![*radius; 2],
        Set::Box { radii } => radii.clone(),
        _ => unreachable!(),
    };
    let is_ball = matches!(learner.threat.set, Set::Ball { .. });
    let tau = |j: usize| if is_ball { c.tau[0] } else { c.tau[j] };
    let (n2, t) = if is_ball {
        (radii[0].powi(2), radii[0] * c.tau[0])
    } else {
        (dot(&radii, &radii), dot(&radii, &c.tau))
    };
    let m0 = t / 2.0
        + numbers.alpha_eta * n2
        + c.nu
        + (0..2).map(|j| radii[j] * c.beta[j].powi(2) / (2.0 * tau(j))).sum::<f64>();
    let least =
        (0..2).map(|j| base - eps * radii[j] * chi * chi / (2.0 * tau(j))).fold(f64::INFINITY, f64::min);
    let n = (z.len() / 2) as f64;
    let is_logistic = learner.learner.loss == Loss::Logistic;
    let floor = c.floor.unwrap_or(-kappa);
    let t_of = |z: &[f64]| {
        if is_logistic {
            return entropy(learner, c, z, place(learner, c, z)).max(floor);
        }
        let j = numbers.benign * (numbers.two_ak + numbers.alpha_eta * dot(z, z) + dot(&c.beta, z));
        (j.max(0.0) - kappa * share(c, z)).max(floor)
    };
    let all: Vec<f64> = z.chunks(2).map(t_of).collect();
    let mean = all.iter().sum::<f64>() / n;
    let variance = all.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let r = slope(z, 2, |i| kappa * share(c, &z[2 * i..2 * i + 2]));
    let v: Vec<f64> = (0..2).map(|j| r[j] + (eps * chi * radii[j] / tau(j) - sigma) * c.beta[j]).collect();
    let reach = numbers.alpha_eta * c.radius.powi(2) + dot(&c.beta, &c.beta).sqrt() * c.radius;
    let x = reach / numbers.two_ak;
    let most = if is_logistic { x + 1.0 / (1.0 + x + x * x / 2.0) } else { 1.0 + x };
    let range = numbers.kappa0 * most - floor;
    let log2 = (2.0 / c.delta).ln();
    let log4 = (4.0 / c.delta).ln();
    let d = match c.deviation {
        Deviation::Hoeffding => range * (log2 / (2.0 * n)).sqrt(),
        Deviation::Bernstein => (2.0 * variance * log4 / n).sqrt() + 7.0 * range * log4 / (3.0 * (n - 1.0)),
    };
    let delta = c.radius / n.sqrt() * (1.0 + (2.0 * log2).sqrt());
    mean + d + eps * m0 + (dot(&v, &v).sqrt() + kappa * delta).powi(2) / (4.0 * least)
}

#[test]
fn the_formula() {
    let mut random = Random(5);
    let z = draw(&mut random, 300);
    for set in &sets()[..2] {
        for deviation in [Deviation::Hoeffding, Deviation::Bernstein] {
            let (learner, c) = (learner(set.clone()), witness(set, deviation));
            let bound = prove_new_data(&learner, &c, &rows(&z)).unwrap();
            let wanted = expected(&learner, &c, &z);
            assert!((bound - wanted).abs() < 1e-12, "{bound} {wanted}");
            // Constants that are raised narrow the range.
            let raised = NewDataClaim { floor: Some(0.125), ..c };
            let (bound, wanted) =
                (prove_new_data(&learner, &raised, &rows(&z)).unwrap(), expected(&learner, &raised, &z));
            assert!((bound - wanted).abs() < 1e-12, "{bound} {wanted}");
        }
    }
}

/// The point's constant C is not that of the hinge for ν > 0, so ν = 0 here.
#[test]
fn the_formula_for_logistic_rows() {
    let mut random = Random(15);
    let z = draw(&mut random, 300);
    for set in &sets()[..2] {
        for deviation in [Deviation::Hoeffding, Deviation::Bernstein] {
            let (statement, mut c) = logistic(set, deviation, &z);
            c.nu = 0.0;
            let bound = prove_new_data(&statement, &c, &rows(&z)).unwrap();
            let wanted = expected(&statement, &c, &z);
            assert!((bound - wanted).abs() < 1e-9, "{bound} {wanted}");
            // A place that is not that of the supremum proves less.
            c.w[7] = 0.9;
            assert!(prove_new_data(&statement, &c, &rows(&z)).unwrap() > bound + 1e-6);
        }
    }
}

/// T₊ is above the constants of all points of norm at most r: a search for one that is not.
#[test]
fn the_largest_constant() {
    let mut random = Random(16);
    let unit = |random: &mut Random| random.below(1_000_000) as f64 / 1e6;
    let mut closest = f64::INFINITY;
    for _ in 0..rounds(3000, 30_000) {
        let (mut statement, mut c) = logistic(&Set::Ball { radius: 1.0 }, Deviation::Hoeffding, &[]);
        c.alpha = 0.6 + 2.0 * unit(&mut random);
        c.beta = vec![6.0 * unit(&mut random) - 3.0, 6.0 * unit(&mut random) - 3.0];
        c.theta = vec![4.0 * unit(&mut random) - 2.0, 4.0 * unit(&mut random) - 2.0];
        c.gain = 2.0 * unit(&mut random);
        statement.learner.learning_rate = 0.5 * unit(&mut random);
        let numbers = Numbers::new(&statement, c.alpha);
        if numbers.kappa0 < 1.0 {
            continue;
        }
        let length = dot(&c.beta, &c.beta).sqrt();
        let x = (numbers.alpha_eta + length) / numbers.two_ak;
        let most = numbers.kappa0 * (x + 1.0 / (1.0 + x + x * x / 2.0));
        for z in [[c.beta[0] / length, c.beta[1] / length], [unit(&mut random), -0.5 * unit(&mut random)]] {
            let height = entropy(&statement, &c, &z, place(&statement, &c, &z));
            assert!(height <= most, "{height} {most} {c:?}");
            closest = closest.min(most - height);
        }
    }
    // The search comes near it.
    assert!(closest < 0.5, "{closest}");
}

/// The bound for the distribution itself is below what samples of it prove, but for at most a share δ of them.
#[test]
fn samples_do_not_mislead() {
    let mut random = Random(6);
    for set in sets() {
        let learner = learner(set.clone());
        let c = witness(&set, Deviation::Bernstein);
        let support = SUPPORT.concat();
        let lines = Lines { u: SUPPORT.iter().map(|z| share(&c, z)).collect(), ..Lines::default() };
        let mut cases = Cases { lines: vec![0], tau: c.tau.clone(), nu: vec![c.nu], ..Cases::default() };
        if c.omega.is_some() {
            let kappa = Numbers::new(&learner, c.alpha).kappa0 - 1.0;
            let r = slope(&support, 2, |i| kappa * lines.u[i]);
            let q = [vec![1.0, 0.25], vec![0.25, 0.75]];
            cases.x = ellipsoid_x(&learner, c.alpha, &c.beta, &q, &r, c.tau[0], c.nu);
        }
        let mut whole = CaseProof::new(RowBound::BoundedSlope, c.alpha, c.beta.clone(), lines, cases);
        whole.omega = c.omega;
        let whole = Problem {
            statement: learner.clone(),
            proof: whole,
            data: vec![support],
            weights: vec![None],
            dimension: 2,
            target: None,
        };
        let truth = whole.bound().unwrap();
        let mut misled = 0;
        let mut last = 0.0;
        for n in [20, 200, 2000] {
            for _ in 0..rounds(20, 200) {
                let z = draw(&mut random, n);
                last = prove_new_data(&learner, &c, &rows(&z)).unwrap();
                misled += usize::from(last < truth);
            }
        }
        // δ = 1/20 of 60 samples is 3.
        assert!(misled <= rounds(5, 40), "{misled}");
        // With many rows the price is small.
        assert!(last < truth + 0.5, "{last} {truth}");
    }
}

/// The same for logistic rows: the bound for the distribution has the rule's slopes and the exact suprema.
#[test]
fn samples_do_not_mislead_on_logistic_rows() {
    let mut random = Random(26);
    let support = SUPPORT.concat();
    for deviation in [Deviation::Hoeffding, Deviation::Bernstein] {
        let set = Set::Ball { radius: 1.0 };
        let (statement, on_support) = logistic(&set, deviation, &support);
        let lines = Lines {
            u: SUPPORT.iter().map(|z| share(&on_support, z)).collect(),
            w: on_support.w.clone(),
            ..Lines::default()
        };
        let cases = Cases {
            lines: vec![0],
            tau: on_support.tau.clone(),
            nu: vec![on_support.nu],
            ..Cases::default()
        };
        let proof =
            CaseProof::new(RowBound::Logistic, on_support.alpha, on_support.beta.clone(), lines, cases);
        let whole = Problem {
            statement: statement.clone(),
            proof,
            data: vec![support.clone()],
            weights: vec![None],
            dimension: 2,
            target: None,
        };
        let truth = whole.bound().unwrap();
        let (mut misled, mut last) = (0, 0.0);
        for n in [20, 200, 2000] {
            for _ in 0..rounds(10, 100) {
                let z = draw(&mut random, n);
                let w = z.chunks(2).map(|z| place(&statement, &on_support, z)).collect();
                let claim = NewDataClaim { floor: Some(-1.0), w, ..on_support.clone() };
                last = prove_new_data(&statement, &claim, &rows(&z)).unwrap();
                misled += usize::from(last < truth);
            }
        }
        assert!(misled <= rounds(4, 30), "{misled}");
        assert!(last < truth + 0.6, "{last} {truth}");
    }
}

#[test]
fn conditions() {
    let mut random = Random(7);
    let z = draw(&mut random, 30);
    let refused = |words: &str, change: &dyn Fn(&mut Statement, &mut NewDataClaim)| {
        let set = Set::Ball { radius: 1.0 };
        let (mut learner, mut c) = (learner(set.clone()), witness(&set, Deviation::Bernstein));
        change(&mut learner, &mut c);
        let complaint = prove_new_data(&learner, &c, &rows(&z)).expect_err("a refusal").to_string();
        assert!(complaint.starts_with("new data: ") && complaint.contains(words), "{complaint}");
    };
    let rule = "is unsupported: confidence for new data";
    refused(rule, &|l, _| l.learner.loss = Loss::ModifiedHuber);
    refused("does not fit the logistic loss without a floor", &|l, _| l.learner.loss = Loss::Logistic);
    let of_logistic = |change: &dyn Fn(&mut Statement, &mut NewDataClaim)| {
        let (mut statement, mut claim) = logistic(&Set::Ball { radius: 1.0 }, Deviation::Bernstein, &z);
        change(&mut statement, &mut claim);
        prove_new_data(&statement, &claim, &rows(&z)).map_err(|failure| failure.to_string())
    };
    of_logistic(&|_, _| ()).unwrap();
    type Change = fn(&mut Statement, &mut NewDataClaim);
    let changes: [(&str, Change); 8] = [
        ("w: expected 30, found 29", |_, c| c.w.truncate(29)),
        ("w[3] = 0.0", |_, c| c.w[3] = 0.0),
        ("w[3] = 1.0", |_, c| c.w[3] = 1.0),
        ("w[3] = NaN", |_, c| c.w[3] = f64::NAN),
        ("floor = inf", |_, c| c.floor = Some(f64::INFINITY)),
        ("T₊ − floor", |_, c| c.floor = Some(1e3)),
        ("4k − η‖z[0]‖²", |l, _| (l.learner.learning_rate, l.learner.regularization) = (20.0, 0.002)),
        ("w: expected 0, found 30", |l, _| l.learner.loss = Loss::Hinge),
    ];
    for (words, change) in changes {
        let complaint = of_logistic(&change).expect_err(words);
        assert!(complaint.starts_with("new data: ") && complaint.contains(words), "{words}: {complaint}");
    }
    refused(rule, &|l, _| l.threat.set = Set::LabelFlips);
    refused(rule, &|l, _| l.threat.set = Set::Points { points: vec![1.0; 2] });
    refused(rule, &|l, _| l.target = Target::Weights(vec![vec![1.0; 30]]));
    refused(rule, &|l, _| l.learner.clip = Some(1.0));
    refused(rule, &|l, _| l.learner.unregularized = vec![0]);
    refused(rule, &|l, _| l.data.push(l.data[0].clone()));
    refused("does not fit this omega", &|_, c| c.omega = Some(1.0));
    refused("alpha = 0.0", &|_, c| c.alpha = 0.0);
    refused("alpha = NaN", &|_, c| c.alpha = f64::NAN);
    refused("theta: expected 2", &|_, c| c.theta.truncate(1));
    refused("radius = inf", &|_, c| c.radius = f64::INFINITY);
    refused("nu = NaN", &|_, c| c.nu = f64::NAN);
    refused("κ", &|_, c| c.alpha = 0.1);
    refused("tau[0]", &|_, c| c.tau[0] = 0.0);
    refused("tau: expected 1", &|_, c| c.tau.push(1.0));
    refused("nu", &|_, c| c.nu = -1.0);
    refused("theta[1]", &|_, c| c.theta[1] = f64::NAN);
    refused("beta: expected 2", &|_, c| c.beta.push(1.0));
    refused("gain", &|_, c| c.gain = f64::NAN);
    refused("radius = 0.0", &|_, c| c.radius = 0.0);
    refused("radius² − ‖z[", &|_, c| c.radius = 0.3);
    for bad in [0.0, 1.0, -0.1, f64::NAN] {
        refused("delta", &|_, c| c.delta = bad);
    }
    refused("a = ", &|_, c| c.tau[0] = 1e-4);
    refused("4α²ϱ² − ‖β‖²", &|l, _| l.learner.projection = Some(0.1));
    let set = Set::Ball { radius: 1.0 };
    let weights = vec![1.0; 30];
    let weighted = Rows { weights: Some(&weights), ..rows(&z) };
    let c = witness(&set, Deviation::Hoeffding);
    let complaint = prove_new_data(&learner(set.clone()), &c, &weighted).unwrap_err().to_string();
    assert!(complaint.contains("weighted rows"), "{complaint}");
    let complaint = prove_new_data(&learner(set), &c, &rows(&z[..2])).unwrap_err().to_string();
    assert!(complaint.contains("the number of rows"), "{complaint}");
}

#[test]
fn in_a_file() {
    let mut random = Random(8);
    let z = draw(&mut random, 50);
    for set in sets() {
        let c = witness(&set, Deviation::Bernstein);
        let lines = Lines { u: vec![0.5; 50], ..Lines::default() };
        let mut cases = Cases { lines: vec![0], tau: c.tau.clone(), nu: vec![c.nu], ..Cases::default() };
        cases.x = if c.omega.is_some() { vec![0.0; 2] } else { vec![] };
        let mut sample = CaseProof::new(RowBound::BoundedSlope, c.alpha, c.beta.clone(), lines, cases);
        sample.omega = c.omega;
        let problem = Problem {
            statement: learner(set),
            proof: sample,
            data: vec![z.clone()],
            weights: vec![None],
            dimension: 2,
            target: None,
        };
        let mut file = certificate(&problem);
        let bound = prove_new_data(&problem.statement, &c, &rows(&z)).unwrap();
        file.new_data = Some(NewDataClaim { bound, ..c });
        assert_eq!(Certificate::from_bytes(&file.to_bytes()).as_ref(), Ok(&file));
        assert_eq!(problem.check(&file).unwrap().new_data, Some(bound));
        file.new_data.as_mut().unwrap().bound = bound.next_down();
        let complaint = problem.check(&file).unwrap_err().to_string();
        assert!(complaint.starts_with("new data: the bound"), "{complaint}");
    }
}

/// Two rows are enough, and one is not. Numbers are finite.
#[test]
fn few_rows_and_large_numbers() {
    let set = Set::Ball { radius: 1.0 };
    let (statement, claim) = (learner(set.clone()), witness(&set, Deviation::Bernstein));
    let complaint = |claim: &NewDataClaim, z: &[f64]| {
        prove_new_data(&statement, claim, &rows(z)).unwrap_err().to_string()
    };
    prove_new_data(&statement, &claim, &rows(&[0.5, 0.25, 0.25, 0.5])).unwrap();
    assert!(complaint(&claim, &[0.5, 0.25]).contains("the number of rows = 1.0"));
    let large = NewDataClaim { nu: f64::INFINITY, ..claim.clone() };
    assert!(complaint(&large, &[0.5, 0.25, 0.25, 0.5]).contains("nu = inf"));
    // Where ν takes all of 2αk the point has no quadratic.
    let mut statement = statement.clone();
    (statement.learner.learning_rate, statement.learner.regularization) = (0.5, 0.25);
    let claim = NewDataClaim { alpha: 1.0, nu: 1.75, beta: vec![-1.0, 0.0], ..claim };
    let z = [0.5, 0.25, 0.25, 0.5];
    let found = prove_new_data(&statement, &claim, &rows(&z)).unwrap();
    let wanted = expected(&statement, &claim, &z);
    assert!((found - wanted).abs() < 1e-9 * wanted, "{found} {wanted}");
}

/// A certificate about weighted rows makes no claim on new data, whoever checks it.
#[test]
fn weighted_rows_have_no_new_data() {
    use unswayed_check::Feature::{Ball, Hinge, RowWeights};
    let problem = crate::common::generic::generic(&[Hinge, Ball, RowWeights]);
    let mut file = certificate(&problem);
    file.new_data = Some(witness(&Set::Ball { radius: 1.0 }, Deviation::Hoeffding));
    let complaint = problem.check(&file).unwrap_err().to_string();
    assert!(complaint.starts_with("new data: confidence for new data with weighted rows"), "{complaint}");
}

/// Rows that were divided by a number read off them are not independent draws.
#[test]
fn scaled_rows_have_no_new_data() {
    let z = draw(&mut Random(9), 20);
    let set = Set::Ball { radius: 1.0 };
    let claim = witness(&set, Deviation::Hoeffding);
    let mut statement = learner(set);
    prove_new_data(&statement, &claim, &rows(&z)).unwrap();
    for scale in [1.0_f64.next_up(), 1.0_f64.next_down(), 2.0] {
        statement.data[0].scale = scale;
        let complaint = prove_new_data(&statement, &claim, &rows(&z)).unwrap_err().to_string();
        assert!(
            complaint.starts_with("new data: confidence for new data with rows divided by a scale"),
            "{complaint}"
        );
        assert!(complaint.contains("fixed before the data are seen"), "{complaint}");
    }
}

/// A claim on new data is about one sample.
#[test]
fn drift_has_no_new_data() {
    let drifting = crate::common::generic::generic(&[
        unswayed_check::Feature::Hinge,
        unswayed_check::Feature::Ball,
        unswayed_check::Feature::Drift,
    ]);
    let mut file = certificate(&drifting);
    file.new_data = Some(witness(&Set::Ball { radius: 1.0 }, Deviation::Hoeffding));
    let complaint = drifting.check(&file).unwrap_err().to_string();
    assert_eq!(complaint, "new data: datasets of the claim on new data: expected 1, found 2");
}
