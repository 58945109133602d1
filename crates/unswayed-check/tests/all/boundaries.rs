//! Every condition, from both sides: the last number that is accepted, and the next one, which is refused by name.

use std::boxed::Box;

use unswayed_check::Feature::{self, *};
use unswayed_check::{
    Certificate, Deviation, Evidence, Failure, Horizon, Labels, Loss, MeanBenign, MeanCertificate,
    NewDataClaim, Origin, PaperProof, Proof, RowBound, Rows, Schedule, Set, Target, check_mean, prove,
    prove_new_data,
};

use crate::common::fixtures::{self, by_paper, hinge, mean, paper, saddle};
use crate::common::generic::{
    ALPHA, BALL, CLIP, EPS, ETA, K, NU, PROJECTION, SIGMA, TARGET, Z, add_shells, cut_shell, generic,
    generic_error,
};
use crate::common::{Problem, dot, plain};

pub type Check = Box<dyn Fn(f64) -> Result<f64, Failure>>;

/// A condition on one number: accepted for `inside`, refused for `outside`, and the edge is near `at`.
pub struct Edge {
    words: String,
    inside: f64,
    outside: f64,
    at: f64,
    check: Check,
}

/// Whole numbers in the order of the binary64 numbers, and back.
fn order(x: f64) -> i64 {
    turned(x.to_bits().cast_signed())
}

fn turned(key: i64) -> i64 {
    key ^ ((key >> 63).cast_unsigned() >> 1).cast_signed()
}

impl Edge {
    /// Finds the neighbours between which the condition fails.
    fn test(&self) {
        let Edge { words, inside, outside, at, check } = self;
        let (mut good, mut bad) = (order(*inside), order(*outside));
        let number = |key: i64| f64::from_bits(turned(key).cast_unsigned());
        check(*inside).unwrap_or_else(|failure| panic!("{words}: {inside} is refused: {failure}"));
        while good.abs_diff(bad) > 1 {
            let middle = good.midpoint(bad);
            if check(number(middle)).is_ok() { good = middle } else { bad = middle }
        }
        let (good, bad) = (number(good), number(bad));
        let complaint = check(bad).expect_err(words).to_string();
        assert!(complaint.contains(words.as_str()), "{words}: {bad:?} is refused otherwise: {complaint}");
        assert!((good - at).abs() <= 1e-12 * (1.0 + at.abs()), "{words}: {good:?} is accepted, not {at:?}");
    }
}

pub fn edge(words: impl Into<String>, inside: f64, outside: f64, at: f64, check: Check) -> Edge {
    Edge { words: words.into(), inside, outside, at, check }
}

pub fn test_all(edges: Vec<Edge>, least: usize) {
    assert!(edges.len() >= least, "{} edges", edges.len());
    edges.iter().for_each(Edge::test);
}

/// The bound of the generic problem with these features after a change.
fn on(features: &'static [Feature], change: impl Fn(&mut Problem, f64) + 'static) -> Check {
    Box::new(move |x| {
        let mut problem = generic(features);
        change(&mut problem, x);
        problem.bound()
    })
}

/// The same for the error.
fn on_error(features: &'static [Feature], change: impl Fn(&mut Problem, f64) + 'static) -> Check {
    Box::new(move |x| {
        let mut problem = generic_error(features);
        change(&mut problem, x);
        problem.bound()
    })
}

fn norm(z: &[f64]) -> f64 {
    dot(z, z).sqrt()
}

const K_STEP: f64 = 1.0 - ETA * SIGMA;
const TWO_AK: f64 = 2.0 * ALPHA * K_STEP;
const KAPPA0: f64 = TWO_AK * (1.0 - EPS);
/// ασ(2−ησ)
const BASE: f64 = ALPHA * SIGMA * (2.0 - ETA * SIGMA);
const CHI: f64 = TWO_AK - NU;
/// The least α of most rows.
const LEAST_ALPHA: f64 = 1.0 / (2.0 * K_STEP * (1.0 - EPS));

#[test]
fn numbers_of_the_statement() {
    let edges = vec![
        edge(
            "learning_rate = 0.0",
            0.01,
            -0.01,
            0.0,
            on(&[Hinge, Ball], |p, x| p.statement.learner.learning_rate = x),
        ),
        edge(
            "regularization = -5e-324",
            0.0,
            -1.0,
            0.0,
            on(&[Hinge, Ball, Projection, NoRegularization], |p, x| {
                p.statement.learner.regularization = x;
            }),
        ),
        edge(
            "1 − learning_rate·regularization",
            0.01,
            20.0,
            10.0,
            on_error(&[Hinge, Ball], |p, x| {
                p.statement.learner.learning_rate = x;
            }),
        ),
        edge(
            "poison_rate = -5e-324",
            0.05,
            -1.0,
            0.0,
            on(&[Hinge, Ball], |p, x| p.statement.threat.poison_rate = x),
        ),
        edge(
            "poison_rate = 1.0",
            0.05,
            2.0,
            1.0,
            on_error(&[Hinge, Ball], |p, x| p.statement.threat.poison_rate = x),
        ),
        edge(
            "projection = 0.0",
            12.0,
            -1.0,
            0.0,
            on(&[Hinge, Ball, Projection], |p, x| {
                p.proof.beta = vec![0.0; 2];
                p.statement.learner.projection = Some(x);
            }),
        ),
        edge(
            "clip = 0.0",
            0.5,
            -1.0,
            0.0,
            on(&[Hinge, AnyPoint, Clip], |p, x| {
                p.data[0].fill(0.0);
                p.proof.lines[0].low.fill(1.0);
                p.statement.learner.clip = Some(x);
            }),
        ),
        edge(
            "set.radius = -0.0",
            1.0,
            -1.0,
            0.0,
            on(&[Hinge, Ball], |p, x| p.statement.threat.set = Set::Ball { radius: x }),
        ),
        edge(
            "set.radii[1] = -0.0",
            0.5,
            -1.0,
            0.0,
            on(&[Hinge, Feature::Box], |p, x| {
                p.statement.threat.set = Set::Box { radii: vec![1.0, x] };
            }),
        ),
        edge(
            "target.weights[1] = -5e-324",
            0.5,
            -1.0,
            0.0,
            on(&[Hinge, Ball, TargetWeights], |p, x| {
                p.statement.target = Target::Weights(vec![vec![1.0, x, 0.25, 1.0]]);
            }),
        ),
        edge(
            "weight[1] = -5e-324",
            2.0,
            -1.0,
            0.0,
            on(&[Hinge, Ball, RowWeights], |p, x| {
                p.weights = vec![Some(vec![1.0, x, 0.5, 1.0])];
            }),
        ),
    ];
    test_all(edges, 11);
}

#[test]
fn numbers_of_lambda_points_and_cases() {
    let q = |x: f64| Set::Ellipsoid { q: vec![1.0, x, 1.0] };
    let edges = vec![
        edge(
            "alpha = 0.0",
            8.0,
            -1.0,
            0.0,
            on_error(&[Hinge, Ball], |p, x| {
                // Without any slope nothing is divided by the small curvature.
                (p.proof.cases.nu, p.proof.beta) = (vec![0.0], vec![0.0; 2]);
                (p.proof.lines[0].u, p.proof.lines[0].u2) = (vec![0.0; 4], vec![0.0; 4]);
                p.proof.alpha = x;
            }),
        ),
        edge(
            "tau[0] = 0.0",
            100.0,
            -1.0,
            0.0,
            on(&[Hinge, Ball], |p, x| {
                p.statement.threat.poison_rate = 0.0;
                p.proof.cases.tau = vec![x];
            }),
        ),
        edge("nu[0] = -5e-324", 0.125, -1.0, 0.0, on(&[Hinge, Ball], |p, x| p.proof.cases.nu = vec![x])),
        edge(
            "outer[0] = -5e-324",
            5.0,
            -1.0,
            0.0,
            on(&[Hinge, Ball, TargetRows], |p, x| p.proof.cases.outer = vec![x]),
        ),
        edge(
            "inner[0] = -5e-324",
            0.5,
            -1.0,
            0.0,
            on(&[Hinge, Ball, TargetRows], |p, x| p.proof.cases.inner = vec![x]),
        ),
        edge(
            "4α²ϱ² − ‖β‖²",
            12.0,
            1e-9,
            norm(&[0.5, 0.25]) / (2.0 * ALPHA),
            on(&[Hinge, Ball, Projection], |p, x| {
                p.statement.learner.projection = Some(x);
            }),
        ),
        edge(
            "positive definite",
            0.25,
            5.0,
            1.0,
            on(&[Hinge, Ellipsoid], move |p, x| {
                p.proof.omega = Some(3.0);
                p.statement.threat.set = q(x);
            }),
        ),
        edge(
            "omega = 1.5",
            2.0,
            0.0,
            1.5,
            on(&[Hinge, Ellipsoid], move |p, x| {
                p.statement.threat.set = q(0.5);
                p.proof.omega = Some(x);
            }),
        ),
        edge("share[0] = -5e-324", 0.5, -1.0, 0.0, on(&[Hinge, Points], |p, x| p.proof.cases.share[0] = x)),
        edge(
            "share[1] = 1.0000000000000002",
            0.5,
            2.0,
            1.0,
            on(&[Logistic, Points], |p, x| p.proof.cases.share[1] = x),
        ),
        edge(
            "w[1] = 0.0",
            0.4,
            -1.0,
            0.0,
            on(&[Logistic, Points], |p, x| {
                (p.proof.cases.share[1], p.proof.cases.w[1]) = (0.0, x);
            }),
        ),
        edge(
            "w[1] = 1.0",
            0.4,
            2.0,
            1.0,
            on(&[Logistic, Points], |p, x| {
                (p.proof.cases.share[1], p.proof.cases.w[1]) = (1.0, x);
            }),
        ),
        edge(
            "4k − η‖z[1]‖²",
            0.4,
            40.0,
            (4.0 * K_STEP / ETA).sqrt(),
            on(&[Logistic, Points], |p, x| {
                p.statement.threat.set = Set::Points { points: vec![0.5, -0.25, x, 0.0] };
            }),
        ),
        // A ≻ 0, for every shape of A.
        edge(
            "A = ",
            100.0,
            1e-9,
            EPS * CHI * CHI / (2.0 * BASE),
            on(&[Hinge, Ball], |p, x| p.proof.cases.tau = vec![x]),
        ),
        edge(
            "A = ",
            100.0,
            1e-9,
            EPS * CLIP * CHI * CHI / (2.0 * BASE),
            on(&[Hinge, AnyPoint, Clip], |p, x| {
                p.proof.cases.tau = vec![x];
            }),
        ),
        edge(
            "A[1] = ",
            100.0,
            1e-9,
            EPS * 0.5 * CHI * CHI / (2.0 * BASE),
            on(&[Hinge, Feature::Box], |p, x| {
                p.proof.cases.tau[1] = x;
            }),
        ),
        edge(
            "εχ²ω/(2τ)",
            100.0,
            1e-9,
            EPS * 1.5 * CHI * CHI / (2.0 * BASE),
            on(&[Hinge, Ellipsoid], |p, x| {
                p.proof.cases.tau = vec![x];
            }),
        ),
        edge(
            "A = ",
            100.0,
            1e-9,
            EPS * CHI * CHI / (2.0 * BASE),
            on(&[Multiclass, Ball], |p, x| p.proof.cases.tau = vec![x]),
        ),
        edge(
            "a₁ = ",
            100.0,
            1e-9,
            EPS * (K * (K - 1)) as f64 * CHI * CHI / (2.0 * BASE),
            on(&[Multiclass, Ball], |p, x| {
                by_class(p);
                p.proof.cases.tau[1] = x;
            }),
        ),
        edge(
            "A = ",
            0.0,
            10.0,
            BASE + 5.0,
            on(&[Hinge, LabelFlips], |p, x| {
                add_shells(p);
                p.proof.cases.inner = vec![x];
            }),
        ),
        edge(
            "A = ",
            0.0,
            10.0,
            BASE + 5.0,
            on(&[Logistic, Points], |p, x| {
                add_shells(p);
                p.proof.cases.inner[1] = x;
            }),
        ),
    ];
    test_all(edges, 21);
}

/// A case for each class.
fn by_class(p: &mut Problem) {
    p.proof.by_class = true;
    p.proof.cases.lines = vec![0; K];
    (p.proof.cases.tau, p.proof.cases.nu) = (vec![100.0; K], vec![NU; K]);
}

#[test]
fn numbers_of_shells_and_balls() {
    const PLAIN: &[Feature] = &[Hinge, Ball, TargetRows];
    fn shells(p: &mut Problem) -> &mut unswayed_check::Shells {
        p.proof.shells.as_mut().expect("shells")
    }
    let edge_of_ball = BALL * SIGMA;
    let mut edges = vec![
        edge(
            "shell.ball = 0.0",
            BALL,
            -1.0,
            0.0,
            on(PLAIN, |p, x| {
                p.statement.threat.set = Set::Ball { radius: 0.0 };
                p.data[0].fill(0.0);
                shells(p).ball = x;
            }),
        ),
        edge("shell.radii[0] = 0.0", 7.0, -1.0, 0.0, on(PLAIN, cut_shell)),
        edge("shell.radii[1] = 15.0", 7.0, 20.0, BALL, on(PLAIN, cut_shell)),
        edge("r − ϱ for the last shell", BALL, 20.0, BALL, on(PLAIN, |p, x| shells(p).ball = x)),
        edge(
            "(r − ϱ)² − ‖o‖² for the last shell",
            12.0,
            14.9,
            BALL - 2.0,
            on(PLAIN, |p, x| {
                shells(p).centre = vec![1.2, 1.6];
                shells(p).ball = x;
            }),
        ),
        edge(
            "ϱ − step.projection",
            PROJECTION,
            1.0,
            PROJECTION,
            on(&[Hinge, Ball, TargetRows, Projection], |p, x| {
                shells(p).ball = x;
            }),
        ),
        edge(
            "(ϱσ)² − ‖z‖² on the set",
            1.0,
            3.0,
            edge_of_ball,
            on(PLAIN, |p, x| {
                p.statement.threat.set = Set::Ball { radius: x };
            }),
        ),
        edge(
            "(ϱσ)² − ‖z‖² on the set",
            1.0,
            3.0,
            2.0_f64.sqrt(),
            on(&[Hinge, Feature::Box, TargetRows], |p, x| {
                p.statement.threat.set = Set::Box { radii: vec![x, 0.5] };
            }),
        ),
        edge(
            "(ϱσ)² − ‖z‖² on the set",
            1.5,
            3.0,
            2.25,
            on(&[Hinge, Ellipsoid, TargetRows], |p, x| p.proof.omega = Some(x)),
        ),
        edge(
            "(ϱσ)² − ‖z‖² on the set",
            1.0,
            3.0,
            1.25_f64.sqrt(),
            on(&[Hinge, Points, TargetRows], |p, x| {
                p.statement.threat.set = Set::Points { points: vec![0.5, -0.25, 1.0, x] };
            }),
        ),
        edge(
            "(ϱσ)² − ‖z‖² on the set",
            CLIP,
            3.0,
            edge_of_ball,
            on(&[Hinge, AnyPoint, Clip], |p, x| {
                add_shells(p);
                p.statement.learner.clip = Some(x);
            }),
        ),
        edge(
            "(ϱσ)² − ‖z[1]‖²",
            0.5,
            3.0,
            edge_of_ball,
            on(PLAIN, |p, x| {
                (p.data[0][2], p.data[0][3], p.proof.lines[0].reach[1]) = (x, 0.0, 1e3);
            }),
        ),
        edge(
            "(ϱσ)² − ‖z[1]‖²",
            0.5,
            3.0,
            edge_of_ball,
            on(&[Logistic, LabelFlips], |p, x| {
                add_shells(p);
                (p.data[0][2], p.data[0][3]) = (x, 0.0);
            }),
        ),
        // A row beyond the ball's edge, shortened by the clip.
        edge(
            "(ϱσ)² − ‖z[1]‖²",
            1.0,
            2.0,
            edge_of_ball,
            on(&[Hinge, Ball, Clip], |p, x| {
                add_shells(p);
                p.statement.threat.set = Set::Ball { radius: 0.1 };
                (p.data[0][2], p.data[0][3]) = (3.0, 0.0);
                p.proof.lines[0].low.fill(0.2);
                p.statement.learner.clip = Some(x);
            }),
        ),
    ];
    // The smallest shell is the first, the largest the last: lines reach as far as their own.
    for (shell, radius) in [(0, 7.0), (1, BALL)] {
        let at = radius * norm(&Z[2..4]);
        edges.push(edge(
            "reach² − r²‖z[1]‖²",
            1e3,
            0.0,
            at,
            on(PLAIN, move |p, x| {
                cut_shell(p, 7.0);
                p.proof.lines[shell].reach[1] = x;
            }),
        ));
    }
    test_all(edges, 16);
}

/// The generic problem of a rounded hinge, with this loss.
fn on_loss(features: &'static [Feature], loss: Loss, change: impl Fn(&mut Problem, f64) + 'static) -> Check {
    on(features, move |p, x| {
        p.statement.learner.loss = loss;
        change(p, x);
    })
}

#[test]
fn numbers_of_losses_and_schedules() {
    const ROUNDED: &[Feature] = &[SmoothMargin, Ball];
    let width = |p: &mut Problem, x: f64| p.statement.learner.loss = Loss::SmoothHinge(x);
    let share = |p: &mut Problem, x: f64| p.proof.cases.share[1] = x;
    let u = |p: &mut Problem, x: f64| p.proof.lines[0].u[2] = x;
    let slowdown = |p: &mut Problem, slowdown: f64| {
        p.statement.learner.schedule = Some(Schedule { slowdown, from_step: None, weighted: false })
    };
    let mut edges = vec![
        edge("the width of the kink = 0.0", 0.5, -1.0, 0.0, on(ROUNDED, width)),
        edge("schedule.slowdown = -5e-324", 0.01, -1.0, 0.0, on(&[Hinge, Ball, Schedule], slowdown)),
        // Without a set A is α(σ(2−ησ) − δ).
        edge("A = ", 0.01, 1.0, BASE / ALPHA, on(&[Hinge, LabelFlips, Schedule], slowdown)),
    ];
    for (loss, high) in [(Loss::SmoothHinge(0.5), 1.0), (Loss::ModifiedHuber, 4.0)] {
        let beyond = f64::next_up(high);
        edges.push(edge("u[2] = -5e-324", 0.5, -1.0, 0.0, on_loss(ROUNDED, loss, u)));
        edges.push(edge(format!("u[2] = {beyond}"), 0.5, 9.0, high, on_loss(ROUNDED, loss, u)));
        let points: &[Feature] = &[SmoothMargin, Points];
        edges.push(edge("share[1] = -5e-324", 0.5, -1.0, 0.0, on_loss(points, loss, share)));
        edges.push(edge(format!("share[1] = {beyond}"), 0.5, 9.0, high, on_loss(points, loss, share)));
        // Steps are up to so many times as long as points.
        let in_ball = |p: &mut Problem, x: f64| {
            p.statement.threat.set = Set::Ball { radius: x };
            p.data[0].fill(0.125);
            add_shells(p);
        };
        let at = BALL * SIGMA / high;
        edges.push(edge("(ϱσ)² − ‖z‖² on the set", 0.1, 3.0, at, on_loss(ROUNDED, loss, in_ball)));
        let in_rows = |p: &mut Problem, x: f64| {
            p.statement.threat.set = Set::Ball { radius: 0.125 };
            p.data[0].fill(0.0);
            p.data[0][4] = x;
            add_shells(p);
        };
        edges.push(edge("(ϱσ)² − ‖z[2]‖²", 0.1, 3.0, at, on_loss(ROUNDED, loss, in_rows)));
    }
    test_all(edges, 15);
}

/// Steps are counted from 1.
#[test]
fn the_first_step_of_a_schedule() {
    let from = |from_step: u64| {
        let mut problem = generic(&[Hinge, Ball, Schedule]);
        let schedule =
            unswayed_check::Schedule { slowdown: SIGMA / 4.0, from_step: Some(from_step), weighted: false };
        problem.statement.learner.schedule = Some(schedule);
        problem.bound()
    };
    assert_eq!(from(1), generic(&[Hinge, Ball, Schedule]).bound());
    assert!(from(0).unwrap_err().to_string().contains("schedule.from_step = 0.0 is not ≥ 1"));
}

/// What the losses say of themselves: φ(0), which a mistake has at least, and the steepest slope.
#[test]
fn numbers_of_losses() {
    for (width, mistake) in [(0.5, 0.75), (1.0, 0.5), (1.5, 1.0 / 3.0), (2.0, 0.25)] {
        let error = Loss::SmoothHinge(width).error_within(0.25).expect("a loss of margins");
        let wanted = 0.25 / mistake;
        assert!((wanted..wanted * (1.0 + 1e-15)).contains(&error), "{width}: {error} {wanted}");
    }
    for (quantile, steepest) in [(0.25, 0.75), (0.75, 0.75), (0.5, 0.5)] {
        assert_eq!(Loss::Quantile(quantile).steepest(), steepest);
    }
    for (loss, words) in [
        (Loss::Hinge, "hinge loss, learning rate"),
        (Loss::Logistic, "logistic loss"),
        (Loss::SmoothHinge(0.5), "rounded over 0.5"),
        (Loss::Huber(2.0), "quadratic up to 2"),
    ] {
        let statement = plain(0.01, 0.1, 0.05, loss, Set::Ball { radius: 1.0 });
        let (name, text) = &statement.lines()[0];
        assert!(*name == "learner" && text.contains(words), "{text}");
    }
    assert!("smooth-hinge".parse::<Loss>().is_err() && "hinge".parse() == Ok(Loss::Hinge));
    assert_eq!("smooth-hinge=0.5".parse(), Ok(Loss::SmoothHinge(0.5)));
}

#[test]
fn numbers_of_regression_losses() {
    const BALLS: &[Feature] = &[Regression, Ball];
    let loss = |make: fn(f64) -> Loss| {
        on(BALLS, move |p, x| {
            p.statement.learner.loss = make(x);
            p.proof.lines[0].u.fill(0.0);
        })
    };
    let u = |p: &mut Problem, x: f64| p.proof.lines[0].u[2] = x;
    let nu = |p: &mut Problem, x: f64| p.proof.cases.nu[0] = x;
    let labels = |p: &mut Problem, x: f64| {
        p.statement.threat.label_bound = Some(x);
        p.proof.cases.nu.fill(0.0);
    };
    let mut edges = vec![
        edge("the width of the tube = -5e-324", 0.5, -1.0, 0.0, loss(Loss::EpsilonInsensitive)),
        edge("delta = 0.0 is", 0.5, -1.0, 0.0, loss(Loss::Huber)),
        edge("the quantile = 0.0 is", 0.5, -1.0, 0.0, loss(Loss::Quantile)),
        edge("the quantile = 1.0 is", 0.5, 2.0, 1.0, loss(Loss::Quantile)),
        edge("label_bound = -0.0", 1.0, -1.0, 0.0, on(BALLS, labels)),
        edge("label_bound = inf", 1.0, f64::INFINITY, f64::MAX, on(BALLS, labels)),
        // ws has no bound where labels have none.
        edge("nu[0] = 5e-324", 0.0, 1.0, 0.0, on(&[Regression, Ball, AnyLabel], nu)),
    ];
    for (loss, low, high) in [
        (Loss::Absolute, -1.0, 1.0),
        (Loss::EpsilonInsensitive(0.25), -1.0, 1.0),
        (Loss::Huber(2.0), -2.0, 2.0),
        (Loss::Quantile(0.75), -0.25, 0.75),
    ] {
        let (below, above) = (f64::next_down(low), f64::next_up(high));
        edges.push(edge(format!("u[2] = {below:?}"), 0.0, -9.0, low, on_loss(BALLS, loss, u)));
        edges.push(edge(format!("u[2] = {above:?}"), 0.0, 9.0, high, on_loss(BALLS, loss, u)));
        // Steps are as long as features times the steepest slope, whatever the labels are.
        let at = BALL * SIGMA / high.max(-low);
        let in_ball = |p: &mut Problem, x: f64| {
            p.statement.threat.set = Set::Ball { radius: x };
            p.data[0] = [1e3, 0.125, 0.125].repeat(4);
            p.proof.lines[0].u.fill(0.0);
            add_shells(p);
        };
        edges.push(edge("(ϱσ)² − ‖z‖² on the set", 0.1, 9.0, at, on_loss(BALLS, loss, in_ball)));
        let in_rows = |p: &mut Problem, x: f64| {
            p.statement.threat.set = Set::Ball { radius: 0.125 };
            p.data[0] = [1e3, 0.0, 0.0].repeat(4);
            p.data[0][7] = x;
            p.proof.lines[0].u.fill(0.0);
            add_shells(p);
        };
        edges.push(edge("(ϱσ)² − ‖z[2]‖²", 0.1, 9.0, at, on_loss(BALLS, loss, in_rows)));
    }
    test_all(edges, 23);
}

#[test]
fn labels_are_numbers_for_a_regression_loss_and_no_other() {
    let mut rows = generic(&[Regression, Ball]);
    rows.statement.data[0].labels = Labels::Premultiplied;
    assert!(rows.complaint().contains("numbers as labels of the rows"));
    let mut loss = generic(&[Hinge, Ball]);
    loss.statement.data[0].labels = Labels::Numbers;
    assert!(loss.complaint().contains("numbers as labels of the rows"));
    let mut bound = generic(&[Hinge, Ball]);
    bound.statement.threat.label_bound = Some(1.0);
    assert!(bound.complaint().contains("label_bound"));
}

/// The label of a row and those of the adversary move the bound.
#[test]
fn labels_count() {
    let bound = |change: fn(&mut Problem)| {
        let mut problem = generic(&[Regression, Ball]);
        problem.statement.learner.loss = Loss::Absolute;
        change(&mut problem);
        problem.bound().expect("a bound")
    };
    let plain = bound(|_| ());
    assert!(bound(|p| p.data[0][0] += 1.0) != plain);
    assert!(bound(|p| p.statement.threat.label_bound = Some(3.0)) > plain);
    // ε·ν·Y for the absolute loss.
    let more = bound(|p| p.statement.threat.label_bound = Some(3.0)) - plain;
    assert!((more - 2.0 * EPS * NU).abs() < 1e-12, "{more}");
}

#[test]
fn shares_of_rows() {
    let kinds: [(&'static [Feature], bool); 8] = [
        (&[Hinge, Ball], false),
        (&[Logistic, Ball], false),
        (&[Hinge, LabelFlips], false),
        (&[Logistic, LabelFlips], false),
        (&[Hinge, Ball], true),
        (&[Logistic, Ball], true),
        (&[Hinge, AnyPoint, Clip], false),
        (&[Logistic, AnyPoint, Clip], false),
    ];
    let mut edges = vec![];
    for (features, is_error) in kinds {
        let set = |p: &mut Problem, x: f64| p.proof.lines[0].u[2] = x;
        let check =
            |set: fn(&mut Problem, f64)| if is_error { on_error(features, set) } else { on(features, set) };
        edges.push(edge("u[2] = -5e-324", 0.5, -1.0, 0.0, check(set)));
        edges.push(edge("u[2] = 1.0000000000000002", 0.5, 2.0, 1.0, check(set)));
        if !is_error && !features.contains(&Clip) {
            edges.push(edge("κ0p[0] − t[0]", 8.0, 0.1, LEAST_ALPHA, on(features, |p, x| p.proof.alpha = x)));
        }
    }
    for features in [&[Hinge, Ball, TargetWeights], &[Logistic, Ball, TargetWeights]] {
        // Row 0 has the share 1/2.75 of the target and 1/4 of the data.
        let at = LEAST_ALPHA * 4.0 / 2.75;
        edges.push(edge("κ0p[0] − t[0]", 8.0, 0.1, at, on(features, |p, x| p.proof.alpha = x)));
    }
    let own = |set: fn(&mut Problem, f64)| on_error(&[Hinge, Ball], set);
    edges.push(edge("u2[1] = -5e-324", 0.25, -1.0, 0.0, own(|p, x| p.proof.lines[0].u2[1] = x)));
    edges.push(edge("u2[1] = 1.0000000000000002", 0.25, 2.0, 1.0, own(|p, x| p.proof.lines[0].u2[1] = x)));
    edges.push(edge("c[1] = -5e-324", 1.0, -1.0, 0.0, own(|p, x| p.proof.lines[0].c[1] = x)));
    edges.push(edge("c[1] = 1.0000000000000002", 1.0, 2.0, 1.0, own(|p, x| p.proof.lines[0].c[1] = x)));
    edges.push(edge(
        "κ0 − 1 + c[1]",
        1.0,
        0.0,
        1.0 - KAPPA0 * 0.3 / ALPHA,
        own(|p, x| {
            p.proof.alpha = 0.3;
            p.proof.lines[0].c[1] = x;
        }),
    ));
    test_all(edges, 27);
}

#[test]
fn intervals_clips_and_logarithms() {
    let mut edges = vec![
        edge(
            "reach of z[1] = -5e-324",
            1.0,
            -1.0,
            0.0,
            on(&[Hinge, Ball, TargetRows], |p, x| {
                p.data[0][2..4].fill(0.0);
                p.proof.lines[0].reach[1] = x;
            }),
        ),
        edge(
            "reach of target[1] = -5e-324",
            1.0,
            -1.0,
            0.0,
            on(&[Hinge, Ball, TargetRows], |p, x| {
                p.target.as_mut().expect("a target")[2..4].fill(0.0);
                p.proof.lines[0].target_reach[1] = x;
            }),
        ),
        edge(
            "reach² − r²‖target[1]‖²",
            1e3,
            0.0,
            BALL * norm(&TARGET[2..4]),
            on(&[Hinge, Ball, TargetRows], |p, x| {
                p.proof.lines[0].target_reach[1] = x;
            }),
        ),
        edge(
            "high[1]²‖z[1]‖² − G²",
            1.0,
            0.01,
            CLIP / norm(&Z[2..4]),
            on(&[Hinge, AnyPoint, Clip], |p, x| {
                p.proof.lines[0].high[1] = x;
            }),
        ),
        // Short rows are not clipped: then `high` must be at least 1.
        edge(
            "high[1]²‖z[1]‖² − G²",
            2.0,
            0.01,
            1.0,
            on(&[Hinge, AnyPoint, Clip], |p, x| {
                p.statement.learner.clip = Some(5.0);
                p.proof.lines[0].high[1] = x;
            }),
        ),
    ];
    for features in [&[Hinge, AnyPoint, Clip], &[Logistic, AnyPoint, Clip]] {
        edges.push(edge(
            "low[1] = 1.0000000000000002",
            0.5,
            2.0,
            1.0,
            on(features, |p, x| {
                p.statement.learner.clip = Some(5.0);
                p.proof.lines[0].low[1] = x;
            }),
        ));
        edges.push(edge(
            "G² − low[1]²‖z[1]‖²",
            0.1,
            1.0,
            CLIP / norm(&Z[2..4]),
            on(features, |p, x| p.proof.lines[0].low[1] = x),
        ));
        edges.push(edge(
            "κ0·low[1]·p[1] − t[1]",
            0.4,
            0.0,
            1.0 / KAPPA0,
            on(features, |p, x| p.proof.lines[0].low[1] = x),
        ));
    }
    for features in [&[Hinge, Ball, Clip, TargetWeights], &[Logistic, Ball, Clip, TargetWeights]] {
        // A row that the target leaves out needs no slope.
        edges.push(edge(
            "low[1] = -5e-324",
            0.5,
            -1.0,
            0.0,
            on(features, |p, x| {
                p.statement.target = Target::Weights(vec![vec![1.0, 0.0, 0.25, 1.0]]);
                p.proof.lines[0].low[1] = x;
            }),
        ));
    }
    type Of = fn(&mut unswayed_check::Lines) -> &mut Vec<f64>;
    let w: Of = |lines| &mut lines.w;
    let w2: Of = |lines| &mut lines.w2;
    let kinds: [(&'static [Feature], bool, Of, &str); 6] = [
        (&[Logistic, Ball], false, w, "w[1]"),
        (&[Logistic, LabelFlips], false, w, "w[1]"),
        (&[Logistic, LabelFlips], false, w2, "w2[1]"),
        (&[Logistic, Ball], true, w, "w[1]"),
        (&[Logistic, Ball], true, w2, "w2[1]"),
        (&[Logistic, Ball, Clip], false, w, "w[1]"),
    ];
    for (features, is_error, of, name) in kinds {
        let check = |u: f64, epsilon: f64| -> Check {
            Box::new(move |x| {
                let mut problem = if is_error { generic_error(features) } else { generic(features) };
                problem.statement.threat.poison_rate = epsilon;
                problem.proof.lines[0].u[1] = u;
                of(&mut problem.proof.lines[0])[1] = x;
                problem.bound()
            })
        };
        // Slopes at the end where w is near 0 or 1 leave nothing over it that is infinite there.
        edges.push(edge(format!("{name} = 0.0"), 0.4, -1.0, 0.0, check(0.0, 0.0)));
        edges.push(edge(format!("{name} = 1.0"), 0.4, 2.0, 1.0, check(1.0, 0.0)));
        let long = move |p: &mut Problem, x: f64| {
            (p.data[0][2], p.data[0][3]) = (x, 0.0);
            if p.statement.learner.clip.is_some() {
                p.statement.learner.clip = Some(1e3);
            }
        };
        let check = if is_error { on_error(features, long) } else { on(features, long) };
        edges.push(edge("4k − η‖z[1]‖²", 0.5, 40.0, (4.0 * K_STEP / ETA).sqrt(), check));
    }
    test_all(edges, 31);
}

#[test]
fn numbers_of_horizons() {
    let of = |features: &'static [Feature], start: fn(f64) -> (Vec<f64>, f64)| -> Check {
        Box::new(move |x| {
            let (start, m) = start(x);
            generic(features).horizon(10, &start, m)
        })
    };
    let paper_of = |proof: fn() -> PaperProof, start: fn(f64) -> (Vec<f64>, f64)| -> Check {
        Box::new(move |x| {
            let (start, m) = start(x);
            let horizon = Horizon { steps: 10, start, ..Horizon::default() };
            fixtures::horizon(&hinge(), &by_paper(proof()), &fixtures::rows(), &horizon, m)
        })
    };
    let edges = vec![
        edge(
            "horizon.m = -5e-324 is not ≥ 0",
            0.5,
            -1.0,
            0.0,
            of(&[Hinge, Ball, TargetRows], |m| (vec![0.0; 2], m)),
        ),
        edge("horizon.m = -5e-324 is not ≥ 0", 0.0, -1.0, 0.0, of(&[Hinge, Ball], |m| (vec![0.0; 2], m))),
        edge("horizon.m = 5e-324 is not 0", 0.0, 1.0, 0.0, of(&[Hinge, Ball], |m| (vec![0.0; 2], m))),
        edge(
            "horizon.m = 5e-324 is not 0",
            0.0,
            1.0,
            0.0,
            of(&[Logistic, Ball, Bias], |m| (vec![0.0; 2], m)),
        ),
        edge("ϱ² − ‖θ_0‖²", 0.5, 30.0, BALL, of(&[Hinge, Ball, TargetRows], |x| (vec![0.0, x], 0.0))),
        edge(
            "ϱ² − ‖θ_0‖²",
            -0.5,
            -30.0,
            -PROJECTION,
            of(&[Logistic, Ball, Projection], |x| (vec![x, 0.0], 0.5)),
        ),
        edge(
            "ϱ² − ‖θ_0‖²",
            0.5,
            30.0,
            PROJECTION,
            of(&[Hinge, Ball, Projection, NoRegularization], |x| (vec![x, 0.0], 0.0)),
        ),
        edge("horizon.m = -5e-324 is not ≥ 0", 0.5, -1.0, 0.0, paper_of(paper, |m| (vec![0.0; 2], m))),
        edge("ϱ² − ‖θ_0‖²", 0.5, 30.0, 10.5, paper_of(paper, |x| (vec![x, 0.0], 0.0))),
        edge("low + horizon.m", 1.0, 0.0, 0.05, paper_of(saddle, |m| (vec![0.0; 2], m))),
    ];
    test_all(edges, 10);
}

/// The paper's program about the shared rows.
fn on_paper(change: impl Fn(&mut unswayed_check::Statement, &mut PaperProof, f64) + 'static) -> Check {
    Box::new(move |x| {
        let (mut statement, mut proof) = (hinge(), paper());
        change(&mut statement, &mut proof, x);
        fixtures::bound(&statement, &by_paper(proof), &fixtures::rows())
    })
}

#[test]
fn numbers_of_the_paper() {
    let longest = norm(&[0.9, 0.1]);
    // At `low` = 0.5 and `high` = 0.8, with s = σ(2−ησ).
    let s = 0.1 * (2.0 - 0.001);
    let nothing = |w: &mut PaperProof| {
        *w = PaperProof {
            b: vec![0.0; 2],
            m: vec![0.0; 5],
            h: vec![0.0; 10],
            theta: vec![0.0; 2],
            point: vec![0.0; 2],
            ..paper()
        };
    };
    let edges = vec![
        edge("nu8 = -5e-324", 0.01, -1.0, 0.0, on_paper(|_, w, x| w.nu8 = x)),
        edge("nu9 = -5e-324", 0.02, -1.0, 0.0, on_paper(|_, w, x| (w.nu9, w.nu10) = (x, 1.0))),
        // Where A ≺ 0 nothing else asks for ν10 ≥ 0.
        edge(
            "nu10 = -5e-324",
            0.05,
            -1.0,
            0.0,
            on_paper(|_, w, x| {
                (w.a, w.low, w.high) = (vec![-1.0, 0.0, -1.0], -1.1, -0.9);
                (w.nu8, w.nu9, w.nu10, w.delta) = (1e9, 0.0, x, 1e-6);
            }),
        ),
        edge(
            "delta = 0.0",
            0.001,
            -1.0,
            0.0,
            on_paper(move |_, w, x| {
                nothing(w);
                w.delta = x;
            }),
        ),
        edge(
            "reach = -5e-324",
            10.0,
            -1.0,
            0.0,
            Box::new(|x| {
                let proof = PaperProof { reach: x, ..paper() };
                let z = [0.0; 10];
                fixtures::bound(&hinge(), &by_paper(proof), &Rows { z: &z, ..fixtures::rows() })
            }),
        ),
        edge("ϱσ − R", 1.0, 2.0, 10.5 * 0.1, on_paper(|s, _, x| s.threat.set = Set::Ball { radius: x })),
        edge(
            "σ(2−ησ)·low + ν8 − δ",
            0.5,
            -1.0,
            (0.001 - 0.01) / s,
            on_paper(|s, w, x| {
                s.threat.poison_rate = 0.0;
                (w.nu9, w.low) = (0.0, x);
            }),
        ),
        edge(
            "ν10 − εη·high − δ",
            0.05,
            0.0,
            0.05 * 0.01 * 0.8 + 0.001,
            on_paper(|s, w, x| {
                // ν9 = εk·a at one end only: the other entry beside the diagonal must be small.
                s.learner.regularization = 0.1;
                (w.a, w.low, w.high) = (vec![0.8_f64.next_down(), 0.0, 0.8_f64.next_down()], 0.5, 0.8);
                (w.nu8, w.nu9, w.nu10) = (1e9, 0.05 * 0.999 * 0.8, x.max(0.0));
            }),
        ),
        edge(
            "the determinant of D − δ at low",
            0.02,
            0.2,
            {
                let (p, r) = (s * 0.5 + 0.01 - 0.001, 0.05 - 0.05 * 0.01 * 0.5 - 0.001);
                (p * r).sqrt() + 0.05 * 0.999 * 0.5
            },
            on_paper(|_, w, x| w.nu9 = x),
        ),
        edge(
            "low = 0.6 is not below all eigenvalues",
            0.5,
            0.65,
            0.6,
            on_paper(|_, w, x| {
                (w.a, w.low) = (vec![0.6, 0.0, 0.7], x);
            }),
        ),
        edge(
            "high = 0.7 is not above all eigenvalues",
            0.8,
            0.65,
            0.7,
            on_paper(|_, w, x| {
                (w.a, w.high) = (vec![0.6, 0.0, 0.7], x);
            }),
        ),
        edge(
            "(ϱσ)² − ‖z[4]‖²",
            10.5,
            1.0,
            longest / 0.1,
            on_paper(|s, w, x| {
                s.threat.set = Set::Ball { radius: 0.0 };
                w.ball = x;
            }),
        ),
        edge("reach² − ϱ²‖z[4]‖²", 10.0, 0.0, 10.5 * longest, on_paper(|_, w, x| w.reach = x)),
        edge(
            "low = -5e-324 is not ≥ 0, as it must be with batches",
            0.5,
            -0.1,
            0.0,
            on_paper(|s, w, x| {
                s.learner.batch = 2;
                w.low = x;
            }),
        ),
    ];
    test_all(edges, 14);
}

#[test]
fn numbers_of_the_mean() {
    let of = |change: fn(&mut MeanCertificate, f64)| -> Check {
        Box::new(move |x| {
            let mut certificate = mean(None);
            certificate.bound = 1e300;
            change(&mut certificate, x);
            check_mean(&certificate, None)
        })
    };
    let (eta, eps, a) = (0.01_f64, 0.15_f64, 86.75_f64);
    let p = (2.0 * eta - eta * eta) * a - 1.0;
    let cross = (eps * eta * (1.0 - eta) * a).powi(2);
    let edges = vec![
        edge(
            "learning_rate = 2.0",
            0.01,
            3.0,
            2.0,
            of(|c, x| {
                (c.statement.poison_rate, c.alpha, c.statement.learning_rate) = (0.0, 1e17, x);
            }),
        ),
        edge("poison_rate = -5e-324", 0.15, -1.0, 0.0, of(|c, x| c.statement.poison_rate = x)),
        edge(
            "poison_rate = 1.0000000000000002",
            0.15,
            2.0,
            1.0,
            of(|c, x| (c.nu, c.statement.poison_rate) = (9.0, x)),
        ),
        edge("squared_radius = -5e-324", 2.0, -1.0, 0.0, of(|c, x| c.statement.squared_radius = x)),
        edge("noise_trace = -5e-324", 0.5, -1.0, 0.0, of(|c, x| c.statement.noise_trace = x)),
        edge(
            "covariance_trace = -5e-324",
            2.0,
            -1.0,
            0.0,
            of(|c, x| c.statement.benign = MeanBenign::CovarianceTrace(x)),
        ),
        edge("nu = -5e-324", 1.0, -1.0, 0.0, of(|c, x| (c.statement.poison_rate, c.nu) = (0.0, x))),
        edge(
            "P = ",
            90.0,
            1.0,
            1.0 / (2.0 * eta - eta * eta),
            of(|c, x| (c.statement.poison_rate, c.alpha) = (0.0, x)),
        ),
        // With η = 1 nothing stands beside the diagonal.
        edge("Q = ", 20.0, 0.0, eps * a, of(|c, x| (c.statement.learning_rate, c.nu) = (1.0, x))),
        edge(
            "P·Q − ε²η²(1−η)²a²",
            1.0,
            eps * eta * eta * a,
            eps * eta * eta * a + cross / p,
            of(|c, x| c.nu = x),
        ),
    ];
    test_all(edges, 10);
}

#[test]
fn numbers_of_claims_on_new_data() {
    fn claim(problem: &Problem) -> NewDataClaim {
        NewDataClaim {
            bound: 1e9,
            delta: 0.05,
            radius: 1.0,
            deviation: Deviation::Bernstein,
            alpha: ALPHA,
            beta: problem.proof.beta.clone(),
            tau: problem.proof.cases.tau.clone(),
            nu: NU,
            omega: problem.proof.omega,
            theta: vec![1.0, 0.75],
            gain: 0.5,
            floor: None,
            w: vec![],
            hostile: None,
        }
    }
    type Change = fn(&mut Problem, &mut NewDataClaim, f64);
    let of = |features: &'static [Feature], change: Change| -> Check {
        Box::new(move |x| {
            let mut problem = generic(features);
            let mut claim = claim(&problem);
            change(&mut problem, &mut claim, x);
            let rows: Rows = problem.rows()[0];
            prove_new_data(&problem.statement, &claim, &rows)
        })
    };
    const PLAIN: &[Feature] = &[Hinge, Ball];
    let least = EPS * CHI * CHI / (2.0 * BASE);
    let edges = vec![
        edge(
            "tau[0] = 0.0",
            100.0,
            -1.0,
            0.0,
            of(PLAIN, |p, c, x| {
                p.statement.threat.poison_rate = 0.0;
                c.tau = vec![x];
            }),
        ),
        edge("nu = -5e-324", 0.125, -1.0, 0.0, of(PLAIN, |_, c, x| c.nu = x)),
        edge(
            "radius = 0.0",
            1.0,
            -1.0,
            0.0,
            of(PLAIN, |p, c, x| {
                p.data[0].fill(0.0);
                c.radius = x;
            }),
        ),
        edge(
            "radius² − ‖z[1]‖²",
            1.0,
            0.1,
            norm(&Z[2..4]),
            of(PLAIN, |p, c, x| {
                p.data[0][4..6].fill(0.0);
                c.radius = x;
            }),
        ),
        edge("delta = 0.0", 0.05, -1.0, 0.0, of(PLAIN, |_, c, x| c.delta = x)),
        edge("delta = 1.0", 0.05, 2.0, 1.0, of(PLAIN, |_, c, x| c.delta = x)),
        edge("κ = ", 8.0, 0.1, LEAST_ALPHA, of(PLAIN, |_, c, x| c.alpha = x)),
        edge("a = ", 100.0, 1e-9, least, of(PLAIN, |_, c, x| c.tau = vec![x])),
        edge("a = ", 100.0, 1e-9, 0.5 * least, of(&[Hinge, Feature::Box], |_, c, x| c.tau[1] = x)),
        edge("a = ", 100.0, 1e-9, 1.5 * least, of(&[Hinge, Ellipsoid], |_, c, x| c.tau = vec![x])),
        edge(
            "omega = 1.5",
            2.0,
            0.0,
            1.5,
            of(&[Hinge, Ellipsoid], |p, c, x| {
                p.statement.threat.set = Set::Ellipsoid { q: vec![1.0, 0.5, 1.0] };
                c.omega = Some(x);
            }),
        ),
        edge(
            "4α²ϱ² − ‖β‖²",
            12.0,
            1e-9,
            norm(&[0.5, 0.25]) / (2.0 * ALPHA),
            of(&[Hinge, Ball, Projection], |p, _, x| {
                p.statement.learner.projection = Some(x);
            }),
        ),
    ];
    test_all(edges, 12);
}

/// A change that leaves the problem acceptable, one that does not, and what is said then.
type Pair = (&'static str, &'static [Feature], fn(&mut Problem), fn(&mut Problem));

fn test_pairs(pairs: &[Pair]) {
    for (words, features, good, bad) in pairs {
        let mut problem = generic(features);
        good(&mut problem);
        problem.bound().unwrap_or_else(|failure| panic!("{words}: {failure}"));
        let mut problem = generic(features);
        bad(&mut problem);
        let complaint = problem.complaint();
        assert!(complaint.contains(words), "{words}: {complaint}");
    }
}

fn keep(_: &mut Problem) {}

/// Rows of several classes with one feature each.
fn narrow(p: &mut Problem) {
    p.data = p.data.iter().map(|z| z.chunks(3).flat_map(|row| [row[0], row[1]]).collect()).collect();
    (p.dimension, p.proof.beta) = (2, vec![-0.5; K]);
}

/// The points of one dimension are points, not pairs.
#[test]
fn points_on_a_line() {
    let problem = |radius: f64| {
        let mut p = generic(&[Hinge, Points, TargetRows]);
        p.data[0] = p.data[0].chunks(2).map(|row| row[0]).collect();
        p.target = Some(vec![0.5, 0.25, -0.5]);
        (p.dimension, p.proof.beta) = (1, vec![-0.5]);
        p.statement.threat.set = Set::Points { points: vec![radius, -radius] };
        p.proof.shells.as_mut().expect("shells").centre = vec![0.0];
        let lines = &mut p.proof.lines[0];
        (lines.reach, lines.target_reach) = (vec![1e3; 4], vec![1e3; 3]);
        p
    };
    problem(BALL * SIGMA).bound().expect("points at the edge");
    let complaint = problem((BALL * SIGMA).next_up().next_up()).complaint();
    assert!(complaint.contains("(ϱσ)² − ‖z‖² on the set"), "{complaint}");
}

#[test]
fn counts_and_shapes() {
    const PLAIN: &[Feature] = &[Hinge, Ball];
    const SHELLS: &[Feature] = &[Hinge, Ball, TargetRows];
    const CLASSES: &[Feature] = &[Multiclass, Ball];
    let nan = |p: &mut Problem| p.proof.cases.tau = vec![f64::NAN];
    let pairs: Vec<Pair> = vec![
        (
            "statement: batch",
            PLAIN,
            |p| p.statement.learner.batch = u64::MAX,
            |p| p.statement.learner.batch = 0,
        ),
        ("unregularized = 2.0", &[Hinge, Ball, Bias], keep, |p| p.statement.learner.unregularized = vec![2]),
        (
            "unregularized = 1.0",
            &[Hinge, Ball, Bias],
            |p| p.statement.learner.unregularized = vec![0],
            |p| p.statement.learner.unregularized = vec![0, 1],
        ),
        (
            "set.radius = inf",
            PLAIN,
            |p| p.statement.threat.set = Set::Ball { radius: 2.0 },
            |p| p.statement.threat.set = Set::Ball { radius: f64::INFINITY },
        ),
        ("set.radii: expected 2, found 1", &[Hinge, Feature::Box], keep, |p| {
            p.statement.threat.set = Set::Box { radii: vec![1.0] }
        }),
        ("set.radii[0] = NaN", &[Hinge, Feature::Box], keep, |p| {
            p.statement.threat.set = Set::Box { radii: vec![f64::NAN, 1.0] }
        }),
        ("set.q: expected 3, found 4", &[Hinge, Ellipsoid], keep, |p| {
            p.statement.threat.set = Set::Ellipsoid { q: vec![1.0; 4] }
        }),
        ("set.q[2] = inf", &[Hinge, Ellipsoid], keep, |p| {
            p.statement.threat.set = Set::Ellipsoid { q: vec![1.0, 0.0, f64::INFINITY] }
        }),
        ("the number of points", &[Hinge, Points], keep, |p| {
            p.statement.threat.set = Set::Points { points: vec![1.0] }
        }),
        ("set.points: expected 2, found 3", &[Hinge, Points], keep, |p| {
            p.statement.threat.set = Set::Points { points: vec![1.0; 3] }
        }),
        ("set.points[1] = NaN", &[Hinge, Points], keep, |p| {
            p.statement.threat.set = Set::Points { points: vec![1.0, f64::NAN] }
        }),
        ("the number of classes", CLASSES, keep, |p| p.statement.learner.loss = Loss::Multiclass(1)),
        ("the class z[1][0] = 3.0", CLASSES, |p| p.data[0][3] = 2.0, |p| p.data[0][3] = 3.0),
        ("the class z[1][0] = 0.5", CLASSES, |p| p.data[0][3] = 0.0, |p| p.data[0][3] = 0.5),
        ("the class z[1][0] = -1.0", CLASSES, |p| p.data[0][3] = -0.0, |p| p.data[0][3] = -1.0),
        ("the number of columns", CLASSES, keep, |p| {
            (p.data[0], p.dimension) = (vec![0.0, 1.0, 2.0, 0.0], 1)
        }),
        (
            "horizon.steps",
            PLAIN,
            |p| p.statement.horizon = Some(Horizon { steps: 1, start: vec![], ..Horizon::default() }),
            |p| p.statement.horizon = Some(Horizon { steps: 0, start: vec![], ..Horizon::default() }),
        ),
        ("horizon.start[1] = NaN", PLAIN, keep, |p| {
            p.statement.horizon = Some(Horizon { steps: 1, start: vec![0.0, f64::NAN], ..Horizon::default() })
        }),
        ("target: expected 1, found 0", SHELLS, keep, |p| p.target = None),
        ("target: expected 0, found 1", PLAIN, keep, |p| p.target = Some(TARGET.to_vec())),
        ("target.weights: expected 1, found 2", &[Hinge, Ball, TargetWeights], keep, |p| {
            p.statement.target = Target::Weights(vec![vec![1.0; 4]; 2])
        }),
        ("target.weights: expected 4, found 3", &[Hinge, Ball, TargetWeights], keep, |p| {
            p.statement.target = Target::Weights(vec![vec![1.0; 3]])
        }),
        ("target.weights[3] = inf", &[Hinge, Ball, TargetWeights], keep, |p| {
            p.statement.target = Target::Weights(vec![vec![1.0, 1.0, 1.0, f64::INFINITY]])
        }),
        (
            "the sum of target.weights",
            &[Hinge, Ball, TargetWeights],
            |p| p.statement.target = Target::Weights(vec![vec![1e-300; 4]]),
            |p| p.statement.target = Target::Weights(vec![vec![0.0; 4]]),
        ),
        // Rows.
        ("data: the number of datasets", PLAIN, keep, |p| p.data.clear()),
        ("data: entries of z: expected 6, found 7", PLAIN, keep, |p| p.data[0].truncate(7)),
        ("data: z[3] = NaN", PLAIN, keep, |p| p.data[0][3] = f64::NAN),
        ("data: the number of rows", PLAIN, keep, |p| p.data[0].clear()),
        ("data: the number of rows", SHELLS, keep, |p| p.target = Some(vec![])),
        ("data: weights: expected 4, found 3", &[Hinge, Ball, RowWeights], keep, |p| {
            p.weights = vec![Some(vec![1.0; 3])]
        }),
        (
            "data: weight[0] = inf",
            &[Hinge, Ball, RowWeights],
            |p| p.weights = vec![Some(vec![1e308; 4])],
            |p| p.weights = vec![Some(vec![f64::INFINITY; 4])],
        ),
        (
            "data: the sum of all weights",
            &[Hinge, Ball, RowWeights],
            |p| p.weights = vec![Some(vec![0.0, 0.0, 5e-324, 0.0])],
            |p| p.weights = vec![Some(vec![0.0; 4])],
        ),
        // The proof.
        ("alpha = NaN is not finite", PLAIN, keep, |p| p.proof.alpha = f64::NAN),
        ("alpha = -inf is not finite", PLAIN, keep, |p| p.proof.alpha = f64::NEG_INFINITY),
        ("beta: expected 2, found 3", PLAIN, keep, |p| p.proof.beta.push(0.0)),
        ("beta: expected 6, found 2", CLASSES, keep, |p| p.proof.beta.truncate(2)),
        ("beta[1] = inf", PLAIN, keep, |p| p.proof.beta[1] = f64::INFINITY),
        ("omega = inf is not finite", &[Hinge, Ellipsoid], keep, |p| p.proof.omega = Some(f64::INFINITY)),
        ("shell.centre: expected 2, found 1", SHELLS, keep, |p| {
            p.proof.shells.as_mut().unwrap().centre.truncate(1)
        }),
        ("shell.centre[0] = NaN", SHELLS, keep, |p| p.proof.shells.as_mut().unwrap().centre[0] = f64::NAN),
        ("the number of shells", SHELLS, keep, |p| p.proof.shells.as_mut().unwrap().radii.clear()),
        ("shell.radii[0] = inf", SHELLS, keep, |p| p.proof.shells.as_mut().unwrap().radii[0] = f64::INFINITY),
        ("shell.ball = NaN", SHELLS, keep, |p| p.proof.shells.as_mut().unwrap().ball = f64::NAN),
        ("lines.dataset = 1.0", PLAIN, keep, |p| p.proof.lines[0].dataset = 1),
        ("lines.dataset = 2.0", &[Hinge, Ball, Drift], keep, |p| p.proof.lines[1].dataset = 2),
        ("lines.shell = 1.0", PLAIN, keep, |p| p.proof.lines[0].shell = 1),
        ("lines of the cases: expected 2, found 1", &[Hinge, Ball, Drift], keep, |p| {
            p.proof.cases.lines.truncate(1)
        }),
        ("lines of the cases: expected 3, found 1", CLASSES, by_class, |p| p.proof.by_class = true),
        (
            "lines[0] = 1.0 is not of the case's dataset and shell",
            PLAIN,
            |p| p.proof.lines.push(p.proof.lines[0].clone()),
            |p| p.proof.cases.lines = vec![1],
        ),
        ("lines[1] = 0.0 is not of the case's dataset and shell", &[Hinge, Ball, Drift], keep, |p| {
            p.proof.cases.lines = vec![0, 0]
        }),
        (
            "lines[0] = 1.0 is not of the case's dataset and shell",
            SHELLS,
            |p| cut_shell(p, 1.0),
            |p| {
                cut_shell(p, 1.0);
                p.proof.cases.lines = vec![1, 1];
            },
        ),
        ("tau: expected 1, found 0", PLAIN, keep, |p| p.proof.cases.tau.clear()),
        ("tau: expected 2, found 1", &[Hinge, Feature::Box], keep, |p| p.proof.cases.tau.truncate(1)),
        ("tau: expected 0, found 1", &[Hinge, Points], keep, |p| p.proof.cases.tau = vec![1.0]),
        ("tau: expected 0, found 1", &[Hinge, LabelFlips], keep, |p| p.proof.cases.tau = vec![1.0]),
        ("tau[0] = NaN", PLAIN, keep, nan),
        ("nu: expected 1, found 0", PLAIN, keep, |p| p.proof.cases.nu.clear()),
        ("nu: expected 3, found 1", &[Hinge, Ball, Bias], keep, |p| p.proof.cases.nu = vec![1.0]),
        ("share: expected 2, found 1", &[Hinge, Points], keep, |p| p.proof.cases.share.truncate(1)),
        ("share: expected 0, found 1", PLAIN, keep, |p| p.proof.cases.share = vec![1.0]),
        ("w: expected 2, found 0", &[Logistic, Points], keep, |p| p.proof.cases.w.clear()),
        ("w: expected 0, found 2", &[Hinge, Points], keep, |p| p.proof.cases.w = vec![0.5; 2]),
        ("x: expected 2, found 0", &[Hinge, Ellipsoid], keep, |p| p.proof.cases.x.clear()),
        ("x: expected 12, found 6", &[Hinge, Ellipsoid, Bias], keep, |p| p.proof.cases.x = vec![0.0; 6]),
        ("outer: expected 1, found 0", SHELLS, keep, |p| p.proof.cases.outer.clear()),
        ("inner: expected 1, found 2", SHELLS, keep, |p| p.proof.cases.inner.push(0.0)),
        ("outer: expected 0, found 1", PLAIN, keep, |p| p.proof.cases.outer = vec![0.0]),
        // Vectors of the rows.
        ("u: expected 4, found 5", PLAIN, keep, |p| p.proof.lines[0].u.push(0.0)),
        ("u: expected 8, found 4", CLASSES, keep, |p| p.proof.lines[0].u.truncate(4)),
        ("u[1] = NaN", PLAIN, keep, |p| p.proof.lines[0].u[1] = f64::NAN),
        ("u2: expected 0, found 4", PLAIN, keep, |p| p.proof.lines[0].u2 = vec![0.0; 4]),
        ("c: expected 0, found 4", PLAIN, keep, |p| p.proof.lines[0].c = vec![0.0; 4]),
        ("w: expected 4, found 0", &[Logistic, Ball], keep, |p| p.proof.lines[0].w.clear()),
        ("w2: expected 4, found 0", &[Logistic, LabelFlips], keep, |p| p.proof.lines[0].w2.clear()),
        ("w2: expected 0, found 4", &[Logistic, Ball], keep, |p| p.proof.lines[0].w2 = vec![0.5; 4]),
        ("y: expected 4, found 0", SHELLS, keep, |p| p.proof.lines[0].y.clear()),
        ("y: expected 0, found 4", PLAIN, keep, |p| p.proof.lines[0].y = vec![0.0; 4]),
        ("reach: expected 4, found 3", SHELLS, keep, |p| p.proof.lines[0].reach.truncate(3)),
        ("low: expected 4, found 0", &[Hinge, Ball, Clip], keep, |p| p.proof.lines[0].low.clear()),
        ("high: expected 4, found 0", &[Hinge, Ball, Clip], keep, |p| p.proof.lines[0].high.clear()),
        ("high: expected 0, found 4", &[Logistic, Ball, Clip], keep, |p| {
            p.proof.lines[0].high = vec![1.0; 4]
        }),
        ("high[1] = 0.0 is not > 0", &[Hinge, Ball, Clip], keep, |p| p.proof.lines[0].high[1] = 0.0),
        ("high[1] = -1.0 is not > 0", &[Hinge, Ball, Clip], keep, |p| p.proof.lines[0].high[1] = -1.0),
        ("target_y: expected 3, found 0", SHELLS, keep, |p| p.proof.lines[0].target_y.clear()),
        ("target_reach: expected 3, found 4", SHELLS, keep, |p| p.proof.lines[0].target_reach.push(1.0)),
        ("target_y: expected 0, found 1", PLAIN, keep, |p| p.proof.lines[0].target_y = vec![0.0]),
        // Numbers of steps are finite.
        ("learning_rate = inf", PLAIN, keep, |p| p.statement.learner.learning_rate = f64::INFINITY),
        ("regularization = inf", PLAIN, keep, |p| p.statement.learner.regularization = f64::INFINITY),
        ("projection = inf", &[Hinge, Ball, Projection], keep, |p| {
            p.statement.learner.projection = Some(f64::INFINITY)
        }),
        ("clip = inf", &[Hinge, Ball, Clip], keep, |p| p.statement.learner.clip = Some(f64::INFINITY)),
        // What is missing is 0.
        ("statement: batch = 0.0 is not", PLAIN, keep, |p| p.statement.learner.batch = 0),
        ("the number of points = 0.0 is not", &[Hinge, Points], keep, |p| {
            p.statement.threat.set = Set::Points { points: vec![] }
        }),
        ("the sum of target.weights = 0.0 is not", &[Hinge, Ball, TargetWeights], keep, |p| {
            p.statement.target = Target::Weights(vec![vec![0.0; 4]])
        }),
        ("the number of rows = 0.0 is not", PLAIN, keep, |p| p.data = vec![vec![]]),
        // Classes: the first row has one too, one feature is enough, and there are two at least.
        ("the class z[0][0] = 3.0", CLASSES, keep, |p| p.data[0][0] = 3.0),
        ("the number of columns = 1.0", CLASSES, narrow, |p| {
            narrow(p);
            (p.data, p.dimension, p.proof.beta) = (vec![vec![0.0, 1.0, 2.0, 0.0]], 1, vec![]);
        }),
        ("the number of classes = 1.0 is not ≥ 2", CLASSES, keep, |p| {
            p.statement.learner.loss = Loss::Multiclass(1);
            p.data[0].iter_mut().step_by(3).for_each(|class| *class = 0.0);
            (p.proof.beta, p.proof.lines[0].u) = (vec![0.0; 2], vec![]);
        }),
        // A gradient that is clipped to a small part of itself.
        (
            "high[1]²‖z[1]‖² − G²",
            &[Hinge, Ball, Clip],
            |p| {
                (p.data[0][2], p.data[0][3]) = (8.0, 0.0);
                (p.proof.lines[0].low[1], p.proof.lines[0].high[1]) = (0.0, 0.0625);
                p.statement.learner.clip = Some(0.5);
                p.statement.target = Target::Weights(vec![vec![1.0, 0.0, 1.0, 1.0]]);
            },
            |p| {
                (p.data[0][2], p.data[0][3]) = (8.0, 0.0);
                (p.proof.lines[0].low[1], p.proof.lines[0].high[1]) = (0.0, 0.0625_f64.next_down());
                p.statement.learner.clip = Some(0.5);
                p.statement.target = Target::Weights(vec![vec![1.0, 0.0, 1.0, 1.0]]);
            },
        ),
        // Shells grow, all of them.
        ("shell.radii[1] = 15.0", SHELLS, |p| cut_shell(p, BALL.next_down()), |p| cut_shell(p, BALL)),
        ("shell.radii[1] = 15.0", SHELLS, |p| cut_shell(p, 1.0), |p| cut_shell(p, 20.0)),
        // In an unbounded slab nothing may push outward; v is Σ p_iy_iz_i with z_i1 = ±½.
        (
            "−v[1] above the last slab",
            &[Hinge, Ball, Bias],
            |p| p.proof.lines[2].u = vec![0.5, 0.5, 0.25, 0.25],
            |p| p.proof.lines[2].u = vec![0.5_f64.next_up(), 0.5, 0.25, 0.25],
        ),
        (
            "v[1] below the first slab",
            &[Hinge, Ball, Bias],
            |p| p.proof.lines[0].u = vec![0.5, 0.5, 0.25, 0.25],
            |p| p.proof.lines[0].u = vec![0.5_f64.next_down(), 0.5, 0.25, 0.25],
        ),
        (
            "−v[1] above the last slab",
            &[Logistic, Feature::Box, Bias],
            |p| p.proof.lines[2].u = vec![0.5, 0.5, 0.0, 0.5],
            |p| p.proof.lines[2].u = vec![0.5, 0.5, 0.5, 0.0],
        ),
        ("nu[0] = 0.5", &[Hinge, Ball, Bias], keep, |p| p.proof.cases.nu[0] = 0.5),
        ("nu[2] = 0.5", &[Hinge, Ball, Bias], |p| p.proof.cases.nu[1] = 0.5, |p| p.proof.cases.nu[2] = 0.5),
        (
            "slabs[1] = 2.0",
            &[Hinge, Ball, Bias],
            |p| p.proof.slabs[0] = 2.0_f64.next_down(),
            |p| p.proof.slabs[0] = 2.0,
        ),
        (
            "slabs[1] = inf",
            &[Hinge, Ball, Bias],
            |p| p.proof.slabs[1] = 1e9,
            |p| p.proof.slabs[1] = f64::INFINITY,
        ),
        ("lines[1] = 2.0", &[Hinge, Ball, Bias], keep, |p| p.proof.cases.lines[1] = 2),
    ];
    assert!(pairs.len() >= 90);
    test_pairs(&pairs);
    // Rows of different dimensions.
    let problem = generic(&[Hinge, Ball, Drift]);
    let mut rows = problem.rows();
    rows[1].dimension = 4;
    let proof = Proof::Cases(problem.proof.clone().into());
    let evidence = Evidence { data: &rows, target: None };
    let complaint = prove(&problem.statement, &proof, &evidence).expect_err("a refusal").to_string();
    assert_eq!(complaint, "data: dimension: expected 2, found 4");
}

#[test]
fn proofs_that_do_not_fit() {
    const PLAIN: &[Feature] = &[Hinge, Ball];
    const CLASSES: &[Feature] = &[Multiclass, Ball];
    let pairs: Vec<Pair> = vec![
        ("does not fit this loss", PLAIN, keep, |p| p.statement.learner.loss = Loss::Logistic),
        ("does not fit this loss", &[Logistic, Ball], keep, |p| p.statement.learner.loss = Loss::Hinge),
        ("does not fit this loss", PLAIN, keep, |p| p.proof.rows = RowBound::ErrorLogistic),
        ("does not fit this loss", &[SmoothMargin, Ball], keep, |p| p.proof.rows = RowBound::Interval),
        ("does not fit this loss", &[SmoothMargin, Ball], keep, |p| p.proof.rows = RowBound::ErrorHinge),
        ("does not fit an averaged model", &[Hinge, Ball, Average], keep, |p| {
            p.proof.rows = RowBound::ErrorHinge
        }),
        ("does not fit several classes", CLASSES, keep, |p| p.proof.rows = RowBound::LabelHinge),
        ("does not fit several classes", CLASSES, keep, |p| p.proof.rows = RowBound::Interval),
        ("does not fit several classes and shells", CLASSES, keep, add_shells),
        ("does not fit a clip", PLAIN, keep, |p| p.statement.learner.clip = Some(1.0)),
        ("does not fit steps without a clip", &[Hinge, Ball, Clip], keep, |p| {
            p.statement.learner.clip = None
        }),
        ("does not fit this set", PLAIN, keep, |p| p.statement.threat.set = Set::LabelFlips),
        ("does not fit this set", &[Hinge, LabelFlips], keep, |p| {
            p.statement.threat.set = Set::Ball { radius: 1.0 }
        }),
        ("does not fit this target", PLAIN, keep, |p| {
            p.proof.rows = RowBound::ErrorHinge;
            p.statement.target = Target::Weights(vec![vec![1.0; 4]]);
        }),
        ("does not fit a target with rows of its own", &[Hinge, Ball, TargetRows], keep, |p| {
            p.proof.rows = RowBound::BoundedSlope
        }),
        ("does not fit a proof without shells", &[Hinge, Ball, TargetRows], keep, |p| p.proof.shells = None),
        ("does not fit an unregularized coordinate", &[Hinge, Ball, Bias], keep, |p| {
            p.proof.rows = RowBound::Interval;
            add_shells(p);
        }),
        ("does not fit an unregularized coordinate and shells", &[Hinge, Ball, Bias], keep, add_shells),
        ("does not fit an unregularized coordinate without slabs", &[Hinge, Ball, Bias], keep, |p| {
            p.proof.slabs = vec![]
        }),
        ("does not fit slabs without an unregularized coordinate", PLAIN, keep, |p| {
            p.proof.slabs = vec![0.0]
        }),
        ("does not fit cases by class without classes", PLAIN, keep, |p| p.proof.by_class = true),
        ("does not fit an ellipsoid without omega", &[Hinge, Ellipsoid], keep, |p| p.proof.omega = None),
        ("does not fit omega without an ellipsoid", PLAIN, keep, |p| p.proof.omega = Some(1.0)),
    ];
    test_pairs(&pairs);
}

#[test]
fn origins() {
    type Change = fn(&mut Origin);
    let bad: [(&str, Change); 14] = [
        ("the scale 0 is not a positive number", |o| o.scale = 0.0),
        ("the scale -1 is not a positive number", |o| o.scale = -1.0),
        ("the scale NaN is not a positive number", |o| o.scale = f64::NAN),
        ("the scale inf is not a positive number", |o| o.scale = f64::INFINITY),
        ("there cannot be 0 of 4 rows", |o| o.rows = 0),
        ("there cannot be 5 of 4 rows", |o| o.rows = 5),
        ("with 0 columns", |o| o.columns = 0),
        ("stands for two classes", |o| {
            o.labels = Labels::Classes { negative: "a".into(), positive: "a".into() }
        }),
        ("fewer than two classes", |o| o.labels = Labels::Multiclass { labels: vec!["a".into()] }),
        ("sha256 is not 64 lower-case hexadecimal digits", |o| o.sha256.make_ascii_uppercase()),
        ("sha256 is not 64 lower-case hexadecimal digits", |o| o.sha256.truncate(63)),
        ("must be one line of 1 to 4096 bytes", |o| o.made = Some(" ".into())),
        ("must be one line of 1 to 4096 bytes", |o| o.made = Some("clipped\nloss 0".into())),
        ("must be one line of 1 to 4096 bytes", |o| o.made = Some("a".repeat(4097))),
    ];
    let good: [Change; 5] = [
        |o| o.made = Some("a".repeat(4096)),
        |o| o.scale = 5e-324,
        |o| o.of = 5,
        |o| o.labels = Labels::Classes { negative: "a".into(), positive: "b".into() },
        |o| o.labels = Labels::Scores,
    ];
    let start = || Origin { sha256: "0a".repeat(32), ..crate::common::origin(4, 2) };
    let places: [fn(Origin) -> Result<f64, Failure>; 3] = [
        |origin| {
            let mut problem = generic(&[Hinge, Ball, Drift]);
            problem.statement.data[1] = origin;
            problem.bound()
        },
        |origin| {
            let mut problem = generic(&[Hinge, Ball, TargetRows]);
            problem.statement.target = Target::Rows(origin);
            problem.bound()
        },
        |origin| {
            let samples = Rows { z: &Z, pattern: None, dimension: 2, weights: None, steps: None };
            let mut certificate = mean(Some(&samples));
            certificate.statement.benign = MeanBenign::Samples(origin);
            check_mean(&certificate, Some(&samples))
        },
    ];
    for place in places {
        for (words, change) in bad {
            let mut origin = start();
            change(&mut origin);
            let complaint = place(origin).expect_err(words).to_string();
            assert!(complaint.contains(words), "{complaint}");
        }
        for change in good {
            let mut origin = start();
            change(&mut origin);
            place(origin).expect("a good origin");
        }
    }
}

/// Rows with a class in front of them are for a learner of so many classes.
#[test]
fn classes_of_rows() {
    let of = |loss: Feature, labels: Labels| {
        let mut problem = generic(&[loss, Ball]);
        problem.statement.data[0].labels = labels;
        problem.bound()
    };
    let names = |count: usize| Labels::Multiclass { labels: (0..count).map(|i| i.to_string()).collect() };
    let two = || Labels::Classes { negative: "a".into(), positive: "b".into() };
    for (loss, good) in [
        (Multiclass, names(K)),
        (Multiclass, Labels::Premultiplied),
        (Hinge, two()),
        (Logistic, Labels::Preferences),
    ] {
        of(loss, good).expect("rows that fit");
    }
    for (loss, bad, words) in [
        (Multiclass, names(K + 1), "classes of the rows: expected 3, found 4"),
        (Multiclass, names(K - 1), "classes of the rows: expected 3, found 2"),
        (Multiclass, two(), "classes of the rows: expected 3, found 0"),
        (Multiclass, Labels::Preferences, "classes of the rows: expected 3, found 0"),
        (Hinge, names(2), "classes of the rows: expected 0, found 2"),
        (Logistic, names(3), "classes of the rows: expected 0, found 3"),
    ] {
        let complaint = of(loss, bad).expect_err(words).to_string();
        assert_eq!(complaint, format!("statement: {words}"));
    }
}

/// Every claim of a certificate at its proven value, and one number below.
#[test]
fn bounds_by_one_unit() {
    let lower: [(&str, fn(&mut Certificate) -> Option<&mut f64>); 4] = [
        ("loss: the bound", |c| Some(&mut c.loss.bound)),
        ("error: the bound", |c| c.error.as_mut().map(|e| &mut e.bound)),
        ("horizon: the bound", |c| c.horizon.as_mut().map(|h| &mut h.bound)),
        ("new data: the bound", |c| c.new_data.as_mut().map(|n| &mut n.bound)),
    ];
    let mut seen = [0; 4];
    for (_, problem, certificate) in crate::common::files::all() {
        problem.check(&certificate).expect("a good certificate");
        for (i, (words, bound)) in lower.into_iter().enumerate() {
            let mut changed = certificate.clone();
            let Some(bound) = bound(&mut changed) else { continue };
            let original = *bound;
            for bad in [original.next_down(), f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                *bound_of(&mut changed, i) = bad;
                let complaint = problem.check(&changed).expect_err(words).to_string();
                let words = if bad.is_finite() { words } else { "bound = " };
                assert!(complaint.contains(words), "{complaint}");
            }
            *bound_of(&mut changed, i) = original.next_up();
            problem.check(&changed).expect("a larger bound");
            seen[i] += 1;
        }
    }
    assert!(seen.iter().all(|&count| count >= 1), "{seen:?}");
    for rows in [None, Some(fixtures::rows())] {
        let mut certificate = mean(rows.as_ref());
        check_mean(&certificate, rows.as_ref()).expect("a good certificate");
        certificate.bound = certificate.bound.next_down();
        let complaint = check_mean(&certificate, rows.as_ref()).unwrap_err().to_string();
        assert!(complaint.contains("the bound"), "{complaint}");
    }
}

fn bound_of(certificate: &mut Certificate, claim: usize) -> &mut f64 {
    match claim {
        0 => &mut certificate.loss.bound,
        1 => &mut certificate.error.as_mut().expect("a claim").bound,
        2 => &mut certificate.horizon.as_mut().expect("a claim").bound,
        _ => &mut certificate.new_data.as_mut().expect("a claim").bound,
    }
}
