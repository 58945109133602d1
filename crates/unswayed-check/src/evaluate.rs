//! Theorem L1: from the parts of a case to its bound.
//!
//! ```text
//! A = ασ(2−ησ)I + W − εM ≻ 0        v = r + εm + g − σβ        B = r₀ + εm₀ + g₀ + ¼vᵀA⁻¹v
//! ```
//!
//! Where rows may be hostile, the line above them has a curvature of its own, which is taken from A (Theorem H1).
//! For learning rates that fall (Theorem A2), δα is taken from A, δβ is added to v and δ‖β‖²/(4α) to B.
//!
//! Quotients are kept as pairs of exact numbers until the end, where each is rounded up in its 256th bit.

use std::cmp::Ordering;

use crate::exact::{Dyadic, Round, quotient};
use crate::failure::{Reason, require_positive};
use crate::lambda::Lambda;
use crate::matrix::entry;
use crate::parts::rows::Line;
use crate::parts::slabs::Slab;

/// The quadratic m₀ + mᵀθ + θᵀMθ above what the point contributes.
pub(crate) struct Quadratic {
    /// m₀
    pub(crate) constant: Dyadic,
    /// m times the denominator of the curve.
    pub(crate) slope: Vec<Dyadic>,
    /// M
    pub(crate) curve: Curve,
}

/// M, with denominators > 0.
pub(crate) enum Curve {
    /// 0; the denominator is 1.
    Flat,
    /// `over`⁻¹·`m`·I
    Scalar { m: Dyadic, over: Dyadic },
    /// diag(`m`_j/`over`_j)
    Diagonal { m: Vec<Dyadic>, over: Vec<Dyadic> },
    /// `over`⁻¹·`m`·Q for a symmetric Q ⪯ ωI, m ≥ 0; x is a vector near A⁻¹v.
    Dense { m: Dyadic, over: Dyadic, q: Vec<f64>, omega: Dyadic, x: Vec<Dyadic> },
    /// `over`⁻¹·`m`·M_y ⊗ I for K classes and the label y.
    Classes { m: Dyadic, over: Dyadic, classes: usize, label: usize },
}

/// The quadratic g₀ + gᵀθ − wθᵀθ, which is not negative in the case.
pub(crate) struct Region {
    pub(crate) constant: Dyadic,
    pub(crate) slope: Vec<Dyadic>,
    /// W = wI
    pub(crate) w: Dyadic,
}

impl Region {
    /// The quadratic 0.
    pub(crate) fn everywhere(dimension: usize) -> Self {
        Region { constant: Dyadic::zero(), slope: vec![Dyadic::zero(); dimension], w: Dyadic::zero() }
    }
}

/// The parts of a case put together.
struct Case<'a> {
    lambda: &'a Lambda<'a>,
    line: &'a Line,
    point: &'a Quadratic,
    region: &'a Region,
    /// ασ(2−ησ) + w, less the curvature of the line
    base: Dyadic,
    /// An unregularized coordinate and where it is: at an end of its slab.
    fixed: Option<(usize, &'a Dyadic)>,
}

/// B of a case, rounded up.
pub(crate) fn bound(
    lambda: &Lambda,
    line: &Line,
    point: &Quadratic,
    region: &Region,
) -> Result<Dyadic, Reason> {
    let base = lambda.curvature() + &region.w - &line.bend;
    Case { lambda, line, point, region, base, fixed: None }.bound()
}

/// B of a case in a slab, with the unregularized coordinate at one of its ends, rounded up (Theorem L17). An end at infinity must
/// be harmless.
pub(crate) fn bound_in_slab(
    lambda: &Lambda,
    line: &Line,
    point: &Quadratic,
    slab: &Slab,
    end: &Dyadic,
) -> Result<Dyadic, Reason> {
    let region = Region::everywhere(line.slope.len());
    let fixed = Some((slab.coordinate, end));
    let case = Case { lambda, line, point, region: &region, base: lambda.curvature(), fixed };
    let (m, over) = case.along(slab.coordinate);
    let v = case.slope(slab.coordinate, &over);
    slab.require_held(&v, &m)?;
    // v·e + εM·e² for the coordinate itself.
    let own = &v * end + &lambda.eps * m * end.square() * &line.scale;
    Ok(quotient(&own, &(&line.scale * over), Round::Up) + case.bound()?)
}

impl Case<'_> {
    /// B, but for what a fixed coordinate adds.
    fn bound(&self) -> Result<Dyadic, Reason> {
        let peak = match &self.point.curve {
            Curve::Flat => self.scalar(&Dyadic::zero(), &Dyadic::whole(1))?,
            Curve::Scalar { m, over } => self.scalar(m, over)?,
            Curve::Diagonal { m, over } => self.diagonal(m, over)?,
            Curve::Dense { m, over, q, omega, x } => self.dense(m, over, q, omega, x)?,
            Curve::Classes { m, over, classes, label } => self.classes(m, over, *classes, *label)?,
        };
        let rows = quotient(&self.line.constant, &self.line.scale, Round::Up);
        let fixed = &self.lambda.eps * &self.point.constant + &self.region.constant;
        Ok(rows + fixed + self.lambda.slowdown_cost() + peak)
    }

    /// over·M_jj and its denominator.
    fn along(&self, j: usize) -> (Dyadic, Dyadic) {
        match &self.point.curve {
            Curve::Flat | Curve::Classes { .. } => (Dyadic::zero(), Dyadic::whole(1)),
            Curve::Scalar { m, over } => (m.clone(), over.clone()),
            Curve::Diagonal { m, over } => (m[j].clone(), over[j].clone()),
            Curve::Dense { m, over, q, .. } => (m * Dyadic::new(entry(q, j, j)), over.clone()),
        }
    }

    fn is_fixed(&self, j: usize) -> bool {
        self.fixed.is_some_and(|(fixed, _)| fixed == j)
    }

    /// over·A = over·base − ε·m, which must be positive.
    fn curvature(&self, m: &Dyadic, over: &Dyadic, name: &str) -> Result<Dyadic, Reason> {
        let a = &self.base * over - &self.lambda.eps * m;
        require_positive(&a, name)?;
        Ok(a)
    }

    /// scale·over·v_j.
    fn slope(&self, j: usize, over: &Dyadic) -> Dyadic {
        let fixed = &self.region.slope[j] - &self.lambda.sigma_beta(j);
        let rest = &self.lambda.eps * &self.point.slope[j] + over * fixed;
        over * &self.line.slope[j] + &self.line.scale * rest
    }

    fn slopes(&self, over: &Dyadic) -> Vec<Dyadic> {
        (0..self.line.slope.len()).map(|j| self.slope(j, over)).collect()
    }

    /// Σv_j²/(4A) from Σ(scale·over·v_j)² and over·A.
    fn peak(&self, square: &Dyadic, over: &Dyadic, a: &Dyadic) -> Dyadic {
        let divisor = Dyadic::whole(4) * self.line.scale.square() * over * a;
        quotient(square, &divisor, Round::Up)
    }

    /// All coordinates alike.
    fn scalar(&self, m: &Dyadic, over: &Dyadic) -> Result<Dyadic, Reason> {
        let a = self.curvature(m, over, "A")?;
        let mut square = Dyadic::zero();
        for (_, v) in self.slopes(over).iter().enumerate().filter(|(j, _)| !self.is_fixed(*j)) {
            square = square + v.square();
        }
        Ok(self.peak(&square, over, &a))
    }

    fn diagonal(&self, m: &[Dyadic], over: &[Dyadic]) -> Result<Dyadic, Reason> {
        let mut sum = Dyadic::zero();
        for (j, (m, over)) in m.iter().zip(over).enumerate().filter(|(j, _)| !self.is_fixed(*j)) {
            let a = self.curvature(m, over, &format!("A[{j}]"))?;
            sum = sum + self.peak(&self.slope(j, over).square(), over, &a);
        }
        Ok(sum)
    }

    /// With Â = over·A ⪰ âI, V = scale·over·v: VᵀÂ⁻¹V ≤ 2VᵀX − XᵀÂX + ‖V − ÂX‖²/â for every X; X = scale·x is best.
    fn dense(
        &self,
        m: &Dyadic,
        over: &Dyadic,
        q: &[f64],
        omega: &Dyadic,
        x: &[Dyadic],
    ) -> Result<Dyadic, Reason> {
        let least = self.curvature(&(m * omega), over, "ασ(2−ησ) + w − εχ²ω/(2τ)")?;
        let (base, pull) = (&self.base * over, &self.lambda.eps * m);
        let mut v = self.slopes(over);
        if let Some((fixed, end)) = self.fixed {
            // 2εM_jb·e pushes the others.
            let push = Dyadic::whole(2) * &pull * end * &self.line.scale;
            for (j, v) in v.iter_mut().enumerate() {
                *v = &*v + &push * Dyadic::new(entry(q, j, fixed));
            }
        }
        let scaled: Vec<Dyadic> = x.iter().map(|x| x * &self.line.scale).collect();
        let (mut inner, mut rest) = (Dyadic::zero(), Dyadic::zero());
        for (i, v) in v.iter().enumerate().filter(|(i, _)| !self.is_fixed(*i)) {
            let mut qx = Dyadic::zero();
            for (j, x) in scaled.iter().enumerate().filter(|(j, _)| !self.is_fixed(*j)) {
                qx = qx + Dyadic::new(entry(q, i, j)) * x;
            }
            let ax = &base * &scaled[i] - &pull * qx;
            inner = inner + (Dyadic::whole(2) * v - &ax) * &scaled[i];
            rest = rest + (v - ax).square();
        }
        // ¼vᵀA⁻¹v = VᵀÂ⁻¹V/(4·scale²·over)
        let divisor = Dyadic::whole(4) * self.line.scale.square() * over;
        let inner = quotient(&inner, &divisor, Round::Up);
        Ok(inner + quotient(&rest, &(divisor * least), Round::Up))
    }

    /// R^K is the sum of the spans of 1 and of c_y and of the range of Π_y, where M_y is 0, K(K−1) and (K−1)/2.
    fn classes(&self, m: &Dyadic, over: &Dyadic, classes: usize, label: usize) -> Result<Dyadic, Reason> {
        let count = Dyadic::whole(classes as u64);
        let less = Dyadic::whole(classes.saturating_sub(1) as u64);
        let pair = &count * &less;
        let first = self.curvature(&(m * &pair), over, "a₁")?;
        let second = self.curvature(&(m * &less).half(), over, "a₂")?;
        let common = self.curvature(&Dyadic::zero(), over, "ασ(2−ησ)")?;
        let v = self.slopes(over);
        let d = v.len() / classes;
        let (mut all, mut along, mut mean) = (Dyadic::zero(), Dyadic::zero(), Dyadic::zero());
        for j in 0..d {
            let (mut sum, own) = (Dyadic::zero(), &count * &v[label * d + j]);
            for class in 0..classes {
                all = all + v[class * d + j].square();
                sum = sum + &v[class * d + j];
            }
            along = along + (own - &sum).square();
            mean = mean + sum.square();
        }
        // K(K−1) times the squares of the three parts of v.
        let mean = mean * &less;
        let rest = all * &pair - &along - &mean;
        debug_assert!(rest.cmp(&Dyadic::zero()) != Ordering::Less);
        let over = over * &pair;
        let parts = [(along, first), (rest, second), (mean, common)];
        Ok(parts.iter().fold(Dyadic::zero(), |sum, (square, a)| sum + self.peak(square, &over, a)))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use dashu_ratio::RBig;

    use super::*;
    use crate::statement::{Learner, Loss, Statement, Target, Threat};

    /// η = σ = ½ and ε = 0: for α = 1 the curvature ασ(2−ησ) is 7/8.
    pub(crate) fn statement() -> Statement {
        let learner = Learner::new(Loss::Hinge, 0.5, 0.5);
        Statement {
            learner,
            threat: Threat::ball(0.0, 1.0),
            data: vec![],
            hostile_rows: vec![],
            target: Target::Data,
            horizon: None,
        }
    }

    /// A little more than n/d, and no quotient that was rounded down.
    pub(crate) fn assert_just_above(x: &Dyadic, n: u32, d: u32) {
        let excess = RBig::from(x.clone()) - RBig::from_parts(n.into(), d.into());
        assert!(excess > RBig::ZERO && excess < RBig::from(Dyadic::scaled(1.into(), -200)), "{x:?} {n}/{d}");
    }

    fn of(constant: u64, slope: u64, scale: u64, curve: Curve) -> Dyadic {
        let [constant, slope, scale] = [constant, slope, scale].map(Dyadic::whole);
        let line = Line { constant, slope: vec![slope], scale, bend: Dyadic::zero() };
        let point = Quadratic { constant: Dyadic::zero(), slope: vec![Dyadic::zero()], curve };
        let statement = statement();
        bound(&Lambda::new(&statement, 1.0, &[0.0]), &line, &point, &Region::everywhere(1)).expect("A ≻ 0")
    }

    /// Quotients that are no binary numbers: a third of the constant, and v²/(4A) = 1/(4·7/8).
    #[test]
    fn quotients_are_rounded_up() {
        let (zero, one) = (Dyadic::zero(), Dyadic::whole(1));
        assert_just_above(&of(1, 0, 3, Curve::Flat), 1, 3);
        assert_just_above(&of(0, 1, 1, Curve::Flat), 2, 7);
        let diagonal = Curve::Diagonal { m: vec![zero.clone()], over: vec![one.clone()] };
        assert_just_above(&of(0, 1, 1, diagonal), 2, 7);
        // The two parts together are v²/(4A) with v = 1/3, wherever x is.
        for x in 0..20 {
            let (omega, x) = (Dyadic::whole(2), vec![Dyadic::new(f64::from(x) / 16.0)]);
            let dense = Curve::Dense { m: zero.clone(), over: one.clone(), q: vec![1.0], omega, x };
            assert_just_above(&of(0, 1, 3, dense), 2, 63);
        }
    }
}
