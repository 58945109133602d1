//! Theorem 6: the paper's semidefinite certificate for the hinge learner against a ball.
//!
//! Letters: η, σ, ε, R of the statement, k = 1 − ησ, p_i = w_i/W the weight of row i; of the proof A (`a`) and b, which stand for
//! η times the paper's, m_i, h_i, ν8, ν9, ν10, ϱ (`ball`), H (`reach`), l (`low`), u (`high`), δ, θ̂ (`theta`) and ẑ (`point`).
//!
//! ```text
//! T_i = max( φ0(m_i) + ϱ‖h_i‖₁,  φ1(m_i) + ϱ‖z_i − 2k(1−ε)Az_i − h_i‖₁ + (1−ε)(ηz_iᵀAz_i + bᵀz_i) + 1 )
//! φ0(m) = −m if m ≥ 0 else (2+H)|m|               φ1(m) = Hm if m ≥ 0 else |m|
//! c = Σ p_i(m_iz_i − h_i)                         g = ½(c − σb, εb)
//! D = [[σ(2−ησ)A + ν8, −εkA + ν9], [−εkA + ν9, −εηA + ν10]]      x = (θ̂, ẑ)
//! value = Σ p_iT_i + ν8ϱ² + 2ν9 + ν10R² + 2gᵀx − xᵀDx + ‖g − Dx‖²/δ
//! ```
//!
//! lI ≺ A ≺ uI, and D ⪰ δI because its blocks commute: it is enough that the 2×2 matrix of the same formula, with the number l
//! or u in place of A, is ⪰ δ.

use std::ops::Range;

use dashu_ratio::RBig;

use crate::exact::{Dyadic, ExactSum, norm2, ratio};
use crate::failure::{Reason, require, require_each, require_length, require_not_negative, require_positive};
use crate::matrix::{is_definite, times};
use crate::proof::PaperProof;
use crate::prove::point_radius;
use crate::rows::Rows;
use crate::statement::{Horizon, Statement};

/// The exact value, after every condition has been verified.
pub(crate) fn value(statement: &Statement, proof: &PaperProof, rows: &Rows) -> Result<RBig, Reason> {
    require_shape(proof, rows)?;
    // λ need not be convex, and a mean of steps is then not covered.
    let batch = statement.learner.batch;
    require(batch == 1 || proof.low >= 0.0, "low", proof.low, "≥ 0, as it must be with batches")?;
    let c = Constants::new(statement, proof);
    c.check()?;
    require_between(proof)?;
    let gain = c.gain(rows)?;
    let total = rows.total_weight();
    // 2W·g, which has no quotient in it.
    let pull = &total * &c.sigma;
    let push = &total * &c.eps;
    let slope = c.slope(rows);
    let g1 = slope.iter().zip(&proof.b).map(|(c, &b)| c - &pull * Dyadic::new(b));
    let g = [g1.collect::<Vec<_>>(), proof.b.iter().map(|&b| &push * Dyadic::new(b)).collect()];

    let x = [dyadics(&proof.theta), dyadics(&proof.point)];
    let dx = c.times_d(&x);
    let (mut linear, mut square, mut rest) = (Dyadic::zero(), Dyadic::zero(), Dyadic::zero());
    let two_total = Dyadic::whole(2) * &total;
    for block in 0..2 {
        for ((g, x), dx) in g[block].iter().zip(&x[block]).zip(&dx[block]) {
            linear = linear + g * x;
            square = square + x * dx;
            rest = rest + (g - &two_total * dx).square();
        }
    }
    let fixed = &c.nu8 * c.ball.square() + Dyadic::whole(2) * &c.nu9 + &c.nu10 * c.radius.square();
    let whole = ratio(&(gain + linear), &total) + RBig::from(fixed - square);
    Ok(whole + ratio(&rest, &(two_total.square() * &c.delta)))
}

/// All numbers finite, all vectors as long as they must be; one dataset, judged by itself.
fn require_shape(proof: &PaperProof, rows: &Rows) -> Result<(), Reason> {
    let (n, d) = (rows.len(), rows.dimension);
    let vectors = [
        ("a", &proof.a, d.saturating_mul(d.saturating_add(1)) / 2),
        ("b", &proof.b, d),
        ("m", &proof.m, n),
        ("h", &proof.h, n.saturating_mul(d)),
        ("theta", &proof.theta, d),
        ("point", &proof.point, d),
    ];
    for (name, vector, length) in vectors {
        require_length(name, length, vector.len())?;
        require_each(name, vector, f64::is_finite, "finite")?;
    }
    let PaperProof { nu8, nu9, nu10, ball, reach, low, high, delta, .. } = *proof;
    require_each("the numbers", &[nu8, nu9, nu10, ball, reach, low, high, delta], f64::is_finite, "finite")
}

/// What a start θ_0 adds over T steps: (θ_0ᵀAθ_0 + bᵀθ_0 + ‖b‖²/(4(l+m)) + mϱ²)/(ηT).
pub(crate) fn transient(
    statement: &Statement,
    proof: &PaperProof,
    horizon: &Horizon,
    m: f64,
) -> Result<RBig, Reason> {
    let Horizon { steps, start, .. } = horizon;
    let c = Constants::new(statement, proof);
    require_length("entries of horizon.start", proof.b.len(), start.len())?;
    require(m >= 0.0 && m.is_finite(), "horizon.m", m, "≥ 0")?;
    require_not_negative(&(c.ball.square() - norm2(start)), "ϱ² − ‖θ_0‖²")?;
    let curve = Dyadic::new(proof.low) + Dyadic::new(m);
    require_positive(&curve, "low + horizon.m")?;
    let mut here = Dyadic::new(m) * c.ball.square();
    for ((a, &theta), &b) in times(&proof.a, start).iter().zip(start).zip(&proof.b) {
        here = here + Dyadic::new(theta) * (a + Dyadic::new(b));
    }
    let time = &c.eta * Dyadic::whole(*steps);
    let four = Dyadic::whole(4) * curve;
    Ok(ratio(&here, &time) + ratio(&norm2(&proof.b), &(four * time)))
}

fn dyadics(x: &[f64]) -> Vec<Dyadic> {
    x.iter().map(|&x| Dyadic::new(x)).collect()
}

/// Requires lI ≺ A ≺ uI.
fn require_between(w: &PaperProof) -> Result<(), Reason> {
    require(is_definite(&w.a, w.b.len(), w.low, false), "low", w.low, "below all eigenvalues of a")?;
    require(is_definite(&w.a, w.b.len(), w.high, true), "high", w.high, "above all eigenvalues of a")
}

/// Learner and proof as exact numbers.
struct Constants<'a> {
    proof: &'a PaperProof,
    eta: Dyadic,
    sigma: Dyadic,
    eps: Dyadic,
    radius: Dyadic,
    ball: Dyadic,
    reach: Dyadic,
    nu8: Dyadic,
    nu9: Dyadic,
    nu10: Dyadic,
    delta: Dyadic,
    /// 1 − ε
    benign: Dyadic,
    /// k = 1 − ησ
    k: Dyadic,
    /// σ(2−ησ)
    shrink: Dyadic,
}

impl<'a> Constants<'a> {
    fn new(statement: &Statement, proof: &'a PaperProof) -> Self {
        let learner = &statement.learner;
        let (eta, sigma) = (Dyadic::new(learner.learning_rate), Dyadic::new(learner.regularization));
        let eps = Dyadic::new(statement.threat.poison_rate);
        Constants {
            proof,
            radius: Dyadic::new(point_radius(statement).0),
            ball: Dyadic::new(proof.ball),
            reach: Dyadic::new(proof.reach),
            nu8: Dyadic::new(proof.nu8),
            nu9: Dyadic::new(proof.nu9),
            nu10: Dyadic::new(proof.nu10),
            delta: Dyadic::new(proof.delta),
            benign: Dyadic::whole(1) - &eps,
            k: Dyadic::whole(1) - &eta * &sigma,
            shrink: &sigma * (Dyadic::whole(2) - &eta * &sigma),
            eta,
            sigma,
            eps,
        }
    }

    /// The conditions on the numbers that are the same for all rows, but for lI ≺ A ≺ uI.
    fn check(&self) -> Result<(), Reason> {
        require_not_negative(&self.nu8, "nu8")?;
        require_not_negative(&self.nu9, "nu9")?;
        require_not_negative(&self.nu10, "nu10")?;
        require_positive(&self.delta, "delta")?;
        require_not_negative(&self.reach, "reach")?;
        require_not_negative(&(&self.ball * &self.sigma - &self.radius), "ϱσ − R")?;
        self.check_corner("low", self.proof.low)?;
        self.check_corner("high", self.proof.high)
    }

    /// Requires the 2×2 matrix for the eigenvalue `a` to be ⪰ δ.
    fn check_corner(&self, name: &str, a: f64) -> Result<(), Reason> {
        let a = Dyadic::new(a);
        let [p, q, r] = self.corner(&a);
        let (p, r) = (p - &self.delta, r - &self.delta);
        require_not_negative(&p, format_args!("σ(2−ησ)·{name} + ν8 − δ"))?;
        require_not_negative(&r, format_args!("ν10 − εη·{name} − δ"))?;
        require_not_negative(&(p * r - q.square()), format_args!("the determinant of D − δ at {name}"))
    }

    /// The entries of D for the eigenvalue `a`: on the diagonal, beside it, on the diagonal.
    fn corner(&self, a: &Dyadic) -> [Dyadic; 3] {
        [
            &self.shrink * a + &self.nu8,
            &self.nu9 - &self.eps * &self.k * a,
            &self.nu10 - &self.eps * &self.eta * a,
        ]
    }

    /// D(θ̂, ẑ).
    fn times_d(&self, x: &[Vec<Dyadic>; 2]) -> [Vec<Dyadic>; 2] {
        let w = self.proof;
        let (at, az) = (times(&w.a, &w.theta), times(&w.a, &w.point));
        let cross = &self.eps * &self.k;
        let upper = |j: usize| {
            let theta = &self.shrink * &at[j] + &self.nu8 * &x[0][j];
            theta + &self.nu9 * &x[1][j] - &cross * &az[j]
        };
        let lower = |j: usize| {
            let point = &self.nu10 * &x[1][j] - &self.eps * &self.eta * &az[j];
            point + &self.nu9 * &x[0][j] - &cross * &at[j]
        };
        [(0..at.len()).map(upper).collect(), (0..az.len()).map(lower).collect()]
    }

    /// Σ w_i(m_iz_i − h_i), one number per dimension.
    fn slope(&self, rows: &Rows) -> Vec<Dyadic> {
        let (d, w) = (rows.dimension, self.proof);
        let mut sums = vec![ExactSum::new(); d];
        for i in 0..rows.len() {
            let (weight, row) = (rows.weight(i), rows.row(i));
            for ((sum, &z), &h) in sums.iter_mut().zip(row).zip(&w.h[i * d..]) {
                sum.add([weight, w.m[i], z]);
                sum.add([-weight, h]);
            }
        }
        sums.iter_mut().map(ExactSum::take).collect()
    }

    /// Σ w_iT_i, after the conditions on every row have been verified.
    fn gain(&self, rows: &Rows) -> Result<Dyadic, Reason> {
        let parts = rows.in_parallel(|range| self.gain_of(rows, range));
        parts.into_iter().try_fold(Dyadic::zero(), |sum, part| Ok(sum + part?))
    }

    fn gain_of(&self, rows: &Rows, range: Range<usize>) -> Result<Dyadic, Reason> {
        let mut sum = Dyadic::zero();
        for i in range {
            let n = norm2(rows.row(i));
            let kept = (&self.ball * &self.sigma).square() - &n;
            require_not_negative(&kept, format_args!("(ϱσ)² − ‖z[{i}]‖²"))?;
            let reached = self.reach.square() - self.ball.square() * n;
            require_not_negative(&reached, format_args!("reach² − ϱ²‖z[{i}]‖²"))?;
            sum = sum + Dyadic::new(rows.weight(i)) * self.row_gain(rows.row(i), i);
        }
        Ok(sum)
    }

    /// T_i.
    fn row_gain(&self, z: &[f64], i: usize) -> Dyadic {
        let (w, d) = (self.proof, z.len());
        let m = Dyadic::new(w.m[i]);
        let h = &w.h[i * d..(i + 1) * d];
        let double = Dyadic::whole(2) * &self.k * &self.benign;
        let (mut idle, mut active) = (Dyadic::zero(), Dyadic::zero());
        let mut jump = Dyadic::zero();
        for (((az, &z), &h), &b) in times(&w.a, z).iter().zip(z).zip(h).zip(&w.b) {
            let (z, h) = (Dyadic::new(z), Dyadic::new(h));
            jump = jump + &z * (&self.eta * az + Dyadic::new(b));
            active = active + (z - &double * az - &h).abs();
            idle = idle + h.abs();
        }
        let one = Dyadic::whole(1);
        let (when_idle, when_active) = if m.is_negative() {
            let m = m.abs();
            ((&self.reach + Dyadic::whole(2)) * &m, m)
        } else {
            (Dyadic::zero() - &m, &self.reach * m)
        };
        let idle = when_idle + &self.ball * idle;
        idle.max(when_active + &self.ball * active + &self.benign * jump + one)
    }
}
