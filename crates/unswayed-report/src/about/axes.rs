//! The axes of a design in words.

use unswayed::design::Setting;
use unswayed::design::axis::Axis;

use crate::number::parameter;

/// The axes worth a column: learning rate and regularization, and those on which one of the settings is not plain.
///
/// ```
/// use unswayed::design::{Setting, axis::Axis};
/// use unswayed_report::about::{axis_value, shown_axes};
/// let (plain, large) = (Setting::new(1e-3, 0.01), Setting { batch: 32, ..Setting::new(1e-3, 0.01) });
/// let axes = shown_axes([plain, large]);
/// assert_eq!(axes, [Axis::LearningRate, Axis::Regularization, Axis::Batch]);
/// assert_eq!(axis_value(Axis::Batch, large), "32");
/// assert_eq!(axis_value(Axis::Clip, large), "none");
/// ```
pub fn shown_axes(settings: impl IntoIterator<Item = Setting>) -> Vec<Axis> {
    let plain = Setting::new(f64::NAN, f64::NAN);
    let settings: Vec<Setting> = settings.into_iter().collect();
    let is_shown = |axis: &Axis| settings.iter().any(|s| axis.of(*s).to_bits() != axis.of(plain).to_bits());
    Axis::ALL.into_iter().filter(is_shown).collect()
}

/// Where a setting is on an axis.
pub fn axis_value(axis: Axis, setting: Setting) -> String {
    let value = axis.of(setting);
    if value.is_infinite() { "none".to_owned() } else { parameter(value) }
}

/// A setting in words: what is not plain of it.
pub fn setting_name(setting: Setting) -> String {
    let part = |axis: Axis| format!("{} {}", axis.name(), axis_value(axis, setting));
    shown_axes([setting]).into_iter().map(part).collect::<Vec<_>>().join(", ")
}
