//! Learner and data as the program sees them: numbers, and one table of rows for each dataset.

use unswayed_check::{Loss, PoisonWeight, Statement, Target};

use crate::certify::dot;
use crate::certify::start::StartCost;
use crate::data::Dataset;
use crate::error::CertifyError;
use crate::learner::parameters;

/// The numbers of a setting.
#[derive(Clone, Debug)]
pub(super) struct Constants {
    pub(super) eta: f64,
    pub(super) sigma: f64,
    /// δ of a learning rate that changes, else 0.
    pub(super) slowdown: f64,
    pub(super) eps: f64,
    /// k = 1 − ησ
    pub(super) k: f64,
    /// The entries of θ.
    pub(super) parameters: usize,
    /// Coordinates without regularization.
    pub(super) free: Vec<usize>,
    /// ϱ of the projection.
    pub(super) projection: Option<f64>,
    /// The largest step weight of the adversary's point.
    pub(super) point_weight: f64,
    /// The largest label of the adversary's point: 1 where points have margins, `None` if there is no largest.
    pub(super) point_label: Option<f64>,
    /// What a start costs, if the bound is for the first steps.
    pub(super) start: Option<StartCost>,
}

impl Constants {
    pub(super) fn new(statement: &Statement, columns: usize) -> Self {
        let (eta, sigma) = (statement.learner.learning_rate, statement.learner.regularization);
        Constants {
            eta,
            sigma,
            slowdown: statement.learner.schedule.map_or(0.0, |schedule| schedule.slowdown),
            eps: statement.threat.poison_rate,
            k: 1.0 - eta * sigma,
            parameters: parameters(statement.learner.loss, columns),
            free: statement.learner.unregularized.clone(),
            projection: statement.learner.projection,
            point_weight: statement.threat.poison_weight.map_or(1.0, PoisonWeight::largest),
            point_label: if statement.learner.loss.is_regression() {
                statement.threat.label_bound
            } else {
                Some(1.0)
            },
            start: None,
        }
    }

    /// ασ(2−ησ) − δα for α = 1: the curvature that the regularizer gives, less what a falling learning rate takes.
    pub(super) fn pull(&self) -> f64 {
        self.sigma * (2.0 - self.eta * self.sigma) - self.slowdown
    }

    /// σ − δ, the factor of −β in v.
    pub(super) fn lean(&self) -> f64 {
        self.sigma - self.slowdown
    }

    /// δ‖β‖²/(4α), and what a start costs.
    pub(super) fn lambda_cost(&self, alpha: f64, beta: &[f64]) -> f64 {
        let slowdown =
            if self.slowdown > 0.0 { self.slowdown * dot(beta, beta) / (4.0 * alpha) } else { 0.0 };
        slowdown + self.start.as_ref().map_or(0.0, |start| start.value(alpha, beta))
    }
}

/// A dataset, its target's rows after its own. Row i contributes mass_i times what its shares p_i of the data and t_i of the
/// target make of it.
#[derive(Clone, Debug)]
pub(super) struct RowTable {
    pub(super) z: Vec<f64>,
    pub(super) parameters: usize,
    pub(super) mass: Vec<f64>,
    /// 1, or the step weight; 0 for a row of the target alone.
    pub(super) p: Vec<f64>,
    pub(super) t: Vec<f64>,
    /// The label where it is a number, else 1.
    pub(super) label: Vec<f64>,
    /// What stands for ‖z‖² in what a row contributes.
    pub(super) n: Vec<f64>,
    /// ‖z‖.
    pub(super) length: Vec<f64>,
    /// r = min(1, G/‖z‖).
    pub(super) clip: Vec<f64>,
    /// How many of the rows are the dataset's own.
    pub(super) own: usize,
    /// The middle of the interval that each row's s is in, and how far from it s may be, where these are known otherwise than from a shell.
    pub(super) ranges: Vec<(f64, f64)>,
    /// ξ' = H/(W−H), the weight of the rows that may be hostile over that of the others.
    pub(super) hostile: f64,
}

impl RowTable {
    /// Rows.
    pub(super) fn len(&self) -> usize {
        self.mass.len()
    }

    /// 1 + ξ' = W/(W−H).
    pub(super) fn kept(&self) -> f64 {
        1.0 + self.hostile
    }

    /// Row i.
    pub(super) fn row(&self, i: usize) -> &[f64] {
        &self.z[i * self.parameters..][..self.parameters]
    }

    /// The dataset of the given index.
    pub(super) fn new(
        statement: &Statement,
        data: &Dataset,
        index: usize,
        target: Option<&Dataset>,
    ) -> Result<Self, CertifyError> {
        let mut table = match statement.learner.loss {
            Loss::Multiclass(classes) => pairs(data, classes),
            loss => plain(data, loss),
        };
        match (&statement.target, target) {
            (Target::Data, _) => {}
            (Target::Weights(weights), _) => {
                let own = weights.get(index).filter(|own| own.len() == table.own);
                let own = own.ok_or(CertifyError::Unsupported("a target without weights for all rows"))?;
                let total: f64 = own.iter().sum();
                let over = |(t, mass): (&f64, &f64)| if *t > 0.0 { t / total / mass } else { 0.0 };
                table.t = own.iter().zip(&table.mass).map(over).collect();
            }
            (Target::Rows(_), Some(target)) => table.append(&plain(target, statement.learner.loss)),
            (Target::Rows(_), None) => return Err(CertifyError::Unsupported("a target without rows")),
        }
        if let Some(&count) = statement.hostile_rows.get(index) {
            let mut heaviest = table.mass.clone();
            heaviest.sort_by(|a, b| b.total_cmp(a));
            let part: f64 = heaviest[..count].iter().sum();
            table.hostile = part / (1.0 - part);
        }
        let k = 1.0 - statement.learner.learning_rate * statement.learner.regularization;
        for i in 0..table.len() {
            // λ is flatter by k in the coordinates without regularization.
            let free: f64 = statement.learner.unregularized.iter().map(|j| table.row(i)[*j].powi(2)).sum();
            table.n[i] -= (1.0 - k) * free;
            // A step weight c makes a row count c-fold in the data, with c times its ‖z‖² (Lemma W1).
            let step = data.step_weights().and_then(|steps| steps.get(i)).copied().unwrap_or(1.0);
            table.n[i] *= step;
            table.p[i] *= step;
            table.clip[i] = statement.learner.clip.map_or(1.0, |clip| clip_ratio(clip, table.length[i]));
        }
        Ok(table)
    }

    /// Rows that the target alone has.
    fn append(&mut self, target: &RowTable) {
        self.t.fill(0.0);
        self.z.extend(&target.z);
        self.mass.extend(&target.mass);
        self.p.extend(vec![0.0; target.len()]);
        self.t.extend(vec![1.0; target.len()]);
        self.label.extend(&target.label);
        self.n.extend(&target.n);
        self.length.extend(&target.length);
        self.clip.extend(&target.clip);
    }

    /// One row of each so many, with the weights of data and target scaled back to what they were.
    pub(super) fn sample(&self, stride: usize) -> RowTable {
        // Not always the same place, which could be the same label or the same class.
        let place = |block: usize| block * stride + (block.wrapping_mul(2_654_435_761) >> 16) % stride;
        let kept: Vec<usize> =
            (0..self.len().div_ceil(stride)).map(place).filter(|i| *i < self.len()).collect();
        let pick = |values: &[f64]| kept.iter().map(|i| values[*i]).collect::<Vec<f64>>();
        let mut sample = RowTable {
            z: kept.iter().flat_map(|i| self.row(*i)).copied().collect(),
            parameters: self.parameters,
            mass: pick(&self.mass),
            p: pick(&self.p),
            t: pick(&self.t),
            label: pick(&self.label),
            n: pick(&self.n),
            length: pick(&self.length),
            clip: pick(&self.clip),
            own: kept.iter().filter(|i| **i < self.own).count(),
            ranges: kept.iter().filter_map(|i| self.ranges.get(*i).copied()).collect(),
            hostile: self.hostile,
        };
        let total = |table: &RowTable, part: fn(&RowTable) -> &[f64]| dot(&table.mass, part(table));
        let scale = total(self, |s| &s.p) / total(&sample, |s| &s.p);
        sample.mass.iter_mut().for_each(|mass| *mass *= scale);
        let scale = total(self, |s| &s.t) / total(&sample, |s| &s.t);
        sample.t.iter_mut().for_each(|t| *t *= scale);
        sample
    }
}

/// min(1, G/‖z‖), below 1 where rounding leaves a doubt.
fn clip_ratio(clip: f64, length: f64) -> f64 {
    let ratio = clip / length;
    if ratio > 1.0 + 1e-12 { 1.0 } else { ratio.min(1.0 - 1e-15) }
}

fn plain(data: &Dataset, loss: Loss) -> RowTable {
    let (mass, labels) = (data.probabilities(), loss.label_entries());
    let x = || data.iter().map(|row| &row[labels..]);
    let n: Vec<f64> = x().map(|x| dot(x, x)).collect();
    RowTable {
        z: x().flatten().copied().collect(),
        parameters: data.dimension() - labels,
        label: data.iter().map(|row| if labels > 0 { row[0] } else { 1.0 }).collect(),
        p: vec![1.0; mass.len()],
        t: vec![1.0; mass.len()],
        length: n.iter().map(|n| n.sqrt()).collect(),
        n,
        clip: vec![1.0; mass.len()],
        own: mass.len(),
        ranges: vec![],
        hostile: 0.0,
        mass,
    }
}

/// The rows z_ij = (e_y − e_j) ⊗ x of a multi-class learner. ‖g‖² is charged as K‖x‖² for each of them (Lemma L11).
fn pairs(data: &Dataset, classes: usize) -> RowTable {
    let d = data.dimension() - 1;
    let mut table = RowTable {
        z: vec![],
        parameters: classes * d,
        mass: vec![],
        p: vec![],
        t: vec![],
        label: vec![],
        n: vec![],
        length: vec![],
        clip: vec![],
        own: 0,
        ranges: vec![],
        hostile: 0.0,
    };
    for (row, p) in data.iter().zip(data.probabilities()) {
        let (label, x) = (row[0] as usize, &row[1..]);
        for other in (0..classes).filter(|other| *other != label) {
            let begin = table.z.len();
            table.z.resize(begin + classes * d, 0.0);
            for (j, x) in x.iter().enumerate() {
                table.z[begin + label * d + j] = *x;
                table.z[begin + other * d + j] = -x;
            }
            table.mass.push(p);
            table.n.push(classes as f64 * dot(x, x));
            table.length.push((2.0 * dot(x, x)).sqrt());
        }
    }
    let rows = table.mass.len();
    let ones = vec![1.0; rows];
    RowTable { p: ones.clone(), t: ones.clone(), label: ones.clone(), clip: ones, own: rows, ..table }
}
