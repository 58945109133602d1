//! Sparse rows: svmlight files and SciPy's matrices, what is read and what is refused.

use std::io::Write as _;

use unswayed_data::{
    Dataset, LabelPolicy, Labels, Pattern, Reading, Source, Table, load, reload, write_dataset, write_sparse,
};

const SVM: &str = "# two rows\n+1 2:0.5 7:-0.25  # spam\n\n-1 7:0.5\n";

fn svm(text: &str) -> Result<Dataset, unswayed_data::DataError> {
    load(&Source::bytes("mail.svm", text), &Reading::default())
}

fn refused(text: &str) -> String {
    svm(text).unwrap_err().to_string()
}

#[test]
fn svmlight_rows_keep_the_columns_that_occur() {
    let data = svm(SVM).unwrap();
    assert_eq!((data.rows(), data.dimension(), data.origin().of_columns), (2, 2, Some(7)));
    assert_eq!(data.kept_columns(), Some(&[1, 6][..]));
    assert_eq!(data.z(), [0.5, -0.25, 0.0, -0.5]);
    assert_eq!(data.origin().labels, Labels::Classes { negative: "-1".into(), positive: "1".into() });
    let said = data.describe();
    assert!(said.contains("2 rows, 2 of 7 columns, the others being 0 in all rows"), "{said}");
    let again = reload(&Source::bytes("mail.libsvm", SVM), data.origin()).unwrap();
    assert_eq!(again.origin().same_rows(data.origin()), Ok(()));
    let first = svm("1 0:0.5\n-1 3:0.5").unwrap();
    assert_eq!((first.kept_columns(), first.origin().of_columns), (Some(&[0, 3][..]), Some(4)));
}

#[test]
fn compressed_files_are_the_same_rows() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(SVM.as_bytes()).unwrap();
    let packed =
        load(&Source::bytes("mail.svmlight.gz", gzip.finish().unwrap()), &Reading::default()).unwrap();
    assert_eq!(packed.origin().same_rows(svm(SVM).unwrap().origin()), Ok(()));
}

/// Sparse rows and the same rows as a table are two statements; written out, they are one.
#[test]
fn digests_of_sparse_and_dense_rows_differ_unless_written_out() {
    let x = [0.0, 0.5, 0.0, 0.0, 0.0, 0.0, -0.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5];
    let table = Source::bytes("mail.npz", write_dataset(&x, 7, Some(&[1.0, -1.0])).unwrap());
    let (dense, sparse) = (load(&table, &Reading::default()).unwrap(), svm(SVM).unwrap());
    assert!(sparse.origin().same_rows(dense.origin()).is_err());
    let reading = Reading { dense: true, ..Reading::default() };
    let written = load(&Source::bytes("mail.svm", SVM), &reading).unwrap();
    assert_eq!(written.origin().same_rows(dense.origin()), Ok(()));
    assert_eq!(reload(&Source::bytes("mail.svm", SVM), dense.origin()).unwrap().z(), dense.z());
}

#[test]
fn lines_that_are_wrong_are_named() {
    for (text, wanted) in [
        ("1 2:0.5\n-1 3:0.5 2:0.1", "row 2 (line 2): column index 2 comes after 3"),
        ("1 2:0.5\n\n-1 3:0.5 3:0.1", "row 2 (line 3): column index 3 comes after 3"),
        ("1 2:0.5\n-1 3:nan", "row 2 (line 2), column \"3\": NaN is not a finite number"),
        ("1 2:inf", "inf is not a finite number"),
        ("1 2:x", "column \"2\": \"x\" is not a number"),
        ("1 qid:3 2:0.5", "\"qid:3\" is not an entry like 7:0.5"),
        ("spam 2:0.5", "column \"label\": \"spam\" is not a number"),
        ("1 4294967296:0.5", "\"4294967296:0.5\" is not an entry"),
        ("1 -2:0.5", "\"-2:0.5\" is not an entry"),
        ("# nothing\n", "there are no rows"),
        ("1\n-1", "there are no feature columns"),
        ("1 2:0\n-1 3:-0", "every entry is 0"),
        ("1 2:3\n-1 3:4", "the norm 3.0 is larger than 1"),
    ] {
        let message = refused(text);
        assert!(message.contains(wanted), "{text:?}: {message}");
    }
}

fn matrix(starts: Vec<usize>, columns: Vec<u32>, values: &[f64], of: usize) -> Vec<u8> {
    let pattern = Pattern::new(starts, columns, of).unwrap();
    let y: Vec<f64> = (0..pattern.rows()).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    write_sparse(&pattern, values, of, Some(&y), None).unwrap()
}

#[test]
fn matrices_of_scipy_are_the_same_rows_as_text() {
    let bytes = matrix(vec![0, 3, 4], vec![1, 3, 6, 6], &[0.5, 0.0, -0.25, 0.5], 7);
    let data = load(&Source::bytes("mail.npz", bytes), &Reading::default()).unwrap();
    assert_eq!(data.origin().same_rows(svm(SVM).unwrap().origin()), Ok(()), "an explicit 0 is no entry");
}

/// A claim of many columns costs nothing, and entries that do not fit are refused with their row.
#[test]
fn claims_of_a_matrix_are_checked() {
    let huge = matrix(vec![0, 1, 2], vec![1, 6], &[0.5, 0.5], 1 << 31);
    let data = load(&Source::bytes("mail.npz", huge), &Reading::default()).unwrap();
    assert_eq!((data.dimension(), data.origin().of_columns), (2, Some(1 << 31)));
    let table = Table::sparse(vec![0.5], Pattern::new(vec![0, 1], vec![9], 10).unwrap(), 5);
    let error = table.into_dataset(&Reading::labels(LabelPolicy::Premultiplied)).unwrap_err().to_string();
    assert!(error.contains("column index 9 is out of range: there are 5 columns"), "{error}");
    for (starts, columns, wanted) in [
        (vec![0, 2, 1], vec![0], "the rows do not follow one another"),
        (vec![0, 1], vec![0, 1], "the rows do not follow one another"),
        (vec![0, 2], vec![1, 0], "row 1: column index 0 comes after 1"),
        (vec![0, 0, 1], vec![7], "row 2: column index 7 is out of range"),
    ] {
        let error = Pattern::new(starts, columns, 5).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
    let nan = matrix(vec![0, 1, 3], vec![1, 2, 3], &[0.5, 0.5, f64::NAN], 4);
    let error = load(&Source::bytes("mail.npz", nan), &Reading::default()).unwrap_err().to_string();
    assert!(error.contains("array \"data\", row 2: NaN is not a finite number"), "{error}");
}

#[test]
fn labels_that_sparse_rows_cannot_have_are_refused() {
    let reading = |labels| Reading::labels(labels);
    for labels in [LabelPolicy::Numbers, LabelPolicy::None] {
        let error = load(&Source::bytes("mail.svm", SVM), &reading(labels)).unwrap_err().to_string();
        assert!(
            error.contains("sparse rows are supported for labels that are two classes or scores"),
            "{error}"
        );
    }
}

#[test]
fn the_first_rows_have_their_own_columns() {
    let data = svm("1 1:0.5\n-1 2:0.5\n1 9:0.5").unwrap();
    let part = data.first(2).unwrap();
    assert_eq!((part.dimension(), part.rows(), part.origin().of), (2, 2, 3));
    let reading = Reading { rows: Some(2), ..Reading::default() };
    let read = load(&Source::bytes("mail.svm", "1 1:0.5\n-1 2:0.5\n1 9:0.5"), &reading).unwrap();
    assert_eq!((read.origin().of, read.origin().of_columns), (3, Some(2)));
}
