//! From files to a verdict: reads a certificate, makes the rows again as its statement says, and checks everything.

use std::path::{Path, PathBuf};

use unswayed_data::{Block, DataError, Dataset, Labels, Origin, Problem, Source, Stream, reload};

use crate::text::Checked;
use crate::{
    AnyCertificate, Certificate, CertificateSums, Evidence, Failure, MeanBenign, MeanCertificate, Part,
    Reason, Rows, Target, Verdict,
};

/// The files that a check is about.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// The certificate.
    pub certificate: PathBuf,
    /// The data, one file for each dataset; none if the certificate is about no rows.
    pub data: Vec<PathBuf>,
    /// Labels for `.npy` features. For features in `…x.npy` those in `…y.npy` if not given.
    pub labels: Option<PathBuf>,
    /// The target's rows, if it has rows of its own.
    pub target: Option<PathBuf>,
    /// Files of data that have more bytes than this are read in parts, if the proofs are such that they can be; 2 GB if not given.
    pub memory: Option<u64>,
}

/// More bytes than this are read in parts, unless another limit is given.
pub const MEMORY: u64 = 2_000_000_000;

/// A number of bytes in words: digits, and KB, MB, GB or TB for powers of a thousand.
///
/// ```
/// assert_eq!(unswayed_check::bytes_of("1.5GB"), Some(1_500_000_000));
/// assert_eq!(unswayed_check::bytes_of("4096"), Some(4096));
/// assert_eq!(unswayed_check::bytes_of("-1"), None);
/// ```
pub fn bytes_of(text: &str) -> Option<u64> {
    let units = [("KB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12)];
    let upper = text.trim().to_ascii_uppercase();
    let found = units.into_iter().find_map(|(name, times)| Some((upper.strip_suffix(name)?, times)));
    let (digits, times) = found.unwrap_or((upper.strip_suffix('B').unwrap_or(&upper), 1.0));
    let bytes = digits.trim().parse::<f64>().ok()? * times;
    (bytes >= 0.0 && bytes < 2_f64.powi(63)).then_some(bytes as u64)
}

impl Files {
    /// Checks the certificate against the data.
    pub fn check(&self) -> Checked {
        self.try_check().unwrap_or_else(Checked::Unreadable)
    }

    fn try_check(&self) -> Result<Checked, String> {
        let name = self.certificate.display();
        let bytes = std::fs::read(&self.certificate).map_err(|e| format!("{name}: cannot be read ({e})"))?;
        let certificate = AnyCertificate::from_bytes(&bytes).map_err(|e| format!("{name}: {e}"))?;
        match certificate {
            AnyCertificate::Linear(certificate) => self.check_linear(certificate),
            AnyCertificate::Mean(certificate) => self.check_mean(certificate),
        }
    }

    fn check_linear(&self, certificate: Certificate) -> Result<Checked, String> {
        let statement = &certificate.statement;
        self.require_files(statement.data.len())?;
        let target = match &statement.target {
            Target::Rows(origin) => Some(origin),
            _ => None,
        };
        if self.target.is_some() != target.is_some() {
            let needs = if target.is_some() { "needs its target file" } else { "has no target of its own" };
            return Err(format!("the certificate {needs}"));
        }
        let paths = self.data.iter().chain(&self.target);
        let wanted: Vec<&Origin> = statement.data.iter().chain(target).collect();
        self.require_labels(&wanted)?;
        if let ([origin], [path]) = (wanted.as_slice(), self.data.as_slice())
            && let Some(checked) = self.check_in_parts(&certificate, path, origin)?
        {
            return Ok(match checked {
                Ok(verdict) => Checked::Valid(Box::new(certificate), verdict),
                Err(failure) => Checked::NotValid(failure),
            });
        }
        let data = paths
            .zip(&wanted)
            .map(|(path, origin)| self.read(path, origin))
            .collect::<Result<Vec<_>, _>>()?;
        if let Some(failure) = other_rows(&wanted, &data) {
            return Ok(Checked::NotValid(failure));
        }
        let rows: Vec<Rows> = data.iter().map(Rows::of).collect();
        let (data, target) = rows.split_at(statement.data.len());
        let verdict = crate::check(&certificate, &Evidence { data, target: target.first().copied() });
        Ok(match verdict {
            Ok(verdict) => Checked::Valid(Box::new(certificate), verdict),
            Err(failure) => Checked::NotValid(failure),
        })
    }

    fn check_mean(&self, certificate: MeanCertificate) -> Result<Checked, String> {
        if self.target.is_some() {
            return Err("the certificate has no target of its own".to_owned());
        }
        let samples = match &certificate.statement.benign {
            MeanBenign::CovarianceTrace(_) if self.data.is_empty() => {
                self.require_labels(&[])?;
                None
            }
            MeanBenign::CovarianceTrace(trace) => {
                return Err(format!(
                    "the certificate is about a covariance of trace {trace}, not about the rows of a file: leave out the data"
                ));
            }
            MeanBenign::Samples(origin) => {
                self.require_files(1)?;
                self.require_labels(&[origin])?;
                let samples = self.read(&self.data[0], origin)?;
                if let Some(failure) = other_rows(&[origin], std::slice::from_ref(&samples)) {
                    return Ok(Checked::NotValid(failure));
                }
                Some(samples)
            }
        };
        let rows = samples.as_ref().map(Rows::of);
        Ok(match crate::check_mean(&certificate, rows.as_ref()) {
            Ok(bound) => Checked::ValidMean(Box::new(certificate), bound),
            Err(failure) => Checked::NotValid(failure),
        })
    }

    fn require_files(&self, needed: usize) -> Result<(), String> {
        match self.data.len() {
            found if found == needed => Ok(()),
            found => Err(format!("the certificate needs {needed} data files, not {found}")),
        }
    }

    /// Refuses a file of labels that nothing would be read from.
    fn require_labels(&self, origins: &[&Origin]) -> Result<(), String> {
        let mut pairs = self.data.iter().chain(&self.target).zip(origins);
        match &self.labels {
            Some(labels) if !pairs.any(|(path, origin)| needs_labels(path, origin)) => {
                let name = labels.display();
                Err(format!("{name}: no rows here need a file of labels; leave out --labels"))
            }
            _ => Ok(()),
        }
    }

    /// The verdict for data that are read in parts: `None` if they are not larger than the limit, or a proof needs all rows at once.
    fn check_in_parts(
        &self,
        certificate: &Certificate,
        path: &Path,
        origin: &Origin,
    ) -> Result<Option<Result<Verdict, Failure>>, String> {
        let source = self.source(path, origin);
        let is_large = Stream::bytes(&source).is_some_and(|bytes| bytes > self.memory.unwrap_or(MEMORY));
        if !is_large || CertificateSums::new(certificate).is_err() {
            return Ok(None);
        }
        let stream = Stream::of(&source, origin).map_err(|error| error.to_string())?;
        let new = || CertificateSums::new(certificate).map_err(Stopped::NotValid);
        let add = |sums: &mut CertificateSums, block: Block| {
            sums.add(block.first, &block.z).map_err(Stopped::NotValid)
        };
        let summed = stream.in_threads(new, add, &|_, _| {}).and_then(|each| {
            let mut all = new()?;
            each.iter().try_for_each(|one| all.merge(one)).map_err(Stopped::NotValid)?;
            Ok(all)
        });
        match summed {
            Ok(sums) => Ok(Some(sums.check())),
            Err(Stopped::NotValid(failure)) => Ok(Some(Err(failure))),
            Err(Stopped::Data(error)) => match error.problem() {
                Problem::OtherRows(words) => {
                    let reason = Reason::Origin(format!("these are not the certified rows: {words}"));
                    Ok(Some(Err(Failure { part: Part::Data, reason })))
                }
                _ => Err(error.to_string()),
            },
        }
    }

    fn source(&self, path: &Path, origin: &Origin) -> Source {
        let labels = || self.labels.clone().or_else(|| labels_beside(path));
        match needs_labels(path, origin).then(labels).flatten() {
            Some(labels) => Source::path(path).labels(labels),
            None => Source::path(path),
        }
    }

    fn read(&self, path: &Path, origin: &Origin) -> Result<Dataset, String> {
        let source = self.source(path, origin);
        origin.validate().map_err(|error| format!("the certificate's statement: {error}"))?;
        reload(&source, origin).map_err(|error| error.to_string())
    }
}

/// Why a check in parts ended early.
enum Stopped {
    Data(DataError),
    NotValid(Failure),
}

impl From<DataError> for Stopped {
    fn from(error: DataError) -> Self {
        Stopped::Data(error)
    }
}

/// Whether labels come from a file of their own. That depends on the file that is read and not on the one that the rows were
/// first made from: the digest is the same.
fn needs_labels(features: &Path, origin: &Origin) -> bool {
    let is_labelled = match origin.labels {
        Labels::Classes { .. } | Labels::Scores | Labels::Multiclass { .. } | Labels::Numbers => true,
        Labels::Premultiplied | Labels::Preferences | Labels::None => false,
    };
    let ends = |wanted: &str| features.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(wanted));
    // A sparse matrix may have its labels beside it or in the same file.
    let is_matrix = origin.of_columns.is_some() && origin.label_file.is_some() && ends("npz");
    is_labelled && (ends("npy") || is_matrix)
}

/// For features in `…x.npy`, the labels in `…y.npy` if there is such a file.
pub fn labels_beside(features: &Path) -> Option<PathBuf> {
    let name = features.file_name()?.to_str()?.strip_suffix("x.npy")?;
    Some(features.with_file_name(format!("{name}y.npy"))).filter(|labels| labels.exists())
}

/// How rows differ from those of a statement.
fn other_rows(wanted: &[&Origin], found: &[Dataset]) -> Option<Failure> {
    let differ = |(wanted, found): (&&Origin, &Dataset)| wanted.same_rows(found.origin()).err();
    let difference = wanted.iter().zip(found).find_map(differ)?;
    let reason = Reason::Origin(format!("these are not the certified rows: {difference}"));
    Some(Failure { part: Part::Data, reason })
}
