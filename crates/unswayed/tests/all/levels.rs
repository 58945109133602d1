//! Proofs of the error by levels (Theorem E4): accepted, better than the lines of Section 6, and true.

use unswayed::certify::{Effort, Options, certify_with};
use unswayed::{Dataset, LossName, Problem};
use unswayed_check::{Evidence, LevelsProof, Loss, Proof, Rows, prove};

use crate::fixtures::random::Random;
use crate::fixtures::{budget, verdict};

fn tight() -> Options {
    Options::default().with_effort(Effort::Tight)
}

fn problem(data: Dataset, loss: Loss, eta: f64, poison_rate: f64, batch: u64) -> Problem {
    let builder =
        Problem::builder(data).loss(LossName::Of(loss)).learning_rate(eta).regularization(0.05).batch(batch);
    builder.poison_rate(poison_rate).build().expect("a problem")
}

/// Scalar rows, most of them with a margin.
fn scalars() -> Dataset {
    let z = vec![0.9, 0.8, 1.0, 0.7, 0.95, -0.3, 0.6, 0.85, 0.4, 1.0, 0.75, 0.9];
    Dataset::from_rows(z, 1, None).expect("rows")
}

fn levels(problem: &Problem) -> (f64, LevelsProof) {
    let outcome = certify_with(problem, &tight()).expect("a certificate");
    let verdict = verdict(problem, &outcome.certificate).expect("accepted");
    assert_eq!(verdict.error, outcome.certified_error);
    let error = outcome.certificate.error.expect("a proof of the error");
    match error.proof {
        Proof::Levels(proof) => (error.bound, *proof),
        other => panic!("a proof by levels, not {}", other.method()),
    }
}

/// The learner in one dimension, and λ of a proof.
struct Line<'a> {
    problem: &'a Problem,
    proof: &'a LevelsProof,
}

impl Line<'_> {
    fn is_hinge(&self) -> bool {
        self.problem.learner().loss == Loss::Hinge
    }

    fn rows(&self) -> &[f64] {
        self.problem.data()[0].z()
    }

    fn eps(&self) -> f64 {
        self.problem.threat().poison_rate
    }

    fn objective(&self, y: f64) -> f64 {
        let loss = |s: f64| if self.is_hinge() { (1.0 - s).max(0.0) } else { (-s).exp().ln_1p() };
        let mean = self.rows().iter().map(|z| loss(y * z)).sum::<f64>() / self.rows().len() as f64;
        (1.0 - self.eps()) * mean + self.problem.learner().regularization / 2.0 * y * y
    }

    /// V: F itself, or its Moreau envelope by a search of the minimum of a convex function.
    fn envelope(&self, theta: f64) -> f64 {
        if !self.is_hinge() {
            return self.objective(theta);
        }
        let value = |y: f64| self.objective(y) + (theta - y).powi(2) / (2.0 * self.proof.smoothing);
        let (mut low, mut high) = (-40.0, 40.0);
        for _ in 0..90 {
            let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if value(a) < value(b) { high = b } else { low = a }
        }
        value(f64::midpoint(low, high))
    }

    /// γ(Y − Ȳ); beyond 600 the barrier is too large for binary64 numbers.
    fn exponent(&self, theta: f64) -> f64 {
        let p = self.proof;
        let height = (self.envelope(theta) - self.objective(p.centre[0]) + p.offset).max(0.0);
        p.steepness * (height.sqrt() - p.anchor)
    }

    fn lambda(&self, theta: f64) -> f64 {
        let (p, learner) = (self.proof, self.problem.learner());
        let k = 1.0 - learner.learning_rate * learner.regularization;
        let beta = -(2.0 * p.alpha * k - p.nu) * p.centre[0] + p.tilt[0];
        let barrier = p.size * self.exponent(theta).exp();
        (p.alpha * theta * theta + beta * theta + barrier) / learner.learning_rate
    }

    fn step(&self, theta: f64, z: f64, kink: f64) -> f64 {
        let learner = self.problem.learner();
        let s = theta * z;
        let w = match self.is_hinge() {
            true if (s - 1.0).abs() < 1e-12 => kink,
            true => f64::from(u8::from(s < 1.0)),
            false => 1.0 / (1.0 + s.exp()),
        };
        (1.0 - learner.learning_rate * learner.regularization) * theta + learner.learning_rate * w * z
    }

    /// The largest G_λ(θ, z) over points and kinks.
    fn worst(&self, theta: f64) -> f64 {
        let here = self.lambda(theta);
        let rows = self.rows();
        let mean = |f: &dyn Fn(f64) -> f64| rows.iter().map(|&z| f(z)).sum::<f64>() / rows.len() as f64;
        let error = mean(&|z| f64::from(u8::from(theta * z <= 0.0)));
        let mut worst = f64::MIN;
        for kink in [0.0, 1.0] {
            let benign = mean(&|z| self.lambda(self.step(theta, z, kink)) - here);
            let points =
                (0..=40).map(|j| f64::from(j) / 20.0 - 1.0).chain([1.0 / theta]).filter(|z| z.abs() <= 1.0);
            let point =
                points.map(|z| self.lambda(self.step(theta, z, kink)) - here).fold(f64::MIN, f64::max);
            worst = worst.max((1.0 - self.eps()) * benign + self.eps() * point + error);
        }
        worst
    }
}

/// The largest G_λ found, with so many models on each side of 0 and of the centre.
fn search(line: &Line, fineness: i32) -> f64 {
    let ball = line.proof.norm / line.problem.learner().regularization;
    let around = line.proof.centre[0];
    let share = |j: i32| f64::from(j) / f64::from(fineness);
    let grid = (-fineness..=fineness).map(|j| share(j) * ball);
    let near = (-fineness..=fineness).map(|j| around + 3.0 * share(j));
    let kinks = line.rows().iter().flat_map(|z| [1.0 / z, 0.0, 1e-9, -1e-9]);
    let all = grid.chain(near).chain(kinks);
    let inside = all.filter(|&theta| theta.abs() <= ball && line.exponent(theta) < 600.0);
    inside.map(|theta| line.worst(theta)).fold(f64::MIN, f64::max)
}

/// All numbers of a proof.
fn numbers(proof: &mut LevelsProof) -> Vec<&mut f64> {
    let LevelsProof { radius, norm, smoothing, gain, alpha, nu, omega, rho, least, .. } = proof;
    let mut all = vec![radius, norm, smoothing, gain, alpha, nu, omega, rho, least];
    let LevelsProof { offset, steepness, size, anchor, spread_near, spread_far, .. } = proof;
    all.extend([offset, steepness, size, anchor, spread_near, spread_far]);
    let LevelsProof { centre, shares, forces, points, tilt, slopes, curves, peak, heights, .. } = proof;
    for vector in [centre, shares, forces, points, tilt, slopes, curves, peak, heights] {
        all.extend(vector);
    }
    all
}

/// Proofs of the solver with a number changed: what the checker still accepts is still true.
#[test]
fn changed_numbers_are_accepted_only_if_true() {
    let mut random = Random(81);
    let (mut accepted, mut refused) = (0, 0);
    for loss in [Loss::Hinge, Loss::Logistic] {
        let problem = problem(scalars(), loss, 1e-3, 0.05, 1);
        let (_, proof) = levels(&problem);
        let rows = [Rows::of(&problem.data()[0])];
        let evidence = Evidence { data: &rows, target: None };
        for _ in 0..budget(60, 2000) {
            let mut changed = proof.clone();
            let mut all = numbers(&mut changed);
            // Scalars are few, and vectors long.
            let at = if random.chance(0.5) { random.below(15) } else { random.below(all.len()) };
            let number = &mut *all[at];
            *number *= *random.pick(&[0.5, 0.9, 0.999, 1.001, 1.1, 2.0, -1.0, 0.0]);
            let claim = Proof::Levels(Box::new(changed.clone()));
            let proven = prove(problem.statement(), &claim, &evidence).and_then(|proven| proven.bound());
            let Ok(bound) = proven else {
                refused += 1;
                continue;
            };
            accepted += 1;
            let worst = search(&Line { problem: &problem, proof: &changed }, 25);
            assert!(worst <= bound + 1e-7 * (1.0 + bound.abs()), "{worst} is above {bound}: {changed:?}");
        }
    }
    println!("{accepted} changed proofs accepted, {refused} refused");
    assert!(accepted > 30 && refused > 5, "{accepted} {refused}");
}

/// No model and no point has G_λ above the bound, and the search comes near it.
#[test]
fn nothing_exceeds_the_bound_in_one_dimension() {
    for (loss, eta, eps) in [
        (Loss::Hinge, 1e-3, 0.02),
        (Loss::Hinge, 1e-3, 0.05),
        (Loss::Logistic, 1e-3, 0.02),
        (Loss::Logistic, 1e-2, 0.1),
    ] {
        let problem = problem(scalars(), loss, eta, eps, 1);
        let (bound, proof) = levels(&problem);
        let worst = search(&Line { problem: &problem, proof: &proof }, 400);
        assert!(worst <= bound + 1e-7, "{loss} {eta} {eps}: {worst} is above {bound}");
        assert!(worst > bound - 0.15, "{loss} {eta} {eps}: {worst} is far below {bound}");
    }
}

/// On the embedded sample the bound is well below that of the lines, also for batches and other sets.
#[test]
fn better_than_lines() {
    let data = unswayed::data::sample().unwrap().first(60).unwrap();
    for (batch, poison_rate) in [(1, 0.01), (4, 0.02)] {
        let problem = problem(data.clone(), Loss::Hinge, 1e-3, poison_rate, batch);
        let lines = certify_with(&problem, &Options::default()).unwrap().certified_error.unwrap();
        let (bound, _) = levels(&problem);
        assert!(bound < 0.95 * lines, "{bound} {lines}");
    }
}

/// The error over first steps: from the benign model it is that of the long run soon, from 0 after many steps; shells are kept for it.
#[test]
fn first_steps() {
    let data = unswayed::data::sample().unwrap().first(60).unwrap();
    for batch in [1, 4] {
        let problem = problem(data.clone(), Loss::Hinge, 1e-3, 0.01, batch);
        let (long_run, proof) = levels(&problem);
        let benign = unswayed::certify::benign(&problem).theta;
        for (start, steps, most) in [(benign, 1_000_000, 1.001), (vec![0.0; 31], 1_000_000_000, 1.1)] {
            let options = tight().with_start(start).with_horizon(steps);
            let outcome = certify_with(&problem, &options).expect("a certificate");
            let verdict = verdict(&problem, &outcome.certificate).expect("accepted");
            assert_eq!(verdict.horizon_error, outcome.horizon_error());
            let claim = outcome.certificate.horizon_error.expect("a claim on the error");
            assert!(claim.bound > long_run && claim.bound < most * long_run, "{} {long_run}", claim.bound);
            assert!(claim.bound < outcome.horizon_loss.expect("a horizon"));
            let Some(Proof::Levels(longer)) = outcome.certificate.error.map(|error| error.proof) else {
                panic!("a proof by levels")
            };
            assert!(longer.heights.len() > proof.heights.len());
        }
    }
}

/// A radius of zero once asked for all memory there is.
#[test]
fn extreme_settings_come_to_an_end() {
    let mut random = Random(7);
    let mut certified = 0;
    for case in 0..60 {
        let loss = if case % 2 == 0 { Loss::Hinge } else { Loss::Logistic };
        let mut log_uniform = |low: f64, high: f64| 10_f64.powf(random.within(low, high));
        let radius = if case % 6 < 2 { 0.0 } else { log_uniform(-170.0, 2.0) };
        let builder = Problem::builder(scalars()).loss(LossName::Of(loss)).radius(radius);
        let builder = builder.learning_rate(log_uniform(-12.0, -0.5)).regularization(log_uniform(-5.0, 0.0));
        let Ok(problem) = builder.poison_rate(log_uniform(-14.0, -0.1)).build() else { continue };
        let found =
            certify_with(&problem, &Options::default().with_effort(Effort::Standard)).expect("a bound");
        certified += usize::from(found.certified_loss.is_finite());
    }
    assert!(certified > 50, "{certified}");
}
