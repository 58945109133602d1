//! From a witness to the bounds of its cases: names are mapped to parts here.

use super::lambda::Lambda;
use super::shape::Shape;
use super::types::{Linear, LinearWitness, Lines, Loss, Method, Set, Target};
use super::{Evidence, theta};
use crate::assemble::{self, Quadratic};
use crate::exact::Dyadic;
use crate::failure::{Reason, require, require_each, require_not_negative, require_positive};
use crate::hinge::norm2;
use crate::lines::{
    self, Clipped, ClippedLoss, ErrorHinge, ErrorLogistic, Hinge, Interval, Kind, LabelHinge, LabelLogistic,
    Line, Logistic, Mass,
};
use crate::points::{self, Acting, Ellipsoid, Split};
use crate::rows::Rows;

/// The rows z_ij = (e_y − e_j) ⊗ x of a multi-class learner, with their weights.
fn pairs(rows: &Rows, classes: usize) -> (Vec<f64>, Vec<f64>) {
    let d = rows.dimension - 1;
    let (mut z, mut weights) = (vec![], vec![]);
    for i in 0..rows.len() {
        let label = rows.row(i)[0] as usize;
        let x = &rows.row(i)[1..];
        for other in (0..classes).filter(|&j| j != label) {
            let begin = z.len();
            z.resize(begin + classes * d, 0.0);
            for (j, &x) in x.iter().enumerate() {
                z[begin + label * d + j] = x;
                z[begin + other * d + j] = -x;
            }
            weights.push(rows.weight(i));
        }
    }
    (z, weights)
}

/// Everything that a proof needs.
pub(super) struct Prover<'a> {
    learner: &'a Linear,
    witness: &'a LinearWitness,
    evidence: &'a Evidence<'a>,
    shape: Shape,
    lambda: Lambda<'a>,
    ellipsoid: Option<Ellipsoid<'a>>,
}

impl<'a> Prover<'a> {
    /// Verifies the conditions that are the same for all rows and cases.
    pub(super) fn new(
        learner: &'a Linear,
        witness: &'a LinearWitness,
        evidence: &'a Evidence<'a>,
        shape: Shape,
    ) -> Result<Self, Reason> {
        let lambda = Lambda::new(learner, witness);
        require_positive(&lambda.alpha, "alpha")?;
        let cases = &witness.cases;
        require_each("tau", &cases.tau, |x| x > 0.0, "> 0")?;
        for (name, values) in [("nu", &cases.nu), ("outer", &cases.outer), ("inner", &cases.inner)] {
            require_each(name, values, |x| x >= 0.0, "≥ 0")?;
        }
        if let Some(radius) = learner.step.projection {
            let room = Dyadic::whole(4) * (&lambda.alpha * Dyadic::new(radius)).square();
            require_not_negative(&(room - norm2(&witness.beta)), "4α²ϱ² − ‖β‖²")?;
        }
        let ellipsoid = match (&learner.set, witness.omega) {
            (Set::Ellipsoid { q }, Some(omega)) => Some(Ellipsoid::new(q, omega, shape.dimension)?),
            _ => None,
        };
        theta::require_kept(learner, witness, evidence)?;
        Ok(Prover { learner, witness, evidence, shape, lambda, ellipsoid })
    }

    /// The bounds of all cases.
    pub(super) fn cases(&self) -> Result<Vec<Dyadic>, Reason> {
        let lines: Vec<Line> = self.witness.lines.iter().map(|l| self.line(l)).collect::<Result<_, _>>()?;
        (0..self.shape.cases).map(|i| self.case(i, &lines)).collect()
    }

    /// The bound of one case.
    fn case(&self, i: usize, lines: &[Line]) -> Result<Dyadic, Reason> {
        let (dataset, shell, part) = self.shape.place(i);
        let chosen = self.witness.cases.lines[i];
        let fits = |l: &Lines| l.dataset == dataset && l.shell == shell;
        let fits = self.witness.lines.get(chosen).is_some_and(fits);
        require(fits, format_args!("lines[{i}]"), chosen as f64, "of the case's dataset and shell")?;
        let region = theta::region(self.witness, i, shell, self.shape.parameters);
        let point = self.point(i, part)?;
        assemble::bound(&self.lambda, &lines[chosen], &point, &region)
    }

    /// The line above the rows.
    fn line(&self, lines: &Lines) -> Result<Line, Reason> {
        let rows = &self.evidence.data[lines.dataset];
        let total = rows.total_weight();
        let one = Dyadic::whole(1);
        let plain = |p: Dyadic, t: Dyadic, scale: Dyadic| Mass { rows, target: None, p, t, scale };
        match &self.learner.target {
            Target::Data => {
                if let Loss::Classes(classes) = self.learner.loss {
                    return self.class_line(lines, rows, classes);
                }
                lines::sum(&*self.kind(lines, plain(one.clone(), one.clone(), total)), &self.lambda, &one)
            }
            Target::Weights(weights) => {
                let weights = weights[lines.dataset].as_slice();
                let sum = Rows { weights: Some(weights), ..*rows }.total_weight();
                let scale = &total * &sum;
                let mass = Mass { rows, target: Some(weights), p: sum, t: total, scale };
                lines::sum(&*self.kind(lines, mass), &self.lambda, &one)
            }
            Target::Rows => {
                let Some(target) = &self.evidence.target else { return Err(self.no_parts("this target")) };
                let sum = target.total_weight();
                let scale = &total * &sum;
                let own =
                    Mass { rows: target, target: None, p: Dyadic::zero(), t: total, scale: scale.clone() };
                let own = self.interval(lines, own, "target", &lines.target_y, &lines.target_reach);
                let own = lines::sum(&own, &self.lambda, &one)?;
                let data = self.kind(lines, plain(sum, Dyadic::zero(), scale));
                let data = lines::sum(&*data, &self.lambda, &one)?;
                let slope = data.slope.iter().zip(&own.slope).map(|(a, b)| a + b).collect();
                Ok(Line { constant: data.constant + own.constant, slope, scale: data.scale })
            }
        }
    }

    /// The line above the rows of a multi-class learner; ‖g‖² ≤ K·S·‖x‖², and ‖z_ij‖² = 2‖x‖².
    fn class_line(&self, lines: &Lines, rows: &Rows, classes: usize) -> Result<Line, Reason> {
        let (z, weights) = pairs(rows, classes);
        let expanded = Rows { z: &z, dimension: self.shape.parameters, weights: Some(&weights) };
        let one = Dyadic::whole(1);
        let mass = Mass { rows: &expanded, target: None, p: one.clone(), t: one, scale: rows.total_weight() };
        let stretch = Dyadic::whole(classes as u64).half();
        lines::sum(&*self.kind(lines, mass), &self.lambda, &stretch)
    }

    /// The kind of rows that the method names.
    fn kind<'b>(&'b self, lines: &'b Lines, mass: Mass<'b>) -> Box<dyn Kind + 'b> {
        let Lines { u, u2, c, w, w2, low, high, .. } = lines;
        let clip = self.learner.step.clip.unwrap_or_default();
        match self.witness.method {
            Method::Hinge => Box::new(Hinge { mass, u }),
            Method::Interval => Box::new(self.interval(lines, mass, "z", &lines.y, &lines.reach)),
            Method::Logistic => Box::new(Logistic { mass, u, w }),
            Method::LabelHinge => Box::new(LabelHinge { mass, u }),
            Method::LabelLogistic => Box::new(LabelLogistic { mass, u, w, w2 }),
            Method::ErrorHinge => Box::new(ErrorHinge { mass, u, u2, c }),
            Method::ErrorLogistic => Box::new(ErrorLogistic { mass, u, w, w2 }),
            Method::ClippedHinge => Box::new(Clipped { mass, clip, u, low, loss: ClippedLoss::Hinge(high) }),
            Method::ClippedLogistic => {
                Box::new(Clipped { mass, clip, u, low, loss: ClippedLoss::Logistic(w) })
            }
        }
    }

    fn interval<'b>(
        &'b self,
        lines: &Lines,
        mass: Mass<'b>,
        name: &'static str,
        y: &'b [f64],
        reach: &'b [f64],
    ) -> Interval<'b> {
        let (centre, radius) = self
            .witness
            .shells
            .as_ref()
            .map_or((&[][..], 0.0), |s| (s.centre.as_slice(), s.radii[lines.shell]));
        Interval { mass, y, reach, centre, radius, name }
    }

    /// The quadratic above the point in case i, for one part of the set.
    fn point(&self, i: usize, part: usize) -> Result<Quadratic, Reason> {
        let (lambda, cases) = (&self.lambda, &self.witness.cases);
        let width = self.shape.tau_width;
        let tau = &cases.tau[i * width..(i + 1) * width];
        let acting = if self.learner.loss == Loss::Logistic { Acting::Logistic } else { Acting::Hinge };
        let split = |acting| {
            let nu = if lambda.free.is_empty() { Dyadic::new(cases.nu[i]) } else { lambda.two_ak.clone() };
            Split::new(lambda, nu, acting)
        };
        let d = self.shape.dimension;
        Ok(match (&self.learner.set, self.learner.loss) {
            (Set::Ball { radius }, Loss::Classes(classes)) => {
                let radius = Dyadic::new(*radius);
                if self.witness.by_label {
                    points::each_label(lambda, &split(acting), classes, part, &radius, tau[0])
                } else {
                    points::labels_together(lambda, &split(acting), classes, &radius, tau[0])
                }
            }
            (Set::Ball { .. } | Set::Any, _) => {
                let (radius, is_clipped) = self.learner.point_radius();
                let acting =
                    if is_clipped && acting == Acting::Logistic { Acting::ClippedLogistic } else { acting };
                points::ball(lambda, &split(acting), &Dyadic::new(radius), tau[0])
            }
            (Set::Box { radii }, _) => points::cuboid(lambda, &split(acting), radii, tau),
            (Set::Ellipsoid { .. }, _) => {
                let Some(set) = &self.ellipsoid else { return Err(self.no_parts("this set")) };
                let x = if cases.x.is_empty() { &[][..] } else { &cases.x[i * d..(i + 1) * d] };
                points::ellipsoid(lambda, &split(acting), set, tau[0], x)
            }
            (Set::Points { points: all }, _) => {
                let point = &all[part * d..(part + 1) * d];
                let w = cases.w.get(i).copied().unwrap_or_default();
                points::finite(lambda, acting, i, point, cases.share[i], w)?
            }
            (Set::Labels, _) => points::none(self.shape.parameters),
        })
    }

    fn no_parts(&self, with: &'static str) -> Reason {
        Reason::Parts { method: self.witness.method.name(), with }
    }
}
