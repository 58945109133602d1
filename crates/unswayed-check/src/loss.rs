//! Losses whose slope stays in an interval, by their conjugates (Lemma L2).
//!
//! ```text
//! φ(s) = max over low ≤ w ≤ high of e(w) − ws        e(w) = c·w − h|w| − ½q·w²
//! ```
//!
//! The maximiser w is −φ'(s), how strongly a point pulls. A loss of this kind is one entry of [`Loss::conjugate`]: proofs, steps and
//! attacks know nothing else about it. The conjugate of the logistic loss is the entropy, which has files of its own.

use std::fmt;
use std::str::FromStr;

use crate::exact::{Dyadic, Round, quotient};
use crate::statement::Loss;

/// e(w) = c·w − h|w| − ½q·w² on [low, high], low ≤ 0 ≤ high.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conjugate {
    /// The smallest −φ'.
    pub low: f64,
    /// The largest −φ'.
    pub high: f64,
    /// c, where the loss begins to fall; `None` if it is the label of the point.
    pub centre: Option<f64>,
    /// h, half the width of the interval around c in which there is no loss.
    pub tube: f64,
    /// q, the width over which −φ' grows by 1; 0 if it jumps.
    pub curve: f64,
}

/// e(w) = w on [0, 1].
pub(crate) const HINGE: Conjugate =
    Conjugate { low: 0.0, high: 1.0, centre: Some(1.0), tube: 0.0, curve: 0.0 };

impl Loss {
    /// The conjugate of a loss with bounded slopes; `None` for the logistic loss.
    ///
    /// ```
    /// use unswayed_check::Loss;
    /// let hinge = Loss::Hinge.conjugate().unwrap();
    /// assert_eq!((hinge.low, hinge.high, hinge.centre, hinge.curve), (0.0, 1.0, Some(1.0), 0.0));
    /// ```
    pub fn conjugate(self) -> Option<Conjugate> {
        let label = Conjugate { low: -1.0, centre: None, ..HINGE };
        Some(match self {
            Loss::Hinge | Loss::Multiclass(_) => HINGE,
            Loss::SmoothHinge(curve) => Conjugate { curve, ..HINGE },
            Loss::ModifiedHuber => Conjugate { high: 4.0, curve: 0.5, ..HINGE },
            Loss::EpsilonInsensitive(tube) => Conjugate { tube, ..label },
            Loss::Huber(width) => Conjugate { low: -width, high: width, curve: 1.0, ..label },
            Loss::Quantile(level) => Conjugate { low: level - 1.0, high: level, ..label },
            Loss::Logistic => return None,
        })
    }

    /// The largest |φ'|.
    pub fn steepest(self) -> f64 {
        self.conjugate().map_or(1.0, |e| e.high.max(-e.low))
    }

    /// A bound on the error, from one on the loss on the same target: a point that is misclassified, s ≤ 0, has at least the loss
    /// φ(0). Regression has no error.
    ///
    /// ```
    /// use unswayed_check::Loss;
    /// assert_eq!(Loss::Hinge.error_within(0.25), Some(0.25));
    /// assert!(Loss::SmoothHinge(1.0).error_within(0.25) >= Some(0.5));
    /// assert_eq!(Loss::Quantile(0.5).error_within(0.25), None);
    /// ```
    pub fn error_within(self, loss: f64) -> Option<f64> {
        let mistake = match self {
            // log 2 > 0.693
            Loss::Logistic => 0.693,
            Loss::Hinge | Loss::Multiclass(_) | Loss::ModifiedHuber => return Some(loss),
            Loss::SmoothHinge(width) if width <= 1.0 => 1.0 - width / 2.0,
            Loss::SmoothHinge(width) => 0.5 / width,
            _ => return None,
        };
        Some((loss / mistake.next_down()).next_up())
    }

    /// Whether labels are real numbers. The first entry of each row is then its label.
    pub fn is_regression(self) -> bool {
        self.conjugate().is_some_and(|e| e.centre.is_none())
    }

    /// Entries of a row before its features: a class, a label, or none.
    pub fn labels(self) -> usize {
        usize::from(self.is_regression() || matches!(self, Loss::Multiclass(_)))
    }
}

/// The names of the losses, each with what its number is if it has one.
const NAMES: [(&str, Option<&str>); 8] = [
    ("hinge", None),
    ("logistic", None),
    ("smooth-hinge", Some("width")),
    ("modified-huber", None),
    ("absolute", None),
    ("epsilon-insensitive", Some("tube")),
    ("huber", Some("width")),
    ("quantile", Some("level")),
];

/// ```
/// use unswayed_check::Loss;
/// assert_eq!("smooth-hinge=0.5".parse(), Ok(Loss::SmoothHinge(0.5)));
/// assert_eq!(Loss::Huber(0.1).to_string(), "huber=0.1");
/// assert!("huber".parse::<Loss>().is_err());
/// ```
impl FromStr for Loss {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, number) = text.split_once('=').map_or((text, None), |(name, number)| (name, Some(number)));
        let known = NAMES.iter().find(|(known, _)| *known == name);
        let number = match (known, number) {
            (None, _) => return Err(format!("{name:?} is not a loss; there are {}", known_names())),
            (Some((_, None)), None) => 0.0,
            (Some((_, None)), Some(_)) => return Err(format!("the {name} loss has no number")),
            (Some((_, Some(what))), number) => {
                let number = number.and_then(|number| number.parse().ok());
                number.ok_or_else(|| format!("the {name} loss has a {what}: {name}=NUMBER"))?
            }
        };
        Ok(match name {
            "logistic" => Loss::Logistic,
            "smooth-hinge" => Loss::SmoothHinge(number),
            "modified-huber" => Loss::ModifiedHuber,
            "absolute" | "epsilon-insensitive" => Loss::EpsilonInsensitive(number),
            "huber" => Loss::Huber(number),
            "quantile" => Loss::Quantile(number),
            _ => Loss::Hinge,
        })
    }
}

fn known_names() -> String {
    let form = |(name, what): &(&str, Option<&str>)| match what {
        Some(what) => format!("{name}={}", what.to_uppercase()),
        None => (*name).to_owned(),
    };
    NAMES.iter().map(form).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::Hinge => f.write_str("hinge"),
            Loss::Logistic => f.write_str("logistic"),
            Loss::Multiclass(_) => f.write_str("multiclass"),
            Loss::ModifiedHuber => f.write_str("modified-huber"),
            Loss::EpsilonInsensitive(0.0) => f.write_str("absolute"),
            Loss::SmoothHinge(width) => write!(f, "smooth-hinge={width}"),
            Loss::EpsilonInsensitive(tube) => write!(f, "epsilon-insensitive={tube}"),
            Loss::Huber(width) => write!(f, "huber={width}"),
            Loss::Quantile(level) => write!(f, "quantile={level}"),
        }
    }
}

impl Conjugate {
    /// A number above a·e(w) + bw + cw² for all w in [low, high], for a ≥ 0 and a point with this c.
    pub(crate) fn above(&self, centre: &Dyadic, a: &Dyadic, b: &Dyadic, c: &Dyadic) -> Dyadic {
        let linear = a * centre + b;
        let tube = a * Dyadic::new(self.tube);
        let square = c - (a * Dyadic::new(self.curve)).half();
        let right = highest(&(&linear - &tube), &square, self.high);
        right.max(highest(&(Dyadic::zero() - linear - tube), &square, -self.low))
    }

    /// κ·e(u) where κu = `slope`.
    pub(crate) fn times(&self, centre: &Dyadic, slope: &Dyadic, kappa: &Dyadic, u: f64) -> Dyadic {
        let u = Dyadic::new(u);
        let tube = kappa * Dyadic::new(self.tube) * u.abs();
        centre * slope - tube - (slope * Dyadic::new(self.curve) * u).half()
    }
}

/// A number above bw + cw² for all 0 ≤ w ≤ `most`: its value at 0, at `most`, or at the vertex between them.
fn highest(b: &Dyadic, c: &Dyadic, most: f64) -> Dyadic {
    let most = Dyadic::new(most);
    let end = (b * &most + c * most.square()).max(Dyadic::zero());
    let falls = (b + Dyadic::whole(2) * c * most).is_negative();
    if b.is_positive() && c.is_negative() && falls {
        let four = Dyadic::zero() - Dyadic::whole(4) * c;
        return quotient(&b.square(), &four, Round::Up);
    }
    end
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
        let level = (1_i32..8).prop_map(|x| f64::from(x) / 8.0);
        prop_oneof![
            Just(Loss::Hinge),
            width.clone().prop_map(Loss::SmoothHinge),
            Just(Loss::ModifiedHuber),
            width.clone().prop_map(Loss::EpsilonInsensitive),
            width.prop_map(Loss::Huber),
            level.prop_map(Loss::Quantile),
        ]
    }

    proptest! {
        /// Above the function on a grid, and no further above its largest value than the grid is coarse.
        #[test]
        fn the_supremum_is_found(loss in losses(), centre in small(), a in 0.0..3.0, b in small(), c in 0.0..2.0) {
            let e = loss.conjugate().unwrap();
            let [exact_centre, exact_a, exact_b, exact_c] = [centre, a, b, c].map(Dyadic::new);
            let found = e.above(&exact_centre, &exact_a, &exact_b, &exact_c).nearest();
            let at = |w: f64| {
                a * (centre * w - e.tube * w.abs() - 0.5 * e.curve * w * w) + b * w + c * w * w
            };
            let grid = (0..=2000).map(|i| e.low + (e.high - e.low) * f64::from(i) / 2000.0);
            let largest = grid.chain([0.0]).map(at).fold(f64::NEG_INFINITY, f64::max);
            prop_assert!(found >= largest - 1e-12, "{found} {largest}");
            prop_assert!(found <= largest + 1e-3, "{found} {largest}");
        }

        /// κe(u) is what it says, and φ(s) ≥ e(u) − us for the loss itself.
        #[test]
        fn the_conjugate_is_below(loss in losses(), centre in small(), s in small(), part in 0.0..=1.0) {
            let e = loss.conjugate().unwrap();
            let centre = e.centre.unwrap_or(centre);
            let u = e.low + part * (e.high - e.low);
            let [exact, slope, kappa] = [centre, 2.0 * u, 2.0].map(Dyadic::new);
            let low = e.times(&exact, &slope, &kappa, u).nearest() / 2.0 - u * s;
            let phi = match loss {
                Loss::Hinge => (1.0 - s).max(0.0),
                Loss::SmoothHinge(q) if s < 1.0 - q => 1.0 - s - q / 2.0,
                Loss::SmoothHinge(q) => (1.0 - s).max(0.0).powi(2) / (2.0 * q),
                Loss::ModifiedHuber if s < -1.0 => -4.0 * s,
                Loss::ModifiedHuber => (1.0 - s).max(0.0).powi(2),
                Loss::EpsilonInsensitive(h) => ((s - centre).abs() - h).max(0.0),
                Loss::Huber(d) if (s - centre).abs() > d => d * ((s - centre).abs() - d / 2.0),
                Loss::Huber(_) => (s - centre).powi(2) / 2.0,
                Loss::Quantile(q) => (q * (centre - s)).max((q - 1.0) * (centre - s)),
                _ => unreachable!(),
            };
            prop_assert!(phi >= low - 1e-12, "{loss:?} {phi} {low}");
        }
    }
}
