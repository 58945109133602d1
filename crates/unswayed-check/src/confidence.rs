//! Bounds for new data from a sample: Theorem L18.
//!
//! ```text
//! T̄ + D + εm₀ + (‖v_n‖ + κΔ)²/(4a)     Δ = (r/√n)(1 + √(2 log(2/δ)))
//! D₁ = (T₊−T₋)√(log(2/δ)/(2n))           D₂ = √(2V log(4/δ)/n) + 7(T₊−T₋) log(4/δ)/(3(n−1))
//! T(z) = max(J, 0) − y(z)                y(z) = κ·clip((1 − θ̂ᵀz)·gain + ½, 0, 1)
//! T₋ = −κ                                T₊ = (1−ε)(2αk + αηr² + ‖β‖r)
//! ```
//!
//! Roots, logarithms and quotients are rounded up; all else is exact. That the numbers were chosen before the rows were drawn cannot be
//! checked: it is what the claim assumes.

use dashu::rational::RBig;
use unswayed_data::Origin;

use crate::evaluate::{Curve, Quadratic};
use crate::exact::{Dyadic, ExactSum, Round, norm2, quotient, sqrt_up};
use crate::failure::{Reason, require, require_each, require_length, require_not_negative, require_positive};
use crate::lambda::Lambda;
use crate::log::log;
use crate::loss::HINGE;
use crate::parts::points::{self, Acting, Ellipsoid, Split};
use crate::proof::{Deviation, NewDataClaim};
use crate::prove::{point_radius, require_projection};
use crate::rows::{Entries, Rows};
use crate::rules::{self, Feature};
use crate::statement::{Set, Statement};

/// The value, after every condition has been verified.
pub(crate) fn value(statement: &Statement, claim: &NewDataClaim, rows: &Rows) -> Result<RBig, Reason> {
    require_claim(statement, claim, rows)?;
    let lambda = Lambda::new(statement, claim.alpha, &claim.beta);
    require_positive(&lambda.alpha, "alpha")?;
    let kappa = &lambda.kappa0 - Dyadic::whole(1);
    require_not_negative(&kappa, "κ")?;
    require_projection(statement, &lambda)?;
    let point = point(statement, claim, &lambda)?;
    let sample = Sample::new(&lambda, claim, rows, &kappa)?;
    let deviation = sample.deviation(&lambda, claim, &kappa);
    let least = least_curvature(&lambda, &point)?;
    let length = sample.slope_norm(&lambda, &point) + kappa * sample.spread(claim);
    let peak = quotient(&length.square(), &(Dyadic::whole(4) * least), Round::Up);
    let mean = quotient(&sample.sum, &sample.count, Round::Up);
    Ok(RBig::from(mean + deviation + &lambda.eps * &point.constant + peak))
}

/// What Theorem L18 is stated for.
pub(crate) fn require_supported(statement: &Statement, rows: &Rows) -> Result<(), Reason> {
    let mut features = rules::features(statement);
    features.push(Feature::Confidence);
    features.extend(rows.weights.map(|_| Feature::RowWeights));
    // The theorem is about independent draws. Divided by a number that was read off them, they are none.
    let is_scaled = statement.data.iter().any(Origin::is_scaled);
    features.extend(is_scaled.then_some(Feature::ScaledRows));
    rules::unsupported(&features).map_or(Ok(()), |rule| Err(Reason::Unsupported(rule)))
}

/// The sizes and signs of the numbers of Theorem L18.
fn require_claim(statement: &Statement, c: &NewDataClaim, rows: &Rows) -> Result<(), Reason> {
    require_supported(statement, rows)?;
    let is_ellipsoid = matches!(statement.threat.set, Set::Ellipsoid { .. });
    if is_ellipsoid != c.omega.is_some() {
        return Err(Reason::Unfit { method: "of the claim on new data", with: "this omega" });
    }
    let width = if matches!(statement.threat.set, Set::Box { .. }) { rows.dimension } else { 1 };
    require(rows.len() >= 2, "the number of rows", rows.len() as f64, "≥ 2")?;
    for (name, vector, length) in
        [("beta", &c.beta, rows.dimension), ("theta", &c.theta, rows.dimension), ("tau", &c.tau, width)]
    {
        require_length(name, length, vector.len())?;
        require_each(name, vector, f64::is_finite, "finite")?;
    }
    for (name, x) in [("alpha", c.alpha), ("gain", c.gain), ("omega", c.omega.unwrap_or_default())] {
        require(x.is_finite(), name, x, "finite")?;
    }
    require_each("tau", &c.tau, |x| x > 0.0, "> 0")?;
    require(c.nu >= 0.0 && c.nu.is_finite(), "nu", c.nu, "≥ 0")?;
    require(c.radius > 0.0 && c.radius.is_finite(), "radius", c.radius, "> 0")?;
    require(c.delta > 0.0 && c.delta < 1.0, "delta", c.delta, "in (0, 1)")
}

fn point(statement: &Statement, c: &NewDataClaim, lambda: &Lambda) -> Result<Quadratic, Reason> {
    let split = Split::new(lambda, Dyadic::new(c.nu), Acting::Bounded(HINGE, 1.0), Dyadic::whole(1));
    Ok(match &statement.threat.set {
        Set::Box { radii } => points::cuboid(lambda, &split, radii, &c.tau),
        Set::Ellipsoid { q } => {
            let set = Ellipsoid::new(q, c.omega.unwrap_or_default(), c.beta.len())?;
            points::ellipsoid(lambda, &split, &set, c.tau[0], &[])
        }
        _ => points::ball(lambda, &split, &Dyadic::new(point_radius(statement).0), c.tau[0]),
    })
}

/// A number a > 0 with A ⪰ aI, rounded down.
fn least_curvature(lambda: &Lambda, point: &Quadratic) -> Result<Dyadic, Reason> {
    let base = lambda.curvature();
    let below = |m: &Dyadic, over: &Dyadic| quotient(&(&base * over - &lambda.eps * m), over, Round::Down);
    let least = match &point.curve {
        Curve::Scalar { m, over } => below(m, over),
        Curve::Dense { m, over, omega, .. } => below(&(m * omega), over),
        Curve::Diagonal { m, over } => {
            let zero = Dyadic::zero();
            let turned = m.iter().zip(over).map(|(m, over)| &zero - below(m, over));
            &zero - turned.reduce(Dyadic::max).unwrap_or_else(Dyadic::zero)
        }
        Curve::Flat | Curve::Classes { .. } => base,
    };
    require_positive(&least, "a")?;
    Ok(least)
}

/// Sums over the sample.
struct Sample {
    /// n
    count: Dyadic,
    /// ΣT
    sum: Dyadic,
    /// ΣT²
    squares: Dyadic,
    /// Σ y(z)z
    slope: Vec<Dyadic>,
}

impl Sample {
    fn new(lambda: &Lambda, c: &NewDataClaim, rows: &Rows, kappa: &Dyadic) -> Result<Self, Reason> {
        let (zero, one) = (Dyadic::zero(), Dyadic::whole(1));
        let (gain, half) = (Dyadic::new(c.gain), Dyadic::new(0.5));
        let edge = Dyadic::new(c.radius).square();
        let mut product = ExactSum::new();
        let (mut sum, mut squares) = (Dyadic::zero(), Dyadic::zero());
        let mut slope = vec![Dyadic::zero(); rows.dimension];
        for i in 0..rows.len() {
            let z = rows.row(i);
            for (&z, &theta) in z.iter().zip(&c.theta) {
                product.add([z, theta]);
            }
            let share = (&one - product.take()) * &gain + &half;
            let share = share.max(zero.clone());
            let share = if (&share - &one).is_positive() { one.clone() } else { share };
            let y = kappa * share;
            let (n, b) = lambda.products(Entries::of(z));
            require_not_negative(&(&edge - &n), format_args!("radius² − ‖z[{i}]‖²"))?;
            let t = (&lambda.benign * lambda.jump(&n, &b)).max(zero.clone()) - &y;
            squares = squares + t.square();
            sum = sum + t;
            for (slope, &z) in slope.iter_mut().zip(z) {
                *slope = &*slope + &y * Dyadic::new(z);
            }
        }
        Ok(Sample { count: Dyadic::whole(rows.len() as u64), sum, squares, slope })
    }

    /// D₁ or D₂.
    fn deviation(&self, lambda: &Lambda, c: &NewDataClaim, kappa: &Dyadic) -> Dyadic {
        let r = Dyadic::new(c.radius);
        let beta = sqrt_up(&norm2(&c.beta));
        let jump = &lambda.two_ak + lambda.alpha_eta(&r.square()) + beta * r;
        let range = &lambda.benign * jump + kappa;
        let two = Dyadic::whole(2);
        let fewer = &self.count - Dyadic::whole(1);
        match c.deviation {
            Deviation::Hoeffding => {
                range * sqrt_up(&quotient(&log_over(2.0, c.delta), &(two * &self.count), Round::Up))
            }
            Deviation::Bernstein => {
                let log = log_over(4.0, c.delta);
                // n(n−1)V = nΣT² − (ΣT)²
                let spread = &self.count * &self.squares - self.sum.square();
                let under = quotient(&(two * spread * &log), &(self.count.square() * &fewer), Round::Up);
                let rest = Dyadic::whole(7) * range * log;
                sqrt_up(&under) + quotient(&rest, &(Dyadic::whole(3) * fewer), Round::Up)
            }
        }
    }

    /// Δ.
    fn spread(&self, c: &NewDataClaim) -> Dyadic {
        let root = sqrt_up(&(Dyadic::whole(2) * log_over(2.0, c.delta)));
        let r = Dyadic::new(c.radius);
        let each = sqrt_up(&quotient(&r.square(), &self.count, Round::Up));
        each * (root + Dyadic::whole(1))
    }

    /// ‖v_n‖ with v_n = Σy(z)z/n + εm − σβ.
    fn slope_norm(&self, lambda: &Lambda, point: &Quadratic) -> Dyadic {
        let one = Dyadic::whole(1);
        let over = |j: usize| match &point.curve {
            Curve::Scalar { over, .. } | Curve::Dense { over, .. } => over,
            Curve::Diagonal { over, .. } => &over[j],
            Curve::Flat | Curve::Classes { .. } => &one,
        };
        let mut square = Dyadic::zero();
        for (j, slope) in self.slope.iter().enumerate() {
            let over = over(j);
            let rest = &lambda.eps * &point.slope[j] - over * lambda.sigma_beta(j);
            let v = over * slope + &self.count * rest;
            square = square + quotient(&v.square(), &(&self.count * over).square(), Round::Up);
        }
        sqrt_up(&square)
    }
}

/// log(x/δ) rounded up.
fn log_over(x: f64, delta: f64) -> Dyadic {
    log(&Dyadic::new(x)).high - log(&Dyadic::new(delta)).low
}
