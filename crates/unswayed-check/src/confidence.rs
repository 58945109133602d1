//! Bounds for new data from a sample: Theorem L18, and Theorem H2 where rows of the sample may be hostile.
//!
//! ```text
//! T̄ + D + εm₀ + (‖v_n‖ + κΔ)²/(4a)     Δ = (r/√n)(1 + √(2 log(2/δ)))
//! D₁ = (T₊−T₋)√(log(2/δ)/(2n))           D₂ = √(2V log(4/δ)/n) + 7(T₊−T₋) log(4/δ)/(3(n−1))
//! y(z) = κ·clip((1 − θ̂ᵀz)·gain + ½, 0, 1)
//! hinge:     T(z) = max(J, 0) − y(z)     T₊ = κ0 + (1−ε)x           x = αηr² + ‖β‖r
//! logistic:  T(z) = sup h                T₊ = (1−ε)x + κ0/(1 + x/2αk + ½(x/2αk)²)
//! ```
//!
//! T(z) is raised to T₋ where it is below. sup h is enclosed, and √V grows by at most √(Σe²/(n−1)), e the widths of the enclosures.
//!
//! Where K of the n rows may be hostile, with x_i of Theorem H1 and w = T₊ − T₋:
//!
//! ```text
//! T̄    + ( Kγ + Σ max(x_i − γ, 0) + KT₊ )/n        v_n  − Kc/n         κΔ  + κrK/n         a  − K/(2tn)         V  + Kw²/(n−1)
//! ```
//!
//! Roots, logarithms and quotients are rounded up; all else is exact. That the numbers were chosen before the rows were drawn cannot be
//! checked: it is what the claim assumes.

use dashu_ratio::RBig;
use unswayed_data::Origin;

use crate::evaluate::{Curve, Quadratic};
use crate::exact::{Dyadic, ExactSum, Round, norm2, quotient, sqrt_up};
use crate::failure::{Reason, require, require_each, require_length, require_not_negative, require_positive};
use crate::lambda::Lambda;
use crate::log::{Enclosure, log};
use crate::loss::HINGE;
use crate::parts::points::{self, Acting, Ellipsoid, Split};
use crate::parts::rows::Entropy;
use crate::proof::{Deviation, HostileSample, NewDataClaim};
use crate::prove::{point_radius, require_projection};
use crate::rows::{Entries, Rows};
use crate::rules::{self, Feature};
use crate::statement::{Loss, Set, Statement};

/// The value, after every condition has been verified.
pub(crate) fn value(statement: &Statement, claim: &NewDataClaim, rows: &Rows) -> Result<RBig, Reason> {
    require_supported(statement, rows)?;
    let rows = &evaluated(statement, claim, rows)?;
    require_claim(statement, claim, rows)?;
    let lambda = Lambda::new(statement, claim.alpha, &claim.beta);
    require_positive(&lambda.alpha, "alpha")?;
    let kappa = &lambda.kappa0 - Dyadic::whole(1);
    require_not_negative(&kappa, "κ")?;
    require_projection(statement, &lambda)?;
    let point = point(statement, claim, &lambda)?;
    let hostile = Hostile::new(statement, claim);
    let lines = Lines {
        lambda: &lambda,
        claim,
        kappa: &kappa,
        is_logistic: is_logistic(statement),
        hostile: &hostile,
    };
    let range = lines.range();
    require_not_negative(&range, "T₊ − floor")?;
    let sample = Sample::new(&lines, rows)?;
    let deviation = sample.deviation(claim, &hostile.count, &range);
    let least = least_curvature(&lambda, &point)? - hostile.bend(&sample.count);
    require_positive(&least, "a")?;
    let missing = quotient(&(&hostile.count * Dyadic::new(claim.radius)), &sample.count, Round::Up);
    let length = sample.slope_norm(&lambda, &point) + &kappa * (sample.spread(claim) + missing);
    let peak = quotient(&length.square(), &(Dyadic::whole(4) * least), Round::Up);
    let unseen = &hostile.count * (&hostile.threshold + range + lines.floor());
    let mean = quotient(&(&sample.sum + &sample.above + unseen), &sample.count, Round::Up);
    Ok(RBig::from(mean + deviation + &lambda.eps * &point.constant + peak))
}

/// The rows that the numbers of a claim are evaluated on: all, or where some may be hostile those that came later.
fn evaluated<'a>(
    statement: &Statement,
    claim: &NewDataClaim,
    rows: &'a Rows<'a>,
) -> Result<Rows<'a>, Reason> {
    if claim.hostile.is_some() == statement.hostile_rows.is_empty() {
        let with = if claim.hostile.is_some() {
            "rows none of which is hostile"
        } else {
            "rows that may be hostile"
        };
        return Err(Reason::Unfit { method: "of the claim on new data", with });
    }
    let Some(HostileSample { earlier, .. }) = claim.hostile else { return Ok(*rows) };
    let most = statement.hostile_rows.iter().sum::<usize>();
    let left = rows.len().saturating_sub(earlier);
    require(left > most, "the rows after the first `earlier`", left as f64, "more than may be hostile")?;
    Ok(Rows { z: &rows.z[earlier * rows.dimension..], steps: None, ..*rows })
}

fn is_logistic(statement: &Statement) -> bool {
    statement.learner.loss == Loss::Logistic
}

/// What Theorem L18 is stated for.
pub(crate) fn require_supported(statement: &Statement, rows: &Rows) -> Result<(), Reason> {
    // The theorem is about independent draws. Divided by a number that was read off them, they are none.
    let scaled = statement.data.iter().any(Origin::is_scaled).then_some(Feature::ScaledRows);
    let more = rows.weights.map(|_| Feature::RowWeights).into_iter().chain(scaled);
    rules::require_supported(statement, more.chain([Feature::Confidence]))
}

/// The sizes and signs of the numbers of Theorem L18.
fn require_claim(statement: &Statement, c: &NewDataClaim, rows: &Rows) -> Result<(), Reason> {
    require_supported(statement, rows)?;
    let is_ellipsoid = matches!(statement.threat.set, Set::Ellipsoid { .. });
    if is_ellipsoid != c.omega.is_some() {
        return Err(Reason::Unfit { method: "of the claim on new data", with: "this omega" });
    }
    let is_logistic = is_logistic(statement);
    if is_logistic && c.floor.is_none() {
        return Err(Reason::Unfit {
            method: "of the claim on new data",
            with: "the logistic loss without a floor",
        });
    }
    require_length("w", if is_logistic { rows.len() } else { 0 }, c.w.len())?;
    let width = if matches!(statement.threat.set, Set::Box { .. }) { rows.dimension } else { 1 };
    require(rows.len() >= 2, "the number of rows", rows.len() as f64, "≥ 2")?;
    for (name, vector, length) in
        [("beta", &c.beta, rows.dimension), ("theta", &c.theta, rows.dimension), ("tau", &c.tau, width)]
    {
        require_length(name, length, vector.len())?;
        require_each(name, vector, f64::is_finite, "finite")?;
    }
    let optional = [("omega", c.omega.unwrap_or_default()), ("floor", c.floor.unwrap_or_default())];
    for (name, x) in [("alpha", c.alpha), ("gain", c.gain)].into_iter().chain(optional) {
        require(x.is_finite(), name, x, "finite")?;
    }
    require_each("tau", &c.tau, |x| x > 0.0, "> 0")?;
    require(c.nu >= 0.0 && c.nu.is_finite(), "nu", c.nu, "≥ 0")?;
    require(c.radius > 0.0 && c.radius.is_finite(), "radius", c.radius, "> 0")?;
    if let Some(hostile) = &c.hostile {
        require_length("pull", rows.dimension, hostile.pull.len())?;
        require_each("pull", &hostile.pull, f64::is_finite, "finite")?;
        require(hostile.spread > 0.0 && hostile.spread.is_finite(), "spread", hostile.spread, "> 0")?;
        require(hostile.threshold.is_finite(), "threshold", hostile.threshold, "finite")?;
    }
    require(c.delta > 0.0 && c.delta < 1.0, "delta", c.delta, "in (0, 1)")
}

fn point(statement: &Statement, c: &NewDataClaim, lambda: &Lambda) -> Result<Quadratic, Reason> {
    let acting = if is_logistic(statement) { Acting::Logistic } else { Acting::Bounded(HINGE, 1.0) };
    let split = Split::new(lambda, Dyadic::new(c.nu), acting, Dyadic::whole(1));
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

/// What is needed where rows of the sample may be hostile (Theorem H2); K = 0 and c = 0 where none may.
struct Hostile<'a> {
    /// K
    count: Dyadic,
    /// c, where rows may be hostile.
    pull: Option<&'a [f64]>,
    /// t
    spread: Dyadic,
    /// γ
    threshold: Dyadic,
}

impl<'a> Hostile<'a> {
    fn new(statement: &Statement, claim: &'a NewDataClaim) -> Self {
        let own = claim.hostile.as_ref();
        Hostile {
            count: Dyadic::whole(statement.hostile_rows.iter().sum::<usize>() as u64),
            pull: own.map(|own| own.pull.as_slice()),
            spread: Dyadic::new(own.map_or(1.0, |own| own.spread)),
            threshold: Dyadic::new(own.map_or(0.0, |own| own.threshold)),
        }
    }

    /// K/(2tn), rounded up.
    fn bend(&self, rows: &Dyadic) -> Dyadic {
        quotient(&self.count, &(Dyadic::whole(2) * &self.spread * rows), Round::Up)
    }

    /// max(x_i − γ, 0) for a row with the line t + yθᵀz.
    fn above(&self, z: &[f64], t: &Dyadic, y: &Dyadic) -> Dyadic {
        let Some(pull) = self.pull else { return Dyadic::zero() };
        let mut product = ExactSum::new();
        for (&z, &c) in z.iter().zip(pull) {
            product.add([z, c]);
        }
        let square = y * (y * norm2(z) - Dyadic::whole(2) * product.take());
        let distance = norm2(pull) + square;
        (self.spread.clone().half() * distance - t - &self.threshold).max(Dyadic::zero())
    }
}

/// The line of every point: its slope y(z) and its constant T(z).
struct Lines<'a> {
    lambda: &'a Lambda<'a>,
    claim: &'a NewDataClaim,
    kappa: &'a Dyadic,
    is_logistic: bool,
    hostile: &'a Hostile<'a>,
}

impl Lines<'_> {
    /// y(z), from θ̂ᵀz.
    fn slope(&self, product: Dyadic) -> Dyadic {
        let one = Dyadic::whole(1);
        let share = (&one - product) * Dyadic::new(self.claim.gain) + Dyadic::new(0.5);
        let share = share.max(Dyadic::zero());
        self.kappa * if (&share - &one).is_positive() { one } else { share }
    }

    /// Numbers that the constant of row i is between, before it is raised to T₋.
    fn constant(&self, i: usize, z: &[f64], y: &Dyadic) -> Result<Enclosure, Reason> {
        let lambda = self.lambda;
        let (n, b) = lambda.products(Entries::of(z));
        let edge = Dyadic::new(self.claim.radius).square();
        require_not_negative(&(&edge - &n), format_args!("radius² − ‖z[{i}]‖²"))?;
        if !self.is_logistic {
            let t = (&lambda.benign * lambda.jump(&n, &b)).max(Dyadic::zero()) - y;
            return Ok(Enclosure { low: t.clone(), high: t });
        }
        let h = Entropy {
            a: lambda.kappa0.clone(),
            y1: y.clone(),
            y0: self.kappa - y,
            b: &lambda.benign * &b,
            c: &lambda.benign * lambda.alpha_eta(&n),
        };
        h.enclosed("w", i, self.claim.w[i])
    }

    /// T₋.
    fn floor(&self) -> Dyadic {
        self.claim.floor.map_or_else(|| Dyadic::zero() - self.kappa, Dyadic::new)
    }

    /// T₊ − T₋.
    fn range(&self) -> Dyadic {
        let (lambda, two) = (self.lambda, Dyadic::whole(2));
        let r = Dyadic::new(self.claim.radius);
        let reach = lambda.alpha_eta(&r.square()) + sqrt_up(&norm2(&self.claim.beta)) * r;
        let rest = if self.is_logistic {
            let square = &two * lambda.two_ak.square();
            let over = &square + &two * &lambda.two_ak * &reach + reach.square();
            quotient(&(&lambda.kappa0 * square), &over, Round::Up)
        } else {
            lambda.kappa0.clone()
        };
        &lambda.benign * reach + rest - self.floor()
    }
}

/// Sums over the sample.
struct Sample {
    /// n
    count: Dyadic,
    /// ΣT, rounded up.
    sum: Dyadic,
    /// ΣT² of the same numbers.
    squares: Dyadic,
    /// Σe², by how much each T may be smaller.
    doubt: Dyadic,
    /// Σ max(x_i − γ, 0)
    above: Dyadic,
    /// Σ y(z)z − Kc
    slope: Vec<Dyadic>,
}

impl Sample {
    fn new(lines: &Lines, rows: &Rows) -> Result<Self, Reason> {
        let mut product = ExactSum::new();
        let (mut sum, mut squares, mut doubt) = (Dyadic::zero(), Dyadic::zero(), Dyadic::zero());
        let (mut above, mut slope) = (Dyadic::zero(), vec![Dyadic::zero(); rows.dimension]);
        for i in 0..rows.len() {
            let z = rows.row(i);
            for (&z, &theta) in z.iter().zip(&lines.claim.theta) {
                product.add([z, theta]);
            }
            let y = lines.slope(product.take());
            let Enclosure { low, high } = lines.constant(i, z, &y)?;
            doubt = doubt + (&high - low).square();
            let t = high.max(lines.floor());
            squares = squares + t.square();
            above = above + lines.hostile.above(z, &t, &y);
            sum = sum + t;
            for (slope, &z) in slope.iter_mut().zip(z) {
                *slope = &*slope + &y * Dyadic::new(z);
            }
        }
        for (slope, &c) in slope.iter_mut().zip(lines.hostile.pull.unwrap_or_default()) {
            *slope = &*slope - &lines.hostile.count * Dyadic::new(c);
        }
        Ok(Sample { count: Dyadic::whole(rows.len() as u64), sum, squares, doubt, above, slope })
    }

    /// D₁ or D₂.
    fn deviation(&self, c: &NewDataClaim, hostile: &Dyadic, range: &Dyadic) -> Dyadic {
        let two = Dyadic::whole(2);
        let fewer = &self.count - Dyadic::whole(1);
        match c.deviation {
            Deviation::Hoeffding => {
                range * sqrt_up(&quotient(&log_over(2.0, c.delta), &(two * &self.count), Round::Up))
            }
            Deviation::Bernstein => {
                let log = log_over(4.0, c.delta);
                // n(n−1)V = nΣT² − (ΣT)², and nKw² for rows that are missing
                let missing = hostile * range.square();
                let spread = &self.count * (&self.squares + missing) - self.sum.square();
                let under = quotient(&(&two * spread * &log), &(self.count.square() * &fewer), Round::Up);
                let doubt = quotient(&(two * &self.doubt * &log), &(&self.count * &fewer), Round::Up);
                let rest = Dyadic::whole(7) * range * log;
                sqrt_up(&under) + sqrt_up(&doubt) + quotient(&rest, &(Dyadic::whole(3) * fewer), Round::Up)
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
