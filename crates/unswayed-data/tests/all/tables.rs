//! Text tables other than .csv, compressed ones, folders, chosen columns.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use unswayed_data::{Cells, Dataset, LabelPolicy, Reading, Source, load, load_frame, reload};

use crate::common::{fixture, policy, refusal};

const CSV: &str = "a,b,label\n0.5,-0.25,spam\n0.125,0,ham\n";
const TSV: &str = "a\tb\tlabel\n0.5\t-0.25\tspam\n0.125\t0\tham\n";
const JSONL: &str =
    "{\"a\": 0.5, \"b\": -0.25, \"label\": \"spam\"}\n\n{\"b\": 0, \"label\": \"ham\", \"a\": 1.25e-1}\n";

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).expect("in memory");
    encoder.finish().expect("in memory")
}

fn zstd(content: &[u8]) -> Vec<u8> {
    compress_to_vec(content, CompressionLevel::Fastest)
}

fn loaded(name: &str, content: impl Into<Vec<u8>>) -> Dataset {
    load(&Source::bytes(name, content), &Reading::default()).expect("a good table")
}

#[test]
fn one_table_in_every_format_is_the_same() {
    let csv = loaded("a.csv", CSV);
    let files: [(&str, Vec<u8>); 8] = [
        ("a.tsv", TSV.into()),
        ("a.jsonl", JSONL.into()),
        ("a.ndjson", JSONL.into()),
        ("a.csv.gz", gzip(CSV.as_bytes())),
        ("a.TSV.GZ", gzip(TSV.as_bytes())),
        ("a.jsonl.gz", [gzip(&JSONL.as_bytes()[..30]), gzip(&JSONL.as_bytes()[30..])].concat()),
        ("a.csv.zst", zstd(CSV.as_bytes())),
        ("a.jsonl.zst", [zstd(&JSONL.as_bytes()[..30]), zstd(&JSONL.as_bytes()[30..])].concat()),
    ];
    for (name, content) in files {
        let data = loaded(name, content.clone());
        assert_eq!(data.origin().same_rows(csv.origin()), Ok(()), "{name}");
        assert_eq!(data.z(), csv.z(), "{name}");
        assert_eq!(
            reload(&Source::bytes(name, content), csv.origin()).expect("again").z(),
            csv.z(),
            "{name}"
        );
    }
}

#[test]
fn a_zstandard_frame_that_is_skipped() {
    let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3][..], &zstd(CSV.as_bytes())].concat();
    assert_eq!(loaded("a.csv.zst", skipped).rows(), 2);
    let cut = [0x50, 0x2a, 0x4d, 0x18, 9, 0, 0, 0, 1, 2, 3];
    assert!(refusal("a.csv.zst", cut, &Reading::default()).contains("a frame is cut off"));
}

#[test]
fn parquet_compressed_by_zstandard() {
    let zstd = load(&Source::path(fixture("pandas_zstd.parquet")), &Reading::default()).expect("a fixture");
    let plain = load(&Source::path(fixture("pandas_none.parquet")), &Reading::default()).expect("a fixture");
    assert_eq!(zstd.z(), plain.z());
    let file = std::fs::read(fixture("pandas_zstd.parquet")).expect("a fixture");
    let magic = file.windows(4).position(|bytes| bytes == [0x28, 0xb5, 0x2f, 0xfd]).expect("a frame");
    let mut damaged = file;
    damaged[magic] = 0;
    assert!(refusal("a.parquet", damaged, &Reading::default()).contains("a page cannot be expanded"));
}

#[test]
fn compressed_files_that_expand_too_far_or_are_damaged() {
    // Just within the limit, and beyond it.
    let table = |rows: usize| [b"a,label\n0.5,x\n".to_vec(), b"0.5,y\n".repeat(rows)].concat();
    for rows in [10_000, 2_000_000] {
        for (name, file) in [("a.csv.gz", gzip(&table(rows))), ("a.csv.zst", zstd(&table(rows)))] {
            let ratio = 6 * rows / file.len();
            let done = load(&Source::bytes(name, file), &Reading::default());
            if 6 * rows < 1 << 16 || ratio < 200 {
                assert!(done.is_ok(), "{name}, {rows} rows: {done:?}");
            } else {
                let text = done.expect_err("too large").to_string();
                assert!(text.contains("expands to more than 200 times its size; if that is right"), "{text}");
            }
        }
    }
    let small = table(10);
    for (name, file) in [("a.csv.gz", gzip(&small)), ("a.csv.zst", zstd(&small))] {
        for end in 0..file.len() {
            let text = refusal(name, &file[..end], &Reading::default());
            assert!(
                text.contains("cut short or damaged") || text.contains("is empty"),
                "{name} {end}: {text}"
            );
        }
    }
    assert!(refusal("a.npz.gz", gzip(b"PK"), &Reading::default()).contains("this one is not known"));
}

#[test]
fn lines_of_json_that_are_refused() {
    let refused = |line: &str| {
        let text = format!("{{\"a\": 0.5, \"label\": 0}}\n{line}\n");
        refusal("a.jsonl", text, &Reading::default())
    };
    assert!(refused("[1, 2]").starts_with("a.jsonl: row 2 (line 2): the line is not a JSON object"));
    assert!(refused("{\"a\": 1, \"a\": 2, \"label\": 1}").contains("row 2 (line 2), column \"a\""));
    assert!(refused("{\"label\": 1}").contains("row 2 (line 2), column \"a\": the value is missing"));
    assert!(refused("{\"a\": null, \"label\": 1}").contains("column \"a\": the value is missing"));
    assert!(refused("{\"a\": [1], \"label\": 1}").contains("the values are of type list"));
    assert!(refused("{\"a\": {\"b\": 1}, \"label\": 1}").contains("the values are of type object"));
    assert!(refused("{\"a\": \"x\", \"label\": 1}").contains("\"x\" is not a number"));
    assert!(
        refused("{\"a\": 1, \"label\": 1, \"b\": 1}")
            .contains("row 1 (line 1), column \"b\": the value is missing")
    );
    assert!(refused(&"[".repeat(100_000)).contains("not a JSON object"));
    assert!(refused(&format!("{{\"a\": {}1", "[".repeat(100_000))).contains("not a JSON object"));
    assert!(refused("{\"a\": 1e999, \"label\": 1}").contains("not a JSON object"));
    assert!(refusal("a.jsonl", "\n \n", &Reading::default()).contains("there are no rows"));
    // What is left out may be anything.
    let reading = Reading { drop_columns: vec!["b".into()], ..Reading::default() };
    let lines = "{\"a\": 0.5, \"b\": [1], \"label\": 0}\n{\"a\": 0.25, \"b\": {}, \"label\": 1}\n";
    assert!(load(&Source::bytes("a.jsonl", lines), &reading).is_ok());
}

#[test]
fn columns_are_chosen_and_dropped() {
    let table = "id,b,a,when,label\n7,0.5,0.25,2024-01-01,0\n8,-0.5,0,2024-01-02,1\n";
    let source = Source::bytes("a.csv", table);
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
    let chosen = Reading { columns: Some(names(&["a", "b"])), ..Reading::default() };
    let data = load(&source, &chosen).expect("two columns");
    assert_eq!(data.table().x, [0.25, 0.5, 0.0, -0.5]);
    assert_eq!(data.origin().chosen_columns, Some(names(&["a", "b"])));
    assert!(data.describe().contains("; the columns are a, b"), "{}", data.describe());
    assert_eq!(reload(&source, data.origin()).expect("again"), data);
    let dropped = Reading { drop_columns: names(&["id", "when"]), ..Reading::default() };
    let data = load(&source, &dropped).expect("two columns");
    assert_eq!((data.table().x.as_slice(), data.names()), (&[0.5, 0.25, -0.5, 0.0][..], vec!["b", "a"]));
    assert_eq!(reload(&source, data.origin()).expect("again"), data);
    // The order of the columns is part of the digest.
    let mut other = data.origin().clone();
    other.chosen_columns = Some(names(&["a", "b"]));
    let again = reload(&source, &other).expect("rows");
    assert!(again.origin().same_rows(data.origin()).unwrap_err().starts_with("sha256"));
    other.chosen_columns = Some(names(&["a"]));
    assert!(other.validate().is_err() && reload(&source, &other).is_err());

    let refused = |reading: Reading| refusal("a.csv", table, &reading);
    let missing = refused(Reading { columns: Some(names(&["c"])), ..Reading::default() });
    assert!(
        missing.contains("there is no feature column \"c\"") && missing.contains("`--columns`"),
        "{missing}"
    );
    let missing = refused(Reading { drop_columns: names(&["c"]), ..Reading::default() });
    assert!(missing.contains("there is no feature column \"c\""), "{missing}");
    let twice = refused(Reading { columns: Some(names(&["a", "a"])), ..Reading::default() });
    assert!(twice.contains("chosen twice"), "{twice}");
    let none = refused(Reading { columns: Some(vec![]), ..Reading::default() });
    assert!(none.contains("there are no feature columns"), "{none}");
    let array = crate::common::npy_f64("(1, 1)", &[0.5]);
    let reading = Reading { columns: Some(names(&["a"])), ..policy(LabelPolicy::Premultiplied) };
    assert!(refusal("a.npy", array, &reading).contains("columns were chosen"));
}

#[test]
fn a_folder_is_one_table() {
    let folder = tempfile::tempdir().expect("a folder");
    let write =
        |name: &str, content: &[u8]| std::fs::write(folder.path().join(name), content).expect("a file");
    let source = Source::path(folder.path());
    assert!(load(&source, &Reading::default()).unwrap_err().to_string().contains("no tables in this folder"));
    write("2.csv", b"a,b,label\n0.125,0,ham\n");
    write("1.csv.gz", &gzip(b"a,b,label\n0.5,-0.25,spam\n"));
    write("README.md", b"not a table");
    let data = load(&source, &Reading::default()).expect("two files");
    assert_eq!(data.origin().same_rows(loaded("a.csv", CSV).origin()), Ok(()));
    assert_eq!(data.origin().files, Some(vec!["1.csv.gz".to_owned(), "2.csv".to_owned()]));
    assert!(data.describe().contains(": 2 files, 2 rows"), "{}", data.describe());
    assert_eq!(reload(&source, data.origin()).expect("again"), data);
    // Fewer rows than there are; the others are counted.
    write("3.csv", b"a,b,label\n0.25,0,ham\n0.25,1,spam\n");
    let reading = Reading { rows: Some(2), ..Reading::default() };
    let first = load(&source, &reading).expect("the first rows");
    assert_eq!((first.rows(), first.origin().of), (2, 4));
    write("4.csv", b"b,a,label\n0,0.25,ham\n");
    let text = load(&source, &Reading::default()).unwrap_err().to_string();
    assert!(text.contains("4.csv: ") && text.contains("are not those of \"1.csv.gz\""), "{text}");
    write("4.csv", b"a,b,label\n0,x,ham\n");
    let text = load(&source, &Reading::default()).unwrap_err().to_string();
    assert!(text.contains("4.csv: row 1 (line 2), column \"b\""), "{text}");
}

#[test]
fn frames_have_texts_and_gaps() {
    let table = "size,from,code,label,w\n12,uk,01,spam,1\n?,,2,ham,2\n1e3,de,NA,ham,3\n";
    let reading = Reading { weight_column: Some("w".into()), ..Reading::default() };
    let code = |name: &str| (name == "code").then_some(true);
    let frame = load_frame(&Source::bytes("a.csv", table), &reading, code).expect("a frame");
    assert_eq!((frame.rows, frame.weights.as_deref()), (3, Some(&[1.0, 2.0, 3.0][..])));
    let texts = |j: usize| match &frame.columns[j].cells {
        Cells::Texts(texts) => texts.iter().map(|text| text.map(str::to_owned)).collect::<Vec<_>>(),
        Cells::Numbers(_) => panic!("texts were wanted"),
    };
    assert_eq!(texts(1), [Some("uk".to_owned()), None, Some("de".to_owned())]);
    assert_eq!(texts(2), [Some("01".to_owned()), Some("2".to_owned()), None]);
    let refused = |table: &str| {
        load_frame(&Source::bytes("a.csv", table), &Reading::default(), |_| None)
            .unwrap_err()
            .for_command_line()
    };
    assert!(
        refused("a,when,label\n1,2024-05-31,x\n2,,y\n")
            .contains("column \"when\": the values are dates or times")
    );
    assert!(refused("a,label\n1,x\n2,\n").contains("row 2 (line 3), column \"label\": the value is missing"));
    assert!(refused("a,label\ninf,x\n2,y\n").contains("inf is not a finite number"));
    assert!(refused("a,label\n").contains("there are no rows"));
    // Fields that most rows lack would make a table much larger than its file.
    let sparse = (0..3000).map(|i| format!("{{\"x{i}\":1}}")).collect::<Vec<_>>().join("\n");
    let unlabelled = Reading { labels: LabelPolicy::None, ..Reading::default() };
    let text = load_frame(&Source::bytes("a.jsonl", sparse), &unlabelled, |_| None).unwrap_err().to_string();
    assert!(text.contains("more than fits"), "{text}");
    // Parquet has types of its own.
    let null = load_frame(&Source::path(fixture("pyarrow_null.parquet")), &Reading::default(), |_| None);
    assert!(null.is_ok() || null.unwrap_err().to_string().contains("label"));
}
