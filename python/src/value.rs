//! JSON values as Python objects: numbers, text, lists and dictionaries, bit for bit.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::{Value, json};
use unswayed::simulate::{Estimate, Simulated};

pub fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(b) => b.into_pyobject(py)?.to_owned().into_any(),
        Value::Number(n) => match (n.as_i64(), n.as_u64()) {
            (Some(i), _) => i.into_pyobject(py)?.into_any(),
            (_, Some(u)) => u.into_pyobject(py)?.into_any(),
            _ => n.as_f64().into_pyobject(py)?.into_any(),
        },
        Value::String(text) => text.into_pyobject(py)?.into_any(),
        Value::Array(values) => {
            let items: Vec<_> = values.iter().map(|v| to_python(py, v)).collect::<PyResult<_>>()?;
            PyList::new(py, items)?.into_any()
        }
        Value::Object(fields) => {
            let dict = PyDict::new(py);
            for (name, value) in fields {
                dict.set_item(name, to_python(py, value)?)?;
            }
            dict.into_any()
        }
    })
}

/// A simulation's figures.
pub fn simulated(result: &Simulated) -> Value {
    let estimate = |e: Estimate| json!([e.mean, e.half_width]);
    json!({
        "loss": estimate(result.loss),
        "error": result.error.map(estimate),
        "test_loss": result.test_loss.map(estimate),
        "test_error": result.test_error.map(estimate),
        "steps": result.steps,
        "verdict": result.verdict.word(),
    })
}
