//! Attempts to break the bounds: points of the state space where the proof would fail, simulated attacks, odd input.

use proptest::prelude::*;
use unswayed::certify::{Options, certify_with};
use unswayed::check::{CaseProof, Certificate, Evidence, Horizon, Proof, Rows, prove};
use unswayed::learner::LinearState;
use unswayed::{Dataset, Problem, certify};

use crate::fixtures::random::Random;
use crate::fixtures::residual::Residual;
use crate::fixtures::setting::Setting;
use crate::fixtures::{budget, cases, dot, exact, formula, is_full, norm, proofs, scaled, verdict};

/// What a number of searches came to.
#[derive(Default)]
struct Tally {
    searches: usize,
    evaluations: usize,
    /// Searches that came within 1e-6 of the bound.
    touching: usize,
    /// The smallest (bound − G)/(1 + |bound|).
    closest: f64,
}

impl Tally {
    fn new() -> Self {
        Tally { closest: f64::INFINITY, ..Tally::default() }
    }

    /// Searches for a θ at which the witness would prove too much.
    fn attack(
        &mut self,
        random: &mut Random,
        setting: &Setting,
        proof: &CaseProof,
        bound: f64,
        effort: usize,
    ) {
        let found = Residual::new(setting, proof).search(random, effort);
        let room = bound - found.residual.value;
        assert!(
            room >= -found.residual.tolerance(bound),
            "G = {} > {bound} at θ = {:?} (terms of size {})\n{proof:?}\n{setting:?}",
            found.residual.value,
            found.theta,
            found.residual.size,
        );
        self.searches += 1;
        self.evaluations += found.evaluations;
        self.touching += usize::from(room <= 1e-6 * (1.0 + bound.abs()));
        self.closest = self.closest.min(room / (1.0 + bound.abs()));
    }

    fn report(&self, what: &str) {
        let Tally { searches, evaluations, touching, closest } = self;
        println!(
            "{what}: {searches} searches, {evaluations} points, {touching} touch, closest {closest:.1e}"
        );
    }
}

#[test]
fn the_expansion_of_the_residual_is_its_definition() {
    let mut random = Random(11);
    let mut compared = 0;
    for _ in 0..400 {
        let setting = Setting::random(&mut random, 8, 5);
        let witness = if random.chance(0.5) {
            proofs::convexity(&mut random, &setting)
        } else {
            proofs::zero_one(&mut random, &setting)
        };
        let residual = Residual::new(&setting, &witness);
        for _ in 0..20 {
            let direction = random.gaussian(setting.data.dimension());
            let theta = scaled(&direction, random.log(1e-3, 10.0));
            let z = random.gaussian(setting.data.dimension());
            let (short, long) = (residual.at(&theta, &z), residual.literally(&theta, &z));
            let doubt = 1e-14 * (short.size + long.size);
            assert!((short.value - long.value).abs() <= doubt, "{short:?} {long:?}");
            // λ is of the order of 1/η: where η is tiny the comparison says little.
            compared += usize::from(doubt < 1e-9 * (1.0 + short.value.abs()));
        }
    }
    assert!(compared > 3000, "{compared}");
}

#[test]
fn no_point_does_more_than_the_best_response() {
    let mut random = Random(12);
    let mut acting = 0;
    for _ in 0..500 {
        let setting = Setting { eps: 0.5, ..Setting::random(&mut random, 4, 4) };
        let witness = proofs::convexity(&mut random, &setting);
        let residual = Residual::new(&setting, &witness);
        let d = setting.data.dimension();
        for _ in 0..20 {
            let direction = random.gaussian(d);
            let theta = scaled(&direction, random.log(1e-2, 30.0));
            let best = residual.worst(&theta);
            assert!(norm(&residual.best_response(&theta)) <= setting.radius * (1.0 + 1e-12));
            for _ in 0..30 {
                let direction = random.gaussian(d);
                let length = setting.radius * if random.chance(0.7) { 1.0 } else { random.unit() };
                let mut z = scaled(&direction, length / norm(&direction));
                let score = dot(&theta, &z);
                if score > 1.0 && random.chance(0.8) {
                    z = scaled(&z, 1.0 / score);
                    acting += 1;
                }
                let other = residual.at(&theta, &z);
                assert!(other.value <= best.value + 1e-13 * (other.size + best.size), "{other:?} {best:?}");
            }
        }
    }
    assert!(acting > 1000, "{acting}");
}

#[test]
fn the_residual_stays_below_the_best_bounds() {
    let mut random = Random(21);
    let mut tallies = [Tally::new(), Tally::new(), Tally::new()];
    let (settings, mut absent) = (budget(120, 400), [0; 3]);
    for _ in 0..settings {
        let setting = Setting::random(&mut random, 12, 6);
        let problem = setting.problem();
        let forms = setting.forms().unwrap_or_else(|e| panic!("{e} {setting:?}"));
        for ((claim, tally), absent) in forms.iter().zip(&mut tallies).zip(&mut absent) {
            let Some(claim) = claim else {
                *absent += 1;
                continue;
            };
            assert_eq!(exact(&problem, cases(claim)).unwrap().to_bits(), claim.bound.to_bits());
            tally.attack(&mut random, &setting, cases(claim), claim.bound, 2000);
            let near = proofs::nudged(&mut random, cases(claim));
            if let Ok(bound) = exact(&problem, &near) {
                tally.attack(&mut random, &setting, &near, bound, 800);
            }
        }
    }
    for (tally, what) in tallies.iter().zip(["Theorem 2", "bounded range", "zero-one"]) {
        tally.report(what);
    }
    println!("of {settings} settings {absent:?} had no such proof that was any better");
    assert!(absent[0] == 0 && absent[1] * 2 < settings && absent[2] * 10 < settings * 9, "{absent:?}");
    assert!(tallies[0].searches > settings && tallies[1].searches > settings / 2);
    assert!(tallies[0].touching * 2 > tallies[0].searches && tallies[1].touching * 3 > tallies[1].searches);
}

#[test]
fn the_residual_stays_below_the_bounds_of_random_proofs() {
    let mut random = Random(22);
    let mut tallies = [Tally::new(), Tally::new(), Tally::new()];
    let settings = budget(300, 1500);
    for _ in 0..settings {
        let setting = Setting::random(&mut random, 8, 5);
        let problem = setting.problem();
        let kinds = [proofs::convexity, proofs::bounded_range, proofs::zero_one];
        for (make, tally) in kinds.into_iter().zip(&mut tallies) {
            let proof = make(&mut random, &setting);
            if let Ok(bound) = exact(&problem, &proof) {
                tally.attack(&mut random, &setting, &proof, bound, 600);
            }
        }
    }
    for (tally, what) in tallies.iter().zip(["Theorem 2", "bounded range", "zero-one"]) {
        tally.report(what);
        assert!(tally.searches * 10 > settings * 8, "{what} {}", tally.searches);
    }
}

/// The search must find what there is to find, or the tests above mean nothing.
#[test]
fn the_search_refutes_bounds_that_are_too_low() {
    let mut random = Random(31);
    let (mut tried, mut refuted) = (0, [0; 3]);
    for _ in 0..budget(30, 60) {
        let setting = Setting::moderate(&mut random);
        let [Some(claim), ..] = setting.forms().unwrap() else { panic!("Theorem 2 always has a proof") };
        let bound = claim.bound;
        let worst = Residual::new(&setting, cases(&claim)).search(&mut random, 6000).residual.value;
        tried += 1;
        for (count, factor) in refuted.iter_mut().zip([0.98, 0.999, 1.0 - 1e-5]) {
            *count += usize::from(worst > factor * bound);
        }
    }
    println!("{tried} cases; refuted when lowered by 2 %, 0.1 %, 0.001 %: {refuted:?}");
    assert!(refuted[0] * 100 >= tried * 85 && refuted[2] * 100 >= tried * 70, "{refuted:?} of {tried}");
}

/// Bounds with a mistake in them, at the proof that is best for the right one.
#[test]
fn the_search_refutes_wrong_formulas() {
    let mut random = Random(32);
    let (mut without_nu, mut with_nu) = (0, 0);
    let (mut double, mut refuted) = (0, 0);
    for _ in 0..budget(40, 60) {
        let setting = Setting { sigma: 0.02, eps: 0.3, ..Setting::moderate(&mut random) };
        let problem = setting.problem();
        let [Some(claim), ..] = setting.forms().unwrap() else { panic!("Theorem 2 always has a proof") };
        let (best, bound) = (cases(&claim), claim.bound);
        let nu = best.cases.nu[0];
        if setting.eps * nu > 0.02 * bound {
            // Without the term εν.
            let worst = Residual::new(&setting, best).search(&mut random, 4000).residual.value;
            with_nu += 1;
            without_nu += usize::from(worst > bound - setting.eps * nu);
        }
        // With u = 2 where u = 1 is the largest allowed: the slope −κ max(0, 1−s) ≤ −κu(1−s) fails for s < 1.
        let mut wrong = best.clone();
        wrong.lines[0].u.iter_mut().for_each(|u| *u *= 2.0);
        assert!(exact(&problem, &wrong).is_err());
        let rows = Rows::of(&setting.data);
        let wrong_proof = Proof::Cases(Box::new(wrong.clone()));
        let low = formula::value(problem.statement(), &wrong_proof, &rows).unwrap().high();
        if low < bound {
            let worst = Residual::new(&setting, &wrong).search(&mut random, 4000).residual.value;
            double += 1;
            refuted += usize::from(worst > low);
        }
    }
    println!("without εν: {without_nu} of {with_nu} refuted; u = 2: {refuted} of {double}");
    assert!(with_nu >= 7 && without_nu * 100 >= with_nu * 90, "{without_nu} of {with_nu}");
    assert!(double >= 3 && refuted * 100 >= double * 60, "{refuted} of {double}");
}

/// The same for the two other forms: the bounded range without μϱ², the error with max(J, 0) for max(J + c, 0).
#[test]
fn the_search_refutes_wrong_formulas_of_the_other_forms() {
    let mut random = Random(33);
    let (mut tried, mut refuted, mut absent) = ([0; 2], [0; 2], [0; 2]);
    let settings = budget(300, 600);
    for _ in 0..settings {
        let setting = Setting { eps: random.within(0.1, 0.35), ..Setting::moderate(&mut random) };
        let problem = setting.problem();
        let [_, range, error] = setting.forms().unwrap();
        for (form, claim) in [range, error].into_iter().enumerate() {
            let Some(claim) = claim else {
                absent[form] += 1;
                continue;
            };
            let (mut proof, mut missing) = (cases(&claim).clone(), 0.0);
            if let Some(shells) = &proof.shells {
                // A large μ makes ‖v‖²/(4a) small.
                proof.cases.outer[0] += 10.0 * claim.bound / (shells.ball * shells.ball);
                missing = proof.cases.outer[0] * shells.ball * shells.ball;
            }
            for (i, (z, p)) in setting.data.iter().zip(setting.data.probabilities()).enumerate() {
                let Some(c) = proof.lines[0].c.get(i) else { break };
                let alpha = proof.alpha;
                let drift = 2.0 * alpha * setting.k() + alpha * setting.eta * dot(z, z) + dot(&proof.beta, z);
                let jump = (1.0 - setting.eps) * drift;
                missing += p * ((jump + c).max(0.0) - jump.max(0.0));
            }
            let wrong = exact(&problem, &proof).unwrap() - missing;
            if wrong < 0.98 * claim.bound {
                let worst = Residual::new(&setting, &proof).search(&mut random, 2000).residual.value;
                tried[form] += 1;
                refuted[form] += usize::from(worst > wrong);
            }
        }
    }
    println!(
        "without μϱ², without c: {refuted:?} of {tried:?} refuted, {absent:?} of {settings} had no such proof"
    );
    assert!(absent.iter().all(|absent| absent * 10 < settings * 9), "{absent:?}");
    // Measured over some hundred cases: 100 % and 87 %. The error's bound is loose, so that a wrong one may still hold.
    for ((tried, refuted), percent) in tried.into_iter().zip(refuted).zip([90, 70]) {
        assert!(tried >= 8 && refuted * 100 >= tried * percent, "{refuted} of {tried}");
    }
}

/// What λ can lose on the way from θ_0 to anywhere is at most the term for the first steps, and with the best m it is that.
#[test]
fn the_term_for_the_first_steps_is_what_lambda_can_lose() {
    let mut random = Random(34);
    let (mut places, mut positive, mut reached) = (0, 0, 0);
    let (settings, mut refused) = (600, 0);
    for _ in 0..settings {
        let setting = Setting::random(&mut random, 4, 4);
        let problem = setting.problem();
        let mut own = proofs::bounded_range(&mut random, &setting);
        if random.chance(0.5) {
            // μ keeps a positive.
            own.cases.outer[0] += own.alpha + 1.0;
            own.alpha *= random.log(1e-6, 1.0);
        }
        let (alpha, beta) = (own.alpha, own.beta.clone());
        let ball = own.shells.as_ref().unwrap().ball;
        let rows = [Rows::of(&setting.data)];
        let proof = Proof::Cases(Box::new(own));
        let Ok(proven) = prove(problem.statement(), &proof, &Evidence { data: &rows, target: None }) else {
            refused += 1;
            continue;
        };
        let bound = proven.bound().unwrap();
        let in_ball = |random: &mut Random, theta: &[f64]| {
            let most = ball * (1.0 - 1e-14) / norm(theta).max(1e-300);
            scaled(theta, if random.chance(0.5) { most } else { most * random.unit() })
        };
        let direction = random.gaussian(beta.len());
        let start = in_ball(&mut random, &direction);
        let lambda = |theta: &[f64]| (alpha * dot(theta, theta) + dot(&beta, theta)) / setting.eta;
        let best = (norm(&beta) / (2.0 * ball) - alpha).max(0.0);
        // The lowest place of the ball is towards −β.
        let lowest = scaled(&beta, -(0.5 / alpha).min(ball / norm(&beta).max(1e-300)));
        let size = (alpha * ball * ball + ball * norm(&beta)) / setting.eta + bound.abs();
        let others = [0.0, best * random.log(0.1, 10.0), random.log(1e-6, 10.0)];
        for (i, m) in [best].into_iter().chain(others).enumerate() {
            let horizon = Horizon { steps: 1, start: start.clone(), ..Horizon::default() };
            let term = proven.horizon(&horizon, m).unwrap() - bound;
            let doubt = 1e-12 * (size + term);
            for _ in 0..20 {
                let direction = random.gaussian(beta.len());
                let theta = in_ball(&mut random, &direction);
                assert!(term >= lambda(&start) - lambda(&theta) - doubt, "{m} {term} {proof:?}");
                places += 1;
            }
            let most = lambda(&start) - lambda(&lowest);
            assert!(term >= most - doubt, "{m} {term} {most} {proof:?}");
            reached += usize::from(i == 0 && term <= most + doubt);
        }
        positive += usize::from(best > 0.0);
    }
    println!("{places} places, {positive} proofs with m > 0, {reached} terms reached, {refused} refused");
    assert!(positive > 100 && reached > 500 && refused * 10 < settings, "{positive} {reached} {refused}");
}

/// An adversary: the point it sends when it sees θ.
type Adversary<'a> = Box<dyn Fn(&[f64], &mut Random) -> Vec<f64> + 'a>;

/// The average loss over the first steps from θ = 0.
fn simulate(setting: &Setting, adversary: &Adversary, steps: u64, random: &mut Random) -> f64 {
    let (learner, data) = (setting.problem().learner().clone(), &setting.data);
    let p = data.probabilities();
    let mut cumulative = p.clone();
    for i in 1..p.len() {
        cumulative[i] += cumulative[i - 1];
    }
    let mut theta = vec![0.0; data.dimension()];
    let mut total = 0.0;
    for _ in 0..steps {
        total += data.iter().zip(&p).map(|(z, p)| p * (1.0 - dot(&theta, z)).max(0.0)).sum::<f64>();
        if random.chance(setting.eps) {
            let z = adversary(&theta, random);
            LinearState::update(&learner, &mut theta, &z);
        } else {
            let draw = random.unit();
            let i = cumulative.partition_point(|c| *c <= draw).min(p.len() - 1);
            LinearState::update(&learner, &mut theta, data.row(i));
        }
    }
    total / steps as f64
}

fn simulated_settings() -> Vec<Setting> {
    let mut random = Random(41);
    let mut settings: Vec<Setting> = (0..6).map(|_| Setting::moderate(&mut random)).collect();
    settings[0].radius = 2.0;
    settings[1].eps = 0.35;
    settings[2].eta = 0.3;
    settings[3] = Setting { eta: 0.01, sigma: 1.0, eps: 0.2, ..settings[3].clone() };
    let rows = settings[4].data.rows();
    let weights = Some((1..=rows).map(|i| i as f64).collect());
    settings[4].data =
        Dataset::from_rows(settings[4].data.z().to_vec(), settings[4].data.dimension(), weights).unwrap();
    settings
}

#[test]
fn simulated_attacks_stay_below_the_bound_for_their_horizon() {
    const RUNS: usize = 6;
    let mut random = Random(42);
    let mut strongest = 0.0_f64;
    for setting in simulated_settings() {
        for steps in [300, if is_full() { 200_000 } else { 30_000 }] {
            let outcome = certify_with(&setting.problem(), &Options::default().with_horizon(steps)).unwrap();
            let bound = outcome.horizon_loss.unwrap();
            assert!(bound >= outcome.certified_loss);
            let residual = Residual::new(&setting, cases(&outcome.certificate.loss));
            let radius = setting.radius;
            let pulled = scaled(&outcome.benign.theta, -radius / norm(&outcome.benign.theta).max(1e-9));
            let adversaries: [(&str, Adversary); 5] = [
                ("best response", Box::new(|theta, _| residual.best_response(theta))),
                ("against θ", Box::new(|theta, _| scaled(theta, -radius / norm(theta).max(1e-9)))),
                ("flip", {
                    let data = &setting.data;
                    Box::new(move |_, random| {
                        let z = data.row(random.below(data.rows()));
                        scaled(z, -(radius / norm(z).max(1e-9)).min(1.0))
                    })
                }),
                ("constant", Box::new(|_, _| pulled.clone())),
                ("nothing", Box::new(|theta, _| vec![0.0; theta.len()])),
            ];
            for (name, adversary) in &adversaries {
                let averages: Vec<f64> =
                    (0..RUNS).map(|_| simulate(&setting, adversary, steps, &mut random)).collect();
                let mean = averages.iter().sum::<f64>() / RUNS as f64;
                let variance = averages.iter().map(|a| (a - mean).powi(2)).sum::<f64>() / (RUNS - 1) as f64;
                let error = (variance / RUNS as f64).sqrt();
                assert!(mean <= bound + 6.0 * error, "{name}: {mean} ± {error} > {bound} {setting:?}");
                strongest = strongest.max(mean / bound);
            }
        }
    }
    println!("the strongest simulated attack reaches {strongest:.4} of its bound");
    assert!(strongest > 0.8, "the attacks are too weak to tell anything: {strongest}");
}

/// Rows of a kind that is likely to make trouble.
fn odd_rows() -> impl Strategy<Value = (Vec<f64>, usize, Option<Vec<f64>>)> {
    let entry = prop_oneof![
        4 => -1.0..1.0_f64,
        1 => Just(0.0),
        1 => Just(1.0),
        1 => Just(1e-9),
        1 => Just(-1e-160),
    ];
    (1..7_usize, 1..5_usize, 0..4_u8).prop_flat_map(move |(n, d, kind)| {
        let z = match kind {
            0 => Just(vec![0.0; n * d]).boxed(),
            1 => proptest::collection::vec(entry.clone(), d).prop_map(move |z| z.repeat(n)).boxed(),
            _ => proptest::collection::vec(entry.clone(), n * d).boxed(),
        };
        let weight = prop_oneof![3 => 0.01..10.0_f64, 1 => Just(1e-12), 1 => Just(1e9)];
        (z, Just(d), proptest::option::weighted(0.3, proptest::collection::vec(weight, n)))
    })
}

fn learning_rate() -> impl Strategy<Value = f64> {
    prop_oneof![Just(1e-9), Just(1e-6), Just(1e-3), Just(0.5), Just(0.99), 1e-4..0.5_f64]
}

fn regularization() -> impl Strategy<Value = f64> {
    prop_oneof![Just(1e-7), Just(1e-4), Just(0.01), Just(1.0), Just(1.009), 1e-3..1.5_f64]
}

fn poison_rate() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(1e-12), Just(0.5), Just(0.9), Just(0.999), 0.0..0.5_f64]
}

fn radius() -> impl Strategy<Value = f64> {
    prop_oneof![2 => Just(1.0), 1 => Just(0.0), 1 => Just(1e-9), 1 => Just(100.0), 1 => 0.0..3.0_f64]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if is_full() { 1000 } else { 150 },
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(52),
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_setting_gets_a_certificate_that_checks(
        (z, d, weights) in odd_rows(),
        eta in learning_rate(),
        sigma in regularization(),
        eps in poison_rate(),
        radius in radius(),
        horizon in proptest::option::of(1..1_000_000_u64),
        away in any::<bool>(),
    ) {
        let data = Dataset::from_rows(z, d, weights).unwrap();
        let sigma = if eta * sigma < 1.0 { sigma } else { 0.999_999 / eta };
        let builder = Problem::builder(data.clone()).learning_rate(eta).regularization(sigma);
        let problem = builder.poison_rate(eps).radius(radius).build();
        let problem = problem.map_err(|e| TestCaseError::fail(format!("{e} {data:?}")))?;
        let mut options = Options::default();
        (options.horizon, options.start) = (horizon, away.then(|| vec![10.0; d]));
        let outcome = certify_with(&problem, &options);
        let outcome = outcome.map_err(|e| TestCaseError::fail(format!("{e} {data:?}")))?;

        let bytes = outcome.certificate.to_bytes();
        let read = Certificate::from_bytes(&bytes).unwrap();
        prop_assert_eq!(&read, &outcome.certificate);
        let verdict = verdict(&problem, &read).unwrap();
        prop_assert_eq!(verdict.loss.to_bits(), outcome.certified_loss.to_bits());
        prop_assert_eq!(verdict.error, outcome.certified_error);
        prop_assert_eq!(verdict.horizon, outcome.horizon_loss);

        prop_assert!(outcome.benign.loss.is_finite() && outcome.transient_steps >= 0.0);
        // Where a score is 1 and its multiplier at the end of its range, the minimiser is known less well.
        prop_assert!(outcome.certified_loss >= outcome.benign.loss - 1e-6, "{:?}", outcome);
        prop_assert!(outcome.certified_error.unwrap() <= outcome.certified_loss.min(1.0));
        if eps == 0.0 || radius >= data.largest_norm() {
            // The adversary can behave like the data.
            prop_assert!(outcome.certified_error.unwrap() >= outcome.benign.error.unwrap() - 1e-9, "{:?}", outcome);
        }

        let again = certify_with(&problem, &options).unwrap().certificate.to_bytes();
        prop_assert_eq!(bytes, again);
    }
}

/// A certificate states the problem that was asked about.
#[test]
fn a_certificate_says_what_was_asked() {
    let problem = simulated_settings().swap_remove(0).problem();
    let outcome = certify(&problem).unwrap();
    assert_eq!(outcome.certificate.statement, *problem.statement());
    assert_eq!(outcome.certificate.loss.bound.to_bits(), outcome.certified_loss.to_bits());
}
