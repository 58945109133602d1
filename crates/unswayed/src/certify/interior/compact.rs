//! Proofs whose size does not grow with the rows: a rule in place of numbers for each row (Lemma R1).
//!
//! At the solution of the saddle problem the shares of nearly all rows are told by the worst model θ: u = 1 where s = θᵀz < 1 and 0
//! where s > 1. Only rows on the kink, hardly ever more than d + 1 of them, have shares in between; these are exceptions.

use unswayed_check::{CaseProof, Lines, RowBound};

use super::Found;
use super::instance::{Instance, dot};
use super::theorem;

/// Gains that are tried: the steepest rule is not the best one if θ is not exact.
const GAINS: [f64; 6] = [1e2, 1e3, 1e4, 1e6, 1e8, 1e10];
/// Shares that differ by less are the same.
const SAME: f64 = 1e-6;

/// The shares u, u' and c of a row.
type Shares = [f64; 3];

/// The proof with a rule that loses least.
pub(super) fn by_rule(instance: &Instance, found: &Found) -> Found {
    let products: Vec<f64> = (0..instance.rows()).map(|i| dot(&found.point.theta, instance.row(i))).collect();
    let best = |a: Found, b: Found| if b.bound < a.bound { b } else { a };
    let tried = GAINS.map(|gain| with_gain(instance, found, &products, gain));
    tried.into_iter().reduce(best).unwrap_or_else(|| with_gain(instance, found, &products, GAINS[0]))
}

/// The proof by a rule of this gain. Its bound is that of the numbers that the rule stands for.
fn with_gain(instance: &Instance, found: &Found, products: &[f64], gain: f64) -> Found {
    let proof = &found.proof;
    let solved = |i: usize| shares(&proof.lines[0], i);
    let ruled: Vec<Shares> =
        products.iter().enumerate().map(|(i, s)| rule(instance, proof, i, *s, gain)).collect();
    let is_error = proof.rows == RowBound::ErrorHinge;
    let places = if is_error { 3 } else { 1 };
    let differs = |i: &usize| -> f64 {
        solved(*i).iter().zip(&ruled[*i]).take(places).map(|(a, b)| (a - b).abs()).sum()
    };
    let mut exceptions: Vec<usize> = (0..instance.rows()).filter(|i| differs(i) > SAME).collect();
    exceptions.sort_by(|a, b| differs(b).total_cmp(&differs(a)));
    exceptions.truncate(instance.dimension + 1);
    exceptions.sort_unstable();
    let mut written_out = ruled;
    for &i in &exceptions {
        written_out[i] = solved(i);
    }
    let start = found.bound - theorem::bound(instance, proof);
    let full = lines(proof.rows, &written_out);
    let given: Vec<Shares> = exceptions.iter().map(|i| written_out[*i]).collect();
    let short = Lines {
        theta: found.point.theta.clone(),
        gain: vec![gain],
        exceptions: exceptions.iter().map(|i| *i as f64).collect(),
        ..lines(proof.rows, &given)
    };
    let with = |lines: Lines| CaseProof { lines: vec![lines], ..proof.clone() };
    let (rows, slope) = theorem::line_of_rows(instance, &with(full));
    let (proof, bound) = settled(instance, with(short), rows, &slope);
    Found { bound: bound + start, proof, converged: found.converged, point: found.point.clone() }
}

/// The proof with the τ and ν that are best for a line above the rows, and its bound. Neither is in the line, and the bound is
/// convex in both. What was best for exact shares can be far off: where a is nearly 0 they make v nearly 0, and a rule does not.
pub(super) fn settled(instance: &Instance, proof: CaseProof, rows: f64, slope: &[f64]) -> (CaseProof, f64) {
    let with = |tau: f64, nu: f64| {
        let mut proof = proof.clone();
        (proof.cases.tau, proof.cases.nu) = (vec![tau], vec![nu]);
        proof
    };
    let bound = |tau: f64, nu: f64| theorem::of_line(instance, &with(tau, nu), rows, slope);
    let (tau, nu) = (proof.cases.tau[0], proof.cases.nu[0]);
    if !instance.has_adversary() {
        let bound = bound(tau, nu);
        return (proof, bound);
    }
    let full = 2.0 * proof.alpha * instance.k;
    // a > 0 for τ above this.
    let least = |nu: f64| {
        instance.epsilon * instance.radius * (full - nu).powi(2) / (2.0 * proof.alpha * instance.pull())
    };
    let tau_of = |nu: f64| {
        let place = |w: f64| least(nu) + w.exp();
        place(lowest(TAU_RANGE, |w| bound(place(w), nu)))
    };
    let nu_of = lowest((0.0, full), |nu| bound(tau_of(nu), nu));
    let (best_tau, best_nu) = (tau_of(nu_of), nu_of);
    let (was, is) = (bound(tau, nu), bound(best_tau, best_nu));
    if is < was { (with(best_tau, best_nu), is) } else { (proof, was) }
}

/// Logarithms of how far τ may be above its least value.
const TAU_RANGE: (f64, f64) = (-25.0, 15.0);
/// Steps of a search, each of which leaves 0.618 of the interval.
const STEPS: usize = 48;

/// Where a function that falls and then rises is lowest, by golden section.
fn lowest((mut low, mut high): (f64, f64), f: impl Fn(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    for _ in 0..STEPS {
        let (a, b) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        if f(a) <= f(b) { high = b } else { low = a }
    }
    f64::midpoint(low, high)
}

/// What the rule gives for a row.
fn rule(instance: &Instance, proof: &CaseProof, i: usize, s: f64, gain: f64) -> Shares {
    let share = |x: f64| x.clamp(0.0, 1.0);
    let j =
        instance.j_of_alpha(i) * proof.alpha + (1.0 - instance.epsilon) * dot(&proof.beta, instance.row(i));
    let c = share((-j).max(-instance.kappa(proof.alpha)));
    [share((1.0 - s) * gain + 0.5), share(-s * gain + 0.5), c]
}

fn shares(lines: &Lines, i: usize) -> Shares {
    [&lines.u, &lines.u2, &lines.c].map(|numbers| numbers.get(i).copied().unwrap_or_default())
}

/// The numbers of rows under their names.
fn lines(kind: RowBound, shares: &[Shares]) -> Lines {
    let of = |place: usize| shares.iter().map(|shares| shares[place]).collect();
    match kind {
        RowBound::ErrorHinge => Lines { u: of(0), u2: of(1), c: of(2), ..Lines::default() },
        _ => Lines { u: of(0), ..Lines::default() },
    }
}
