//! Random learners with proofes that need not be good, and a search for better ones.

use unswayed_check::{Labels, Schedule, Shells};

use super::search::Random;
use super::*;

/// Learner, rows and a proof for the method that need not be good; `change` adds what the kind needs.
pub fn random_problem(
    random: &mut Random,
    method: RowBound,
    set: &str,
    change: impl Fn(&mut Problem, &mut Random),
) -> Problem {
    let is_logistic = name_of(method).contains("logistic");
    let (d, n) = (2, 4);
    let loss = if is_logistic { Loss::Logistic } else { Loss::Hinge };
    let (eta, sigma) = (random.between(0.005, 0.4), random.between(0.02, 0.8));
    let eps = random.between(0.0, 0.4);
    let radius = random.between(0.2, 1.5);
    let mut omega = None;
    let set = match set {
        "box" => Set::Box { radii: random.vector(d, 0.1, 1.0) },
        "ellipsoid" => {
            let scale = random.between(0.2, 1.0);
            let q: Vec<Vec<f64>> = (0..d)
                .map(|i| (0..d).map(|j| if i == j { scale + 0.2 * i as f64 } else { 0.1 * scale }).collect())
                .collect();
            omega = Some(scale + 0.2 * d as f64 + 0.3 * scale);
            Set::Ellipsoid { q: triangle(&q) }
        }
        "points" => Set::Points { points: random.vector(3 * d, -1.0, 1.0) },
        "labels" => Set::LabelFlips,
        "any" => Set::Any,
        _ => Set::Ball { radius },
    };
    let mut statement = plain(eta, sigma, eps, loss, set);
    if name_of(method).contains("clipped") {
        statement.learner.clip = Some(random.between(0.3, 1.0));
    }
    let z: Vec<f64> = random.vector(n * d, -0.7, 1.0);
    let weights = (random.below(2) == 0).then(|| random.vector(n, 0.1, 1.0));
    let least = if method.is_error() || method == RowBound::Interval { 0.3 } else { 1.0 };
    let k = 1.0 - eta * sigma;
    // Clipping shortens κ0: rows are at most 2 long.
    let least = statement.learner.clip.map_or(least, |clip| least * 2.0 / clip);
    let alpha = (least + random.between(0.001, 1.0)) / (2.0 * k * (1.0 - eps));
    let beta: Vec<f64> = random.normal(d);
    let proof = CaseProof::new(method, alpha, beta, Lines::default(), Cases::default());
    let mut problem = Problem {
        statement,
        proof: CaseProof { omega, ..proof },
        data: vec![z],
        weights: vec![weights],
        dimension: d,
        target: None,
    };
    fill_cases(&mut problem, random);
    fill_lines(&mut problem, random);
    change(&mut problem, random);
    problem
}

/// The first of some problems that has a proof and is as it should be.
pub fn provable(mut make: impl FnMut() -> Problem, is_right: impl Fn(&Problem) -> bool) -> Problem {
    let found = (0..1000).map(|_| make()).find(|problem| problem.bound().is_ok() && is_right(problem));
    found.expect("one of a thousand problems has a proof")
}

/// τ and ν with A > 0, shares.
pub fn fill_cases(problem: &mut Problem, random: &mut Random) {
    let (learner, threat) = (&problem.statement.learner, &problem.statement.threat);
    let (d, eps) = (problem.dimension, threat.poison_rate);
    let numbers = Numbers::new(&problem.statement, problem.proof.alpha);
    let nu = if random.below(3) == 0 { 0.0 } else { numbers.two_ak * random.between(0.0, 1.3) };
    let sigma = learner.regularization;
    let base = problem.proof.alpha * sigma * (2.0 - learner.learning_rate * sigma);
    let mut tau = |width: f64| {
        let least = eps * width * (numbers.two_ak - nu).powi(2) / (2.0 * base);
        least * (1.0 + random.between(0.01, 3.0)) + 0.01
    };
    let cases = &mut problem.proof.cases;
    cases.lines = vec![0];
    match &threat.set {
        Set::Ball { radius } => cases.tau = vec![tau(radius.min(learner.clip.unwrap_or(9.0)))],
        Set::Features { radius, .. } => cases.tau = vec![tau(*radius)],
        Set::Any => cases.tau = vec![tau(learner.clip.unwrap_or(1.0))],
        Set::Box { radii } => cases.tau = radii.iter().map(|&r| tau(r)).collect(),
        Set::Ellipsoid { .. } => cases.tau = vec![tau(problem.proof.omega.unwrap())],
        Set::Points { points } => {
            let count = points.len() / d;
            cases.lines = vec![0; count];
            cases.share = random.vector(count, 0.0, 1.0);
            if learner.loss == Loss::Logistic {
                let place = |(a, &share): (&[f64], &f64)| numbers.finite(a, &problem.proof.beta, share);
                cases.w = points.chunks(d).zip(&cases.share).map(place).collect();
            }
        }
        Set::LabelFlips => {}
    }
    if !cases.tau.is_empty() {
        cases.nu = vec![nu];
    }
    if matches!(threat.set, Set::Ellipsoid { .. }) {
        cases.x = random.normal(d);
    }
}

/// Random shares, and w₀ at the maximiser or (one time in four) anywhere.
pub fn fill_lines(problem: &mut Problem, random: &mut Random) {
    let d = problem.dimension;
    let numbers = Numbers::new(&problem.statement, problem.proof.alpha);
    let (method, beta) = (problem.proof.rows, &problem.proof.beta);
    let rows: Vec<&[f64]> = problem.data[0].chunks(d).collect();
    let n = rows.len();
    let mut lines = Lines::default();
    if method != RowBound::Interval {
        lines.u = random.vector(n, 0.0, 1.0);
    }
    let u = lines.u.clone();
    match method {
        RowBound::Logistic => {
            lines.w =
                (0..n).map(|i| numbers.logistic(rows[i], beta, (numbers.kappa0 - 1.0) * u[i], 1.0)).collect();
        }
        RowBound::LabelLogistic => {
            let places = |i: usize| numbers.labels(rows[i], beta, (numbers.kappa0 - 1.0) * u[i]);
            (lines.w, lines.w2) = (0..n).map(places).unzip();
        }
        RowBound::ErrorLogistic => {
            let place = |i: usize| numbers.logistic(rows[i], beta, numbers.kappa0 * u[i], 0.0);
            lines.w = (0..n).map(|i| place(i).min(0.5)).collect();
            lines.w2 = (0..n).map(|i| place(i).max(0.5)).collect();
        }
        RowBound::ErrorHinge => {
            lines.u2 = random.vector(n, 0.0, 1.0);
            lines.c = random.vector(n, (1.0 - numbers.kappa0 + 1e-9).max(0.0), 1.0);
        }
        RowBound::ClippedHinge | RowBound::ClippedLogistic => {
            let clip = problem.statement.learner.clip.unwrap();
            let short = |z: &[f64]| (clip / dot(z, z).sqrt()).min(1.0);
            lines.low = rows.iter().map(|z| short(z) * (1.0 - 1e-12)).collect();
            if method == RowBound::ClippedHinge {
                lines.high = rows.iter().map(|z| short(z) * (1.0 + 1e-12)).collect();
            } else {
                let y = |i: usize| (numbers.kappa0 * lines.low[i] - 1.0) * u[i];
                lines.w = (0..n).map(|i| numbers.logistic(rows[i], beta, y(i), 1.0)).collect();
            }
        }
        _ => {}
    }
    for w in lines.w.iter_mut().chain(&mut lines.w2) {
        if random.below(4) == 0 {
            *w = random.between(0.02, 0.98);
        }
    }
    problem.proof.lines = vec![lines];
}

pub fn nothing(_: &mut Problem, _: &mut Random) {}

/// A rule in place of most numbers, and one exception or none.
pub fn add_rule(problem: &mut Problem, random: &mut Random) {
    problem.weights = vec![None];
    let rows = problem.data[0].len() / problem.dimension;
    let exception = random.below(rows + 1);
    let lines = &mut problem.proof.lines[0];
    lines.theta = random.normal(problem.dimension).iter().map(|x| 2.0 * x).collect();
    lines.gain = vec![10_f64.powf(random.between(-1.0, 4.0))];
    lines.exceptions = if exception < rows { vec![exception as f64] } else { vec![] };
    for numbers in [&mut lines.u, &mut lines.u2, &mut lines.c] {
        numbers.truncate(lines.exceptions.len());
    }
}

pub fn add_shells(problem: &mut Problem, random: &mut Random, target: &str, project: bool) {
    let d = problem.dimension;
    let n = problem.data[0].len() / d;
    match target {
        "weights" => problem.statement.target = Target::Weights(vec![random.vector(n, 0.0, 1.0)]),
        "rows" => {
            problem.statement.target = Target::Rows(origin(4, d));
            problem.target = Some(random.vector(4 * d, -0.7, 1.0));
        }
        _ => {}
    }
    let beta_norm = dot(&problem.proof.beta, &problem.proof.beta).sqrt();
    let longest = (d as f64).sqrt().max(1.5) * 1.01;
    let ball = if project {
        let least = beta_norm / (2.0 * problem.proof.alpha);
        let radius = least * 1.01 + random.between(0.1, 3.0);
        problem.statement.learner.projection = Some(radius);
        radius
    } else {
        longest / problem.statement.learner.regularization
    };
    let centre: Vec<f64> = random.normal(d).iter().map(|x| 0.3 * x).collect();
    let last = ball * (1.0 + 1e-9) + dot(&centre, &centre).sqrt() * (1.0 + 1e-9);
    let radii = vec![last * 0.2, last * 0.5, last];
    let parts = problem.proof.cases.lines.len();
    let per_case = |values: &[f64]| -> Vec<f64> { values.repeat(3) };
    let old = problem.proof.cases.clone();
    problem.proof.cases = Cases {
        lines: (0..3).flat_map(|m| vec![m; parts]).collect(),
        tau: per_case(&old.tau),
        nu: per_case(&old.nu),
        share: per_case(&old.share),
        w: per_case(&old.w),
        x: per_case(&old.x),
        outer: random.vector(3 * parts, 0.0, 0.1),
        inner: vec![0.0; 3 * parts],
    };
    let rows: Vec<&[f64]> = problem.data[0].chunks(d).collect();
    let reach = |z: &[f64], r: f64| r * dot(z, z).sqrt() * (1.0 + 1e-9);
    let lines = |shell: usize, random: &mut Random| Lines {
        shell,
        y: random.vector(n, -0.1, 0.2),
        reach: rows.iter().map(|z| reach(z, radii[shell])).collect(),
        target_y: problem.target.as_ref().map_or(vec![], |_| random.vector(4, -0.3, 0.0)),
        target_reach: problem
            .target
            .as_ref()
            .map_or(vec![], |t| t.chunks(d).map(|z| reach(z, radii[shell])).collect()),
        ..Lines::default()
    };
    problem.proof.lines = (0..3).map(|m| lines(m, random)).collect();
    problem.proof.shells = Some(Shells { centre, radii: radii.clone(), ball });
}

pub fn random_classes(random: &mut Random, method: RowBound, classes: usize, by_class: bool) -> Problem {
    let mut problem = random_problem(random, method, "ball", nothing);
    let (d, n, k) = (2, 4, classes as f64);
    problem.statement.learner.loss = Loss::Multiclass(classes);
    problem.dimension = d + 1;
    let row =
        |i: usize, r: &mut Random| [&[(i % classes) as f64], r.vector(d, -0.8, 0.8).as_slice()].concat();
    problem.data = vec![(0..n).flat_map(|i| row(i, random)).collect()];
    problem.proof.beta = random.normal(classes * d);
    problem.proof.by_class = by_class;
    let lines = &mut problem.proof.lines[0];
    let count = n * (classes - 1);
    lines.u = random.vector(count, 0.0, 1.0);
    if method == RowBound::ErrorHinge {
        lines.u2 = random.vector(count, 0.0, 1.0);
        lines.c = lines.c.iter().copied().cycle().take(count).collect();
    }
    let Set::Ball { radius } = problem.statement.threat.set else { unreachable!() };
    let numbers = Numbers::new(&problem.statement, problem.proof.alpha);
    let (sigma, eps) = (problem.statement.learner.regularization, problem.statement.threat.poison_rate);
    let base = problem.proof.alpha * sigma * (2.0 - problem.statement.learner.learning_rate * sigma);
    let cases = if by_class { classes } else { 1 };
    let nu = random.vector(cases, 0.0, numbers.two_ak * 1.2);
    let width = if by_class { radius * k * (k - 1.0) } else { 1.0 };
    let tau = nu.iter().map(|nu| {
        let least = eps * width * (numbers.two_ak - nu).powi(2) / (2.0 * base);
        least * (1.0 + random.between(0.01, 2.0)) + 0.01
    });
    problem.proof.cases =
        Cases { tau: tau.collect(), nu: nu.clone(), lines: vec![0; cases], ..Cases::default() };
    problem
}

/// A kind of problem: its name and how to draw one.
pub type KindOf = (String, Box<dyn Fn(&mut Random) -> Problem>);

/// Every kind of problem there is.
pub fn kinds() -> Vec<KindOf> {
    use RowBound::{
        BoundedSlope, ClippedHinge, ClippedLogistic, ErrorHinge, ErrorLogistic, Interval, LabelHinge,
        LabelLogistic, Logistic,
    };
    let mut kinds: Vec<KindOf> = vec![];
    let mut add = |name: String, make: Box<dyn Fn(&mut Random) -> Problem>| kinds.push((name, make));
    for method in [BoundedSlope, Logistic, ErrorHinge, ErrorLogistic] {
        for set in ["ball", "box", "ellipsoid", "points"] {
            add(
                format!("{} {set}", name_of(method)),
                Box::new(move |r| random_problem(r, method, set, nothing)),
            );
        }
    }
    for method in [BoundedSlope, ErrorHinge] {
        add(
            format!("{} rule", name_of(method)),
            Box::new(move |r| random_problem(r, method, "ball", add_rule)),
        );
    }
    for method in [LabelHinge, LabelLogistic] {
        add(name_of(method), Box::new(move |r| random_problem(r, method, "labels", nothing)));
    }
    for method in [ClippedHinge, ClippedLogistic] {
        for set in ["any", "ball"] {
            add(
                format!("{} {set}", name_of(method)),
                Box::new(move |r| random_problem(r, method, set, nothing)),
            );
        }
    }
    for method in [BoundedSlope, Logistic] {
        add(
            format!("{} weights", name_of(method)),
            Box::new(move |r| random_problem(r, method, "box", add_weights)),
        );
        for set in ["ball", "box", "ellipsoid"] {
            add(
                format!("{} {set} free", name_of(method)),
                Box::new(move |r| random_problem(r, method, set, add_free)),
            );
        }
    }
    for method in [BoundedSlope, Logistic, ErrorHinge] {
        add(
            format!("{} projected", name_of(method)),
            Box::new(move |r| random_problem(r, method, "ball", add_projection)),
        );
    }
    for target in ["data", "weights", "rows"] {
        for set in ["ball", "box", "points"] {
            for project in [false, true] {
                let name = format!("interval {target} {set}{}", if project { " projected" } else { "" });
                let shells = move |p: &mut Problem, r: &mut Random| add_shells(p, r, target, project);
                add(name, Box::new(move |r| random_problem(r, Interval, set, shells)));
            }
        }
    }
    add(
        "interval unregularized".to_owned(),
        Box::new(|r| random_problem(r, Interval, "ball", add_shells_only)),
    );
    for method in [BoundedSlope, ErrorHinge] {
        add(
            format!("{} drift", name_of(method)),
            Box::new(move |r| random_problem(r, method, "ball", add_dataset)),
        );
        for by_class in [false, true] {
            for classes in [2, 3, 4] {
                let name = format!(
                    "{} {classes} classes{}",
                    name_of(method),
                    if by_class { " by class" } else { "" }
                );
                add(name, Box::new(move |r| random_classes(r, method, classes, by_class)));
            }
        }
    }
    for method in [BoundedSlope, Logistic, ErrorHinge, ErrorLogistic, LabelHinge, ClippedHinge] {
        let set = if method == LabelHinge { "labels" } else { "ball" };
        let name = format!("{} schedule", name_of(method));
        kinds.push((name, Box::new(move |r| random_problem(r, method, set, add_schedule))));
    }
    for set in ["box", "ellipsoid", "points"] {
        let name = format!("schedule {set}");
        kinds.push((name, Box::new(move |r| random_problem(r, BoundedSlope, set, add_schedule))));
    }
    for loss in LOSSES {
        for set in ["ball", "box", "ellipsoid", "points"] {
            kinds.push((format!("{loss:?} {set}"), Box::new(move |r| random_loss(r, loss, set))));
        }
    }
    for method in [ErrorHinge, ErrorLogistic] {
        let name = format!("{} ball free", name_of(method));
        kinds.push((name, Box::new(move |r| random_problem(r, method, "ball", add_free))));
    }
    for method in [BoundedSlope, Logistic, ErrorHinge, ErrorLogistic] {
        let name = format!("{} fixed", name_of(method));
        kinds.push((name, Box::new(move |r| random_problem(r, method, "ball", add_fixed))));
    }
    for method in [BoundedSlope, Logistic] {
        let name = format!("{} fixed, weighted rates", name_of(method));
        kinds.push((name, Box::new(move |r| random_problem(r, method, "ball", add_weighted_rates))));
    }
    kinds.extend(regression_kinds());
    kinds
}

/// Every kind of problem with a regression loss.
pub fn regression_kinds() -> Vec<KindOf> {
    type Change = fn(&mut Problem, &mut Random);
    const CHANGES: [(&str, &str, Change); 10] = [
        ("ball", "ball", nothing),
        ("box", "box", nothing),
        ("ellipsoid", "ellipsoid", nothing),
        ("free", "ball", add_free),
        ("free box", "box", add_free),
        ("fixed", "ball", add_fixed),
        ("projected", "ball", add_projection),
        ("weights", "ball", add_weights),
        ("drift", "ball", add_dataset),
        ("schedule", "ball", add_schedule),
    ];
    let mut kinds: Vec<KindOf> = vec![];
    for loss in REGRESSIONS {
        for (name, set, change) in CHANGES {
            kinds.push((
                format!("{loss:?} {name}"),
                Box::new(move |r| random_regression(r, loss, set, change)),
            ));
        }
    }
    kinds
}

/// A learning rate that falls, at a speed that leaves A positive.
pub fn add_schedule(p: &mut Problem, r: &mut Random) {
    let learner = &mut p.statement.learner;
    let sigma = learner.regularization;
    let share = r.between(0.1, 0.5);
    let slowdown = share * sigma * (2.0 - learner.learning_rate * sigma);
    learner.schedule = Some(Schedule { slowdown, from_step: None, weighted: false });
    p.proof.cases.tau.iter_mut().for_each(|tau| *tau *= 1.05 / (1.0 - share));
}

/// The losses with bounded slopes besides the hinge.
pub const LOSSES: [Loss; 3] = [Loss::SmoothHinge(0.5), Loss::SmoothHinge(2.0), Loss::ModifiedHuber];

/// A problem for another loss.
pub fn random_loss(random: &mut Random, loss: Loss, set: &str) -> Problem {
    let mut p = random_problem(random, RowBound::BoundedSlope, set, nothing);
    p.statement.learner.loss = loss;
    let high = loss.steepest();
    p.proof.lines[0].u = random.vector(p.data[0].len() / p.dimension, 0.0, high);
    p.proof.cases.share = random.vector(p.proof.cases.share.len(), 0.0, high);
    p
}

/// The regression losses.
pub const REGRESSIONS: [Loss; 5] =
    [Loss::Absolute, Loss::EpsilonInsensitive(0.25), Loss::Huber(0.5), Loss::Huber(2.0), Loss::Quantile(0.8)];

/// A problem for a regression loss; labels of poisoned points have a bound or none.
pub fn random_regression(
    random: &mut Random,
    loss: Loss,
    set: &str,
    change: impl Fn(&mut Problem, &mut Random),
) -> Problem {
    let wants_any = random.below(3) == 0;
    let mut p = random_problem(random, RowBound::BoundedSlope, set, &change);
    let has_any = wants_any && p.statement.learner.unregularized.is_empty();
    // Where labels may be any numbers ν is 0.
    while has_any && p.proof.cases.nu.iter().any(|nu| *nu > 0.0) {
        p = random_problem(random, RowBound::BoundedSlope, set, &change);
    }
    p.statement.learner.loss = loss;
    p.statement.threat.label_bound = (!has_any).then(|| random.between(0.0, 1.5));
    let (d, e) = (p.dimension, loss.conjugate().expect("slopes are bounded"));
    for z in &mut p.data {
        *z = z.chunks(d).flat_map(|x| [&[random.between(-1.0, 1.0)], x].concat()).collect();
    }
    p.dimension = d + 1;
    p.statement.data.iter_mut().for_each(|origin| origin.labels = Labels::Numbers);
    for lines in &mut p.proof.lines {
        lines.u = random.vector(lines.u.len(), e.low, e.high);
    }
    refresh(&mut p);
    p
}

/// A target that is a reweighting of the data, with α as large as it needs.
pub fn add_weights(p: &mut Problem, r: &mut Random) {
    let n = p.data[0].len() / p.dimension;
    p.weights = vec![None];
    let t = r.vector(n, 0.0, 1.0);
    let largest = t.iter().fold(0.0_f64, |a, &b| a.max(b)) * n as f64 / t.iter().sum::<f64>();
    p.proof.alpha *= largest * 1.01;
    p.statement.target = Target::Weights(vec![t]);
    fill_cases(p, r);
    refresh(p);
}

/// A column without regularization, cut into two to five slabs.
pub fn add_free(p: &mut Problem, r: &mut Random) {
    let (d, last) = (p.dimension, p.dimension - 1);
    p.statement.learner.unregularized = vec![last];
    p.weights = vec![None];
    for (i, z) in p.data[0].chunks_mut(d).enumerate() {
        z[last] = if i % 2 == 0 { 0.5 } else { -0.5 };
    }
    let count = 1 + r.below(4);
    let mut edges = r.vector(count, -3.0, 3.0);
    edges.sort_by(f64::total_cmp);
    let slabs = edges.len() + 1;
    p.proof.slabs = edges;
    p.proof.lines = (0..slabs).map(|shell| Lines { shell, ..p.proof.lines[0].clone() }).collect();
    let cases = &mut p.proof.cases;
    cases.lines = (0..slabs).collect();
    (cases.tau, cases.nu, cases.x) =
        (cases.tau.repeat(slabs), cases.nu.repeat(slabs), cases.x.repeat(2 * slabs));
    refresh(p);
}

/// The same, and the adversary's entry of that column is fixed.
pub fn add_fixed(p: &mut Problem, r: &mut Random) {
    add_free(p, r);
    let Set::Ball { radius } = p.statement.threat.set else { panic!("a ball") };
    p.statement.threat.set = Set::Features { radius, constant: r.between(0.0, 1.5) };
}

/// Learning rates that fall as they like; averages are weighted by them.
pub fn add_weighted_rates(p: &mut Problem, r: &mut Random) {
    add_fixed(p, r);
    p.statement.learner.schedule = Some(Schedule { weighted: true, ..Schedule::default() });
}

/// Projection keeps a learner without any regularization; the shells give the curvature.
pub fn add_shells_only(p: &mut Problem, r: &mut Random) {
    add_shells(p, r, "data", true);
    p.statement.learner.regularization = 0.0;
    p.proof.cases.outer.fill(0.3);
    let numbers = Numbers::new(&p.statement, p.proof.alpha);
    let width = 1.5 * p.statement.threat.poison_rate;
    for (tau, nu) in p.proof.cases.tau.iter_mut().zip(&p.proof.cases.nu) {
        *tau = width * (numbers.two_ak - nu).powi(2) / 0.3 + 0.1;
    }
}

pub fn add_projection(p: &mut Problem, r: &mut Random) {
    let beta = dot(&p.proof.beta, &p.proof.beta).sqrt();
    let radius = beta / (2.0 * p.proof.alpha) * (1.0 + 1e-9) + r.between(0.0, 1.0).powi(4);
    p.statement.learner.projection = Some(radius);
}

/// A second dataset.
pub fn add_dataset(p: &mut Problem, r: &mut Random) {
    let d = p.dimension;
    p.data.push(r.vector(p.data[0].len(), -1.0, 0.7));
    p.statement.data.push(origin(1, 1));
    p.weights.push(None);
    let mut lines = p.proof.lines[0].clone();
    lines.dataset = 1;
    lines.u = r.vector(p.data[0].len() / d, 0.0, 1.0);
    p.proof.lines.push(lines);
    p.proof.cases.lines = vec![0, 1];
    p.proof.cases.tau = vec![p.proof.cases.tau[0]; 2];
    p.proof.cases.nu = vec![p.proof.cases.nu[0]; 2];
}

/// Makes everything that follows from other numbers of the proof fit again: pairs of shares, w₀, x.
pub fn refresh(problem: &mut Problem) {
    let Problem { statement, proof, data, weights, dimension, .. } = problem;
    let front = usize::from(statement.learner.loss.is_regression());
    let (d, numbers) = (*dimension - front, Numbers::new(statement, proof.alpha));
    let beta = &proof.beta;
    let z: Vec<f64> = data[0].chunks(*dimension).flat_map(|z| &z[front..]).copied().collect();
    let rows: Vec<&[f64]> = z.chunks(d).collect();
    let n = rows.len();
    let slabs = proof.slabs.len() + 1;
    for lines in &mut proof.lines {
        if !proof.slabs.is_empty() && (lines.shell == 0 || lines.shell + 1 == slabs) {
            // Nothing pushes outward: every other row pulls at least as much as its neighbour pushes.
            for pair in (0..n - n % 2).step_by(2) {
                let (pushes, pulls) = if lines.shell == 0 { (pair + 1, pair) } else { (pair, pair + 1) };
                for shares in [&mut lines.u, &mut lines.u2] {
                    if !shares.is_empty() {
                        shares[pulls] = shares[pulls].max(shares[pushes]);
                    }
                }
                if !lines.c.is_empty() {
                    lines.c[pulls] = lines.c[pushes];
                }
            }
            if n % 2 == 1 && lines.shell + 1 == slabs {
                // The last row has no neighbour, and pushes up.
                lines.u[n - 1] = 0.0;
                lines.u2.iter_mut().skip(n - 1).for_each(|u| *u = 0.0);
            }
        }
        let u = &lines.u;
        match proof.rows {
            RowBound::Logistic => {
                let t = |i: usize| match &statement.target {
                    Target::Weights(t) => t[0][i] * n as f64 / t[0].iter().sum::<f64>(),
                    _ => 1.0,
                };
                let y = |i: usize| (numbers.kappa0 - t(i)) * u[i];
                lines.w = (0..n).map(|i| numbers.logistic(rows[i], beta, y(i), t(i))).collect();
            }
            RowBound::LabelLogistic => {
                let places = |i: usize| numbers.labels(rows[i], beta, (numbers.kappa0 - 1.0) * u[i]);
                (lines.w, lines.w2) = (0..n).map(places).unzip();
            }
            RowBound::ErrorLogistic => {
                let place = |i: usize| numbers.logistic(rows[i], beta, numbers.kappa0 * u[i], 0.0);
                lines.w = (0..n).map(|i| place(i).min(0.5)).collect();
                lines.w2 = (0..n).map(|i| place(i).max(0.5)).collect();
            }
            RowBound::ClippedLogistic => {
                let y = |i: usize| (numbers.kappa0 * lines.low[i] - 1.0) * u[i];
                lines.w = (0..n).map(|i| numbers.logistic(rows[i], beta, y(i), 1.0)).collect();
            }
            _ => {}
        }
    }
    let cases = &mut proof.cases;
    if !proof.slabs.is_empty() {
        // ν is 2αk there.
        cases.nu[0] = 0.0;
        cases.nu[slabs - 1] = 0.0;
    }
    if let (Set::Points { points }, false) = (&statement.threat.set, cases.w.is_empty()) {
        let parts = points.len() / d;
        let point = |i: usize| &points[(i % parts) * d..(i % parts + 1) * d];
        cases.w = (0..cases.w.len()).map(|i| numbers.finite(point(i), beta, cases.share[i])).collect();
    }
    if let (Set::Ellipsoid { q }, false) = (&statement.threat.set, cases.x.is_empty()) {
        let at = |i: usize, j: usize| q[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)];
        let q: Vec<Vec<f64>> = (0..d).map(|i| (0..d).map(|j| at(i, j)).collect()).collect();
        let weight = |i: usize| weights[0].as_ref().map_or(1.0, |w| w[i]);
        let total: f64 = (0..n).map(weight).sum();
        let l = &proof.lines[0];
        let slope_of = |i: usize| match proof.rows {
            RowBound::ErrorHinge => (numbers.kappa0 - 1.0 + l.c[i]) * l.u[i] + (1.0 - l.c[i]) * l.u2[i],
            RowBound::ErrorLogistic => numbers.kappa0 * l.u[i],
            _ => (numbers.kappa0 - 1.0) * l.u[i],
        };
        let r = slope(&z, d, |i| slope_of(i) * weight(i) * n as f64 / total);
        if !proof.slabs.is_empty() {
            // Any numbers will do, and good ones for the first lines are not bad for the others.
            let x = ellipsoid_x(statement, proof.alpha, beta, &q, &r, cases.tau[0], 0.0);
            cases.x = x.repeat(2 * slabs);
            return;
        }
        cases.x = ellipsoid_x(statement, proof.alpha, beta, &q, &r, cases.tau[0], cases.nu[0]);
    }
}

/// Random changes of the proof that lower the bound: a proof near the best leaves no room for mistakes.
pub fn improve(problem: &mut Problem, random: &mut Random, steps: usize) {
    let Ok(mut best) = problem.bound() else { return };
    let mut size = 0.3;
    for _ in 0..steps {
        let mut changed = problem.clone();
        let all = random.below(2) == 0;
        let (low, high) = changed.statement.learner.loss.conjugate().map_or((0.0, 1.0), |e| (e.low, e.high));
        let is_any =
            changed.statement.learner.loss.is_regression() && changed.statement.threat.label_bound.is_none();
        let proof = &mut changed.proof;
        let shift = |x: &mut f64, low: f64, high: f64, random: &mut Random| {
            if all || random.below(3) == 0 {
                *x = (*x + size * random.between(-1.0, 1.0) * (0.1 + x.abs())).clamp(low, high);
            }
        };
        let big = f64::INFINITY;
        shift(&mut proof.alpha, 1e-3, big, random);
        proof.beta.iter_mut().for_each(|x| shift(x, -big, big, random));
        for l in &mut proof.lines {
            l.u.iter_mut().for_each(|x| shift(x, low, high, random));
            for x in l.u2.iter_mut().chain(&mut l.c) {
                shift(x, 0.0, 1.0, random);
            }
            for x in l.y.iter_mut().chain(&mut l.target_y).chain(&mut l.theta).chain(&mut l.gain) {
                shift(x, -big, big, random);
            }
        }
        let cases = &mut proof.cases;
        cases.tau.iter_mut().for_each(|x| shift(x, 1e-6, big, random));
        cases.nu.iter_mut().for_each(|x| shift(x, 0.0, if is_any { 0.0 } else { big }, random));
        for x in cases.outer.iter_mut().chain(&mut cases.inner) {
            shift(x, 0.0, big, random);
        }
        cases.share.iter_mut().for_each(|x| shift(x, 0.0, 1.0, random));
        refresh(&mut changed);
        match changed.bound() {
            Ok(bound) if bound < best => {
                (*problem, best) = (changed, bound);
                size *= 1.3;
            }
            _ => size = (size * 0.95).max(1e-4),
        }
    }
}
