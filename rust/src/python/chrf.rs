//! chrF.

use super::hits::PyHits;
use super::pairs::{expected, matrix};
use super::text::PyText;
use super::tokens::{PyTokenizer, PyTokens};
use super::totals::{Scores, Totals, each_row};
use super::unknown;
use crate::chrf::{Chrf, Mean};
use crate::text::Text;
use crate::tokenize::Case;
use crate::tokens::Tokens;
use numpy::{PyArray2, PyArrayMethods};
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
        let case = Case::named(case).ok_or_else(|| unknown("case", case))?;
        let mean = match mean {
            "effective" => Mean::Effective,
            "all" => Mean::All,
            other => return Err(unknown("mean", other)),
        };
        Ok(PyChrf(Chrf::new(order, word_order, beta, mean, keep_white, case)))
    }

    fn rows<'py>(
        &self,
        py: Python<'py>,
        output: &Bound<'py, PyText>,
        references: Vec<Bound<'py, PyText>>,
        words: Option<&Bound<'py, PyHits>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let output = &output.get().0;
        let references: Vec<&Text> = references.iter().map(|text| &text.get().0).collect();
        let words = words.map(|hits| &hits.get().0);
        let lengths = references.iter().map(|text| text.len()).chain(words.map(|hits| hits.len()));
        if lengths.into_iter().any(|length| length != output.len()) {
            return Err(PyValueError::new_err("columns of different lengths"));
        }
        if words.is_none() && self.0.word_order > 0 {
            return Err(PyValueError::new_err("word n-grams need the words"));
        }
        let array = PyArray2::zeros(py, [output.len(), self.0.columns()], false);
        // No one else knows the new array yet.
        let rows = unsafe { array.as_slice_mut()? };
        py.detach(|| self.0.rows(output, &references, words, rows));
        Ok(array)
    }

    /// The score of one output, with no arrays in between. Word n-grams need the tokenizer.
    fn sentence(
        &self,
        tokenizer: Option<&Bound<'_, PyTokenizer>>,
        output: &str,
        references: Vec<Bound<'_, PyString>>,
    ) -> PyResult<f64> {
        let compared = tokenizer.map(|cut| cut.get().compare(output, &references));
        if compared.is_none() && self.0.word_order > 0 {
            return Err(PyValueError::new_err("word n-grams need the words"));
        }
        let texts = references.iter().map(|text| text.to_str());
        let texts = texts.collect::<PyResult<Vec<_>>>()?;
        Ok(self.0.sentence(output, &texts, compared.transpose()?.as_ref()))
    }

    /// The score of each pair of texts, given by their places.
    fn pairs<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyText>,
        words: Option<&Bound<'py, PyTokens>>,
        outputs: Vec<usize>,
        references: Vec<usize>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (texts, words) = self.columns_of(texts, words)?;
        matrix(py, texts.len(), (&outputs, &references), references.len(), |scores| {
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
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (texts, words) = self.columns_of(texts, words)?;
        let expected = expected(&references, &weights)?;
        matrix(py, texts.len(), (&outputs, &references), self.0.columns(), |rows| {
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
            return Err(PyValueError::new_err("columns of different lengths"));
        }
        Ok((texts, words))
    }
}
