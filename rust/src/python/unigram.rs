//! Unigram matches.

use super::hits::PyHits;
use crate::unigram;
use numpy::{PyArray2, PyArrayMethods};
use pyo3::prelude::*;

#[pyfunction]
pub fn unigram_rows<'py>(
    py: Python<'py>,
    hits: &Bound<'py, PyHits>,
    recall_weight: f64,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let hits = &hits.get().0;
    let array = PyArray2::zeros(py, [hits.len(), unigram::COLUMNS], false);
    // No one else knows the new array yet.
    let rows = unsafe { array.as_slice_mut()? };
    py.detach(|| unigram::rows(hits, recall_weight, rows));
    Ok(array)
}
