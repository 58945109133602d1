//! Every condition of every method is enforced, and the complaint says which one failed.

mod common;
mod truth;

use common::*;
use unswayed_check::{
    Failure, Hinge, Learner, Mean, PaperWitness, Part, Reason, Rows, Witness, check, exact_bound,
    exact_horizon, prove,
};

fn complaint(learner: &Learner, witness: &Witness, rows: &Rows) -> String {
    assert!(truth_refuses(learner, witness, rows));
    exact_bound(learner, witness, rows).expect_err("a refusal").to_string()
}

/// The independent implementation agrees (it cannot take numbers that are not finite).
fn truth_refuses(learner: &Learner, witness: &Witness, rows: &Rows) -> bool {
    std::panic::catch_unwind(|| truth::value(learner, witness, rows).is_none()).unwrap_or(true)
}

fn changed_hinge(change: impl FnOnce(&mut Hinge)) -> String {
    let Learner::Hinge(mut parameters) = hinge() else { unreachable!() };
    change(&mut parameters);
    complaint(&Learner::Hinge(parameters), &convexity(), &rows())
}

fn changed_mean(change: impl FnOnce(&mut Mean)) -> String {
    let Learner::Mean(mut parameters) = mean(Some(2.0)) else { unreachable!() };
    change(&mut parameters);
    complaint(&Learner::Mean(parameters), &closed_form(), &no_rows())
}

/// Changes the named fields of a witness and expects a complaint with the given words.
macro_rules! refused {
    ($witness:expr, $kind:ident { $($field:ident),* } $change:expr, $words:expr) => {{
        let mut witness = $witness;
        let Witness::$kind { $($field,)* .. } = &mut witness else { unreachable!() };
        $change;
        let complaint = complaint(&hinge(), &witness, &rows());
        assert!(complaint.contains($words), "{complaint}");
    }};
}

#[test]
fn learner_parameters() {
    for bad in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(changed_hinge(|h| h.learning_rate = bad).starts_with("learner: learning_rate"));
        assert!(changed_hinge(|h| h.regularization = bad).starts_with("learner: regularization"));
    }
    for bad in [-0.1, 1.0, 2.0, f64::NAN] {
        assert!(changed_hinge(|h| h.poison_rate = bad).starts_with("learner: poison_rate"));
    }
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(changed_hinge(|h| h.radius = bad).starts_with("learner: radius"));
    }
    // 10·0.1 is a little more than one, although it rounds to one.
    let text = changed_hinge(|h| h.learning_rate = 10.0);
    assert_eq!(text, "learner: 1 − learning_rate·regularization = -5.551115123125783e-17 is not > 0");
    for bad in [0.0, 2.0, -1.0, f64::NAN] {
        assert!(changed_mean(|m| m.learning_rate = bad).contains("learning_rate"));
    }
    for bad in [-0.1, 1.1, f64::NAN] {
        assert!(changed_mean(|m| m.poison_rate = bad).contains("poison_rate"));
    }
    for bad in [-0.1, f64::NAN, f64::INFINITY] {
        assert!(changed_mean(|m| m.squared_radius = bad).contains("squared_radius"));
        assert!(changed_mean(|m| m.noise_trace = bad).contains("noise_trace"));
        assert!(changed_mean(|m| m.covariance_trace = Some(bad)).contains("covariance_trace"));
    }
}

#[test]
fn conditions_of_convexity() {
    refused!(convexity(), Convexity { alpha } * alpha = 0.0, "alpha = 0.0 is not > 0");
    refused!(convexity(), Convexity { alpha } * alpha = 0.5, "κ = -0.05");
    refused!(convexity(), Convexity { alpha } * alpha = f64::NAN, "alpha = NaN is not finite");
    refused!(convexity(), Convexity { tau } * tau = 0.0, "tau = 0.0 is not > 0");
    refused!(convexity(), Convexity { tau } * tau = 1e-3, "2τa");
    refused!(convexity(), Convexity { nu } * nu = -1e-300, "nu = ");
    refused!(convexity(), Convexity { u } u[3] = 1.2, "loss: u[3] = 1.2 is not in [0, 1]");
    refused!(convexity(), Convexity { u } u[0] = -1e-300, "u[0]");
    refused!(convexity(), Convexity { u } u[2] = f64::NAN, "u[2] = NaN is not finite");
    refused!(convexity(), Convexity { beta } beta[1] = f64::INFINITY, "beta[1]");
}

#[test]
fn wrong_lengths() {
    let mut witness = convexity();
    let Witness::Convexity { u, .. } = &mut witness else { unreachable!() };
    u.pop();
    let failure = exact_bound(&hinge(), &witness, &rows()).unwrap_err();
    assert_eq!(failure.to_string(), "loss: u: expected 5, found 4");
    let mut witness = convexity();
    let Witness::Convexity { beta, .. } = &mut witness else { unreachable!() };
    beta.push(0.0);
    let failure = exact_bound(&hinge(), &witness, &rows()).unwrap_err();
    assert_eq!(failure.to_string(), "loss: beta: expected 2, found 3");
}

#[test]
fn conditions_of_bounded_range() {
    refused!(bounded_range(), BoundedRange { mu } * mu = -1e-9, "mu = ");
    refused!(bounded_range(), BoundedRange { ball } * ball = 9.0, "ϱσ − R");
    refused!(bounded_range(), BoundedRange { ball } * ball = -10.5, "ϱσ − R");
    refused!(bounded_range(), BoundedRange { reach } reach[1] = 9.0, "reach[1]² − ϱ²‖z[1]‖²");
    refused!(bounded_range(), BoundedRange { reach } reach[1] = -10.0, "reach[1] = -10.0 is not ≥ 0");
    refused!(bounded_range(), BoundedRange { y } y[1] = f64::NAN, "y[1]");
    refused!(bounded_range(), BoundedRange { alpha } * alpha = -0.5, "alpha");
    // Rows longer than the ball's edge.
    let Learner::Hinge(mut parameters) = hinge() else { unreachable!() };
    parameters.radius = 0.0;
    parameters.regularization = 0.05;
    let text = complaint(&Learner::Hinge(parameters), &bounded_range(), &rows());
    assert!(text.contains("(ϱσ)² − ‖z[0]‖²") || text.contains("(ϱσ)² − ‖z["), "{text}");
}

/// Changes the numbers of the paper's witness and returns the complaint.
fn changed_paper(change: impl FnOnce(&mut PaperWitness)) -> String {
    let mut numbers = paper_numbers();
    change(&mut numbers);
    complaint(&hinge(), &Witness::Paper(Box::new(numbers)), &rows())
}

#[test]
fn conditions_of_the_paper() {
    type Change = fn(&mut PaperWitness);
    let changes: [(Change, &str); 24] = [
        (|w| w.nu8 = -1e-300, "nu8 = "),
        (|w| w.nu9 = -0.5, "nu9 = -0.5 is not ≥ 0"),
        (|w| w.nu10 = -1.0, "nu10 = -1.0 is not ≥ 0"),
        (|w| w.nu10 = f64::NAN, "nu10 = NaN is not finite"),
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
        let complaint = changed_paper(change);
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
        assert_eq!(changed_paper(change), words);
    }
    // What is at the edge is accepted: the smallest ball, and eigenvalues between the ends by a hair.
    let Witness::Paper(mut edge) = paper() else { unreachable!() };
    edge.a = vec![0.6, 0.0, 0.7];
    (edge.low, edge.high) = (0.6_f64.next_down(), 0.7_f64.next_up());
    exact_bound(&hinge(), &Witness::Paper(edge.clone()), &rows()).unwrap();
    edge.low = 0.6;
    assert!(complaint(&hinge(), &Witness::Paper(edge), &rows()).contains("low = 0.6"));
    // Rows longer than the ball's edge.
    let Learner::Hinge(parameters) = hinge() else { unreachable!() };
    let slow = Learner::Hinge(Hinge { radius: 0.0, regularization: 0.05, ..parameters });
    assert!(complaint(&slow, &paper(), &rows()).contains("(ϱσ)² − ‖z[0]‖²"));
}

/// Every point near D⁻¹g gives a bound, and none a smaller one than D⁻¹g itself.
#[test]
fn the_papers_point_may_be_anything() {
    let value = |theta: [f64; 2], point: [f64; 2]| {
        let numbers = PaperWitness { theta: theta.to_vec(), point: point.to_vec(), ..paper_numbers() };
        let witness = Witness::Paper(Box::new(numbers));
        let bound = exact_bound(&hinge(), &witness, &rows()).unwrap();
        let exact = truth::value(&hinge(), &witness, &rows()).unwrap();
        assert!(truth::q(bound) >= exact && truth::q(bound.next_down()) < exact);
        bound
    };
    let mut random = Random(3);
    let mut draw = || (random.below(2001) as f64 - 1000.0) / 500.0;
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

#[test]
fn conditions_of_zero_one() {
    refused!(zero_one(), ZeroOne { u } u[1] = 1.5, "error: u[1] = 1.5");
    refused!(zero_one(), ZeroOne { u2 } u2[4] = -0.5, "error: u2[4] = -0.5");
    refused!(zero_one(), ZeroOne { c } c[0] = 1.0_f64.next_up(), "error: c[0]");
    refused!(zero_one(), ZeroOne { c } c[4] = 0.0, "κ0 − 1 + c[4]");
    refused!(zero_one(), ZeroOne { tau } * tau = 1e-6, "2τa");
}

#[test]
fn conditions_of_the_closed_form() {
    let refuse = |alpha, nu| complaint(&mean(Some(2.0)), &Witness::ClosedForm { alpha, nu }, &no_rows());
    assert!(refuse(-1.0, 1.0).contains("alpha"));
    assert!(refuse(86.75, -1.0).contains("nu"));
    assert!(refuse(50.0, 1.0).contains("P = "));
    assert!(refuse(86.75, 1e-4).contains("Q = "));
    assert!(refuse(86.75, 0.02).contains("P·Q"));
    assert!(complaint(&mean(None), &closed_form(), &no_rows()).contains("number of rows"));
    assert!(complaint(&mean(Some(1.0)), &closed_form(), &rows()).contains("covariance_trace"));
}

#[test]
fn methods_and_learners_do_not_mix() {
    for witness in [convexity(), bounded_range(), zero_one(), paper()] {
        assert!(complaint(&mean(None), &witness, &rows()).contains("proves no such claim for the mean"));
    }
    assert!(complaint(&hinge(), &closed_form(), &rows()).contains("proves no such claim for the hinge"));
    let mut mixed = certificate(hinge(), convexity(), Some(zero_one()), &rows());
    std::mem::swap(&mut mixed.loss, mixed.error.as_mut().unwrap());
    let failure = check(&mixed, &rows()).unwrap_err();
    assert!(matches!(failure.reason, Reason::Method { method: "zero-one", .. }));
}

#[test]
fn bad_data() {
    let refuse = |rows: &Rows| exact_bound(&hinge(), &convexity(), rows).unwrap_err();
    let mut z = Z;
    z[4] = f64::NAN;
    assert_eq!(refuse(&Rows { z: &z, ..rows() }).to_string(), "data: z[4] = NaN is not finite");
    for z in [&Z[..9], &[]] {
        assert_ne!(refuse(&Rows { z, ..rows() }).part, Part::Loss);
    }
    assert_eq!(refuse(&Rows { dimension: 0, ..rows() }).part, Part::Data);
    for weights in [
        &[0.0; 5][..],
        &[1.0; 4],
        &[1.0; 6],
        &[1.0, 1.0, -1.0, 1.0, 1.0],
        &[f64::INFINITY; 5],
        &[f64::NAN; 5],
    ] {
        assert_eq!(refuse(&Rows { weights: Some(weights), ..rows() }).part, Part::Data);
    }
}

#[test]
fn other_data_than_certified() {
    let original = certificate(hinge(), convexity(), None, &rows());
    let refuse = |rows: &Rows| check(&original, rows).unwrap_err();
    assert!(matches!(refuse(&weighted_rows()).reason, Reason::Digest { .. }));
    let ones = [1.0; 5];
    assert!(matches!(refuse(&Rows { weights: Some(&ones), ..rows() }).reason, Reason::Digest { .. }));
    assert!(matches!(refuse(&Rows { z: &Z[..8], ..rows() }).reason, Reason::Length { .. }));
    assert!(matches!(refuse(&Rows { dimension: 5, ..rows() }).reason, Reason::Length { .. }));
    let mut z = Z;
    z[9] = z[9].next_up();
    assert!(matches!(refuse(&Rows { z: &z, ..rows() }).reason, Reason::Digest { .. }));
}

#[test]
fn a_bound_that_is_too_low() {
    let mut low = certificate(hinge(), convexity(), None, &rows());
    let proven = low.loss.bound;
    low.loss.bound = proven - 1e-3;
    let failure = check(&low, &rows()).unwrap_err();
    let Failure { part: Part::Loss, reason: Reason::BoundTooLow { bound, value, excess } } = failure else {
        panic!("{failure}")
    };
    assert_eq!((bound, value), (proven - 1e-3, proven));
    assert!((excess - 1e-3).abs() < 1e-12);
    for bad in [f64::NAN, f64::INFINITY] {
        low.loss.bound = bad;
        assert!(check(&low, &rows()).is_err());
    }
}

#[test]
fn horizons() {
    let horizon = |witness: &Witness, steps, start: &[f64]| {
        exact_horizon(&hinge(), witness, &rows(), steps, start, 0.0)
    };
    let bound = exact_bound(&hinge(), &convexity(), &rows()).unwrap();
    assert!(horizon(&convexity(), 1, &[0.0, 0.0]).unwrap() > bound);
    assert!(horizon(&convexity(), u64::MAX, &[100.0, 0.0]).unwrap() >= bound);
    assert!(horizon(&convexity(), 0, &[0.0, 0.0]).is_err());
    assert!(horizon(&convexity(), 1, &[0.0]).is_err());
    assert!(horizon(&convexity(), 1, &[0.0, f64::NAN]).is_err());
    assert!(horizon(&bounded_range(), 1, &[10.5, 0.0]).is_ok());
    let outside = horizon(&bounded_range(), 1, &[10.5, 1e-200]).unwrap_err();
    assert_eq!(outside.part, Part::Horizon);
    assert!(horizon(&zero_one(), 1, &[0.0, 0.0]).is_err());
    assert!(exact_horizon(&mean(None), &closed_form(), &rows(), 1, &[0.0, 0.0], 0.0).is_err());
    let witness = convexity();
    let learner = hinge();
    let proven = prove(&learner, &witness, &rows()).unwrap();
    assert_eq!(proven.bound(), Ok(bound));
    assert_eq!(proven.horizon(7, &[1.0, 2.0], 0.0), horizon(&witness, 7, &[1.0, 2.0]));
}

#[test]
fn horizons_in_the_ball() {
    let learner = hinge();
    let Learner::Hinge(parameters) = &learner else { unreachable!() };
    for (witness, best) in [(bounded_range(), 0.0), (flat(), 0.0568)] {
        let proven = prove(&learner, &witness, &rows()).unwrap();
        let value = truth::value(&learner, &witness, &rows()).unwrap();
        for start in [[0.0, 0.0], [0.5, -0.25], [-10.5, 0.0], [10.0, 2.0]] {
            let with = |m: f64| proven.horizon(10, &start, m).unwrap();
            for m in [0.0, 1e-300, 0.03, best, 0.0625, 1.0, 1e9] {
                let extra = truth::transient(parameters, &witness, 10, &start, m).unwrap();
                let (exact, bound) = (&value + extra, with(m));
                assert!(truth::q(bound) >= exact && truth::q(bound.next_down()) < exact);
                assert!(bound >= with(best) * (1.0 - 1e-6) && bound > proven.bound().unwrap(), "{m}");
            }
        }
        for bad in [-1e-300, -1.0, f64::NAN, f64::INFINITY] {
            let complaint = proven.horizon(10, &[0.0, 0.0], bad).unwrap_err().to_string();
            assert_eq!(complaint, format!("horizon: horizon.m = {bad:?} is not ≥ 0"));
        }
    }
    // Without a ball nothing but 0 will do.
    let witness = convexity();
    let proven = prove(&learner, &witness, &rows()).unwrap();
    assert_eq!(proven.horizon(10, &[0.0, 0.0], -0.0), proven.horizon(10, &[0.0, 0.0], 0.0));
    for bad in [1e-300, 1.0, -1.0, f64::NAN] {
        let failure = proven.horizon(10, &[0.0, 0.0], bad).unwrap_err();
        assert!(failure.part == Part::Horizon && failure.to_string().contains("horizon.m"));
    }
}

#[test]
fn values_beyond_the_range_of_doubles() {
    let mut witness = convexity();
    let Witness::Convexity { beta, .. } = &mut witness else { unreachable!() };
    beta[0] = f64::MAX;
    let failure = exact_bound(&hinge(), &witness, &rows()).unwrap_err();
    assert_eq!(failure.reason, Reason::TooLarge);
    // Every number at the end of its range: slow numbers, but no surprise.
    let extreme = [f64::MAX, f64::MIN_POSITIVE, f64::from_bits(1), -f64::MAX];
    for z in extreme {
        for x in extreme {
            let z = [z; 10];
            let rows = Rows { z: &z, ..weighted_rows() };
            let (beta, y, reach) = (vec![x; 2], vec![x; 5], vec![f64::MAX; 5]);
            let (alpha, tau, nu) = (0.6, x.abs(), 0.0);
            let wide = Witness::BoundedRange { alpha, beta, tau, nu, mu: 1e300, ball: 1e300, reach, y };
            let exact = truth::value(&hinge(), &wide, &rows);
            let bound = exact_bound(&hinge(), &wide, &rows);
            assert!(exact.is_some() || bound.is_err());
            assert!(bound.is_err() || truth::q(bound.unwrap()) >= exact.unwrap());
        }
    }
}

#[test]
fn many_rows_in_several_threads_give_the_exact_value() {
    let mut random = Random(99);
    let mut draw =
        |count: usize| -> Vec<f64> { (0..count).map(|_| random.below(1025) as f64 / 1024.0).collect() };
    let (n, d) = (1 << 14, 12);
    let z: Vec<f64> = draw(n * d).iter().map(|x| (x - 0.5) / 4.0).collect();
    let weights = draw(n);
    let rows = Rows { z: &z, dimension: d, weights: Some(&weights) };
    let beta = draw(d);
    let witness =
        Witness::ZeroOne { alpha: 0.5, beta, tau: 1.5, nu: 0.0, u: draw(n), u2: draw(n), c: vec![0.75; n] };
    let exact = truth::value(&hinge(), &witness, &rows).unwrap();
    let bound = exact_bound(&hinge(), &witness, &rows).unwrap();
    assert!(truth::q(bound) >= exact && truth::q(bound.next_down()) < exact);
    // The first bad row is named, whichever thread finds it.
    let Witness::ZeroOne { alpha, beta, tau, nu, mut u, u2, c } = witness else { unreachable!() };
    (u[77], u[n - 1]) = (2.0, 3.0);
    let witness = Witness::ZeroOne { alpha, beta, tau, nu, u, u2, c };
    let failure = exact_bound(&hinge(), &witness, &rows).unwrap_err();
    assert_eq!(failure.to_string(), "error: u[77] = 2.0 is not in [0, 1]");
}

#[test]
fn digests() {
    // python: hashlib.sha256(np.array([0, 2], "<u8").tobytes()).hexdigest()
    let empty = "c571327cb01ac1de6972713cbf6cc1fc3c2cab8b581ee0bc3fe6d8b56963fd5b";
    assert_eq!(no_rows().digest(), empty);
    let rows = Rows { z: &[0.5, -0.0, 1.0, -2.25], dimension: 2, weights: None };
    assert_eq!(rows.digest(), "313f8f2b0295f0514ea5001aaa9d756cd1778fd945f9a099d02e89d3a1c35dc8");
    let weighted = Rows { weights: Some(&[0.25, 3.0]), ..rows };
    assert_eq!(weighted.digest(), "8d4a34a5036c2b7a2ae098e481009102d94d02bce2ec1c0494da74b78faab7c0");
}
