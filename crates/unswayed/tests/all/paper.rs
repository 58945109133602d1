//! The paper's programs: their reference values, what the checker proves of them, and the misprints.

use unswayed::attack::{Attack, Suite};
use unswayed::certify::paper::{self, MeanMoments, mean_value, printed_mean_value, printed_value};
use unswayed::certify::{MeanSetting, Options, Outcome, certify_mean, certify_with};
use unswayed::check::{Certificate, PaperProof, Proof, check_mean};
use unswayed::{CertifyError, Dataset, Problem, certify, data};

use crate::fixtures::random::Random;
use crate::fixtures::reference::{hinge_cases, matrix, mean_cases, number, numbers};
use crate::fixtures::setting::Setting;
use crate::fixtures::verdict;

fn certified(problem: &Problem) -> Outcome {
    paper::certify(problem, &Options::default(), None).unwrap()
}

fn witness(outcome: &Outcome) -> &PaperProof {
    match &outcome.certificate.loss.proof {
        Proof::Paper(proof) => proof,
        Proof::Cases(_) | Proof::Levels(_) | Proof::Contraction(_) => panic!("not the paper's proof"),
    }
}

#[test]
fn the_proven_bounds_are_the_reference_values() {
    for case in hinge_cases() {
        let problem = case.problem();
        let outcome = certified(&problem);
        let (bound, value) = (outcome.certified_loss, number(&case.json["paper_sdp"]["value"]));
        println!("{:16} {value:.9} {:+.1e}", case.name, bound - value);
        assert!((bound - value).abs() <= 1e-6 * value, "{}: {bound} {value}", case.name);
        assert!(outcome.certified_error.map(f64::to_bits) == Some(bound.min(1.0).to_bits()));
        // From the bytes of the file, in exact arithmetic.
        let read = Certificate::from_bytes(&outcome.certificate.to_bytes()).unwrap();
        assert_eq!(read, outcome.certificate);
        assert_eq!(verdict(&problem, &read).unwrap().loss.to_bits(), bound.to_bits());
        if let Some(attack) = case.attack() {
            assert!(attack <= bound, "{}", case.name);
        }
    }
}

fn entry(a: &[f64], i: usize, j: usize) -> f64 {
    a[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)]
}

/// ηλ(θ) = θᵀAθ + bᵀθ.
fn potential(w: &PaperProof, theta: &[f64]) -> f64 {
    let d = theta.len();
    let square = |i: usize| (0..d).map(|j| entry(&w.a, i, j) * theta[i] * theta[j]).sum::<f64>();
    (0..d).map(|i| square(i) + w.b[i] * theta[i]).sum()
}

/// G_λ(θ, z), where the point may be ignored although it acts, which is what "no effect" means.
fn drift(setting: &Setting, w: &PaperProof, theta: &[f64], point: &[f64], acts: bool) -> f64 {
    let (eta, eps, k) = (setting.eta, setting.eps, setting.k());
    let after = |z: &[f64], acts: bool| {
        let gain = if acts { eta } else { 0.0 };
        let next: Vec<f64> = theta.iter().zip(z).map(|(t, z)| k * t + gain * z).collect();
        potential(w, &next) / eta
    };
    let mut sum = eps * after(point, acts) - potential(w, theta) / eta;
    for (z, p) in setting.data.iter().zip(setting.data.probabilities()) {
        let score: f64 = z.iter().zip(theta).map(|(z, t)| z * t).sum();
        sum += p * ((1.0 - eps) * after(z, score <= 1.0) + (1.0 - score).max(0.0));
    }
    sum
}

/// Four rows in the plane: a grid over θ in the ball and z in the disc finds nothing above the proven bound.
#[test]
fn a_grid_finds_nothing_above_the_bound() {
    let mut random = Random(11);
    for round in 0..6 {
        let mut row = || {
            let (angle, length) = (random.within(0.0, std::f64::consts::TAU), random.within(0.2, 1.0));
            [length * angle.cos(), length * angle.sin()]
        };
        let z: Vec<f64> = (0..4).flat_map(|_| row()).collect();
        let weights = (round % 2 == 1).then(|| vec![1.0, 2.0, 0.5, 0.25]);
        let radius = [1.0, 0.5, 2.0][round % 3];
        let setting = Setting {
            data: Dataset::from_rows(z, 2, weights).unwrap(),
            eta: 0.05,
            sigma: [0.3, 1.0][round % 2],
            eps: [0.1, 0.3, 0.0][round % 3],
            radius,
        };
        let outcome = certified(&setting.problem());
        let w = witness(&outcome);
        let mut largest = f64::NEG_INFINITY;
        let disc = |steps: i32, radius: f64| {
            let on = (-steps..=steps).flat_map(move |i| (-steps..=steps).map(move |j| (i, j)));
            let unit = radius / f64::from(steps);
            on.map(move |(i, j)| [unit * f64::from(i), unit * f64::from(j)])
                .filter(move |p| p[0].hypot(p[1]) <= radius)
        };
        for theta in disc(60, w.ball) {
            largest = largest.max(drift(&setting, w, &theta, &[0.0, 0.0], false));
            let edge = (0..64).map(|i| f64::from(i) * std::f64::consts::TAU / 64.0);
            let edge = edge.map(|a| [0.999_999 * radius * a.cos(), 0.999_999 * radius * a.sin()]);
            for point in disc(8, radius).chain(edge) {
                if theta[0] * point[0] + theta[1] * point[1] <= 1.0 {
                    largest = largest.max(drift(&setting, w, &theta, &point, true));
                }
            }
        }
        let bound = outcome.certified_loss;
        println!("{largest:.4} {bound:.4}");
        assert!(largest <= bound + 1e-9, "{largest} {bound}");
        assert!(largest > 0.5 * bound, "the grid is too coarse to say anything: {largest} {bound}");
    }
}

#[test]
fn weights_count_as_copies_and_empty_rows_do_not_count() {
    let run = |z: &[[f64; 2]], weights: Option<Vec<f64>>| {
        let data = Dataset::from_rows(z.concat(), 2, weights).unwrap();
        let problem = Setting { data, eta: 0.02, sigma: 0.2, eps: 0.1, radius: 1.0 }.problem();
        let outcome = certified(&problem);
        verdict(&problem, &outcome.certificate).unwrap();
        outcome.certified_loss
    };
    let [a, b, c] = [[0.6, 0.3], [-0.2, 0.7], [0.9, -0.4]];
    let copies = run(&[a, a, a, b], None);
    assert!((copies - run(&[a, b], Some(vec![3.0, 1.0]))).abs() < 1e-7);
    assert!((copies - run(&[a, c, b], Some(vec![0.75, 0.0, 0.25]))).abs() < 1e-7);
}

#[test]
fn one_column_no_radius_and_a_far_start() {
    let data = Dataset::from_rows(vec![0.5, 0.8, -0.1], 1, None).unwrap();
    for (eps, radius) in [(0.1, 1.0), (0.0, 1.0), (0.1, 0.0), (0.2, 3.0)] {
        let problem = Setting { data: data.clone(), eta: 0.01, sigma: 0.1, eps, radius }.problem();
        for start in [0.0, 25.0] {
            let options = Options::default().with_horizon(1 << 40).with_start(vec![start]);
            let outcome = paper::certify(&problem, &options, None).unwrap();
            let ours = certify_with(&problem, &options).unwrap();
            let (loss, horizon) = (outcome.certified_loss, outcome.horizon_loss.unwrap());
            assert!(horizon >= loss && horizon < loss + 1e-5, "{loss} {horizon}");
            assert!(loss > ours.benign.loss && loss < 3.0, "{eps} {radius} {loss}");
            assert!(witness(&outcome).ball >= start);
            verdict(&problem, &outcome.certificate).unwrap();
        }
    }
}

/// At the number of transient steps the start adds 1 %.
#[test]
fn the_transient() {
    let names = ["tiny", "sigma-1", "conflict", "eps-0.4"];
    let chosen: Vec<_> = hinge_cases().into_iter().filter(|case| names.contains(&&*case.name)).collect();
    assert_eq!(chosen.len(), names.len());
    for case in chosen {
        let problem = case.problem();
        let at =
            |steps: u64| paper::certify(&problem, &Options::default().with_horizon(steps), None).unwrap();
        let steps = at(1).transient_steps;
        let outcome = at(steps as u64);
        let added = outcome.horizon_loss.unwrap() - outcome.certified_loss;
        let share = added / outcome.certified_loss;
        assert!((0.0099..=0.010_001).contains(&share) || steps < 200.0, "{}: {share} {steps}", case.name);
    }
}

#[test]
fn too_large_is_said_before_anything_is_tried() {
    let data = Dataset::from_rows(vec![0.01; 162], 81, None).unwrap();
    let problem = Setting { data, eta: 0.01, sigma: 0.1, eps: 0.1, radius: 1.0 }.problem();
    let error = paper::certify(&problem, &Options::default(), None).unwrap_err();
    assert_eq!(error, CertifyError::TooLarge { rows: 2, columns: 81 });
    assert!(error.to_string().contains("at most 80 columns"), "{error}");
}

/// As printed the program is no bound: an attack gets above it.
#[test]
fn the_printed_program_is_below_an_attack() {
    let problem = hinge_cases().into_iter().find(|c| c.name == "digits-3v8-30").unwrap().problem();
    let printed = printed_value(&problem).unwrap();
    let suite = Suite::new(&problem).unwrap().with_seed(1);
    let attacked = suite.run(&[Attack::SteadyState]).unwrap().remove(0);
    let reached = attacked.simulated.loss;
    let proven = certified(&problem).certified_loss;
    println!("printed {printed:.4}, attack {:.4}, proven {proven:.4}", reached.mean);
    assert!((printed - 0.241).abs() < 1e-3, "{printed}");
    assert!(reached.low() > printed + 0.01 && reached.high() < proven);
}

fn mean_setting(eta: f64, eps: f64, r: f64, sigma: &[Vec<f64>], noise: &[Vec<f64>]) -> MeanSetting {
    let trace = |m: &[Vec<f64>]| (0..m.len()).map(|i| m[i][i]).sum();
    MeanSetting::new(eta, eps, r, trace(sigma), trace(noise)).unwrap()
}

#[test]
fn the_mean_program_has_the_closed_form_as_its_value() {
    for case in mean_cases() {
        let [eta, eps, r] = ["eta", "eps", "r"].map(|name| number(&case[name]));
        let (sigma, noise) = (matrix(&case["Sigma"]), matrix(&case["S"]));
        let mean = numbers(&case["mu"]);
        let setting = mean_setting(eta, eps, r, &sigma, &noise);
        let moments = MeanMoments::new(mean, &sigma, &noise).unwrap();
        let (value, closed) = (mean_value(&setting, &moments, None), setting.bound());
        // For r = 0 the infimum is not attained.
        let tolerance = if r == 0.0 { 1e-3 } else { 1e-6 };
        let found = value.unwrap_or(f64::NAN);
        println!("{} {closed} {:+.1e}", case["name"], found / closed - 1.0);
        assert!((found / closed - 1.0).abs() <= tolerance, "{} {found} {closed}", case["name"]);
        if eps > 0.0 {
            assert_eq!(printed_mean_value(&setting, &moments), None, "{}", case["name"]);
        }
    }
}

#[test]
fn the_mean_program_for_random_moments() {
    let mut random = Random(5);
    for round in 0..24 {
        let d = 1 + round % 4;
        let mut matrix = |scale: f64| {
            let root: Vec<Vec<f64>> = (0..d)
                .map(|_| (0..d).map(|j| (j + 1) as f64 * random.within(-scale, scale)).collect())
                .collect();
            let product = |i: usize, j: usize| root[i].iter().zip(&root[j]).map(|(a, b)| a * b).sum();
            (0..d).map(|i| (0..d).map(|j| product(i, j)).collect()).collect::<Vec<Vec<f64>>>()
        };
        let (sigma, noise) = (matrix(1.0), matrix(0.3));
        let mean: Vec<f64> = (0..d).map(|_| random.within(-1.5, 1.5)).collect();
        let (eta, eps) = (random.within(0.01, 0.9), random.within(0.02, 0.5));
        let setting = mean_setting(eta, eps, random.within(0.2, 4.0), &sigma, &noise);
        let moments = MeanMoments::new(mean, &sigma, &noise).unwrap();
        let (value, closed) = (mean_value(&setting, &moments, None).unwrap(), setting.bound());
        assert!((value / closed - 1.0).abs() <= 1e-6, "{value} {closed}");
        let proven = certify_mean(&setting).unwrap();
        let outcome = paper::certify_mean(proven.clone(), &setting, &moments, None).unwrap();
        assert!(outcome.certified_loss >= proven.certified_loss.max(value));
        check_mean(&outcome.certificate, None).unwrap();
    }
}

#[test]
fn the_mean_program_of_samples() {
    let z = vec![1.0, 2.0, 0.5, -1.0, 3.0, 0.0, 2.5, 2.5];
    let data = Dataset::from_rows(z, 2, Some(vec![1.0, 2.0, 1.0, 0.5])).unwrap();
    let setting = MeanSetting::of_samples(&data, 0.1, 0.2, 1.5, 0.3).unwrap();
    let value = mean_value(&setting, &MeanMoments::of_samples(&data, 0.3), None).unwrap();
    assert!((value / setting.bound() - 1.0).abs() <= 1e-6);
    let traces = MeanMoments::of_traces(1.75, 0.25);
    let setting = MeanSetting::new(0.1, 0.2, 1.5, 1.75, 0.25).unwrap();
    assert!((mean_value(&setting, &traces, None).unwrap() / setting.bound() - 1.0).abs() <= 1e-6);
}

/// Prints what docs and benches say of the embedded sample.
#[test]
#[ignore = "a measurement of some minutes"]
fn the_sample() {
    let data = data::sample().unwrap();
    for sigma in [0.003, 0.01, 0.03] {
        let problem = Setting { data: data.clone(), eta: 1e-3, sigma, eps: 0.05, radius: 1.0 }.problem();
        let began = std::time::Instant::now();
        let outcome = certified(&problem);
        let seconds = began.elapsed().as_secs_f64();
        let proving = std::time::Instant::now();
        verdict(&problem, &outcome.certificate).unwrap();
        let checking = proving.elapsed().as_secs_f64();
        let (paper, ours) = (outcome.certified_loss, certify(&problem).unwrap().certified_loss);
        println!("σ {sigma}: paper {paper:.6} in {seconds:.1} s, checked in {checking:.2} s; ours {ours:.6}");
        assert!(ours < paper);
    }
}

/// The paper's program is for plain steps against a ball, and says so.
#[test]
fn other_problems_are_refused_in_words() {
    let data = || Dataset::from_rows(vec![0.5, 0.8, -0.1], 1, None).unwrap();
    let builder = || Problem::builder(data()).learning_rate(0.01).regularization(0.1).poison_rate(0.1);
    let others = [
        builder().projection(1.0),
        builder().clip(0.5),
        builder().loss(unswayed::LossName::Of(unswayed::check::Loss::Logistic)),
        builder().adversary(unswayed::Adversary::BoxAroundData),
        Problem::builder(vec![data(), data()]).learning_rate(0.01).regularization(0.1).poison_rate(0.1),
    ];
    for other in others {
        let error = paper::certify(&other.build().unwrap(), &Options::default(), None).unwrap_err();
        assert!(error.to_string().contains("the paper's program"), "{error}");
    }
}
