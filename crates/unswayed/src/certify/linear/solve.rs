//! The conic program of all cases together: α and β are shared, everything else is a case's own.
//!
//! ```text
//! minimise  max over cases  Σ p_i(T_i + …) + ε·C + Σ_j t_j
//! ```
//!
//! where t_j bounds what coordinate j of θ can add, sup over θ_j and q of (r_j − σβ_j)θ_j + q(χθ_j + β_j) − ασ(2−ησ)θ_j² − q²τ/(2ε·span),
//! which is a 3×3 matrix inequality, linear in all unknowns. Suprema over w are replaced by their values at finitely many w; the maximisers are
//! added until nothing changes.

use unswayed_check::{Cases, LinearWitness, Lines, Method, Shells};

use super::form::{Form, not_negative, semidefinite, zero};
use super::logistic::{Curve, factors, first_margins, weight};
use super::points::{Reach, Symmetric};
use super::rows::{Kind, Part, Row, WHOLE};
use super::{Constants, Sheet};
use crate::certify::conic::Program;

/// Rounds of new points on the curves, at most.
const MOST_ROUNDS: usize = 15;
/// The value may still fall by this much, relative to max(1, value), when no more points are added.
const TOLERANCE: f64 = 1e-8;
/// α and the entries of β stay within this: the program with few points on its curves may be unbounded.
const FAR: f64 = 1e5;

/// What is to be solved.
pub(super) struct Task<'a> {
    pub(super) constants: Constants,
    pub(super) logistic: bool,
    pub(super) method: Method,
    pub(super) kind: &'a dyn Kind,
    pub(super) sheets: &'a [Sheet],
    pub(super) reaches: &'a [Reach],
}

/// A witness in the program's own coordinates, and whether the solver met its tolerances.
pub(super) struct Solution {
    pub(super) witness: LinearWitness,
    pub(super) converged: bool,
}

/// The unknowns' places in the program.
struct Layout {
    alpha: usize,
    beta: usize,
    /// For each lines: the first unknown of its rows, and the rows' parts.
    lines: Vec<(usize, Vec<Part>)>,
    cases: Vec<Case>,
}

/// A case's unknowns.
struct Case {
    lines: usize,
    tau: Vec<usize>,
    nu: Option<usize>,
    /// T and y of a point, and its curve.
    point: Option<(usize, usize, Option<Curve<Form>>)>,
    /// The curve of C, and its unknown.
    price: Option<(usize, Curve<Form>)>,
}

/// The w at which each curve is held down: of each row of each lines, of each case's point, of each case's price.
#[derive(Clone, Default)]
struct Points {
    rows: Vec<Vec<Vec<Vec<f64>>>>,
    points: Vec<Vec<f64>>,
    prices: Vec<Vec<f64>>,
}

impl Task<'_> {
    /// Solves to the end.
    pub(super) fn solve(&self) -> Option<Solution> {
        let mut points = self.first_points();
        let mut last = None;
        for _ in 0..MOST_ROUNDS {
            let (program, layout) = self.build(&points);
            let solved = program.solve(None)?;
            let missing = self.refine(&layout, &solved.x, &mut points);
            let done = missing <= TOLERANCE * solved.cost.abs().max(1.0);
            let witness = self.witness(&layout, &solved.x, &points);
            last = Some(Solution { witness, converged: done && solved.converged() });
            if done {
                break;
            }
        }
        last
    }

    fn first_points(&self) -> Points {
        let whole: Vec<f64> = first_margins().map(weight).collect();
        let within = |(low, high): (f64, f64)| {
            let inside = whole.iter().copied().filter(|w| (low..=high).contains(w));
            inside.chain([low, high].into_iter().filter(|w| *w > WHOLE.0 && *w < WHOLE.1)).collect::<Vec<_>>()
        };
        let of_row = |sheet: &Sheet, i: usize| {
            let own = vec![Form::default(); self.kind.unknowns()];
            let part = self.kind.part(&self.row(sheet, i, Form::default(), Form::default()), &own);
            part.curves.iter().map(|arc| within(arc.interval)).collect()
        };
        let cases = self.sheets.len() * self.reaches.len();
        Points {
            rows: self.each_lines().map(|s| (0..s.p.len()).map(|i| of_row(s, i)).collect()).collect(),
            points: vec![whole.clone(); cases],
            prices: vec![whole.clone(); cases],
        }
    }

    /// The sheet of each lines, in order: a case of its own has lines of its own.
    fn each_lines(&self) -> impl Iterator<Item = &Sheet> {
        self.sheets.iter().flat_map(|sheet| self.reaches.iter().map(move |_| sheet))
    }

    fn row<'r>(&'r self, sheet: &Sheet, i: usize, alpha: Form, b: Form) -> Row<'r> {
        Row { constants: &self.constants, alpha, b, n: sheet.n[i], t: sheet.t[i] }
    }

    fn build(&self, points: &Points) -> (Program, Layout) {
        let d = self.constants.dimension;
        let mut program = Program::new(0);
        let alpha = program.variables(1);
        let beta = program.variables(d);
        let total = program.variables(1);
        program.pay(total, 1.0);
        let bounded = |v: usize| [Form::number(FAR) - Form::of(v), Form::number(FAR) + Form::of(v)];
        not_negative(&mut program, (0..=d).flat_map(|j| bounded(alpha + j)));
        not_negative(&mut program, [Form::of(alpha)]);
        let mut layout = Layout { alpha, beta, lines: vec![], cases: vec![] };
        let scores = self.scores(&mut program, beta);
        for (s, sheet) in self.sheets.iter().enumerate() {
            for reach in self.reaches {
                let index = layout.lines.len();
                let lines = self.place_rows(&mut program, alpha, sheet, scores[s], &points.rows[index]);
                layout.lines.push(lines);
                let (case, mut price, extra) = self.place_point(&mut program, &layout, reach, points);
                for (p, part) in sheet.p.iter().zip(&layout.lines[index].1) {
                    price = price + part.cost.clone() * *p;
                }
                let slopes = self.slopes(sheet, &layout.lines[index].1, &extra);
                price = price + self.quadratic(&mut program, &layout, &case, reach, &slopes);
                not_negative(&mut program, [Form::of(total) - price]);
                layout.cases.push(case);
            }
        }
        (program, layout)
    }

    /// Unknowns b_i = βᵀz_i for all rows of each sheet.
    fn scores(&self, program: &mut Program, beta: usize) -> Vec<usize> {
        let place = |sheet: &Sheet| {
            let first = program.variables(sheet.p.len());
            let rows = (0..sheet.p.len()).map(|i| {
                let row = sheet.row(i).iter().enumerate().map(|(j, z)| (beta + j, *z));
                Form::sum(row) - Form::of(first + i)
            });
            zero(program, rows.collect::<Vec<_>>());
            first
        };
        self.sheets.iter().map(place).collect()
    }

    fn place_rows(
        &self,
        program: &mut Program,
        alpha: usize,
        sheet: &Sheet,
        scores: usize,
        points: &[Vec<Vec<f64>>],
    ) -> (usize, Vec<Part>) {
        let unknowns = self.kind.unknowns();
        let first = program.variables(unknowns * sheet.p.len());
        let mut parts = vec![];
        for (i, points) in points.iter().enumerate() {
            let own: Vec<Form> = (0..unknowns).map(|m| Form::of(first + i * unknowns + m)).collect();
            let row = self.row(sheet, i, Form::of(alpha), Form::of(scores + i));
            let part = self.kind.part(&row, &own);
            let cuts =
                part.curves.iter().zip(points).flat_map(|(arc, points)| cuts(&own[0], &arc.curve, points));
            not_negative(program, part.fixed.iter().cloned().chain(cuts).collect::<Vec<_>>());
            parts.push(part);
        }
        (first, parts)
    }

    /// The unknowns of the adversary's point: the case, its price, and what it adds to the slopes.
    fn place_point(
        &self,
        program: &mut Program,
        layout: &Layout,
        reach: &Reach,
        points: &Points,
    ) -> (Case, Form, Vec<Form>) {
        let index = layout.cases.len();
        let mut case = Case { lines: index, tau: vec![], nu: None, point: None, price: None };
        let d = self.constants.dimension;
        match reach {
            Reach::Nothing => (case, Form::default(), vec![]),
            Reach::Symmetric(set) => {
                let first = program.variables(set.price.len());
                case.tau = (first..first + set.price.len()).collect();
                let nu = program.variables(1);
                case.nu = Some(nu);
                not_negative(program, case.tau.iter().chain([&nu]).map(|v| Form::of(*v)));
                let price = self.price(program, layout, set, &mut case, &points.prices[index]);
                (case, price * self.constants.eps, vec![])
            }
            Reach::Point(a) => {
                let first = program.variables(2);
                let (t, y) = (Form::of(first), Form::of(first + 1));
                let (whole, b, c) = self.of_point(layout, a);
                not_negative(program, [y.clone(), whole.clone() - y.clone()]);
                let (curve, cost) = if self.logistic {
                    let curve = Curve {
                        entropy: whole.clone(),
                        first: y.clone(),
                        second: whole - y.clone(),
                        linear: b,
                        square: c,
                        constant: Form::default(),
                    };
                    not_negative(program, cuts(&t, &curve, &points.points[index]).collect::<Vec<_>>());
                    (Some(curve), t)
                } else {
                    not_negative(program, [t.clone(), t.clone() - whole - b - c]);
                    (None, t - y.clone())
                };
                case.point = Some((first, first + 1, curve));
                let slopes = (0..d).map(|j| y.clone() * (self.constants.eps * a[j]));
                (case, cost * self.constants.eps, slopes.collect())
            }
        }
    }

    /// 2αk, βᵀa and αη‖a‖².
    fn of_point(&self, layout: &Layout, a: &[f64]) -> (Form, Form, Form) {
        let alpha = Form::of(layout.alpha);
        let squared: f64 = a.iter().map(|a| a * a).sum();
        let b = Form::sum(a.iter().enumerate().map(|(j, a)| (layout.beta + j, *a)));
        (alpha.clone() * (2.0 * self.constants.k), b, alpha * (self.constants.eta * squared))
    }

    /// C of Lemma L7.
    fn price(
        &self,
        program: &mut Program,
        layout: &Layout,
        set: &Symmetric,
        case: &mut Case,
        points: &[f64],
    ) -> Form {
        let half = Form::sum(case.tau.iter().zip(&set.price).map(|(tau, price)| (*tau, price / 2.0)));
        let reach = half + Form::of(layout.alpha) * (self.constants.eta * set.squared);
        let nu = case.nu.map_or_else(Form::default, Form::of);
        if !self.logistic {
            return reach + nu;
        }
        // D w² + ν(H + log(1−w)), which is the same.
        let curve = Curve {
            entropy: nu.clone(),
            first: Form::default(),
            second: nu,
            linear: Form::default(),
            square: reach,
            constant: Form::default(),
        };
        let price = program.variables(1);
        let held: Vec<Form> = cuts(&Form::of(price), &curve, points).chain([Form::of(price)]).collect();
        not_negative(program, held);
        case.price = Some((price, curve));
        Form::of(price)
    }

    /// r = Σ p_i y_i z_i, and what the point adds.
    fn slopes(&self, sheet: &Sheet, parts: &[Part], extra: &[Form]) -> Vec<Form> {
        let mut slopes: Vec<Form> =
            (0..self.constants.dimension).map(|j| extra.get(j).cloned().unwrap_or_default()).collect();
        for (i, part) in parts.iter().enumerate() {
            for (slope, z) in slopes.iter_mut().zip(sheet.row(i)) {
                let factor = sheet.p[i] * z;
                slope.constant += factor * part.slope.constant;
                slope.terms.extend(part.slope.terms.iter().map(|(v, f)| (*v, f * factor)));
            }
        }
        slopes
    }

    /// Σ t_j: what θ can add.
    fn quadratic(
        &self,
        program: &mut Program,
        layout: &Layout,
        case: &Case,
        reach: &Reach,
        slopes: &[Form],
    ) -> Form {
        let Constants { eps, sigma, eta, k, dimension, .. } = self.constants;
        let (alpha, first) = (Form::of(layout.alpha), program.variables(dimension));
        let pull = alpha.clone() * (sigma * (2.0 - eta * sigma));
        for (j, slope) in slopes.iter().enumerate() {
            let beta = Form::of(layout.beta + j);
            let force = slope.clone() - beta.clone() * sigma;
            let top = Form::of(first + j);
            match (reach, case.nu) {
                (Reach::Symmetric(set), Some(nu)) if set.span[j] > 0.0 => {
                    let chi = alpha.clone() * (2.0 * k) - Form::of(nu);
                    let tau = Form::of(case.tau[set.tau_of(j)]) * (0.5 / (eps * set.span[j]));
                    semidefinite(program, 3, |a, b| match (a, b) {
                        (0, 0) => pull.clone(),
                        (0, 1) => chi.clone() * -0.5,
                        (1, 1) => tau.clone(),
                        (0, 2) => force.clone() * 0.5,
                        (1, 2) => beta.clone() * 0.5,
                        _ => top.clone(),
                    });
                }
                _ => semidefinite(program, 2, |a, b| match (a, b) {
                    (0, 0) => pull.clone(),
                    (0, 1) => force.clone() * 0.5,
                    _ => top.clone(),
                }),
            }
        }
        Form::sum((first..first + dimension).map(|t| (t, 1.0)))
    }

    /// Adds the maximisers of all curves; returns how much the value falls short of what they demand.
    fn refine(&self, layout: &Layout, x: &[f64], points: &mut Points) -> f64 {
        let unknowns = self.kind.unknowns();
        let mut missing: f64 = 0.0;
        for (l, ((first, parts), sheet)) in layout.lines.iter().zip(self.each_lines()).enumerate() {
            let mut short = 0.0;
            for (i, part) in parts.iter().enumerate() {
                let mut worst: f64 = 0.0;
                for (arc, points) in part.curves.iter().zip(&mut points.rows[l][i]) {
                    let gap = add(&arc.curve, arc.interval, x, x[first + i * unknowns], points);
                    worst = worst.max(gap);
                }
                short += sheet.p[i] * worst;
            }
            let case = &layout.cases[l];
            if let Some((t, _, Some(curve))) = &case.point {
                short += self.constants.eps * add(curve, WHOLE, x, x[*t], &mut points.points[l]);
            }
            if let Some((price, curve)) = &case.price {
                short += self.constants.eps * add(curve, WHOLE, x, x[*price], &mut points.prices[l]);
            }
            missing = missing.max(short);
        }
        missing
    }

    fn witness(&self, layout: &Layout, x: &[f64], points: &Points) -> LinearWitness {
        let alpha = x[layout.alpha];
        let kappa0 = 2.0 * alpha * self.constants.k * (1.0 - self.constants.eps);
        let unknowns = self.kind.unknowns();
        let last = |points: &Vec<f64>| points.last().copied().unwrap_or(0.5);
        let mut lines = vec![];
        for (l, ((first, parts), sheet)) in layout.lines.iter().zip(self.each_lines()).enumerate() {
            let mut out = Lines { dataset: l / self.reaches.len(), ..Lines::default() };
            for i in 0..parts.len() {
                let own = &x[first + i * unknowns..][..unknowns];
                let w: Vec<f64> = points.rows[l][i].iter().map(last).collect();
                self.kind.write(kappa0, sheet.t[i], own, &w, &mut out);
            }
            lines.push(out);
        }
        let mut cases = Cases::default();
        for (l, case) in layout.cases.iter().enumerate() {
            cases.lines.push(case.lines);
            cases.tau.extend(case.tau.iter().map(|tau| x[*tau].max(f64::MIN_POSITIVE)));
            cases.nu.extend(case.nu.map(|nu| x[nu].max(0.0)));
            if let Some((_, y, curve)) = &case.point {
                cases.share.push((x[*y] / (2.0 * alpha * self.constants.k)).clamp(0.0, 1.0));
                cases.w.extend(curve.as_ref().map(|_| last(&points.points[l])));
            }
        }
        let beta = x[layout.beta..][..self.constants.dimension].to_vec();
        let shells: Option<Shells> = None;
        LinearWitness { method: self.method, alpha, beta, omega: None, shells, by_label: false, lines, cases }
    }
}

/// top − h(w) for some w.
fn cuts<'a>(top: &'a Form, curve: &'a Curve<Form>, points: &'a [f64]) -> impl Iterator<Item = Form> + 'a {
    points.iter().map(move |w| {
        let at = factors(*w);
        top.clone()
            - curve.entropy.clone() * at.entropy
            - curve.first.clone() * at.first
            - curve.second.clone() * at.second
            - curve.linear.clone() * at.linear
            - curve.square.clone() * at.square
            - curve.constant.clone()
    })
}

/// Adds a curve's maximiser at x to the points; returns how far the top is below it.
fn add(curve: &Curve<Form>, interval: (f64, f64), x: &[f64], top: f64, points: &mut Vec<f64>) -> f64 {
    let at = Curve {
        entropy: curve.entropy.at(x),
        first: curve.first.at(x),
        second: curve.second.at(x),
        linear: curve.linear.at(x),
        square: curve.square.at(x),
        constant: curve.constant.at(x),
    };
    let w = at.maximiser(interval.0, interval.1);
    let f = factors(w);
    let height = at.entropy * f.entropy
        + at.first * f.first
        + at.second * f.second
        + at.linear * f.linear
        + at.square * f.square
        + at.constant;
    points.push(w);
    (height - top).max(0.0)
}
