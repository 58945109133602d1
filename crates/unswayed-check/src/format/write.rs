//! Writing a certificate file.

use serde_json::{Map, Value, json};

use super::{Certificate, Claim, DataInfo, FORMAT, Horizon, VERSION, Witness};

impl Certificate {
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
