//! Files that claim to be larger than they are: refused before memory is asked for.

use unswayed_data::{LabelPolicy, Reading, Source, load};

use crate::common::{fixture, npy, npy_f64, npz, npz_deflated, parquet_constant, policy, refusal};

fn plain_z() -> Reading {
    policy(LabelPolicy::Premultiplied)
}

#[test]
fn an_array_of_a_trillion_rows() {
    for (shape, columns) in
        [("(1000000000000, 1)", 1), ("(1, 1000000000000)", 2), ("(4294967296, 4294967296)", 3)]
    {
        let file = npy_f64(shape, &[0.0; 128]);
        let text = refusal("z.npy", &file, &plain_z());
        assert!(text.contains("the array is shorter than its header says"), "{columns}: {text}");
        let text = refusal("z.npz", npz(&[("z", file)]), &plain_z());
        assert!(text.contains("the array is shorter than its header says"), "{columns}: {text}");
    }
    let exact = npy_f64("(128, 1)", &[0.0; 128]);
    assert!(load(&Source::bytes("z.npy", exact), &plain_z()).is_ok());
}

#[test]
fn a_header_of_four_gigabytes() {
    let mut file = b"\x93NUMPY\x02\x00".to_vec();
    file.extend(u32::MAX.to_le_bytes());
    file.extend([b' '; 1000]);
    assert!(refusal("z.npy", file, &plain_z()).contains("its header is too long"));
}

#[test]
fn a_member_that_expands_beyond_its_array() {
    // 100 MB of zeros behind two numbers; and numbers that would need them all.
    let mut bomb = npy_f64("(2, 1)", &[0.5, 0.25]);
    let exact = npz_deflated(&[("z", bomb.clone())]);
    assert!(load(&Source::bytes("z.npz", exact), &plain_z()).is_ok());
    bomb.resize(100 << 20, 0);
    let file = npz_deflated(&[("z", bomb)]);
    assert!(file.len() < 200_000);
    assert!(refusal("z.npz", file, &plain_z()).contains("it is longer than its header says"));
    let file = npz_deflated(&[("z", npy("|u1", "(1000000000, 1)", &[0; 1000]))]);
    assert!(refusal("z.npz", file, &plain_z()).contains("the array is shorter than its header says"));
}

#[test]
fn a_table_of_more_rows_than_its_file_can_hold() {
    // Run-length encoding has no limit: a billion equal values fit into a few bytes.
    let good = parquet_constant(1000);
    assert!(load(&Source::bytes("a.parquet", good), &plain_z()).is_ok());
    let file = parquet_constant(4_000_000);
    assert!(file.len() < 100_000, "{}", file.len());
    let text = refusal("a.parquet", &file, &plain_z());
    assert!(text.starts_with("a.parquet: 4000000 rows of 1 columns are more than fits"), "{text}");
    // So few rows of it fit.
    let few = Reading { rows: Some(1000), ..plain_z() };
    assert_eq!(load(&Source::bytes("a.parquet", file), &few).expect("the first rows").origin().of, 4_000_000);
}

/// A good file, with its first page header overwritten.
fn with_header(header: &[u8]) -> Vec<u8> {
    let file = std::fs::read(fixture("pandas_snappy.parquet")).expect("a fixture");
    assert!(load(&Source::bytes("a.parquet", file.clone()), &Reading::default()).is_ok());
    [&file[..4], header, &file[4 + header.len()..]].concat()
}

/// In Thrift's compact protocol: a dictionary page (field 1) that was compressed to one byte (field 3); its values are plain.
fn dictionary(uncompressed: &[u8], values: &[u8]) -> Vec<u8> {
    [&[0x15, 0x04, 0x15], uncompressed, &[0x15, 0x02, 0x4c, 0x15], values, &[0x15, 0x00, 0x00, 0x00]].concat()
}

#[test]
fn pages_that_claim_too_much() {
    const TWO_GIGABYTES: &[u8] = &[0xfe, 0xff, 0xff, 0xff, 0x0f];
    let headers = [
        dictionary(TWO_GIGABYTES, &[0x02]),
        dictionary(&[0x10], TWO_GIGABYTES),
        // Field 5 (data page header), in it field 5 (statistics), in it field 1 (bytes) of 2^40 bytes.
        vec![0x5c, 0x5c, 0x18, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20],
    ];
    for header in headers {
        let text = refusal("a.parquet", with_header(&header), &Reading::default());
        assert!(text.contains("a page contradicts itself"), "{text}");
    }
}

#[test]
fn a_schema_that_is_nested_without_end() {
    // Metadata: version 2 (field 1), a list (field 2) of groups with one child each, all called a.
    let depth = 200_000_u32;
    let mut metadata = vec![0x15, 0x04, 0x19, 0xfc];
    let mut length = depth;
    while length >= 0x80 {
        metadata.push(u8::try_from(length & 0x7f).expect("seven bits") | 0x80);
        length >>= 7;
    }
    metadata.push(u8::try_from(length).expect("seven bits"));
    for _ in 0..depth {
        metadata.extend([0x48, 0x01, b'a', 0x15, 0x02, 0x00]);
    }
    metadata.extend([0x16, 0x00, 0x19, 0x0c, 0x00]);
    let size = u32::try_from(metadata.len()).expect("small").to_le_bytes();
    let file = [b"PAR1", metadata.as_slice(), &size, b"PAR1"].concat();
    assert!(refusal("a.parquet", file, &plain_z()).contains("its schema cannot be understood"));
}
