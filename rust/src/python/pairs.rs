//! Scores of all pairs of some texts, and of texts against references that stand for one.

use crate::overlap::Expected;
use numpy::{PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

/// References with their weights, as many of each.
pub fn expected<'a>(references: &'a [usize], weights: &'a [f64]) -> PyResult<Expected<'a>> {
    if references.len() != weights.len() {
        return Err(PyValueError::new_err("references and weights of different lengths"));
    }
    Ok(Expected { references, weights })
}

/// A matrix with a row for each output, filled by `fill` while the interpreter is released. The
/// places must be those of texts that there are.
pub fn matrix<'py>(
    py: Python<'py>,
    texts: usize,
    (outputs, references): (&[usize], &[usize]),
    columns: usize,
    fill: impl FnOnce(&mut [f64]) + Send,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    if let Some(place) = outputs.iter().chain(references).find(|place| **place >= texts) {
        return Err(PyIndexError::new_err(format!("text {place} of {texts}")));
    }
    let array = PyArray2::zeros(py, [outputs.len(), columns], false);
    // No one else knows the new array yet.
    let scores = unsafe { array.as_slice_mut()? };
    if !scores.is_empty() {
        py.detach(|| fill(scores));
    }
    Ok(array)
}
