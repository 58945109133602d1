//! Losses whose slope stays in an interval, by their conjugates (Lemma L2).
//!
//! ```text
//! φ(s) = max over low ≤ w ≤ high of e(w) − ws        e(w) = yw − h|w| − ½q·w²
//! ```
//!
//! y is the label; losses of a margin have y = 1. The maximiser w is −φ'(s), how strongly a point pulls. This file and [`Loss`]
//! itself are all that names a loss of this kind: proofs, steps and attacks follow from its conjugate. The conjugate of the
//! logistic loss is the entropy, which has files of its own.

use std::fmt;
use std::str::FromStr;

use crate::exact::{Dyadic, Round, quotient};
use crate::failure::{Reason, require};
use crate::statement::Loss;

/// e(w) = yw − h|w| − ½q·w² on [low, high], low ≤ 0 ≤ high; y is the label of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conjugate {
    /// The smallest −φ'; 0 for losses of a margin.
    pub low: f64,
    /// The largest −φ'.
    pub high: f64,
    /// h, the distance from the label within which there is no loss.
    pub tube: f64,
    /// q, the width over which −φ' grows by 1; 0 if it jumps.
    pub curve: f64,
}

/// e(w) = w on [0, 1], for y = 1.
pub(crate) const HINGE: Conjugate = Conjugate { low: 0.0, high: 1.0, tube: 0.0, curve: 0.0 };

/// The losses by name but for that of several classes. A number stands for the one that the loss has.
const NAMES: [(&str, Loss); 8] = [
    ("hinge", Loss::Hinge),
    ("logistic", Loss::Logistic),
    ("smooth-hinge=WIDTH", Loss::SmoothHinge(1.0)),
    ("modified-huber", Loss::ModifiedHuber),
    ("absolute", Loss::Absolute),
    ("epsilon-insensitive=EPSILON", Loss::EpsilonInsensitive(0.1)),
    ("huber=DELTA", Loss::Huber(1.0)),
    ("quantile=Q", Loss::Quantile(0.5)),
];

impl Loss {
    /// The conjugate of a loss with bounded slopes; `None` for the logistic loss.
    ///
    /// ```
    /// use unswayed_check::Loss;
    /// let hinge = Loss::Hinge.conjugate().unwrap();
    /// assert_eq!((hinge.high, hinge.curve), (1.0, 0.0));
    /// assert!(Loss::Logistic.conjugate().is_none());
    /// ```
    pub fn conjugate(self) -> Option<Conjugate> {
        Some(match self {
            Loss::Hinge | Loss::Multiclass(_) => HINGE,
            Loss::SmoothHinge(curve) => Conjugate { curve, ..HINGE },
            Loss::ModifiedHuber => Conjugate { high: 4.0, curve: 0.5, ..HINGE },
            Loss::Absolute => Conjugate { low: -1.0, ..HINGE },
            Loss::EpsilonInsensitive(tube) => Conjugate { low: -1.0, tube, ..HINGE },
            Loss::Huber(delta) => Conjugate { low: -delta, high: delta, curve: 1.0, ..HINGE },
            Loss::Quantile(q) => Conjugate { low: -(1.0 - q), high: q, ..HINGE },
            Loss::Logistic => return None,
        })
    }

    /// The loss in words.
    pub(crate) fn describe(self) -> String {
        match self {
            Loss::Hinge => "hinge loss".to_owned(),
            Loss::Logistic => "logistic loss".to_owned(),
            Loss::Multiclass(k) => format!("multi-class hinge loss, {k} classes"),
            Loss::SmoothHinge(width) => format!("hinge loss with its kink rounded over {width}"),
            Loss::ModifiedHuber => "modified Huber loss".to_owned(),
            Loss::Absolute => "absolute loss |θᵀx − y|".to_owned(),
            Loss::EpsilonInsensitive(tube) => format!("epsilon-insensitive loss max(0, |θᵀx − y| − {tube})"),
            Loss::Huber(delta) => format!("Huber loss of θᵀx − y, quadratic up to {delta}"),
            Loss::Quantile(q) => format!("quantile loss of y − θᵀx for the quantile {q}"),
        }
    }

    /// The condition on the loss's own number.
    pub(crate) fn validate(self) -> Result<(), Reason> {
        match self {
            Loss::Hinge | Loss::Logistic | Loss::ModifiedHuber | Loss::Absolute => Ok(()),
            Loss::Multiclass(k) => require(k >= 2, "the number of classes", k as f64, "≥ 2"),
            Loss::SmoothHinge(width) => {
                require(width > 0.0 && width.is_finite(), "the width of the kink", width, "> 0")
            }
            Loss::EpsilonInsensitive(tube) => {
                require(tube >= 0.0 && tube.is_finite(), "the width of the tube", tube, "≥ 0")
            }
            Loss::Huber(delta) => require(delta > 0.0 && delta.is_finite(), "delta", delta, "> 0"),
            Loss::Quantile(q) => require(q > 0.0 && q < 1.0, "the quantile", q, "in (0, 1)"),
        }
    }

    /// The largest |φ'|.
    pub fn steepest(self) -> f64 {
        self.conjugate().map_or(1.0, |e| e.high.max(-e.low))
    }

    /// Whether labels are numbers, and the loss is one of the distance of a prediction from its label.
    ///
    /// ```
    /// use unswayed_check::Loss;
    /// assert!(Loss::Huber(1.0).is_regression() && !Loss::ModifiedHuber.is_regression());
    /// ```
    pub fn is_regression(self) -> bool {
        matches!(self, Loss::Absolute | Loss::EpsilonInsensitive(_) | Loss::Huber(_) | Loss::Quantile(_))
    }

    /// A bound on the error, from one on the loss on the same target: a point that is misclassified, s ≤ 0, has at least the loss
    /// φ(0). `None` where nothing is classified.
    ///
    /// ```
    /// use unswayed_check::Loss;
    /// assert_eq!(Loss::Hinge.error_within(0.25), Some(0.25));
    /// assert!(Loss::SmoothHinge(1.0).error_within(0.25) >= Some(0.5));
    /// assert_eq!(Loss::Absolute.error_within(0.25), None);
    /// ```
    pub fn error_within(self, loss: f64) -> Option<f64> {
        let mistake = match self {
            // log 2 > 0.693
            Loss::Logistic => 0.693,
            Loss::Hinge | Loss::Multiclass(_) | Loss::ModifiedHuber => return Some(loss),
            Loss::SmoothHinge(width) if width <= 1.0 => (1.0 - width / 2.0).next_down(),
            Loss::SmoothHinge(width) => (0.5 / width).next_down(),
            Loss::Absolute | Loss::EpsilonInsensitive(_) | Loss::Huber(_) | Loss::Quantile(_) => return None,
        };
        Some((loss / mistake).next_up())
    }

    /// The same loss with another number, if it has one.
    fn with(self, number: f64) -> Self {
        match self {
            Loss::SmoothHinge(_) => Loss::SmoothHinge(number),
            Loss::EpsilonInsensitive(_) => Loss::EpsilonInsensitive(number),
            Loss::Huber(_) => Loss::Huber(number),
            Loss::Quantile(_) => Loss::Quantile(number),
            loss => loss,
        }
    }

    /// Entries of a row before its features: a class, a number, or none.
    pub fn label_entries(self) -> usize {
        usize::from(matches!(self, Loss::Multiclass(_)) || self.is_regression())
    }
}

/// ```
/// use unswayed_check::Loss;
/// assert_eq!("smooth-hinge=0.5".parse(), Ok(Loss::SmoothHinge(0.5)));
/// assert_eq!(Loss::SmoothHinge(0.5).to_string(), "smooth-hinge=0.5");
/// assert!("smooth-hinge".parse::<Loss>().is_err());
/// ```
impl FromStr for Loss {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, number) = text.split_once('=').map_or((text, None), |(name, number)| (name, Some(number)));
        let known = NAMES.iter().find(|(known, _)| known.split('=').next() == Some(name));
        let number = number.map(|number| number.parse().map_err(|_| format!("{number:?} is not a number")));
        let Some((form, loss)) = known else {
            let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
            return Err(format!("{name:?} is none of {}, multiclass", names.join(", ")));
        };
        match (form.contains('='), number.transpose()?) {
            (true, Some(number)) => Ok(loss.with(number)),
            (true, None) => Err(format!("its number is missing: {form}")),
            (false, None) => Ok(*loss),
            (false, Some(_)) => Err(format!("the {name} loss has no number")),
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::Hinge => f.write_str("hinge"),
            Loss::Logistic => f.write_str("logistic"),
            Loss::Multiclass(_) => f.write_str("multiclass"),
            Loss::ModifiedHuber => f.write_str("modified-huber"),
            Loss::SmoothHinge(width) => write!(f, "smooth-hinge={width}"),
            Loss::Absolute => f.write_str("absolute"),
            Loss::EpsilonInsensitive(tube) => write!(f, "epsilon-insensitive={tube}"),
            Loss::Huber(delta) => write!(f, "huber={delta}"),
            Loss::Quantile(q) => write!(f, "quantile={q}"),
        }
    }
}

impl Conjugate {
    /// A number above a·e(w) + bw + cw² for all w in [low, high], for a ≥ 0 and the label y: on each side of 0 its value at the
    /// end, or at the vertex before it.
    pub(crate) fn above(&self, y: &Dyadic, a: &Dyadic, b: &Dyadic, c: &Dyadic) -> Dyadic {
        let (linear, tube) = (a * y + b, a * Dyadic::new(self.tube));
        let square = c - (a * Dyadic::new(self.curve)).half();
        let right = highest(&(&linear - &tube), &square, self.high);
        right.max(highest(&(Dyadic::zero() - linear - tube), &square, -self.low))
    }

    /// κ·e(u) where κu = `slope`, for the label y.
    pub(crate) fn times(&self, y: &Dyadic, slope: &Dyadic, u: f64) -> Dyadic {
        let tube = slope.abs() * Dyadic::new(self.tube);
        slope * y - tube - (slope * Dyadic::new(self.curve) * Dyadic::new(u)).half()
    }
}

/// The largest lw + qw² for 0 ≤ w ≤ high, rounded up.
fn highest(linear: &Dyadic, square: &Dyadic, high: f64) -> Dyadic {
    let high = Dyadic::new(high);
    let falls = (linear + Dyadic::whole(2) * square * &high).is_negative();
    if linear.is_positive() && falls {
        let four = Dyadic::zero() - Dyadic::whole(4) * square;
        return quotient(&linear.square(), &four, Round::Up);
    }
    (linear * &high + square * high.square()).max(Dyadic::zero())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn small() -> impl Strategy<Value = f64> {
        (-40_i32..=40).prop_map(|x| f64::from(x) / 8.0)
    }

    fn losses() -> impl Strategy<Value = Loss> {
        let number = || (1_i32..16).prop_map(|x| f64::from(x) / 8.0);
        prop_oneof![
            Just(Loss::Hinge),
            number().prop_map(Loss::SmoothHinge),
            Just(Loss::ModifiedHuber),
            Just(Loss::Absolute),
            number().prop_map(Loss::EpsilonInsensitive),
            number().prop_map(Loss::Huber),
            number().prop_map(|x| Loss::Quantile(x / 2.0)),
        ]
    }

    /// φ(s) for the label y, and minus its slope, as textbooks write them.
    fn textbook(loss: Loss, y: f64, s: f64) -> (f64, f64) {
        let (gap, below) = ((1.0 - s).max(0.0), y - s);
        let far = below.abs();
        match loss {
            Loss::SmoothHinge(q) if gap > q => (gap - q / 2.0, 1.0),
            Loss::SmoothHinge(q) => (gap * gap / (2.0 * q), gap / q),
            Loss::ModifiedHuber if s < -1.0 => (-4.0 * s, 4.0),
            Loss::ModifiedHuber => (gap * gap, 2.0 * gap),
            Loss::Absolute => (far, below.signum()),
            Loss::EpsilonInsensitive(tube) if far > tube => (far - tube, below.signum()),
            Loss::EpsilonInsensitive(_) => (0.0, 0.0),
            Loss::Huber(delta) if far > delta => (delta * far - delta * delta / 2.0, delta * below.signum()),
            Loss::Huber(_) => (below * below / 2.0, below),
            Loss::Quantile(q) if below > 0.0 => (q * below, q),
            Loss::Quantile(q) => ((q - 1.0) * below, q - 1.0),
            _ => (gap, f64::from(u8::from(gap > 0.0))),
        }
    }

    fn label(loss: Loss, y: f64) -> f64 {
        if loss.is_regression() { y } else { 1.0 }
    }

    proptest! {
        /// Above the function on a grid, and no further above its largest value than the grid is coarse.
        #[test]
        fn the_supremum_is_found(
            loss in losses(), y in small(), a in 0.0..3.0, b in small(), c in 0.0..2.0,
        ) {
            let (e, y) = (loss.conjugate().unwrap(), label(loss, y));
            let [exact_y, exact_a, exact_b, exact_c] = [y, a, b, c].map(Dyadic::new);
            let found = e.above(&exact_y, &exact_a, &exact_b, &exact_c).nearest();
            let at = |w: f64| a * (y * w - e.tube * w.abs() - 0.5 * e.curve * w * w) + b * w + c * w * w;
            let grid = (0..=4000).map(|i| e.low + (e.high - e.low) * f64::from(i) / 4000.0);
            let largest = grid.map(at).fold(at(0.0), f64::max);
            prop_assert!(found >= largest - 1e-12, "{found} {largest}");
            prop_assert!(found <= largest + 1e-2, "{found} {largest}");
        }

        /// φ(s) ≥ e(u) − us, with equality at the slope of the loss; a mistake costs at least φ(0).
        #[test]
        fn the_conjugate_is_below(loss in losses(), y in small(), s in small(), part in 0.0..=1.0) {
            let (e, y) = (loss.conjugate().unwrap(), label(loss, y));
            let u = e.low + part * (e.high - e.low);
            let times = |u: f64| e.times(&Dyadic::new(y), &Dyadic::new(2.0 * u), u).nearest() / 2.0;
            let (phi, pull) = textbook(loss, y, s);
            prop_assert!(phi >= times(u) - u * s - 1e-12, "{loss:?} {phi} {u}");
            let touching = times(pull) - pull * s;
            prop_assert!((phi - touching).abs() < 1e-12, "{loss:?} {phi} {touching}");
            prop_assert!(s > 0.0 || loss.error_within(phi).is_none_or(|error| error >= 1.0));
        }
    }
}
