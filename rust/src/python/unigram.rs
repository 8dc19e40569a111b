//! Unigram matches.

use super::compute::matrix_of_words;
use super::hits::PyHits;
use crate::unigram;
use numpy::PyArray2;
use pyo3::prelude::*;

#[pyfunction]
pub fn unigram_rows<'py>(
    py: Python<'py>,
    hits: &Bound<'py, PyHits>,
    recall_weight: f64,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let hits = &hits.get().0;
    matrix_of_words(py, hits.words(), hits.len(), unigram::COLUMNS, |rows| {
        unigram::rows(hits, recall_weight, rows)
    })
}
