//! The saddle point of a program: Newton's method for α, τ and ν, and within it for β and θ.
//!
//! For fixed α, τ, ν the saddle function is strongly convex in β and strongly concave in θ; its saddle value φ(α, τ, ν) is convex.
//! The inner systems are solved by MINRES. How the inner saddle point moves with the outer variables, three more such systems,
//! gives the second derivatives of φ and the next inner start.

use super::dot;
use super::minres::minres;
use super::program::{ALPHA, Envelope, Hessian, NU, PAIRS, Program, Slopes, TAU};

/// Newton steps at most, for β and θ and for α, τ and ν.
const MOST_INNER: usize = 25;
const MOST_OUTER: usize = 25;
/// Products with the Hessian for one system, at most.
const MOST_PRODUCTS: usize = 200;
/// How near the edge of what is allowed a step may go, and how often it is shortened.
const NEAR_EDGE: f64 = 0.9;
const MOST_HALVINGS: usize = 10;
/// The precision of the systems for the outer derivatives.
const SENSITIVITY: f64 = 1e-3;

/// A place with its products.
#[derive(Clone)]
pub(super) struct Place {
    pub x: Vec<f64>,
    pub products: Vec<[f64; 2]>,
}

impl Place {
    pub fn new(program: &Program, x: Vec<f64>) -> Self {
        Place { products: program.products(&x), x }
    }

    /// The place a step further.
    fn moved(&self, step: &[f64], along: &[[f64; 2]], length: f64) -> Self {
        let x = self.x.iter().zip(step).map(|(x, d)| x + length * d).collect();
        let moved = |(at, d): (&[f64; 2], &[f64; 2])| [at[0] + length * d[0], at[1] + length * d[1]];
        Place { x, products: self.products.iter().zip(along).map(moved).collect() }
    }
}

/// A program to solve.
pub(super) struct Solver<'p, 'a, E> {
    pub program: &'p Program<'a>,
    pub envelope: &'p E,
    pub barrier: f64,
    /// By how much the saddle value may be wrong.
    pub tolerance: f64,
}

impl<E: Envelope> Solver<'_, '_, E> {
    /// Moves to the saddle point. Returns whether it got there.
    pub fn solve(&self, place: &mut Place) -> bool {
        let mut slopes = self.inner(place, self.tolerance);
        for _ in 0..MOST_OUTER {
            let hessian = self.program.hessian(&place.x, &slopes.bends, self.barrier);
            let (reply, second) = sensitivity(&hessian, place.x.len());
            let force = [0, 1, 2].map(|j| -slopes.gradient[j]);
            let Some(outer) = solve3(second, force) else { return false };
            let decrement = outer.iter().zip(force).map(|(d, f)| d * f).sum::<f64>();
            if decrement <= self.tolerance {
                return decrement > -self.tolerance;
            }
            let mut step = vec![0.0; place.x.len()];
            for (d, reply) in outer.iter().zip(&reply) {
                step.iter_mut().zip(reply).for_each(|(step, reply)| *step += d * reply);
            }
            step[..PAIRS].copy_from_slice(&outer);
            let along = self.program.products(&step);
            let mut length = longest(self.program, &place.x, &step);
            let mut accepted = false;
            for _ in 0..MOST_HALVINGS {
                let mut next = place.moved(&step, &along, length);
                let found = self.inner(&mut next, (0.01 * decrement).max(self.tolerance));
                if found.value <= slopes.value - 0.1 * length * decrement {
                    (*place, slopes, accepted) = (next, found, true);
                    break;
                }
                length *= 0.3;
            }
            if !accepted {
                return false;
            }
        }
        false
    }

    /// For fixed α, τ, ν: moves β and θ to the saddle point.
    fn inner(&self, place: &mut Place, tolerance: f64) -> Slopes {
        let (program, envelope) = (self.program, self.envelope);
        let mut slopes = program.slopes(envelope, &place.x, &place.products, self.barrier);
        for _ in 0..MOST_INNER {
            let hessian = program.hessian(&place.x, &slopes.bends, self.barrier);
            let scales = hessian.scales();
            let size = |slopes: &Slopes| -> f64 {
                let scaled = slopes.gradient.iter().zip(&scales).skip(PAIRS);
                scaled.map(|(g, scale)| g * g / scale).sum()
            };
            let now = size(&slopes);
            if now <= tolerance {
                break;
            }
            let force: Vec<f64> = slopes.gradient.iter().map(|g| -g).collect();
            let step = system(&hessian, force, &scales, (tolerance / now).sqrt().clamp(1e-4, 0.1));
            let along = program.products(&step);
            let (mut length, mut best) = (1.0, None::<(f64, Place, Slopes)>);
            for _ in 0..MOST_HALVINGS {
                let next = place.moved(&step, &along, length);
                let found = program.slopes(envelope, &next.x, &next.products, self.barrier);
                let reached = size(&found);
                if best.as_ref().is_none_or(|(least, ..)| reached < *least) {
                    best = Some((reached, next, found));
                }
                if reached <= (1.0 - 0.2 * length) * now {
                    break;
                }
                length /= 2.0;
            }
            match best {
                Some((reached, next, found)) if reached < now => (*place, slopes) = (next, found),
                _ => break,
            }
        }
        slopes
    }
}

/// How (β, θ) follows each of α, τ, ν, and the second derivatives of φ.
fn sensitivity(hessian: &Hessian, length: usize) -> ([Vec<f64>; 3], [[f64; 3]; 3]) {
    let scales = hessian.scales();
    let columns = [ALPHA, TAU, NU].map(|j| {
        let (mut unit, mut column) = (vec![0.0; length], vec![0.0; length]);
        unit[j] = 1.0;
        hessian.product(&unit, &mut column);
        column
    });
    let reply = [ALPHA, TAU, NU].map(|j| {
        let force: Vec<f64> = columns[j].iter().map(|c| -c).collect();
        system(hessian, force, &scales, SENSITIVITY)
    });
    let second = |i: usize, j: usize| columns[i][j] + dot(&columns[i][PAIRS..], &reply[j][PAIRS..]);
    // Symmetric but for the precision of the replies.
    let mean = |i: usize| [0, 1, 2].map(|j| f64::midpoint(second(i, j), second(j, i)));
    let second = [mean(0), mean(1), mean(2)];
    (reply, second)
}

/// The step of (β, θ) that a force asks for.
fn system(hessian: &Hessian, mut force: Vec<f64>, scales: &[f64], precision: f64) -> Vec<f64> {
    force[..PAIRS].fill(0.0);
    let product = |v: &[f64], out: &mut [f64]| {
        hessian.product(v, out);
        out[..PAIRS].fill(0.0);
    };
    minres(product, &force, scales, precision, MOST_PRODUCTS)
}

/// Solves a system of three equations with a positive definite matrix, which is made a little larger until it is one.
fn solve3(mut matrix: [[f64; 3]; 3], force: [f64; 3]) -> Option<[f64; 3]> {
    let sizes = [0, 1, 2].map(|j| matrix[j][j].abs().max(f64::MIN_POSITIVE));
    let mut more = 0.0;
    for _ in 0..40 {
        if let Some(found) = cholesky3(matrix, force) {
            return Some(found);
        }
        more = if more == 0.0 { 1e-9 } else { 4.0 * more };
        (0..3).for_each(|j| matrix[j][j] += more * sizes[j]);
    }
    None
}

fn cholesky3(a: [[f64; 3]; 3], force: [f64; 3]) -> Option<[f64; 3]> {
    let (mut l, mut y) = ([[0.0; 3]; 3], [0.0; 3]);
    for i in 0..3 {
        for j in 0..=i {
            let rest = a[i][j] - (0..j).map(|k| l[i][k] * l[j][k]).sum::<f64>();
            l[i][j] = if i == j { rest.sqrt() } else { rest / l[j][j] };
        }
        if l[i][i].is_nan() || l[i][i] <= 1e-9 * a[i][i].abs().sqrt() {
            return None;
        }
        y[i] = (force[i] - (0..i).map(|k| l[i][k] * y[k]).sum::<f64>()) / l[i][i];
    }
    for i in (0..3).rev() {
        y[i] = (y[i] - (i + 1..3).map(|k| l[k][i] * y[k]).sum::<f64>()) / l[i][i];
    }
    Some(y)
}

/// The longest step, at most 1, that keeps τ, ν, κ and a positive.
fn longest(program: &Program, x: &[f64], step: &[f64]) -> f64 {
    let mut length = 1.0_f64;
    let kappa = (program.kappa(x[ALPHA]), program.kappa_slope() * step[ALPHA]);
    for (value, change) in [(x[TAU], step[TAU]), (x[NU], step[NU]), kappa] {
        if change < 0.0 {
            length = length.min(-NEAR_EDGE * value / change);
        }
    }
    let now = program.curvature(x);
    let at = |length: f64| {
        let moved: Vec<f64> = (0..PAIRS).map(|j| x[j] + length * step[j]).collect();
        program.curvature(&moved)
    };
    while at(length) < (1.0 - NEAR_EDGE) * now {
        length *= 0.8;
    }
    length
}
