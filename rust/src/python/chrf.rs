//! chrF.

use super::compute::{self, Rows, expected, matrix, pairs};
use super::hits::PyHits;
use super::named;
use super::text::PyText;
use super::tokens::{PyTokenizer, PyTokens, different_lengths, texts};
use super::totals::{Scores, Totals, each_row};
use crate::chrf::{Chrf, Mean};
use crate::text::Text;
use crate::tokenize::CASES;
use crate::tokens::Tokens;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;

#[pyclass(frozen, name = "Chrf", module = "metra._core")]
pub struct PyChrf(Chrf);

#[pymethods]
impl PyChrf {
    #[new]
    fn new(
        order: usize,
        word_order: usize,
        beta: f64,
        mean: &str,
        keep_white: bool,
        case: &str,
    ) -> PyResult<Self> {
        let case = named("case", case, &CASES)?;
        let mean = named("mean", mean, &[("effective", Mean::Effective), ("all", Mean::All)])?;
        Ok(PyChrf(Chrf::new(order, word_order, beta, mean, keep_white, case)))
    }

    fn rows<'py>(
        &self,
        py: Python<'py>,
        output: &Bound<'py, PyText>,
        references: Vec<Bound<'py, PyText>>,
        words: Option<&Bound<'py, PyHits>>,
    ) -> Rows<'py> {
        let output = &output.get().0;
        let references: Vec<&Text> = references.iter().map(|text| &text.get().0).collect();
        let words = words.map(|hits| &hits.get().0);
        let lengths = references.iter().map(|text| text.len()).chain(words.map(|hits| hits.len()));
        if lengths.into_iter().any(|length| length != output.len()) {
            return Err(different_lengths());
        }
        if words.is_none() && self.0.word_order > 0 {
            return Err(PyValueError::new_err("word n-grams need the words"));
        }
        matrix(py, output.len(), self.0.columns(), |rows| {
            self.0.rows(output, &references, words, rows)
        })
    }

    /// The score of one output, with no arrays in between. Word n-grams need the tokenizer.
    fn sentence(
        &self,
        py: Python<'_>,
        tokenizer: Option<&Bound<'_, PyTokenizer>>,
        output: &str,
        references: Vec<Bound<'_, PyString>>,
    ) -> PyResult<f64> {
        let tokenizer = tokenizer.map(Bound::get);
        if tokenizer.is_none() && self.0.word_order > 0 {
            return Err(PyValueError::new_err("word n-grams need the words"));
        }
        let texts = texts(&references)?;
        compute::score(py, output, &texts, || {
            let compared = tokenizer.map(|cut| cut.compare(output, &texts));
            self.0.sentence(output, &texts, compared.as_ref())
        })
    }

    /// The score of each pair of texts, given by their places.
    fn pairs<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyText>,
        words: Option<&Bound<'py, PyTokens>>,
        outputs: Vec<usize>,
        references: Vec<usize>,
    ) -> Rows<'py> {
        let (texts, words) = self.columns_of(texts, words)?;
        pairs(py, texts.len(), (&outputs, &references), references.len(), |scores| {
            self.0.pairs(texts, words, &outputs, &references, scores)
        })
    }

    /// The row of each text against references that stand for one.
    fn expected_rows<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyText>,
        words: Option<&Bound<'py, PyTokens>>,
        outputs: Vec<usize>,
        references: Vec<usize>,
        weights: Vec<f64>,
    ) -> Rows<'py> {
        let (texts, words) = self.columns_of(texts, words)?;
        let expected = expected(&references, &weights)?;
        pairs(py, texts.len(), (&outputs, &references), self.0.columns(), |rows| {
            self.0.expected_rows(texts, words, &outputs, &expected, rows)
        })
    }

    fn score<'py>(&self, totals: &Totals<'py>) -> PyResult<Scores<'py>> {
        each_row(totals, self.0.columns(), |row| self.0.score(row))
    }
}

impl PyChrf {
    /// The texts and their words, which word n-grams need.
    fn columns_of<'a>(
        &self,
        texts: &'a Bound<'_, PyText>,
        words: Option<&'a Bound<'_, PyTokens>>,
    ) -> PyResult<(&'a Text, Option<&'a Tokens>)> {
        let texts = &texts.get().0;
        let words = words.map(|tokens| &tokens.get().0);
        if words.is_none() && self.0.word_order > 0 {
            return Err(PyValueError::new_err("word n-grams need the words"));
        }
        if words.is_some_and(|words| words.len() != texts.len()) {
            return Err(different_lengths());
        }
        Ok((texts, words))
    }
}
