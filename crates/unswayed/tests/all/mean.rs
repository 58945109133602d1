//! Mean estimation: reference values, the residual at many places, and what an attack reaches.

use serde_json::Value;
use unswayed::Dataset;
use unswayed::attack::{Effort, MeanLearner, attack_mean};
use unswayed::certify::{MeanOutcome, MeanSetting, certify_mean};
use unswayed::check::{MeanCertificate, MeanStatement, Rows, check_mean};

use crate::fixtures::random::Random;
use crate::fixtures::reference::{matrix, mean_cases, number};
use crate::fixtures::setting::Setting;
use crate::fixtures::{dot, moved, norm, scaled};

fn trace(value: &Value) -> f64 {
    matrix(value).iter().enumerate().map(|(i, row)| row[i]).sum()
}

fn mean_setting(case: &Value) -> MeanSetting {
    let [eta, eps, r] = ["eta", "eps", "r"].map(|name| number(&case[name]));
    MeanSetting::new(eta, eps, r, trace(&case["Sigma"]), trace(&case["S"])).unwrap()
}

#[test]
fn mean_estimation_reaches_the_closed_form() {
    for case in mean_cases() {
        let setting = mean_setting(&case);
        let value = number(&case["closed"]["value"]);
        let near = |x: f64, reference: f64| (x - reference).abs() <= 1e-12 * reference.abs().max(1e-300);
        assert!(near(setting.bound(), value), "{} {} {value}", case["name"], setting.bound());
        let outcome = certify_mean(&setting).unwrap();
        let loss = outcome.certified_loss;
        assert!(loss <= value * (1.0 + 1e-9), "{} {loss} {value}", case["name"]);
        assert!(loss >= value * (1.0 - 1e-12), "{} {loss} {value}", case["name"]);
        assert!(near(outcome.benign_loss, number(&case["benign"]["loss"])), "{}", case["name"]);
        assert!(near(outcome.attack_loss, number(&case["constant_attack_loss"])), "{}", case["name"]);
        assert!(outcome.attack_loss <= loss * (1.0 + 1e-12));
        let certificate = MeanCertificate::from_bytes(&outcome.certificate.to_bytes()).unwrap();
        assert_eq!(certificate, outcome.certificate);
        assert_eq!(check_mean(&certificate, None).unwrap().to_bits(), loss.to_bits());
    }
}

/// Samples ±√(dλ_j)·e_j have mean 0 and covariance diag(λ) exactly when the roots are exact.
#[test]
fn mean_estimation_of_samples_with_known_moments() {
    // d = 4, variances 1, 4, 0.25, 1/16: roots of dλ are 2, 4, 1, 1/2.
    let roots = [2.0, 4.0, 1.0, 0.5];
    let mut z = Vec::new();
    for (j, root) in roots.iter().enumerate() {
        for sign in [1.0, -1.0] {
            let mut row = [3.0, -1.0, 0.5, 7.0];
            row[j] += sign * root;
            z.extend(row);
        }
    }
    let variance = 1.0 + 4.0 + 0.25 + 1.0 / 16.0;
    for (weights, scale) in [(None, 1.0), (Some(vec![0.125; 8]), 1.0), (Some(vec![3.0; 8]), 1.0)] {
        let data = Dataset::from_rows(z.clone(), 4, weights).unwrap();
        for (eta, eps, r, noise) in [(0.01, 0.15, 2.0, 0.0), (0.5, 0.3, 1.0, 0.25), (1.5, 0.01, 9.0, 0.0)] {
            let outcome = MeanOutcome::of_samples(&data, eta, eps, r, noise).unwrap();
            let setting = MeanSetting::new(eta, eps, r, scale * variance, noise).unwrap();
            let ratio = outcome.certified_loss / setting.bound();
            assert!((1.0 - 1e-12..1.0 + 1e-9).contains(&ratio), "{ratio}");
            assert!((outcome.benign_loss / setting.benign_loss() - 1.0).abs() < 1e-12);
            assert!((outcome.attack_loss / setting.constant_attack_loss() - 1.0).abs() < 1e-12);
            check_mean(&outcome.certificate, Some(&Rows::of(&data))).unwrap();
        }
    }
    // Only the rows with weight count.
    let weights = vec![1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let data = Dataset::from_rows(z, 4, Some(weights)).unwrap();
    let outcome = MeanOutcome::of_samples(&data, 0.1, 0.1, 1.0, 0.0).unwrap();
    let bound = MeanSetting::new(0.1, 0.1, 1.0, 4.0, 0.0).unwrap().bound();
    assert!((outcome.certified_loss / bound - 1.0).abs() < 1e-9);
}

/// G for mean estimation, in terms of θ − μ and z − μ.
fn mean_residual(mean: &MeanStatement, trace: f64, a: f64, theta: &[f64], z: &[f64]) -> f64 {
    let (eta, eps) = (mean.learning_rate, mean.poison_rate);
    let kept = (1.0 - eta) * (1.0 - eta) * dot(theta, theta);
    let poisoned = moved(&scaled(theta, 1.0 - eta), eta, z);
    let next = (1.0 - eps) * (kept + eta * eta * trace)
        + eps * dot(&poisoned, &poisoned)
        + eta * eta * mean.noise_trace;
    a * next + dot(theta, theta) - a * dot(theta, theta)
}

#[test]
fn the_residual_of_mean_estimation_stays_below_its_bound_and_reaches_it() {
    let mut random = Random(61);
    let (mut reached, mut open) = (0, 0);
    for _ in 0..2000 {
        let eta = if random.chance(0.1) { 1.0 } else { random.log(1e-5, 1.99) };
        let eps = *random.pick(&[0.0, 1e-3, 0.1, 0.5, 1.0]);
        let radius = *random.pick(&[0.0, 0.01, 1.0, 30.0]);
        let (trace, noise) = (random.log(1e-3, 10.0), *random.pick(&[0.0, 0.5]));
        let setting = MeanSetting::new(eta, eps, radius, trace, noise).unwrap();
        let outcome = certify_mean(&setting).unwrap();
        let MeanCertificate { statement: mean, bound, alpha, .. } = &outcome.certificate;
        let (bound, alpha) = (*bound, *alpha);
        let d = 1 + random.below(3);
        let mut most = f64::NEG_INFINITY;
        // G is a concave function of ‖θ‖ for the outward (η < 1) or inward point z.
        let curve = (2.0 * eta - eta * eta) * alpha - 1.0;
        let peak = alpha * eps * eta * (1.0 - eta).abs() * radius.sqrt() / curve;
        for _ in 0..50 {
            let length = if random.chance(0.3) { peak } else { random.log(1e-4, 1e3) };
            let direction = random.gaussian(d);
            let theta = scaled(&direction, length / norm(&direction));
            let other = random.gaussian(d);
            for toward in [scaled(&direction, (1.0 - eta).signum()), other] {
                let z = scaled(&toward, radius.sqrt() / norm(&toward));
                let residual = mean_residual(mean, trace, alpha, &theta, &z);
                let size = (1.0 + alpha) * (length * length + eta * eta * (radius + trace + noise));
                assert!(residual <= bound + 1e-13 * (bound + size), "{residual} > {bound} {mean:?}");
                most = most.max(residual);
            }
        }
        if most >= bound * (1.0 - 1e-6) {
            reached += 1;
        } else {
            open += 1;
        }
        assert!(
            outcome.attack_loss <= bound * (1.0 + 1e-12)
                && outcome.certified_loss >= setting.bound() * (1.0 - 1e-12)
        );
    }
    println!("mean: the residual reaches the bound in {reached} settings, not in {open}");
    assert!(reached > 1500, "{reached} {open}");
}

#[test]
fn mean_estimation_of_samples_stays_below_its_bound() {
    let mut random = Random(62);
    for _ in 0..100 {
        let setting = Setting::random(&mut random, 8, 4);
        let (data, d) = (&setting.data, setting.data.dimension());
        let (eta, eps, radius) = (random.log(1e-3, 1.5), random.unit(), random.log(1e-2, 10.0));
        let outcome = MeanOutcome::of_samples(data, eta, eps, radius, 0.0).unwrap();
        check_mean(&outcome.certificate, Some(&Rows::of(data))).unwrap();
        let alpha = outcome.certificate.alpha;
        let p = data.probabilities();
        let mut mu = vec![0.0; d];
        for (z, p) in data.iter().zip(&p) {
            mu = moved(&mu, *p, z);
        }
        let squared = |x: &[f64]| {
            let away = moved(x, -1.0, &mu);
            dot(&away, &away)
        };
        for _ in 0..200 {
            let direction = random.gaussian(d);
            let theta = moved(&mu, random.log(1e-3, 10.0), &direction);
            let outward = scaled(&moved(&theta, -1.0, &mu), (1.0 - eta).signum());
            let z = moved(&mu, radius.sqrt() / norm(&outward), &outward);
            let next = |z: &[f64]| squared(&moved(&scaled(&theta, 1.0 - eta), eta, z));
            let benign: f64 = data.iter().zip(&p).map(|(z, p)| p * next(z)).sum();
            let residual =
                alpha * (eps * next(&z) + (1.0 - eps) * benign) + squared(&theta) - alpha * squared(&theta);
            let size = (1.0 + alpha) * (squared(&theta) + dot(&theta, &theta) + dot(&mu, &mu) + radius + 1.0);
            assert!(residual <= outcome.certified_loss + 1e-13 * size);
        }
    }
}

/// Four points with mean 0 and tr Σ = 1, so that everything is known.
#[test]
fn pushing_a_mean_outward_is_stronger_than_a_constant_point_and_below_the_certificate() {
    let samples = Dataset::from_rows(vec![1.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, -1.0], 2, None).unwrap();
    let (eta, eps, r) = (0.01, 0.15, 2.0);
    let outcome = MeanOutcome::of_samples(&samples, eta, eps, r, 0.0).unwrap();
    let attacked = attack_mean(&samples, &MeanLearner::plain(eta), eps, r, Effort::Fast, 0).unwrap();
    assert!(attacked.loss.low() < outcome.certified_loss, "{attacked:?}");
    assert!(attacked.loss.high() > outcome.attack_loss, "{attacked:?} {}", outcome.attack_loss);
}
