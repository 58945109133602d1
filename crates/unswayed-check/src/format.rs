//! The certificate file: what is in it, how it is read and written.
//!
//! `docs/certificate-format.md` describes the format. Reading is strict: every tensor and every
//! piece of metadata must be known and needed, of the right type and shape, and finite.

use std::collections::BTreeMap;

use safetensors::{Dtype, SafeTensors};
use serde_json::{Map, Value, json};
use thiserror::Error;

/// Everything a certificate file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    /// Name and version of the program that wrote the file.
    pub tool: String,
    /// Which data the claims are about.
    pub data: DataInfo,
    /// The learner and the adversary.
    pub learner: Learner,
    /// The claim on the long-run loss.
    pub loss: Claim,
    /// The claim on the long-run error, if there is one.
    pub error: Option<Claim>,
    /// The claim on a finite number of steps, if there is one.
    pub horizon: Option<Horizon>,
}

/// Identifies the rows a certificate is about, and how they are made from a data file.
#[derive(Clone, Debug, PartialEq)]
pub struct DataInfo {
    /// Digest of the rows, see [`crate::Rows::digest`].
    pub sha256: String,
    /// Number of rows N.
    pub rows: usize,
    /// Dimension d.
    pub dimension: usize,
    /// Whether only the first N rows of the data file are meant.
    pub first_rows: bool,
    /// The labels that became −1 and +1; absent for real scores and for files of rows z.
    pub labels: Option<(String, String)>,
    /// The number all entries were divided by.
    pub scale: Option<f64>,
}

/// A learner together with its adversary.
#[derive(Clone, Debug, PartialEq)]
pub enum Learner {
    /// Online hinge classification.
    Hinge(Hinge),
    /// Online mean estimation.
    Mean(Mean),
}

/// θ' = (1−ησ)θ + η1[θᵀz ≤ 1]z, with an adversary who picks z with ‖z‖ ≤ R at rate ε.
#[derive(Clone, Debug, PartialEq)]
pub struct Hinge {
    /// Step size η.
    pub learning_rate: f64,
    /// Regularization σ.
    pub regularization: f64,
    /// Probability ε of a poisoned point.
    pub poison_rate: f64,
    /// Largest norm R of a poisoned point.
    pub radius: f64,
}

/// θ' = (1−η)θ + ηz + noise, with an adversary who picks z with ‖z−μ‖² ≤ r at rate ε.
#[derive(Clone, Debug, PartialEq)]
pub struct Mean {
    /// Step size η.
    pub learning_rate: f64,
    /// Probability ε of a poisoned point.
    pub poison_rate: f64,
    /// Largest squared distance r of a poisoned point from the mean.
    pub squared_radius: f64,
    /// Trace of the covariance S of the added noise.
    pub noise_trace: f64,
    /// Trace of the covariance of the benign points; present exactly if there are no rows.
    pub covariance_trace: Option<f64>,
}

/// A bound and the numbers that prove it.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The claimed upper bound.
    pub bound: f64,
    /// The proof.
    pub witness: Witness,
}

/// The numbers that prove a bound, one variant per method.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the fields are the letters of the format's description")]
pub enum Witness {
    /// `convexity`: the hinge loss of the hinge learner.
    Convexity { alpha: f64, beta: Vec<f64>, tau: f64, nu: f64, u: Vec<f64> },
    /// `bounded-range`: the same, using that the parameters stay in a ball.
    BoundedRange {
        alpha: f64,
        beta: Vec<f64>,
        tau: f64,
        nu: f64,
        mu: f64,
        ball: f64,
        reach: Vec<f64>,
        y: Vec<f64>,
    },
    /// `zero-one`: the error of the hinge learner.
    ZeroOne { alpha: f64, beta: Vec<f64>, tau: f64, nu: f64, u: Vec<f64>, u2: Vec<f64>, c: Vec<f64> },
    /// `paper`: the hinge loss of the hinge learner, by the paper's semidefinite program.
    Paper(Box<PaperWitness>),
    /// `closed-form`: the squared error of the mean learner.
    ClosedForm { alpha: f64, nu: f64 },
}

/// The numbers of the method `paper`; the format's description says what they do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PaperWitness {
    /// A: the upper triangle, column by column.
    pub a: Vec<f64>,
    /// b.
    pub b: Vec<f64>,
    /// m_i, one number per row.
    pub m: Vec<f64>,
    /// h_i, d numbers per row.
    pub h: Vec<f64>,
    /// ν8, the multiplier of ‖θ‖ ≤ ϱ.
    pub nu8: f64,
    /// ν9, the multiplier of θᵀz ≤ 1.
    pub nu9: f64,
    /// ν10, the multiplier of ‖z‖ ≤ R.
    pub nu10: f64,
    /// ϱ, a norm that θ never exceeds.
    pub ball: f64,
    /// H, which no |θᵀz_i| exceeds.
    pub reach: f64,
    /// l, below all eigenvalues of A.
    pub low: f64,
    /// u, above all eigenvalues of A.
    pub high: f64,
    /// δ > 0 with D ⪰ δI.
    pub delta: f64,
    /// θ̂, the first half of a vector near D⁻¹g.
    pub theta: Vec<f64>,
    /// ẑ, the second half.
    pub point: Vec<f64>,
}

/// A claim on the average loss over the first steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Horizon {
    /// Number of steps T.
    pub steps: u64,
    /// Starting point θ_0.
    pub start: Vec<f64>,
    /// The number m of the methods `bounded-range` and `paper`; 0 for the others.
    pub m: f64,
    /// The claimed upper bound.
    pub bound: f64,
}

/// Why a file is not a readable certificate.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FormatError {
    /// The file is not in the safetensors format, or it is cut short.
    #[error("not a safetensors file: {0}")]
    NotSafetensors(String),
    /// A metadata entry is missing.
    #[error("the metadata entry {0} is missing")]
    MissingText(String),
    /// A metadata entry is not part of the format, or not of a certificate of this kind.
    #[error("the metadata entry {0} is unknown here")]
    UnknownText(String),
    /// A metadata entry has a value that it must not have.
    #[error("the metadata entry {key} is {value:?}, which is not {wanted}")]
    BadText {
        /// The entry.
        key: String,
        /// Its value.
        value: String,
        /// What it must be.
        wanted: &'static str,
    },
    /// The method is unknown, or proves no such claim for this learner.
    #[error("{claim}.method is {method:?}, which proves no such claim for the {learner} learner")]
    BadMethod {
        /// `loss` or `error`.
        claim: &'static str,
        /// The method named in the file.
        method: String,
        /// The learner named in the file.
        learner: &'static str,
    },
    /// A tensor is missing.
    #[error("the tensor {0} is missing")]
    MissingTensor(String),
    /// A tensor is not part of the format, or not of a certificate of this kind.
    #[error("the tensor {0} is unknown here")]
    UnknownTensor(String),
    /// A tensor is not of the type F64.
    #[error("the tensor {0} is not of the type F64")]
    WrongType(String),
    /// A tensor has the wrong shape.
    #[error("the tensor {name} has the shape {found:?}, not {wanted:?}")]
    WrongShape {
        /// The tensor.
        name: String,
        /// Its shape.
        found: Vec<usize>,
        /// The shape it must have.
        wanted: Vec<usize>,
    },
    /// A tensor has an entry that is not a number, infinite, or otherwise outside its range.
    #[error("the tensor {name} has the entry {value}, which is not {wanted}")]
    BadNumber {
        /// The tensor.
        name: String,
        /// The entry.
        value: String,
        /// What it must be.
        wanted: &'static str,
    },
}

const FORMAT: &str = "unswayed-certificate";
const VERSION: &str = "1";

impl Learner {
    /// The name of the learner in files.
    pub fn name(&self) -> &'static str {
        match self {
            Learner::Hinge(_) => "hinge",
            Learner::Mean(_) => "mean",
        }
    }

    /// The parameters under their names in files.
    pub(crate) fn scalars(&self) -> Vec<(&'static str, f64)> {
        match self {
            Learner::Hinge(h) => vec![
                ("learning_rate", h.learning_rate),
                ("regularization", h.regularization),
                ("poison_rate", h.poison_rate),
                ("radius", h.radius),
            ],
            Learner::Mean(m) => [
                ("learning_rate", m.learning_rate),
                ("poison_rate", m.poison_rate),
                ("squared_radius", m.squared_radius),
                ("noise_trace", m.noise_trace),
            ]
            .into_iter()
            .chain(m.covariance_trace.map(|t| ("covariance_trace", t)))
            .collect(),
        }
    }
}

/// How long a witness vector is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// One entry per row.
    Rows,
    /// One entry per dimension.
    Dimension,
    /// One entry per pair of dimensions.
    Triangle,
    /// One entry per row and dimension.
    Table,
}

impl Length {
    /// The shape of the tensor.
    pub(crate) fn shape(self, rows: usize, dimension: usize) -> Vec<usize> {
        match self {
            Length::Rows => vec![rows],
            Length::Dimension => vec![dimension],
            Length::Triangle => vec![dimension.saturating_mul(dimension.saturating_add(1)) / 2],
            Length::Table => vec![rows, dimension],
        }
    }
}

impl Witness {
    /// The name of the method in files.
    pub fn method(&self) -> &'static str {
        match self {
            Witness::Convexity { .. } => "convexity",
            Witness::BoundedRange { .. } => "bounded-range",
            Witness::ZeroOne { .. } => "zero-one",
            Witness::Paper(_) => "paper",
            Witness::ClosedForm { .. } => "closed-form",
        }
    }

    /// Whether the method uses that the parameters stay in a ball.
    pub(crate) fn has_ball(&self) -> bool {
        matches!(self, Witness::BoundedRange { .. } | Witness::Paper(_))
    }

    /// The scalars under their names in files.
    #[rustfmt::skip]
    pub(crate) fn scalars(&self) -> Vec<(&'static str, f64)> {
        match *self {
            Witness::Paper(ref w) => vec![
                ("nu8", w.nu8), ("nu9", w.nu9), ("nu10", w.nu10), ("ball", w.ball), ("reach", w.reach),
                ("low", w.low), ("high", w.high), ("delta", w.delta),
            ],
            Witness::Convexity { alpha, tau, nu, .. } | Witness::ZeroOne { alpha, tau, nu, .. } =>
                vec![("alpha", alpha), ("tau", tau), ("nu", nu)],
            Witness::BoundedRange { alpha, tau, nu, mu, ball, .. } =>
                vec![("alpha", alpha), ("tau", tau), ("nu", nu), ("mu", mu), ("ball", ball)],
            Witness::ClosedForm { alpha, nu } => vec![("alpha", alpha), ("nu", nu)],
        }
    }

    /// The vectors under their names in files.
    #[rustfmt::skip]
    pub(crate) fn vectors(&self) -> Vec<(&'static str, &[f64], Length)> {
        use Length::{Dimension, Rows, Table, Triangle};
        match self {
            Witness::Paper(w) => vec![
                ("a", &w.a, Triangle), ("b", &w.b, Dimension), ("m", &w.m, Rows), ("h", &w.h, Table),
                ("theta", &w.theta, Dimension), ("point", &w.point, Dimension),
            ],
            Witness::Convexity { beta, u, .. } => vec![("beta", beta, Dimension), ("u", u, Rows)],
            Witness::BoundedRange { beta, reach, y, .. } =>
                vec![("beta", beta, Dimension), ("reach", reach, Rows), ("y", y, Rows)],
            Witness::ZeroOne { beta, u, u2, c, .. } =>
                vec![("beta", beta, Dimension), ("u", u, Rows), ("u2", u2, Rows), ("c", c, Rows)],
            Witness::ClosedForm { .. } => vec![],
        }
    }
}

impl Certificate {
    /// Reads a certificate file.
    ///
    /// # Errors
    /// The first thing found that is not as the format's description has it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Certificate, FormatError> {
        let mut file = Reader::new(bytes)?;
        file.fixed("format", FORMAT)?;
        file.fixed("format_version", VERSION)?;
        let tool = file.text("tool")?;
        let data = file.data()?;
        let learner = file.learner()?;
        let loss = file.claim("loss", &learner, &data)?;
        let error = if file.texts.contains_key("error.method") {
            Some(file.claim("error", &learner, &data)?)
        } else {
            None
        };
        let horizon = file.horizon(&loss, &data)?;
        file.finish()?;
        Ok(Certificate { tool, data, learner, loss, error, horizon })
    }

    /// Writes a certificate file: the same certificate always gives the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut file = Writer::default();
        file.text("format", FORMAT);
        file.text("format_version", VERSION);
        file.text("tool", &self.tool);
        file.text("learner", self.learner.name());
        file.data(&self.data);
        for (name, value) in self.learner.scalars() {
            file.scalar(name, value);
        }
        file.claim("loss", &self.loss, &self.data);
        if let Some(error) = &self.error {
            file.claim("error", error, &self.data);
        }
        if let Some(horizon) = &self.horizon {
            file.horizon(horizon, &self.loss.witness);
        }
        file.finish()
    }
}

/// The contents of a file that have not been used yet.
struct Reader {
    texts: BTreeMap<String, String>,
    tensors: BTreeMap<String, Tensor>,
}

/// A tensor as it is in the file.
struct Tensor {
    is_f64: bool,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Reader {
    fn new(bytes: &[u8]) -> Result<Reader, FormatError> {
        let refuse = |e: safetensors::SafeTensorError| FormatError::NotSafetensors(e.to_string());
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(refuse)?;
        let file = SafeTensors::deserialize(bytes).map_err(refuse)?;
        let tensor = |view: safetensors::tensor::TensorView| Tensor {
            is_f64: view.dtype() == Dtype::F64,
            shape: view.shape().to_vec(),
            bytes: view.data().to_vec(),
        };
        Ok(Reader {
            texts: header.metadata().clone().unwrap_or_default().into_iter().collect(),
            tensors: file.iter().map(|(name, view)| (name.to_owned(), tensor(view))).collect(),
        })
    }

    fn text(&mut self, key: &str) -> Result<String, FormatError> {
        self.texts.remove(key).ok_or_else(|| FormatError::MissingText(key.to_owned()))
    }

    fn fixed(&mut self, key: &str, wanted: &'static str) -> Result<(), FormatError> {
        let value = self.text(key)?;
        accept_text(value == wanted, key, value, wanted).map(|_| ())
    }

    fn count(&mut self, key: &str) -> Result<usize, FormatError> {
        let value = self.text(key)?;
        match value.parse::<usize>() {
            Ok(count) if count.to_string() == value => Ok(count),
            _ => accept_text(false, key, value, "a whole number").map(|_| 0),
        }
    }

    fn tensor(&mut self, name: &str, wanted: Vec<usize>) -> Result<Vec<f64>, FormatError> {
        let missing = || FormatError::MissingTensor(name.to_owned());
        let tensor = self.tensors.remove(name).ok_or_else(missing)?;
        if !tensor.is_f64 {
            return Err(FormatError::WrongType(name.to_owned()));
        }
        if tensor.shape != wanted {
            let (name, found) = (name.to_owned(), tensor.shape);
            return Err(FormatError::WrongShape { name, found, wanted });
        }
        let (numbers, _) = tensor.bytes.as_chunks::<8>();
        let numbers = numbers.iter().map(|b| f64::from_le_bytes(*b));
        numbers.map(|x| accept_number(x.is_finite(), name, x, "finite")).collect()
    }

    fn vector(&mut self, name: &str, length: usize) -> Result<Vec<f64>, FormatError> {
        self.tensor(name, vec![length])
    }

    fn scalar(&mut self, name: &str) -> Result<f64, FormatError> {
        Ok(self.tensor(name, vec![])?.first().copied().unwrap_or_default())
    }

    fn optional_scalar(&mut self, name: &str) -> Result<Option<f64>, FormatError> {
        if !self.tensors.contains_key(name) {
            return Ok(None);
        }
        self.scalar(name).map(Some)
    }

    fn data(&mut self) -> Result<DataInfo, FormatError> {
        let sha256 = self.text("data.sha256")?;
        let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        let is_digest = sha256.len() == 64 && sha256.bytes().all(hex);
        let digits = "64 lower-case hexadecimal digits";
        let sha256 = accept_text(is_digest, "data.sha256", sha256, digits)?;
        let rows = self.count("data.rows")?;
        let dimension = self.count("data.dimension")?;
        let first_rows = self.texts.contains_key("data.first_rows");
        if first_rows {
            let first = self.text("data.first_rows")?;
            accept_text(first == rows.to_string(), "data.first_rows", first, "data.rows")?;
        }
        Ok(DataInfo { sha256, rows, dimension, first_rows, labels: self.labels()?, scale: self.scale()? })
    }

    fn labels(&mut self) -> Result<Option<(String, String)>, FormatError> {
        let named = |key| self.texts.contains_key(key);
        if !named("data.negative") && !named("data.positive") {
            return Ok(None);
        }
        let negative = self.text("data.negative")?;
        let positive = self.text("data.positive")?;
        let differ = negative != positive;
        let positive = accept_text(differ, "data.positive", positive, "another label")?;
        Ok(Some((negative, positive)))
    }

    fn scale(&mut self) -> Result<Option<f64>, FormatError> {
        let scale = self.optional_scalar("data.scale")?;
        scale.map(|s| accept_number(s > 0.0, "data.scale", s, "> 0")).transpose()
    }

    fn learner(&mut self) -> Result<Learner, FormatError> {
        let name = self.text("learner")?;
        match name.as_str() {
            "hinge" => Ok(Learner::Hinge(Hinge {
                learning_rate: self.scalar("learning_rate")?,
                regularization: self.scalar("regularization")?,
                poison_rate: self.scalar("poison_rate")?,
                radius: self.scalar("radius")?,
            })),
            "mean" => Ok(Learner::Mean(Mean {
                learning_rate: self.scalar("learning_rate")?,
                poison_rate: self.scalar("poison_rate")?,
                squared_radius: self.scalar("squared_radius")?,
                noise_trace: self.scalar("noise_trace")?,
                covariance_trace: self.optional_scalar("covariance_trace")?,
            })),
            _ => Err(bad_text("learner", name, "a known learner")),
        }
    }

    #[rustfmt::skip]
    fn claim(&mut self, claim: &'static str, learner: &Learner, data: &DataInfo) -> Result<Claim, FormatError> {
        let method = self.text(&format!("{claim}.method"))?;
        let name = |field: &str| format!("{claim}.{field}");
        let (n, d) = (data.rows, data.dimension);
        let bound = self.scalar(&name("bound"))?;
        if (learner.name(), claim, method.as_str()) == ("hinge", "loss", "paper") {
            return Ok(Claim { bound, witness: Witness::Paper(Box::new(self.paper(data)?)) });
        }
        let alpha = self.scalar(&name("alpha"))?;
        let nu = self.scalar(&name("nu"))?;
        let witness = match (learner.name(), claim, method.as_str()) {
            ("hinge", "loss", "convexity") => Witness::Convexity {
                alpha, nu,
                tau: self.scalar(&name("tau"))?,
                beta: self.vector(&name("beta"), d)?,
                u: self.vector(&name("u"), n)?,
            },
            ("hinge", "loss", "bounded-range") => Witness::BoundedRange {
                alpha, nu,
                tau: self.scalar(&name("tau"))?,
                mu: self.scalar(&name("mu"))?,
                ball: self.scalar(&name("ball"))?,
                beta: self.vector(&name("beta"), d)?,
                reach: self.vector(&name("reach"), n)?,
                y: self.vector(&name("y"), n)?,
            },
            ("hinge", "error", "zero-one") => Witness::ZeroOne {
                alpha, nu,
                tau: self.scalar(&name("tau"))?,
                beta: self.vector(&name("beta"), d)?,
                u: self.vector(&name("u"), n)?,
                u2: self.vector(&name("u2"), n)?,
                c: self.vector(&name("c"), n)?,
            },
            ("mean", "loss", "closed-form") => Witness::ClosedForm { alpha, nu },
            (learner, ..) => return Err(FormatError::BadMethod { claim, method, learner }),
        };
        Ok(Claim { bound, witness })
    }

    fn paper(&mut self, data: &DataInfo) -> Result<PaperWitness, FormatError> {
        let (n, d) = (data.rows, data.dimension);
        Ok(PaperWitness {
            a: self.tensor("loss.a", Length::Triangle.shape(n, d))?,
            b: self.vector("loss.b", d)?,
            m: self.vector("loss.m", n)?,
            h: self.tensor("loss.h", Length::Table.shape(n, d))?,
            nu8: self.scalar("loss.nu8")?,
            nu9: self.scalar("loss.nu9")?,
            nu10: self.scalar("loss.nu10")?,
            ball: self.scalar("loss.ball")?,
            reach: self.scalar("loss.reach")?,
            low: self.scalar("loss.low")?,
            high: self.scalar("loss.high")?,
            delta: self.scalar("loss.delta")?,
            theta: self.vector("loss.theta", d)?,
            point: self.vector("loss.point", d)?,
        })
    }

    fn horizon(&mut self, loss: &Claim, data: &DataInfo) -> Result<Option<Horizon>, FormatError> {
        let present = self.tensors.contains_key("horizon.steps");
        if !present || matches!(loss.witness, Witness::ClosedForm { .. }) {
            return Ok(None);
        }
        let steps = self.scalar("horizon.steps")?;
        let whole = (1.0..=9_007_199_254_740_992.0).contains(&steps) && steps.fract() == 0.0;
        let wanted = "a whole number from 1 to 2^53";
        let steps = accept_number(whole, "horizon.steps", steps, wanted)?;
        Ok(Some(Horizon {
            steps: steps as u64,
            start: self.vector("horizon.start", data.dimension)?,
            m: if loss.witness.has_ball() { self.scalar("horizon.m")? } else { 0.0 },
            bound: self.scalar("horizon.bound")?,
        }))
    }

    /// Everything must have been used.
    fn finish(self) -> Result<(), FormatError> {
        if let Some(key) = self.texts.into_keys().next() {
            return Err(FormatError::UnknownText(key));
        }
        match self.tensors.into_keys().next() {
            Some(name) => Err(FormatError::UnknownTensor(name)),
            None => Ok(()),
        }
    }
}

fn bad_text(key: &str, value: String, wanted: &'static str) -> FormatError {
    let key = key.to_owned();
    FormatError::BadText { key, value, wanted }
}

/// Passes a metadata value on if it is good.
fn accept_text(good: bool, key: &str, value: String, wanted: &'static str) -> Result<String, FormatError> {
    if good { Ok(value) } else { Err(bad_text(key, value, wanted)) }
}

/// Passes a number on if it is good.
fn accept_number(good: bool, name: &str, x: f64, wanted: &'static str) -> Result<f64, FormatError> {
    let (name, value) = (name.to_owned(), x.to_string());
    if good { Ok(x) } else { Err(FormatError::BadNumber { name, value, wanted }) }
}

/// A file in the making.
#[derive(Default)]
struct Writer {
    texts: Map<String, Value>,
    tensors: Map<String, Value>,
    bytes: Vec<u8>,
}

impl Writer {
    fn text(&mut self, key: &str, value: &str) {
        self.texts.insert(key.to_owned(), json!(value));
    }

    fn tensor(&mut self, name: &str, shape: &[usize], numbers: &[f64]) {
        let begin = self.bytes.len();
        self.bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
        let offsets = [begin, self.bytes.len()];
        let entry = json!({"dtype": "F64", "shape": shape, "data_offsets": offsets});
        self.tensors.insert(name.to_owned(), entry);
    }

    fn scalar(&mut self, name: &str, value: f64) {
        self.tensor(name, &[], &[value]);
    }

    fn vector(&mut self, name: &str, values: &[f64]) {
        self.tensor(name, &[values.len()], values);
    }

    fn data(&mut self, data: &DataInfo) {
        self.text("data.sha256", &data.sha256);
        self.text("data.rows", &data.rows.to_string());
        self.text("data.dimension", &data.dimension.to_string());
        if data.first_rows {
            self.text("data.first_rows", &data.rows.to_string());
        }
        if let Some((negative, positive)) = &data.labels {
            self.text("data.negative", negative);
            self.text("data.positive", positive);
        }
        if let Some(scale) = data.scale {
            self.scalar("data.scale", scale);
        }
    }

    fn claim(&mut self, claim: &str, content: &Claim, data: &DataInfo) {
        self.text(&format!("{claim}.method"), content.witness.method());
        self.scalar(&format!("{claim}.bound"), content.bound);
        for (name, value) in content.witness.scalars() {
            self.scalar(&format!("{claim}.{name}"), value);
        }
        for (name, values, length) in content.witness.vectors() {
            let shape = length.shape(data.rows, data.dimension);
            // A table of the wrong size is written as a vector: readers refuse it.
            let fits = shape.len() == 2 && shape[0].checked_mul(shape[1]) == Some(values.len());
            let shape = if fits { shape } else { vec![values.len()] };
            self.tensor(&format!("{claim}.{name}"), &shape, values);
        }
    }

    /// An m that must not be there is written too: readers refuse it.
    fn horizon(&mut self, horizon: &Horizon, loss: &Witness) {
        self.scalar("horizon.steps", horizon.steps as f64);
        self.scalar("horizon.bound", horizon.bound);
        self.vector("horizon.start", &horizon.start);
        if loss.has_ball() || horizon.m != 0.0 {
            self.scalar("horizon.m", horizon.m);
        }
    }

    /// Header length, header (padded so that the arrays are aligned), arrays.
    fn finish(self) -> Vec<u8> {
        let mut header = Map::new();
        header.insert("__metadata__".to_owned(), Value::Object(self.texts));
        header.extend(self.tensors);
        let mut header = Value::Object(header).to_string().into_bytes();
        header.resize(header.len().next_multiple_of(8), b' ');
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend(header);
        file.extend(self.bytes);
        file
    }
}
