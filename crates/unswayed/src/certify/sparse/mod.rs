//! Certificates for sparse rows against a ball: Theorem 2, Theorem 4 and Lemma L3 without any matrix.
//!
//! The saddle problem of Section 16 is solved by Newton's method on a smoothed problem, and each Newton system by MINRES, which
//! takes products with the rows alone: time and memory grow with the entries that are not 0. What comes out is put into the
//! theorem's formula, and the exact checker has the last word.

mod acting;
mod forms;
mod hinge;
mod logistic;
mod minres;
mod newton;
mod program;

use unswayed_check::{CaseProof, Cases, Lines, RowBound};

use super::{Found, claim, dot};
use crate::error::CertifyError;
use crate::problem::Problem;
use newton::Place;
use program::{ALPHA, NU, PAIRS, Program, TAU};

/// Whether rows are sparse.
pub(super) fn applies(problem: &Problem) -> bool {
    problem.data()[0].sparse().is_some()
}

/// The smallest bounds that the exact checker confirms.
pub(super) fn search(problem: &Problem) -> Result<Found, CertifyError> {
    let Some(program) = Program::new(problem) else { return Err(CertifyError::NoProof { refusal: None }) };
    let mut place = Place::new(&program, program.start());
    let (proof, converged) = if program.is_logistic {
        logistic_loss(&program, &mut place)
    } else {
        hinge_loss(&program, &mut place)
    };
    let loss = claim(problem, proof).map_err(|failure| CertifyError::NoProof { refusal: Some(failure) })?;
    // The error of an average of models is bounded by their loss only.
    let wanted = !program.is_logistic && !problem.learner().average;
    let error = wanted.then(|| hinge_error(&program, &mut place));
    let error = error.and_then(|proof| claim(problem, proof).ok()).filter(|error| error.bound < loss.bound);
    Ok(Found { loss, error, converged })
}

/// A proof with one case.
fn proof(rows: RowBound, x: &[f64], lines: Lines) -> CaseProof {
    let cases = Cases { lines: vec![0], tau: vec![x[TAU]], nu: vec![x[NU]], ..Cases::default() };
    let beta = x[PAIRS..].iter().step_by(2).copied().collect();
    CaseProof::new(rows, x[ALPHA], beta, lines, cases)
}

/// The best proof of Theorem 2, and whether it is the best.
fn hinge_loss(program: &Program, place: &mut Place) -> (CaseProof, bool) {
    let (x, u, converged) = forms::hinge_loss(program, place);
    (proof(RowBound::BoundedSlope, &x, Lines { u, ..Lines::default() }), converged)
}

/// A good proof of Theorem 4, from a rough solution of Theorem 2.
fn hinge_error(program: &Program, place: &mut Place) -> CaseProof {
    let (x, shares) = forms::hinge_error(program, place);
    let mut lines = Lines::default();
    for [u, u2, c] in shares {
        lines.u.push(u);
        lines.u2.push(u2);
        lines.c.push(c);
    }
    proof(RowBound::ErrorHinge, &x, lines)
}

/// The best proof with the rows of Lemma L3, and whether it is the best.
fn logistic_loss(program: &Program, place: &mut Place) -> (CaseProof, bool) {
    let (x, shares, converged) = forms::logistic_loss(program, place);
    let mut lines = Lines::default();
    for [u, w] in shares {
        lines.u.push(u);
        lines.w.push(w);
    }
    (proof(RowBound::Logistic, &x, lines), converged)
}
