//! The mean learner.

use unswayed_check::{AnyCertificate, MeanBenign, MeanCertificate, Rows, check_mean};

use crate::common::fixtures::{Z, mean, rows, weighted_rows};
use crate::common::search::Random;
use crate::common::{origin, rounds};
use crate::truth;

#[track_caller]
fn refused(words: &str, change: impl Fn(&mut MeanCertificate)) {
    let mut certificate = mean(None);
    certificate.bound = 1e300;
    check_mean(&certificate, None).expect("good numbers");
    change(&mut certificate);
    let complaint = check_mean(&certificate, None).expect_err(words).to_string();
    assert!(complaint.contains(words), "{complaint}");
}

#[test]
fn conditions() {
    for bad in [0.0, 2.0, -1.0, f64::NAN] {
        refused("learning_rate", |c| c.statement.learning_rate = bad);
    }
    for bad in [-0.1, 1.1, f64::NAN] {
        refused("poison_rate", |c| c.statement.poison_rate = bad);
    }
    for bad in [-0.1, f64::NAN, f64::INFINITY] {
        refused("squared_radius", |c| c.statement.squared_radius = bad);
        refused("noise_trace", |c| c.statement.noise_trace = bad);
        refused("covariance_trace", |c| c.statement.benign = MeanBenign::CovarianceTrace(bad));
        refused("nu", |c| c.nu = bad);
        refused("bound", |c| c.bound = bad);
    }
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused("alpha", |c| c.alpha = bad);
    }
    refused("P = ", |c| (c.alpha, c.nu) = (50.0, 1.0));
    refused("Q = ", |c| c.nu = 1e-4);
    refused("P·Q", |c| c.nu = 0.02);
    refused("below the proven value inf", |c| {
        (c.statement.squared_radius, c.statement.noise_trace, c.nu, c.bound) = (f64::MAX, 0.0, 9.0, f64::MAX);
    });
}

/// Samples that the certificate is about must be there, and no others.
#[test]
fn samples_belong_to_certificates_about_samples() {
    let (with, without) = (mean(Some(&rows())), mean(None));
    check_mean(&with, Some(&rows())).unwrap();
    check_mean(&without, None).unwrap();
    let complaint = check_mean(&with, None).unwrap_err().to_string();
    assert_eq!(complaint, "loss: the samples are missing");
    let complaint = check_mean(&without, Some(&rows())).unwrap_err().to_string();
    assert!(complaint.contains("leave out the data"), "{complaint}");
    let empty = Rows { z: &[], pattern: None, dimension: 2, weights: None, steps: None };
    assert!(check_mean(&with, Some(&empty)).unwrap_err().to_string().contains("the number of samples"));
    let mut z = Z;
    z[4] = f64::NAN;
    assert!(
        check_mean(&with, Some(&Rows { z: &z, ..rows() })).unwrap_err().to_string().contains("z[4] = NaN")
    );
    assert!(check_mean(&with, Some(&Rows { z: &Z[..9], ..rows() })).is_err());
    let weights = [0.0; 5];
    assert!(check_mean(&with, Some(&Rows { weights: Some(&weights), ..rows() })).is_err());
}

/// The trace of the covariance of the samples, weighted or not, is exact.
#[test]
fn random_samples_and_numbers() {
    let mut random = Random(41);
    let mut accepted = 0;
    for _ in 0..rounds(200, 5000) {
        let z = random.vector(12, -3.0, 3.0);
        let weights = random.vector(4, 0.0, 1.0);
        let samples = Rows {
            z: &z,
            pattern: None,
            dimension: 3,
            weights: (random.below(2) == 0).then_some(&weights),
            steps: None,
        };
        let mut certificate = mean(Some(&weighted_rows()));
        let statement = &mut certificate.statement;
        statement.benign = MeanBenign::Samples(origin(4, 3));
        statement.learning_rate = random.between(0.001, 1.9);
        statement.poison_rate = random.between(0.0, 1.0);
        statement.squared_radius = random.between(0.0, 5.0);
        let eta = statement.learning_rate;
        certificate.alpha = random.between(0.9, 3.0) / (eta * (2.0 - eta));
        certificate.nu = random.between(0.0, 3.0);
        certificate.bound = 1e9;
        let exact = truth::mean_value(&certificate, Some(&samples));
        match check_mean(&certificate, Some(&samples)) {
            Ok(bound) => {
                truth::assert_rounded_up(bound, &exact.expect("conditions hold"));
                accepted += 1;
            }
            Err(failure) => assert!(exact.is_none(), "{failure}"),
        }
    }
    assert!(accepted >= rounds(50, 1000), "{accepted}");
    assert!(AnyCertificate::from_bytes(&mean(None).to_bytes()).is_ok());
}
