//! Algorithm 1: the noise goes to 0, and nothing else would be better.

use crate::fixtures as support;

use support::random::Random;
use unswayed::certify::{MeanSetting, certify_mean};
use unswayed::design::noise::{Half, Noise, Task, Terms, alternate, paper_tasks};

fn terms(random: &mut Random, dimension: usize) -> Terms {
    Terms {
        learning_rate: random.log(1e-3, 1.5),
        poison_rate: random.within(0.0, 0.9),
        squared_radius: dimension as f64 * random.log(0.1, 10.0),
        weight: random.log(1e-4, 1e4),
    }
}

fn identity(dimension: usize) -> Vec<f64> {
    (0..dimension * dimension).map(|k| f64::from(u8::from(k % (dimension + 1) == 0))).collect()
}

#[test]
fn noise_is_gone_after_the_first_step_and_the_objective_never_rises() {
    let mut random = Random(81);
    for seed in 0..200 {
        let d = 1 + random.below(5);
        let terms = terms(&mut random, d);
        let tasks = paper_tasks(d, 1 + random.below(10), seed);
        for start in [Noise::Shaped(identity(d)), Noise::Isotropic(1.0), Noise::None] {
            let none = start == Noise::None;
            let designed = alternate(&tasks, &terms, start, 4).unwrap();
            assert_eq!(designed.history.len(), 8);
            for (i, progress) in designed.history.iter().enumerate() {
                assert_eq!(progress.half == Half::Noise, i % 2 == 1);
                let wanted = if i == 0 && !none { d as f64 } else { 0.0 };
                assert!(progress.noise_trace.to_bits() == wanted.to_bits(), "{progress:?}");
            }
            for pair in designed.history.windows(2) {
                assert!(pair[1].objective <= pair[0].objective * (1.0 + 1e-14), "{pair:?}");
            }
            assert!(designed.noise.trace(d) == 0.0);
            for (after, before) in designed.after.iter().zip(&designed.before) {
                assert!(if none { after.to_bits() == before.to_bits() } else { after < before });
            }
        }
    }
}

/// η² tr(A M) + νr for the least ν that a diagonal A allows, M the diagonal of (1−ε)Σ + S.
fn value(terms: &Terms, a: &[f64], m: &[f64]) -> f64 {
    let (eta, eps) = (terms.learning_rate, terms.poison_rate);
    let nu = |a: &f64| {
        let excess = (2.0 * eta - eta * eta) * a - 1.0;
        eps * eta * eta * a + (eps * eta * (1.0 - eta) * a).powi(2) / excess
    };
    let cost: f64 = a.iter().zip(m).map(|(a, m)| a * m).sum();
    eta * eta * cost + a.iter().map(nu).fold(0.0, f64::max) * terms.squared_radius
}

#[test]
fn no_noise_and_no_other_matrix_lower_the_certificate() {
    let mut random = Random(82);
    for _ in 0..300 {
        let d = 1 + random.below(4);
        let terms = terms(&mut random, d);
        let Terms { learning_rate: eta, poison_rate: eps, squared_radius, .. } = terms;
        let sigma: Vec<f64> = (0..d).map(|_| random.log(0.01, 10.0)).collect();
        let setting =
            |noise: f64| MeanSetting::new(eta, eps, squared_radius, sigma.iter().sum(), noise).unwrap();
        let (bound, curvature) = (setting(0.0).bound(), setting(0.0).curvature());
        for _ in 0..20 {
            // Along any S ⪰ 0 the certificate grows, to first order with slope η²a tr S: its derivative is η²a I ≻ 0.
            let noise: Vec<f64> = (0..d).map(|_| random.share()).collect();
            let (trace, step) = (noise.iter().sum::<f64>(), 1e-4 * bound);
            let slope = (setting(step * trace).bound() - bound) / step;
            let predicted = eta * eta * curvature * trace;
            assert!((slope - predicted).abs() <= 1e-2 * predicted + 1e-9, "{slope} {predicted} {terms:?}");
            let other = setting(trace).bound();
            assert!(other >= bound && (trace == 0.0 || other > bound));
            // Any other A, at that noise and at none, gives no less than the closed form.
            let a: Vec<f64> =
                (0..d).map(|_| (1.0 + random.log(1e-4, 1e2)) / (2.0 * eta - eta * eta)).collect();
            let spread = |noise: &[f64]| -> Vec<f64> {
                sigma.iter().zip(noise).map(|(s, n)| (1.0 - eps) * s + n).collect()
            };
            assert!(value(&terms, &a, &spread(&noise)) >= other * (1.0 - 1e-12));
            assert!(value(&terms, &a, &spread(&vec![0.0; d])) >= bound * (1.0 - 1e-12));
        }
        assert!(certify_mean(&setting(0.0)).unwrap().certified_loss <= setting(1.0).bound());
    }
}

#[test]
fn the_prior_has_the_moments_it_should_have() {
    let tasks = paper_tasks(2, 40_000, 3);
    let mut spread = 0.0;
    let mut precision = [0.0; 3];
    for Task { covariance: c, mean } in &tasks {
        let determinant = c[0] * c[3] - c[1] * c[2];
        assert!(determinant > 0.0 && c[1].to_bits() == c[2].to_bits());
        // Σ itself has no variance to speak of, its inverse has: E Σ⁻¹ = (d + 2)I.
        precision[0] += c[3] / determinant / tasks.len() as f64;
        precision[1] += c[0] / determinant / tasks.len() as f64;
        precision[2] -= c[1] / determinant / tasks.len() as f64;
        spread += (mean[0] * mean[0] + mean[1] * mean[1]) / (2.0 * tasks.len() as f64);
    }
    assert!((precision[0] - 4.0).abs() < 0.1 && (precision[1] - 4.0).abs() < 0.1, "{precision:?}");
    assert!(precision[2].abs() < 0.1 && (spread - 0.1).abs() < 0.005, "{precision:?} {spread}");
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let tasks = paper_tasks(2, 3, 0);
    let terms = Terms { learning_rate: 0.01, poison_rate: 0.15, squared_radius: 2.0, weight: 1.0 };
    let refused = |tasks: &[Task], terms: &Terms, start: Noise| {
        alternate(tasks, terms, start, 1).err().unwrap().to_string()
    };
    assert!(refused(&[], &terms, Noise::None).contains("at least one"));
    assert!(refused(&tasks, &Terms { weight: -1.0, ..terms }, Noise::None).contains("weight -1"));
    assert!(refused(&tasks, &Terms { learning_rate: 2.0, ..terms }, Noise::None).contains("learning rate"));
    assert!(refused(&tasks, &terms, Noise::Isotropic(-1.0)).contains("eigenvalues"));
    assert!(refused(&tasks, &terms, Noise::Isotropic(f64::NAN)).contains("finite"));
    assert!(refused(&tasks, &terms, Noise::Shaped(vec![1.0])).contains("4 entries"));
    assert!(refused(&tasks, &terms, Noise::Shaped(vec![1.0, 1.0, 0.0, 1.0])).contains("symmetric"));
    assert!(refused(&tasks, &terms, Noise::Shaped(vec![1.0, 2.0, 2.0, 1.0])).contains("eigenvalues"));
    let mut other = paper_tasks(3, 1, 0);
    other.extend(tasks);
    assert!(refused(&other, &terms, Noise::None).contains("dimension 3"));
}

/// The paper's lemma has η²S in place of η(Σ+S)/(2−η).
#[test]
fn the_stationary_law_without_adversary_has_the_variance_of_the_theory() {
    let mut random = Random(83);
    let (eta, sigma, noise) = (0.1, 1.0_f64, 0.5_f64);
    let (mut theta, mut square) = (0.0, 0.0);
    let steps = 2_000_000;
    for _ in 0..steps {
        let input = sigma.sqrt() * random.normal() + noise.sqrt() * random.normal();
        theta += eta * (input - theta);
        square += theta * theta / f64::from(steps);
    }
    let theory = MeanSetting::new(eta, 0.0, 1.0, sigma, noise).unwrap().benign_loss();
    assert!((square / theory - 1.0).abs() < 0.02, "{square} {theory}");
    assert!(square > 10.0 * eta * eta * noise);
}
