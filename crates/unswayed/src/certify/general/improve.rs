//! The best α, β, τ and ν for all rows, from good ones for a sample: for one dataset and one case, where the bound is a smooth function of
//! them (but for kinks that many rows smooth out).
//!
//! For given numbers the best lines are those at the worst θ ([`super::large`]). With lines held fixed the bound's derivatives are easy, and
//! they are those of the bound with the best lines, too. A quasi-Newton method does the rest.

use rayon::prelude::*;
use unswayed_check::Loss;

use super::large::Newton;
use super::logistic::{Curve, highest};
use super::points::{PointSet, Symmetric};
use super::program::{CaseProgram, LAMBERT};
use super::rows::RowUnknowns;
use super::solve::{CaseFound, Found, LinesFound};
use super::theta::{Quadratic, sum};
use crate::certify::dot;
use crate::learner::highest as highest_pull;

/// Steps of the quasi-Newton method, at most.
const MOST_STEPS: usize = 150;
/// It ends when the last few steps together gained less than this, relative to max(1, bound).
const TOLERANCE: f64 = 2e-8;
/// It has converged if they gained less than this.
const CONVERGED: f64 = 1e-4;
/// Relative size of differences.
const DIFFERENCE: f64 = 1e-5;

/// Whether the task is of the kind that can be improved.
pub(super) fn applies(task: &CaseProgram) -> bool {
    let is_one = task.tables.len() == 1
        && task.tables[0].hostile == 0.0
        && task.shells.is_empty()
        && task.parts.len() == 1;
    let is_plain = task.constants.free.is_empty() && task.constants.projection.is_none();
    is_one && is_plain && task.constants.eps > 0.0 && !matches!(task.parts[0], PointSet::Point(_))
}

/// The numbers, improved, with lines for all rows; `width` is that over which slopes change.
pub(super) fn improve(task: &CaseProgram, start: &Found, width: f64) -> Found {
    let mut search = Search { task, width, least: least_alpha(task), theta: vec![] };
    let lines = &start.lines[0];
    let quadratic = Quadratic::new(task, &task.places()[0], start, &start.cases[0]);
    let (_, slope) = sum(task, start, lines);
    let v: Vec<f64> = slope.iter().zip(&quadratic.push).map(|(r, h)| r + h).collect();
    search.theta = quadratic.inverse(&v).iter().map(|x| x / 2.0).collect();
    let mut x = search.encode(start);
    let Some(mut now) = search.evaluate(&x) else { return start.clone() };
    let mut inverse = Inverse::new(x.len());
    let mut gains = vec![];
    for _ in 0..MOST_STEPS {
        let along = inverse.direction(&now.gradient);
        let Some((next, after)) = search.step(&x, &now, &along) else {
            // A kink, or an estimate that has gone wrong: once more from the gradient alone.
            if inverse.is_new {
                break;
            }
            inverse = Inverse::new(x.len());
            continue;
        };
        inverse.learn(&x, &next, &now.gradient, &after.gradient);
        gains.push(now.value - after.value);
        (x, now) = (next, after);
        let lately: f64 = gains.iter().rev().take(5).sum();
        if gains.len() >= 5 && lately < TOLERANCE * now.value.abs().max(1.0) {
            break;
        }
    }
    let lately: f64 = gains.iter().rev().take(5).sum();
    Found { converged: lately < CONVERGED * now.value.abs().max(1.0), ..now.found }
}

/// Numbers that are valid for every setting, if not good ones.
pub(super) fn start(task: &CaseProgram) -> Found {
    let constants = task.constants;
    let alpha = least_alpha(task).max(0.5) * 1.2;
    let nu = if constants.point_label.is_some() { alpha * constants.k } else { 0.0 };
    let mut case = CaseFound { nu, ..CaseFound::default() };
    if let PointSet::Symmetric(set) = &task.parts[0] {
        // A is half of what it is without adversary.
        let chi = 2.0 * alpha * constants.k - nu;
        let tau = |j: usize| constants.eps * chi * chi * set.span[j] / (alpha * constants.pull());
        let largest = (0..set.span.len()).map(tau).fold(f64::MIN_POSITIVE, f64::max);
        case.tau = vec![largest; set.price.len()];
    }
    let rows = vec![RowUnknowns::default(); task.tables[0].len()];
    let lines = vec![LinesFound { dataset: 0, shell: 0, rows, hostile: None }];
    let beta = vec![0.0; constants.parameters];
    Found { alpha, beta, lines, cases: vec![case], value: f64::INFINITY, converged: false }
}

/// Numbers of a similar task, with rows of this one.
pub(super) fn restart(task: &CaseProgram, near: &Found) -> Found {
    Found { lines: start(task).lines, cases: near.cases[..1].to_vec(), ..near.clone() }
}

/// κ must not be negative.
fn least_alpha(task: &CaseProgram) -> f64 {
    let constants = task.constants;
    let table = &task.tables[0];
    let rows =
        (0..table.len()).filter(|i| table.p[*i] > 0.0).map(|i| table.t[i] / (table.clip[i] * table.p[i]));
    let steepest = if task.kind.is_error() { 0.0 } else { rows.fold(0.0, f64::max) };
    steepest / (2.0 * constants.k * (1.0 - constants.eps)) * (1.0 + 1e-12)
}

struct Search<'a> {
    task: &'a CaseProgram<'a>,
    width: f64,
    least: f64,
    /// The worst model of the last evaluation.
    theta: Vec<f64>,
}

/// A bound, its gradient and what belongs to it.
struct Evaluated {
    value: f64,
    gradient: Vec<f64>,
    theta: Vec<f64>,
    found: Found,
}

impl Search<'_> {
    fn set(&self) -> Option<&Symmetric> {
        match &self.task.parts[0] {
            PointSet::Symmetric(set) => Some(set),
            _ => None,
        }
    }

    /// β, log(α − its least), and where there is a set: log of ν over 2αk − ν, log τ.
    fn encode(&self, found: &Found) -> Vec<f64> {
        let whole = 2.0 * found.alpha * self.task.constants.k;
        let mut x = found.beta.clone();
        x.push((found.alpha - self.least).max(1e-9 * found.alpha).ln());
        if self.set().is_some() {
            let share = (found.cases[0].nu / whole).clamp(1e-6, 1.0 - 1e-6);
            x.push((share / (1.0 - share)).ln());
            x.extend(found.cases[0].tau.iter().map(|tau| tau.ln()));
        }
        x
    }

    fn decode(&self, x: &[f64]) -> Found {
        let d = self.task.constants.parameters;
        let alpha = self.least + x[d].exp();
        let mut case = CaseFound::default();
        if self.set().is_some() {
            if self.task.constants.point_label.is_some() {
                case.nu = 2.0 * alpha * self.task.constants.k / (1.0 + (-x[d + 1]).exp());
            }
            case.tau = x[d + 2..].iter().map(|t| t.exp()).collect();
        }
        let lines = LinesFound { dataset: 0, shell: 0, rows: vec![], hostile: None };
        Found {
            alpha,
            beta: x[..d].to_vec(),
            lines: vec![lines],
            cases: vec![case],
            value: 0.0,
            converged: true,
        }
    }

    /// What the bound has besides the rows' constants, with r held fixed; `None` where A is not positive.
    fn shared(&self, found: &Found, slope: &[f64]) -> Option<f64> {
        let (task, case) = (self.task, &found.cases[0]);
        let quadratic = Quadratic::new(task, &task.places()[0], found, case);
        if !quadratic.is_positive() {
            return None;
        }
        let v: Vec<f64> = slope.iter().zip(&quadratic.push).map(|(r, h)| r + h).collect();
        let lambda = task.constants.lambda_cost(found.alpha, &found.beta);
        Some(
            lambda
                + quadratic.peak(&v)
                + self.set().map_or(0.0, |set| task.constants.eps * price(task, set, found)),
        )
    }

    fn evaluate(&self, x: &[f64]) -> Option<Evaluated> {
        let task = self.task;
        let mut found = self.decode(x);
        self.shared(&found, &vec![0.0; task.constants.parameters])?;
        let quadratic = Quadratic::new(task, &task.places()[0], &found, &found.cases[0]);
        let newton = Newton::new(task, &found, &quadratic, &found.lines[0]);
        let mut theta = self.theta.clone();
        newton.run(&mut theta, self.width);
        let rows = newton.lines(&theta, self.width);
        found.lines[0].rows = rows;
        let (height, slope) = sum(task, &found, &found.lines[0]);
        let value = height + self.shared(&found, &slope)?;
        let gradient = self.gradient(x, &found, &theta, &slope)?;
        found.value = value;
        value.is_finite().then_some(Evaluated { value, gradient, theta, found })
    }

    /// Differences of the bound with lines held fixed: of the rows' constants in α and b, of the rest in each unknown.
    fn gradient(&self, x: &[f64], found: &Found, theta: &[f64], slope: &[f64]) -> Option<Vec<f64>> {
        let (task, d) = (self.task, self.task.constants.parameters);
        let table = &task.tables[0];
        let h = DIFFERENCE;
        let rates: Vec<(f64, f64)> = (0..table.len())
            .into_par_iter()
            .map(|i| {
                let (own, b) = (&found.lines[0].rows[i], dot(&found.beta, table.row(i)));
                let height = |b: f64| task.kind.height(&task.row(table, None, i, found.alpha, b), own);
                // The slopes that a line may have depend on α: it is chosen anew, at the same score.
                let s = dot(theta, table.row(i));
                let at = |alpha: f64| {
                    let row = task.row(table, None, i, alpha, b);
                    let own = task.kind.line(&row, task.kind.bridge(&row), s, self.width);
                    task.kind.height(&row, &own) + s * task.kind.slope(&own)
                };
                let by_alpha =
                    (at(found.alpha * (1.0 + h)) - at(found.alpha * (1.0 - h))) / (2.0 * h * found.alpha);
                let by_b = (height(b + h) - height(b - h)) / (2.0 * h);
                (table.mass[i] * by_alpha, table.mass[i] * by_b)
            })
            .collect();
        let mut gradient = vec![0.0; x.len()];
        for (i, (by_alpha, by_b)) in rates.iter().enumerate() {
            gradient[..d].iter_mut().zip(table.row(i)).for_each(|(g, z)| *g += by_b * z);
            gradient[d] += by_alpha * (found.alpha - self.least);
        }
        for (j, gradient) in gradient.iter_mut().enumerate() {
            let at = |step: f64| {
                let mut x = x.to_vec();
                x[j] += step;
                self.shared(&self.decode(&x), slope)
            };
            *gradient += (at(h)? - at(-h)?) / (2.0 * h);
        }
        Some(gradient)
    }

    /// A step along a direction that makes the bound smaller, by halving.
    fn step(&mut self, x: &[f64], now: &Evaluated, along: &[f64]) -> Option<(Vec<f64>, Evaluated)> {
        let descent = dot(&now.gradient, along);
        let mut part = 1.0;
        while part > 1e-7 {
            let next: Vec<f64> = x.iter().zip(along).map(|(x, a)| x + part * a).collect();
            let lower = |after: &Evaluated| after.value < now.value + 1e-4 * part * descent;
            if let Some(after) = self.evaluate(&next).filter(lower) {
                self.theta.clone_from(&after.theta);
                return Some((next, after));
            }
            part /= 2.0;
        }
        None
    }
}

/// C + ½βᵀNβ of Lemma L7.
fn price(task: &CaseProgram, set: &Symmetric, found: &Found) -> f64 {
    let case = &found.cases[0];
    let half: f64 = set.price.iter().zip(&case.tau).map(|(price, tau)| price * tau / 2.0).sum();
    let d = half + found.alpha * task.constants.eta * set.squared;
    let beta = set.turn(&found.beta);
    let spread: f64 = (0..beta.len()).map(|j| set.span[j] * beta[j].powi(2) / case.tau[set.tau_of(j)]).sum();
    let nu = set.terms * case.nu;
    let acting = match task.loss {
        Loss::Logistic if task.is_cut => d + LAMBERT * nu,
        Loss::Multiclass(_) => d + nu,
        Loss::Logistic => {
            let curve = Curve { entropy: nu, second: nu, square: d, ..Curve::default() };
            highest(&curve).max(0.0)
        }
        loss => {
            let label = task.constants.point_label.unwrap_or_default();
            let above = |e, label| highest_pull(&e, label, nu, 0.0, d);
            loss.conjugate().map_or(f64::INFINITY, |e| above(e, label).max(above(e, -label)))
        }
    };
    acting + spread / 2.0
}

/// An estimate of the inverse Hessian, from steps and changes of the gradient (BFGS).
struct Inverse {
    matrix: Vec<Vec<f64>>,
    is_new: bool,
}

impl Inverse {
    fn new(size: usize) -> Self {
        let matrix = (0..size).map(|i| (0..size).map(|j| if i == j { 1.0 } else { 0.0 }).collect()).collect();
        Inverse { matrix, is_new: true }
    }

    /// −H⁻¹∇, at first of moderate length.
    fn direction(&self, gradient: &[f64]) -> Vec<f64> {
        let scale = if self.is_new { 0.1 / dot(gradient, gradient).sqrt().max(1e-300) } else { 1.0 };
        self.matrix.iter().map(|row| -scale * dot(row, gradient)).collect()
    }

    fn learn(&mut self, from: &[f64], to: &[f64], before: &[f64], after: &[f64]) {
        let step: Vec<f64> = to.iter().zip(from).map(|(a, b)| a - b).collect();
        let change: Vec<f64> = after.iter().zip(before).map(|(a, b)| a - b).collect();
        let curve = dot(&step, &change);
        if curve <= 1e-14 * dot(&step, &step).sqrt() * dot(&change, &change).sqrt() {
            return;
        }
        if self.is_new {
            let scale = curve / dot(&change, &change);
            self.matrix.iter_mut().enumerate().for_each(|(i, row)| row[i] = scale);
            self.is_new = false;
        }
        let moved: Vec<f64> = self.matrix.iter().map(|row| dot(row, &change)).collect();
        let factor = (1.0 + dot(&change, &moved) / curve) / curve;
        for (i, row) in self.matrix.iter_mut().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                *entry += factor * step[i] * step[j] - (moved[i] * step[j] + step[i] * moved[j]) / curve;
            }
        }
    }
}
