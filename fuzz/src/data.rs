//! Readers of data files. The first byte of an input says how to read, the rest is the file.

use unswayed_data::{Cells, LabelPolicy, Lines, Reading, Source, load, load_frame, reload};

/// How to read a file, told from a byte.
fn reading(ending: &str, how: u8) -> Reading {
    use LabelPolicy::{Detect, Multiclass, None as Absent, Preferences, Premultiplied, Scores};
    // Labels of .npy features are in another file.
    let policies: &[LabelPolicy] = match ending {
        "npy" => &[Premultiplied, Preferences, Absent],
        _ => &[Detect, Scores, Multiclass, Premultiplied, Preferences, Absent],
    };
    let bit = |place: u8| how >> place & 1 == 1;
    Reading {
        labels: policies[usize::from(how & 0x0f) % policies.len()],
        weight_column: (ending != "npy" && bit(4)).then(|| "weight".to_owned()),
        normalize: bit(5),
        rows: bit(6).then_some(2),
        drop_columns: if ending.starts_with("np") || !bit(7) { vec![] } else { vec!["a".to_owned()] },
        ..Reading::default()
    }
}

/// Reads a file. What is read must be finite, and the same when it is read again as its origin says. Returns whether it was read.
pub fn reader(ending: &str, input: &[u8]) -> bool {
    let Some((how, file)) = input.split_first() else { return false };
    let source = Source::bytes(format!("fuzzed.{ending}"), file);
    frame(&source, &reading(ending, *how));
    lines(file, &reading(ending, *how));
    match load(&source, &reading(ending, *how)) {
        Ok(data) => {
            assert_eq!(data.z().len(), data.rows() * data.dimension());
            assert!(data.rows() > 0 && data.z().iter().all(|value| value.is_finite()));
            let again = reload(&source, data.origin()).expect("read before");
            assert!(again == data, "read again, the rows differ");
            true
        }
        Err(error) => {
            let text = error.for_command_line();
            assert!(!text.is_empty() && !text.contains('\n'), "{text:?}");
            false
        }
    }
}

/// Reads a file as a stream: every row has a finite number for each feature, and a label where there are labels.
fn lines(file: &[u8], reading: &Reading) {
    let mut lines = Lines::new(reading.clone());
    for line in file.split(|&byte| byte == b'\n') {
        match lines.read(line) {
            Ok(Some(row)) => {
                assert_eq!(row.x.len(), lines.features().len());
                assert!(row.x.iter().all(|value| value.is_finite()));
                assert_eq!(row.label.is_some(), reading.labels.is_labelled());
            }
            Ok(None) => {}
            Err(error) => assert!(!error.for_command_line().contains('\n')),
        }
    }
}

/// Reads a file as a frame: every column has a cell for each row, and numbers are finite or missing.
fn frame(source: &Source, reading: &Reading) {
    let Ok(frame) = load_frame(source, reading, |_| None) else { return };
    for column in &frame.columns {
        match &column.cells {
            Cells::Numbers(numbers) => {
                assert!(numbers.len() == frame.rows && !numbers.iter().any(|number| number.is_infinite()));
            }
            Cells::Texts(texts) => assert_eq!(texts.places().len(), frame.rows),
        }
    }
}
