//! Proofs by a rule: how much they lose, that their size does not grow, and certificates for data that are read in parts.

use unswayed::certify::{Compact, Options, certify_stream, certify_with};
use unswayed::data::{Dataset, LabelPolicy, Reading, Source, Stream};
use unswayed::{LossName, Problem};
use unswayed_check::{Evidence, Proof, Rows, check};

fn problem(data: Dataset, poison_rate: f64) -> Problem {
    let builder = Problem::builder(data).learning_rate(1e-3).regularization(0.01).poison_rate(poison_rate);
    builder.build().expect("a problem")
}

fn compact() -> Options {
    Options::default().with_compact(Compact::Always)
}

fn has_rule(proof: &Proof) -> bool {
    matches!(proof, Proof::Cases(cases) if cases.lines.iter().all(unswayed_check::Lines::has_rule))
}

#[test]
fn little_is_lost() {
    let data = unswayed::data::sample().expect("the sample");
    for rate in [0.0, 0.01, 0.02, 0.05] {
        let problem = problem(data.clone(), rate);
        let whole = certify_with(&problem, &Options::default()).expect("a certificate");
        let short = certify_with(&problem, &compact().with_horizon(100_000)).expect("a certificate");
        println!("{rate}: {} for {}", short.certified_loss, whole.certified_loss);
        println!("error {:?} for {:?}", short.certified_error, whole.certified_error);
        assert!(short.certified_loss <= 1.002 * whole.certified_loss, "{rate}");
        assert!(short.certified_error <= whole.certified_error.map(|error| 1.01 * error), "{rate}");
        let certificate = &short.certificate;
        assert!(has_rule(&certificate.loss.proof));
        assert!(certificate.error.iter().all(|claim| has_rule(&claim.proof)));
        let horizon = certificate.horizon.as_ref().expect("a horizon");
        assert!(horizon.proof.iter().all(has_rule));
    }
}

#[test]
fn size_does_not_grow_with_the_rows() {
    let data = unswayed::data::sample().expect("the sample");
    let size = |rows: usize, options: &Options| {
        let problem = problem(data.first(rows).expect("rows"), 0.02);
        certify_with(&problem, options).expect("a certificate").certificate.to_bytes().len()
    };
    // At most d + 1 exceptions in each of two proofs.
    assert!(size(500, &compact()) < 7000, "{}", size(500, &compact()));
    assert!(size(500, &compact()) * 3 < size(500, &Options::default()));
}

#[test]
fn other_problems_have_no_rule() {
    let data = unswayed::data::sample().expect("the sample").first(50).expect("rows");
    let builder =
        || Problem::builder(data.clone()).learning_rate(1e-3).regularization(0.01).poison_rate(0.02);
    let logistic = builder().loss(LossName::Of(unswayed_check::Loss::Logistic)).build().expect("a problem");
    let projected = builder().projection(5.0).build().expect("a problem");
    for problem in [logistic, projected] {
        let words = certify_with(&problem, &compact()).expect_err("a refusal").to_string();
        assert!(words.contains("a proof by a rule"), "{words}");
    }
}

/// Rows like digits: two clouds with a little overlap.
fn clouds(rows: usize) -> Vec<f64> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut unit = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut row = || -> Vec<f64> {
        let noise: Vec<f64> = (0..5).map(|_| unit() + unit() + unit() - 1.5).collect();
        noise.iter().enumerate().map(|(j, x)| 0.3 * x + if j == 0 { 0.25 } else { 0.0 }).collect()
    };
    (0..rows).flat_map(|_| row()).collect()
}

/// Read in parts, the bound is close to that of all rows at once, and the certificate holds for them to the last bit.
#[test]
fn rows_in_parts() {
    let folder = tempfile::tempdir().expect("a folder");
    let (rows, columns) = (100_000, 5);
    let z = clouds(rows);
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend(u16::try_from(header.len()).expect("short").to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(z.iter().flat_map(|x| x.to_le_bytes()));
    let path = folder.path().join("z.npy");
    std::fs::write(&path, file).expect("a file");
    let source = Source::path(path);
    let reading = Reading { normalize: true, ..Reading::labels(LabelPolicy::Premultiplied) };
    let whole = unswayed::data::load(&source, &reading).expect("good data");
    let best = certify_with(&problem(whole.clone(), 0.02), &compact()).expect("a certificate");
    for (sample, most) in [(2000, 2e-3), (10_000, 5e-4)] {
        let (stream, sample) = Stream::open(&source, &reading, sample, &|_, _| {}).expect("good data");
        let sample = problem(sample, 0.02);
        let options = Options::default().with_horizon(1_000_000);
        let outcome = certify_stream(&sample, &stream, &options, &|_, _, _| {}).expect("a certificate");
        let certificate = &outcome.certificate;
        assert_eq!(&certificate.statement.data[0], whole.origin());
        let evidence = Evidence { data: &[Rows::of(&whole)], target: None };
        let verdict = check(certificate, &evidence).expect("a valid certificate");
        assert_eq!(verdict.loss.to_bits(), outcome.certified_loss.to_bits());
        assert_eq!(verdict.error, outcome.certified_error);
        assert_eq!(verdict.horizon, outcome.horizon_loss);
        let excess = outcome.certified_loss / best.certified_loss - 1.0;
        println!(
            "{} rows: {} for {}, {excess:.1e} above",
            sample.data()[0].rows(),
            outcome.certified_loss,
            best.certified_loss
        );
        println!("error {:?} for {:?}", outcome.certified_error, best.certified_error);
        assert!((-1e-6..most).contains(&excess), "{excess}");
    }
}

/// In memory, many rows are treated as those of a stream: the bound is close to what solving for all of them finds.
#[test]
fn many_rows_in_memory() {
    for rows in [20_000, 100_001] {
        many_rows(rows);
    }
}

fn many_rows(rows: usize) {
    let mut z = clouds(rows);
    let largest = z.chunks_exact(5).map(|z| z.iter().map(|x| x * x).sum::<f64>().sqrt()).fold(0.0, f64::max);
    for x in &mut z {
        *x /= largest;
    }
    let data = |weights| Dataset::from_rows(z.clone(), 5, weights).expect("rows");
    for rate in [0.02, 0.05] {
        let equal = problem(data(None), rate);
        let quick = certify_with(&equal, &Options::default()).expect("a certificate");
        let whole =
            certify_with(&equal, &Options::default().with_compact(Compact::Never)).expect("a certificate");
        let excess = quick.certified_loss / whole.certified_loss - 1.0;
        println!(
            "{rows} rows, {rate}: {} for {}, {excess:.1e} above",
            quick.certified_loss, whole.certified_loss
        );
        println!("error {:?} for {:?}", quick.certified_error, whole.certified_error);
        let is_short = has_rule(&quick.certificate.loss.proof);
        assert!(!has_rule(&whole.certificate.loss.proof));
        assert!(is_short == (quick.certificate.to_bytes().len() < 20_000) && (is_short || rows <= 100_000));
        let (most, most_of_error) = if rows > 100_000 { (1.2e-3, 1.003) } else { (3e-4, 1.001) };
        assert!((-1e-6..most).contains(&excess), "{excess}");
        assert!(quick.certified_error <= whole.certified_error.map(|error| most_of_error * error));
        assert_eq!(quick.benign.loss.to_bits(), whole.benign.loss.to_bits());
    }
    // Rows with weights are solved for.
    let weighted = problem(data(Some(vec![1.0; rows])), 0.02);
    let found = certify_with(&weighted, &Options::default()).expect("a certificate");
    assert!(
        (found.benign.loss
            - certify_with(&problem(data(None), 0.02), &Options::default()).unwrap().benign.loss)
            .abs()
            < 1e-9
    );
}
