//! `prepare --encoder` as a process, with the encoders that `scripts/encoders` makes.

use std::path::Path;
#[cfg(feature = "onnx")]
use std::process::Output;

use super::unswayed;

#[test]
fn encoders_have_their_own_section_of_the_help() {
    let help = unswayed(Path::new("."), &["prepare", "--help"]).stdout;
    let help = String::from_utf8(help).unwrap();
    let (before, encoder) = help.split_once("\nEncoder:\n").unwrap();
    assert!(encoder.contains("--encoder <FILE>") && encoder.contains("--pixel-mean"), "{help}");
    assert!(before.contains("--output") && !before.contains("--tokenizer"), "{help}");
    // Flags of encoders mean nothing without one.
    let output = unswayed(Path::new("."), &["prepare", "x.csv", "--pooling", "cls"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--encoder"));
}

#[cfg(not(feature = "onnx"))]
#[test]
fn a_build_without_encoders_says_how_to_get_them() {
    let text = super::refused(".", &["prepare", "pictures", "--encoder", "resnet18.onnx"]);
    assert!(text.contains("--features onnx"), "{text}");
}

#[cfg(feature = "onnx")]
mod with_encoders {
    use std::path::PathBuf;

    use image::{Rgb, RgbImage};
    use ndarray::Array2;
    use ndarray_npy::NpzReader;
    use serde_json::Value;

    use super::super::refused;
    use super::*;

    fn made(name: &str) -> String {
        let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folder =
            target.map_or_else(|| root.join("target"), |target| root.join(target)).join("tools/encoders");
        let path = folder.join(name);
        assert!(path.exists(), "{} is missing: run scripts/encoders first", path.display());
        path.to_str().unwrap().to_owned()
    }

    fn json(output: &Output) -> Value {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Striped and spotted pictures, none like the other.
    fn write_pictures(folder: &Path, count: u32, seed: u32) {
        for (name, stripes) in [("spots", 0), ("stripes", 1)] {
            std::fs::create_dir_all(folder.join(name)).unwrap();
            for i in 0..count {
                let pixel = |x: u32, y: u32| {
                    let wave = (x + seed + 3 * i) * (stripes + (1 - stripes) * (y + i)) * 23 % 256;
                    Rgb([wave as u8, (wave / 2) as u8, (7 * i + seed) as u8])
                };
                RgbImage::from_fn(32, 32, pixel).save(folder.join(name).join(format!("{i}.png"))).unwrap();
            }
        }
    }

    #[test]
    fn from_pictures_to_a_certificate() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        write_pictures(&path.join("train"), 4, 1);
        write_pictures(&path.join("test"), 2, 100);
        let lite0 = made("lite0.onnx");
        let encoder = ["--encoder", &lite0, "--pixel-mean", "0.498", "--pixel-std", "0.502"];
        let fit = [
            &["prepare", "train", "--directions", "3", "--features-output", "raw.npz", "--json"],
            &encoder[..],
        ];
        let value = json(&unswayed(path, &fit.concat()));
        assert_eq!((&value["rows"], &value["features"]), (&8.into(), &1280.into()));
        assert_eq!(value["labels"], serde_json::json!(["spots", "stripes"]));
        let mut raw = NpzReader::new(std::fs::File::open(path.join("raw.npz")).unwrap()).unwrap();
        let raw: Array2<f64> = raw.by_name("x").unwrap();
        assert_eq!(raw.dim(), (8, 1280));

        // The raw features give the same rows as the pictures.
        let again = ["prepare", "raw.npz", "--directions", "3", "--output", "again.npz"];
        assert!(unswayed(path, &again).status.success());
        assert_eq!(
            std::fs::read(path.join("train.prepared.npz")).unwrap(),
            std::fs::read(path.join("again.npz")).unwrap()
        );

        let apply = ["prepare", "test", "--apply", "train.transform.safetensors"];
        let applied = unswayed(path, &[&apply[..], &encoder].concat());
        assert!(applied.status.success(), "{}", String::from_utf8_lossy(&applied.stderr));
        let text = String::from_utf8(applied.stdout).unwrap();
        assert!(text.contains("4 images") && text.contains("spots is −1, stripes is +1"), "{text}");
        let other = [&apply[..], &["--encoder", &lite0]].concat(); // ImageNet's mean
        assert!(refused(path, &other).contains("made otherwise"));
        let certify =
            ["certify", "test.prepared.npz", "--attacks", "none", "--json", "--learning-rate", "1e-2"];
        let setting = ["--regularization", "0.1", "--poison-rate", "0.02"];
        assert_eq!(json(&unswayed(path, &[&certify[..], &setting].concat()))["dimension"], 4);

        // One row of each class; an array with its labels beside it.
        let two =
            [&["prepare", "train", "--rows", "2", "--directions", "1", "--json"], &encoder[..]].concat();
        assert_eq!(json(&unswayed(path, &two))["labels"], serde_json::json!(["spots", "stripes"]));
        std::fs::copy(made("images.npy"), path.join("x.npy")).unwrap();
        ndarray_npy::write_npy(path.join("y.npy"), &ndarray::arr1(&[3_i64, 5, 3])).unwrap();
        let array = [&["prepare", "x.npy", "--directions", "2", "--json"], &encoder[..]].concat();
        assert_eq!(json(&unswayed(path, &array))["labels"], serde_json::json!(["3", "5"]));
    }

    #[test]
    fn from_text_to_rows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let minilm = made("minilm.onnx");
        let rows = "prompt,response,score\nHello,Good day,1\nHello,Go away,-1\n\"2, and 2?\",4,0.5\n";
        std::fs::write(path.join("chat.csv"), rows).unwrap();
        let columns = ["--text-column", "prompt", "--pair-column", "response", "--label-column", "score"];
        let flags =
            ["prepare", "chat.csv", "--directions", "2", "--encoder", &minilm, "--unit-norm", "--json"];
        let value = json(&unswayed(path, &[&flags[..], &columns].concat()));
        assert_eq!((&value["rows"], &value["features"]), (&3.into(), &384.into()));
        assert_eq!(value["labels"], Value::Null);
        let lines = "{\"text\": \"Hello\", \"label\": \"ham\"}\n{\"text\": \"Win\", \"label\": \"spam\"}\n";
        std::fs::write(path.join("mail.jsonl"), lines).unwrap();
        let mail = ["prepare", "mail.jsonl", "--directions", "1", "--encoder", &minilm];
        let output = unswayed(path, &mail);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("2 texts, 0 of them cut off at 512 tokens"), "{text}");
        assert!(text.contains("ham is −1, spam is +1"), "{text}");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let [lite0, minilm] = ["lite0.onnx", "minilm.onnx"].map(made);
        write_pictures(&path.join("pictures"), 1, 1);
        std::fs::write(path.join("mail.csv"), "text,label\nHello,ham\nWin,spam\n").unwrap();
        let refused = |arguments: &[&str], reason: &str| {
            let text = refused(path, &[&["prepare"], arguments].concat());
            assert!(text.contains(reason), "{text}");
        };
        refused(&["pictures", "--encoder", &minilm], "minilm.onnx takes text");
        refused(&["mail.csv", "--encoder", &lite0], "lite0.onnx takes images");
        std::fs::write(path.join("mail.npz"), "").unwrap();
        refused(&["mail.npz", "--encoder", &lite0], "encoders take a folder");
        refused(&["mail.csv", "--encoder", "mail.csv"], "not an ONNX file");
        refused(&["nowhere.csv", "--encoder", &minilm], "nowhere.csv: there is no such file");
        refused(&["mail.csv", "--encoder", &minilm, "--text-column", "body"], "no column \"body\"");
        refused(&["mail.csv", "--encoder", &minilm, "--tokenizer", "none.json"], "--tokenizer");
        refused(&["mail.csv", "--encoder", &minilm, "--labels", "y.npy"], "--label-column");
        refused(&["pictures", "--encoder", &lite0, "--labels", "y.npy"], "folders");
        refused(&["pictures", "--encoder", &lite0, "--pixel-std", "0"], "--pixel-std: must be above 0");
        refused(&["pictures", "--encoder", &made("odd-operator.onnx")], "Frobnicate");
        refused(&["pictures", "--encoder", &made("odd-no-output.onnx")], "cannot be run");
        std::fs::write(path.join("pictures/spots/0.png"), "no picture").unwrap();
        refused(&["pictures", "--encoder", &lite0], "0.png: the image cannot be decoded");
        std::fs::create_dir(path.join("pictures/third")).unwrap();
        RgbImage::new(2, 2).save(path.join("pictures/third/a.png")).unwrap();
        refused(&["pictures", "--encoder", &lite0], "third label");
    }
}
