//! Points (x, y) of a multi-class learner, ‖x‖ ≤ R: Lemma L11 (c) and (d).

use super::Split;
use crate::evaluate::{Curve, Quadratic};
use crate::exact::norm2;
use crate::exact::{Dyadic, Round, quotient};
use crate::lambda::Lambda;

/// αηΓ² + (K−1)ν, and Γ² = K(K−1)R².
fn shared(lambda: &Lambda, split: &Split, classes: usize, radius: &Dyadic) -> (Dyadic, Dyadic) {
    let less = Dyadic::whole(classes.saturating_sub(1) as u64);
    let square = Dyadic::whole(classes as u64) * &less * radius.square();
    (lambda.alpha_eta(&square) + less * &split.nu, square)
}

/// (c): all classes in one case. In place of τ there is τ/Γ, so that no root is needed: ½(Γ²τ + ‖X‖²/τ).
pub(crate) fn classes_together(
    lambda: &Lambda,
    split: &Split,
    classes: usize,
    radius: &Dyadic,
    tau: f64,
) -> Quadratic {
    let tau = Dyadic::new(tau);
    let (fixed, square) = shared(lambda, split, classes, radius);
    let spread = (square * &tau).half();
    let over = Dyadic::whole(2) * tau;
    let beta2 = quotient(&norm2(lambda.beta), &over, Round::Up);
    let factor = Dyadic::whole(2) * &split.chi;
    Quadratic {
        constant: fixed + spread + beta2,
        slope: lambda.beta.iter().map(|&b| &factor * Dyadic::new(b)).collect(),
        curve: Curve::Scalar { m: split.chi.square(), over },
    }
}

/// (d): the points of one class.
pub(crate) fn each_class(
    lambda: &Lambda,
    split: &Split,
    classes: usize,
    label: usize,
    radius: &Dyadic,
    tau: f64,
) -> Quadratic {
    let tau = Dyadic::new(tau);
    let (fixed, _) = shared(lambda, split, classes, radius);
    let spread = (radius * &tau).half();
    let over = Dyadic::whole(2) * tau;
    let m_beta = times_m(lambda.beta, classes, label);
    let product =
        m_beta.iter().zip(lambda.beta).fold(Dyadic::zero(), |sum, (m, &b)| sum + m * Dyadic::new(b));
    let factor = Dyadic::whole(2) * &split.chi * radius;
    Quadratic {
        constant: fixed + spread + quotient(&(radius * product), &over, Round::Up),
        slope: m_beta.iter().map(|m| &factor * m).collect(),
        curve: Curve::Classes { m: split.chi.square() * radius, over, classes, label },
    }
}

/// (M_y ⊗ I)β with M_y = c_yc_yᵀ + ½(K−1)Π_y, c_y = Ke_y − 1.
fn times_m(beta: &[f64], classes: usize, label: usize) -> Vec<Dyadic> {
    let d = beta.len() / classes;
    let (count, less) = (Dyadic::whole(classes as u64), Dyadic::whole(classes.saturating_sub(1) as u64));
    let mut product = vec![Dyadic::zero(); beta.len()];
    for j in 0..d {
        let at = |class: usize| Dyadic::new(beta[class * d + j]);
        let all = (0..classes).fold(Dyadic::zero(), |sum, class| sum + at(class));
        let along = &count * at(label) - &all;
        let others = &all - at(label);
        for class in 0..classes {
            product[class * d + j] =
                if class == label { &less * &along } else { (&less * at(class) - &others).half() - &along };
        }
    }
    product
}
