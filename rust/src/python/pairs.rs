//! Scores of all pairs of some texts.

use numpy::{PyArray2, PyArrayMethods};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

/// A matrix with a row for each output and a column for each reference, filled by `fill` while
/// the interpreter is released. The places must be those of texts that there are.
pub fn matrix<'py>(
    py: Python<'py>,
    texts: usize,
    outputs: &[usize],
    references: &[usize],
    fill: impl FnOnce(&mut [f64]) + Send,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    if let Some(place) = outputs.iter().chain(references).find(|place| **place >= texts) {
        return Err(PyIndexError::new_err(format!("text {place} of {texts}")));
    }
    let array = PyArray2::zeros(py, [outputs.len(), references.len()], false);
    // No one else knows the new array yet.
    let scores = unsafe { array.as_slice_mut()? };
    if !scores.is_empty() {
        py.detach(|| fill(scores));
    }
    Ok(array)
}
