//! Random linear learners of every kind, and what one step of theirs does to λ, written out.

use unswayed::Dataset;
use unswayed::check::{Linear, LinearWitness, Loss, Set, Step, Target};

use super::random::Random;
use super::{dot, moved, norm, scaled};

/// A learner, its data, and the rows of its target if it has rows of its own.
#[derive(Clone, Debug)]
pub struct Case {
    pub learner: Linear,
    pub data: Vec<Dataset>,
    pub target: Option<Dataset>,
}

/// One of each: the losses, sets, targets, variants of the step, and whether the data drift.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub loss: usize,
    pub set: usize,
    pub target: usize,
    pub step: usize,
    pub drifts: bool,
}

impl Kind {
    pub fn all() -> Vec<Kind> {
        let mut all = vec![];
        for (loss, set, target) in
            (0..3).flat_map(|l| (0..6).flat_map(move |s| (0..3).map(move |t| (l, s, t))))
        {
            for (step, drifts) in (0..7).flat_map(|s| [(s, false), (s, true)]) {
                all.push(Kind { loss, set, target, step, drifts });
            }
        }
        all
    }
}

impl Case {
    /// A small setting of that kind: η up to 1, ε up to 0.5, norms beyond 1.
    pub fn draw(random: &mut Random, kind: Kind) -> Case {
        let loss = [Loss::Hinge, Loss::Logistic, Loss::Classes(2 + random.below(2))][kind.loss];
        let d = 1 + random.below(3) + usize::from(matches!(loss, Loss::Classes(_)));
        let step = step(random, kind.step, d);
        let longest = random.log(0.3, 3.0);
        let is_free = !step.free.is_empty();
        let data: Vec<Dataset> = (0..=usize::from(kind.drifts))
            .map(|_| {
                let rows = 2 + random.below(7);
                let weighted = !is_free && random.chance(0.4);
                dataset(random, loss, d, rows, longest, is_free, weighted)
            })
            .collect();
        let weights = |data: &Dataset, random: &mut Random| {
            let near = |p: f64, random: &mut Random| if p > 0.0 { p * random.within(0.3, 1.0) } else { 0.0 };
            data.probabilities().into_iter().map(|p| near(p, random)).collect::<Vec<f64>>()
        };
        let target = match kind.target {
            0 => Target::Data,
            1 => Target::Weights(data.iter().map(|data| weights(data, random)).collect()),
            _ => Target::Rows,
        };
        let rows = (kind.target == 2).then(|| {
            let rows = 1 + random.below(4);
            dataset(random, loss, d, rows, longest, false, false)
        });
        let is_kept = step.projection.is_some() && loss == Loss::Hinge && step.clip.is_none();
        let learner = Linear {
            learning_rate: random.log(0.01, 1.0),
            regularization: if is_kept && random.chance(0.3) { 0.0 } else { random.log(0.02, 0.9) },
            poison_rate: if random.chance(0.1) { 0.0 } else { random.log(0.005, 0.5) },
            loss,
            step,
            set: set(random, kind.set, d, longest),
            target,
        };
        Case { learner, data, target: rows }
    }

    /// Whether docs/learners.md has a proof for it.
    pub fn is_proved(&self) -> bool {
        let Linear { loss, set, target, step, .. } = &self.learner;
        let is_ball = matches!(set, Set::Ball { .. });
        let is_symmetric = is_ball || matches!(set, Set::Box { .. } | Set::Ellipsoid { .. });
        let (is_class, is_free) = (matches!(loss, Loss::Classes(_)), !step.free.is_empty());
        let clipped = step.clip.is_some();
        let classes = !is_class || (is_ball && *target == Target::Data && !clipped && !is_free);
        let sets = match set {
            Set::Any => clipped,
            Set::Labels => !clipped && *target == Target::Data,
            _ => !clipped || is_ball,
        };
        let rows = *target != Target::Rows || (*loss == Loss::Hinge && !clipped && !is_free);
        classes && sets && rows && (!is_free || (is_symmetric && !clipped && step.projection.is_none()))
    }

    /// Whether no point is too long for the lemmas on the logistic loss: η‖z‖² < 4k.
    pub fn is_short(&self) -> bool {
        let Linear { learning_rate: eta, regularization: sigma, set, .. } = &self.learner;
        let short = |z: &[f64]| eta * dot(z, z) < 3.999 * (1.0 - eta * sigma);
        let d = self.data[0].dimension();
        let points = if let Set::Points { points } = set { points.as_slice() } else { &[] };
        self.learner.loss != Loss::Logistic
            || self.data.iter().all(|data| data.iter().all(short)) && points.chunks(d).all(short)
    }

    pub fn refs(&self) -> Vec<&Dataset> {
        self.data.iter().collect()
    }
}

fn step(random: &mut Random, kind: usize, d: usize) -> Step {
    let ball = random.log(0.3, 20.0);
    let clip = random.log(0.1, 4.0);
    match kind {
        0 => Step::default(),
        1 => Step { batch: 2 + random.bits() % 7, ..Step::default() },
        2 => Step { projection: Some(ball), ..Step::default() },
        3 => Step { clip: Some(clip), ..Step::default() },
        4 => Step { clip: Some(clip), projection: Some(ball), batch: 3, ..Step::default() },
        5 => Step { free: vec![d - 1], ..Step::default() },
        _ => Step { free: vec![d - 1], projection: Some(ball), ..Step::default() },
    }
}

/// Rows near a direction with some noise, so that there is something to learn. The last column is ±1 if it is to be free.
fn dataset(
    random: &mut Random,
    loss: Loss,
    d: usize,
    rows: usize,
    longest: f64,
    is_free: bool,
    is_weighted: bool,
) -> Dataset {
    let truth = random.gaussian(d);
    let mut z = vec![];
    for _ in 0..rows {
        let mut row = moved(&scaled(&random.gaussian(d), 0.7), 1.0, &truth);
        let length = longest * random.unit().sqrt() / norm(&row).max(1e-9);
        for x in &mut row {
            *x *= length;
        }
        if let Loss::Classes(classes) = loss {
            row[0] = random.below(classes) as f64;
        }
        if is_free {
            row[d - 1] = if random.chance(0.5) { 1.0 } else { -1.0 };
        }
        z.extend(row);
    }
    let mut weights: Vec<f64> =
        (0..rows).map(|_| if random.chance(0.15) { 0.0 } else { random.unit() }).collect();
    weights[0] += 0.1;
    Dataset::from_rows(z, d, is_weighted.then_some(weights)).expect("rows")
}

fn set(random: &mut Random, kind: usize, d: usize, longest: f64) -> Set {
    let radius = longest * random.log(0.3, 2.0);
    match kind {
        0 => Set::Ball { radius },
        1 => Set::Box {
            radii: (0..d).map(|_| if random.chance(0.1) { 0.0 } else { radius * random.unit() }).collect(),
        },
        2 => {
            // LLᵀ for a random L.
            let l: Vec<Vec<f64>> = (0..d).map(|_| scaled(&random.gaussian(d), 0.6 * radius)).collect();
            let entry = |i: usize, j: usize| dot(&l[i], &l[j]) + if i == j { 0.01 * radius } else { 0.0 };
            Set::Ellipsoid {
                q: (0..d).flat_map(|j| (0..=j).map(move |i| (i, j))).map(|(i, j)| entry(i, j)).collect(),
            }
        }
        3 => {
            let points = 1 + random.below(4);
            Set::Points { points: scaled(&random.gaussian(points * d), radius / (d as f64).sqrt()) }
        }
        4 => Set::Labels,
        _ => Set::Any,
    }
}

/// G_λ of docs/learners.md, Section 1, from the step itself.
pub struct Residual<'a> {
    pub case: &'a Case,
    alpha: Vec<f64>,
    beta: &'a [f64],
    /// θ has no larger norm.
    pub ball: f64,
    /// The error counts, not the loss.
    of_error: bool,
}

impl<'a> Residual<'a> {
    pub fn new(case: &'a Case, witness: &'a LinearWitness) -> Self {
        let Linear { learning_rate, regularization, step, .. } = &case.learner;
        let k = 1.0 - learning_rate * regularization;
        let curve = |j| if step.free.contains(&j) { k * witness.alpha } else { witness.alpha };
        let shells = witness.shells.as_ref().map_or(f64::INFINITY, |shells| shells.ball);
        Residual {
            case,
            alpha: (0..witness.beta.len()).map(curve).collect(),
            beta: &witness.beta,
            ball: shells.min(step.projection.unwrap_or(f64::INFINITY)),
            of_error: witness.method.is_error(),
        }
    }

    pub fn parameters(&self) -> usize {
        self.beta.len()
    }

    /// −β/(2α), where λ is least.
    pub fn bottom(&self) -> Vec<f64> {
        self.beta.iter().zip(&self.alpha).map(|(b, a)| -b / (2.0 * a)).collect()
    }

    /// λ(θ') − λ(θ) for a step on z; `tie` is the activity of a margin that is 1 but for rounding.
    fn rise(&self, theta: &[f64], z: &[f64], tie: f64) -> f64 {
        let learner = &self.case.learner;
        let to = stepped(learner, theta, z, tie);
        let each = (0..theta.len()).map(|j| {
            let by = to[j] - theta[j];
            by * (self.alpha[j] * (to[j] + theta[j]) + self.beta[j])
        });
        each.sum::<f64>() / learner.learning_rate
    }

    /// The largest G over the datasets, and over the points tried.
    pub fn value(&self, theta: &[f64], random: &mut Random) -> f64 {
        let learner = &self.case.learner;
        let tie = random.share();
        let mut largest = f64::NEG_INFINITY;
        let poison = if learner.set == Set::Labels { 0.0 } else { self.worst_point(theta, random, tie) };
        for (index, data) in self.case.data.iter().enumerate() {
            let mut benign = 0.0;
            let mut labels = 0.0;
            for (z, p) in data.iter().zip(data.probabilities()) {
                let rise = self.rise(theta, z, tie);
                benign += p * rise;
                labels += p * rise.max(self.rise(theta, &scaled(z, -1.0), tie));
            }
            let poison = if learner.set == Set::Labels { labels } else { poison };
            let eps = learner.poison_rate;
            largest = largest.max((1.0 - eps) * benign + eps * poison + self.loss(index, theta));
        }
        largest
    }

    fn loss(&self, index: usize, theta: &[f64]) -> f64 {
        let data = &self.case.data[index];
        let of = |data: &Dataset, weights: &[f64]| {
            let total: f64 = weights.iter().sum();
            data.iter().zip(weights).map(|(z, w)| w / total * self.row_loss(theta, z)).sum::<f64>()
        };
        match (&self.case.learner.target, &self.case.target) {
            (Target::Weights(weights), _) => of(data, &weights[index]),
            (Target::Rows, Some(target)) => of(target, &target.probabilities()),
            _ => of(data, &data.probabilities()),
        }
    }

    fn row_loss(&self, theta: &[f64], z: &[f64]) -> f64 {
        let margins = margins(self.case.learner.loss, theta, z);
        if self.of_error {
            return f64::from(u8::from(margins.iter().any(|s| *s <= 0.0)));
        }
        let each = |s: &f64| match self.case.learner.loss {
            Loss::Logistic => (-s).max(0.0) + (-s.abs()).exp().ln_1p(),
            _ => (1.0 - s).max(0.0),
        };
        margins.iter().map(each).sum()
    }

    /// The largest rise over points of the adversary's set: the farthest along some directions, also shortened to a margin of 1.
    fn worst_point(&self, theta: &[f64], random: &mut Random, tie: f64) -> f64 {
        let learner = &self.case.learner;
        let d = self.case.data[0].dimension();
        if let Set::Points { points } = &learner.set {
            return points.chunks(d).map(|z| self.rise(theta, z, tie)).fold(f64::NEG_INFINITY, f64::max);
        }
        let k = 1.0 - learner.learning_rate * learner.regularization;
        let x: Vec<f64> =
            (0..theta.len()).map(|j| 2.0 * self.alpha[0] * k * theta[j] + self.beta[j]).collect();
        let mut best = self.rise(theta, &vec![0.0; d], tie);
        let mut look = |z: &[f64]| best = best.max(self.rise(theta, z, tie));
        if let Loss::Classes(classes) = learner.loss {
            for label in 0..classes {
                for _ in 0..4 {
                    look(&labelled(learner, &x, label, random));
                }
            }
            return best;
        }
        for turn in [0.0, 0.3, 1.0, 3.0, -1.0, f64::NAN] {
            let away = moved(&x, -turn * norm(&x) / norm(theta).max(1e-12), theta);
            let direction = if turn.is_nan() { random.gaussian(d) } else { away };
            let z = farthest(&learner.set, &direction);
            let s = dot(theta, &z);
            look(&z);
            for margin in [1.0 - 1e-9, random.unit()] {
                if s > margin {
                    look(&scaled(&z, margin / s));
                }
            }
        }
        best
    }
}

/// A learner in motion, with an adversary who pushes θ back.
pub struct Walker<'a> {
    case: &'a Case,
    residual: Residual<'a>,
}

impl<'a> Walker<'a> {
    pub fn new(case: &'a Case) -> Self {
        let residual = Residual { case, alpha: vec![], beta: &[], ball: f64::INFINITY, of_error: false };
        Walker { case, residual }
    }

    /// The average loss over so many steps, the start included.
    pub fn average(&self, start: &[f64], steps: usize, random: &mut Random) -> f64 {
        let Case { learner, data, .. } = self.case;
        let (mut theta, mut sum) = (start.to_vec(), 0.0);
        let cumulative: Vec<f64> = data[0]
            .probabilities()
            .iter()
            .scan(0.0, |sum, p| {
                *sum += p;
                Some(*sum)
            })
            .collect();
        for _ in 0..steps {
            sum += self.residual.loss(0, &theta);
            let place = random.unit();
            let drawn = cumulative.iter().position(|c| place < *c).unwrap_or(0);
            let z = if random.chance(learner.poison_rate) {
                self.against(&theta, random)
            } else {
                data[0].row(drawn).to_vec()
            };
            theta = stepped(learner, &theta, &z, 1.0);
        }
        sum / steps as f64
    }

    fn against(&self, theta: &[f64], random: &mut Random) -> Vec<f64> {
        let away = scaled(theta, -1.0);
        match self.case.learner.loss {
            Loss::Classes(classes) => labelled(&self.case.learner, &away, random.below(classes), random),
            _ => farthest(&self.case.learner.set, &away),
        }
    }
}

/// θ after a step on z.
fn stepped(learner: &Linear, theta: &[f64], z: &[f64], tie: f64) -> Vec<f64> {
    let k = 1.0 - learner.learning_rate * learner.regularization;
    let g = push(learner, theta, z, tie);
    let keep = |j: usize| if learner.step.free.contains(&j) { 1.0 } else { k };
    let to: Vec<f64> = (0..theta.len()).map(|j| keep(j) * theta[j] + learner.learning_rate * g[j]).collect();
    match learner.step.projection.filter(|ball| norm(&to) > *ball) {
        Some(ball) => scaled(&to, ball / norm(&to)),
        None => to,
    }
}

/// A point of a label that is farthest along Σ_j (x_y − x_j) over some of the other labels.
fn labelled(learner: &Linear, x: &[f64], label: usize, random: &mut Random) -> Vec<f64> {
    let Loss::Classes(classes) = learner.loss else { return vec![] };
    let d = x.len() / classes;
    let mut direction = vec![0.0; d];
    for other in (0..classes).filter(|j| *j != label) {
        if random.chance(0.7) {
            for j in 0..d {
                direction[j] += x[label * d + j] - x[other * d + j];
            }
        }
    }
    if random.chance(0.2) {
        direction = random.gaussian(d);
    }
    let share = if random.chance(0.7) { 1.0 } else { random.unit() };
    let x = scaled(&farthest(&learner.set, &direction), share);
    std::iter::once(label as f64).chain(x).collect()
}

fn farthest(set: &Set, u: &[f64]) -> Vec<f64> {
    let length = norm(u).max(1e-300);
    match set {
        Set::Ball { radius } => scaled(u, radius / length),
        Set::Any => scaled(u, 1e3 / length),
        Set::Box { radii } => u.iter().zip(radii).map(|(u, r)| r * u.signum()).collect(),
        Set::Ellipsoid { q } => {
            let entry = |i: usize, j: usize| q[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)];
            let qu: Vec<f64> = (0..u.len()).map(|i| (0..u.len()).map(|j| entry(i, j) * u[j]).sum()).collect();
            scaled(&qu, 1.0 / dot(u, &qu).sqrt().max(1e-300))
        }
        Set::Points { .. } | Set::Labels => vec![0.0; u.len()],
    }
}

/// θᵀz, or (Θ_y − Θ_j)ᵀx for the other labels j.
pub fn margins(loss: Loss, theta: &[f64], z: &[f64]) -> Vec<f64> {
    let Loss::Classes(classes) = loss else { return vec![dot(theta, z)] };
    let (label, x) = (z[0] as usize, &z[1..]);
    let score = |j: usize| dot(&theta[j * x.len()..(j + 1) * x.len()], x);
    (0..classes).filter(|j| *j != label).map(|j| score(label) - score(j)).collect()
}

/// Minus the gradient on a point, clipped.
fn push(learner: &Linear, theta: &[f64], z: &[f64], tie: f64) -> Vec<f64> {
    let margins = margins(learner.loss, theta, z);
    let hinge = |s: f64| if (s - 1.0).abs() < 1e-12 { tie } else { f64::from(u8::from(s < 1.0)) };
    let mut g = match learner.loss {
        Loss::Hinge => scaled(z, hinge(margins[0])),
        Loss::Logistic => scaled(z, 1.0 / (1.0 + margins[0].exp())),
        Loss::Classes(classes) => {
            let (label, x) = (z[0] as usize, &z[1..]);
            let mut g = vec![0.0; theta.len()];
            for (other, s) in (0..classes).filter(|j| *j != label).zip(&margins) {
                for (j, x) in x.iter().enumerate() {
                    g[label * (z.len() - 1) + j] += hinge(*s) * x;
                    g[other * (z.len() - 1) + j] -= hinge(*s) * x;
                }
            }
            g
        }
    };
    if let Some(clip) = learner.step.clip.filter(|clip| norm(&g) > *clip) {
        g = scaled(&g, clip / norm(&g));
    }
    g
}
