//! Reading a certificate file.

use std::collections::BTreeMap;

use safetensors::{Dtype, SafeTensors};

use super::{
    Certificate, Claim, DataInfo, FORMAT, FormatError, Hinge, Horizon, Learner, Length, Mean, PaperWitness,
    VERSION, Witness,
};

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
        let data = file.data_info("data")?;
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
}

/// The contents of a file that have not been used yet.
pub(super) struct Reader {
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
    pub(super) fn new(bytes: &[u8]) -> Result<Reader, FormatError> {
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

    pub(super) fn text(&mut self, key: &str) -> Result<String, FormatError> {
        self.texts.remove(key).ok_or_else(|| FormatError::MissingText(key.to_owned()))
    }

    pub(super) fn fixed(&mut self, key: &str, wanted: &'static str) -> Result<(), FormatError> {
        let value = self.text(key)?;
        accept_text(value == wanted, key, value, wanted).map(|_| ())
    }

    pub(super) fn count(&mut self, key: &str) -> Result<usize, FormatError> {
        let value = self.text(key)?;
        match value.parse::<usize>() {
            Ok(count) if count.to_string() == value => Ok(count),
            _ => accept_text(false, key, value, "a whole number").map(|_| 0),
        }
    }

    pub(super) fn tensor(&mut self, name: &str, wanted: Vec<usize>) -> Result<Vec<f64>, FormatError> {
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

    pub(super) fn vector(&mut self, name: &str, length: usize) -> Result<Vec<f64>, FormatError> {
        self.tensor(name, vec![length])
    }

    pub(super) fn scalar(&mut self, name: &str) -> Result<f64, FormatError> {
        Ok(self.tensor(name, vec![])?.first().copied().unwrap_or_default())
    }

    pub(super) fn optional_scalar(&mut self, name: &str) -> Result<Option<f64>, FormatError> {
        if !self.tensors.contains_key(name) {
            return Ok(None);
        }
        self.scalar(name).map(Some)
    }

    pub(super) fn has_text(&self, key: &str) -> bool {
        self.texts.contains_key(key)
    }

    /// The rows that the entries beginning with `of` identify.
    pub(super) fn data_info(&mut self, of: &str) -> Result<DataInfo, FormatError> {
        let key = |field: &str| format!("{of}.{field}");
        let sha256 = self.text(&key("sha256"))?;
        let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        let is_digest = sha256.len() == 64 && sha256.bytes().all(hex);
        let digits = "64 lower-case hexadecimal digits";
        let sha256 = accept_text(is_digest, &key("sha256"), sha256, digits)?;
        let rows = self.count(&key("rows"))?;
        let dimension = self.count(&key("dimension"))?;
        let first_rows = self.has_text(&key("first_rows"));
        if first_rows {
            let first = self.text(&key("first_rows"))?;
            accept_text(first == rows.to_string(), &key("first_rows"), first, "the number of rows")?;
        }
        Ok(DataInfo { sha256, rows, dimension, first_rows, labels: self.labels(of)?, scale: self.scale(of)? })
    }

    fn labels(&mut self, of: &str) -> Result<Option<(String, String)>, FormatError> {
        let [negative, positive] = ["negative", "positive"].map(|field| format!("{of}.{field}"));
        if !self.has_text(&negative) && !self.has_text(&positive) {
            return Ok(None);
        }
        let first = self.text(&negative)?;
        let second = self.text(&positive)?;
        let differ = first != second;
        let second = accept_text(differ, &positive, second, "another label")?;
        Ok(Some((first, second)))
    }

    fn scale(&mut self, of: &str) -> Result<Option<f64>, FormatError> {
        let name = format!("{of}.scale");
        let scale = self.optional_scalar(&name)?;
        scale.map(|s| accept_number(s > 0.0, &name, s, "> 0")).transpose()
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
        if matches!(loss.witness, Witness::ClosedForm { .. }) {
            return Ok(None);
        }
        let Some(steps) = self.steps()? else { return Ok(None) };
        Ok(Some(Horizon {
            steps,
            start: self.vector("horizon.start", data.dimension)?,
            m: if loss.witness.has_ball() { self.scalar("horizon.m")? } else { 0.0 },
            bound: self.scalar("horizon.bound")?,
        }))
    }

    /// The number of steps of a horizon, if there is one.
    pub(super) fn steps(&mut self) -> Result<Option<u64>, FormatError> {
        if !self.tensors.contains_key("horizon.steps") {
            return Ok(None);
        }
        let steps = self.scalar("horizon.steps")?;
        let whole = (1.0..=9_007_199_254_740_992.0).contains(&steps) && steps.fract() == 0.0;
        let wanted = "a whole number from 1 to 2^53";
        Ok(Some(accept_number(whole, "horizon.steps", steps, wanted)? as u64))
    }

    /// Everything must have been used.
    pub(super) fn finish(self) -> Result<(), FormatError> {
        if let Some(key) = self.texts.into_keys().next() {
            return Err(FormatError::UnknownText(key));
        }
        match self.tensors.into_keys().next() {
            Some(name) => Err(FormatError::UnknownTensor(name)),
            None => Ok(()),
        }
    }
}

/// The complaint about a metadata value.
pub(super) fn refuse_text(key: &str, value: &str, wanted: &'static str) -> FormatError {
    bad_text(key, value.to_owned(), wanted)
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
