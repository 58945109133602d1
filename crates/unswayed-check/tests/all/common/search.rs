//! G_λ by taking the learner's steps, and a search for its largest value.

use unswayed_check::{Loss, Set, Target};

use super::textbook::{margin_loss, regression_pull};
use super::{Problem, dot};

/// Deterministic pseudo-random numbers.
pub struct Random(pub u64);

impl Random {
    pub fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    pub fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as f64) as usize).min(n - 1)
    }

    pub fn vector(&mut self, n: usize, low: f64, high: f64) -> Vec<f64> {
        (0..n).map(|_| self.between(low, high)).collect()
    }

    /// Roughly normal.
    pub fn normal(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| (0..6).map(|_| self.unit()).sum::<f64>() - 3.0).collect()
    }
}

/// Minus its slope; at a kink the steeper side.
fn pull(loss: Loss, s: f64) -> f64 {
    let gap = (1.0 - s).max(0.0);
    match loss {
        Loss::Hinge | Loss::Multiclass(_) => f64::from(u8::from(s <= 1.0)),
        Loss::Logistic => 1.0 / (1.0 + s.exp()),
        Loss::SmoothHinge(q) => (gap / q).min(1.0),
        Loss::ModifiedHuber => (2.0 * gap).min(4.0),
        _ => regression_pull(loss, s, 1.0),
    }
}

impl Problem {
    /// The number in front of a row, 0 if there is none, and its features.
    fn split<'z>(&self, z: &'z [f64]) -> (f64, &'z [f64]) {
        if self.statement.learner.loss.is_regression() { (z[0], &z[1..]) } else { (0.0, z) }
    }

    /// One step.
    pub fn step(&self, theta: &[f64], z: &[f64]) -> Vec<f64> {
        let learner = &self.statement.learner;
        let mut g = vec![0.0; theta.len()];
        match learner.loss {
            Loss::Multiclass(classes) => {
                let (label, x) = (z[0] as usize, &z[1..]);
                let d = x.len();
                for j in (0..classes).filter(|&j| j != label) {
                    let margin = dot(&theta[label * d..], x) - dot(&theta[j * d..], x);
                    if margin <= 1.0 {
                        for (i, &x) in x.iter().enumerate() {
                            g[label * d + i] += x;
                            g[j * d + i] -= x;
                        }
                    }
                }
            }
            loss => {
                let (label, x) = self.split(z);
                let w = pull(loss, dot(theta, x) - label);
                g.iter_mut().zip(x).for_each(|(g, x)| *g = w * x);
            }
        }
        let norm = dot(&g, &g).sqrt();
        let short = learner.clip.map_or(1.0, |clip| if norm > clip { clip / norm } else { 1.0 });
        let decay = learner.learning_rate * learner.regularization;
        let next = |j: usize| {
            let k = if learner.unregularized.contains(&j) { 1.0 } else { 1.0 - decay };
            k * theta[j] + learner.learning_rate * short * g[j]
        };
        let next: Vec<f64> = (0..theta.len()).map(next).collect();
        let norm = dot(&next, &next).sqrt();
        let shrink = learner.projection.map_or(1.0, |radius| if norm > radius { radius / norm } else { 1.0 });
        next.into_iter().map(|x| shrink * x).collect()
    }

    fn lambda(&self, theta: &[f64]) -> f64 {
        let learner = &self.statement.learner;
        let k = 1.0 - learner.learning_rate * learner.regularization;
        let alpha = |j: usize| self.proof.alpha * if learner.unregularized.contains(&j) { k } else { 1.0 };
        let square: f64 = theta.iter().enumerate().map(|(j, t)| alpha(j) * t * t).sum();
        (square + dot(&self.proof.beta, theta)) / learner.learning_rate
    }

    /// What the loss (or the error) is on one row.
    pub fn loss(&self, theta: &[f64], z: &[f64]) -> f64 {
        let is_error = self.proof.rows.is_error();
        if let Loss::Multiclass(classes) = self.statement.learner.loss {
            let (label, x) = (z[0] as usize, &z[1..]);
            let d = x.len();
            let others = (0..classes).filter(|&j| j != label);
            let margins = others.map(|j| dot(&theta[label * d..], x) - dot(&theta[j * d..], x));
            let margins: Vec<f64> = margins.collect();
            if is_error {
                return f64::from(u8::from(margins.iter().any(|&m| m <= 0.0)));
            }
            return margins.iter().map(|m| (1.0 - m).max(0.0)).sum();
        }
        let (label, x) = self.split(z);
        let s = dot(theta, x) - label;
        if is_error { f64::from(u8::from(s <= 0.0)) } else { margin_loss(self.statement.learner.loss, s) }
    }

    /// The adversary's part for one of its points.
    fn move_by(&self, theta: &[f64], z: &[f64]) -> f64 {
        self.lambda(&self.step(theta, z)) - self.lambda(theta)
    }

    /// G_λ for a dataset and a point; with a label-only adversary the point is not used.
    pub fn residual(&self, dataset: usize, theta: &[f64], point: &[f64]) -> f64 {
        let (data, d, eps) = (&self.data[dataset], self.dimension, self.statement.threat.poison_rate);
        let count = data.len() / d;
        let weight = |i: usize| self.weights[dataset].as_ref().map_or(1.0, |w| w[i]);
        let total: f64 = (0..count).map(weight).sum();
        let target = |i: usize| match &self.statement.target {
            Target::Data => weight(i) / total,
            Target::Weights(t) => t[dataset][i] / t[dataset].iter().sum::<f64>(),
            Target::Rows(_) => 0.0,
        };
        let mut sum = 0.0;
        for (i, z) in data.chunks(d).enumerate() {
            let moved = self.move_by(theta, z);
            sum += (1.0 - eps) * weight(i) / total * moved + target(i) * self.loss(theta, z);
            if self.statement.threat.set == Set::LabelFlips {
                let turned: Vec<f64> = z.iter().map(|z| -z).collect();
                sum += eps * weight(i) / total * moved.max(self.move_by(theta, &turned));
            }
        }
        if let Some(rows) = &self.target {
            let count = rows.len() / d;
            sum += rows.chunks(d).map(|y| self.loss(theta, y)).sum::<f64>() / count as f64;
        }
        if self.statement.threat.set != Set::LabelFlips {
            sum += eps * self.move_by(theta, point);
        }
        sum + self.slowdown(theta)
    }

    /// δ(Λ(θ) − min Λ): what a learning rate that falls adds to the residual (Theorem A2).
    fn slowdown(&self, theta: &[f64]) -> f64 {
        let (alpha, beta) = (self.proof.alpha, &self.proof.beta);
        let above = alpha * dot(theta, theta) + dot(beta, theta) + dot(beta, beta) / (4.0 * alpha);
        self.statement.learner.schedule.map_or(0.0, |schedule| schedule.slowdown * above)
    }

    /// A point of the adversary's set near the wish.
    fn allowed(&self, wish: &[f64], random: &mut Random) -> Vec<f64> {
        let shrink = |x: &[f64], radius: f64| -> Vec<f64> {
            let norm = dot(x, x).sqrt();
            let f = if norm > radius { radius * (1.0 - 1e-12) / norm } else { 1.0 };
            x.iter().map(|x| f * x).collect()
        };
        match &self.statement.threat.set {
            Set::Ball { radius } => {
                if let Loss::Multiclass(classes) = self.statement.learner.loss {
                    let label = random.below(classes) as f64;
                    return [&[label], shrink(&wish[..self.dimension - 1], *radius).as_slice()].concat();
                }
                shrink(wish, *radius)
            }
            Set::Features { radius, constant } => {
                let b = self.statement.learner.unregularized[0];
                let is_negative = !self.statement.learner.loss.is_regression() && wish[b] < 0.0;
                let mut x = wish.to_vec();
                x[b] = 0.0;
                let mut point = shrink(&x, *radius);
                point[b] = if is_negative { -constant } else { *constant };
                point
            }
            Set::Box { radii } => wish.iter().zip(radii).map(|(x, r)| x.clamp(-r, *r)).collect(),
            Set::Ellipsoid { q } => {
                // The Cholesky factor takes the unit ball to the ellipsoid.
                let d = wish.len();
                let at = |i: usize, j: usize| q[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)];
                let mut l = vec![vec![0.0; d]; d];
                for i in 0..d {
                    for j in 0..=i {
                        let s: f64 = (0..j).map(|k| l[i][k] * l[j][k]).sum();
                        l[i][j] = if i == j { (at(i, i) - s).sqrt() } else { (at(i, j) - s) / l[j][j] };
                    }
                }
                let unit = shrink(wish, 1.0);
                l.iter().map(|row| dot(row, &unit)).collect()
            }
            Set::Points { points } => {
                let count = points.len() / self.dimension;
                let i = random.below(count);
                points[i * self.dimension..(i + 1) * self.dimension].to_vec()
            }
            Set::LabelFlips => vec![0.0; self.dimension],
            Set::Any => wish.iter().map(|x| 5.0 * x).collect(),
        }
    }

    /// The largest G_λ found; if the learning rate may change, also at a smaller one.
    pub fn search(&self, random: &mut Random, starts: usize, steps: usize) -> f64 {
        let found = self.search_rate(random, starts, steps);
        if self.statement.learner.schedule.is_none() {
            return found;
        }
        let mut slower = self.clone();
        slower.statement.learner.learning_rate *= random.unit();
        found.max(slower.search_rate(random, starts, steps))
    }

    /// Random starts, then steps that improve.
    fn search_rate(&self, random: &mut Random, starts: usize, steps: usize) -> f64 {
        let parameters = self.proof.beta.len();
        let inside = |theta: Vec<f64>| -> Vec<f64> {
            let ball = self.proof.shells.as_ref().map(|s| s.ball);
            let radius = self.statement.learner.projection.or(ball).unwrap_or(f64::INFINITY);
            let norm = dot(&theta, &theta).sqrt();
            let f = if norm > radius { radius / norm } else { 1.0 };
            theta.into_iter().map(|x| f * x).collect()
        };
        let mut largest = f64::NEG_INFINITY;
        for _ in 0..starts {
            let dataset = random.below(self.data.len());
            let size = 10_f64.powf(random.between(-1.0, 1.3));
            let mut theta = inside(random.normal(parameters).iter().map(|x| size * x).collect());
            let mut point = self.best_point(&theta, random);
            let mut best = self.residual(dataset, &theta, &point);
            let mut reach = size;
            for _ in 0..steps {
                let shift = random.normal(parameters);
                let new = theta.iter().zip(&shift).map(|(t, s)| t + reach * s);
                let new = inside(self.at_kink(new.collect(), dataset, random));
                let new_point =
                    if random.below(2) == 0 { point.clone() } else { self.best_point(&new, random) };
                let value = self.residual(dataset, &new, &new_point);
                if value > best {
                    (theta, point, best) = (new, new_point, value);
                    reach *= 1.5;
                } else {
                    reach = (reach * 0.93).max(1e-6);
                }
            }
            largest = largest.max(best);
        }
        largest
    }

    /// Now and then θ is scaled so that a row just acts, or just does not.
    fn at_kink(&self, theta: Vec<f64>, dataset: usize, random: &mut Random) -> Vec<f64> {
        if random.below(4) > 0 || theta.len() != self.dimension {
            return theta;
        }
        let rows = self.data[dataset].len() / self.dimension;
        let i = random.below(rows);
        let s = dot(&theta, &self.data[dataset][i * self.dimension..(i + 1) * self.dimension]);
        if s.abs() < 1e-3 {
            return theta;
        }
        let f = (1.0 + 1e-9 * random.between(-1.0, 1.0)) / s;
        theta.iter().map(|x| f * x).collect()
    }

    /// A label that the adversary may send with these features: an extreme one, any one, or one near the prediction.
    fn label(&self, theta: &[f64], x: &[f64], random: &mut Random) -> f64 {
        let bound = self.statement.threat.label_bound.unwrap_or(50.0);
        match random.below(5) {
            0 | 1 => bound,
            2 => -bound,
            3 => random.between(-bound, bound),
            _ => (dot(theta, x) + random.between(-1.0, 1.0)).clamp(-bound, bound),
        }
    }

    /// Points along ±(2αkθ + β), ±θ, or just short of acting, or random ones.
    pub fn best_point(&self, theta: &[f64], random: &mut Random) -> Vec<f64> {
        let is_regression = self.statement.learner.loss.is_regression();
        let d = self.dimension - usize::from(is_regression);
        let k = 1.0 - self.statement.learner.learning_rate * self.statement.learner.regularization;
        let x: Vec<f64> =
            theta.iter().zip(&self.proof.beta).map(|(t, b)| 2.0 * self.proof.alpha * k * t + b).collect();
        let offset = if theta.len() > d { d * random.below(theta.len() / d) } else { 0 };
        let piece = |v: &[f64]| -> Vec<f64> {
            v[offset.min(v.len() - d.min(v.len()))..].iter().copied().take(d).collect()
        };
        let mut wish = match random.below(4) {
            0 => random.normal(d),
            1 => piece(theta),
            _ => piece(&x),
        };
        wish.resize(d, 0.0);
        let size = 10_f64.powf(random.between(-1.0, 1.0)) * if random.below(3) == 0 { -1.0 } else { 1.0 };
        for x in &mut wish {
            *x *= size;
        }
        if is_regression {
            let x = self.allowed(&wish, random);
            return [&[self.label(theta, &x, random)], x.as_slice()].concat();
        }
        if random.below(3) == 0 && theta.len() == d {
            // θᵀz a little below 1 along the wish.
            let s = dot(theta, &wish);
            if s > 1.0 {
                for x in &mut wish {
                    *x *= (1.0 - 1e-9) / s;
                }
            }
        }
        self.allowed(&wish, random)
    }
}
