//! Greedy attacks: make the loss right after the update, ℓ(θ'), as large as possible.
//!
//! On a ball, box or ellipsoid fgsm makes one gradient step from 0 to the edge, pgd several shorter ones, and keeps the best point. Of
//! finitely many points (a finite set, or a row with either label) fgsm takes the one with the largest product of its step and the
//! gradient, pgd the best of a few of those.

use unswayed_check::{Learner, Loss, Set, Statement};

use super::curve::Curve;
use super::equilibrium::passed;
use super::margins::Margins;
use super::measured::Measured;
use super::{Policy, dot, make_act, scale};
use crate::learner::{LANES, LinearState, Online, PointWeight, pull};
use crate::simulate::Region;

/// pgd's number of steps, and the length of each as a fraction of the set's; of a finite set it looks at as many points.
const PGD_STEPS: usize = 10;
const PGD_STRIDE: f64 = 0.3;

/// Numbers of the target to look at for one point, about: of large ones every so-manieth row is enough for a direction.
const MOST_NUMBERS: usize = 30_000;

/// Gradient ascent on the next loss.
#[derive(Clone, Debug)]
pub(super) struct Greedy<'a> {
    statement: &'a Statement,
    /// What the loss is looked at on.
    view: Measured,
    reach: Region,
    /// Where the points of each class are, if their step weights differ.
    of_class: Option<[Region; 2]>,
    steps: usize,
    curve: Curve,
    /// The learner with batches of one point: a larger step in the same direction.
    state: LinearState,
    /// The margins of the point.
    margins: Margins,
    padded: Vec<[f64; LANES]>,
    next: Vec<f64>,
    gradient: Vec<f64>,
    push: Vec<f64>,
    direction: Vec<f64>,
    best: Vec<f64>,
    best_of_labels: Vec<f64>,
    /// For a finite set: the value of each point to first order, and the point.
    ranked: Vec<(f64, usize)>,
}

impl<'a> Greedy<'a> {
    /// One gradient step.
    pub fn fgsm(statement: &'a Statement, target: &'a Measured, reach: &'a Region, dimension: usize) -> Self {
        Greedy::new(statement, target, reach, dimension, 1)
    }

    /// Ten projected gradient steps.
    pub fn pgd(statement: &'a Statement, target: &'a Measured, reach: &'a Region, dimension: usize) -> Self {
        Greedy::new(statement, target, reach, dimension, PGD_STEPS)
    }

    fn new(
        statement: &'a Statement,
        target: &'a Measured,
        reach: &'a Region,
        dimension: usize,
        steps: usize,
    ) -> Self {
        let labels = if let Loss::Multiclass(classes) = statement.learner.loss { classes } else { 1 };
        let single = Learner { batch: 1, ..statement.learner.clone() };
        let blank = vec![0.0; dimension];
        let margins = Margins::new(statement.learner.loss, std::iter::once(blank.as_slice()), dimension);
        Greedy {
            statement,
            view: target.thinned(MOST_NUMBERS / (labels * steps)),
            reach: reach.clone(),
            of_class: reach.by_class().filter(|_| PointWeight::new(statement).is_by_class()),
            steps,
            curve: Curve::for_search(statement.learner.loss)[0],
            state: LinearState::new(&single, dimension),
            next: vec![0.0; margins.parameters()],
            gradient: vec![0.0; margins.parameters()],
            margins,
            padded: vec![[0.0; LANES]; dimension.div_ceil(LANES)],
            push: blank.clone(),
            direction: blank.clone(),
            best_of_labels: blank.clone(),
            best: blank,
            ranked: Vec::new(),
        }
    }

    /// Numbers that a choice takes, about.
    pub fn cost(&self) -> f64 {
        (self.view.size() * self.steps) as f64
    }

    /// Puts the model after a step on z in `self.next`.
    fn advance(&mut self, theta: &[f64], z: &[f64]) {
        self.padded.as_flattened_mut()[..z.len()].copy_from_slice(z);
        self.state.restart(theta, 0);
        self.state.weighted_step(&self.padded, PointWeight::new(self.statement).of(z));
        self.state.theta(&mut self.next);
    }

    /// The loss after a step on z, with its gradient in `self.gradient`.
    fn next_loss(&mut self, theta: &[f64], z: &[f64]) -> f64 {
        self.advance(theta, z);
        self.view.gradient(&self.next, &mut self.gradient)
    }

    /// Ascends from the blank point in z and returns the loss after a step on the best point, which it leaves in z.
    fn ascend(&mut self, theta: &[f64], z: &mut [f64]) -> f64 {
        let stride = if self.steps == 1 { 1.0 } else { PGD_STRIDE };
        let mut best = f64::NEG_INFINITY;
        self.next_loss(theta, z);
        for step in 1..=self.steps {
            self.margins.replace(0, z);
            let passed = passed(self.statement, z);
            self.margins.lever(0, (theta, self.curve), passed, &self.gradient, &mut self.push);
            self.reach.farthest(&self.push, &mut self.direction);
            z.iter_mut().zip(&self.direction).for_each(|(z, d)| *z += stride * d);
            self.reach.bring_in(z);
            self.make_act(theta, z);
            let loss = if step < self.steps { self.next_loss(theta, z) } else { self.last_loss(theta, z) };
            if loss > best || step == 1 {
                best = loss;
                self.best.copy_from_slice(z);
            }
        }
        z.copy_from_slice(&self.best);
        best
    }

    /// The loss after a step on z without its gradient, or 0 if there is nothing to compare it with.
    fn last_loss(&mut self, theta: &[f64], z: &[f64]) -> f64 {
        if self.steps == 1 && !matches!(self.statement.learner.loss, Loss::Multiclass(_)) {
            return 0.0;
        }
        self.advance(theta, z);
        self.view.loss_and_error(&self.next).0
    }

    /// A point that a hinge learner ignores is moved to where it acts, within the set.
    fn make_act(&self, theta: &[f64], z: &mut [f64]) {
        if self.statement.learner.loss == Loss::Hinge {
            make_act(theta, z);
            self.reach.bring_in(z);
            // Back in the set it may be ignored again; on the way to 0 it acts at some point, unless an entry is fixed that stands in
            // the way.
            let score = dot(theta, z);
            let fixed = self.reach.fixed_column().map(|column| (column, z[column]));
            let own = fixed.map_or(0.0, |(column, entry)| theta[column] * entry);
            if score > 1.0 && own < 1.0 {
                scale(z, (1.0 - 1e-12 - own).max(0.0) / (score - own));
                if let Some((column, entry)) = fixed {
                    z[column] = entry;
                }
            }
        }
    }

    /// Ascends with each label and leaves the best point in z.
    fn best_label(&mut self, theta: &[f64], classes: usize, z: &mut [f64]) {
        let (mut best, mut kept) = (f64::NEG_INFINITY, std::mem::take(&mut self.best_of_labels));
        for label in 0..classes {
            z.fill(0.0);
            z[0] = label as f64;
            let loss = self.ascend(theta, z);
            if loss > best {
                best = loss;
                kept.copy_from_slice(z);
            }
        }
        z.copy_from_slice(&kept);
        self.best_of_labels = kept;
    }

    /// Ascends among the points of each class and leaves the best point in z.
    fn best_class(&mut self, theta: &[f64], classes: [Region; 2], z: &mut [f64]) {
        let (mut best, mut kept) = (f64::NEG_INFINITY, std::mem::take(&mut self.best_of_labels));
        let whole = self.reach.clone();
        for class in classes {
            self.reach = class;
            z.fill(0.0);
            self.reach.bring_in(z);
            let mut worth = self.ascend(theta, z);
            if self.steps == 1 {
                // To first order.
                let weight = PointWeight::new(self.statement).of(z);
                worth = weight * pull(self.statement.learner.loss, dot(theta, z)) * dot(&self.gradient, z);
            }
            if worth > best {
                best = worth;
                kept.copy_from_slice(z);
            }
        }
        self.reach = whole;
        z.copy_from_slice(&kept);
        self.best_of_labels = kept;
    }

    /// The best of finitely many points, the i-th of which `write` writes.
    fn pick(&mut self, theta: &[f64], count: usize, z: &mut [f64], write: impl Fn(usize, &mut [f64])) {
        z.fill(0.0);
        self.next_loss(theta, z);
        self.ranked.clear();
        for i in 0..count {
            write(i, z);
            let effect = pull(self.statement.learner.loss, dot(theta, z)) * dot(&self.gradient, z);
            self.ranked.push((effect, i));
        }
        self.ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        self.ranked.truncate(self.steps);
        let mut best = (f64::NEG_INFINITY, self.ranked[0].1);
        for place in 0..self.ranked.len() {
            let i = self.ranked[place].1;
            write(i, z);
            let loss = self.last_loss(theta, z);
            if loss > best.0 {
                best = (loss, i);
            }
        }
        write(best.1, z);
    }
}

impl Policy for Greedy<'_> {
    fn name(&self) -> &'static str {
        if self.steps == 1 { "fgsm" } else { "pgd" }
    }

    fn choose(&mut self, theta: &[f64], z: &mut [f64]) {
        let statement = self.statement;
        match (&statement.threat.set, statement.learner.loss) {
            (Set::LabelFlips, _) => {
                self.direction.copy_from_slice(z);
                let row = std::mem::take(&mut self.direction);
                self.pick(theta, 2, z, |i, z| {
                    let sign = if i == 0 { 1.0 } else { -1.0 };
                    z.iter_mut().zip(&row).for_each(|(z, x)| *z = sign * x);
                });
                self.direction = row;
            }
            (Set::Points { points }, _) => {
                let d = z.len();
                self.pick(theta, points.len() / d, z, |i, z| z.copy_from_slice(&points[i * d..][..d]));
            }
            (_, Loss::Multiclass(classes)) => self.best_label(theta, classes, z),
            _ => {
                if let Some(classes) = self.of_class.clone() {
                    return self.best_class(theta, classes, z);
                }
                z.fill(0.0);
                self.reach.bring_in(z);
                self.ascend(theta, z);
            }
        }
    }
}
