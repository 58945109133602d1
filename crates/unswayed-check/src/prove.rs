//! Verifies a proof by cases (Theorem L1): every condition, every line, every case.

use crate::evaluate::{self, Quadratic};
use crate::exact::{Dyadic, norm2};
use crate::failure::{Reason, require, require_each, require_length, require_not_negative, require_positive};
use crate::lambda::Lambda;
use crate::moments::{Blocks, Steps};
use crate::momentum::Momentum;
use crate::parts::points::{self, Acting, Class, Ellipsoid, Split};
use crate::parts::region;
use crate::parts::rows::{
    self, BoundedSlope, Clipped, ClippedLoss, ErrorHinge, ErrorLogistic, Hostile, Interval, LabelHinge,
    LabelLogistic, Line, Logistic, Mass, RowLine, Rule, Sums, View,
};
use crate::parts::slabs::{self, Slab};
use crate::proof::{CaseProof, Lines, RowBound};
use crate::rows::{Evidence, Rows};
use crate::rules::{self, Feature};
use crate::shape::{Shape, Size};
use crate::statement::{Loss, PoisonWeight, Set, Statement, Target};

/// Requires the kind of row bound, the shells and the other parts of a proof to fit the statement.
fn require_fit(statement: &Statement, proof: &CaseProof) -> Result<(), Reason> {
    let refuse = |bad: bool, with: &'static str| {
        if bad { Err(Reason::Unfit { method: proof.rows.name(), with }) } else { Ok(()) }
    };
    let Statement { learner, threat, target, .. } = statement;
    let rows = proof.rows;
    let is_logistic = matches!(
        rows,
        RowBound::Logistic | RowBound::LabelLogistic | RowBound::ErrorLogistic | RowBound::ClippedLogistic
    );
    let is_clipped = matches!(rows, RowBound::ClippedHinge | RowBound::ClippedLogistic);
    let flips = matches!(rows, RowBound::LabelHinge | RowBound::LabelLogistic);
    let is_class = matches!(learner.loss, Loss::Multiclass(_));
    let is_hinge = matches!(learner.loss, Loss::Hinge | Loss::Multiclass(_));
    let is_plain = matches!(rows, RowBound::BoundedSlope | RowBound::Logistic);
    let is_ellipsoid = matches!(threat.set, Set::Ellipsoid { .. });
    let has_shells = proof.shells.is_some();
    refuse(is_logistic != (learner.loss == Loss::Logistic), "this loss")?;
    refuse(!is_plain && !is_logistic && !is_hinge, "this loss")?;
    refuse(is_class && !matches!(rows, RowBound::BoundedSlope | RowBound::ErrorHinge), "several classes")?;
    refuse(is_class && has_shells, "several classes and shells")?;
    refuse(is_clipped != learner.clip.is_some(), if is_clipped { "steps without a clip" } else { "a clip" })?;
    refuse(flips != (threat.set == Set::LabelFlips), "this set")?;
    refuse(rows.is_error() && *target != Target::Data, "this target")?;
    // The error is not convex: that of an average of models is bounded by their loss only.
    refuse(rows.is_error() && learner.average, "an averaged model")?;
    refuse(matches!(target, Target::Rows(_)) && rows != RowBound::Interval, "a target with rows of its own")?;
    refuse(
        (rows == RowBound::Interval) != has_shells && rows == RowBound::Interval,
        "a proof without shells",
    )?;
    // Its slopes are not divided by weights.
    refuse(rows == RowBound::Interval && !statement.hostile_rows.is_empty(), "rows that may be hostile")?;
    let picks = threat.moments.is_some();
    // The error jumps, so models that are close need not have errors that are.
    refuse(picks && rows.is_error(), "an adversary who picks its moments")?;
    refuse(picks && has_shells, "an adversary who picks its moments and shells")?;
    let is_free = !learner.unregularized.is_empty();
    refuse(is_free && !is_plain && !rows.is_error(), "an unregularized coordinate")?;
    refuse(is_free && has_shells, "an unregularized coordinate and shells")?;
    refuse(is_free && proof.slabs.is_empty(), "an unregularized coordinate without slabs")?;
    refuse(!is_free && !proof.slabs.is_empty(), "slabs without an unregularized coordinate")?;
    refuse(learner.momentum.is_some() && proof.rate.is_none(), "momentum without a rate")?;
    refuse(learner.momentum.is_none() && proof.rate.is_some(), "a rate without momentum")?;
    refuse(proof.by_class && !is_class, "cases by class without classes")?;
    let is_ruled = proof.lines.iter().any(Lines::has_rule);
    let is_shared = matches!(rows, RowBound::BoundedSlope | RowBound::ErrorHinge);
    refuse(is_ruled && (!is_shared || has_shells), "a rule for the rows")?;
    refuse(is_ellipsoid && proof.omega.is_none(), "an ellipsoid without omega")?;
    refuse(!is_ellipsoid && proof.omega.is_some(), "omega without an ellipsoid")
}

/// Requires the combination to be supported, where lines follow a rule.
fn require_rule(statement: &Statement, proof: &CaseProof, evidence: &Evidence) -> Result<(), Reason> {
    if !proof.lines.iter().any(Lines::has_rule) {
        return Ok(());
    }
    let has = |is: fn(&Rows) -> bool| evidence.data.iter().any(is);
    let sparse = has(|rows| rows.pattern.is_some()).then_some(Feature::SparseRows);
    let weights = has(|rows| rows.weights.is_some()).then_some(Feature::RowWeights);
    rules::require_supported(statement, [Feature::RowRule].into_iter().chain(sparse).chain(weights))
}

/// The bounds of all cases, what momentum has to do with them, and the steps of a learner whose adversary picks its moments.
pub(crate) struct CaseBounds {
    pub(crate) bounds: Vec<Dyadic>,
    pub(crate) momentum: Momentum,
    pub(crate) steps: Option<Steps>,
}

/// The bounds of all cases, after every condition has been verified.
pub(crate) fn case_bounds(
    statement: &Statement,
    proof: &CaseProof,
    evidence: &Evidence,
) -> Result<CaseBounds, Reason> {
    require_fit(statement, proof)?;
    require_rule(statement, proof, evidence)?;
    if proof.shells.is_some() && evidence.data.iter().any(|rows| rows.pattern.is_some()) {
        return Err(Reason::Unfit { method: proof.rows.name(), with: "sparse rows and shells" });
    }
    let shape = Shape::new(statement, proof, &Size::of(evidence));
    shape.require(proof, &statement.target)?;
    let prover = Prover::new(statement, proof, evidence, shape)?;
    let lines = proof.lines.iter().map(|l| prover.line(l)).collect::<Result<Vec<_>, _>>()?;
    Ok(CaseBounds { bounds: prover.cases(&lines)?, momentum: prover.momentum, steps: prover.steps })
}

/// Requires a proof to be one by rules for so many rows of the statement, whose lines can be added up part by part.
pub(crate) fn require_summable(statement: &Statement, proof: &CaseProof, size: &Size) -> Result<(), Reason> {
    require_fit(statement, proof)?;
    if !proof.lines.iter().all(Lines::has_rule) {
        return Err(Reason::Unfit {
            method: proof.rows.name(),
            with: "rows in parts without a rule for them",
        });
    }
    require_rule(statement, proof, &NO_ROWS)?;
    Shape::new(statement, proof, size).require(proof, &statement.target)?;
    let rules = proof.lines.iter().filter_map(|lines| Rule::new(statement, proof, lines));
    rules.into_iter().try_for_each(|rule| rule.require(size.rows[0]))
}

/// The bounds of all cases from the sums over all rows, one for each set of lines of a proof that is summable.
pub(crate) fn summed_bounds(
    statement: &Statement,
    proof: &CaseProof,
    size: &Size,
    sums: &[Sums],
) -> Result<Vec<Dyadic>, Reason> {
    let prover = Prover::new(statement, proof, &NO_ROWS, Shape::new(statement, proof, size))?;
    let lines = sums.iter().map(|sums| sums.clone().line(&prover.lambda)).collect::<Result<Vec<_>, _>>()?;
    prover.cases(&lines)
}

/// What is known of rows that only their sums are known of. Rules are refused for everything that would ask for more: shells,
/// momentum, targets of their own.
const NO_ROWS: Evidence = Evidence { data: &[], target: None };

/// Requires 4α²ϱ² ≥ ‖β‖² where steps are projected on the ball of radius ϱ (Theorem L15).
pub(crate) fn require_projection(statement: &Statement, lambda: &Lambda) -> Result<(), Reason> {
    let Some(radius) = statement.learner.projection else { return Ok(()) };
    let room = Dyadic::whole(4) * (&lambda.alpha * Dyadic::new(radius)).square();
    require_not_negative(&(room - norm2(lambda.beta)), "4α²ϱ² − ‖β‖²")
}

/// Everything that a proof needs.
struct Prover<'a> {
    statement: &'a Statement,
    proof: &'a CaseProof,
    evidence: &'a Evidence<'a>,
    shape: Shape,
    lambda: Lambda<'a>,
    momentum: Momentum,
    steps: Option<Steps>,
    ellipsoid: Option<Ellipsoid<'a>>,
}

impl<'a> Prover<'a> {
    /// Verifies the conditions that are the same for all rows and cases.
    fn new(
        statement: &'a Statement,
        proof: &'a CaseProof,
        evidence: &'a Evidence<'a>,
        shape: Shape,
    ) -> Result<Self, Reason> {
        let momentum = Momentum::of(statement, proof, evidence)?;
        let steps = evidence.data.first().and_then(|rows| Steps::of(statement, proof, rows));
        let lambda = Lambda::of(statement, proof);
        require_positive(&lambda.alpha, "alpha")?;
        require_positive(&lambda.k, "1 − rate·regularization")?;
        let cases = &proof.cases;
        require_each("tau", &cases.tau, |x| x > 0.0, "> 0")?;
        for (name, values) in [("nu", &cases.nu), ("outer", &cases.outer), ("inner", &cases.inner)] {
            require_each(name, values, |x| x >= 0.0, "≥ 0")?;
        }
        if point_label(statement).is_none() {
            // ws has no bound.
            require_each("nu", &cases.nu, |x| x == 0.0, "0, as labels may be any numbers")?;
            require_length("nu", shape.cases, cases.nu.len())?;
        }
        require_projection(statement, &lambda)?;
        let ellipsoid = match (&statement.threat.set, proof.omega) {
            (Set::Ellipsoid { q }, Some(omega)) => Some(Ellipsoid::new(q, omega, shape.dimension)?),
            _ => None,
        };
        region::require_kept(statement, proof, evidence)?;
        slabs::require_edges(&proof.slabs)?;
        Ok(Prover { statement, proof, evidence, shape, lambda, momentum, steps, ellipsoid })
    }

    /// The bounds of all cases.
    fn cases(&self, lines: &[Line]) -> Result<Vec<Dyadic>, Reason> {
        (0..self.shape.cases).map(|i| Ok(self.case(i, lines)? + &self.momentum.cost)).collect()
    }

    /// The bound of one case.
    fn case(&self, i: usize, lines: &[Line]) -> Result<Dyadic, Reason> {
        let (dataset, shell, part) = self.shape.place(i);
        let chosen = self.proof.cases.lines[i];
        let fits = |l: &Lines| l.dataset == dataset && l.shell == shell;
        let fits = self.proof.lines.get(chosen).is_some_and(fits);
        require(fits, format_args!("lines[{i}]"), chosen as f64, "of the case's dataset and shell")?;
        let line = &lines[chosen];
        let Some(slab) = Slab::new(self.lambda.free, &self.proof.slabs, shell) else {
            let region = region::region(self.proof, i, shell, self.shape.parameters);
            let point = self.point(i, part, &self.nu(i), None)?;
            let coin = evaluate::bound(&self.lambda, line, &point, &region)?;
            return self.at_its_moments(i, line, coin);
        };
        let mut best: Option<Dyadic> = None;
        let nu = self.slab_nu(i, &slab)?;
        for (end, edge) in slab.ends() {
            let point = self.point(i, part, &nu, Some((end, edge)))?;
            let bound = evaluate::bound_in_slab(&self.lambda, line, &point, &slab, edge)?;
            best = Some(best.map_or(bound.clone(), |best| best.max(bound)));
        }
        best.ok_or_else(|| self.unfit("a slab without an end"))
    }

    /// The bound where the adversary picks its moments, from the one where a coin names them; the same if one does.
    fn at_its_moments(&self, i: usize, line: &Line, coin: Dyadic) -> Result<Dyadic, Reason> {
        let (Some(steps), Some(block)) = (&self.steps, self.statement.threat.moments) else {
            return Ok(coin);
        };
        let Prover { statement, lambda, evidence, .. } = self;
        let blocks = Blocks { statement, lambda, rows: &evidence.data[0], steps };
        blocks.bound(block, line, &(&lambda.two_ak - &self.nu(i)), coin)
    }

    /// The line above the rows.
    fn line(&self, lines: &Lines) -> Result<Line, Reason> {
        let rows = &self.evidence.data[lines.dataset];
        if let Some(rule) = Rule::new(self.statement, self.proof, lines) {
            return self.ruled_line(&rule, rows);
        }
        let loss = self.statement.learner.loss;
        let view = View::new(rows, loss);
        let (total, one) = (rows.total_weight(), Dyadic::whole(1));
        match &self.statement.target {
            Target::Data => {
                let mass =
                    |view| Mass { view, target: None, p: one.clone(), t: one.clone(), scale: total.clone() };
                let unit = Rows { weights: None, ..*rows };
                let kind = self.kind(lines, mass(view))?;
                let Some(&count) = self.statement.hostile_rows.get(lines.dataset) else {
                    return rows::sum(&*kind, &self.lambda);
                };
                let unit = self.kind(lines, mass(View::new(&unit, loss)))?;
                rows::without_hostile(&*kind, &*unit, &self.lambda, &Hostile::new(rows, count, lines)?)
            }
            Target::Weights(weights) => {
                let weights = weights[lines.dataset].as_slice();
                let sum = Rows { weights: Some(weights), ..*rows }.total_weight();
                let scale = &total * &sum;
                let mass = Mass { view, target: Some(weights), p: sum, t: total, scale };
                rows::sum(&*self.kind(lines, mass)?, &self.lambda)
            }
            Target::Rows(_) => {
                let Some(target) = &self.evidence.target else { return Err(self.unfit("this target")) };
                let sum = target.total_weight();
                let scale = &total * &sum;
                let own = Mass {
                    view: View::new(target, loss),
                    target: None,
                    p: Dyadic::zero(),
                    t: total,
                    scale: scale.clone(),
                };
                let own = self.interval(lines, own, "target", &lines.target_y, &lines.target_reach);
                let own = rows::sum(&own, &self.lambda)?;
                let data = Mass { view, target: None, p: sum, t: Dyadic::zero(), scale };
                let data = rows::sum(&*self.kind(lines, data)?, &self.lambda)?;
                let slope = data.slope.iter().zip(&own.slope).map(|(a, b)| a + b).collect();
                Ok(Line { constant: data.constant + own.constant, slope, ..data })
            }
        }
    }

    /// The line above rows by a rule.
    fn ruled_line(&self, rule: &Rule, rows: &Rows) -> Result<Line, Reason> {
        rule.require(rows.len())?;
        let d = rows.dimension;
        let mut parts = rows.in_parallel(|range| {
            let mut sums = Sums::new(d);
            sums.add(rule, &self.lambda, range.start, &rows.z[range.start * d..range.end * d]);
            sums
        });
        let mut all = parts.swap_remove(0);
        for part in &parts {
            all.merge(part);
        }
        all.line(&self.lambda)
    }

    /// The kind of rows that the proof names.
    fn kind<'b>(&'b self, lines: &'b Lines, mass: Mass<'b>) -> Result<Box<dyn RowLine + 'b>, Reason> {
        let Lines { u, u2, c, w, w2, low, high, .. } = lines;
        let clip = self.statement.learner.clip.unwrap_or_default();
        Ok(match self.proof.rows {
            RowBound::BoundedSlope => {
                let conjugate = self.statement.learner.loss.conjugate();
                let conjugate = conjugate.ok_or_else(|| self.unfit("this loss"))?;
                Box::new(BoundedSlope { mass, u, conjugate })
            }
            RowBound::Interval => Box::new(self.interval(lines, mass, "z", &lines.y, &lines.reach)),
            RowBound::Logistic => Box::new(Logistic { mass, u, w }),
            RowBound::LabelHinge => Box::new(LabelHinge { mass, u }),
            RowBound::LabelLogistic => Box::new(LabelLogistic { mass, u, w, w2 }),
            RowBound::ErrorHinge => Box::new(ErrorHinge { mass, u, u2, c }),
            RowBound::ErrorLogistic => Box::new(ErrorLogistic { mass, u, w, w2 }),
            RowBound::ClippedHinge => {
                Box::new(Clipped { mass, clip, u, low, loss: ClippedLoss::Hinge(high) })
            }
            RowBound::ClippedLogistic => {
                Box::new(Clipped { mass, clip, u, low, loss: ClippedLoss::Logistic(w) })
            }
        })
    }

    fn interval<'b>(
        &'b self,
        lines: &Lines,
        mass: Mass<'b>,
        name: &'static str,
        y: &'b [f64],
        reach: &'b [f64],
    ) -> Interval<'b> {
        let shells = self.proof.shells.as_ref();
        let (centre, radius) = shells.map_or((&[][..], 0.0), |s| (s.centre.as_slice(), s.radii[lines.shell]));
        Interval { mass, y, reach, centre, radius, name }
    }

    /// ν of case i.
    fn nu(&self, i: usize) -> Dyadic {
        Dyadic::new(self.proof.cases.nu.get(i).copied().unwrap_or_default())
    }

    /// ν of case i in a slab: 2αk in an unbounded one, so that χ = 0.
    fn slab_nu(&self, i: usize, slab: &Slab) -> Result<Dyadic, Reason> {
        if slab.is_bounded() {
            return Ok(self.nu(i));
        }
        let nu = self.proof.cases.nu.get(i).copied().unwrap_or_default();
        require(nu == 0.0, format_args!("nu[{i}]"), nu, "0, as it is 2αk in an unbounded slab")?;
        Ok(self.lambda.two_ak.clone())
    }

    /// The quadratic above the point in case i, for one part of the set, at the lower or upper end (0 or 1) of a slab.
    fn point(
        &self,
        i: usize,
        part: usize,
        nu: &Dyadic,
        end: Option<(usize, &Dyadic)>,
    ) -> Result<Quadratic, Reason> {
        let (lambda, cases, loss) = (&self.lambda, &self.proof.cases, self.statement.learner.loss);
        let width = self.shape.tau_width;
        let tau = &cases.tau[i * width..(i + 1) * width];
        let weight = point_weight(self.statement);
        let split = |acting| Split::new(lambda, nu.clone(), acting, weight.clone());
        let label = point_label(self.statement).unwrap_or_default();
        let acting = loss.conjugate().map_or(Acting::Logistic, |e| Acting::Bounded(e, label));
        let d = self.shape.dimension;
        Ok(match (&self.statement.threat.set, loss) {
            (Set::Ball { radius }, Loss::Multiclass(classes)) => {
                let radius = Dyadic::new(*radius);
                let split = split(acting);
                if self.proof.by_class {
                    points::each_class(lambda, &split, classes, part, &radius, tau[0])
                } else {
                    points::classes_together(lambda, &split, classes, &radius, tau[0])
                }
            }
            (Set::Ball { .. } | Set::Any, _) => {
                let (radius, is_clipped) = point_radius(self.statement);
                let acting = match acting {
                    Acting::Logistic if is_clipped => Acting::ClippedLogistic,
                    acting => acting,
                };
                points::ball(lambda, &split(acting), &Dyadic::new(radius), tau[0])
            }
            (Set::Features { radius, constant }, _) => {
                let (Some(&b), Some((_, edge))) = (lambda.free.first(), end) else {
                    return Err(self.unfit("a fixed entry without slabs"));
                };
                let (weight, class) = class_weight(self.statement, part);
                let split = Split::new(lambda, nu.clone(), acting, weight);
                points::features(lambda, &split, (*radius, *constant, class), tau[0], (b, edge))
            }
            (Set::Box { radii }, _) => points::cuboid(lambda, &split(acting), radii, tau),
            (Set::Ellipsoid { .. }, _) => {
                let Some(set) = &self.ellipsoid else { return Err(self.unfit("this set")) };
                let first = end.map_or(i, |(end, _)| 2 * i + end);
                points::ellipsoid(lambda, &split(acting), set, tau[0], &cases.x[first * d..(first + 1) * d])
            }
            (Set::Points { points: all }, _) => {
                let point = &all[part * d..(part + 1) * d];
                let w = cases.w.get(i).copied().unwrap_or_default();
                points::finite(lambda, loss, i, point, cases.share[i], w)?
            }
            (Set::LabelFlips, _) => points::none(self.shape.parameters),
        })
    }

    fn unfit(&self, with: &'static str) -> Reason {
        Reason::Unfit { method: self.proof.rows.name(), with }
    }
}

/// The largest label of the adversary's point: 1 where points have margins, `None` if there is no largest.
fn point_label(statement: &Statement) -> Option<f64> {
    if statement.learner.loss.is_regression() { statement.threat.label_bound } else { Some(1.0) }
}

/// The largest step weight of the adversary's point; 1 where steps have none.
pub(crate) fn point_weight(statement: &Statement) -> Dyadic {
    Dyadic::new(statement.threat.poison_weight.map_or(1.0, PoisonWeight::largest))
}

/// The largest step weight of the points of a part, and their class if they are those of one.
fn class_weight(statement: &Statement, part: usize) -> (Dyadic, Option<Class>) {
    match (statement.threat.poison_weight, part) {
        (Some(PoisonWeight::ByClass(weights)), 0) => (Dyadic::new(weights.negative), Some(Class::Negative)),
        (Some(PoisonWeight::ByClass(weights)), _) => (Dyadic::new(weights.positive), Some(Class::Positive)),
        _ => (point_weight(statement), None),
    }
}

/// The largest norm of the adversary's step for a ball or any point, and whether steps can be clipped there.
pub(crate) fn point_radius(statement: &Statement) -> (f64, bool) {
    let clip = statement.learner.clip.unwrap_or(f64::INFINITY);
    match statement.threat.set {
        Set::Ball { radius } if radius <= clip => (radius, false),
        _ => (clip, true),
    }
}
