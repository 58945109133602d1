//! The format's description, written down again in plain rational arithmetic: slow, with nothing
//! shared with the crate but its types. `None` means that a condition fails.

use dashu_ratio::RBig;
use unswayed_check::{
    CaseProof, Certificate, Horizon, Loss, MeanBenign, MeanCertificate, PaperProof, Proof, RowBound, Rows,
    Set, Statement, Target,
};

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

/// The exact value of a proof for a hinge learner without variants, against a ball, judged by its one dataset.
pub fn value(statement: &Statement, proof: &Proof, rows: &Rows) -> Option<RBig> {
    let learner = &statement.learner;
    let variants = (learner.projection, learner.clip, learner.unregularized.len());
    assert_eq!((learner.loss, variants, &statement.target), (Loss::Hinge, (None, None, 0), &Target::Data));
    match proof {
        Proof::Cases(proof) => case_value(statement, proof, rows),
        Proof::Paper(proof) => paper_value(statement, proof, rows),
        Proof::Levels(_) => panic!("levels bound the error"),
        Proof::Contraction(_) => panic!("contraction has formulas of its own"),
    }
}

/// The exact value of a certificate about the mean learner.
pub fn mean_value(certificate: &MeanCertificate, rows: Option<&Rows>) -> Option<RBig> {
    let mean = &certificate.statement;
    let (a, nu) = (q(certificate.alpha), q(certificate.nu));
    let (eta, eps) = (q(mean.learning_rate), q(mean.poison_rate));
    let (r, noise) = (q(mean.squared_radius), q(mean.noise_trace));
    let trace = match (&mean.benign, rows) {
        (MeanBenign::CovarianceTrace(t), None) => (*t >= 0.0).then(|| q(*t))?,
        (MeanBenign::Samples(_), Some(rows)) => {
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
        _ => return None,
    };
    let good = eta > n(0) && eta < n(2) && eps >= n(0) && eps <= n(1);
    let good = good && r >= n(0) && noise >= n(0) && a > n(0) && nu >= n(0);
    let p = (n(2) * &eta - eta.sqr()) * &a - n(1);
    let qq = &nu - &eps * eta.sqr() * &a;
    let good = good && p >= n(0) && qq >= n(0);
    let good = good && p * qq >= (&eps * &eta * (n(1) - &eta) * &a).sqr();
    good.then(|| eta.sqr() * a * ((n(1) - eps) * trace + noise) + nu * r)
}

fn radius_of(statement: &Statement) -> RBig {
    let Set::Ball { radius } = statement.threat.set else { panic!("a ball") };
    q(radius)
}

/// What every proof needs of the statement.
fn is_good(statement: &Statement, rows: &Rows) -> bool {
    let (eta, sigma) = (q(statement.learner.learning_rate), q(statement.learner.regularization));
    let eps = q(statement.threat.poison_rate);
    let good = eta > n(0) && sigma > n(0) && &eta * &sigma < n(1) && !rows.z.is_empty();
    good && eps >= n(0) && eps < n(1) && radius_of(statement) >= n(0)
}

/// Theorem L1 with hinge rows, in one case for each shell.
fn case_value(statement: &Statement, proof: &CaseProof, rows: &Rows) -> Option<RBig> {
    let shells = proof.shells.as_ref().map_or(1, |s| s.radii.len());
    let mut largest = None;
    for shell in 0..shells {
        let value = shell_value(statement, proof, rows, shell)?;
        largest = Some(largest.map_or(value.clone(), |l| max(l, value)));
    }
    largest
}

#[allow(clippy::too_many_lines)]
fn shell_value(statement: &Statement, proof: &CaseProof, rows: &Rows, shell: usize) -> Option<RBig> {
    let (z, p) = data(rows);
    let (eta, sigma) = (q(statement.learner.learning_rate), q(statement.learner.regularization));
    let (eps, radius) = (q(statement.threat.poison_rate), radius_of(statement));
    let (alpha, beta) = (q(proof.alpha), all(&proof.beta));
    let (tau, nu) = (q(proof.cases.tau[shell]), q(proof.cases.nu[shell]));
    let lines = &proof.lines[proof.cases.lines[shell]];
    let good = is_good(statement, rows) && alpha > n(0) && tau > n(0) && nu >= n(0);
    (good && lines.shell == shell && lines.dataset == 0).then_some(())?;

    let k = n(1) - &eta * &sigma;
    let kappa0 = n(2) * &alpha * &k * (n(1) - &eps);
    let kappa = &kappa0 - n(1);
    let chi = n(2) * &alpha * &k - &nu;
    let in_01 = |x: &RBig| *x >= n(0) && *x <= n(1);
    // ω(r² − ‖θ−o‖²) + μ(‖θ−o‖² − r'²), as constant, slope and curvature.
    let (mut constant, mut v, mut curve) = (n(0), vec![n(0); rows.dimension], n(0));
    let mut centre = vec![n(0); rows.dimension];
    let mut outer_radius = n(0);
    if let Some(s) = &proof.shells {
        let (outer, inner) = (q(proof.cases.outer[shell]), q(proof.cases.inner[shell]));
        let radii = all(&s.radii);
        let (ball, last) = (q(s.ball), radii.last()?.clone());
        centre = all(&s.centre);
        let mut holds = outer >= n(0) && inner >= n(0) && ball > n(0) && radii[0] > n(0);
        holds &= radii.windows(2).all(|pair| pair[0] < pair[1]);
        holds &= last >= ball && (&last - &ball).sqr() >= dot(&centre, &centre);
        holds &= (&ball * &sigma).sqr() >= radius.sqr();
        holds &= z.iter().all(|z| (&ball * &sigma).sqr() >= dot(z, z));
        holds.then_some(())?;
        outer_radius = radii[shell].clone();
        let inner_radius = if shell == 0 { n(0) } else { radii[shell - 1].clone() };
        let o2 = dot(&centre, &centre);
        constant = &outer * (outer_radius.sqr() - &o2) + &inner * (&o2 - inner_radius.sqr());
        curve = &outer - &inner;
        v = centre.iter().map(|o| n(2) * &curve * o).collect();
    }
    for i in 0..z.len() {
        let n2 = dot(&z[i], &z[i]);
        let jump = (n(1) - &eps) * (n(2) * &alpha * &k + &alpha * &eta * &n2 + dot(&beta, &z[i]));
        // The row contributes at most t + y·s, both with the row's weight. One without weight contributes nothing.
        let (t, y) = match proof.rows {
            RowBound::BoundedSlope => {
                let u = q(lines.u[i]);
                ((kappa >= n(0) || p[i] == n(0)) && in_01(&u)).then_some(())?;
                let y = &kappa * &u;
                ((max(jump, n(0)) - &y) * &p[i], y * &p[i])
            }
            RowBound::ErrorHinge => {
                let (u, u2, c) = (q(lines.u[i]), q(lines.u2[i]), q(lines.c[i]));
                let slope = &kappa0 - n(1) + &c;
                let holds = slope >= n(0) || p[i] == n(0);
                (in_01(&u) && in_01(&u2) && in_01(&c) && holds).then_some(())?;
                let y = &slope * &u + (n(1) - &c) * u2;
                ((max(jump + c, n(0)) - slope * u) * &p[i], y * &p[i])
            }
            RowBound::Interval => {
                let (y, reach) = (q(lines.y[i]), q(lines.reach[i]));
                (reach >= n(0) && reach.sqr() >= outer_radius.sqr() * n2).then_some(())?;
                let (jump, kappa) = (jump * &p[i], &kappa * &p[i]);
                let middle = dot(&centre, &z[i]);
                let (low, high) = (&middle - &reach, middle + reach);
                // Lemma L4, condition by condition.
                let mut needed = vec![];
                if low <= n(1) {
                    let end = if high < n(1) { high.clone() } else { n(1) };
                    needed.push(&jump + (&kappa - &y) * (&low - n(1)));
                    needed.push(&jump + (&kappa - &y) * (end - n(1)));
                }
                if high >= n(1) {
                    needed.push(-(&y * (high - n(1))));
                    needed.push(-(&y * (max(low, n(1)) - n(1))));
                }
                (needed.into_iter().reduce(max)? - &y, y)
            }
            _ => return None,
        };
        constant += t;
        for (v, z) in v.iter_mut().zip(&z[i]) {
            *v += &y * z;
        }
    }
    let a = &alpha * &sigma * (n(2) - &eta * &sigma) + curve - &eps * &radius * chi.sqr() / (n(2) * &tau);
    (a > n(0)).then_some(())?;
    let pull = &eps * &radius * chi / &tau - sigma;
    let v: Vec<_> = v.into_iter().zip(&beta).map(|(v, b)| v + &pull * b).collect();
    let b2 = &radius * dot(&beta, &beta) / (n(2) * &tau);
    let point = alpha * eta * radius.sqr() + nu + radius * tau / n(2) + b2;
    Some(constant + eps * point + dot(&v, &v) / (n(4) * a))
}

/// A as rows.
fn full(w: &PaperProof) -> Vec<Vec<RBig>> {
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
fn paper_value(statement: &Statement, w: &PaperProof, rows: &Rows) -> Option<RBig> {
    let (z, p) = data(rows);
    let (eta, sigma) = (q(statement.learner.learning_rate), q(statement.learner.regularization));
    let (eps, radius) = (q(statement.threat.poison_rate), radius_of(statement));
    let d = rows.dimension;
    let mut good = is_good(statement, rows) && (statement.learner.batch == 1 || w.low >= 0.0);
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

/// What the start adds for the paper's program.
fn paper_transient(eta: &RBig, w: &PaperProof, steps: u64, start: &[RBig], m: RBig) -> Option<RBig> {
    let (ball, curve, b) = (q(w.ball), q(w.low) + &m, all(&w.b));
    (m >= n(0) && curve > n(0) && dot(start, start) <= ball.sqr()).then_some(())?;
    let square = full(w).iter().zip(start).fold(n(0), |s, (row, x)| s + dot(row, start) * x);
    let lowest = -(dot(&b, &b) / (n(4) * curve) + m * ball.sqr());
    Some((square + dot(&b, start) - lowest) / (eta * RBig::from(steps)))
}

/// What the start adds over a number of steps: α‖θ_0‖² + βᵀθ_0 less a lower bound on α‖θ‖² + βᵀθ.
pub fn transient(statement: &Statement, proof: &Proof, horizon: &Horizon, m: f64) -> Option<RBig> {
    let (start, m, eta) = (all(&horizon.start), q(m), q(statement.learner.learning_rate));
    let proof = match proof {
        Proof::Cases(proof) => proof,
        Proof::Paper(proof) => return paper_transient(&eta, proof, horizon.steps, &start, m),
        Proof::Levels(_) | Proof::Contraction(_) => return None,
    };
    let ball = match &proof.shells {
        None => (m == n(0)).then(|| n(0))?,
        Some(shells) => {
            let ball = q(shells.ball);
            (m >= n(0) && dot(&start, &start) <= ball.sqr()).then_some(ball)?
        }
    };
    let (alpha, beta) = (q(proof.alpha), all(&proof.beta));
    let lowest = -(dot(&beta, &beta) / (n(4) * (&alpha + &m)) + m * ball.sqr());
    let at_start = alpha * dot(&start, &start) + dot(&beta, &start);
    Some((at_start - lowest) / (eta * RBig::from(horizon.steps)))
}

/// Whether a certificate of these rows (whatever its digest says) claims only what is true.
pub fn holds(certificate: &Certificate, rows: &Rows) -> bool {
    let statement = &certificate.statement;
    let Some(loss) = value(statement, &certificate.loss.proof, rows) else {
        return false;
    };
    let error = certificate.error.as_ref().is_none_or(|claim| {
        let value = value(statement, &claim.proof, rows);
        value.is_some_and(|v| v <= q(claim.bound))
    });
    let horizon = match (&statement.horizon, &certificate.horizon) {
        (None, None) => true,
        (Some(horizon), Some(claim)) => {
            let proof = claim.proof.as_ref().unwrap_or(&certificate.loss.proof);
            let whole = value(statement, proof, rows).zip(transient(statement, proof, horizon, claim.m));
            whole.is_some_and(|(value, extra)| value + extra <= q(claim.bound))
        }
        _ => false,
    };
    loss <= q(certificate.loss.bound) && error && horizon
}

/// Requires a number to be the exact value rounded up. Quotients are rounded up in their 256th bit before that, so a value
/// that is a binary64 number itself may come out as the next one.
#[track_caller]
pub fn assert_rounded_up(found: f64, exact: &RBig) {
    assert!(q(found) >= *exact && q(found.next_down()) <= *exact, "{found}");
}
