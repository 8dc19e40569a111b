//! The hit map.

use super::compute::detach_long;
use super::tokens::PyTokens;
use crate::hits::Hits;
use crate::tokens::Tokens;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

#[pyclass(frozen, name = "Hits", module = "metra._core")]
pub struct PyHits(pub Hits);

#[pymethods]
impl PyHits {
    #[new]
    fn new(
        py: Python<'_>,
        output: &Bound<'_, PyTokens>,
        references: Vec<Bound<'_, PyTokens>>,
    ) -> PyResult<Self> {
        let output = &output.get().0;
        let references: Vec<&Tokens> = references.iter().map(|refs| &refs.get().0).collect();
        if references.iter().any(|reference| reference.len() != output.len()) {
            return Err(PyValueError::new_err("columns of different lengths"));
        }
        let words = output.count() + references.iter().map(|refs| refs.count()).sum::<usize>();
        detach_long(py, words, || Hits::new(output, &references)).map(PyHits)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}
