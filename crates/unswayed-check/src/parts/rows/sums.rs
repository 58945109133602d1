//! What rows add up to under a rule (Lemma R2 of Section 23): exact numbers, so that the order in which rows come, the parts they
//! come in and the machines that add them do not change a bit.
//!
//! With weights 1, rows with J + c > 0 being the active ones,
//!
//! ```text
//! ΣT = (1−ε)(2αk·#active + αηΣ_active n + βᵀΣ_active z) + Σ_active c − (κ0−1)Σu − Σcu
//! Σyz = (κ0−1)Σuz + Σ(cu + (1−c)u')z
//! ```

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::Line;
use super::rule::{Rule, Shares};
use crate::exact::{Dyadic, ExactSum};
use crate::failure::{Reason, require, require_length, require_not_negative};
use crate::lambda::Lambda;
use crate::rows::Entries;

/// The sums over some rows.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sums {
    /// How many rows.
    pub(crate) rows: u64,
    active: u64,
    active_c: ExactSum,
    active_n: ExactSum,
    active_z: Vec<ExactSum>,
    u: ExactSum,
    cu: ExactSum,
    uz: Vec<ExactSum>,
    /// Σ(cu + (1−c)u')z
    more: Vec<ExactSum>,
    /// The smallest c, 1 without rows.
    least: f64,
}

impl Sums {
    pub(crate) fn new(columns: usize) -> Self {
        let none = || vec![ExactSum::new(); columns];
        let zero = ExactSum::new;
        Sums {
            rows: 0,
            active: 0,
            active_c: zero(),
            active_n: zero(),
            active_z: none(),
            u: zero(),
            cu: zero(),
            uz: none(),
            more: none(),
            least: 1.0,
        }
    }

    /// Adds rows, the first of which has the number `first`.
    pub(crate) fn add(&mut self, rule: &Rule, lambda: &Lambda, first: usize, z: &[f64]) {
        let columns = self.uz.len();
        let mut exceptions = rule.exceptions(first, first + z.len() / columns).peekable();
        for (i, z) in (first..).zip(z.chunks_exact(columns)) {
            let products = rule.products(z);
            let shares = match exceptions.next_if(|(row, _)| *row == i) {
                Some((_, at)) => rule.given(at),
                None => rule.shares(&products),
            };
            let (guess, doubt) = (rule.jump(&products) + shares.c, rule.doubt(&products, columns));
            // Not true if one of them is no number.
            let is_active = if guess.abs() > doubt { guess > 0.0 } else { is_positive(lambda, z, shares.c) };
            self.add_row(z, shares, is_active);
        }
    }

    fn add_row(&mut self, z: &[f64], Shares { u, u2, c }: Shares, is_active: bool) {
        self.rows += 1;
        self.least = self.least.min(c);
        if is_active {
            self.active += 1;
            self.active_c.add([c]);
            for (sum, &z) in self.active_z.iter_mut().zip(z) {
                self.active_n.add([z, z]);
                sum.add([z]);
            }
        }
        if u != 0.0 {
            self.u.add([u]);
            self.cu.add([c, u]);
            self.uz.iter_mut().zip(z).for_each(|(sum, &z)| sum.add([u, z]));
        }
        for factors in [[c, u], [1.0, u2], [-c, u2]] {
            if factors[0] != 0.0 && factors[1] != 0.0 {
                self.more.iter_mut().zip(z).for_each(|(sum, &z)| sum.add([factors[0], factors[1], z]));
            }
        }
    }

    /// Requires sums from elsewhere to be for so many columns and rows.
    pub(crate) fn require(&self, columns: usize, rows: usize) -> Result<(), Reason> {
        for sums in [&self.active_z, &self.uz, &self.more] {
            require_length("columns of a sum", columns, sums.len())?;
        }
        require_length("rows of a sum", rows, usize::try_from(self.rows).unwrap_or(usize::MAX))?;
        require(self.active <= self.rows, "active rows", self.active as f64, "not more than there are")?;
        require((0.0..=1.0).contains(&self.least), "the smallest c", self.least, "in [0, 1]")
    }

    /// Adds the sums over other rows.
    pub(crate) fn merge(&mut self, other: &Sums) {
        self.rows += other.rows;
        self.active += other.active;
        self.least = self.least.min(other.least);
        let pairs = [
            (&mut self.active_c, &other.active_c),
            (&mut self.active_n, &other.active_n),
            (&mut self.u, &other.u),
            (&mut self.cu, &other.cu),
        ];
        let lists =
            [(&mut self.active_z, &other.active_z), (&mut self.uz, &other.uz), (&mut self.more, &other.more)];
        let lists = lists.into_iter().flat_map(|(own, other)| own.iter_mut().zip(other));
        for (own, other) in pairs.into_iter().chain(lists) {
            own.merge(other);
        }
    }

    /// The line above all rows, after κ0 − 1 + c ≥ 0 has been verified for all of them.
    pub(crate) fn line(mut self, lambda: &Lambda) -> Result<Line, Reason> {
        let kappa = &lambda.kappa0 - Dyadic::whole(1);
        require_not_negative(&(&kappa + Dyadic::new(self.least)), "κ0 − 1 + c")?;
        let take = |sums: Vec<ExactSum>| sums.into_iter().map(|mut sum| sum.take());
        let mut product = Dyadic::zero();
        for (z, &beta) in take(self.active_z).zip(lambda.beta) {
            product = product + z * Dyadic::new(beta);
        }
        let full =
            &lambda.two_ak * Dyadic::whole(self.active) + lambda.alpha_eta(&self.active_n.take()) + product;
        let constant = &lambda.benign * full + self.active_c.take() - &kappa * self.u.take() - self.cu.take();
        let slope = take(self.uz).zip(take(self.more)).map(|(uz, more)| &kappa * uz + more).collect();
        Ok(Line { constant, slope, scale: Dyadic::whole(self.rows), bend: Dyadic::zero() })
    }
}

/// Whether J + c > 0, exactly.
fn is_positive(lambda: &Lambda, z: &[f64], c: f64) -> bool {
    let (n, b) = lambda.products(Entries::of(z));
    let jump = &lambda.benign * lambda.jump(&n, &b);
    jump.cmp(&(Dyadic::zero() - Dyadic::new(c))) == Ordering::Greater
}
