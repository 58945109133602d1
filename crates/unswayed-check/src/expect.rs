//! What a reader expects of a statement: `KEY=VALUE`, `KEY>=NUMBER`, `KEY<=NUMBER`.

use serde_json::Value;

use crate::text::Checked;

/// How a field is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    AtLeast,
    AtMost,
}

/// Splits an expectation into key, comparison and value.
fn parse(text: &str) -> Result<(&str, Comparison, &str), String> {
    let signs = [(">=", Comparison::AtLeast), ("<=", Comparison::AtMost), ("=", Comparison::Equal)];
    let split = signs
        .iter()
        .find_map(|(sign, how)| text.split_once(sign).map(|(key, value)| (key.trim(), *how, value.trim())));
    split
        .filter(|(key, ..)| !key.is_empty())
        .ok_or_else(|| format!("--expect {text}: it must be KEY=VALUE, KEY>=NUMBER or KEY<=NUMBER"))
}

/// The fields with this key: a path from the top (`statement.threat.poison_rate`) or the end of one (`poison_rate`).
fn fields<'a>(object: &'a Value, key: &str) -> Vec<(String, &'a Value)> {
    let (mut found, mut open) = (vec![], vec![(String::new(), object)]);
    while let Some((path, value)) = open.pop() {
        if path == key || path.ends_with(&format!(".{key}")) {
            found.push((path, value));
            continue;
        }
        let name = |part: &str| if path.is_empty() { part.to_owned() } else { format!("{path}.{part}") };
        match value {
            Value::Object(entries) => open.extend(entries.iter().map(|(part, value)| (name(part), value))),
            Value::Array(entries) => {
                open.extend(entries.iter().enumerate().map(|(i, value)| (name(&i.to_string()), value)));
            }
            _ => {}
        }
    }
    found
}

/// Writes out what a statement leaves out, so that it can be asked for.
fn complete(object: &mut Value) {
    let Some(statement) = object.get_mut("statement") else { return };
    if let Some(origin) = statement.pointer_mut("/benign/samples") {
        fill(origin, &ORIGIN);
    }
    if statement.get("learner").is_none() {
        return;
    }
    fill(statement, &["horizon", "hostile_rows"]);
    for (part, names) in
        [("/learner", &LEARNER[..]), ("/learner/schedule", &["from_step"]), ("/threat", &THREAT)]
    {
        if let Some(part) = statement.pointer_mut(part) {
            fill(part, names);
        }
    }
    if statement["learner"]["average"].is_null() {
        statement["learner"]["average"] = Value::Bool(false);
    }
    if let Some(origin) = statement.pointer_mut("/target/rows") {
        fill(origin, &ORIGIN);
    }
    if let Some(Value::Array(data)) = statement.get_mut("data") {
        for origin in data {
            fill(origin, &ORIGIN);
        }
    }
}

/// What is absent where there is none of it.
const LEARNER: [&str; 6] = ["schedule", "momentum", "projection", "clip", "unregularized", "average"];
const THREAT: [&str; 3] = ["label_bound", "poison_weight", "moments"];
const ORIGIN: [&str; 5] = ["step_weight_column", "class_weights", "chosen_columns", "files", "made"];
/// The fields that may be a number for each class.
const OF_CLASSES: [&str; 2] = ["class_weights", "poison_weight"];
/// The fields that are vectors, which JSON has as text.
const VECTORS: [&str; 4] = ["radii", "q", "points", "start"];

/// Adds the names that the object lacks, each as null.
fn fill(part: &mut Value, names: &[&str]) {
    let Some(part) = part.as_object_mut() else { return };
    for name in names {
        part.entry(*name).or_insert(Value::Null);
    }
}

/// The numbers of a field: of a vector, a list, one for each class, or a single one.
fn numbers(path: &str, field: &Value) -> Option<Vec<f64>> {
    let is_vector = path.contains("target.weights.")
        || path.rsplit('.').next().is_some_and(|name| VECTORS.contains(&name));
    match field {
        Value::String(text) if is_vector => crate::array::decode(text).ok(),
        Value::Array(list) if !list.is_empty() => list.iter().map(Value::as_f64).collect(),
        Value::Object(fields) if OF_CLASSES.iter().any(|name| path.ends_with(name)) => {
            fields.values().map(Value::as_f64).collect()
        }
        Value::Number(number) => number.as_f64().map(|x| vec![x]),
        _ => None,
    }
}

fn is_none(wanted: &str) -> bool {
    wanted == "none" || wanted == "null"
}

/// Whether a field is as expected; several numbers, if each of them is. A name without fields of its own (`data`,
/// `label_flips`) is a text.
fn holds(path: &str, field: &Value, how: Comparison, wanted: &str) -> Result<bool, String> {
    let number = || wanted.parse::<f64>().map_err(|_| format!("{wanted:?} is not a number"));
    let of_all = |holds: &dyn Fn(f64, f64) -> bool| match numbers(path, field) {
        Some(numbers) => number().map(|wanted| numbers.iter().all(|&x| holds(x, wanted))),
        None => Err("it is not a number".to_owned()),
    };
    match (field, how) {
        (Value::Null, Comparison::Equal) => Ok(is_none(wanted)),
        (Value::Null, _) => Ok(false),
        (_, Comparison::AtLeast) => of_all(&|x, wanted| x >= wanted),
        (_, Comparison::AtMost) => of_all(&|x, wanted| x <= wanted),
        (Value::Number(_) | Value::Array(_), Comparison::Equal) if is_none(wanted) => Ok(false),
        (Value::Number(_), Comparison::Equal) => of_all(&|x, wanted| x.to_bits() == wanted.to_bits()),
        (Value::Array(list), Comparison::Equal) if list.iter().all(Value::is_string) => {
            Ok(list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(",") == wanted)
        }
        (Value::Array(_), Comparison::Equal) => of_all(&|x, wanted| x.to_bits() == wanted.to_bits()),
        (Value::String(field), Comparison::Equal) => Ok(field == wanted),
        (Value::Bool(field), Comparison::Equal) => Ok(field.to_string() == wanted),
        // An enumeration with fields, such as {"ball": {"radius": 1}}, is known by its name.
        (Value::Object(field), Comparison::Equal) => Ok(field.len() == 1 && field.contains_key(wanted)),
    }
}

impl Checked {
    /// Also requires the statement and its bounds to be what a reader expects, such as `poison_rate>=0.02`,
    /// `statement.threat.set.ball.radius>=1` or `certified_loss<=0.2`. The first expectation that fails makes it not valid.
    pub fn expect(self, expected: &[String]) -> Checked {
        if self.code() != 0 {
            return self;
        }
        let mut object = self.json();
        complete(&mut object);
        for text in expected {
            let (key, how, wanted) = match parse(text) {
                Ok(parsed) => parsed,
                Err(message) => return Checked::Unreadable(message),
            };
            let found = fields(&object, key);
            let [(path, field)] = found.as_slice() else {
                let what =
                    if found.is_empty() { "there is no such field" } else { "several fields have that name" };
                let names: Vec<&str> = found.iter().map(|(path, _)| path.as_str()).collect();
                return Checked::Unexpected(
                    format!("{text}: {what} {}", names.join(", ")).trim_end().to_owned(),
                );
            };
            match holds(path, field, how, wanted) {
                Ok(true) => {}
                Ok(false) => return Checked::Unexpected(format!("expected {text}, but {path} is {field}")),
                Err(message) => {
                    return Checked::Unreadable(format!("--expect {text}: {path} is {field}: {message}"));
                }
            }
        }
        self
    }
}
