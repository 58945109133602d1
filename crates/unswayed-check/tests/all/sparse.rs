//! Sparse rows: the same bound as for the rows written out, to the last bit, and refusals.

use unswayed_check::{
    CaseProof, Cases, Certificate, Claim, Evidence, Failure, Lines, Loss, Proof, RowBound, Rows, Set,
    Statement, check,
};
use unswayed_data::{Dataset, Labels, Reading, Source, load};

use crate::common::fixtures;
use crate::common::plain;

/// Five rows in six columns, of which 0 and 3 are 0 in all rows.
const ROWS: &str = "1 1:0.5 2:-0.25 5:0.125\n-1 1:0.25\n1 2:0.75 4:0.1\n-1 5:-0.5\n1 4:0.3 5:0.2\n";

fn read(dense: bool) -> Dataset {
    load(
        &Source::bytes("rows.svm", ROWS.replace("1 1:0.5", "1 0:0 1:0.5")),
        &Reading { dense, ..Reading::default() },
    )
    .unwrap()
}

fn statement(loss: Loss, data: &Dataset) -> Statement {
    let data = vec![data.origin().clone()];
    Statement { data, ..plain(0.01, 0.1, 0.05, loss, Set::Ball { radius: 1.0 }) }
}

/// A proof for the columns that are not 0 everywhere, and the same with 0 for the others.
fn proof(rows: RowBound, is_dense: bool) -> Proof {
    let beta = [-1.5, -0.25, 0.5, 0.125];
    let beta = if is_dense { vec![0.0, beta[0], beta[1], 0.0, beta[2], beta[3]] } else { beta.to_vec() };
    let cases = Cases { lines: vec![0], tau: vec![2.0], nu: vec![0.125], ..Cases::default() };
    let (u, half) = (vec![0.0, 1.0, 0.5, 0.3, 0.9], vec![0.5; 5]);
    let lines = match rows {
        RowBound::ErrorHinge => Lines { u, u2: half.clone(), c: half, ..Lines::default() },
        RowBound::Logistic => Lines { u, w: half, ..Lines::default() },
        RowBound::ErrorLogistic => Lines { u, w: half.clone(), w2: half, ..Lines::default() },
        _ => Lines { u, ..Lines::default() },
    };
    Proof::Cases(Box::new(CaseProof::new(rows, 0.8, beta, lines, cases)))
}

fn bound(loss: Loss, kind: RowBound, is_dense: bool) -> Result<f64, Failure> {
    let data = read(is_dense);
    fixtures::bound(&statement(loss, &data), &proof(kind, is_dense), &Rows::of(&data))
}

#[test]
fn bounds_of_sparse_rows_are_those_of_the_rows_written_out() {
    for (loss, kind) in [
        (Loss::Hinge, RowBound::BoundedSlope),
        (Loss::Hinge, RowBound::ErrorHinge),
        (Loss::Logistic, RowBound::Logistic),
        (Loss::Logistic, RowBound::ErrorLogistic),
    ] {
        let (sparse, dense) = (bound(loss, kind, false).unwrap(), bound(loss, kind, true).unwrap());
        assert_eq!(sparse.to_bits(), dense.to_bits(), "{kind:?}");
    }
}

fn certificate(data: &Dataset) -> Certificate {
    let proof = proof(RowBound::BoundedSlope, false);
    let bound = fixtures::bound(&statement(Loss::Hinge, data), &proof, &Rows::of(data)).unwrap();
    Certificate {
        tool: "test".into(),
        statement: statement(Loss::Hinge, data),
        loss: Claim { bound, proof },
        error: None,
        horizon: None,
        horizon_error: None,
        new_data: None,
    }
}

/// What is accepted is the claim about these rows: not a smaller bound, another entry, other columns or rows that are written out.
#[test]
fn a_wrong_claim_or_another_row_is_refused() {
    let data = read(false);
    let good = certificate(&data);
    let verdict = |certificate: &Certificate, data: &Dataset| {
        check(certificate, &Evidence { data: &[Rows::of(data)], target: None })
    };
    verdict(&good, &data).unwrap();
    let mut low = good.clone();
    low.loss.bound = low.loss.bound.next_down();
    assert!(verdict(&low, &data).is_err());
    let changed = ROWS.replace("4:0.3", "4:0.3001");
    let other = load(&Source::bytes("rows.svm", changed), &Reading::default()).unwrap();
    assert!(good.statement.data[0].same_rows(other.origin()).is_err());
    let error = verdict(&good, &read(true)).unwrap_err().to_string();
    assert!(error.contains("sparse tables") || error.contains("columns"), "{error}");
    let mut longer = good.clone();
    let Proof::Cases(proof) = &mut longer.loss.proof else { unreachable!() };
    proof.beta.push(0.0);
    assert!(verdict(&longer, &data).is_err());
}

#[test]
fn what_needs_rows_written_out_is_refused() {
    let data = read(false);
    let rows = Rows::of(&data);
    let refused = |statement: &Statement, proof: &Proof| {
        fixtures::bound(statement, proof, &rows).unwrap_err().to_string()
    };
    let plain = statement(Loss::Hinge, &data);
    let shells = Proof::Cases(Box::new(fixtures::bounded_range(&rows)));
    assert!(refused(&plain, &shells).contains("sparse rows"));
    let good = proof(RowBound::BoundedSlope, false);
    let boxed = Set::Box { radii: vec![1.0; 4] };
    let threat = unswayed_check::Threat { set: boxed, ..plain.threat.clone() };
    assert!(refused(&Statement { threat, ..plain.clone() }, &good).contains("sparse rows"));
    // Also if the statement does not say that they are sparse.
    let mut silent = Statement { data: vec![], ..plain };
    silent.learner.clip = Some(1.0);
    assert!(refused(&silent, &good).contains("sparse rows"));
    assert!(matches!(data.origin().labels, Labels::Classes { .. }));
}
