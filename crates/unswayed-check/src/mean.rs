//! The mean learner (Section 14 of docs/theory.md).
//!
//! Letters: η learning rate, ε poison rate, r squared radius, tr S noise trace, tr Σ covariance
//! trace, a and ν the witness. The value η²a((1−ε) tr Σ + tr S) + νr is a bound if
//!
//! ```text
//! P = (2η−η²)a − 1 ≥ 0,   Q = ν − εη²a ≥ 0,   P·Q ≥ ε²η²(1−η)²a²
//! ```

use dashu_ratio::RBig;

use crate::exact::{Dyadic, ExactSum, ratio};
use crate::failure::{Reason, require, require_not_negative};
use crate::proof::MeanCertificate;
use crate::rows::Rows;
use crate::statement::{MeanBenign, MeanStatement};
use crate::validate::require_size;

/// Why a certificate about a covariance trace is not checked against a data file.
const NO_ROWS: &str =
    "the certificate is about a covariance trace, not about the rows of a file: leave out the data file";

/// Checks the statement.
fn validate(mean: &MeanStatement) -> Result<(), Reason> {
    let eta = mean.learning_rate;
    require(eta > 0.0 && eta < 2.0, "learning_rate", eta, "in (0, 2)")?;
    let eps = mean.poison_rate;
    require((0.0..=1.0).contains(&eps), "poison_rate", eps, "in [0, 1]")?;
    let at_least_zero = |name, x: f64| require(x >= 0.0 && x.is_finite(), name, x, "≥ 0");
    at_least_zero("squared_radius", mean.squared_radius)?;
    at_least_zero("noise_trace", mean.noise_trace)?;
    match &mean.benign {
        MeanBenign::CovarianceTrace(trace) => at_least_zero("covariance_trace", *trace),
        MeanBenign::Samples(origin) => origin.validate().map_err(Reason::Origin),
    }
}

/// The exact value, after every condition has been verified.
pub(crate) fn value(certificate: &MeanCertificate, rows: Option<&Rows>) -> Result<RBig, Reason> {
    let MeanCertificate { statement: mean, alpha, nu, .. } = certificate;
    validate(mean)?;
    let (alpha, nu) = (*alpha, *nu);
    require(alpha > 0.0 && alpha.is_finite(), "alpha", alpha, "> 0")?;
    require(nu >= 0.0 && nu.is_finite(), "nu", nu, "≥ 0")?;
    let (a, nu) = (Dyadic::new(alpha), Dyadic::new(nu));
    let (eta, eps) = (Dyadic::new(mean.learning_rate), Dyadic::new(mean.poison_rate));
    let one = Dyadic::whole(1);

    let p = (Dyadic::whole(2) * &eta - eta.square()) * &a - &one;
    require_not_negative(&p, "P")?;
    let q = &nu - &eps * eta.square() * &a;
    require_not_negative(&q, "Q")?;
    let spare = p * q - (&eps * &eta * (&one - &eta) * &a).square();
    require_not_negative(&spare, "P·Q − ε²η²(1−η)²a²")?;

    let spread = RBig::from(one - eps) * covariance_trace(&mean.benign, rows)?;
    let spread = spread + RBig::from(Dyadic::new(mean.noise_trace));
    let poison = RBig::from(nu * Dyadic::new(mean.squared_radius));
    Ok(RBig::from(eta.square() * a) * spread + poison)
}

/// tr Σ: as given, or of the rows, Σ p_i‖z_i‖² − ‖Σ p_iz_i‖² = (W Σ w_i‖z_i‖² − ‖Σ w_iz_i‖²)/W².
fn covariance_trace(benign: &MeanBenign, rows: Option<&Rows>) -> Result<RBig, Reason> {
    let (origin, rows) = match (benign, rows) {
        (MeanBenign::CovarianceTrace(trace), None) => return Ok(RBig::from(Dyadic::new(*trace))),
        (MeanBenign::CovarianceTrace(_), Some(_)) => return Err(Reason::Origin(NO_ROWS.to_owned())),
        (MeanBenign::Samples(_), None) => return Err(Reason::Origin("the samples are missing".to_owned())),
        (MeanBenign::Samples(origin), Some(rows)) => (origin, rows),
    };
    rows.validate()?;
    require(!rows.is_empty(), "the number of samples", 0.0, "> 0")?;
    require_size(origin, rows)?;
    let mut squares = ExactSum::new();
    for part in rows.in_parallel(|range| {
        let mut sum = ExactSum::new();
        for i in range {
            let w = rows.weight(i);
            rows.entries(i, 0).values.iter().for_each(|&z| sum.add([w, z, z]));
        }
        sum
    }) {
        squares.merge(&part);
    }
    let mut mean2 = Dyadic::zero();
    let sums = rows.column_sums(0, |i: usize, add: &mut dyn FnMut(usize, [f64; 3])| {
        add(0, [rows.weight(i), 1.0, 1.0]);
    });
    for [column, _] in sums {
        mean2 = mean2 + column.square();
    }
    let total = rows.total_weight();
    Ok(ratio(&(&total * squares.take() - mean2), &total.square()))
}
