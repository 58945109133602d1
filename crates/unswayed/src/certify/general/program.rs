//! The conic program of all cases together: α and β are shared, everything else is a case's own, but for lines that cases may share.
//!
//! ```text
//! minimise  max over cases  Σ mass_i(T_i + …) + ε·C + g₀ + Σ_j t_j
//! ```
//!
//! where t_j bounds what coordinate j of θ can add, sup over θ_j and q of v_jθ_j + q√(ε·span)(χθ_j + β_j) − Aθ_j² − ½τq² with
//! v = r + g − σβ and A = ασ(2−ησ) + W: a 3×3 matrix inequality, linear in all unknowns. Suprema over w are replaced by their values at
//! finitely many w ([`super::cuts`]).

use unswayed_check::{Conjugate, Loss};

use super::affine::{Affine, norm_within, not_negative, semidefinite, zero};
use super::cuts::Cuts;
use super::hostile::{self, HostileAt};
use super::logistic::Curve;
use super::points::{Fixed, PointSet, Symmetric};
use super::rows::bounded_slope::Bounded;
use super::rows::{Row, RowConstraints, RowKind};
use super::setting::{Constants, RowTable};
use super::shells::Shell;
use super::slabs::Slab;
use crate::certify::conic::Program;
use crate::certify::start::StartCost;

/// What is to be solved.
#[derive(Clone, Copy)]
pub(super) struct CaseProgram<'a> {
    pub(super) constants: &'a Constants,
    pub(super) loss: Loss,
    /// Whether a point's activity can be cut off by a clip, so that C is charged by Lemma L8.
    pub(super) is_cut: bool,
    pub(super) kind: &'a dyn RowKind,
    pub(super) tables: &'a [RowTable],
    /// None if θ may be anywhere.
    pub(super) shells: &'a [Shell<'a>],
    /// Of the coordinate without regularization, if there is one.
    pub(super) slabs: &'a [Slab],
    pub(super) parts: &'a [PointSet],
    /// Whether the parts of the set share their lines.
    pub(super) is_shared: bool,
    /// What α costs besides.
    pub(super) burden: f64,
}

/// The unknowns' places in the program.
pub(super) struct Layout {
    pub(super) alpha: usize,
    pub(super) beta: usize,
    pub(super) lines: Vec<LinesAt>,
    pub(super) cases: Vec<CaseAt>,
}

/// Where the unknowns of lines are.
pub(super) struct LinesAt {
    /// The first unknown of the rows.
    pub(super) first: usize,
    pub(super) parts: Vec<RowConstraints>,
    /// r = Σ mass_i y_i z_i, or what is left of it where rows may be hostile.
    pub(super) slope: usize,
    /// Where rows may be hostile.
    pub(super) hostile: Option<HostileAt>,
}

impl LinesAt {
    /// What the rows cost.
    fn price(&self, table: &RowTable) -> Affine {
        let own = self.hostile.as_ref().map_or_else(Affine::default, |at| at.price.clone());
        let costs = table.mass.iter().zip(&self.parts);
        costs.fold(own, |price, (mass, part)| price + part.cost.clone() * (mass * table.kept()))
    }
}

/// Where the unknowns of a case are.
#[derive(Default)]
pub(super) struct CaseAt {
    pub(super) tau: Vec<usize>,
    pub(super) nu: Option<usize>,
    /// T and y of a point.
    pub(super) point: Option<(usize, usize)>,
    /// Curves that unknowns must not be below: of the point, or of C.
    pub(super) curves: Vec<(usize, Curve<Affine>)>,
    /// ω and μ of the shell.
    pub(super) multipliers: Option<(usize, usize)>,
    /// ω of a bounded slab.
    pub(super) hold: Option<usize>,
    /// C at both ends of a bounded slab, where it is not the same.
    pub(super) ends: Option<[Affine; 2]>,
    /// What the case is worth.
    pub(super) price: Affine,
}

/// A case: dataset, shell or slab, and part.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    /// The lines it has in the program.
    pub(super) lines: usize,
    pub(super) dataset: usize,
    pub(super) shell: Option<Shell<'a>>,
    pub(super) slab: Option<Slab>,
    pub(super) part: &'a PointSet,
}

impl<'a> CaseProgram<'a> {
    /// The shells, or nothing for each slab, or for everywhere.
    fn regions(&self) -> Vec<Option<Shell<'a>>> {
        if self.shells.is_empty() {
            return vec![None; self.slabs.len().max(1)];
        }
        self.shells.iter().copied().map(Some).collect()
    }

    /// How many lines a dataset has in a shell or slab.
    fn leads(&self) -> usize {
        if self.is_shared { 1 } else { self.parts.len() }
    }

    /// Dataset, shell or slab and what the shell is, of each lines.
    pub(super) fn each_lines(&self) -> Vec<(usize, usize, Option<Shell<'a>>)> {
        let mut lines = vec![];
        for dataset in 0..self.tables.len() {
            for (index, shell) in self.regions().into_iter().enumerate() {
                lines.extend(std::iter::repeat_n((dataset, index, shell), self.leads()));
            }
        }
        lines
    }

    /// The cases in the order of the format: by dataset, shell or slab, part.
    pub(super) fn places(&self) -> Vec<Place<'a>> {
        let mut places = vec![];
        for dataset in 0..self.tables.len() {
            for (index, shell) in self.regions().into_iter().enumerate() {
                let first = (dataset * self.regions().len() + index) * self.leads();
                let place = |(i, part)| {
                    let lines = first + if self.is_shared { 0 } else { i };
                    Place { lines, dataset, shell, slab: self.slabs.get(index).copied(), part }
                };
                places.extend(self.parts.iter().enumerate().map(place));
            }
        }
        places
    }

    /// Row i of a table, in a shell.
    pub(super) fn row<T>(
        &self,
        table: &RowTable,
        shell: Option<Shell>,
        i: usize,
        alpha: T,
        b: T,
    ) -> Row<'a, T> {
        Row {
            constants: self.constants,
            alpha,
            b,
            n: table.n[i],
            mass: table.mass[i],
            p: table.p[i],
            t: table.t[i],
            label: table.label[i],
            clip: table.clip[i],
            range: match (table.ranges.get(i), shell) {
                (Some(range), _) => *range,
                (None, Some(shell)) => shell.range(table, i),
                (None, None) => (0.0, f64::INFINITY),
            },
        }
    }

    /// The program with curves at finitely many points; α stays below `far`.
    pub(super) fn build(&self, cuts: &Cuts, far: f64) -> (Program, Layout) {
        let d = self.constants.parameters;
        let mut program = Program::new(0);
        let (alpha, beta, total) = (program.variables(1), program.variables(d), program.variables(1));
        program.pay(total, 1.0);
        program.pay(alpha, self.burden);
        let limit =
            |v: usize, far: f64| [Affine::from(far) - Affine::of(v), Affine::from(far) + Affine::of(v)];
        not_negative(&mut program, [Affine::of(alpha), Affine::from(far) - Affine::of(alpha)]);
        not_negative(&mut program, (0..d).flat_map(|j| limit(beta + j, 1e3 * far)).collect::<Vec<_>>());
        if let Some(radius) = self.constants.projection {
            // Theorem L15, with room for rounding.
            let edge = Affine::of(alpha) * (2.0 * radius * (1.0 - 1e-9));
            norm_within(&mut program, std::iter::once(edge).chain((0..d).map(|j| Affine::of(beta + j))));
        }
        self.pay_slowdown(&mut program, alpha, beta);
        self.pay_start(&mut program, alpha, beta);
        let scores: Vec<usize> = self.tables.iter().map(|s| scores(&mut program, beta, s)).collect();
        let mut layout = Layout { alpha, beta, lines: vec![], cases: vec![] };
        for (index, (s, _, shell)) in self.each_lines().into_iter().enumerate() {
            let lines =
                self.place_rows(&mut program, alpha, (&self.tables[s], shell), scores[s], (cuts, index));
            layout.lines.push(lines);
        }
        for (index, place) in self.places().into_iter().enumerate() {
            let (mut case, mut price) = self.place_case(&mut program, &layout, place, &cuts.cases[index]);
            price = price + layout.lines[place.lines].price(&self.tables[place.dataset]);
            price = price + self.quadratic(&mut program, &layout, &case, place);
            case.price = price.clone();
            not_negative(&mut program, [Affine::of(total) - price]);
            layout.cases.push(case);
        }
        (program, layout)
    }

    /// δ‖β‖²/(4α).
    fn pay_slowdown(&self, program: &mut Program, alpha: usize, beta: usize) {
        if self.constants.slowdown > 0.0 {
            let betas = (0..self.constants.parameters).map(|j| Affine::of(beta + j));
            let cost = quotient(program, betas, &Affine::of(alpha));
            program.pay(cost, self.constants.slowdown);
        }
    }

    /// What the start of the first steps costs. In a kept ball α + m stands for α under the quotient, and m costs ϱ².
    fn pay_start(&self, program: &mut Program, alpha: usize, beta: usize) {
        let Some(StartCost { weight, theta, shares }) = &self.constants.start else { return };
        let mut curve = Affine::of(alpha);
        if let (Some(ball), None) = (self.shells.last(), self.constants.projection) {
            let m = program.variables(1);
            not_negative(program, [Affine::of(m)]);
            program.pay(m, weight * ball.outer.powi(2));
            curve = curve + Affine::of(m);
        }
        let betas = shares.iter().enumerate().map(|(j, share)| Affine::of(beta + j) * (1.0 / share.sqrt()));
        let cost = quotient(program, betas, &curve);
        program.pay(cost, *weight);
        program.pay(alpha, self.constants.start.as_ref().map_or(0.0, StartCost::price_of_alpha));
        for (j, theta) in theta.iter().enumerate() {
            program.pay(beta + j, weight * theta);
        }
    }

    fn place_rows(
        &self,
        program: &mut Program,
        alpha: usize,
        (table, shell): (&RowTable, Option<Shell>),
        scores: usize,
        (cuts, index): (&Cuts, usize),
    ) -> LinesAt {
        let unknowns = self.kind.unknowns();
        let first = program.variables(unknowns * table.len());
        let mut parts = vec![];
        for (i, cuts) in cuts.rows[index].iter().enumerate() {
            let own: Vec<Affine> = (0..unknowns).map(|m| Affine::of(first + i * unknowns + m)).collect();
            let part =
                self.kind.part(&self.row(table, shell, i, Affine::of(alpha), Affine::of(scores + i)), &own);
            let curves = part
                .curves
                .iter()
                .zip(cuts)
                .flat_map(|(arc, cuts)| held(&own[arc.unknown], &arc.curve, cuts));
            not_negative(program, part.fixed.iter().cloned().chain(curves).collect::<Vec<_>>());
            parts.push(part);
        }
        let is_hostile = table.hostile > 0.0;
        let hostile = is_hostile.then(|| hostile::place(program, table, &parts, &cuts.normed[index]));
        let slope = program.variables(table.parameters);
        let pulled = |j: usize| hostile.as_ref().map_or_else(Affine::default, |at| Affine::of(at.pull + j));
        let mut sums: Vec<Affine> =
            (0..table.parameters).map(|j| Affine::of(slope + j) * -1.0 - pulled(j) * table.hostile).collect();
        for (i, part) in parts.iter().enumerate() {
            for (sum, z) in sums.iter_mut().zip(table.row(i)).filter(|(_, z)| **z != 0.0) {
                let factor = table.kept() * table.mass[i] * z;
                sum.constant += factor * part.slope.constant;
                sum.terms.extend(part.slope.terms.iter().map(|(v, f)| (*v, f * factor)));
            }
        }
        zero(program, sums);
        LinesAt { first, parts, slope, hostile }
    }

    /// The unknowns of a case, and what they cost but for the rows and the quadratic part.
    fn place_case(
        &self,
        program: &mut Program,
        layout: &Layout,
        place: Place,
        cuts: &[f64],
    ) -> (CaseAt, Affine) {
        let mut case = CaseAt::default();
        let mut price = match place.part {
            PointSet::Nothing => Affine::default(),
            PointSet::Symmetric(set) => {
                self.place_symmetric(program, layout, (set, place.slab), &mut case, cuts)
            }
            PointSet::Point(a) => self.place_point(program, layout, a, &mut case, cuts),
        };
        price = price * self.constants.eps;
        if let Some(shell) = place.shell {
            let first = program.variables(2);
            let (outer, inner) = (Affine::of(first), Affine::of(first + 1));
            not_negative(program, [outer.clone(), inner.clone()]);
            if shell.inner == 0.0 {
                // In the innermost shell ‖θ−o‖ ≥ 0 says nothing.
                zero(program, [inner.clone()]);
            }
            let centre: f64 = shell.centre.iter().map(|o| o * o).sum();
            price = price + outer * (shell.outer.powi(2) - centre) - inner * (shell.inner.powi(2) - centre);
            case.multipliers = Some((first, first + 1));
        }
        if let Some(slab) = place.slab.filter(|slab| slab.is_bounded() && case.ends.is_none()) {
            let hold = program.variables(1);
            not_negative(program, [Affine::of(hold)]);
            price = price - Affine::of(hold) * (slab.low * slab.high);
            case.hold = Some(hold);
        }
        (case, price)
    }

    /// C of Lemma L7.
    fn place_symmetric(
        &self,
        program: &mut Program,
        layout: &Layout,
        (set, slab): (&Symmetric, Option<Slab>),
        case: &mut CaseAt,
        cuts: &[f64],
    ) -> Affine {
        let first = program.variables(set.price.len() + 1);
        case.tau = (first..first + set.price.len()).collect();
        let nu = first + set.price.len();
        case.nu = Some(nu);
        not_negative(program, case.tau.iter().chain([&nu]).map(|v| Affine::of(*v)).collect::<Vec<_>>());
        if slab.is_some_and(|slab| !slab.allows(set)) {
            zero(program, [self.chi(layout, case)]);
        }
        if self.constants.point_label.is_none() {
            zero(program, [Affine::of(nu)]);
        }
        let half = Affine::sum(case.tau.iter().zip(&set.price).map(|(tau, price)| (*tau, price / 2.0)));
        let reach = half + Affine::of(layout.alpha) * (self.constants.eta * set.squared);
        let nu = Affine::of(nu) * set.terms;
        let (Some(fixed), Some(slab), [b]) = (set.fixed, slab, &self.constants.free[..]) else {
            return self.place_constant(program, reach, Affine::default(), nu, case, cuts);
        };
        // c₀|χe + β_b| at an end e, or ±c₀(χe + β_b) for one class; χ = 0 in an unbounded slab.
        let beta = Affine::of(layout.beta + b);
        let chi = self.chi(layout, case);
        let mut at = |end: f64, case: &mut CaseAt| {
            let own = |constant: f64| (chi.clone() * end + beta.clone()) * constant;
            match fixed {
                Fixed::Either(constant) => {
                    let push = Affine::of(program.variables(1));
                    let sides = [push.clone() - own(constant), push.clone() + own(constant)];
                    not_negative(program, sides);
                    self.place_constant(program, reach.clone(), push, nu.clone(), case, cuts)
                }
                Fixed::Class(entry) => {
                    let above =
                        self.place_constant(program, reach.clone(), own(entry), nu.clone(), case, cuts);
                    // A point that does not act adds nothing.
                    let top = Affine::of(program.variables(1));
                    not_negative(program, [top.clone(), top.clone() - above]);
                    top
                }
            }
        };
        if !slab.is_bounded() {
            return at(slab.edge(), case);
        }
        case.ends = Some([at(slab.low, case), at(slab.high, case)]);
        Affine::default()
    }

    /// C, the supremum of Dw² + lw + νws, for D = `reach` and l = `push`.
    fn place_constant(
        &self,
        program: &mut Program,
        reach: Affine,
        push: Affine,
        nu: Affine,
        case: &mut CaseAt,
        cuts: &[f64],
    ) -> Affine {
        if let Some(e) = self.loss.conjugate() {
            let label = self.constants.point_label.unwrap_or_default();
            return Self::place_bounded(program, (&e, label), (reach, push), nu, case, cuts);
        }
        if self.is_cut {
            return reach + push + nu * LAMBERT;
        }
        // D w² + ν(H + log(1−w)), which is the same as D w² + νws.
        let none = Affine::default();
        let curve = Curve {
            entropy: nu.clone(),
            first: none.clone(),
            second: nu,
            linear: push,
            square: reach,
            constant: none,
        };
        let price = program.variables(1);
        let above: Vec<Affine> = held(&Affine::of(price), &curve, cuts).chain([Affine::of(price)]).collect();
        not_negative(program, above);
        case.curves.push((price, curve));
        Affine::of(price)
    }

    /// C for a loss with bounded slopes: the largest Dw² + lw + νe(w) for labels of either sign.
    fn place_bounded(
        program: &mut Program,
        (e, label): (&Conjugate, f64),
        (reach, push): (Affine, Affine),
        nu: Affine,
        case: &mut CaseAt,
        cuts: &[f64],
    ) -> Affine {
        let steepest = e.high.max(-e.low);
        let linear = nu.clone() * (label - e.tube) + push;
        let square = reach - nu * (0.5 * e.curve);
        let at_end = linear.clone() * steepest + square.clone() * (steepest * steepest);
        if e.curve == 0.0 && label >= e.tube {
            return at_end;
        }
        let price = program.variables(1);
        let top = Affine::of(price);
        let mut above = vec![top.clone(), top.clone() - at_end];
        if e.curve > 0.0 {
            let curve = Curve::parabola(linear, square, steepest);
            above.extend(held(&top, &curve, cuts));
            case.curves.push((price, curve));
        }
        not_negative(program, above);
        Affine::of(price)
    }

    /// The line of a point (Lemma L9), with the cost at s = 0.
    fn place_point(
        &self,
        program: &mut Program,
        layout: &Layout,
        a: &[f64],
        case: &mut CaseAt,
        cuts: &[f64],
    ) -> Affine {
        let first = program.variables(3);
        let [t, y, v] = [0, 1, 2].map(|i| Affine::of(first + i));
        case.point = Some((first, first + 1));
        let alpha = Affine::of(layout.alpha);
        let whole = alpha.clone() * (2.0 * self.constants.k);
        let b = Affine::sum(a.iter().enumerate().map(|(j, a)| (layout.beta + j, *a)));
        let n: f64 = a.iter().map(|a| a * a).sum();
        let c = alpha * (self.constants.eta * n);
        if let Some(e) = self.loss.conjugate() {
            let is_concave = self.constants.eta * n < self.constants.k * e.curve;
            let bounded = Bounded { kappa0: whole.clone(), kappa: whole, b, c, label: 1.0, is_concave };
            let part = bounded.part(&e, &[t, y, v]);
            let mut fixed = part.fixed;
            for arc in part.curves {
                let unknown = first + arc.unknown;
                fixed.extend(held(&Affine::of(unknown), &arc.curve, cuts));
                case.curves.push((unknown, arc.curve));
            }
            not_negative(program, fixed);
            return part.cost;
        }
        zero(program, [v]);
        not_negative(program, [y.clone(), whole.clone() - y.clone()]);
        let curve = point_curve(whole, y, b, c);
        not_negative(program, held(&t, &curve, cuts).collect::<Vec<_>>());
        case.curves.push((first, curve));
        t
    }

    /// χ = 2αk − ν.
    fn chi(&self, layout: &Layout, case: &CaseAt) -> Affine {
        let nu = case.nu.map_or_else(Affine::default, Affine::of);
        Affine::of(layout.alpha) * (2.0 * self.constants.k) - nu
    }

    /// Σ t_j: what θ can add.
    fn quadratic(&self, program: &mut Program, layout: &Layout, case: &CaseAt, place: Place) -> Affine {
        let Constants { eps, free, parameters, .. } = self.constants;
        let weight = case.multipliers.map_or_else(Affine::default, |(w, m)| Affine::of(w) - Affine::of(m));
        let mut regular = Affine::of(layout.alpha) * self.constants.pull() + weight.clone();
        if let Some(at) = &layout.lines[place.lines].hostile {
            regular = regular - Affine::of(at.curve) * (self.tables[place.dataset].hostile / 2.0);
        }
        let hold = case.hold.map_or_else(Affine::default, Affine::of);
        let pull = |j: usize| if free.contains(&j) { hold.clone() } else { regular.clone() };
        let forces: Vec<Affine> =
            (0..*parameters).map(|j| self.force(layout, case, place, &weight, j)).collect();
        let betas: Vec<Affine> = (0..*parameters).map(|j| Affine::of(layout.beta + j)).collect();
        let is_joint =
            place.slab.is_none_or(|slab| matches!(place.part, PointSet::Symmetric(set) if slab.allows(set)));
        let tops = if is_joint { *parameters } else { 2 * parameters };
        let first = program.variables(tops);
        let top = |i: usize| Affine::of(first + i);
        let mut price = Affine::sum((first..first + tops).map(|t| (t, 1.0)));
        match place.part {
            PointSet::Symmetric(set) if is_joint => {
                let (chi, forces, betas) = (self.chi(layout, case), turned(set, forces), turned(set, betas));
                for (j, (force, beta)) in forces.into_iter().zip(betas).enumerate() {
                    if let (Some(ends), Some(slab), true) = (&case.ends, place.slab, free.contains(&j)) {
                        price = price + highest_end(program, &force, ends, slab, *eps);
                        continue;
                    }
                    let (tau, root) = (Affine::of(case.tau[set.tau_of(j)]), (eps * set.span[j]).sqrt());
                    semidefinite(program, 3, |a, b| match (a, b) {
                        (0, 0) => pull(j),
                        (0, 1) => chi.clone() * (-0.5 * root),
                        (1, 1) => tau.clone() * 0.5,
                        (0, 2) => force.clone() * 0.5,
                        (1, 2) => beta.clone() * (0.5 * root),
                        _ => top(j),
                    });
                }
            }
            _ => {
                let mut squares: Vec<_> = vec![];
                for (j, force) in forces.into_iter().enumerate() {
                    match place.slab.filter(|slab| free.contains(&j) && !slab.is_bounded()) {
                        // Nothing holds the coordinate back, so nothing may push it outward; it counts at the slab's edge.
                        Some(slab) => {
                            not_negative(program, [force.clone() * -slab.outward()]);
                            price = price + force * slab.edge();
                        }
                        None => squares.push((pull(j), force, top(j))),
                    }
                }
                if let PointSet::Symmetric(set) = place.part {
                    for (j, beta) in turned(set, betas).into_iter().enumerate() {
                        let (tau, root) = (Affine::of(case.tau[set.tau_of(j)]), (eps * set.span[j]).sqrt());
                        squares.push((tau * 0.5, beta * root, top(parameters + j)));
                    }
                }
                for (under, over, top) in squares {
                    semidefinite(program, 2, |a, b| match (a, b) {
                        (0, 0) => under.clone(),
                        (0, 1) => over.clone() * 0.5,
                        _ => top.clone(),
                    });
                }
            }
        }
        // A top that no cone holds may be 0.
        not_negative(program, (0..tops).map(top).collect::<Vec<_>>());
        price
    }

    /// v_j without what the point of a symmetric set adds; `weight` is that of the shell.
    fn force(&self, layout: &Layout, case: &CaseAt, place: Place, weight: &Affine, j: usize) -> Affine {
        let mut force = Affine::of(layout.lines[place.lines].slope + j);
        if !self.constants.free.contains(&j) {
            force = force - Affine::of(layout.beta + j) * self.constants.lean();
        } else if let (Some(slab), Some(hold)) = (place.slab, case.hold) {
            force = force + Affine::of(hold) * (slab.low + slab.high);
        }
        if let (PointSet::Point(a), Some((_, y))) = (place.part, case.point) {
            force = force + Affine::of(y) * (self.constants.eps * a[j]);
        }
        if let Some(shell) = place.shell {
            force = force + weight.clone() * (2.0 * shell.centre[j]);
        }
        force
    }
}

/// An unknown that is not below force·e + ε·C at either end e of a slab.
fn highest_end(program: &mut Program, force: &Affine, ends: &[Affine; 2], slab: Slab, eps: f64) -> Affine {
    let top = Affine::of(program.variables(1));
    let above = [(slab.low, &ends[0]), (slab.high, &ends[1])]
        .map(|(end, c)| top.clone() - force.clone() * end - c.clone() * eps);
    not_negative(program, above);
    top
}

/// An unknown c ≥ ‖β‖²/(4α), by ‖(2β, c − 4α)‖ ≤ c + 4α.
pub(super) fn quotient(program: &mut Program, betas: impl Iterator<Item = Affine>, alpha: &Affine) -> usize {
    let cost = program.variables(1);
    let edge = alpha.clone() * 4.0;
    let rest = [Affine::of(cost) - edge.clone()];
    let sides = betas.map(|beta| beta * 2.0);
    norm_within(program, std::iter::once(Affine::of(cost) + edge).chain(sides).chain(rest));
    cost
}

/// A little more than sup s/(1 + e^s), by Lemma L8.
pub(super) const LAMBERT: f64 = 0.278_470_1;

/// The curve of a point's line (Lemma L9).
pub(super) fn point_curve<T: super::affine::Scalar>(whole: T, y: T, b: T, c: T) -> Curve<T> {
    Curve {
        entropy: whole.clone(),
        first: y.clone(),
        second: whole - y,
        linear: b,
        square: c,
        constant: T::from(0.0),
    }
}

/// Unknowns b_i = βᵀz_i for all rows of a table.
fn scores(program: &mut Program, beta: usize, table: &RowTable) -> usize {
    let first = program.variables(table.len());
    let score = |i: usize| {
        let row = table.row(i).iter().enumerate().filter(|(_, z)| **z != 0.0);
        Affine::sum(row.map(|(j, z)| (beta + j, *z))) - Affine::of(first + i)
    };
    zero(program, (0..table.len()).map(score).collect::<Vec<_>>());
    first
}

/// Forms in the coordinates of a set.
fn turned(set: &Symmetric, forms: Vec<Affine>) -> Vec<Affine> {
    let Some(axes) = &set.axes else { return forms };
    let turn = |i: usize| {
        let parts = forms.iter().enumerate().filter(|(j, _)| axes[(i, *j)] != 0.0);
        parts.fold(Affine::default(), |sum, (j, affine)| sum + affine.clone() * axes[(i, j)])
    };
    (0..forms.len()).map(turn).collect()
}

/// top − h(w) for some w.
fn held<'a>(top: &'a Affine, curve: &'a Curve<Affine>, cuts: &'a [f64]) -> impl Iterator<Item = Affine> + 'a {
    cuts.iter().map(move |w| top.clone() - curve.at(*w))
}
