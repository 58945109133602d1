//! The format's description, written down again in plain rational arithmetic: slow, with nothing
//! shared with the crate but its types. `None` means that a condition fails.

#![allow(dead_code, clippy::single_match_else)]

use dashu::rational::RBig;
use unswayed_check::{Certificate, Hinge, Learner, Mean, PaperWitness, Rows, Witness};

pub fn q(x: f64) -> RBig {
    RBig::try_from(x).expect("finite")
}

fn n(x: i32) -> RBig {
    RBig::from(x)
}

fn dot(a: &[RBig], b: &[RBig]) -> RBig {
    a.iter().zip(b).map(|(a, b)| a * b).fold(n(0), |s, x| s + x)
}

fn max(a: RBig, b: RBig) -> RBig {
    if a < b { b } else { a }
}

fn all(x: &[f64]) -> Vec<RBig> {
    x.iter().map(|&x| q(x)).collect()
}

/// Rows and normalised weights.
fn data(rows: &Rows) -> (Vec<Vec<RBig>>, Vec<RBig>) {
    let z: Vec<_> = rows.z.chunks(rows.dimension.max(1)).map(all).collect();
    let w = match rows.weights {
        Some(w) => all(w),
        None => vec![n(1); z.len()],
    };
    let total = w.iter().fold(n(0), |s, w| s + w);
    (z, w.iter().map(|w| w / &total).collect())
}

/// The exact value of a witness.
pub fn value(learner: &Learner, witness: &Witness, rows: &Rows) -> Option<RBig> {
    match learner {
        Learner::Hinge(hinge) => hinge_value(hinge, witness, rows),
        Learner::Mean(mean) => mean_value(mean, witness, rows),
    }
}

fn mean_value(mean: &Mean, witness: &Witness, rows: &Rows) -> Option<RBig> {
    let Witness::ClosedForm { alpha, nu } = witness else {
        return None;
    };
    let (a, nu, eta, eps) = (q(*alpha), q(*nu), q(mean.learning_rate), q(mean.poison_rate));
    let (r, noise) = (q(mean.squared_radius), q(mean.noise_trace));
    let trace = match mean.covariance_trace {
        Some(t) => (rows.z.is_empty() && t >= 0.0).then(|| q(t))?,
        None => {
            let (z, p) = data(rows);
            (!z.is_empty()).then_some(())?;
            let square = z.iter().zip(&p).fold(n(0), |s, (z, p)| s + p * dot(z, z));
            let mut mean2 = n(0);
            for j in 0..rows.dimension {
                let m = z.iter().zip(&p).fold(n(0), |s, (z, p)| s + p * &z[j]);
                mean2 += m.sqr();
            }
            square - mean2
        }
    };
    let good = eta > n(0) && eta < n(2) && eps >= n(0) && eps <= n(1);
    let good = good && r >= n(0) && noise >= n(0) && a > n(0) && nu >= n(0);
    let p = (n(2) * &eta - eta.sqr()) * &a - n(1);
    let qq = &nu - &eps * eta.sqr() * &a;
    let good = good && p >= n(0) && qq >= n(0);
    let good = good && p * qq >= (&eps * &eta * (n(1) - &eta) * &a).sqr();
    good.then(|| eta.sqr() * a * ((n(1) - eps) * trace + noise) + nu * r)
}

#[allow(clippy::too_many_lines)]
fn hinge_value(hinge: &Hinge, witness: &Witness, rows: &Rows) -> Option<RBig> {
    let (z, p) = data(rows);
    let (eta, sigma) = (q(hinge.learning_rate), q(hinge.regularization));
    let (eps, radius) = (q(hinge.poison_rate), q(hinge.radius));
    let (alpha, beta, tau, nu) = match witness {
        Witness::Convexity { alpha, beta, tau, nu, .. }
        | Witness::BoundedRange { alpha, beta, tau, nu, .. }
        | Witness::ZeroOne { alpha, beta, tau, nu, .. } => (q(*alpha), all(beta), q(*tau), q(*nu)),
        Witness::Paper(witness) => return paper_value(hinge, witness, rows),
        Witness::ClosedForm { .. } => return None,
    };
    let mut good = eta > n(0) && sigma > n(0) && &eta * &sigma < n(1);
    good &= eps >= n(0) && eps < n(1) && radius >= n(0) && !z.is_empty();
    good &= alpha > n(0) && tau > n(0) && nu >= n(0);
    good.then_some(())?;

    let k = n(1) - &eta * &sigma;
    let kappa0 = n(2) * &alpha * &k * (n(1) - &eps);
    let kappa = &kappa0 - n(1);
    let chi = n(2) * &alpha * &k - &nu;
    let (mut mu, mut ball) = (n(0), n(0));
    let in_01 = |x: &RBig| *x >= n(0) && *x <= n(1);
    let mut sum = n(0);
    let mut v = vec![n(0); rows.dimension];
    for i in 0..z.len() {
        let n2 = dot(&z[i], &z[i]);
        let j = (n(1) - &eps) * (n(2) * &alpha * &k + &alpha * &eta * &n2 + dot(&beta, &z[i]));
        let (t, g, y) = match witness {
            Witness::Convexity { u, .. } => {
                let u = q(u[i]);
                (kappa >= n(0) && in_01(&u)).then_some(())?;
                (max(j, n(0)), &kappa * &u, &kappa * &u)
            }
            Witness::ZeroOne { u, u2, c, .. } => {
                let (u, u2, c) = (q(u[i]), q(u2[i]), q(c[i]));
                let slope = &kappa0 - n(1) + &c;
                (in_01(&u) && in_01(&u2) && in_01(&c) && slope >= n(0)).then_some(())?;
                let y = &slope * &u + (n(1) - &c) * u2;
                (max(j + c, n(0)), slope * u, y)
            }
            Witness::BoundedRange { y, reach, mu: m, ball: b, .. } => {
                mu = q(*m);
                ball = q(*b);
                let (y, h) = (q(y[i]), q(reach[i]));
                let holds = mu >= n(0)
                    && &ball * &sigma >= radius
                    && (&ball * &sigma).sqr() >= n2
                    && h >= n(0)
                    && h.sqr() >= ball.sqr() * n2;
                holds.then_some(())?;
                let d = &y - &kappa;
                let left = &j + &d * (n(1) + &h);
                let t = if h >= n(1) {
                    max(max(left, j), max(n(0), -(&y * (h - n(1)))))
                } else {
                    max(left, j + d * (n(1) - h))
                };
                (t, y.clone(), y)
            }
            Witness::Paper(_) | Witness::ClosedForm { .. } => return None,
        };
        sum += &p[i] * (t - g);
        for (v, z) in v.iter_mut().zip(&z[i]) {
            *v += &p[i] * &y * z;
        }
    }
    let a = &alpha * &sigma * (n(2) - &eta * &sigma) + &mu - &eps * &radius * chi.sqr() / (n(2) * &tau);
    (a > n(0)).then_some(())?;
    let pull = &eps * &radius * chi / &tau - sigma;
    let v: Vec<_> = v.into_iter().zip(&beta).map(|(v, b)| v + &pull * b).collect();
    let b2 = &radius * dot(&beta, &beta) / (n(2) * &tau);
    let point = alpha * eta * radius.sqr() + nu + radius * tau / n(2) + b2;
    Some(sum + eps * point + mu * ball.sqr() + dot(&v, &v) / (n(4) * a))
}

/// A as rows.
fn full(w: &PaperWitness) -> Vec<Vec<RBig>> {
    let place = |i: usize, j: usize| i.max(j) * (i.max(j) + 1) / 2 + i.min(j);
    let d = w.b.len();
    (0..d).map(|i| (0..d).map(|j| q(w.a[place(i, j)])).collect()).collect()
}

/// sign·(A − shift) ≻ 0, by Gaussian elimination in rational numbers.
fn definite(a: &[Vec<RBig>], shift: f64, sign: i32) -> bool {
    let mut a = a.to_vec();
    for (i, row) in a.iter_mut().enumerate() {
        row[i] -= q(shift);
        for x in row.iter_mut() {
            *x *= n(sign);
        }
    }
    for k in 0..a.len() {
        if a[k][k] <= n(0) {
            return false;
        }
        for i in k + 1..a.len() {
            let factor = &a[i][k] / &a[k][k];
            let row = a[k].clone();
            a[i].iter_mut().zip(&row).for_each(|(x, y)| *x -= &factor * y);
        }
    }
    true
}

fn abs(x: &RBig) -> RBig {
    max(x.clone(), -x.clone())
}

#[allow(clippy::too_many_lines)]
fn paper_value(hinge: &Hinge, w: &PaperWitness, rows: &Rows) -> Option<RBig> {
    let (z, p) = data(rows);
    let (eta, sigma) = (q(hinge.learning_rate), q(hinge.regularization));
    let (eps, radius) = (q(hinge.poison_rate), q(hinge.radius));
    let d = rows.dimension;
    let mut good = eta > n(0) && sigma > n(0) && &eta * &sigma < n(1);
    good &= eps >= n(0) && eps < n(1) && radius >= n(0) && !z.is_empty();
    good &= w.a.len() == d * (d + 1) / 2 && w.b.len() == d && w.theta.len() == d && w.point.len() == d;
    good &= w.m.len() == z.len() && w.h.len() == z.len() * d;
    good.then_some(())?;
    let (nu8, nu9, nu10, delta) = (q(w.nu8), q(w.nu9), q(w.nu10), q(w.delta));
    let (ball, reach) = (q(w.ball), q(w.reach));
    let (a, b) = (full(w), all(&w.b));
    good &= nu8 >= n(0) && nu9 >= n(0) && nu10 >= n(0) && delta > n(0);
    good &= &ball * &sigma >= radius && reach >= n(0);
    good &= definite(&a, w.low, 1) && definite(&a, w.high, -1);
    let k = n(1) - &eta * &sigma;
    let shrink = &sigma * (n(2) - &eta * &sigma);
    for end in [q(w.low), q(w.high)] {
        let upper = &shrink * &end + &nu8 - &delta;
        let lower = &nu10 - &eps * &eta * &end - &delta;
        let cross = &nu9 - &eps * &k * &end;
        good &= upper >= n(0) && lower >= n(0) && upper * lower >= cross.sqr();
    }
    let (mut sum, mut slope) = (n(0), vec![n(0); d]);
    for (i, (z, p)) in z.iter().zip(&p).enumerate() {
        let n2 = dot(z, z);
        good &= (&ball * &sigma).sqr() >= n2 && reach.sqr() >= ball.sqr() * n2;
        let az: Vec<RBig> = a.iter().map(|row| dot(row, z)).collect();
        let (m, h) = (q(w.m[i]), all(&w.h[i * d..(i + 1) * d]));
        let (up, down) = (max(m.clone(), n(0)), max(-m.clone(), n(0)));
        let (mut idle, mut active) = (n(0), n(0));
        for j in 0..d {
            idle += abs(&h[j]);
            active += abs(&(&z[j] - n(2) * &k * (n(1) - &eps) * &az[j] - &h[j]));
            slope[j] += p * (&m * &z[j] - &h[j]);
        }
        let jump = (n(1) - &eps) * (&eta * dot(z, &az) + dot(&b, z)) + n(1);
        let t0 = (n(2) + &reach) * &down - &up + &ball * idle;
        let t1 = &reach * up + down + &ball * active + jump;
        sum += p * max(t0, t1);
    }
    good.then_some(())?;
    let (theta, point) = (all(&w.theta), all(&w.point));
    let mut value = sum + nu8.clone() * ball.sqr() + n(2) * &nu9 + &nu10 * radius.sqr();
    for j in 0..d {
        let (at, az) = (dot(&a[j], &theta), dot(&a[j], &point));
        let g1 = (&slope[j] - &sigma * &b[j]) / n(2);
        let g2 = &eps * &b[j] / n(2);
        let d1 = &shrink * &at + &nu8 * &theta[j] + &nu9 * &point[j] - &eps * &k * &az;
        let d2 = &nu9 * &theta[j] - &eps * &k * at + &nu10 * &point[j] - &eps * &eta * az;
        value += n(2) * (&g1 * &theta[j] + &g2 * &point[j]) - &theta[j] * &d1 - &point[j] * &d2;
        value += ((g1 - d1).sqr() + (g2 - d2).sqr()) / &delta;
    }
    Some(value)
}

/// What the start adds for the method `paper`.
fn paper_transient(hinge: &Hinge, w: &PaperWitness, steps: u64, start: &[RBig], m: RBig) -> Option<RBig> {
    let (ball, curve, b) = (q(w.ball), q(w.low) + &m, all(&w.b));
    (m >= n(0) && curve > n(0) && dot(start, start) <= ball.sqr()).then_some(())?;
    let square = full(w).iter().zip(start).fold(n(0), |s, (row, x)| s + dot(row, start) * x);
    let lowest = -(dot(&b, &b) / (n(4) * curve) + m * ball.sqr());
    Some((square + dot(&b, start) - lowest) / (q(hinge.learning_rate) * RBig::from(steps)))
}

/// What the start adds over a number of steps: α‖θ_0‖² + βᵀθ_0 less a lower bound on α‖θ‖² + βᵀθ.
pub fn transient(hinge: &Hinge, witness: &Witness, steps: u64, start: &[f64], m: f64) -> Option<RBig> {
    let (start, m) = (all(start), q(m));
    let (alpha, beta, ball) = match witness {
        Witness::Convexity { alpha, beta, .. } => {
            (m == n(0)).then_some(())?;
            (q(*alpha), all(beta), n(0))
        }
        Witness::BoundedRange { alpha, beta, ball, .. } => {
            let ball = q(*ball);
            (m >= n(0) && dot(&start, &start) <= ball.sqr()).then_some(())?;
            (q(*alpha), all(beta), ball)
        }
        Witness::Paper(witness) => return paper_transient(hinge, witness, steps, &start, m),
        _ => return None,
    };
    let lowest = -(dot(&beta, &beta) / (n(4) * (&alpha + &m)) + m * ball.sqr());
    let at_start = alpha * dot(&start, &start) + dot(&beta, &start);
    Some((at_start - lowest) / (q(hinge.learning_rate) * RBig::from(steps)))
}

/// Whether a certificate of these rows (whatever its digest says) claims only what is true.
pub fn holds(certificate: &Certificate, rows: &Rows) -> bool {
    let Some(loss) = value(&certificate.learner, &certificate.loss.witness, rows) else {
        return false;
    };
    let error = certificate.error.as_ref().is_none_or(|claim| {
        let value = value(&certificate.learner, &claim.witness, rows);
        value.is_some_and(|v| v <= q(claim.bound))
    });
    let horizon = certificate.horizon.as_ref().is_none_or(|h| {
        let Learner::Hinge(hinge) = &certificate.learner else {
            return false;
        };
        let extra = transient(hinge, &certificate.loss.witness, h.steps, &h.start, h.m);
        extra.is_some_and(|e| &loss + e <= q(h.bound))
    });
    loss <= q(certificate.loss.bound) && error && horizon
}
