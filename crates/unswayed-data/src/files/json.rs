//! A JSON object a line. Values are taken as the cells of a `.csv` file would be: numbers by their digits, texts by their
//! content, `true` and `false` as words.

use std::collections::HashMap;
use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

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
pub(super) fn fields(line: &[u8]) -> Result<Vec<(String, &RawValue)>, Problem> {
    struct Fields;
    impl<'de> Visitor<'de> for Fields {
        type Value = Vec<(String, &'de RawValue)>;

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
    names: &'a [String],
    places: HashMap<&'a str, usize>,
}

impl<'a> Rows<'a> {
    pub fn new(names: &'a [String]) -> Self {
        Rows { names, places: names.iter().map(String::as_str).zip(0..).collect() }
    }

    /// The cells of a line, in the order of the names. Every field has a name: all lines were read for them.
    pub fn cells<'l>(&self, line: &'l [u8]) -> Result<Vec<Cell<'l>>, DataError> {
        let mut cells = vec![None; self.names.len()];
        let mut seen = vec![false; self.names.len()];
        for (name, value) in fields(line)? {
            let Some(&j) = self.places.get(name.as_str()) else { continue };
            if std::mem::replace(&mut seen[j], true) {
                return Err(Problem::NotAnObject("a field stands twice".into()).at(Place::column(&name)));
            }
            cells[j] = cell(value.get()).map_err(|problem| problem.at(Place::column(&name)))?;
        }
        Ok(cells)
    }
}

fn cell(value: &str) -> Result<Cell<'_>, Problem> {
    Ok(match value.as_bytes().first() {
        Some(b'n') => None,
        Some(b'"') => {
            let text: String =
                serde_json::from_str(value).map_err(|error| Problem::NotAnObject(error.to_string()))?;
            Some(text.into())
        }
        Some(b'[') => return Err(Problem::WrongType("list".to_owned())),
        Some(b'{') => return Err(Problem::WrongType("object".to_owned())),
        _ => Some(value.into()),
    })
}
