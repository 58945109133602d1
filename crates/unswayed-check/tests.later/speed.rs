//! Times of the checks; run with `cargo test --release -p unswayed-check --test speed -- --ignored --nocapture`.

use std::time::Instant;

use unswayed_check::{Hinge, Learner, Mean, Rows, Witness, exact_bound};

/// A few bits of pseudo-random numbers in [0, 1).
fn random(count: usize) -> Vec<f64> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..count).map(|_| next()).collect()
}

#[test]
#[ignore = "a measurement"]
fn times() {
    for (n, d) in [(500, 31), (1_000_000, 31), (2000, 784)] {
        let z: Vec<f64> = random(n * d).iter().map(|x| (x - 0.4) / 10.0).collect();
        let weights = random(n);
        let hinge = Learner::Hinge(Hinge {
            learning_rate: 1e-3,
            regularization: 0.03,
            poison_rate: 0.05,
            radius: 1.0,
        });
        let mean = Learner::Mean(Mean {
            learning_rate: 0.01,
            poison_rate: 0.05,
            squared_radius: 1.0,
            noise_trace: 0.0,
            covariance_trace: None,
        });
        let (alpha, tau, nu) = (0.7, 3.0, 0.1);
        let beta: Vec<f64> = random(d).iter().map(|x| x - 0.7).collect();
        let (u, u2, c) = (random(n), random(n), random(n));
        let y = random(n);
        let reach = vec![40.0; n];
        let cases = [
            (&hinge, Witness::Convexity { alpha, beta: beta.clone(), tau, nu, u: u.clone() }),
            (
                &hinge,
                Witness::BoundedRange { alpha, beta: beta.clone(), tau, nu, mu: 0.0, ball: 34.0, reach, y },
            ),
            (&hinge, Witness::ZeroOne { alpha, beta, tau, nu, u, u2, c }),
            (&mean, Witness::ClosedForm { alpha: 60.0, nu: 1.0 }),
        ];
        for weights in [None, Some(weights.as_slice())] {
            let rows = Rows { z: &z, dimension: d, weights };
            for (learner, witness) in &cases {
                let start = Instant::now();
                let result = exact_bound(learner, witness, &rows);
                let time = start.elapsed().as_secs_f64() * 1e3;
                println!(
                    "N={n} d={d} weights={} {}: {time:.2} ms {result:?}",
                    weights.is_some(),
                    witness.method()
                );
            }
            let start = Instant::now();
            rows.digest();
            println!("digest {:.2} ms", start.elapsed().as_secs_f64() * 1e3);
        }
    }
}

/// Linear learners: one logistic, one hinge, one finite set.
#[test]
#[ignore = "a measurement"]
fn times_of_linear_learners() {
    use unswayed_check::{
        Cases, Evidence, Linear, LinearWitness, Lines, Loss, Method, Set, Step, Target, prove_linear,
    };
    let d = 31;
    for n in [500, 100_000] {
        let z: Vec<f64> = random(n * d).iter().map(|x| (x - 0.4) / 10.0).collect();
        let rows = [Rows { z: &z, dimension: d, weights: None }];
        let u = random(n);
        let w: Vec<f64> = random(n).iter().map(|x| 0.2 + 0.2 * x).collect();
        let q: Vec<f64> =
            (0..d).flat_map(|j| (0..=j).map(move |i| if i == j { 1.0 } else { 0.01 })).collect();
        let kinds = [
            (Loss::Hinge, Set::Ball { radius: 1.0 }, 1),
            (Loss::Logistic, Set::Ball { radius: 1.0 }, 1),
            (Loss::Logistic, Set::Box { radii: vec![0.2; d] }, 1),
            (Loss::Logistic, Set::Ellipsoid { q }, 1),
            (Loss::Logistic, Set::Labels, 1),
            (Loss::Hinge, Set::Points { points: z[..100 * d].to_vec() }, 100),
        ];
        for (loss, set, cases) in kinds {
            let is_ellipsoid = matches!(set, Set::Ellipsoid { .. });
            let is_label = set == Set::Labels;
            let tau_width = match &set {
                Set::Box { radii } => radii.len(),
                Set::Points { .. } | Set::Labels => 0,
                _ => 1,
            };
            let method = match (loss, is_label) {
                (Loss::Logistic, true) => Method::LabelLogistic,
                (Loss::Logistic, false) => Method::Logistic,
                _ => Method::Hinge,
            };
            let is_logistic = loss == Loss::Logistic;
            let name = format!("{} {}", method.name(), set.name());
            let learner = Linear {
                learning_rate: 1e-3,
                regularization: 0.03,
                poison_rate: 0.05,
                loss,
                step: Step::default(),
                set,
                target: Target::Data,
            };
            let lines = Lines {
                u: u.clone(),
                w: if is_logistic { w.clone() } else { vec![] },
                w2: if is_label { w.clone() } else { vec![] },
                ..Lines::default()
            };
            let witness = LinearWitness {
                method,
                alpha: 0.7,
                beta: random(d).iter().map(|x| x - 0.7).collect(),
                omega: is_ellipsoid.then_some(1.5),
                shells: None,
                by_label: false,
                lines: vec![lines],
                cases: Cases {
                    lines: vec![0; cases],
                    tau: vec![3.0; tau_width],
                    nu: vec![0.1; usize::from(tau_width > 0)],
                    share: if tau_width == 0 && !is_label { vec![0.5; cases] } else { vec![] },
                    x: if is_ellipsoid { vec![0.1; d] } else { vec![] },
                    ..Cases::default()
                },
            };
            let evidence = Evidence { data: &rows, target: None };
            let start = Instant::now();
            let result = prove_linear(&learner, &witness, &evidence).and_then(|p| p.bound());
            println!("N={n} d={d} {name}: {:.2} ms {result:?}", start.elapsed().as_secs_f64() * 1e3);
        }
    }
}
