//! N-gram counts and BLEU's formula.

use super::compute::{self, Rows, detach, expected, pairs};
use super::hits::{PyHits, rows_of};
use super::named;
use super::tokens::{PyTokenizer, PyTokens, texts};
use super::totals::{Scores, Totals, block_sums, each_row, numbers};
use crate::bleu::{Formula, Mean, ShortOutput, Smoothing};
use crate::ngram::{self, RefLength};
use pyo3::prelude::*;
use pyo3::types::PyString;

#[pyfunction]
pub fn ngram_rows<'py>(hits: &Bound<'py, PyHits>, order: usize, ref_len: &str) -> Rows<'py> {
    let length = ref_length(ref_len)?;
    rows_of(hits, ngram::columns(order), |hits, rows| ngram::rows(hits, order, length, rows))
}

/// The sums of the same rows, block by block, as plain numbers.
#[pyfunction]
pub fn ngram_sums(
    py: Python<'_>,
    hits: &Bound<'_, PyHits>,
    order: usize,
    ref_len: &str,
    block: usize,
) -> PyResult<Vec<Vec<f64>>> {
    let hits = &hits.get().0;
    let ref_length = ref_length(ref_len)?;
    let columns = ngram::columns(order);
    detach(py, || {
        let mut rows = vec![0.0; hits.len() * columns];
        ngram::rows(hits, order, ref_length, &mut rows);
        block_sums(&rows, columns, block)
    })
}

fn ref_length(name: &str) -> PyResult<RefLength> {
    let lengths = [
        ("closest", RefLength::Closest),
        ("shortest", RefLength::Shortest),
        ("average", RefLength::Average),
    ];
    named("reference length", name, &lengths)
}

#[pyclass(frozen, name = "BleuFormula", module = "metra._core")]
pub struct PyFormula(Formula);

#[pymethods]
impl PyFormula {
    #[new]
    fn new(order: usize, smooth: &str, value: f64, mean: &str, short: &str) -> PyResult<Self> {
        let smoothings = [
            ("none", Smoothing::None),
            ("floor", Smoothing::Floor(value)),
            ("add-k", Smoothing::Add(value)),
            ("exp", Smoothing::Halving),
        ];
        let means = [("geometric", Mean::Geometric), ("arithmetic", Mean::Arithmetic)];
        let treatments = [
            ("zero", ShortOutput::Zero),
            ("effective", ShortOutput::Effective),
            ("mteval", ShortOutput::Mteval),
        ];
        Ok(PyFormula(Formula {
            order,
            smoothing: named("smoothing", smooth, &smoothings)?,
            mean: named("mean", mean, &means)?,
            short: named("treatment of short outputs", short, &treatments)?,
        }))
    }

    fn score<'py>(&self, totals: &Totals<'py>) -> PyResult<Scores<'py>> {
        each_row(totals, self.columns(), |row| self.0.score(row))
    }

    /// The score of one output, with no arrays in between.
    fn sentence(
        &self,
        py: Python<'_>,
        tokenizer: &Bound<'_, PyTokenizer>,
        ref_len: &str,
        output: &str,
        references: Vec<Bound<'_, PyString>>,
    ) -> PyResult<f64> {
        let ref_length = ref_length(ref_len)?;
        let (tokenizer, texts) = (tokenizer.get(), texts(&references)?);
        compute::score(py, output, &texts, || {
            let hits = tokenizer.compare(output, &texts);
            let mut row = vec![0.0; self.columns()];
            ngram::rows(&hits, self.0.order, ref_length, &mut row);
            self.0.score(&row)
        })
    }

    /// The score of each pair of texts, given by their places.
    fn pairs<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyTokens>,
        outputs: Vec<usize>,
        references: Vec<usize>,
    ) -> Rows<'py> {
        let texts = &texts.get().0;
        pairs(py, texts.len(), (&outputs, &references), references.len(), |scores| {
            self.0.pairs(texts, &outputs, &references, scores)
        })
    }

    /// The row of each text against references that stand for one.
    fn expected_rows<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyTokens>,
        outputs: Vec<usize>,
        references: Vec<usize>,
        weights: Vec<f64>,
    ) -> Rows<'py> {
        let texts = &texts.get().0;
        let expected = expected(&references, &weights)?;
        pairs(py, texts.len(), (&outputs, &references), self.columns(), |rows| {
            self.0.expected_rows(texts, &outputs, &expected, rows)
        })
    }

    fn penalty<'py>(&self, totals: &Totals<'py>) -> PyResult<Scores<'py>> {
        each_row(totals, self.columns(), |row| self.0.penalty(row))
    }

    /// The precisions of one row of totals.
    fn precisions(&self, totals: &Totals<'_>) -> PyResult<Vec<f64>> {
        let mut precisions = vec![0.0; self.0.order];
        let row = numbers(totals, self.columns())?;
        self.0.precisions(&row, &mut precisions);
        Ok(precisions)
    }
}

impl PyFormula {
    fn columns(&self) -> usize {
        ngram::columns(self.0.order)
    }
}
