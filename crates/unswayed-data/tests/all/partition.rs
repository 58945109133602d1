//! Rows that are spread over machines: the same origin, rows and sample as if one process read them in parts.

use unswayed_data::{
    Block, DataError, Dataset, LabelPolicy, Look, Origin, Partition, Partitions, RawLabels, Reading, Source,
    Stream, Table,
};

use crate::common::{npy_f64, parquet_doubles, policy};

const COLUMNS: usize = 2;

fn features(rows: usize) -> Vec<f64> {
    let number = |i: usize| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f64 / f64::from(1 << 24) - 0.5;
    (0..rows * COLUMNS).map(number).collect()
}

fn table(rows: std::ops::Range<usize>, label: &dyn Fn(usize) -> f64) -> Table {
    let x = features(rows.end)[COLUMNS * rows.start..].to_vec();
    Table { y: Some(RawLabels::Numbers(rows.map(label).collect())), ..Table::new(x, COLUMNS) }
}

/// As on other machines: looks and digests travel as texts.
fn origin_of(partitions: &[Partition], reading: &Reading) -> Result<(Partitions, Origin), DataError> {
    let travelled = |look: Look| -> Look {
        serde_json::from_str(&serde_json::to_string(&look).expect("a text")).expect("the same look")
    };
    let looks: Result<Vec<Look>, DataError> =
        partitions.iter().map(|one| one.look().map(travelled)).collect();
    let all = Partitions::new(looks?)?;
    let mut digest = all.digest();
    for one in partitions {
        let text = serde_json::to_string(&one.digest(&digest)?).expect("a text");
        digest = serde_json::from_str(&text).expect("the same digest");
    }
    let origin = all.origin(&digest, None, reading)?;
    Ok((all, origin))
}

/// The rows of all partitions, and those of the sample.
fn rows_of(
    partitions: &[Partition],
    all: &Partitions,
    origin: &Origin,
    stride: usize,
) -> (Vec<f64>, Vec<f64>) {
    let (mut z, mut sample, mut digests) = (vec![], vec![], vec![]);
    for (one, first) in partitions.iter().zip(all.firsts()) {
        let read = one.read(*first, origin, |block: Block| -> Result<(), DataError> {
            assert_eq!(block.first * COLUMNS, z.len());
            z.extend(block.z);
            Ok(())
        });
        digests.push(read.expect("the same rows"));
        sample
            .extend(one.sample(*first, stride).expect("the same rows").into_iter().flat_map(|table| table.x));
    }
    all.require_same(&digests).expect("the same rows");
    (z, sample)
}

fn bits(z: &[f64]) -> Vec<u64> {
    z.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn tables_in_memory() {
    let rows = 1000;
    let labels: [(&dyn Fn(usize) -> f64, LabelPolicy); 3] = [
        (&|i| f64::from(u8::from(i % 7 < 3)), LabelPolicy::Detect),
        // Two of them, and the third only in the last partition.
        (&|i| if i < 900 { (i % 2) as f64 } else { 0.25 }, LabelPolicy::Detect),
        (&|i| -((i % 2) as f64), LabelPolicy::Scores),
    ];
    for (label, kind) in labels {
        for normalize in [false, true] {
            let reading = Reading { normalize, ..policy(kind) };
            let whole: Dataset = table(0..rows, label).into_dataset(&reading).expect("good data");
            for edges in [vec![0, rows], vec![0, 0, 333, 700, 700, rows], vec![0, 1, rows - 1, rows]] {
                let partition = |pair: &[usize]| {
                    Partition::memory(table(pair[0]..pair[1], label), reading.clone()).expect("good data")
                };
                let partitions: Vec<Partition> = edges.windows(2).map(partition).collect();
                let (all, origin) = origin_of(&partitions, &reading).expect("good data");
                assert_eq!(&origin, whole.origin(), "{edges:?}");
                let (z, sample) = rows_of(&partitions, &all, &origin, all.stride(100));
                assert!(bits(&z) == bits(whole.z()), "{edges:?}");
                assert_eq!(sample.len(), 100 * COLUMNS);
            }
        }
    }
}

#[test]
fn files_and_the_sample_of_a_stream() {
    let folder = tempfile::tempdir().expect("a folder");
    let (rows, x) = (900, features(900));
    let path = |name: &str, rows: std::ops::Range<usize>| {
        let column = |j: usize| rows.clone().map(|i| x[COLUMNS * i + j]).collect::<Vec<f64>>();
        let label: Vec<f64> = rows.clone().map(|i| f64::from(u8::from(i % 3 == 0))).collect();
        let path = folder.path().join(name);
        let content = parquet_doubles(&["p", "q", "label"], &[&column(0), &column(1), &label]);
        std::fs::write(&path, content).expect("a file");
        path
    };
    let paths = [path("a.parquet", 0..500), path("b.parquet", 500..rows)];
    let source = Source::path(folder.path());
    assert_eq!(source.partitions().expect("tables"), paths);
    let reading = Reading { normalize: true, ..Reading::default() };
    let (stream, sample) = Stream::open(&source, &reading, 90, &|_, _| {}).expect("good data");
    let partitions = paths.each_ref().map(|path| Partition::files(Source::path(path), reading.clone()));
    let (all, nameless) = origin_of(&partitions, &reading).expect("good data");
    let mut digest = all.digest();
    for one in &partitions {
        digest = one.digest(&digest).expect("the same rows");
    }
    let origin = all.origin(&digest, Some(&source), &reading).expect("good data");
    assert_eq!(&origin, stream.origin());
    assert_eq!(nameless.same_rows(&origin), Ok(()));
    let (z, found) = rows_of(&partitions, &all, &origin, all.stride(90));
    assert_eq!(z.len(), rows * COLUMNS);
    let table = Table { y: sample.table().y.clone(), ..Table::new(found, COLUMNS) };
    assert_eq!(bits(&table.x), bits(&sample.table().x));
}

#[test]
fn refusals() {
    let reading = Reading::default();
    let classes = |i: usize| (i % 2) as f64;
    let of = |table: Table| Partition::memory(table, reading.clone());
    let good = || of(table(0..10, &classes)).expect("good data");
    let words = |partitions: &[Partition], reading: &Reading| {
        origin_of(partitions, reading).expect_err("a refusal").to_string()
    };
    assert!(words(&[], &reading).contains("no rows"));
    assert!(words(&[of(Table::new(vec![], 2)).expect("no rows")], &reading).contains("no rows"));
    let wide = Table { y: Some(RawLabels::Numbers(vec![1.0])), ..Table::new(vec![0.1; 3], 3) };
    assert!(words(&[good(), of(wide).expect("good data")], &reading).contains("same columns"));
    let unlabelled = of(Table::new(vec![0.1, 0.1], 2)).expect("good data");
    assert!(words(&[good(), unlabelled], &reading).contains("same columns"));
    let texts =
        Table { y: Some(RawLabels::texts(["a", "b"]).expect("texts")), ..Table::new(vec![0.1; 4], 2) };
    assert!(words(&[good(), of(texts).expect("good data")], &reading).contains("same columns"));
    let long = Table { y: Some(RawLabels::Numbers(vec![1.0])), ..Table::new(vec![3.0, 4.0], 2) };
    assert!(words(&[good(), of(long).expect("good data")], &reading).contains("row 11"));
    let huge = Table { y: Some(RawLabels::Numbers(vec![1.0])), ..Table::new(vec![f64::MAX, f64::MAX], 2) };
    assert!(of(huge).expect("finite").look().is_err());
    assert!(of(Table::new(vec![f64::NAN, 0.0], 2)).is_err());
    assert!(words(&[good()], &policy(LabelPolicy::Multiclass)).contains("cannot be read in parts"));
    let (all, _) = origin_of(&[good(), good()], &reading).expect("good data");
    let other = of(table(0..10, &|i| 1.0 - classes(i))).expect("good data");
    let digest = good().digest(&all.digest()).and_then(|digest| other.digest(&digest)).expect("a digest");
    let changed = all.origin(&digest, None, &reading).expect_err("other rows").to_string();
    assert!(changed.contains("partition 2 has changed"), "{changed}");
    let short = good().digest(&all.digest()).expect("a digest");
    assert!(all.origin(&short, None, &reading).is_err());
    let broken = serde_json::from_str(r#"{"state":"12","partitions":[]}"#).expect("a digest");
    assert!(good().digest(&broken).expect_err("no state").to_string().contains("state of a digest"));
    let path = tempfile::tempdir().expect("a folder");
    let file = path.path().join("x.npy");
    std::fs::write(&file, npy_f64("(1, 2)", &[0.1, 0.2])).expect("a file");
    let first = Reading { rows: Some(1), ..policy(LabelPolicy::Premultiplied) };
    let some = Partition::files(Source::path(file), first).look().expect_err("not all rows").to_string();
    assert!(some.contains("from the top"), "{some}");
}
