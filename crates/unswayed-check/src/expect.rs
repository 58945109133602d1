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

/// Writes out what a statement about a linear learner leaves out, so that it can be asked for.
fn complete(object: &mut Value) {
    let Some(statement) = object.get_mut("statement").and_then(Value::as_object_mut) else { return };
    let Some(learner) = statement.get_mut("learner").and_then(Value::as_object_mut) else { return };
    for name in ["schedule", "momentum", "projection", "clip", "unregularized"] {
        learner.entry(name).or_insert(Value::Null);
    }
    learner.entry("average").or_insert(Value::Bool(false));
    for name in ["horizon", "hostile_rows"] {
        statement.entry(name).or_insert(Value::Null);
    }
}

fn is_none(wanted: &str) -> bool {
    wanted == "none" || wanted == "null"
}

/// Whether a field is as expected. A name without fields of its own (`data`, `label_flips`) is a text.
fn holds(field: &Value, how: Comparison, wanted: &str) -> Result<bool, String> {
    let number = || wanted.parse::<f64>().map_err(|_| format!("{wanted:?} is not a number"));
    Ok(match (field, how) {
        (Value::Number(_) | Value::Array(_), Comparison::Equal) if is_none(wanted) => false,
        (Value::Number(field), _) => {
            let (field, wanted) = (field.as_f64().unwrap_or(f64::NAN), number()?);
            match how {
                Comparison::Equal => field.to_bits() == wanted.to_bits(),
                Comparison::AtLeast => field >= wanted,
                Comparison::AtMost => field <= wanted,
            }
        }
        (Value::String(field), Comparison::Equal) => field == wanted,
        (Value::Bool(field), Comparison::Equal) => field.to_string() == wanted,
        (Value::Null, Comparison::Equal) => is_none(wanted),
        (Value::Null, _) => false,
        // An enumeration with fields, such as {"ball": {"radius": 1}}, is known by its name.
        (Value::Object(field), Comparison::Equal) => field.len() == 1 && field.contains_key(wanted),
        _ => return Err("it is not a number".to_owned()),
    })
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
            match holds(field, how, wanted) {
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
