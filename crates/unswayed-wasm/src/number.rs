//! Numbers as text, rounded in the safe direction.

use unswayed_check::decimal_up;

/// An upper bound with four decimals, more for small ones, rounded up.
///
/// ```
/// assert_eq!(unswayed_wasm::number::up(0.17205386), "0.1721");
/// assert_eq!(unswayed_wasm::number::down(0.17205386), "0.1720");
/// ```
pub fn up(x: f64) -> String {
    decimal_up(x, decimals(x))
}

/// A lower bound or a measured value, rounded down likewise.
pub fn down(x: f64) -> String {
    let negated = decimal_up(-x, decimals(x));
    negated
        .strip_prefix('-')
        .map_or_else(|| if x == 0.0 { negated.clone() } else { format!("-{negated}") }, str::to_owned)
}

/// Enough decimals for three significant digits, at least four and at most twenty.
fn decimals(x: f64) -> usize {
    let fits = |d: &usize| x.abs() * 10f64.powi(i32::try_from(*d).unwrap_or(0)) >= 100.0;
    (4..20).find(fits).unwrap_or(if x == 0.0 { 4 } else { 20 })
}
