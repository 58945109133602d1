//! The plainest proof, for the tests of the checker and of the library.

use super::{CaseProof, Cases, Lines, RowBound};

/// A proof with one set of lines and no shells.
pub fn simple(rows: RowBound, alpha: f64, beta: Vec<f64>, lines: Lines, cases: Cases) -> CaseProof {
    CaseProof {
        rows,
        alpha,
        beta,
        rate: None,
        omega: None,
        shells: None,
        slabs: vec![],
        by_class: false,
        lines: vec![lines],
        cases,
    }
}
