//! The learner and λ(θ) = (α‖θ‖² + βᵀθ)/η as exact numbers, with the abbreviations of Theorem L1.

use crate::exact::{Dyadic, ExactSum, Round, norm2, quotient};
use crate::proof::CaseProof;
use crate::rows::Entries;
use crate::statement::Statement;

/// The numbers that all rows, points and cases share.
pub(crate) struct Lambda<'a> {
    pub(crate) eta: Dyadic,
    pub(crate) sigma: Dyadic,
    /// δ of a learning rate that changes, else 0.
    pub(crate) slowdown: Dyadic,
    pub(crate) eps: Dyadic,
    pub(crate) alpha: Dyadic,
    pub(crate) beta: &'a [f64],
    /// The coordinate without regularization, if there is one.
    pub(crate) free: &'a [usize],
    /// k = 1 − ησ
    pub(crate) k: Dyadic,
    /// 1 − ε
    pub(crate) benign: Dyadic,
    /// 2αk
    pub(crate) two_ak: Dyadic,
    /// κ0 = 2αk(1−ε)
    pub(crate) kappa0: Dyadic,
}

impl<'a> Lambda<'a> {
    pub(crate) fn new(statement: &'a Statement, alpha: f64, beta: &'a [f64]) -> Self {
        Self::at_rate(statement, statement.learner.learning_rate, alpha, beta)
    }

    /// The numbers of a proof: at its own rate η̄, where steps have momentum.
    pub(crate) fn of(statement: &'a Statement, proof: &'a CaseProof) -> Self {
        let rate = proof.rate.unwrap_or(statement.learner.learning_rate);
        Self::at_rate(statement, rate, proof.alpha, &proof.beta)
    }

    fn at_rate(statement: &'a Statement, rate: f64, alpha: f64, beta: &'a [f64]) -> Self {
        let learner = &statement.learner;
        let one = Dyadic::whole(1);
        let (eta, sigma) = (Dyadic::new(rate), Dyadic::new(learner.regularization));
        let (eps, alpha) = (Dyadic::new(statement.threat.poison_rate), Dyadic::new(alpha));
        let k = &one - &eta * &sigma;
        let two_ak = Dyadic::whole(2) * &alpha * &k;
        let benign = &one - &eps;
        let kappa0 = &two_ak * &benign;
        let slowdown = Dyadic::new(learner.schedule.map_or(0.0, |schedule| schedule.slowdown));
        let free = &learner.unregularized;
        Lambda { eta, sigma, slowdown, eps, alpha, beta, free, k, benign, two_ak, kappa0 }
    }

    /// ασ(2−ησ) − δα: the curvature that the regularizer gives, less what a falling learning rate takes (Theorem A2).
    pub(crate) fn curvature(&self) -> Dyadic {
        &self.alpha * (&self.sigma * (Dyadic::whole(2) - &self.eta * &self.sigma) - &self.slowdown)
    }

    /// Entry j of (σ−δ)β. Unregularized coordinates have none.
    pub(crate) fn sigma_beta(&self, j: usize) -> Dyadic {
        if self.free.contains(&j) {
            return Dyadic::zero();
        }
        (&self.sigma - &self.slowdown) * Dyadic::new(self.beta[j])
    }

    /// δ‖β‖²/(4α), what a falling learning rate costs, rounded up.
    pub(crate) fn slowdown_cost(&self) -> Dyadic {
        let four = Dyadic::whole(4) * &self.alpha;
        quotient(&(&self.slowdown * norm2(self.beta)), &four, Round::Up)
    }

    /// αη times the number.
    pub(crate) fn alpha_eta(&self, n: &Dyadic) -> Dyadic {
        &self.alpha * &self.eta * n
    }

    /// n = ‖z‖², where unregularized coordinates count k-fold, and βᵀz.
    pub(crate) fn products(&self, x: Entries) -> (Dyadic, Dyadic) {
        let (mut norm, mut product) = (ExactSum::new(), ExactSum::new());
        for (j, z) in x.iter() {
            norm.add([z, z]);
            product.add([self.beta[j], z]);
        }
        let n = norm.take();
        if self.free.is_empty() {
            return (n, product.take());
        }
        for &j in self.free {
            norm.add([x.values[j], x.values[j]]);
        }
        // λ has the curvature αk there: z_j² − ησz_j² = kz_j².
        (n - &self.eta * &self.sigma * norm.take(), product.take())
    }

    /// What a point of squared norm n and with βᵀz = b adds where it acts fully: 2αk + αηn + b.
    pub(crate) fn jump(&self, n: &Dyadic, b: &Dyadic) -> Dyadic {
        &self.two_ak + self.alpha_eta(n) + b
    }
}
