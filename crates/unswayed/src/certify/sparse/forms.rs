//! The programs that are solved for each loss, and what the solutions prove in floating point.

use super::dot;
use super::hinge::{HingeError, HingeLoss, Shares};
use super::logistic::LogisticLoss;
use super::newton::{Place, Solver};
use super::program::{ALPHA, NU, PAIRS, Program, TAU};

/// Rounds of multipliers at most, and the relative change of the bound that ends them.
const MOST_ROUNDS: usize = 30;
const CONVERGED: f64 = 1e-7;
/// The last barrier: it may cost so much of the bound.
const LEAST_BARRIER: f64 = 1e-8;
/// The last width of kinks: multipliers do the rest.
const LEAST_WIDTH: f64 = 0.01;
/// The round whose solution is the start of the next form.
const ROUGH: usize = 2;
/// Widths of kinks that are tried for the error.
const MOST_WIDTHS: usize = 8;
/// Barriers that are tried for the logistic loss, each a tenth of the one before.
const MOST_BARRIERS: usize = 7;

/// The numbers of the best proof of Theorem 2, and whether they are the best: x and u.
pub(super) fn hinge_loss(program: &Program, place: &mut Place) -> (Vec<f64>, Vec<f64>, bool) {
    let n = program.p.len();
    let mut envelope = HingeLoss { program, widths: [1.0, 1.0], centres: vec![[0.5, 0.5]; n] };
    let (mut best, mut converged) = ((f64::INFINITY, place.x.clone(), vec![0.0; n]), false);
    let (mut barrier, mut width, mut quiet, mut rough) = (1e-2, 1.0_f64, 0, place.clone());
    let mut tolerance = 1e-4_f64;
    for round in 0..MOST_ROUNDS {
        envelope.widths = [width * program.kappa_slope() * place.x[ALPHA], width];
        Solver { program, envelope: &envelope, barrier, tolerance }.solve(place);
        envelope.centres = envelope.multipliers(place.x[ALPHA], &place.products);
        if round <= ROUGH {
            rough = place.clone();
        }
        let raw: Vec<f64> = envelope.centres.iter().map(|c| c[1]).collect();
        let kappa = program.kappa(place.x[ALPHA]);
        let before = best.0;
        for shares in [polished(program, &place.x, raw.clone()), raw] {
            let slopes: Vec<f64> = shares.iter().map(|u| kappa * u).collect();
            let x = with_best_tau(program, &place.x, &slopes);
            let bound = bound(program, &x, &place.products, &shares);
            if bound < best.0 {
                best = (bound, x, shares);
            }
        }
        let (bound, gained) = (best.0, before - best.0);
        quiet = if gained < CONVERGED * bound && barrier <= LEAST_BARRIER { quiet + 1 } else { 0 };
        if quiet >= 2 {
            converged = true;
            break;
        }
        barrier = (barrier * 0.1).max(LEAST_BARRIER);
        width = (width * 0.5).max(LEAST_WIDTH);
        tolerance = (tolerance * 0.3).max(1e-11);
    }
    *place = rough;
    (best.1, best.2, converged)
}

/// The numbers of a good proof of Theorem 4, from a rough solution of Theorem 2: x, and u, u' and c of each row.
pub(super) fn hinge_error(program: &Program, place: &mut Place) -> (Vec<f64>, Vec<Shares>) {
    let mut best = (f64::INFINITY, place.x.clone(), Vec::new());
    let (mut width, mut barrier) = (0.5_f64, 1e-3);
    for _ in 0..MOST_WIDTHS {
        let envelope = HingeError { program, widths: [width, width] };
        Solver { program, envelope: &envelope, barrier, tolerance: 1e-4 * width }.solve(place);
        let shares = (0..program.p.len()).map(|i| {
            let [b, s] = place.products[i];
            envelope.shares(i, place.x[ALPHA], b, s)
        });
        let shares: Vec<Shares> = shares.collect();
        let kappa = program.kappa(place.x[ALPHA]);
        let slopes: Vec<f64> = shares.iter().map(|[u, u2, c]| (kappa + c) * u + (1.0 - c) * u2).collect();
        let x = with_best_tau(program, &place.x, &slopes);
        let bound = error_bound(program, &x, &place.products, &shares);
        if bound < best.0 {
            best = (bound, x, shares);
        }
        width *= 0.5;
        barrier = (barrier * 0.2).max(LEAST_BARRIER);
    }
    (best.1, best.2)
}

/// The numbers of the best proof with the rows of Lemma L3, and whether they are the best: x, and u and w of each row.
pub(super) fn logistic_loss(program: &Program, place: &mut Place) -> (Vec<f64>, Vec<[f64; 2]>, bool) {
    let envelope = LogisticLoss { program };
    let (mut best, mut converged, mut barrier) = ((f64::INFINITY, place.x.clone(), Vec::new()), false, 1e-2);
    for _ in 0..MOST_BARRIERS {
        converged = Solver { program, envelope: &envelope, barrier, tolerance: 1e-3 * barrier }.solve(place);
        let alpha = place.x[ALPHA];
        let line = |(i, [b, s]): (usize, &[f64; 2])| envelope.line(i, alpha, *b, *s);
        let lines: Vec<[f64; 3]> = place.products.iter().enumerate().map(line).collect();
        let kappa = program.kappa(alpha);
        let slopes: Vec<f64> = lines.iter().map(|[u, ..]| kappa * u).collect();
        let x = with_best_tau(program, &place.x, &slopes);
        let bound = value(program, &x, &place.products, &slopes, |i, _| lines[i][2]);
        if bound < best.0 {
            best = (bound, x, lines.iter().map(|[u, w, _]| [*u, *w]).collect());
        }
        barrier *= 0.1;
    }
    (best.1, best.2, converged)
}

/// The same x with the τ that is best for lines with these slopes.
fn with_best_tau(program: &Program, x: &[f64], slopes: &[f64]) -> Vec<f64> {
    let mut rows = vec![0.0; program.dimension];
    for (i, (y, p)) in slopes.iter().zip(&program.p).enumerate() {
        program.rows.add(i, p * y, &mut rows);
    }
    let beta: Vec<f64> = x[PAIRS..].iter().step_by(2).copied().collect();
    let (ww, wb, bb) = (dot(&rows, &rows), dot(&rows, &beta), dot(&beta, &beta));
    let (chi, reach) = (2.0 * program.k * x[ALPHA] - x[NU], program.eps * program.radius);
    let mut moved = x.to_vec();
    let mut value = |tau: f64| {
        moved[TAU] = tau;
        let (a, factor) = (program.curvature(&moved), reach * chi / tau - program.sigma);
        let v = ww + 2.0 * factor * wb + factor * factor * bb;
        let fixed = program.eps * program.acting(&moved).value + 0.5 * reach * bb / tau;
        if a > 0.0 { fixed + v.max(0.0) / (4.0 * a) } else { f64::INFINITY }
    };
    // Golden sections of the logarithm of τ/τ₀ − 1, where a(τ₀) = 0: a can be very small at the best τ.
    let least =
        x[TAU] * (1.0 - program.curvature(x) / (program.curvature(x) + 0.5 * reach * chi * chi / x[TAU]));
    let tau = |t: f64| least * (1.0 + t.exp());
    let (mut low, mut high) = (-32.0_f64, 2.0_f64);
    for _ in 0..100 {
        let (left, right) = (0.62 * low + 0.38 * high, 0.38 * low + 0.62 * high);
        if value(tau(left)) <= value(tau(right)) { high = right } else { low = left }
    }
    let found = tau(f64::midpoint(low, high));
    if value(found) < value(x[TAU]) {
        moved[TAU] = found;
    } else {
        moved[TAU] = x[TAU];
    }
    moved
}

/// B of Theorem 2 in floating point; infinite where it does not apply.
pub(super) fn bound(program: &Program, x: &[f64], products: &[[f64; 2]], shares: &[f64]) -> f64 {
    let kappa = program.kappa(x[ALPHA]);
    let slopes: Vec<f64> = shares.iter().map(|u| kappa * u).collect();
    value(program, x, products, &slopes, |i, jump| jump.max(0.0) - kappa * shares[i])
}

/// B for lines with these slopes and constants.
fn value(
    program: &Program,
    x: &[f64],
    products: &[[f64; 2]],
    slopes: &[f64],
    constant: impl Fn(usize, f64) -> f64,
) -> f64 {
    let a = program.curvature(x);
    if !(a > 0.0 && program.kappa(x[ALPHA]) >= 0.0) {
        return f64::INFINITY;
    }
    let v = slope(program, x, slopes);
    let row = |(i, [b, _]): (usize, &[f64; 2])| {
        let jump = (1.0 - program.eps) * (program.jump_slope(i) * x[ALPHA] + b);
        program.p[i] * constant(i, jump)
    };
    let rows: f64 = products.iter().enumerate().map(row).sum();
    let beta2: f64 = x[PAIRS..].iter().step_by(2).map(|b| b * b).sum();
    let point = program.acting(x).value + program.radius * beta2 / (2.0 * x[TAU]);
    rows + program.eps * point + dot(&v, &v) / (4.0 * a)
}

/// B of Theorem 4 in floating point, for κ ≥ 0.
pub(super) fn error_bound(program: &Program, x: &[f64], products: &[[f64; 2]], shares: &[Shares]) -> f64 {
    let kappa = program.kappa(x[ALPHA]);
    let slopes: Vec<f64> = shares.iter().map(|[u, u2, c]| (kappa + c) * u + (1.0 - c) * u2).collect();
    let row = |i: usize, jump: f64| {
        let [u, _, c] = shares[i];
        (jump + c).max(0.0) - (kappa + c) * u
    };
    value(program, x, products, &slopes, row)
}

/// v of Theorem 2, for lines with these slopes.
fn slope(program: &Program, x: &[f64], slopes: &[f64]) -> Vec<f64> {
    let chi = 2.0 * program.k * x[ALPHA] - x[NU];
    let factor = program.eps * program.radius * chi / x[TAU] - program.sigma;
    let mut v: Vec<f64> = x[PAIRS..].iter().step_by(2).map(|b| factor * b).collect();
    for (i, (y, p)) in slopes.iter().zip(&program.p).enumerate() {
        program.rows.add(i, p * y, &mut v);
    }
    v
}

/// The shares u after some rounds of coordinate descent: each is set to its best value for the others and x.
fn polished(program: &Program, x: &[f64], mut shares: Vec<f64>) -> Vec<f64> {
    const ROUNDS: usize = 3;
    let (kappa, a) = (program.kappa(x[ALPHA]), program.curvature(x));
    if !(a > 0.0 && kappa > 0.0) {
        return shares;
    }
    let slopes: Vec<f64> = shares.iter().map(|u| kappa * u).collect();
    let mut theta: Vec<f64> = slope(program, x, &slopes).iter().map(|v| v / (2.0 * a)).collect();
    for _ in 0..ROUNDS {
        for (i, u) in shares.iter_mut().enumerate() {
            let size = kappa * program.p[i] * program.squared[i] / (2.0 * a);
            if size > 0.0 {
                let next = (*u + (1.0 - program.rows.dot(i, &theta)) / size).clamp(0.0, 1.0);
                program.rows.add(i, kappa * program.p[i] * (next - *u) / (2.0 * a), &mut theta);
                *u = next;
            }
        }
    }
    shares
}
