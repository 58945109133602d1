//! Losses of a margin whose slope stays in an interval, by their conjugates (Lemma L2).
//!
//! ```text
//! φ(s) = max over 0 ≤ w ≤ high of e(w) − ws        e(w) = w − ½q·w²
//! ```
//!
//! The maximiser w is −φ'(s), how strongly a point pulls. This file and [`Loss`] itself are all that names a
//! loss of this kind: proofs, steps and attacks follow from its conjugate. The conjugate of the logistic loss is the entropy, which has files of
//! its own.

use std::fmt;
use std::str::FromStr;

use crate::exact::{Dyadic, Round, quotient};
use crate::failure::{Reason, require};
use crate::statement::Loss;

/// e(w) = w − ½q·w² on [0, high].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conjugate {
    /// The largest −φ'.
    pub high: f64,
    /// q, the width over which −φ' grows by 1; 0 if it jumps.
    pub curve: f64,
}

/// e(w) = w on [0, 1].
pub(crate) const HINGE: Conjugate = Conjugate { high: 1.0, curve: 0.0 };

/// The losses by name but for that of several classes. A number stands for the one that the loss has.
const NAMES: [(&str, Loss); 4] = [
    ("hinge", Loss::Hinge),
    ("logistic", Loss::Logistic),
    ("smooth-hinge=WIDTH", Loss::SmoothHinge(1.0)),
    ("modified-huber", Loss::ModifiedHuber),
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
            Loss::SmoothHinge(curve) => Conjugate { high: 1.0, curve },
            Loss::ModifiedHuber => Conjugate { high: 4.0, curve: 0.5 },
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
        }
    }

    /// The condition on the loss's own number.
    pub(crate) fn validate(self) -> Result<(), Reason> {
        match self {
            Loss::Hinge | Loss::Logistic | Loss::ModifiedHuber => Ok(()),
            Loss::Multiclass(k) => require(k >= 2, "the number of classes", k as f64, "≥ 2"),
            Loss::SmoothHinge(width) => {
                require(width > 0.0 && width.is_finite(), "the width of the kink", width, "> 0")
            }
        }
    }

    /// The largest |φ'|.
    pub fn steepest(self) -> f64 {
        self.conjugate().map_or(1.0, |e| e.high)
    }

    /// A bound on the error, from one on the loss on the same target: a point that is misclassified, s ≤ 0, has at least the loss
    /// φ(0).
    ///
    /// ```
    /// use unswayed_check::Loss;
    /// assert_eq!(Loss::Hinge.error_within(0.25), 0.25);
    /// assert!(Loss::SmoothHinge(1.0).error_within(0.25) >= 0.5);
    /// ```
    pub fn error_within(self, loss: f64) -> f64 {
        let mistake = match self {
            // log 2 > 0.693
            Loss::Logistic => 0.693,
            Loss::Hinge | Loss::Multiclass(_) | Loss::ModifiedHuber => return loss,
            Loss::SmoothHinge(width) if width <= 1.0 => (1.0 - width / 2.0).next_down(),
            Loss::SmoothHinge(width) => (0.5 / width).next_down(),
        };
        (loss / mistake).next_up()
    }

    /// Entries of a row before its features: a class, or none.
    pub fn label_entries(self) -> usize {
        usize::from(matches!(self, Loss::Multiclass(_)))
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
        match (known, number.transpose()?) {
            (Some((_, Loss::SmoothHinge(_))), Some(width)) => Ok(Loss::SmoothHinge(width)),
            (Some((form, Loss::SmoothHinge(_))), None) => Err(format!("its width is missing: {form}")),
            (Some((_, loss)), None) => Ok(*loss),
            (Some(_), Some(_)) => Err(format!("the {name} loss has no number")),
            (None, _) => {
                let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
                Err(format!("{name:?} is none of {}, multiclass", names.join(", ")))
            }
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
        }
    }
}

impl Conjugate {
    /// A number above a·e(w) + bw + cw² for all w in [0, high], for a ≥ 0: its value at an end, or at the vertex between them.
    pub(crate) fn above(&self, a: &Dyadic, b: &Dyadic, c: &Dyadic) -> Dyadic {
        let (linear, square) = (a + b, c - (a * Dyadic::new(self.curve)).half());
        let high = Dyadic::new(self.high);
        let falls = (&linear + Dyadic::whole(2) * &square * &high).is_negative();
        if linear.is_positive() && falls {
            let four = Dyadic::zero() - Dyadic::whole(4) * square;
            return quotient(&linear.square(), &four, Round::Up);
        }
        (linear * &high + square * high.square()).max(Dyadic::zero())
    }

    /// κ·e(u) where κu = `slope`.
    pub(crate) fn times(&self, slope: &Dyadic, u: f64) -> Dyadic {
        slope - (slope * Dyadic::new(self.curve) * Dyadic::new(u)).half()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn small() -> impl Strategy<Value = f64> {
        (-40_i32..=40).prop_map(|x| f64::from(x) / 8.0)
    }

    fn losses() -> impl Strategy<Value = Loss> {
        let width = (1_i32..16).prop_map(|x| f64::from(x) / 8.0);
        prop_oneof![Just(Loss::Hinge), width.prop_map(Loss::SmoothHinge), Just(Loss::ModifiedHuber)]
    }

    proptest! {
        /// Above the function on a grid, and no further above its largest value than the grid is coarse.
        #[test]
        fn the_supremum_is_found(loss in losses(), a in 0.0..3.0, b in small(), c in 0.0..2.0) {
            let e = loss.conjugate().unwrap();
            let [exact_a, exact_b, exact_c] = [a, b, c].map(Dyadic::new);
            let found = e.above(&exact_a, &exact_b, &exact_c).nearest();
            let at = |w: f64| a * (w - 0.5 * e.curve * w * w) + b * w + c * w * w;
            let grid = (0..=2000).map(|i| e.high * f64::from(i) / 2000.0);
            let largest = grid.map(at).fold(f64::NEG_INFINITY, f64::max);
            prop_assert!(found >= largest - 1e-12, "{found} {largest}");
            prop_assert!(found <= largest + 1e-3, "{found} {largest}");
        }

        /// φ(s) ≥ e(u) − us, with equality at the slope of the loss; a mistake costs at least φ(0).
        #[test]
        fn the_conjugate_is_below(loss in losses(), s in small(), part in 0.0..=1.0) {
            let e = loss.conjugate().unwrap();
            let (u, gap) = (part * e.high, (1.0 - s).max(0.0));
            let conjugate = e.times(&Dyadic::new(2.0 * u), u).nearest() / 2.0;
            let (phi, pull) = match loss {
                Loss::SmoothHinge(q) if gap > q => (gap - q / 2.0, 1.0),
                Loss::SmoothHinge(q) => (gap * gap / (2.0 * q), gap / q),
                Loss::ModifiedHuber if s < -1.0 => (-4.0 * s, 4.0),
                Loss::ModifiedHuber => (gap * gap, 2.0 * gap),
                _ => (gap, f64::from(u8::from(gap > 0.0))),
            };
            prop_assert!(phi >= conjugate - u * s - 1e-12, "{loss:?} {phi} {conjugate}");
            let touching = e.times(&Dyadic::new(2.0 * pull), pull).nearest() / 2.0 - pull * s;
            prop_assert!((phi - touching).abs() < 1e-12, "{loss:?} {phi} {touching}");
            prop_assert!(s > 0.0 || loss.error_within(phi) >= 1.0);
        }
    }
}
