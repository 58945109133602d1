//! The falsifier finds the largest residual where it is known, and refutes no certificate.

mod support;

use support::random::Random;
use support::setting::Setting;
use support::{dot, moved, norm, scaled};
use unswayed::certify::MeanSetting;
use unswayed::certify::convexity::{bounded_range, theorem2, zero_one};
use unswayed::certify::framework::{Benign, Finding, HingeModel, Model, Quadratic, Residual, Search};
use unswayed::{Dataset, Hinge, Threat};
use unswayed_check::{Witness, exact_bound};

/// The online mean: θ' = θ + η(z − θ), ‖z − μ‖² ≤ r, ℓ = ‖θ − μ‖².
struct OnlineMean {
    benign: Option<Dataset>,
    mean: Vec<f64>,
    eta: f64,
    eps: f64,
    radius: f64,
}

impl Model for OnlineMean {
    fn dimension(&self) -> usize {
        self.mean.len()
    }

    fn poison_rate(&self) -> f64 {
        self.eps
    }

    fn step(&self, theta: &mut [f64], z: &[f64]) {
        theta.iter_mut().zip(z).for_each(|(t, z)| *t += self.eta * (z - *t));
    }

    fn loss(&self, theta: &[f64]) -> f64 {
        squared_distance(theta, &self.mean)
    }

    fn benign(&self) -> Benign<'_> {
        match &self.benign {
            Some(data) => Benign::Rows(data),
            // Normal, of covariance I.
            None => Benign::Draws(Box::new(|random, z| {
                z.iter_mut().zip(&self.mean).for_each(|(z, m)| *z = m + random.normal());
            })),
        }
    }

    fn project_point(&self, z: &mut [f64]) {
        let away = moved(z, -1.0, &self.mean);
        let shrink = (self.radius / norm(&away)).min(1.0);
        z.copy_from_slice(&moved(&self.mean, shrink, &away));
    }
}

fn squared_distance(x: &[f64], y: &[f64]) -> f64 {
    let away = moved(x, -1.0, y);
    dot(&away, &away)
}

fn falsify_mean(model: &OnlineMean, setting: &MeanSetting, search: &Search) -> Finding {
    let a = setting.curvature();
    Residual::new(model, |theta| a * squared_distance(theta, &model.mean)).unwrap().falsify(search)
}

#[test]
fn the_closed_form_of_mean_estimation_is_found() {
    let mut random = Random(71);
    let search = Search { starts: 100, climbs: 3, evaluations: 600, ..Search::default() };
    let mut worst = 0.0_f64;
    for _ in 0..12 {
        let (n, d) = (2 + random.below(5), 1 + random.below(3));
        let far = scaled(&random.gaussian(d), 2.0);
        let z: Vec<f64> = (0..n).flat_map(|_| moved(&random.gaussian(d), 1.0, &far)).collect();
        let data = Dataset::from_rows(z, d, None).unwrap();
        let mean = data.iter().fold(vec![0.0; d], |m, z| moved(&m, 1.0 / n as f64, z));
        let trace = data.iter().map(|z| squared_distance(z, &mean)).sum::<f64>() / n as f64;
        let (eta, eps) = (random.log(1e-3, 0.9), random.log(0.01, 0.6));
        let radius = random.log(0.1, 5.0);
        let setting = MeanSetting::new(eta, eps, radius * radius, trace, 0.0).unwrap();
        let model = OnlineMean { benign: Some(data), mean, eta, eps, radius };
        let (found, bound) = (falsify_mean(&model, &setting, &search), setting.bound());
        assert!(!found.refutes(bound * (1.0 + 1e-14)), "{found:?} {bound}");
        assert!(found.refutes(0.99 * bound), "{found:?} {bound}");
        worst = worst.max(1.0 - found.residual.mean / bound);
        assert_eq!(falsify_mean(&model, &setting, &search), found, "the same seed, the same finding");
    }
    println!("mean: the falsifier stays below the closed form by a relative {worst:.1e} at most");
    assert!(worst < 1e-3, "{worst}");
}

#[test]
fn a_sampled_distribution_gives_an_interval() {
    // The example of docs/theory.md, Section 2.
    let model =
        OnlineMean { benign: None, mean: vec![1.0, -2.0], eta: 0.01, eps: 0.15, radius: 2.0_f64.sqrt() };
    let setting = MeanSetting::new(0.01, 0.15, 2.0, 2.0, 0.0).unwrap();
    let bound = setting.bound();
    for seed in 0..5 {
        let search = Search { starts: 50, climbs: 2, evaluations: 200, seed, fresh: 1_000_000 };
        let found = falsify_mean(&model, &setting, &search);
        println!("{found:?} {bound}");
        assert!(found.residual.half_width > 0.0 && found.residual.half_width < 0.05 * bound);
        assert!(!found.refutes(bound) && found.refutes(0.9 * bound), "{found:?} {bound}");
    }
}

struct Case {
    name: String,
    setting: Setting,
}

fn oracles() -> Vec<Case> {
    let text =
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../unswayed-check/tests/oracles/hinge.json"));
    let cases: Vec<serde_json::Value> = serde_json::from_str(text).unwrap();
    cases
        .iter()
        .map(|case| {
            let [eta, sigma, eps, radius] =
                ["eta", "sigma", "eps", "radius"].map(|name| case[name].as_f64().unwrap());
            let rows: Vec<Vec<f64>> = serde_json::from_value(case["Z"].clone()).unwrap();
            let data = Dataset::from_rows(rows.concat(), rows[0].len(), None).unwrap();
            Case { name: case["name"].to_string(), setting: Setting { data, eta, sigma, eps, radius } }
        })
        .collect()
}

fn random_case(random: &mut Random, dimension: usize) -> Setting {
    let n = 4 + random.below(7);
    let centre = scaled(&random.gaussian(dimension), 0.4);
    let z: Vec<f64> = (0..n)
        .flat_map(|_| {
            let z = moved(&centre, 0.3, &random.gaussian(dimension));
            scaled(&z, 1.0 / norm(&z).max(1.0))
        })
        .collect();
    Setting {
        data: Dataset::from_rows(z, dimension, None).unwrap(),
        eta: random.log(1e-3, 0.1),
        sigma: random.log(0.02, 0.5),
        eps: random.log(0.01, 0.2),
        radius: 1.0,
    }
}

/// The witnesses of the three forms with the bounds that the exact checker finds.
fn claims(setting: &Setting) -> [(Witness, f64); 3] {
    let problem = setting.problem();
    let first = theorem2(&problem, None);
    let (second, third) = (bounded_range(&problem, &first), zero_one(&problem, &first));
    [first, second, third].map(|found| {
        let bound = exact_bound(&setting.learner(), &found.witness, &setting.data.as_rows()).unwrap();
        (found.witness, bound)
    })
}

fn falsify_hinge(setting: &Setting, witness: &Witness, search: &Search) -> Finding {
    let hinge = setting.hinge();
    let model = HingeModel::new(&setting.data, &hinge, &setting.threat()).of(witness);
    let lambda = Quadratic::of(witness, &hinge).unwrap();
    Residual::new(&model, |theta| lambda.value(theta)).unwrap().falsify(search)
}

#[test]
fn no_certificate_is_refuted() {
    let mut random = Random(72);
    let mut cases = oracles();
    cases.extend(
        (0..40).map(|i| Case { name: format!("random {i}"), setting: random_case(&mut random, 2 + i % 2) }),
    );
    let (mut refuted, mut open) = ([0; 3], Vec::new());
    for case in &cases {
        for (form, (witness, bound)) in claims(&case.setting).iter().enumerate() {
            let found = falsify_hinge(&case.setting, witness, &Search::default());
            assert!(!found.refutes(*bound), "{} {}: {found:?} {bound}", case.name, witness.method());
            if found.refutes(0.99 * bound) {
                refuted[form] += 1;
            } else {
                open.push(format!("{} {} {:.4}", case.name, witness.method(), found.residual.mean / bound));
            }
        }
    }
    println!("lowered by 1 %, of {} each: {refuted:?} refuted; not: {open:#?}", cases.len());
}
