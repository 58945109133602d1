//! For one row the constants are compared with the supremum over s itself, on a dense grid and on both sides of every kink.

use super::*;
use crate::loss::HINGE;
use crate::proof::RowBound;
use crate::statement::{Learner, Loss, Set, Statement, Target, Threat};

/// Deterministic numbers in [0, 1).
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
}

/// A row z of R¹ with its learner and λ.
struct Case {
    statement: Statement,
    alpha: f64,
    beta: f64,
    z: f64,
}

impl Case {
    /// `least` is the least κ0.
    fn new(random: &mut Random, method: RowBound, least: f64) -> Case {
        let is_logistic = method.name().contains("logistic");
        let (eta, sigma, eps) =
            (random.between(0.01, 1.0), random.between(0.01, 0.9), random.between(0.0, 0.6));
        let loss = if is_logistic { Loss::Logistic } else { Loss::Hinge };
        let statement = Statement {
            learner: Learner::new(loss, eta, sigma),
            threat: Threat {
                poison_rate: eps,
                set: Set::LabelFlips,
                label_bound: None,
                poison_weight: None,
                moments: None,
            },
            data: vec![],
            target: Target::Data,
            horizon: None,
            hostile_rows: vec![],
        };
        let alpha = (least + random.between(1e-3, 2.0)) / (2.0 * (1.0 - eta * sigma) * (1.0 - eps));
        let beta = random.between(-3.0, 3.0);
        Case { statement, alpha, beta, z: random.between(0.1, 1.0) }
    }

    fn two_ak(&self) -> f64 {
        2.0 * self.alpha
            * (1.0 - self.statement.learner.learning_rate * self.statement.learner.regularization)
    }

    fn kappa0(&self) -> f64 {
        self.two_ak() * (1.0 - self.statement.threat.poison_rate)
    }

    /// The activity of a point with margin s; at a kink it is 1.
    fn activity(&self, s: f64) -> f64 {
        match self.statement.learner.loss {
            Loss::Logistic => 1.0 / (1.0 + s.exp()),
            _ => f64::from(u8::from(s <= 1.0)),
        }
    }

    /// c(θ, ±z) for s = θz; `sign` is that of the point.
    fn moved(&self, s: f64, sign: f64, clip: f64) -> f64 {
        let w = self.activity(sign * s).min(clip / self.z);
        let alpha_eta = self.alpha * self.statement.learner.learning_rate;
        w * sign * (self.two_ak() * s + self.beta * self.z) + alpha_eta * (self.z * w).powi(2)
    }

    fn loss(&self, s: f64) -> f64 {
        match self.statement.learner.loss {
            Loss::Logistic => (-s).max(0.0) + (-s.abs()).exp().ln_1p(),
            _ => (1.0 - s).max(0.0),
        }
    }

    /// The line's constant and slope, for the kind that is made of the mass.
    fn line<'a, K: RowLine>(&'a self, make: impl FnOnce(Mass<'a>) -> K, rows: &'a Rows<'a>) -> (f64, f64) {
        let one = Dyadic::whole(1);
        let mass = Mass {
            view: View::new(rows, self.statement.learner.loss),
            target: None,
            p: one.clone(),
            t: one.clone(),
            scale: one.clone(),
        };
        let lambda = Lambda::new(&self.statement, self.alpha, std::slice::from_ref(&self.beta));
        let line = sum(&make(mass), &lambda).expect("conditions hold");
        (line.constant.nearest(), line.slope[0].nearest() / self.z)
    }
}

/// The constant is the supremum of f(s) − ys.
fn compare(name: &str, (constant, y): (f64, f64), f: impl Fn(f64) -> f64) {
    let kinks = [-1.0, 0.0, 1.0].into_iter().flat_map(|s| [s - 1e-12, s, s + 1e-12]);
    let grid = (-60_000..=60_000).map(|i| f64::from(i) / 1000.0);
    let largest = grid.chain(kinks).map(|s| f(s) - y * s).fold(f64::NEG_INFINITY, f64::max);
    let size = 1.0 + constant.abs();
    assert!(constant >= largest - 1e-9 * size, "{name}: {constant} < {largest}");
    assert!(constant <= largest + 1e-4 * size, "{name}: {constant} > {largest}");
}

/// The place of the largest value, by a grid in the log-odds that is refined.
fn place(h: impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    let (mut low, mut high) = (low, high);
    let w = |odds: f64| 1.0 / (1.0 + (-odds).exp());
    for _ in 0..12 {
        let step = (high - low) / 60.0;
        let value = |i: &i32| h(w(low + f64::from(*i) * step));
        let best = (0..=60).max_by(|a, b| value(a).total_cmp(&value(b))).unwrap_or(0);
        let centre = low + f64::from(best) * step;
        (low, high) = ((centre - step).max(low), (centre + step).min(high));
    }
    w(f64::midpoint(low, high))
}

fn entropy(w: f64) -> f64 {
    -w * w.ln() - (1.0 - w) * (-w).ln_1p()
}

#[test]
fn one_row_of_every_kind() {
    let mut random = Random(11);
    for _ in 0..60 {
        hinge_kinds(&mut random);
        logistic_kinds(&mut random);
    }
}

fn hinge_kinds(random: &mut Random) {
    let u = [random.unit()];
    let case = Case::new(random, RowBound::BoundedSlope, 1.0);
    let (z, weights) = ([case.z], [1.0]);
    let rows = Rows { z: &z, pattern: None, dimension: 1, weights: Some(&weights), steps: None };
    let eps = case.statement.threat.poison_rate;
    let free = f64::INFINITY;
    let line = case.line(|mass| BoundedSlope { mass, u: &u, conjugate: HINGE }, &rows);
    compare("hinge", line, |s| (1.0 - eps) * case.moved(s, 1.0, free) + case.loss(s));

    let line = case.line(|mass| LabelHinge { mass, u: &u }, &rows);
    compare("label-hinge", line, |s| {
        let moved = case.moved(s, 1.0, free);
        (1.0 - eps) * moved + case.loss(s) + eps * moved.max(case.moved(s, -1.0, free))
    });

    let clip = random.between(0.5, 1.2) * case.z;
    let short = (clip / case.z).min(1.0);
    let mut case = Case { z: case.z, ..Case::new(random, RowBound::ClippedHinge, 1.0 / short) };
    case.statement.learner.clip = Some(clip);
    let (low, high) = ([short * (1.0 - 1e-13)], [short * (1.0 + 1e-13)]);
    let eps = case.statement.threat.poison_rate;
    let make = |mass| Clipped { mass, clip, u: &u, low: &low, loss: ClippedLoss::Hinge(&high) };
    let line = case.line(make, &rows);
    compare("clipped-hinge", line, |s| (1.0 - eps) * case.moved(s, 1.0, clip) + case.loss(s));

    // The error: T need not be the smallest for these slopes, but it is above.
    let case = Case { z: case.z, ..Case::new(random, RowBound::ErrorHinge, 0.3) };
    let c = [random.between((1.0 - case.kappa0()).max(0.0), 1.0)];
    let u2 = [random.unit()];
    let (constant, y) = case.line(|mass| ErrorHinge { mass, u: &u, u2: &u2, c: &c }, &rows);
    let eps = case.statement.threat.poison_rate;
    for i in -20_000..=20_000 {
        let s = f64::from(i) / 1000.0;
        let f = (1.0 - eps) * case.moved(s, 1.0, free) + f64::from(u8::from(s <= 0.0));
        assert!(f - y * s <= constant + 1e-9 * (1.0 + constant.abs()), "error-hinge");
    }
}

fn logistic_kinds(random: &mut Random) {
    let u = [random.between(0.02, 0.98)];
    let case = Case::new(random, RowBound::Logistic, 1.0);
    let (z, weights) = ([case.z], [1.0]);
    let rows = Rows { z: &z, pattern: None, dimension: 1, weights: Some(&weights), steps: None };
    let (a, kappa0, eps) = (case.two_ak(), case.kappa0(), case.statement.threat.poison_rate);
    let (b, c) = (case.beta * case.z, case.alpha * case.statement.learner.learning_rate * case.z * case.z);
    let free = f64::INFINITY;
    let h = |w: f64, a: f64, y1: f64, y0: f64, b: f64, c: f64| {
        a * entropy(w) + y1 * w.ln() + y0 * (-w).ln_1p() + b * w + c * w * w
    };
    let (bb, bc, y) = ((1.0 - eps) * b, (1.0 - eps) * c, (kappa0 - 1.0) * u[0]);
    let w = [place(|w| h(w, kappa0, y, kappa0 - 1.0 - y, bb, bc), -30.0, 30.0)];
    let line = case.line(|mass| Logistic { mass, u: &u, w: &w }, &rows);
    compare("logistic", line, |s| (1.0 - eps) * case.moved(s, 1.0, free) + case.loss(s));

    let rest = kappa0 - 1.0 - y;
    let w = [place(|w| h(w, a, y, rest + eps * a, b, c), -30.0, 30.0)];
    let w2 = [place(|w| h(w, a, y + eps * a, rest, b - 2.0 * eps * c, c), -30.0, 30.0)];
    let line = case.line(|mass| LabelLogistic { mass, u: &u, w: &w, w2: &w2 }, &rows);
    compare("label-logistic", line, |s| {
        let moved = case.moved(s, 1.0, free);
        (1.0 - eps) * moved + case.loss(s) + eps * moved.max(case.moved(s, -1.0, free))
    });

    let y = kappa0 * u[0];
    let at = |low: f64, high: f64| place(|w| h(w, kappa0, y, kappa0 - y, bb, bc), low, high);
    let w = [if at(-30.0, 0.0) > 0.499_999 { 0.5 } else { at(-30.0, 0.0) }];
    let w2 = [if at(0.0, 30.0) < 0.500_001 { 0.5 } else { at(0.0, 30.0) }];
    let line = case.line(|mass| ErrorLogistic { mass, u: &u, w: &w, w2: &w2 }, &rows);
    compare("error-logistic", line, |s| {
        (1.0 - eps) * case.moved(s, 1.0, free) + f64::from(u8::from(s <= 0.0))
    });

    let clip = random.between(0.5, 1.2) * case.z;
    let short = (clip / case.z).min(1.0);
    let mut case = Case { z: case.z, ..Case::new(random, RowBound::ClippedLogistic, 1.0 / short) };
    case.statement.learner.clip = Some(clip);
    let (kappa0, eps) = (case.kappa0(), case.statement.threat.poison_rate);
    let low = [short * (1.0 - 1e-13)];
    let y = (kappa0 * low[0] - 1.0) * u[0];
    let bb = (1.0 - eps) * case.beta * case.z;
    let bc = (1.0 - eps) * case.alpha * case.statement.learner.learning_rate * case.z * case.z;
    let w = [place(|w| h(w, kappa0, y, kappa0 - 1.0 - y, bb, bc), -30.0, 30.0)];
    let make = |mass| Clipped { mass, clip, u: &u, low: &low, loss: ClippedLoss::Logistic(&w) };
    let (constant, slope) = case.line(make, &rows);
    for i in -20_000..=20_000 {
        let s = f64::from(i) / 1000.0;
        let f = (1.0 - eps) * case.moved(s, 1.0, clip) + case.loss(s);
        assert!(f - slope * s <= constant + 1e-9 * (1.0 + constant.abs()), "clipped-logistic {s}");
    }
}
