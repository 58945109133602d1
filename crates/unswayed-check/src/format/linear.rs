//! Files about linear learners: version 2 of the format.

use super::read::{Reader, refuse_text};
use super::write::Writer;
use super::{DataInfo, FORMAT, FormatError, Horizon};
use crate::linear::shape::Shape;
use crate::linear::types::{
    Cases, Confidence, ConfidenceClaim, Deviation, Linear, LinearCertificate, LinearClaim, LinearWitness,
    Lines, Loss, Method, Set, Shells, Step, Target,
};

const VERSION: &str = "2";
const LEARNER: &str = "linear";

impl LinearCertificate {
    /// Whether the bytes are a certificate file about a linear learner, good or bad.
    pub fn is_linear(bytes: &[u8]) -> bool {
        let version = Reader::new(bytes).ok().and_then(|mut file| file.text("format_version").ok());
        version.as_deref() == Some(VERSION)
    }

    /// Reads a certificate file about a linear learner.
    ///
    /// # Errors
    /// The first thing found that is not as the format's description has it.
    pub fn from_bytes(bytes: &[u8]) -> Result<LinearCertificate, FormatError> {
        let mut file = Reader::new(bytes)?;
        file.fixed("format", FORMAT)?;
        file.fixed("format_version", VERSION)?;
        file.fixed("learner", LEARNER)?;
        let tool = file.text("tool")?;
        let count = file.count("data.count")?;
        // Each dataset has entries of its own, so the first missing one ends a loop that is too long.
        let data = (0..count).map(|i| file.data_info(&format!("data.{i}"))).collect::<Result<Vec<_>, _>>()?;
        let Some(first) = data.first() else {
            return Err(refuse_text("data.count", "0", "at least 1"));
        };
        let dimension = first.dimension;
        let is_rows = file.has_text("target.sha256");
        let target = if is_rows { Some(file.data_info("target")?) } else { None };
        let learner = file.linear(&data, dimension, is_rows)?;
        let about = About { learner: &learner, data: &data, target: target.as_ref() };
        let loss = file.linear_claim("loss", &about)?;
        let error =
            if file.has_text("error.method") { Some(file.linear_claim("error", &about)?) } else { None };
        let horizon = file.linear_horizon(loss.witness.beta.len())?;
        let confidence = file.confidence(&learner, dimension)?;
        file.finish()?;
        Ok(LinearCertificate { tool, data, target, learner, loss, error, horizon, confidence })
    }

    /// Writes a certificate file: the same certificate always gives the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut file = Writer::default();
        file.text("format", FORMAT);
        file.text("format_version", VERSION);
        file.text("tool", &self.tool);
        file.text("learner", LEARNER);
        file.text("data.count", &self.data.len().to_string());
        for (i, data) in self.data.iter().enumerate() {
            file.data_info(&format!("data.{i}"), data);
        }
        if let Some(target) = &self.target {
            file.data_info("target", target);
        }
        let dimension = self.data.first().map_or(0, |d| d.dimension);
        file.linear(&self.learner, dimension);
        file.linear_claim("loss", &self.loss);
        if let Some(error) = &self.error {
            file.linear_claim("error", error);
        }
        if let Some(horizon) = &self.horizon {
            file.horizon(horizon, false);
        }
        if let Some(claim) = &self.confidence {
            file.confidence(claim);
        }
        file.finish()
    }
}

/// What a claim is about.
struct About<'a> {
    learner: &'a Linear,
    data: &'a [DataInfo],
    target: Option<&'a DataInfo>,
}

impl Reader {
    fn linear(&mut self, data: &[DataInfo], dimension: usize, is_rows: bool) -> Result<Linear, FormatError> {
        Ok(Linear {
            learning_rate: self.scalar("learning_rate")?,
            regularization: self.scalar("regularization")?,
            poison_rate: self.scalar("poison_rate")?,
            loss: self.loss_kind()?,
            step: self.step()?,
            set: self.set(dimension)?,
            target: self.target(data, is_rows)?,
        })
    }

    fn loss_kind(&mut self) -> Result<Loss, FormatError> {
        let name = self.text("learner.loss")?;
        match name.as_str() {
            "hinge" => Ok(Loss::Hinge),
            "logistic" => Ok(Loss::Logistic),
            "classes" => Ok(Loss::Classes(self.count("learner.classes")?)),
            _ => Err(refuse_text("learner.loss", &name, "a known loss")),
        }
    }

    fn step(&mut self) -> Result<Step, FormatError> {
        let batch = self.count("step.batch")? as u64;
        let text = if self.has_text("step.free") { Some(self.text("step.free")?) } else { None };
        let coordinate = |part: &str| part.parse::<usize>().ok().filter(|j| j.to_string() == part);
        let free: Option<Vec<usize>> = match &text {
            None => Some(vec![]),
            Some(list) => list.split(',').map(coordinate).collect(),
        };
        let Some(free) = free else {
            return Err(refuse_text("step.free", &text.unwrap_or_default(), "coordinates such as 3 or 0,5"));
        };
        Ok(Step {
            batch,
            projection: self.optional_scalar("step.projection")?,
            clip: self.optional_scalar("step.clip")?,
            free,
        })
    }

    fn set(&mut self, dimension: usize) -> Result<Set, FormatError> {
        let name = self.text("set")?;
        Ok(match name.as_str() {
            "ball" => Set::Ball { radius: self.scalar("set.radius")? },
            "box" => Set::Box { radii: self.vector("set.radii", dimension)? },
            "ellipsoid" => {
                let length = dimension.saturating_mul(dimension.saturating_add(1)) / 2;
                Set::Ellipsoid { q: self.vector("set.q", length)? }
            }
            "points" => {
                let count = self.count("set.count")?;
                Set::Points { points: self.tensor("set.points", vec![count, dimension])? }
            }
            "labels" => Set::Labels,
            "any" => Set::Any,
            _ => return Err(refuse_text("set", &name, "a known set")),
        })
    }

    fn target(&mut self, data: &[DataInfo], is_rows: bool) -> Result<Target, FormatError> {
        let name = self.text("target")?;
        match name.as_str() {
            "data" if !is_rows => Ok(Target::Data),
            "rows" if is_rows => Ok(Target::Rows),
            "weights" if !is_rows => {
                let weights =
                    |(i, d): (usize, &DataInfo)| self.vector(&format!("target.weights.{i}"), d.rows);
                Ok(Target::Weights(data.iter().enumerate().map(weights).collect::<Result<_, _>>()?))
            }
            _ => Err(refuse_text("target", &name, "a known target that fits the other entries")),
        }
    }

    fn linear_claim(&mut self, claim: &'static str, about: &About) -> Result<LinearClaim, FormatError> {
        let named = self.text(&format!("{claim}.method"))?;
        let method = Method::named(&named).filter(|m| m.is_error() == (claim == "error"));
        let Some(method) = method else {
            return Err(FormatError::BadMethod { claim, method: named, learner: LEARNER });
        };
        let name = |field: &str| format!("{claim}.{field}");
        let by_label = self.has_text(&name("split"));
        if by_label {
            self.fixed(&name("split"), "labels")?;
        }
        let count = if self.has_text(&name("shells")) { Some(self.count(&name("shells"))?) } else { None };
        let rows: Vec<usize> = about.data.iter().map(|d| d.rows).collect();
        let (dimension, target) = (about.data[0].dimension, about.target.map(|t| t.rows));
        let shape = Shape::of(about.learner, &rows, dimension, target, count, by_label);
        let bound = self.scalar(&name("bound"))?;
        let witness = LinearWitness {
            method,
            alpha: self.scalar(&name("alpha"))?,
            beta: self.vector(&name("beta"), shape.parameters)?,
            omega: self.optional_scalar(&name("omega"))?,
            shells: count.map(|m| self.shells(claim, m, shape.parameters)).transpose()?,
            by_label,
            lines: self.lines(claim, method, about, &shape)?,
            cases: self.cases(claim, &shape)?,
        };
        Ok(LinearClaim { bound, witness })
    }

    fn shells(&mut self, claim: &str, count: usize, parameters: usize) -> Result<Shells, FormatError> {
        Ok(Shells {
            centre: self.vector(&format!("{claim}.shell.centre"), parameters)?,
            radii: self.vector(&format!("{claim}.shell.radii"), count)?,
            ball: self.scalar(&format!("{claim}.shell.ball"))?,
        })
    }

    fn lines(
        &mut self,
        claim: &str,
        method: Method,
        about: &About,
        shape: &Shape,
    ) -> Result<Vec<Lines>, FormatError> {
        let count = self.count(&format!("{claim}.lines"))?;
        let datasets = self.indices(&format!("{claim}.lines.dataset"), count)?;
        let shells = self.indices(&format!("{claim}.lines.shell"), count)?;
        let mut all = Vec::with_capacity(count);
        for (i, (dataset, shell)) in datasets.into_iter().zip(shells).enumerate() {
            let mut lines = Lines { dataset, shell, ..Lines::default() };
            for (vector, length) in shape.line_vectors(method, &about.learner.target, dataset) {
                let numbers = self.vector(&format!("{claim}.lines.{i}.{vector}"), length)?;
                if let Some(place) = lines.vector_mut(vector) {
                    *place = numbers;
                }
            }
            all.push(lines);
        }
        Ok(all)
    }

    fn cases(&mut self, claim: &str, shape: &Shape) -> Result<Cases, FormatError> {
        let lines = self.indices(&format!("{claim}.case.lines"), shape.cases)?;
        let mut cases = Cases { lines, ..Cases::default() };
        for &(vector, width) in &shape.case_vectors {
            let numbers = self.tensor(&format!("{claim}.case.{vector}"), vec![shape.cases, width])?;
            if let Some(place) = cases.vector_mut(vector) {
                *place = numbers;
            }
        }
        Ok(cases)
    }

    /// Whole numbers ≥ 0.
    fn indices(&mut self, name: &str, count: usize) -> Result<Vec<usize>, FormatError> {
        let numbers = self.vector(name, count)?;
        let whole = |&x: &f64| (0.0..9e15).contains(&x) && x.fract() == 0.0 && x.is_sign_positive();
        match numbers.iter().find(|x| !whole(x)) {
            None => Ok(numbers.iter().map(|&x| x as usize).collect()),
            Some(x) => Err(FormatError::BadNumber {
                name: name.to_owned(),
                value: x.to_string(),
                wanted: "a whole number",
            }),
        }
    }

    fn linear_horizon(&mut self, parameters: usize) -> Result<Option<Horizon>, FormatError> {
        let Some(steps) = self.steps()? else { return Ok(None) };
        let start = self.vector("horizon.start", parameters)?;
        Ok(Some(Horizon { steps, start, m: 0.0, bound: self.scalar("horizon.bound")? }))
    }
}

impl Reader {
    fn confidence(
        &mut self,
        learner: &Linear,
        dimension: usize,
    ) -> Result<Option<ConfidenceClaim>, FormatError> {
        if !self.has_text("confidence.method") {
            return Ok(None);
        }
        let name = self.text("confidence.method")?;
        let deviation = match name.as_str() {
            "hoeffding" => Deviation::Hoeffding,
            "bernstein" => Deviation::Bernstein,
            _ => return Err(refuse_text("confidence.method", &name, "hoeffding or bernstein")),
        };
        let width = if matches!(learner.set, Set::Box { .. }) { dimension } else { 1 };
        let confidence = Confidence {
            deviation,
            alpha: self.scalar("confidence.alpha")?,
            beta: self.vector("confidence.beta", dimension)?,
            tau: self.vector("confidence.tau", width)?,
            nu: self.scalar("confidence.nu")?,
            omega: self.optional_scalar("confidence.omega")?,
            theta: self.vector("confidence.theta", dimension)?,
            gain: self.scalar("confidence.gain")?,
            radius: self.scalar("confidence.radius")?,
            delta: self.scalar("confidence.delta")?,
        };
        Ok(Some(ConfidenceClaim { bound: self.scalar("confidence.bound")?, confidence }))
    }
}

impl Writer {
    fn confidence(&mut self, claim: &ConfidenceClaim) {
        let c = &claim.confidence;
        self.text("confidence.method", c.deviation.name());
        self.scalar("confidence.bound", claim.bound);
        for (name, value) in
            [("alpha", c.alpha), ("nu", c.nu), ("gain", c.gain), ("radius", c.radius), ("delta", c.delta)]
        {
            self.scalar(&format!("confidence.{name}"), value);
        }
        if let Some(omega) = c.omega {
            self.scalar("confidence.omega", omega);
        }
        for (name, values) in [("beta", &c.beta), ("tau", &c.tau), ("theta", &c.theta)] {
            self.vector(&format!("confidence.{name}"), values);
        }
    }

    fn linear(&mut self, learner: &Linear, dimension: usize) {
        for (name, value) in [
            ("learning_rate", Some(learner.learning_rate)),
            ("regularization", Some(learner.regularization)),
            ("poison_rate", Some(learner.poison_rate)),
            ("step.projection", learner.step.projection),
            ("step.clip", learner.step.clip),
        ] {
            if let Some(value) = value {
                self.scalar(name, value);
            }
        }
        self.loss_kind(learner.loss);
        self.text("step.batch", &learner.step.batch.to_string());
        if !learner.step.free.is_empty() {
            let free: Vec<String> = learner.step.free.iter().map(ToString::to_string).collect();
            self.text("step.free", &free.join(","));
        }
        self.set(&learner.set, dimension);
        self.target(&learner.target);
    }

    fn loss_kind(&mut self, loss: Loss) {
        let name = match loss {
            Loss::Hinge => "hinge",
            Loss::Logistic => "logistic",
            Loss::Classes(_) => "classes",
        };
        self.text("learner.loss", name);
        if let Loss::Classes(classes) = loss {
            self.text("learner.classes", &classes.to_string());
        }
    }

    fn set(&mut self, set: &Set, dimension: usize) {
        self.text("set", set.name());
        match set {
            Set::Ball { radius } => self.scalar("set.radius", *radius),
            Set::Box { radii } => self.vector("set.radii", radii),
            Set::Ellipsoid { q } => self.vector("set.q", q),
            Set::Points { points } => {
                let count = points.len().checked_div(dimension).unwrap_or(0);
                self.text("set.count", &count.to_string());
                self.table("set.points", &[count, dimension], points);
            }
            Set::Labels | Set::Any => {}
        }
    }

    fn target(&mut self, target: &Target) {
        self.text(
            "target",
            match target {
                Target::Data => "data",
                Target::Weights(_) => "weights",
                Target::Rows => "rows",
            },
        );
        if let Target::Weights(weights) = target {
            for (i, weights) in weights.iter().enumerate() {
                self.vector(&format!("target.weights.{i}"), weights);
            }
        }
    }

    fn linear_claim(&mut self, claim: &str, content: &LinearClaim) {
        let (w, name) = (&content.witness, |field: &str| format!("{claim}.{field}"));
        self.text(&name("method"), w.method.name());
        if w.by_label {
            self.text(&name("split"), "labels");
        }
        self.scalar(&name("bound"), content.bound);
        self.scalar(&name("alpha"), w.alpha);
        self.vector(&name("beta"), &w.beta);
        if let Some(omega) = w.omega {
            self.scalar(&name("omega"), omega);
        }
        if let Some(shells) = &w.shells {
            self.text(&name("shells"), &shells.radii.len().to_string());
            self.vector(&name("shell.centre"), &shells.centre);
            self.vector(&name("shell.radii"), &shells.radii);
            self.scalar(&name("shell.ball"), shells.ball);
        }
        self.text(&name("lines"), &w.lines.len().to_string());
        self.indices(&name("lines.dataset"), w.lines.iter().map(|l| l.dataset));
        self.indices(&name("lines.shell"), w.lines.iter().map(|l| l.shell));
        for (i, lines) in w.lines.iter().enumerate() {
            for (vector, numbers) in lines.vectors().into_iter().filter(|(_, v)| !v.is_empty()) {
                self.vector(&name(&format!("lines.{i}.{vector}")), numbers);
            }
        }
        let count = w.cases.lines.len();
        self.indices(&name("case.lines"), w.cases.lines.iter().copied());
        for (vector, numbers) in w.cases.vectors().into_iter().filter(|(_, v)| !v.is_empty()) {
            let width = numbers.len().checked_div(count).unwrap_or(0);
            self.table(&name(&format!("case.{vector}")), &[count, width], numbers);
        }
    }

    fn indices(&mut self, name: &str, indices: impl Iterator<Item = usize>) {
        let numbers: Vec<f64> = indices.map(|i| i as f64).collect();
        self.vector(name, &numbers);
    }
}

impl Set {
    /// The name in files.
    pub fn name(&self) -> &'static str {
        match self {
            Set::Ball { .. } => "ball",
            Set::Box { .. } => "box",
            Set::Ellipsoid { .. } => "ellipsoid",
            Set::Points { .. } => "points",
            Set::Labels => "labels",
            Set::Any => "any",
        }
    }
}
