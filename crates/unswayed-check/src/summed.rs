//! Certificates about rows that come in parts: what they add up to is all that a proof by a rule needs (Lemma R2).

use dashu_ratio::RBig;
use serde::{Deserialize, Serialize};

use crate::failure::{Reason, require, require_each, require_length};
use crate::lambda::Lambda;
use crate::momentum::Momentum;
use crate::parts::rows::{Rule, Sums};
use crate::proof::CaseProof;
use crate::shape::Size;
use crate::validate::validate_summed;
use crate::{
    Certificate, Failure, Part, Proof, Proven, Statement, Verdict, check_claims, in_part, part_of, prove,
};

/// What some of the rows of a statement add up to, for a proof whose lines follow a rule.
///
/// Parts may be added in any order, by any number of threads or machines: the sums are exact, so that the bound is the same to the
/// last bit, and the same as for all rows at once.
///
/// ```
/// # use unswayed_check::{CaseProof, Cases, Evidence, Learner, Lines, Loss, Proof, RowBound, RowSums, Rows, Statement, Target, Threat};
/// # let data = unswayed_data::Dataset::from_rows(vec![0.6, 0.8, 0.8, 0.6, -0.5, 0.0], 2, None)?;
/// # let statement = Statement {
/// #     learner: Learner::new(Loss::Hinge, 0.01, 0.1),
/// #     threat: Threat::ball(0.05, 1.0),
/// #     data: vec![data.origin().clone()],
/// #     hostile_rows: vec![],
/// #     target: Target::Data,
/// #     horizon: None,
/// # };
/// let lines = Lines { theta: vec![1.0, 0.5], gain: vec![1e6], ..Lines::default() };
/// let cases = Cases { lines: vec![0], tau: vec![1.5], nu: vec![0.25], ..Cases::default() };
/// let proof = CaseProof::new(RowBound::BoundedSlope, 0.75, vec![-0.5, -0.5], lines, cases);
/// let proof = Proof::Cases(Box::new(proof));
/// let mut last = RowSums::new(&statement, &proof)?;
/// last.add(1, &data.z()[2..])?;
/// let mut sums = RowSums::new(&statement, &proof)?;
/// sums.add(0, &data.z()[..2])?;
/// sums.merge(&last)?;
/// let all = unswayed_check::prove(&statement, &proof, &Evidence { data: &[Rows::of(&data)], target: None })?;
/// assert_eq!(sums.prove()?.bound()?, all.bound()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct RowSums<'a> {
    statement: &'a Statement,
    proof: &'a Proof,
    /// One for each set of lines.
    sums: Vec<Sums>,
    /// The rows that have been added, as ranges in increasing order that do not touch.
    added: Vec<(usize, usize)>,
}

impl<'a> RowSums<'a> {
    /// No rows yet. The conditions on statement and proof that do not depend on rows are verified.
    ///
    /// # Errors
    /// The condition that fails, or that the proof has numbers for each row.
    pub fn new(statement: &'a Statement, proof: &'a Proof) -> Result<Self, Failure> {
        validate_summed(statement).map_err(in_part(Part::Statement))?;
        let cases = cases(proof).and_then(|cases| {
            prove::require_summable(statement, cases, &size(statement))?;
            Ok(cases)
        });
        let cases = cases.map_err(in_part(part_of(proof)))?;
        let sums = vec![Sums::new(statement.data[0].columns); cases.lines.len()];
        Ok(RowSums { statement, proof, sums, added: vec![] })
    }

    /// Adds rows z, one after the other; the first is row `first` of the data, counted from 0.
    ///
    /// # Errors
    /// Numbers that are not finite, rows that are not whole, that there are not so many of or that have been added before.
    pub fn add(&mut self, first: usize, z: &[f64]) -> Result<(), Failure> {
        self.try_add(first, z).map_err(in_part(Part::Data))
    }

    fn try_add(&mut self, first: usize, z: &[f64]) -> Result<(), Reason> {
        let columns = self.statement.data[0].columns;
        require_length("entries of z", z.len() / columns * columns, z.len())?;
        require_each("z", z, f64::is_finite, "finite")?;
        self.cover(first, first.saturating_add(z.len() / columns))?;
        let cases = cases(self.proof)?;
        let lambda = Lambda::of(self.statement, cases);
        for (sums, lines) in self.sums.iter_mut().zip(&cases.lines) {
            if let Some(rule) = Rule::new(self.statement, cases, lines) {
                sums.add(&rule, &lambda, first, z);
            }
        }
        Ok(())
    }

    /// Adds the sums over other rows, for the same statement and proof.
    ///
    /// # Errors
    /// Another statement or proof, or rows that have been added before; nothing is added then.
    pub fn merge(&mut self, other: &RowSums) -> Result<(), Failure> {
        if self.statement != other.statement || self.proof != other.proof {
            let reason = Reason::Unfit { method: self.proof.method(), with: "sums for another proof" };
            return Err(in_part(Part::Data)(reason));
        }
        let before = self.added.clone();
        if let Err(reason) = other.added.iter().try_for_each(|&(first, end)| self.cover(first, end)) {
            self.added = before;
            return Err(in_part(Part::Data)(reason));
        }
        self.sums.iter_mut().zip(&other.sums).for_each(|(own, other)| own.merge(other));
        Ok(())
    }

    /// What another machine added up for the same statement and proof.
    fn of_text(statement: &'a Statement, proof: &'a Proof, held: Held) -> Result<Self, Failure> {
        let mut own = RowSums::new(statement, proof)?;
        own.take(held).map_err(in_part(Part::Data))?;
        Ok(own)
    }

    fn take(&mut self, held: Held) -> Result<(), Reason> {
        for (first, end) in held.added {
            require(first <= end, "the first row of a part", first as f64, "not after its end")?;
            self.cover(first, end)?;
        }
        require_length("sets of sums", self.sums.len(), held.sums.len())?;
        let rows = self.rows();
        held.sums.iter().try_for_each(|sums| sums.require(self.statement.data[0].columns, rows))?;
        self.sums = held.sums;
        Ok(())
    }

    /// How many rows have been added.
    fn rows(&self) -> usize {
        self.added.iter().map(|(first, end)| end - first).sum()
    }

    /// Marks rows as added.
    fn cover(&mut self, first: usize, end: usize) -> Result<(), Reason> {
        let rows = self.statement.data[0].rows;
        require(end <= rows, "the number of rows", end as f64, "as many as the statement says")?;
        if first == end {
            return Ok(());
        }
        let at = self.added.partition_point(|range| range.0 < first);
        let is_new = at.checked_sub(1).is_none_or(|before| self.added[before].1 <= first)
            && self.added.get(at).is_none_or(|after| end <= after.0);
        require(is_new, "row", first as f64, "a row that has not been added yet")?;
        self.added.insert(at, (first, end));
        self.added.dedup_by(|next, own| {
            let touch = own.1 == next.0;
            if touch {
                own.1 = next.1;
            }
            touch
        });
        Ok(())
    }

    /// The proven value, once all rows have been added.
    ///
    /// # Errors
    /// The condition that fails, or that rows are missing.
    pub fn prove(&self) -> Result<Proven<'a>, Failure> {
        let rows = self.statement.data[0].rows;
        require_length("rows of the statement", rows, self.rows()).map_err(in_part(Part::Data))?;
        let values = cases(self.proof)
            .and_then(|cases| prove::summed_bounds(self.statement, cases, &size(self.statement), &self.sums));
        let cases = values.map_err(in_part(part_of(self.proof)))?.into_iter().map(RBig::from).collect();
        Ok(Proven::new(self.statement, self.proof, cases, Momentum::none(), None))
    }
}

/// Sums as they travel from one machine to another.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Held {
    sums: Vec<Sums>,
    added: Vec<(usize, usize)>,
}

/// What some of the rows of a statement add up to, for all claims of a certificate whose proofs have rules.
#[derive(Clone)]
pub struct CertificateSums<'a> {
    certificate: &'a Certificate,
    /// One for each proof.
    sums: Vec<RowSums<'a>>,
}

impl<'a> CertificateSums<'a> {
    /// No rows yet.
    ///
    /// # Errors
    /// As for [`RowSums::new`]; claims on new data need all rows at once.
    pub fn new(certificate: &'a Certificate) -> Result<Self, Failure> {
        let Certificate { statement, loss, error, horizon, new_data, .. } = certificate;
        if new_data.is_some() {
            let reason = Reason::Unfit { method: "of the claim on new data", with: "rows in parts" };
            return Err(in_part(Part::NewData)(reason));
        }
        let own = horizon.as_ref().and_then(|horizon| horizon.proof.as_ref());
        let proofs = [Some(&loss.proof), error.as_ref().map(|error| &error.proof), own];
        let sums = proofs.into_iter().flatten().map(|proof| RowSums::new(statement, proof));
        Ok(CertificateSums { certificate, sums: sums.collect::<Result<_, _>>()? })
    }

    /// As [`RowSums::add`].
    ///
    /// # Errors
    /// As for [`RowSums::add`].
    pub fn add(&mut self, first: usize, z: &[f64]) -> Result<(), Failure> {
        self.sums.iter_mut().try_for_each(|sums| sums.add(first, z))
    }

    /// As [`RowSums::merge`].
    ///
    /// # Errors
    /// As for [`RowSums::merge`].
    pub fn merge(&mut self, other: &CertificateSums) -> Result<(), Failure> {
        self.sums.iter_mut().zip(&other.sums).try_for_each(|(own, other)| own.merge(other))
    }

    /// The sums as a text of JSON, for the machine that merges them. It has 3d + 4 exact numbers for each proof.
    ///
    /// # Errors
    /// None for sums that were made here.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        let held = self.sums.iter().map(|one| Held { sums: one.sums.clone(), added: one.added.clone() });
        serde_json::to_string(&held.collect::<Vec<_>>())
    }

    /// What another machine added up for the same certificate. Whoever sends the text is trusted with the rows it speaks of: that the
    /// sums are those of the rows, only the rows can tell.
    ///
    /// # Errors
    /// A text that is no sums, sums of another form, or rows that there are not.
    pub fn from_text(certificate: &'a Certificate, text: &str) -> Result<Self, Failure> {
        let own = CertificateSums::new(certificate)?;
        let held: Vec<Held> = serde_json::from_str(text).map_err(|error| {
            in_part(Part::Data)(Reason::Origin(format!("the sums of other rows cannot be read: {error}")))
        })?;
        require_length("proofs of the sums", own.sums.len(), held.len()).map_err(in_part(Part::Data))?;
        let pairs = own.sums.iter().zip(held);
        let sums = pairs.map(|(own, held)| RowSums::of_text(own.statement, own.proof, held));
        Ok(CertificateSums { certificate, sums: sums.collect::<Result<_, _>>()? })
    }

    /// What the sums are for.
    pub fn certificate(&self) -> &'a Certificate {
        self.certificate
    }

    /// The sums for each proof: that of the loss, then those of the error and of the horizon if these have their own.
    pub fn proofs(&self) -> &[RowSums<'a>] {
        &self.sums
    }

    /// As [`crate::check`], once all rows have been added.
    ///
    /// # Errors
    /// The first thing that does not hold.
    pub fn check(&self) -> Result<Verdict, Failure> {
        let missing = || in_part(Part::Data)(Reason::Unfit { method: "of a claim", with: "these sums" });
        check_claims(self.certificate, |proof| {
            let own = self.sums.iter().find(|sums| std::ptr::eq(sums.proof, proof));
            own.ok_or_else(missing)?.prove()
        })
    }
}

/// The size that the statement says.
fn size(statement: &Statement) -> Size {
    let origin = &statement.data[0];
    Size { rows: vec![origin.rows], columns: origin.dimension(), target: None }
}

fn cases(proof: &Proof) -> Result<&CaseProof, Reason> {
    match proof {
        Proof::Cases(cases) => Ok(cases),
        _ => Err(Reason::Unfit { method: proof.method(), with: "rows in parts" }),
    }
}
