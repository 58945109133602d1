//! From an image to the numbers that an encoder takes.

use image::Rgb32FImage;
use image::imageops::{FilterType, resize};
use tract_onnx::prelude::*;

use crate::guard::guarded;
use crate::images::Images;
use crate::model::{Encoder, Kind};
use crate::pool::{Places, Pooling, finish};
use crate::{EncodeError, Encoded, batch};

/// ImageNet's mean and standard deviation of red, green and blue in [0, 1], which most image encoders are trained with.
const IMAGENET: [[f32; 3]; 2] = [[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]];
/// The size where neither the encoder nor the caller fixes one.
const USUAL_SIZE: usize = 224;

/// How images are encoded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImageOptions {
    /// Height and width that images are resized to; the encoder's own, or else 224, if `None`.
    pub size: Option<usize>,
    /// What is subtracted from pixels in [0, 1]: one number, or one for each channel; ImageNet's if `None`.
    pub mean: Option<Vec<f32>>,
    /// What pixels are divided by then.
    pub std: Option<Vec<f32>>,
    /// How places become one row, for encoders that leave that open.
    pub pooling: Pooling,
    /// Divide each row by its norm.
    pub l2: bool,
}

/// What the encoder's input looks like.
struct Frame {
    channels: usize,
    height: usize,
    width: usize,
    channels_last: bool,
    mean: Vec<f32>,
    std: Vec<f32>,
}

impl Encoder {
    /// Encodes images; `done` is called after each.
    ///
    /// # Errors
    ///
    /// Refuses images that cannot be decoded, options that do not fit the encoder, and outputs that are not finite.
    pub fn encode_images(
        &self,
        images: &Images,
        options: &ImageOptions,
        done: &(dyn Fn() + Sync),
    ) -> Result<Encoded, EncodeError> {
        self.expect(Kind::Images, images.path())?;
        let frame = self.frame(options)?;
        let plan = self.plan(&[frame.shape()])?;
        let places = if frame.channels_last { Places::ChannelsLast } else { Places::ChannelsFirst };
        let rows: Vec<usize> = (0..images.rows()).collect();
        let encode = |&row: &usize| {
            let pixels = frame.pixels(&images.decode(row)?);
            let run = || plan.run(tvec!(Tensor::from_shape(&frame.shape(), &pixels)?.into_tvalue()));
            let outputs = guarded(run).map_err(|cause| self.broken(cause))?;
            self.pooled(&outputs, places, options.pooling, || images.place(row))
        };
        Ok(finish(batch::each(&rows, encode, done)?, options.l2))
    }

    /// Encoder and options in a line: features made with another line do not belong together.
    ///
    /// # Errors
    ///
    /// Refuses options that do not fit the encoder.
    pub fn image_recipe(&self, options: &ImageOptions) -> Result<String, EncodeError> {
        let Frame { height, width, mean, std, .. } = self.frame(options)?;
        let scale = format!("{height}×{width}, mean {mean:?}, std {std:?}");
        Ok(format!("{}, {scale}, pooling {:?}, l2 {}", self.describe(), options.pooling, options.l2))
    }

    fn frame(&self, options: &ImageOptions) -> Result<Frame, EncodeError> {
        let &[_, a, b, c] = self.inputs[0].shape.as_slice() else {
            return Err(self.broken("its input is no image".to_owned()));
        };
        let colours = |size: Option<usize>| matches!(size, Some(1 | 3));
        // Channels come first unless only the last size can be their number.
        let channels_last = colours(c) && !colours(a);
        let (channels, height, width) = if channels_last { (c, a, b) } else { (a, b, c) };
        let channels = channels.unwrap_or(3);
        if channels != 1 && channels != 3 {
            return Err(self.broken(format!("it takes {channels} channels, not 1 or 3")));
        }
        let side = options.size.unwrap_or(USUAL_SIZE);
        let (height, width) = (height.unwrap_or(side), width.unwrap_or(side));
        if let Some(wanted) = options.size.filter(|&wanted| (wanted, wanted) != (height, width)) {
            return Err(EncodeError::FixedSize { encoder: self.file(), height, width, wanted });
        }
        let mean = scale("--pixel-mean", options.mean.as_deref(), IMAGENET[0], channels)?;
        let std = scale("--pixel-std", options.std.as_deref(), IMAGENET[1], channels)?;
        if std.iter().any(|s| *s <= 0.0) {
            return Err(EncodeError::PixelScale { flag: "--pixel-std", cause: "must be above 0".to_owned() });
        }
        Ok(Frame { channels, height, width, channels_last, mean, std })
    }
}

/// One number for each channel.
fn scale(
    flag: &'static str,
    given: Option<&[f32]>,
    usual: [f32; 3],
    channels: usize,
) -> Result<Vec<f32>, EncodeError> {
    let bad = |cause: String| Err(EncodeError::PixelScale { flag, cause });
    match given {
        Some(numbers) if numbers.iter().any(|x| !x.is_finite()) => bad("must be finite".to_owned()),
        Some([one]) => Ok(vec![*one; channels]),
        Some(numbers) if numbers.len() == channels => Ok(numbers.to_vec()),
        Some(numbers) => bad(format!(
            "{} numbers, but the encoder takes {channels} channels; give one or {channels}",
            numbers.len()
        )),
        None if channels == usual.len() => Ok(usual.to_vec()),
        None => bad("the encoder takes grey images, for which there is no usual number; give one".to_owned()),
    }
}

impl Frame {
    fn shape(&self) -> Vec<usize> {
        let Frame { channels, height, width, .. } = *self;
        if self.channels_last { vec![1, height, width, channels] } else { vec![1, channels, height, width] }
    }

    /// Resizes (bilinear, all pixels counted when it gets smaller), scales, and puts the numbers in the encoder's order.
    fn pixels(&self, image: &Rgb32FImage) -> Vec<f32> {
        let image = resize(image, self.width as u32, self.height as u32, FilterType::Triangle);
        let value = |pixel: &image::Rgb<f32>, channel: usize| {
            let [r, g, b] = pixel.0;
            // Grey as most programs make it: the weights of ITU-R 601.
            let raw = if self.channels == 1 { 0.299 * r + 0.587 * g + 0.114 * b } else { pixel.0[channel] };
            (raw - self.mean[channel]) / self.std[channel]
        };
        let channels = 0..self.channels;
        if self.channels_last {
            image.pixels().flat_map(|pixel| channels.clone().map(move |c| value(pixel, c))).collect()
        } else {
            channels.flat_map(|c| image.pixels().map(move |pixel| value(pixel, c))).collect()
        }
    }
}
