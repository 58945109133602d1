//! The inequalities on x = (α, ν, ω, τ, β), with their multipliers, and C of Lemma L7, which is the least number above functions of x:
//!
//! ```text
//! α, ν, ω ≥ 0,    [[p, −χ√(ε·span_j/2)], [·, τ_j]] ⪰ 0,    and where steps are projected  2αϱ ≥ ‖β‖²/(2αϱ).
//! ```

use faer::Mat;

use super::curves::UNKNOWNS;
use super::local::{Change, Limits, Local, Place, SLACKS};
use super::shared::Shared;
use crate::certify::interior::cone::Sym2;

/// An inequality: a concave function that must not be negative, its slopes, and −∇² of it as a sum of factor·eeᵀ.
pub(super) struct Guard {
    pub(super) value: f64,
    pub(super) slopes: Vec<(usize, f64)>,
    pub(super) bends: Vec<(f64, Vec<(usize, f64)>)>,
}

impl Guard {
    pub(super) fn new(value: f64, slopes: Vec<(usize, f64)>) -> Guard {
        Guard { value, slopes, bends: vec![] }
    }

    /// Its change along a direction of x.
    fn change(&self, along: &[f64]) -> f64 {
        self.slopes.iter().map(|(j, s)| s * along[*j]).sum()
    }
}

/// A matrix that must be positive: the sum of x_j times these.
pub(super) type Cone = Vec<(usize, Sym2)>;

fn at(cone: &Cone, x: &[f64]) -> Sym2 {
    cone.iter().fold(Sym2::default(), |p, (j, slope)| p.moved(*slope, x[*j]))
}

/// C ≥ 0 as a row whose inputs are two linear functions of x.
pub(super) struct Constant {
    pub(super) local: Local,
    /// The slopes of D and of ν in x.
    pub(super) slopes: Vec<(usize, [f64; 2])>,
}

impl Constant {
    /// D and ν, or their changes.
    fn inputs(&self, x: &[f64]) -> [f64; 3] {
        self.slopes.iter().fold([0.0; 3], |[d, nu, s], (j, [a, b])| [d + a * x[*j], nu + b * x[*j], s])
    }

    fn spread(&self, gradient: [f64; 3], to: &mut [f64]) {
        self.slopes.iter().for_each(|(j, [a, b])| to[*j] += gradient[0] * a + gradient[1] * b);
    }
}

/// A room and a multiplier, the product of their predicted changes, and their step.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    room: f64,
    multiplier: f64,
    correction: f64,
    change: (f64, f64),
}

/// The same of a matrix, whose room is the matrix itself.
#[derive(Clone, Copy, Debug, Default)]
struct HeldCone {
    multiplier: Sym2,
    correction: Sym2,
    change: Sym2,
}

/// The same of C.
#[derive(Clone, Copy, Debug, Default)]
struct HeldConstant {
    place: Place,
    correction: [f64; SLACKS],
    change: Change,
}

/// Where multipliers, rooms and C are, and where a step takes them.
pub(super) struct Guards {
    scalars: Vec<Held>,
    cones: Vec<HeldCone>,
    constant: HeldConstant,
}

/// What the inequalities add to a Newton system: the gradient of the Lagrangian in x, and that of the predicted aim.
pub(super) struct Added {
    pub(super) value: f64,
    pub(super) products: f64,
    pub(super) residual: f64,
    pub(super) gradients: [Vec<f64>; 2],
}

impl Guards {
    /// Multipliers with which all products are 1; `None` outside.
    pub(super) fn centred(shared: &Shared, x: &[f64]) -> Option<Self> {
        let scalar =
            |guard: &Guard| Held { room: guard.value, multiplier: 1.0 / guard.value, ..Held::default() };
        let scalars: Vec<Held> = shared.guards(x).iter().map(scalar).collect();
        let matrices: Vec<Sym2> = shared.cones.iter().map(|cone| at(cone, x)).collect();
        let cone = |p: &Sym2| HeldCone { multiplier: p.inverse(), ..HeldCone::default() };
        let mut constant = HeldConstant::default();
        if let Some(of) = &shared.constant {
            constant.place = of.local.centre([0.0; UNKNOWNS], of.inputs(x))?;
        }
        let is_inside =
            scalars.iter().all(|held| held.room > 0.0) && matrices.iter().all(|p| p.is_positive());
        is_inside.then(|| Guards { scalars, cones: matrices.iter().map(cone).collect(), constant })
    }

    /// How many products there are.
    pub(super) fn count(&self, shared: &Shared) -> f64 {
        let constant = shared.constant.as_ref().map_or(0.0, |of| of.local.count());
        self.scalars.len() as f64 + 2.0 * self.cones.len() as f64 + constant
    }

    /// Adds second derivatives to `a`; `None` if rounding leaves no room.
    pub(super) fn assemble(&mut self, shared: &Shared, x: &[f64], a: &mut Mat<f64>) -> Option<Added> {
        let nothing = || vec![0.0; x.len()];
        let mut of = Added { value: 0.0, products: 0.0, residual: 0.0, gradients: [nothing(), nothing()] };
        for (guard, held) in shared.guards(x).iter().zip(&self.scalars) {
            (held.room > 0.0).then_some(())?;
            let (lambda, gap) = (held.multiplier, guard.value - held.room);
            of.products += lambda * held.room;
            of.residual += (lambda * gap).abs();
            for (j, s) in &guard.slopes {
                of.gradients[0][*j] -= lambda * s;
                of.gradients[1][*j] += lambda * gap / held.room * s;
            }
            square(a, lambda / held.room, &guard.slopes);
            guard.bends.iter().for_each(|(factor, along)| square(a, lambda * factor, along));
        }
        for (cone, held) in shared.cones.iter().zip(&self.cones) {
            let p = at(cone, x);
            p.is_positive().then_some(())?;
            let inverse = p.inverse();
            of.products += p.inner(held.multiplier);
            for (j, s) in cone {
                of.gradients[0][*j] -= held.multiplier.inner(*s);
                let moved = inverse.sandwich(*s, held.multiplier);
                for (l, r) in cone {
                    a[(*j, *l)] += moved.inner(*r);
                }
            }
        }
        if let Some(constant) = &shared.constant {
            let (local, u, place) = (&constant.local, constant.inputs(x), &mut self.constant.place);
            let at = local.found(place, [u[0], u[1]])?;
            let answer = local.answer(&at)?;
            let pulls = local.pulls(place, &at, 0.0, &[0.0; SLACKS]);
            let fault = local.fault(place, &at, u);
            of.value += fault.value;
            of.products += fault.products;
            of.residual += fault.residual;
            constant.spread(fault.gradient, &mut of.gradients[0]);
            constant.spread(local.aimed(place, &at, &answer, u, &pulls).gradient, &mut of.gradients[1]);
            let [dd, dn, nn, ..] = answer.hessian;
            for (i, s) in &constant.slopes {
                for (l, r) in &constant.slopes {
                    a[(*i, *l)] += s[0] * (dd * r[0] + dn * r[1]) + s[1] * (dn * r[0] + nn * r[1]);
                }
            }
        }
        Some(of)
    }

    /// How far a step that aims at 0 may go, the gradient of the aim that takes its second order into account, and how that changes with the
    /// target.
    pub(super) fn predict(
        &mut self,
        shared: &Shared,
        x: &[f64],
        along: &[f64],
    ) -> Option<(Limits, [Vec<f64>; 2])> {
        for held in &mut self.scalars {
            held.correction = 0.0;
        }
        for held in &mut self.cones {
            held.correction = Sym2::default();
        }
        self.constant.correction = [0.0; SLACKS];
        let limits = self.correct(shared, x, along, 0.0)?;
        let mut gradients = [vec![0.0; x.len()], vec![0.0; x.len()]];
        for (guard, held) in shared.guards(x).iter().zip(&mut self.scalars) {
            held.correction = held.change.0 * held.change.1;
            let gap = guard.value - held.room;
            for (j, s) in &guard.slopes {
                gradients[0][*j] += (held.correction + held.multiplier * gap) / held.room * s;
                gradients[1][*j] -= s / held.room;
            }
        }
        for (cone, held) in shared.cones.iter().zip(&mut self.cones) {
            let inverse = at(cone, x).inverse();
            held.correction = inverse.sandwich(at(cone, along), held.change);
            for (j, s) in cone {
                gradients[0][*j] += held.correction.inner(*s);
                gradients[1][*j] -= inverse.inner(*s);
            }
        }
        if let Some(constant) = &shared.constant {
            let (local, u, held) = (&constant.local, constant.inputs(x), &mut self.constant);
            held.correction = held.change.products();
            let at = local.known(&held.place, [u[0], u[1]])?;
            let answer = local.answer(&at)?;
            let pulls = local.pulls(&held.place, &at, 0.0, &held.correction);
            constant.spread(local.aimed(&held.place, &at, &answer, u, &pulls).gradient, &mut gradients[0]);
            constant.spread(local.per_unit(&held.place, &at, &answer), &mut gradients[1]);
        }
        Some((limits, gradients))
    }

    /// How far a step may go.
    pub(super) fn correct(
        &mut self,
        shared: &Shared,
        x: &[f64],
        along: &[f64],
        target: f64,
    ) -> Option<Limits> {
        let mut limits = Limits::none();
        for (guard, held) in shared.guards(x).iter().zip(&mut self.scalars) {
            let by = guard.value - held.room + guard.change(along);
            let on = (target - held.correction - held.multiplier * by) / held.room - held.multiplier;
            held.change = (by, on);
            limits.add((held.room, by), (held.multiplier, on), 1.0);
        }
        for (cone, held) in shared.cones.iter().zip(&mut self.cones) {
            let (p, by, y) = (at(cone, x), at(cone, along), held.multiplier);
            let inverse = p.inverse();
            let aim = inverse.scaled(target).moved(y, -1.0).moved(held.correction, -1.0);
            held.change = aim.moved(inverse.sandwich(by, y), -1.0);
            let on = held.change;
            limits.step = limits.step.min(p.longest_step(by)).min(y.longest_step(on));
            let terms = [p.inner(y), p.inner(on) + by.inner(y), by.inner(on)];
            limits.products.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
        }
        if let Some(constant) = &shared.constant {
            let (local, u, held) = (&constant.local, constant.inputs(x), &mut self.constant);
            let of = local.known(&held.place, [u[0], u[1]])?;
            let answer = local.answer(&of)?;
            let pulls = local.pulls(&held.place, &of, target, &held.correction);
            let aimed = local.aimed(&held.place, &of, &answer, u, &pulls);
            held.change = local.change(&held.place, &of, (&answer, &aimed), constant.inputs(along), &pulls);
            limits = limits.join(local.limits(&held.place, &held.change, 1.0));
        }
        Some(limits)
    }

    /// Takes a part of the corrected step.
    pub(super) fn advance(&mut self, part: f64) {
        for held in &mut self.scalars {
            held.room += part * held.change.0;
            held.multiplier += part * held.change.1;
        }
        for held in &mut self.cones {
            held.multiplier = held.multiplier.moved(held.change, part);
        }
        self.constant.place.advance(&self.constant.change, part);
    }
}

/// Adds factor·eeᵀ.
fn square(a: &mut Mat<f64>, factor: f64, along: &[(usize, f64)]) {
    for (i, s) in along {
        for (l, r) in along {
            a[(*i, *l)] += factor * s * r;
        }
    }
}
