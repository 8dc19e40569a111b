//! Terms with their counts, as bytes and arrays.

use super::compute::{detach, load_numpy};
use crate::terms::Terms;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The terms one behind the other, where each ends, and how often each was counted.
pub type Parts<'py> = (Bound<'py, PyBytes>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>);

pub fn parts<'py>(py: Python<'py>, list: impl FnOnce() -> Terms + Send) -> PyResult<Parts<'py>> {
    load_numpy(py)?;
    let (bytes, ends, counts) = detach(py, list)?.into_parts();
    Ok((PyBytes::new(py, &bytes), ends.into_pyarray(py), counts.into_pyarray(py)))
}

pub fn packed(
    bytes: &[u8],
    ends: PyReadonlyArray1<'_, i64>,
    counts: PyReadonlyArray1<'_, i64>,
) -> PyResult<Terms> {
    let (ends, counts) = (ends.as_slice()?.to_vec(), counts.as_slice()?.to_vec());
    Terms::packed(bytes.to_vec(), ends, counts).ok_or_else(not_terms)
}

#[pyfunction]
pub fn logarithms<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    load_numpy(py)?;
    let values = values.as_slice()?;
    let found = detach(py, || values.iter().map(|value| value.ln()).collect::<Vec<_>>())?;
    Ok(found.into_pyarray(py))
}

pub fn not_terms() -> PyErr {
    PyValueError::new_err("these are no terms of this measure")
}
