//! From an encoder's output for one datum to one row of features.

use ndarray::{ArrayViewD, Axis, Ix1, Ix2, Ix3, Slice};
use tract_onnx::prelude::*;

use crate::model::Encoder;
use crate::{EncodeError, Encoded};

/// How tokens, or places in an image, become one row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pooling {
    /// The mean over tokens (padding left out), or over all places of an image.
    #[default]
    Mean,
    /// The first token.
    Cls,
}

/// How texts are encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextOptions {
    /// How tokens become one row.
    pub pooling: Pooling,
    /// Divide each row by its norm.
    pub l2: bool,
}

/// What an axis of an output stands for, which depends on the input.
#[derive(Clone, Copy, Debug)]
pub enum Places {
    /// So many tokens that count, the rest is padding.
    Tokens(usize),
    /// Channels come before height and width.
    ChannelsFirst,
    /// Channels come last.
    ChannelsLast,
}

/// One row of features from the output for one datum. `None` if the shape makes no sense.
pub fn row(output: &ArrayViewD<'_, f32>, places: Places, pooling: Pooling) -> Option<Vec<f64>> {
    if output.shape().first() != Some(&1) {
        return None;
    }
    let output = output.index_axis(Axis(0), 0).mapv(f64::from);
    let row = match (output.ndim(), places) {
        (1, _) => output.into_dimensionality::<Ix1>().ok()?,
        (2, _) => {
            let tokens = output.into_dimensionality::<Ix2>().ok()?;
            let used = match places {
                Places::Tokens(used) => used.min(tokens.nrows()),
                _ => tokens.nrows(),
            };
            match pooling {
                Pooling::Mean => tokens.slice_axis(Axis(0), Slice::from(..used)).mean_axis(Axis(0))?,
                Pooling::Cls => tokens.rows().into_iter().next()?.to_owned(),
            }
        }
        (3, Places::ChannelsFirst) => {
            output.into_dimensionality::<Ix3>().ok()?.mean_axis(Axis(2))?.mean_axis(Axis(1))?
        }
        (3, Places::ChannelsLast) => {
            output.into_dimensionality::<Ix3>().ok()?.mean_axis(Axis(0))?.mean_axis(Axis(0))?
        }
        _ => return None,
    };
    (!row.is_empty()).then(|| row.to_vec())
}

impl Encoder {
    /// Pools the first output of a run; `place` says what was encoded.
    pub(crate) fn pooled(
        &self,
        outputs: &[TValue],
        places: Places,
        pooling: Pooling,
        place: impl Fn() -> String,
    ) -> Result<Vec<f64>, EncodeError> {
        let numbers = outputs.first().and_then(|output| output.cast_to::<f32>().ok());
        let view = numbers.as_ref().and_then(|numbers| numbers.to_plain_array_view::<f32>().ok());
        let view = view.ok_or_else(|| self.broken("its output holds no numbers".to_owned()))?;
        let row = row(&view, places, pooling).ok_or_else(|| EncodeError::OutputShape {
            file: self.file(),
            shape: format!("{:?}", view.shape()),
        })?;
        if row.iter().all(|x| x.is_finite()) {
            Ok(row)
        } else {
            Err(EncodeError::NotFinite { place: place() })
        }
    }
}

/// Rows one after the other, divided by their norms if wanted. A row of zeros stays as it is.
pub fn finish(mut rows: Vec<Vec<f64>>, l2: bool) -> Encoded {
    let dimension = rows.first().map_or(0, Vec::len);
    if l2 {
        for row in &mut rows {
            let norm = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            if norm > 0.0 {
                for x in row {
                    *x /= norm;
                }
            }
        }
    }
    Encoded { x: rows.concat(), dimension }
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // the means are exact
mod tests {
    use ndarray::ArrayD;

    use super::*;

    fn pooled(shape: &[usize], places: Places, pooling: Pooling) -> Option<Vec<f64>> {
        let count = shape.iter().product::<usize>();
        let values = (0..count).map(|i| i as f32).collect();
        row(&ArrayD::from_shape_vec(shape, values).unwrap().view(), places, pooling)
    }

    #[test]
    fn each_rank_has_its_pooling() {
        use Places::{ChannelsFirst, ChannelsLast, Tokens};
        assert_eq!(pooled(&[1, 3], ChannelsFirst, Pooling::Mean), Some(vec![0.0, 1.0, 2.0]));
        assert_eq!(pooled(&[1, 3, 2], Tokens(2), Pooling::Mean), Some(vec![1.0, 2.0]));
        assert_eq!(pooled(&[1, 3, 2], Tokens(2), Pooling::Cls), Some(vec![0.0, 1.0]));
        assert_eq!(pooled(&[1, 3, 2], ChannelsFirst, Pooling::Mean), Some(vec![2.0, 3.0]));
        assert_eq!(pooled(&[1, 2, 2, 2], ChannelsFirst, Pooling::Mean), Some(vec![1.5, 5.5]));
        assert_eq!(pooled(&[1, 2, 2, 2], ChannelsLast, Pooling::Mean), Some(vec![3.0, 4.0]));
        assert_eq!(pooled(&[1], ChannelsFirst, Pooling::Mean), None);
        assert_eq!(pooled(&[2, 3], ChannelsFirst, Pooling::Mean), None);
        assert_eq!(pooled(&[1, 2, 2, 2], Tokens(2), Pooling::Mean), None);
        assert_eq!(pooled(&[1, 0], Tokens(2), Pooling::Mean), None);
    }

    #[test]
    fn rows_get_norm_1_but_for_zeros() {
        let rows = vec![vec![3.0, 4.0], vec![0.0, 0.0]];
        assert_eq!(finish(rows.clone(), true).x, [0.6, 0.8, 0.0, 0.0]);
        assert_eq!(finish(rows, false), Encoded { x: vec![3.0, 4.0, 0.0, 0.0], dimension: 2 });
    }
}
