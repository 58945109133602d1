//! The certificate reader and the evaluator.

use unswayed_check::{
    AnyCertificate, Certificate, Evidence, Loss, MeanBenign, Rows, Target, check, check_mean,
};

/// Reads a certificate. What is read must be the same after writing and reading again. Returns whether it was read.
pub fn certificate(input: &[u8]) -> bool {
    let Ok(found) = AnyCertificate::from_bytes(input) else { return false };
    let written = match &found {
        AnyCertificate::Linear(certificate) => certificate.to_bytes(),
        AnyCertificate::Mean(certificate) => certificate.to_bytes(),
    };
    assert_eq!(AnyCertificate::from_bytes(&written).as_ref(), Ok(&found));
    true
}

/// Rows of an input of the evaluator: three bytes (dimension, rows, whether they have weights), so many numbers, then for a
/// target of its own a byte (rows) and their numbers. What is left is the certificate.
struct Parts<'a> {
    dimension: usize,
    z: Vec<f64>,
    weights: Option<Vec<f64>>,
    target: Vec<f64>,
    certificate: &'a [u8],
}

fn numbers(input: &mut &[u8], count: usize) -> Option<Vec<f64>> {
    let (bytes, rest) = input.split_at_checked(8 * count)?;
    *input = rest;
    let number = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    Some(bytes.chunks_exact(8).map(number).collect())
}

fn parts(mut input: &[u8]) -> Option<Parts<'_>> {
    let (&[dimension, rows, weighted], rest) = input.split_first_chunk::<3>()?;
    input = rest;
    let [dimension, rows] = [dimension, rows].map(usize::from);
    let z = numbers(&mut input, dimension * rows)?;
    let weights = if weighted & 1 == 1 { Some(numbers(&mut input, rows)?) } else { None };
    let (&target, rest) = input.split_first()?;
    input = rest;
    let target = numbers(&mut input, dimension * usize::from(target))?;
    Some(Parts { dimension, z, weights, target, certificate: input })
}

/// An input of the evaluator.
#[allow(dead_code)] // the corpus is replayed as it is
pub fn input(rows: &Rows, target: Option<&Rows>, certificate: &[u8]) -> Vec<u8> {
    let bytes = |numbers: &[f64]| numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let count = |rows: &Rows| u8::try_from(rows.z.len() / rows.dimension).expect("few rows");
    let dimension = u8::try_from(rows.dimension).expect("few columns");
    let mut input = vec![dimension, count(rows), u8::from(rows.weights.is_some())];
    input.extend(bytes(rows.z));
    input.extend(bytes(rows.weights.unwrap_or_default()));
    input.push(target.map_or(0, count));
    input.extend(bytes(target.map_or(&[], |target| target.z)));
    input.extend(certificate);
    input
}

/// Checks a certificate against rows. What is accepted is a number that the certificate claims. Returns whether it was accepted.
pub fn evaluator(input: &[u8]) -> bool {
    let Some(parts) = parts(input) else { return false };
    match AnyCertificate::from_bytes(parts.certificate) {
        Ok(AnyCertificate::Linear(certificate)) => linear(&certificate, &parts),
        Ok(AnyCertificate::Mean(certificate)) => {
            let rows = Rows {
                z: &parts.z,
                pattern: None,
                dimension: parts.dimension,
                weights: parts.weights.as_deref(),
                steps: None,
            };
            let has_rows = matches!(certificate.statement.benign, MeanBenign::Samples(_));
            let found = check_mean(&certificate, has_rows.then_some(&rows));
            let is_claimed = |bound: &f64| (0.0..=certificate.bound).contains(bound);
            assert!(found.as_ref().is_ok_and(is_claimed) || found.is_err(), "{found:?}");
            found.is_ok()
        }
        Err(_) => false,
    }
}

fn linear(certificate: &Certificate, parts: &Parts) -> bool {
    let statement = &certificate.statement;
    let has_label = matches!(statement.learner.loss, Loss::Multiclass(_));
    // A second dataset is the first one turned around.
    let turned: Vec<f64> = (0..parts.z.len())
        .map(|i| if has_label && i % parts.dimension.max(1) == 0 { parts.z[i] } else { -parts.z[i] })
        .collect();
    let rows = |z| Rows {
        z,
        pattern: None,
        dimension: parts.dimension,
        weights: parts.weights.as_deref(),
        steps: None,
    };
    let both = [rows(&parts.z[..]), rows(&turned[..])];
    let data = &both[..statement.data.len().min(2)];
    let target = matches!(statement.target, Target::Rows(_));
    let target = target.then_some(Rows {
        z: &parts.target,
        pattern: None,
        dimension: parts.dimension,
        weights: None,
        steps: None,
    });
    match check(certificate, &Evidence { data, target }) {
        Ok(verdict) => {
            assert!(verdict.loss <= certificate.loss.bound, "more is proven than is claimed");
            assert!(verdict.loss >= 0.0, "a loss below 0");
            true
        }
        Err(failure) => {
            assert!(!failure.to_string().contains('\n'), "{failure:?}");
            false
        }
    }
}
