//! Real encoders beside onnxruntime, small ones with known answers, and what is refused. `scripts/encoders` makes them.

use std::path::{Path, PathBuf};

use image::{Rgb, RgbImage};
use ndarray::{Array2, Array4};
use ndarray_npy::{read_npy, write_npy};
use unswayed_encode::{
    Columns, EncodeError, Encoded, Encoder, ImageOptions, Images, Kind, Pooling, TextOptions, Texts, Tokens,
};

fn made(name: &str) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = target
        .map_or_else(|| root.join("target"), |target| root.join(target))
        .join("tools/encoders")
        .join(name);
    assert!(path.exists(), "{} is missing: run scripts/encoders first", path.display());
    path
}

/// The largest difference of two rows, relative to the length of the second.
fn difference(found: &[f64], expected: &[f32]) -> f64 {
    let expected = expected.iter().map(|x| f64::from(*x));
    let norm = expected.clone().map(|x| x * x).sum::<f64>().sqrt();
    found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / norm
}

fn agree(found: &Encoded, expected: &str) {
    let expected: Array2<f32> = read_npy(made(expected)).unwrap();
    assert_eq!((found.dimension, found.x.len()), (expected.ncols(), expected.len()));
    for (found, expected) in found.x.chunks(found.dimension).zip(expected.rows()) {
        let difference = difference(found, expected.as_slice().unwrap());
        assert!(difference < 1e-5, "{difference}");
    }
}

fn lite0() -> ImageOptions {
    ImageOptions { mean: Some(vec![0.498]), std: Some(vec![0.502]), ..ImageOptions::default() }
}

#[test]
fn images_agree_with_onnxruntime() {
    let images = Images::open(made("images.npy"), None).unwrap();
    let count = std::sync::atomic::AtomicUsize::new(0);
    let done = || {
        count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    };
    let encoder = Encoder::open(made("lite0.onnx"), None).unwrap();
    assert_eq!(encoder.kind(), Kind::Images);
    let features = encoder.encode_images(&images, &lite0(), &done).unwrap();
    assert_eq!(count.into_inner(), 3);
    agree(&features, "images.features.npy");
    // Another output, and an inner tensor that still has places to pool.
    for (output, expected) in [("classes", "images.classes.npy"), ("pooled", "images.features.npy")] {
        let encoder = Encoder::open(made("lite0.onnx"), Some(output)).unwrap();
        agree(&encoder.encode_images(&images, &lite0(), &|| ()).unwrap(), expected);
    }
    let error = Encoder::open(made("lite0.onnx"), Some("nothing")).unwrap_err();
    assert!(error.to_string().contains("\"features\", \"classes\""), "{error}");
    let error =
        encoder.encode_images(&images, &ImageOptions { size: Some(96), ..lite0() }, &|| ()).unwrap_err();
    assert!(error.to_string().contains("224×224 only, not 96×96"), "{error}");
}

/// Encodes rows of `text,pair` with MiniLM.
fn minilm(csv: &str, pair: bool, options: TextOptions) -> Encoded {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("texts.csv");
    std::fs::write(&file, format!("text,pair\n{csv}")).unwrap();
    let columns = Columns { label: None, pair: pair.then(|| "pair".to_owned()), ..Columns::default() };
    let texts = Texts::open(&file, &columns, None).unwrap();
    let tokens = Tokens::of(&texts, made("tokenizer.json"), 512).unwrap();
    assert_eq!(tokens.cut(), 0);
    let encoder = Encoder::open(made("minilm.onnx"), None).unwrap();
    assert_eq!(encoder.kind(), Kind::Texts);
    encoder.encode_texts(&tokens, options, &|| ()).unwrap()
}

#[test]
fn texts_agree_with_onnxruntime() {
    let mean: Array2<f32> = read_npy(made("texts.mean.npy")).unwrap();
    let cls: Array2<f32> = read_npy(made("texts.cls.npy")).unwrap();
    let happy = "That is a happy person,Today is a sunny day\n";
    for (pooling, expected) in [(Pooling::Mean, mean), (Pooling::Cls, cls)] {
        let options = TextOptions { pooling, l2: false };
        for (row, pair) in [false, true].into_iter().enumerate() {
            let found = minilm(happy, pair, options);
            let difference = difference(&found.x, expected.row(row).as_slice().unwrap());
            assert!(difference < 1e-5, "{difference}");
        }
    }
}

#[test]
fn texts_are_as_similar_as_the_encoder_s_page_says() {
    let rows = "That is a happy person,\nThat is a very happy person,\nToday is a sunny day,\n";
    let features = minilm(rows, false, TextOptions { l2: true, ..TextOptions::default() });
    let row = |i: usize| &features.x[384 * i..384 * (i + 1)];
    let cosine = |i| row(0).iter().zip(row(i)).map(|(a, b)| a * b).sum::<f64>();
    assert!((cosine(0) - 1.0).abs() < 1e-12);
    assert!((cosine(1) - 0.943).abs() < 5e-4, "{}", cosine(1));
    assert!((cosine(2) - 0.257).abs() < 5e-4, "{}", cosine(2));
}

#[test]
fn a_row_does_not_depend_on_its_neighbours() {
    let long = "very ".repeat(60);
    let alone = minilm("That is a happy person,\n", false, TextOptions::default());
    let among = minilm(&format!("{long},\nThat is a happy person,\n"), false, TextOptions::default());
    assert_eq!(alone.x, among.x[384..]);
}

/// Pictures of one colour each in every layout, with the means of their channels.
#[test]
fn every_layout_of_pixels_is_understood() {
    let folder = tempfile::tempdir().unwrap();
    let colours = [[10_u8, 20, 30], [200, 100, 0]];
    let write = |name: &str, array: Array4<u8>| {
        let path = folder.path().join(name);
        write_npy(&path, &array).unwrap();
        path
    };
    let last = write("last.npy", Array4::from_shape_fn((2, 5, 7, 3), |(i, _, _, c)| colours[i][c]));
    let first = write("first.npy", Array4::from_shape_fn((2, 3, 5, 7), |(i, c, _, _)| colours[i][c]));
    let pictures = folder.path().join("pictures");
    std::fs::create_dir(&pictures).unwrap();
    for (name, colour) in ["a.png", "b.JPG"].into_iter().zip(colours) {
        RgbImage::from_pixel(9, 4, Rgb(colour)).save(pictures.join(name)).unwrap();
    }
    let encoder = Encoder::open(made("odd-pixels.onnx"), None).unwrap();
    let options = ImageOptions {
        size: Some(6),
        mean: Some(vec![0.0, 0.1, 0.2]),
        std: Some(vec![0.5]),
        ..ImageOptions::default()
    };
    for (data, tolerance) in [(last, 1e-6), (first, 1e-6), (pictures, 0.03)] {
        let images = Images::open(&data, None).unwrap();
        let features = encoder.encode_images(&images, &options, &|| ()).unwrap();
        assert_eq!(features.dimension, 3);
        for (i, colour) in colours.iter().enumerate() {
            for (c, mean) in [0.0, 0.1, 0.2].into_iter().enumerate() {
                let expected = (f64::from(colour[c]) / 255.0 - mean) / 0.5;
                let found = features.x[3 * i + c];
                assert!((found - expected).abs() < tolerance, "{}: {found} {expected}", data.display());
            }
        }
    }
}

#[test]
fn grey_and_open_encoders_have_their_ways() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grey.npy");
    write_npy(&path, &ndarray::Array3::from_elem((1, 28, 28), 0.5_f32)).unwrap();
    let images = Images::open(&path, None).unwrap();
    let encoder = Encoder::open(made("odd-grey-last.onnx"), None).unwrap();
    let error = encoder.encode_images(&images, &ImageOptions::default(), &|| ()).unwrap_err();
    assert!(error.to_string().contains("--pixel-mean") && error.to_string().contains("grey"), "{error}");
    let options = ImageOptions { mean: Some(vec![0.25]), std: Some(vec![0.5]), ..ImageOptions::default() };
    let grey = encoder.encode_images(&images, &options, &|| ()).unwrap();
    assert!(grey.dimension == 1 && (grey.x[0] - 0.5).abs() < 1e-6, "{grey:?}");

    // Tokens 32 bits wide and without a mask: no padding may count.
    let file = folder.path().join("a.jsonl");
    std::fs::write(&file, "{\"text\": \"a happy person\"}\n\n{\"text\": \"a a\"}\n").unwrap();
    let texts = Texts::open(&file, &Columns { label: None, ..Columns::default() }, None).unwrap();
    let tokens = Tokens::of(&texts, made("tokenizer.json"), 512).unwrap();
    let encoder = Encoder::open(made("odd-tokens.onnx"), None).unwrap();
    let features = encoder.encode_texts(&tokens, TextOptions::default(), &|| ()).unwrap();
    let expected = [f64::from(101 + 1037 + 3407 + 2711 + 102) / 5.0, f64::from(101 + 2 * 1037 + 102) / 4.0];
    assert!(features.x.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{features:?}");
    // What does not fit is cut off, and counted.
    std::fs::write(&file, format!("{{\"text\": \"{}\"}}", "person ".repeat(100))).unwrap();
    let texts = Texts::open(&file, &Columns { label: None, ..Columns::default() }, None).unwrap();
    assert_eq!(Tokens::of(&texts, made("tokenizer.json"), 16).unwrap().cut(), 1);
}

#[test]
fn bad_encoders_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text.onnx");
    std::fs::write(&text, "this is no encoder").unwrap();
    let empty = folder.path().join("empty.onnx");
    std::fs::write(&empty, "").unwrap();
    let cut = folder.path().join("cut.onnx");
    let whole = std::fs::read(made("odd-pixels.onnx")).unwrap();
    std::fs::write(&cut, &whole[..whole.len() - 9]).unwrap();
    let refused = |path: &Path, reason: &str| {
        let error = Encoder::open(path, None).unwrap_err().to_string();
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(error.contains(name) && error.contains(reason) && !error.contains('\n'), "{error}");
    };
    refused(&text, "not an ONNX file");
    refused(&empty, "not an ONNX file");
    refused(&cut, "not an ONNX file");
    refused(Path::new("nowhere.onnx"), "cannot be read");
    refused(&made("odd-operator.onnx"), "\"Frobnicate\"");
    refused(&made("odd-rank.onnx"), "x float[?,8]");
    refused(&made("odd-no-input.onnx"), "nothing makes \"nowhere\"");
    refused(&made("odd-no-output.onnx"), "cannot be run");
    refused(&made("odd-empty.onnx"), "not an ONNX file");
}

#[test]
fn bad_images_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let encoder = Encoder::open(made("odd-pixels.onnx"), None).unwrap();
    let refused = |path: &Path, reason: &str| {
        let images = Images::open(path, None);
        let encoded = images.and_then(|images| encoder.encode_images(&images, &lite0(), &|| ()));
        let error = encoded.unwrap_err().to_string();
        assert!(error.contains(reason) && !error.contains('\n'), "{error}");
    };
    let inner = folder.path().join("cat");
    std::fs::create_dir(&inner).unwrap();
    refused(folder.path(), "no .png");
    RgbImage::new(3, 3).save(inner.join("1.png")).unwrap();
    std::fs::write(inner.join("2.png"), "no picture").unwrap();
    refused(folder.path(), "2.png: the image cannot be decoded");
    RgbImage::new(3, 3).save(folder.path().join("3.png")).unwrap();
    refused(folder.path(), "(cat)");
    let path = folder.path().join("a.npy");
    write_npy(&path, &Array2::<u8>::zeros((3, 4))).unwrap();
    refused(&path, "[3, 4]");
    write_npy(&path, &Array4::<f64>::zeros((1, 2, 2, 3))).unwrap();
    refused(&path, "uint8, or float32");
    write_npy(&path, &Array4::<f32>::from_elem((2, 2, 2, 3), 255.0)).unwrap();
    refused(&path, "row 1: the pixel 255 is not between 0 and 1");
    std::fs::write(&path, "no array").unwrap();
    refused(&path, ".npy");
    write_npy(&path, &Array4::<u8>::zeros((2, 2, 2, 3))).unwrap();
    let error = Images::open(&path, Some(3)).unwrap_err();
    assert!(matches!(error, EncodeError::TooFewRows { wanted: 3, found: 2, .. }));
    // The encoder can fail too, and be of the other kind.
    let images = Images::open(&path, None).unwrap();
    let broken = Encoder::open(made("odd-not-finite.onnx"), None).unwrap();
    let error = broken.encode_images(&images, &lite0(), &|| ()).unwrap_err().to_string();
    assert!(error.contains("row 1: the encoder's output is not finite"), "{error}");
    let error =
        Encoder::open(made("odd-tokens.onnx"), None).unwrap().encode_images(&images, &lite0(), &|| ());
    assert!(matches!(error, Err(EncodeError::WantsText { .. })));
}

#[test]
fn bad_texts_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |name: &str, content: &str, reason: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let error = Texts::open(&path, &Columns::default(), None).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains(reason) && !error.contains('\n'), "{error}");
    };
    refused(
        "a.csv",
        "body,label\nhello,1\n",
        "no column \"text\", only \"body\", \"label\"; name it with --text-column",
    );
    refused("a.csv", "text,class\nhello,1\n", "--label-column");
    refused("a.csv", "text,label\n", "no rows");
    refused("a.csv", "text,label\nhello,1\nonly\n", "row 2 (line 3)");
    refused("a.jsonl", "{\"text\": \"a\", \"label\": 1}\n\nnonsense\n", "row 2 (line 3): not a JSON object");
    refused("a.jsonl", "{\"text\": null, \"label\": 1}", "row 1 (line 1): the field \"text\"");
    refused("a.jsonl", "{\"body\": \"a\"}", "no column \"text\", only \"body\"");
    let path = folder.path().join("a.jsonl");
    std::fs::write(&path, "{\"text\": \"a\", \"label\": true}").unwrap();
    let texts = Texts::open(&path, &Columns::default(), None).unwrap();
    assert_eq!(texts.labels().unwrap(), ["true"]);
    let error = Tokens::of(&texts, "nowhere.json", 512).unwrap_err();
    assert!(error.to_string().contains("--tokenizer"), "{error}");
    let error = Tokens::of(&texts, &path, 512).unwrap_err();
    assert!(matches!(error, EncodeError::Tokenizer { .. }));
    // A tokenizer of another encoder: there is no such word in this one.
    let tokens = Tokens::of(&texts, made("tokenizer.json"), 512).unwrap();
    let error = Encoder::open(made("lite0.onnx"), None).unwrap().encode_texts(
        &tokens,
        TextOptions::default(),
        &|| (),
    );
    assert!(matches!(error, Err(EncodeError::WantsImages { .. })));
}
