//! Writing a certificate file.

use serde_json::{Map, Value, json};

use super::{Certificate, Claim, DataInfo, FORMAT, Horizon, VERSION};

impl Certificate {
    /// Writes a certificate file: the same certificate always gives the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut file = Writer::default();
        file.text("format", FORMAT);
        file.text("format_version", VERSION);
        file.text("tool", &self.tool);
        file.text("learner", self.learner.name());
        file.data_info("data", &self.data);
        for (name, value) in self.learner.scalars() {
            file.scalar(name, value);
        }
        file.claim("loss", &self.loss, &self.data);
        if let Some(error) = &self.error {
            file.claim("error", error, &self.data);
        }
        if let Some(horizon) = &self.horizon {
            file.horizon(horizon, self.loss.witness.has_ball());
        }
        file.finish()
    }
}

/// A file in the making.
#[derive(Default)]
pub(super) struct Writer {
    texts: Map<String, Value>,
    tensors: Map<String, Value>,
    bytes: Vec<u8>,
}

impl Writer {
    pub(super) fn text(&mut self, key: &str, value: &str) {
        self.texts.insert(key.to_owned(), json!(value));
    }

    fn tensor(&mut self, name: &str, shape: &[usize], numbers: &[f64]) {
        let begin = self.bytes.len();
        self.bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
        let offsets = [begin, self.bytes.len()];
        let entry = json!({"dtype": "F64", "shape": shape, "data_offsets": offsets});
        self.tensors.insert(name.to_owned(), entry);
    }

    pub(super) fn scalar(&mut self, name: &str, value: f64) {
        self.tensor(name, &[], &[value]);
    }

    pub(super) fn vector(&mut self, name: &str, values: &[f64]) {
        self.tensor(name, &[values.len()], values);
    }

    /// A table; one of the wrong size is written as a vector, which readers refuse.
    pub(super) fn table(&mut self, name: &str, shape: &[usize], values: &[f64]) {
        let fits = shape.len() == 2 && shape[0].checked_mul(shape[1]) == Some(values.len());
        let vector = [values.len()];
        self.tensor(name, if fits { shape } else { &vector }, values);
    }

    pub(super) fn data_info(&mut self, of: &str, data: &DataInfo) {
        let key = |field: &str| format!("{of}.{field}");
        self.text(&key("sha256"), &data.sha256);
        self.text(&key("rows"), &data.rows.to_string());
        self.text(&key("dimension"), &data.dimension.to_string());
        if data.first_rows {
            self.text(&key("first_rows"), &data.rows.to_string());
        }
        if let Some((negative, positive)) = &data.labels {
            self.text(&key("negative"), negative);
            self.text(&key("positive"), positive);
        }
        if let Some(scale) = data.scale {
            self.scalar(&key("scale"), scale);
        }
    }

    fn claim(&mut self, claim: &str, content: &Claim, data: &DataInfo) {
        self.text(&format!("{claim}.method"), content.witness.method());
        self.scalar(&format!("{claim}.bound"), content.bound);
        for (name, value) in content.witness.scalars() {
            self.scalar(&format!("{claim}.{name}"), value);
        }
        for (name, values, length) in content.witness.vectors() {
            self.table(&format!("{claim}.{name}"), &length.shape(data.rows, data.dimension), values);
        }
    }

    /// An m that must not be there is written too: readers refuse it.
    pub(super) fn horizon(&mut self, horizon: &Horizon, has_m: bool) {
        self.scalar("horizon.steps", horizon.steps as f64);
        self.scalar("horizon.bound", horizon.bound);
        self.vector("horizon.start", &horizon.start);
        if has_m || horizon.m != 0.0 {
            self.scalar("horizon.m", horizon.m);
        }
    }

    /// Header length, header (padded so that the arrays are aligned), arrays.
    pub(super) fn finish(self) -> Vec<u8> {
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
