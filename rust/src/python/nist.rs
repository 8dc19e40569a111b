//! NIST and its weights.

use super::compute::{Rows, detach};
use super::hits::{PyHits, rows_of};
use super::terms::{Parts, not_terms, packed, parts};
use super::tokens::{PyTokens, different_lengths};
use super::totals::{Scores, Totals, each_row};
use super::{BadLine, named};
use crate::information::Information;
use crate::ngram;
use crate::nist;
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

#[pyclass(name = "Information", module = "metra._core")]
pub struct PyInformation(Information);

#[pymethods]
impl PyInformation {
    #[new]
    fn new(order: usize, history: &str) -> PyResult<Self> {
        Ok(PyInformation(Information::counted(order, zero_is_no_word(history)?)))
    }

    #[staticmethod]
    fn given(py: Python<'_>, lines: &str, order: usize) -> PyResult<Self> {
        match detach(py, || Information::given(lines, order))? {
            Ok(information) => Ok(PyInformation(information)),
            Err(bad) => Err(BadLine::new_err((bad.line, bad.text))),
        }
    }

    fn add(&mut self, py: Python<'_>, tokens: &Bound<'_, PyTokens>) -> PyResult<()> {
        let tokens = &tokens.get().0;
        detach(py, || self.0.add(tokens))
    }

    fn terms<'py>(&self, py: Python<'py>) -> PyResult<Parts<'py>> {
        parts(py, || self.0.terms())
    }

    #[pyo3(signature = (bytes, ends, counts, total=None))]
    fn learn(
        &mut self,
        py: Python<'_>,
        bytes: &[u8],
        ends: PyReadonlyArray1<'_, i64>,
        counts: PyReadonlyArray1<'_, i64>,
        total: Option<u64>,
    ) -> PyResult<()> {
        let terms = packed(bytes, ends, counts)?;
        if detach(py, || self.0.learn(&terms, total))? { Ok(()) } else { Err(not_terms()) }
    }

    #[getter]
    fn order(&self) -> usize {
        self.0.order()
    }

    fn lines(&self, py: Python<'_>, n: usize) -> PyResult<Option<String>> {
        if (1..=self.0.order()).contains(&n) {
            detach(py, || self.0.lines(n))
        } else {
            Err(PyValueError::new_err(format!("there are no n-grams of {n} words")))
        }
    }

    fn rows<'py>(&self, hits: &Bound<'py, PyHits>, output: &Bound<'py, PyTokens>) -> Rows<'py> {
        let output = &output.get().0;
        if hits.get().0.len() != output.len() {
            return Err(different_lengths());
        }
        rows_of(hits, ngram::columns(self.0.order()), |hits, rows| {
            nist::rows(&self.0, hits, output, rows)
        })
    }
}

fn zero_is_no_word(history: &str) -> PyResult<bool> {
    named("history", history, &[("plain", false), ("mteval", true)])
}

#[pyfunction]
pub fn nist_score<'py>(totals: &Totals<'py>, order: usize) -> PyResult<Scores<'py>> {
    each_row(totals, ngram::columns(order), nist::score)
}

#[pyfunction]
pub fn nist_penalty<'py>(totals: &Totals<'py>, order: usize) -> PyResult<Scores<'py>> {
    each_row(totals, ngram::columns(order), nist::penalty)
}
