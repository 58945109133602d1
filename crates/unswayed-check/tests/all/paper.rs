//! The paper's program.

use unswayed_check::{PaperProof, Set, Statement};

use crate::common::fixtures::{bound, by_paper, hinge, paper, rows, saddle, weighted_rows};
use crate::common::rounds;
use crate::common::search::Random;
use crate::truth;

/// Changes the numbers and returns the complaint; the independent implementation refuses them, too.
fn complaint(change: impl FnOnce(&mut PaperProof)) -> String {
    let mut proof = paper();
    change(&mut proof);
    let numbers = [proof.nu8, proof.nu9, proof.nu10, proof.delta];
    let vectors = [&proof.a, &proof.b, &proof.m, &proof.h];
    let is_finite = vectors.into_iter().flatten().chain(&numbers).all(|x| x.is_finite());
    let proof = by_paper(proof);
    assert!(!is_finite || truth::value(&hinge(), &proof, &rows()).is_none());
    bound(&hinge(), &proof, &rows()).expect_err("a refusal").to_string()
}

#[test]
fn conditions() {
    type Change = fn(&mut PaperProof);
    let changes: [(Change, &str); 24] = [
        (|w| w.nu8 = -1e-300, "nu8 = "),
        (|w| w.nu9 = -0.5, "nu9 = -0.5 is not ≥ 0"),
        (|w| w.nu10 = -1.0, "nu10 = -1.0 is not ≥ 0"),
        (|w| w.nu10 = f64::NAN, "the numbers[2] = NaN is not finite"),
        (|w| w.delta = 0.0, "delta = 0.0 is not > 0"),
        (|w| w.delta = -1.0, "delta = -1.0 is not > 0"),
        (|w| w.delta = 0.2, "− δ"),
        (|w| w.delta = 0.0485, "the determinant of D − δ"),
        (|w| w.nu9 = 0.2, "the determinant of D − δ at low"),
        (|w| w.nu10 = 1e-4, "ν10 − εη·low − δ"),
        (|w| w.low = 0.59, "low = 0.59 is not below all eigenvalues"),
        (|w| w.low = 0.9, "low = 0.9 is not below all eigenvalues"),
        (|w| w.high = 0.71, "high = 0.71 is not above all eigenvalues"),
        (|w| w.high = 0.1, "is not above all eigenvalues"),
        (|w| w.low = -1.0, "σ(2−ησ)·low + ν8 − δ"),
        (|w| w.a[0] = 0.81, "high = 0.8 is not"),
        (|w| w.a[1] = 0.3, "low = 0.5 is not"),
        (|w| w.a[2] = f64::INFINITY, "a[2] = inf is not finite"),
        (|w| w.ball = 9.0, "ϱσ − R"),
        (|w| w.ball = -10.5, "ϱσ − R"),
        (|w| w.reach = 9.4, "reach² − ϱ²‖z[1]‖²"),
        (|w| w.reach = -10.0, "reach = -10.0 is not ≥ 0"),
        (|w| w.h[3] = f64::NAN, "h[3] = NaN is not finite"),
        (|w| w.m[4] = f64::NEG_INFINITY, "m[4] = -inf is not finite"),
    ];
    for (change, words) in changes {
        let complaint = complaint(change);
        assert!(complaint.starts_with("loss: ") && complaint.contains(words), "{complaint} / {words}");
    }
    let lengths: [(Change, &str); 6] = [
        (|w| w.a.truncate(2), "loss: a: expected 3, found 2"),
        (|w| w.b.push(0.0), "loss: b: expected 2, found 3"),
        (|w| w.m.truncate(4), "loss: m: expected 5, found 4"),
        (|w| w.h.truncate(9), "loss: h: expected 10, found 9"),
        (|w| w.theta.clear(), "loss: theta: expected 2, found 0"),
        (|w| w.point.push(1.0), "loss: point: expected 2, found 3"),
    ];
    for (change, words) in lengths {
        assert_eq!(complaint(change), words);
    }
    // Rows longer than the ball's edge.
    let mut slow = hinge();
    slow.learner.regularization = 0.05;
    slow.threat.set = Set::Ball { radius: 0.0 };
    let failure = bound(&slow, &by_paper(paper()), &rows()).expect_err("a refusal").to_string();
    assert!(failure.contains("(ϱσ)² − ‖z[0]‖²"), "{failure}");
}

/// With batches λ must be convex.
#[test]
fn batches_need_a_convex_lambda() {
    let batched = |batch: u64| {
        let mut statement: Statement = hinge();
        statement.learner.batch = batch;
        statement
    };
    for rows in [rows(), weighted_rows()] {
        let convex = bound(&batched(1), &by_paper(paper()), &rows).unwrap();
        assert_eq!(bound(&batched(64), &by_paper(paper()), &rows).unwrap(), convex);
        bound(&batched(1), &by_paper(saddle()), &rows).unwrap();
        let failure = bound(&batched(2), &by_paper(saddle()), &rows).unwrap_err().to_string();
        assert!(failure.contains("low = -0.05 is not ≥ 0, as it must be with batches"), "{failure}");
    }
}

/// Every point near D⁻¹g gives a bound, and none a smaller one than D⁻¹g itself.
#[test]
fn the_papers_point_may_be_anything() {
    let value = |theta: [f64; 2], point: [f64; 2]| {
        let proof = by_paper(PaperProof { theta: theta.to_vec(), point: point.to_vec(), ..paper() });
        let bound = bound(&hinge(), &proof, &rows()).unwrap();
        truth::assert_rounded_up(bound, &truth::value(&hinge(), &proof, &rows()).unwrap());
        bound
    };
    let mut random = Random(3);
    let mut draw = || random.between(-2.0, 2.0);
    let smallest = (0..300).map(|_| value([draw(), draw()], [draw(), draw()])).fold(f64::INFINITY, f64::min);
    // Sharpest is D⁻¹g, found here by descent on the bound, which is convex in the point.
    let mut best = ([0.0; 2], [0.0; 2]);
    for _ in 0..15 {
        for axis in 0..4 {
            for step in [1.0, -1.0, 0.1, -0.1, 0.01, -0.01, 1e-3, -1e-3] {
                let mut next = best;
                *[&mut next.0, &mut next.1][axis / 2].get_mut(axis % 2).unwrap() += step;
                if value(next.0, next.1) < value(best.0, best.1) {
                    best = next;
                }
            }
        }
    }
    assert!(value(best.0, best.1) <= smallest);
}

/// G_λ of the paper's λ at random θ and z in their balls is never above the proven value.
#[test]
fn no_counterexample() {
    let mut random = Random(8);
    for proof in [paper(), saddle()] {
        for rows in [rows(), weighted_rows()] {
            let value = bound(&hinge(), &by_paper(proof.clone()), &rows).unwrap();
            let largest = (0..rounds(20_000, 2_000_000))
                .map(|_| {
                    residual(&proof, &rows, &in_ball(&mut random, proof.ball), &in_ball(&mut random, 1.0))
                })
                .fold(f64::NEG_INFINITY, f64::max);
            assert!(largest <= value, "{largest} {value}");
        }
    }
}

fn in_ball(random: &mut Random, radius: f64) -> Vec<f64> {
    let x = random.normal(2);
    let norm = crate::common::dot(&x, &x).sqrt();
    let size = radius * if random.below(2) == 0 { 1.0 } else { random.unit() };
    x.iter().map(|x| x * size / norm).collect()
}

/// E[λ(θ')] + ℓ(θ) − λ(θ) for the learner's own step.
fn residual(w: &PaperProof, rows: &unswayed_check::Rows, theta: &[f64], point: &[f64]) -> f64 {
    let (eta, sigma, eps) = (0.01, 0.1, 0.05);
    let dot = crate::common::dot;
    let lambda = |x: &[f64]| {
        let [a, b, c] = [w.a[0], w.a[1], w.a[2]];
        (a * x[0] * x[0] + 2.0 * b * x[0] * x[1] + c * x[1] * x[1] + dot(&w.b, x)) / eta
    };
    let step = |z: &[f64]| {
        let acts = f64::from(u8::from(dot(theta, z) <= 1.0));
        let next: Vec<f64> =
            theta.iter().zip(z).map(|(t, z)| (1.0 - eta * sigma) * t + eta * acts * z).collect();
        lambda(&next) - lambda(theta)
    };
    let weight = |i: usize| rows.weights.map_or(1.0, |w| w[i]);
    let total: f64 = (0..rows.len()).map(weight).sum();
    let row = |(i, z): (usize, &[f64])| {
        weight(i) / total * ((1.0 - eps) * step(z) + (1.0 - dot(theta, z)).max(0.0))
    };
    rows.z.chunks(2).enumerate().map(row).sum::<f64>() + eps * step(point)
}
