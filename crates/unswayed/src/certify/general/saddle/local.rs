//! One row's own problem: its best line for given (α, b, s), subject to the inequalities of its unknowns ℓ.
//!
//! ```text
//! Ψ(α, b, s) = min over ℓ   cost + s·slope   where all slack_k(α, b, ℓ) ≥ 0
//! ```
//!
//! Slacks are affine, or an unknown less the supremum of a curve. Each has a multiplier λ_k > 0 and a room r_k > 0. A step aims at
//! λ_k·r_k = target_k and r_k = slack_k; while slacks bend, the rooms lag behind them. Here is a row's share of such a step, and the place
//! to begin from: the minimum with the barrier −Σ log slack_k.

use std::array::from_fn;

use super::super::affine::Affine;
use super::super::logistic::Curve;
use super::super::rows::RowConstraints;
use super::curves::{Form, Peak, Slack, Supremum, UNKNOWNS, WIDTH, form, inner};
use super::small::Small;

/// The most curves of a row.
const CURVES: usize = 4;
/// The most inequalities of a row.
pub(super) const SLACKS: usize = 12;
/// Newton steps to a row's centre, at most.
const MOST_STEPS: usize = 60;
/// They end when the next would be worth less than this.
const ENOUGH: f64 = 1e-6;

/// The problem of one row.
#[derive(Clone, Debug)]
pub(super) struct Local {
    unknowns: usize,
    fixed: Box<[Form]>,
    suprema: Box<[Supremum]>,
    cost: Form,
    slope: Form,
}

/// Where a row's unknowns are, the rooms and multipliers of its inequalities, and where its curves have their maxima.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    pub(super) own: [f64; UNKNOWNS],
    rooms: [f64; SLACKS],
    multipliers: [f64; SLACKS],
    peaks: [Peak; CURVES],
}

/// The inequalities at a place: slack less room, gradients, and K = Σ_k λ_k (∇slack∇slackᵀ/room − ∇²slack) in (α, b, ℓ).
pub(super) struct Expansion {
    gaps: [f64; SLACKS],
    gradients: [Form; SLACKS],
    hessian: [[f64; WIDTH]; WIDTH],
}

/// How a row answers to changes of u = (α, b, s): the second derivatives that are left without ℓ, and the changes of ℓ.
pub(super) struct Answer {
    /// αα, αb, bb, αs, bs, ss.
    pub(super) hessian: [f64; 6],
    push: [[f64; UNKNOWNS]; 3],
    follow: [[f64; UNKNOWNS]; 3],
    small: Small,
}

/// The gradient in u after a step of ℓ alone, and that step.
pub(super) struct Aimed {
    pub(super) gradient: [f64; 3],
    own: [f64; UNKNOWNS],
}

/// A row's step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Change {
    own: [f64; UNKNOWNS],
    rooms: [f64; SLACKS],
    multipliers: [f64; SLACKS],
}

/// What is wrong with a place, as the gradient of the Lagrangian in u and what the rest may be worth.
pub(super) struct Fault {
    pub(super) gradient: [f64; 3],
    pub(super) residual: f64,
    /// Σ λ·room.
    pub(super) products: f64,
    /// Cost and slope of the line, raised where it is too low.
    pub(super) value: f64,
}

/// How far a step may go, and Σ λ·room after a part t of it: the coefficients of 1, t and t².
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) step: f64,
    pub(super) products: [f64; 3],
}

impl Limits {
    pub(super) fn none() -> Limits {
        Limits { step: f64::INFINITY, products: [0.0; 3] }
    }

    /// One inequality more: its room and multiplier with their changes, and its weight in the sum.
    pub(super) fn add(&mut self, (room, by): (f64, f64), (multiplier, on): (f64, f64), weight: f64) {
        for (value, change) in [(room, by), (multiplier, on)] {
            if change < 0.0 {
                self.step = self.step.min(-value / change);
            }
        }
        let terms = [room * multiplier, room * on + multiplier * by, by * on];
        self.products.iter_mut().zip(terms).for_each(|(sum, term)| *sum += weight * term);
    }

    pub(super) fn join(mut self, other: Limits) -> Limits {
        self.step = self.step.min(other.step);
        self.products.iter_mut().zip(other.products).for_each(|(a, b)| *a += b);
        self
    }

    /// Σ λ·room after a part of the step.
    pub(super) fn after(&self, part: f64) -> f64 {
        self.products[0] + part * (self.products[1] + part * self.products[2])
    }
}

impl Local {
    /// From a row's place in the conic program, its variables being α, b and the unknowns in this order.
    pub(super) fn new(unknowns: usize, part: &RowConstraints) -> Local {
        assert!(part.fixed.len() + part.curves.len() <= SLACKS, "more inequalities than a row may have");
        Local {
            unknowns,
            fixed: part.fixed.iter().map(form).collect(),
            suprema: part.curves.iter().map(|arc| Supremum::new(arc, false)).collect(),
            cost: form(&part.cost),
            slope: form(&part.slope),
        }
    }

    /// A number C ≥ 0 that costs so much, not below some functions of two inputs and the supremum of a curve.
    pub(super) fn constant(price: f64, floors: &[Affine], curve: Option<Curve<Affine>>) -> Local {
        let above = |floor: &Affine| form(&(Affine::of(2) - floor.clone()));
        let free = |curve: Curve<Affine>| Supremum::new(&curve.everywhere(), true);
        Local {
            unknowns: 1,
            fixed: floors.iter().map(above).chain([form(&Affine::of(2))]).collect(),
            suprema: curve.map(free).into_iter().collect(),
            cost: form(&(Affine::of(2) * price)),
            slope: [0.0; WIDTH],
        }
    }

    /// How many inequalities there are.
    pub(super) fn count(&self) -> f64 {
        self.all().len() as f64
    }

    fn all(&self) -> std::ops::Range<usize> {
        0..self.fixed.len() + self.suprema.len()
    }

    fn point(&self, place: &Place, [alpha, b]: [f64; 2]) -> Form {
        let mut v = [1.0, alpha, b, 0.0, 0.0, 0.0, 0.0];
        v[3..3 + self.unknowns].copy_from_slice(&place.own[..self.unknowns]);
        v
    }

    fn slack(&self, k: usize, v: &Form, peaks: &[Peak; CURVES]) -> Slack {
        match self.fixed.get(k) {
            Some(fixed) => Slack { value: inner(fixed, v), gradient: *fixed, bend: None },
            None => self.suprema[k - self.fixed.len()].slack(v, &peaks[k - self.fixed.len()]),
        }
    }

    /// Finds the maxima of the curves.
    fn seek(&self, v: &Form, peaks: &mut [Peak; CURVES]) {
        self.suprema.iter().zip(peaks).for_each(|(supremum, peak)| *peak = supremum.peak(v, peak));
    }

    /// The inequalities at a place, the maxima of its curves being known; `None` if a room is not positive.
    pub(super) fn known(&self, place: &Place, inputs: [f64; 2]) -> Option<Expansion> {
        let v = self.point(place, inputs);
        let mut of = Expansion {
            gaps: [0.0; SLACKS],
            gradients: [[0.0; WIDTH]; SLACKS],
            hessian: [[0.0; WIDTH]; WIDTH],
        };
        for k in self.all() {
            let Slack { value, gradient, bend } = self.slack(k, &v, &place.peaks);
            let (room, multiplier) = (place.rooms[k], place.multipliers[k]);
            if room.is_nan() || room <= 0.0 {
                return None;
            }
            of.add(&gradient, multiplier / room);
            if let Some((along, factor)) = bend {
                of.add(&along, multiplier * factor);
            }
            (of.gaps[k], of.gradients[k]) = (value - room, gradient);
        }
        Some(of)
    }

    /// The same, the maxima being sought.
    pub(super) fn found(&self, place: &mut Place, inputs: [f64; 2]) -> Option<Expansion> {
        self.seek(&self.point(place, inputs), &mut place.peaks);
        self.known(place, inputs)
    }

    /// How the row answers.
    pub(super) fn answer(&self, of: &Expansion) -> Option<Answer> {
        let small = self.factor(of)?;
        let m = self.unknowns;
        // How the force on ℓ changes with α, b and s.
        let change = |which: usize, i: usize| match which {
            2 => -self.slope[3 + i],
            _ => -of.hessian[1 + which][3 + i],
        };
        let push: [[f64; UNKNOWNS]; 3] =
            from_fn(|which| from_fn(|i| if i < m { change(which, i) } else { 0.0 }));
        let follow = push.map(|push| small.solve(&push));
        let second = |i: usize, j: usize| product(&push[i], &follow[j]);
        let hessian = [
            of.hessian[1][1] - second(0, 0),
            of.hessian[1][2] - second(0, 1),
            of.hessian[2][2] - second(1, 1),
            self.slope[1] - second(0, 2),
            self.slope[2] - second(1, 2),
            -second(2, 2),
        ];
        Some(Answer { hessian, push, follow, small })
    }

    /// The gradient where inequalities pull so much.
    pub(super) fn aimed(
        &self,
        place: &Place,
        of: &Expansion,
        answer: &Answer,
        u: [f64; 3],
        pulls: &[f64; SLACKS],
    ) -> Aimed {
        let own = answer.small.solve(&self.force(of, u[2], pulls));
        let direct = |i: usize| self.slope_in(1 + i, of, u[2], pulls) - product(&answer.push[i], &own);
        let slope = inner(&self.slope, &self.point(place, [u[0], u[1]]));
        Aimed { gradient: [direct(0), direct(1), slope - product(&answer.push[2], &own)], own }
    }

    /// How that gradient changes with the target of all products.
    pub(super) fn per_unit(&self, place: &Place, of: &Expansion, answer: &Answer) -> [f64; 3] {
        let pull = |at: usize| -> f64 { self.all().map(|k| of.gradients[k][at] / place.rooms[k]).sum() };
        let own = answer.small.solve(&from_fn(|i| if i < self.unknowns { pull(3 + i) } else { 0.0 }));
        let after = |i: usize| -product(&answer.push[i], &own);
        [after(0) - pull(1), after(1) - pull(2), after(2)]
    }

    /// The pulls that a step aims at: (target − correction − λ(slack − room))/room.
    pub(super) fn pulls(
        &self,
        place: &Place,
        of: &Expansion,
        target: f64,
        correction: &[f64; SLACKS],
    ) -> [f64; SLACKS] {
        let mut pulls = [0.0; SLACKS];
        for k in self.all() {
            pulls[k] = (target - correction[k] - place.multipliers[k] * of.gaps[k]) / place.rooms[k];
        }
        pulls
    }

    /// The row's step where u changes so much.
    pub(super) fn change(
        &self,
        place: &Place,
        of: &Expansion,
        (answer, aimed): (&Answer, &Aimed),
        by: [f64; 3],
        pulls: &[f64; SLACKS],
    ) -> Change {
        let mut change = Change { own: aimed.own, ..Change::default() };
        for (follow, by) in answer.follow.iter().zip(by) {
            (0..UNKNOWNS).for_each(|m| change.own[m] += by * follow[m]);
        }
        let mut v = [0.0, by[0], by[1], 0.0, 0.0, 0.0, 0.0];
        v[3..].copy_from_slice(&change.own);
        for k in self.all() {
            let (step, multiplier) = (inner(&of.gradients[k], &v), place.multipliers[k]);
            change.rooms[k] = of.gaps[k] + step;
            change.multipliers[k] = pulls[k] - multiplier - multiplier / place.rooms[k] * step;
        }
        change
    }

    /// How far the step may go; the products count with a weight.
    pub(super) fn limits(&self, place: &Place, change: &Change, weight: f64) -> Limits {
        let mut limits = Limits::none();
        for k in self.all() {
            let (room, multiplier) = (place.rooms[k], place.multipliers[k]);
            limits.add((room, change.rooms[k]), (multiplier, change.multipliers[k]), weight);
        }
        limits
    }

    /// What is wrong with a place.
    pub(super) fn fault(&self, place: &Place, of: &Expansion, u: [f64; 3]) -> Fault {
        let v = self.point(place, [u[0], u[1]]);
        let force = self.force(of, u[2], &place.multipliers);
        let mut residual: f64 = force.iter().zip(&place.own).map(|(f, x)| (f * x).abs()).sum();
        let slope = inner(&self.slope, &v);
        let mut value = inner(&self.cost, &v) + u[2] * slope;
        let mut products = 0.0;
        for k in self.all() {
            residual += (place.multipliers[k] * of.gaps[k]).abs();
            products += place.multipliers[k] * place.rooms[k];
        }
        for (supremum, k) in self.suprema.iter().zip(self.fixed.len()..) {
            let slack = of.gaps[k] + place.rooms[k];
            value += (-slack).max(0.0) * self.cost[3 + supremum.unknown];
        }
        let direct = |i: usize| self.slope_in(1 + i, of, u[2], &place.multipliers);
        Fault { gradient: [direct(0), direct(1), slope], residual, products, value }
    }

    fn factor(&self, of: &Expansion) -> Option<Small> {
        Small::new(self.unknowns, |i, j| of.hessian[3 + i][3 + j])
    }

    /// Σ pull·∇slack − ∇cost − s·∇slope in ℓ.
    fn force(&self, of: &Expansion, s: f64, pulls: &[f64; SLACKS]) -> [f64; UNKNOWNS] {
        from_fn(|i| if i < self.unknowns { -self.slope_in(3 + i, of, s, pulls) } else { 0.0 })
    }

    /// The derivative of cost + s·slope − Σ pull·slack in one of (α, b, ℓ).
    fn slope_in(&self, at: usize, of: &Expansion, s: f64, pulls: &[f64; SLACKS]) -> f64 {
        let pull: f64 = self.all().map(|k| pulls[k] * of.gradients[k][at]).sum();
        self.cost[at] + s * self.slope[at] - pull
    }
}

/// The place to begin from.
impl Local {
    /// The minimum with a barrier, for given inputs and s, from a place that may be outside but for unknowns that can be raised. `None` if
    /// no line is allowed.
    pub(super) fn centre(&self, inside: [f64; UNKNOWNS], u: [f64; 3]) -> Option<Place> {
        let inputs = [u[0], u[1]];
        let mut place = self.raised(inside, inputs);
        let mut of = self.barrier(&mut place, inputs)?;
        for _ in 0..MOST_STEPS {
            let force = self.force(&of, u[2], &place.multipliers);
            let step = self.factor(&of)?.solve(&force);
            let size = product(&step, &force);
            if size < ENOUGH {
                break;
            }
            if !size.is_finite() {
                return None;
            }
            let part = if size > 0.06 { 1.0 / (1.0 + size.sqrt()) } else { 1.0 };
            (place, of) = self.along(&place, &step, part, inputs)?;
        }
        Some(place)
    }

    /// Raises T and the unknowns that suprema are about until the inequalities that have them hold.
    fn raised(&self, own: [f64; UNKNOWNS], inputs: [f64; 2]) -> Place {
        let mut place = Place { own, ..Place::default() };
        let tops = std::iter::once(0).chain(self.suprema.iter().map(|s| s.unknown));
        for unknown in tops {
            let v = self.point(&place, inputs);
            self.seek(&v, &mut place.peaks);
            let mut need: f64 = 0.0;
            for k in self.all() {
                let slack = self.slack(k, &v, &place.peaks);
                let factor = slack.gradient[3 + unknown];
                if factor > 0.0 {
                    need = need.max((1.0 - slack.value) / factor);
                }
            }
            place.own[unknown] += need;
        }
        place
    }

    /// The inequalities with rooms that are the slacks and with all products 1; `None` outside.
    fn barrier(&self, place: &mut Place, inputs: [f64; 2]) -> Option<Expansion> {
        let v = self.point(place, inputs);
        self.seek(&v, &mut place.peaks);
        for k in self.all() {
            place.rooms[k] = self.slack(k, &v, &place.peaks).value;
            place.multipliers[k] = 1.0 / place.rooms[k];
        }
        self.known(place, inputs)
    }

    /// A part of a step, less if that leaves the inside.
    fn along(
        &self,
        from: &Place,
        step: &[f64; UNKNOWNS],
        mut part: f64,
        inputs: [f64; 2],
    ) -> Option<(Place, Expansion)> {
        while part > 1e-10 {
            let mut place = *from;
            place.own.iter_mut().zip(step).for_each(|(own, step)| *own += part * step);
            if let Some(of) = self.barrier(&mut place, inputs) {
                return Some((place, of));
            }
            part /= 2.0;
        }
        None
    }
}

impl Place {
    /// Takes a part of a step.
    pub(super) fn advance(&mut self, change: &Change, part: f64) {
        let go = |to: &mut [f64], by: &[f64]| to.iter_mut().zip(by).for_each(|(x, by)| *x += part * by);
        go(&mut self.own, &change.own);
        go(&mut self.rooms, &change.rooms);
        go(&mut self.multipliers, &change.multipliers);
    }
}

impl Change {
    /// The products of the changes, which a corrected step takes into account.
    pub(super) fn products(&self) -> [f64; SLACKS] {
        from_fn(|k| self.rooms[k] * self.multipliers[k])
    }
}

impl Expansion {
    fn add(&mut self, along: &Form, factor: f64) {
        for i in 1..WIDTH {
            let scaled = factor * along[i];
            if scaled != 0.0 {
                (1..WIDTH).for_each(|j| self.hessian[i][j] += scaled * along[j]);
            }
        }
    }
}

fn product(a: &[f64; UNKNOWNS], b: &[f64; UNKNOWNS]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
