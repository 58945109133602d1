//! Features by an encoder, for `unswayed prepare --encoder`.

use std::path::Path;

use unswayed::data::{DataError, Features, LabelPolicy, Labels, RawLabels, load_vector};
use unswayed::design::sweep::Observer;
use unswayed_encode::{
    Columns, EncodeError, Encoded, Encoder, ImageOptions, Images, Kind, Pooling, TextOptions, Texts, Tokens,
};

use crate::args::prepare::{EncoderFlags, PoolingFlag, PrepareFlags, TEXT_COLUMN};
use crate::prepare::Made;
use crate::progress::Bar;
use crate::{Stop, input};

/// Encodes the data. `accept` sees the recipe before the work begins, and may refuse it.
pub fn features(
    flags: &PrepareFlags,
    data: &Path,
    encoder: &Path,
    accept: impl FnOnce(&str) -> Result<(), Stop>,
) -> Result<Made, Stop> {
    if !data.exists() {
        return Err(Stop(format!("{}: there is no such file or folder", data.display())));
    }
    let kind = kind(data)?;
    silence_runtime();
    let encoder = Encoder::open(encoder, flags.encoder.encoder_output.as_deref())?;
    encoder.expect(kind, data)?;
    match kind {
        Kind::Images => images(flags, data, &encoder, accept),
        Kind::Texts => texts(flags, data, &encoder, accept),
    }
}

/// Where a panic becomes an error, it need not be printed twice.
fn silence_runtime() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !unswayed_encode::panics_are_errors() {
            usual(panic);
        }
    }));
}

/// Folders and arrays hold images, tables hold text.
fn kind(data: &Path) -> Result<Kind, EncodeError> {
    let ending = data.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        _ if data.is_dir() => Ok(Kind::Images),
        Some("npy") => Ok(Kind::Images),
        Some("csv" | "jsonl") => Ok(Kind::Texts),
        _ => Err(EncodeError::UnknownKind { data: data.display().to_string() }),
    }
}

fn images(
    flags: &PrepareFlags,
    data: &Path,
    encoder: &Encoder,
    accept: impl FnOnce(&str) -> Result<(), Stop>,
) -> Result<Made, Stop> {
    let given = &flags.encoder;
    let options = ImageOptions {
        size: given.image_size,
        mean: given.pixel_mean.clone(),
        std: given.pixel_std.clone(),
        pooling: pooling(given),
        l2: given.unit_norm,
    };
    let recipe = encoder.image_recipe(&options)?;
    accept(&recipe)?;
    let images = Images::open(data, flags.rows)?;
    let labels = image_labels(flags, &images)?;
    let bar = Bar::rows(images.rows());
    let encoded = encoder.encode_images(&images, &options, &|| bar.done());
    bar.finish();
    let summary = format!("{} images", images.rows());
    Ok(Made { features: assemble(encoded?, labels)?, recipe: Some(recipe), summary: Some(summary) })
}

/// Labels are the names of folders, or in a file of their own.
fn image_labels(flags: &PrepareFlags, images: &Images) -> Result<Option<Meaning>, Stop> {
    let path = images.path();
    let file = flags.data.labels.clone().or_else(|| input::labels_beside(path));
    let folder = path.is_dir();
    if flags.data.label_column.is_some() || (folder && file.is_some()) {
        let text = "images take their labels from the folders they are in, or an array's from a .npy file (--labels)";
        return Err(Stop(format!("{}: {text}", path.display())));
    }
    let (policy, name) = (policy(flags), path.display().to_string());
    match (images.labels(), file) {
        _ if flags.unlabelled => Ok(None),
        (Some(labels), _) => Ok(Some(interpret(RawLabels::parse(labels), policy, &name)?)),
        (None, Some(file)) => {
            let (mut labels, name) = (load_vector(&file)?, file.display().to_string());
            if labels.len() != images.total() {
                let (found, images) = (labels.len(), images.total());
                return Err(Stop(format!(
                    "{name}: there are {found} labels for {images} images; give one for each"
                )));
            }
            labels.truncate(flags.rows.unwrap_or(usize::MAX));
            Ok(Some(interpret(Ok(RawLabels::Numbers(labels)), policy, &name)?))
        }
        (None, None) => Ok(None),
    }
}

/// y, and what it is.
type Meaning = (Vec<f64>, Labels);

fn interpret(labels: Result<RawLabels, DataError>, policy: LabelPolicy, file: &str) -> Result<Meaning, Stop> {
    Ok(labels.and_then(|labels| labels.interpret(policy)).map_err(|error| error.in_file(file))?)
}

fn texts(
    flags: &PrepareFlags,
    data: &Path,
    encoder: &Encoder,
    accept: impl FnOnce(&str) -> Result<(), Stop>,
) -> Result<Made, Stop> {
    let given = &flags.encoder;
    if let Some(labels) = &flags.data.labels {
        let text = "texts take their labels from a column of the same file (--label-column)";
        return Err(Stop(format!("{}: {text}", labels.display())));
    }
    let label = flags.data.label_column.as_deref().unwrap_or("label");
    let text = match flags.text.text_column.as_slice() {
        [] => TEXT_COLUMN.to_owned(),
        [one] => one.clone(),
        _ => {
            return Err(Stop(
                "--text-column: an encoder reads one column of texts; give a second one with --pair-column"
                    .to_owned(),
            ));
        }
    };
    let columns = Columns {
        text,
        pair: given.pair_column.clone(),
        label: (!flags.unlabelled).then(|| label.to_owned()),
    };
    let texts = Texts::open(data, &columns, flags.rows)?;
    let labels = match texts.labels() {
        Some(labels) => {
            Some(interpret(RawLabels::parse(labels), policy(flags), &data.display().to_string())?)
        }
        None => None,
    };
    let encoder_path = given.encoder.as_deref().unwrap_or(data);
    let beside = encoder_path.with_file_name("tokenizer.json");
    let most = encoder.longest_text().map_or(given.max_tokens, |longest| longest.min(given.max_tokens));
    let tokens = Tokens::of(&texts, given.tokenizer.as_ref().unwrap_or(&beside), most)?;
    let options = TextOptions { pooling: pooling(given), l2: given.unit_norm };
    let recipe = encoder.text_recipe(&tokens, options);
    accept(&recipe)?;
    let bar = Bar::rows(tokens.rows());
    let encoded = encoder.encode_texts(&tokens, options, &|| bar.done());
    bar.finish();
    let (rows, cut) = (tokens.rows(), tokens.cut());
    let summary = format!("{rows} texts, {cut} of them cut off at {most} tokens");
    Ok(Made { features: assemble(encoded?, labels)?, recipe: Some(recipe), summary: Some(summary) })
}

fn pooling(flags: &EncoderFlags) -> Pooling {
    match flags.pooling {
        PoolingFlag::Mean => Pooling::Mean,
        PoolingFlag::Cls => Pooling::Cls,
    }
}

fn policy(flags: &PrepareFlags) -> LabelPolicy {
    if flags.scores { LabelPolicy::Scores } else { LabelPolicy::Detect }
}

fn assemble(encoded: Encoded, labels: Option<Meaning>) -> Result<Features, Stop> {
    let features = Features::from_rows(encoded.x, encoded.dimension)?;
    Ok(match labels {
        Some(labels) => features.with_labels(labels),
        None => features,
    })
}
