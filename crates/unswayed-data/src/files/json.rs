//! A JSON object a line. Values are taken as the cells of a `.csv` file would be: numbers in their shortest form, texts by their
//! content, `true` and `false` as words.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::columns::Role;
use super::text::Cell;
use crate::error::{DataError, Place, Problem};

/// The lines that are not blank.
pub(super) fn lines(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
    content.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty())
}

/// The line of a row (counted from 1).
pub(super) fn line_of_row(content: &[u8], row: usize) -> Option<u64> {
    let lines = content.split(|&byte| byte == b'\n').zip(1..);
    lines.filter(|(line, _)| !line.trim_ascii().is_empty()).nth(row.checked_sub(1)?).map(|(_, number)| number)
}

/// The fields of an object, in its order.
pub(super) fn fields(line: &[u8]) -> Result<Vec<(String, Value<'_>)>, Problem> {
    struct Fields;
    impl<'de> Visitor<'de> for Fields {
        type Value = Vec<(String, Value<'de>)>;

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut fields = Vec::new();
            while let Some(field) = map.next_entry()? {
                fields.push(field);
            }
            Ok(fields)
        }
    }
    let mut json = serde_json::Deserializer::from_slice(line);
    let read = json.deserialize_map(Fields).and_then(|fields| json.end().map(|()| fields));
    read.map_err(|error| Problem::NotAnObject(error.to_string()))
}

/// Reads rows whose columns are known.
pub(super) struct Rows<'a> {
    roles: &'a [Role],
    places: HashMap<&'a str, usize>,
}

impl<'a> Rows<'a> {
    pub fn new(names: &'a [String], roles: &'a [Role]) -> Self {
        Rows { roles, places: names.iter().map(String::as_str).zip(0..).collect() }
    }

    /// The cells of a line, in the order of the names. Every field has a name: all lines were read for them.
    pub fn cells<'l>(&self, line: &'l [u8]) -> Result<Vec<Cell<'l>>, DataError> {
        let mut cells = vec![None; self.roles.len()];
        let mut seen = vec![false; self.roles.len()];
        for (name, value) in fields(line)? {
            let Some(&j) = self.places.get(name.as_str()) else { continue };
            if std::mem::replace(&mut seen[j], true) {
                return Err(Problem::NotAnObject("a field stands twice".into()).at(Place::column(&name)));
            }
            if self.roles[j] == Role::Ignored {
                continue;
            }
            cells[j] = value.cell().map_err(|problem| problem.at(Place::column(&name)))?;
        }
        Ok(cells)
    }
}

/// A value of a field.
pub(super) enum Value<'a> {
    Cell(Cell<'a>),
    /// A value with others in it.
    Nested(&'static str),
}

impl<'a> Value<'a> {
    fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Value::Cell(Some(text.into()))
    }

    fn cell(self) -> Result<Cell<'a>, Problem> {
        match self {
            Value::Cell(cell) => Ok(cell),
            Value::Nested(kind) => Err(Problem::WrongType(kind.to_owned())),
        }
    }
}

impl<'de> Deserialize<'de> for Value<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Value::text(if value { "true" } else { "false" }))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Value::Cell(None))
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Self::Value, E> {
        self.visit_f64(value as f64)
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Self::Value, E> {
        self.visit_f64(value as f64)
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Value::text((value + 0.0).to_string()))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(Value::text(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Value::text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Nested("list"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Nested("object"))
    }
}
