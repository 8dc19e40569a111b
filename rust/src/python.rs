//! Thin bindings: convert, release the interpreter, compute.

use crate::bleu::{Formula, Mean, ShortOutput, Smoothing};
use crate::hits::Hits;
use crate::lines::LineBuffer;
use crate::ngram::{self, RefLength};
use crate::text::Text;
use crate::tokenize::{Case, Tokenizer};
use crate::tokens::Tokens;
use crate::types::TypeMap;
use numpy::{PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyException, PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};
use std::sync::RwLock;

pyo3::create_exception!(metra._core, BadSegment, PyException);
pyo3::create_exception!(metra._core, NotUtf8, PyException);

#[pymodule]
mod _core {
    #[pymodule_export]
    use super::{
        BadSegment, NotUtf8, PyFormula, PyHits, PyLineBuffer, PyText, PyTokenizer, PyTokens,
        PyTypeMap, ngram_rows,
    };
}

#[pyclass(frozen, name = "Text", module = "metra._core")]
pub struct PyText(Text);

#[pymethods]
impl PyText {
    #[new]
    fn new(segments: &Bound<'_, PyList>) -> PyResult<Self> {
        let mut text = Text::with_capacity(segments.len(), 128 * segments.len());
        for (index, segment) in segments.iter().enumerate() {
            match segment.cast::<PyString>() {
                Ok(string) => match string.to_str() {
                    Ok(string) => text.push(string),
                    Err(_) => return Err(BadSegment::new_err((index, "a lone surrogate"))),
                },
                Err(_) if is_missing(&segment) => text.push_missing(),
                Err(_) => {
                    let found = segment.get_type().name()?.to_string();
                    return Err(BadSegment::new_err((index, format!("a value of type {found}"))));
                }
            }
        }
        Ok(PyText(text))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__(&self, index: isize) -> PyResult<Option<&str>> {
        Ok(self.0.get(position(index, self.0.len())?))
    }

    /// The positions of the missing segments.
    fn missing(&self) -> Vec<usize> {
        let flags = self.0.missing().iter().enumerate();
        flags.filter(|pair| *pair.1).map(|pair| pair.0).collect()
    }
}

fn is_missing(value: &Bound<'_, PyAny>) -> bool {
    value.is_none() || value.extract::<f64>().is_ok_and(f64::is_nan)
}

fn position(index: isize, length: usize) -> PyResult<usize> {
    let shifted = if index < 0 { index + length as isize } else { index };
    usize::try_from(shifted)
        .ok()
        .filter(|at| *at < length)
        .ok_or_else(|| PyIndexError::new_err(format!("segment {index} of {length}")))
}

#[pyclass(name = "LineBuffer", module = "metra._core")]
pub struct PyLineBuffer(LineBuffer);

#[pymethods]
impl PyLineBuffer {
    #[new]
    fn new() -> Self {
        PyLineBuffer(LineBuffer::default())
    }

    fn push(&mut self, bytes: &Bound<'_, PyBytes>) {
        self.0.push(bytes.as_bytes());
    }

    fn finish(&mut self) {
        self.0.finish();
    }

    #[getter]
    fn ready(&self) -> usize {
        self.0.ready()
    }

    fn pop(&mut self, most: usize) -> PyResult<PyText> {
        match self.0.pop(most) {
            Ok(text) => Ok(PyText(text)),
            Err(error) => Err(NotUtf8::new_err((error.line, error.column, error.byte))),
        }
    }
}

#[pyclass(frozen, name = "Tokens", module = "metra._core")]
pub struct PyTokens(Tokens);

#[pymethods]
impl PyTokens {
    #[new]
    fn new(sentences: Vec<Option<Vec<String>>>) -> Self {
        let mut builder = Tokens::builder(sentences.len(), 0);
        for sentence in sentences {
            match sentence {
                Some(words) => builder.sentence(words.iter()),
                None => builder.missing(),
            }
        }
        PyTokens(builder.finish())
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__(&self, index: isize) -> PyResult<Option<Vec<String>>> {
        let sentence = self.0.get(position(index, self.0.len())?);
        Ok(sentence.map(|sentence| sentence.iter().map(word).collect()))
    }
}

fn word(token: &[u8]) -> String {
    String::from_utf8_lossy(token).into_owned()
}

#[pyclass(frozen, name = "Tokenizer", module = "metra._core")]
pub struct PyTokenizer {
    tokenizer: Tokenizer,
    case: Case,
}

#[pymethods]
impl PyTokenizer {
    #[new]
    fn new(name: &str, case: &str) -> PyResult<Self> {
        let tokenizer = Tokenizer::named(name).ok_or_else(|| unknown("tokeniser", name))?;
        let case = Case::named(case).ok_or_else(|| unknown("case", case))?;
        Ok(PyTokenizer { tokenizer, case })
    }

    fn __call__(&self, py: Python<'_>, text: &Bound<'_, PyText>) -> PyTokens {
        let text = &text.get().0;
        PyTokens(py.detach(|| self.tokenizer.tokenize(text, self.case)))
    }

    /// The hit map of one output and its references: nothing else is made of them.
    fn hits(&self, output: &str, references: Vec<Bound<'_, PyString>>) -> PyResult<PyHits> {
        let tokens = |segment: &str| self.tokenizer.sentence(segment, self.case);
        let references = references.iter().map(|reference| Ok(tokens(reference.to_str()?)));
        let references = references.collect::<PyResult<Vec<_>>>()?;
        let references: Vec<_> = references.iter().collect();
        Ok(PyHits(Hits::new(&tokens(output), &references)))
    }
}

fn unknown(what: &str, name: &str) -> PyErr {
    PyValueError::new_err(format!("no {what} named {name:?}"))
}

/// Calls the function it is given once for each word type, with a list of words.
#[pyclass(frozen, name = "TypeMap", module = "metra._core")]
pub struct PyTypeMap {
    map: RwLock<TypeMap>,
    function: Py<PyAny>,
}

#[pymethods]
impl PyTypeMap {
    #[new]
    fn new(function: Py<PyAny>) -> Self {
        PyTypeMap { map: RwLock::default(), function }
    }

    fn __call__(&self, py: Python<'_>, tokens: &Bound<'_, PyTokens>) -> PyResult<PyTokens> {
        let tokens = &tokens.get().0;
        // The lock is never held while waiting for the interpreter.
        let words: Vec<String> = py.detach(|| {
            let map = self.map.read().unwrap();
            map.unknown(tokens).into_iter().map(word).collect()
        });
        let mut become_: Vec<String> = Vec::new();
        if !words.is_empty() {
            become_ = self.function.call1(py, (words.clone(),))?.extract(py)?;
            if become_.len() != words.len() {
                return Err(PyValueError::new_err("the function returned another number of words"));
            }
        }
        Ok(PyTokens(py.detach(|| {
            let mut map = self.map.write().unwrap();
            for (word, becomes) in words.iter().zip(&become_) {
                map.learn(word.as_bytes(), becomes.as_bytes());
            }
            map.apply(tokens)
        })))
    }
}

#[pyclass(frozen, name = "Hits", module = "metra._core")]
pub struct PyHits(Hits);

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
        Ok(PyHits(py.detach(|| Hits::new(output, &references))))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}

#[pyfunction]
fn ngram_rows<'py>(
    py: Python<'py>,
    hits: &Bound<'py, PyHits>,
    order: usize,
    ref_len: &str,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let hits = &hits.get().0;
    let ref_length = match ref_len {
        "closest" => RefLength::Closest,
        "shortest" => RefLength::Shortest,
        "average" => RefLength::Average,
        other => return Err(unknown("reference length", other)),
    };
    let array = PyArray2::zeros(py, [hits.len(), ngram::columns(order)], false);
    // No one else knows the new array yet.
    let rows = unsafe { array.as_slice_mut()? };
    py.detach(|| ngram::rows(hits, order, ref_length, rows));
    Ok(array)
}

#[pyclass(frozen, name = "BleuFormula", module = "metra._core")]
pub struct PyFormula(Formula);

#[pymethods]
impl PyFormula {
    #[new]
    fn new(order: usize, smooth: &str, value: f64, mean: &str, short: &str) -> PyResult<Self> {
        let smoothing = match smooth {
            "none" => Smoothing::None,
            "floor" => Smoothing::Floor(value),
            "add-k" => Smoothing::Add(value),
            "exp" => Smoothing::Halving,
            other => return Err(unknown("smoothing", other)),
        };
        let mean = match mean {
            "geometric" => Mean::Geometric,
            "arithmetic" => Mean::Arithmetic,
            other => return Err(unknown("mean", other)),
        };
        let short = match short {
            "zero" => ShortOutput::Zero,
            "effective" => ShortOutput::Effective,
            "mteval" => ShortOutput::Mteval,
            other => return Err(unknown("treatment of short outputs", other)),
        };
        Ok(PyFormula(Formula { order, smoothing, mean, short }))
    }

    fn score<'py>(&self, totals: &Bound<'py, PyArrayDyn<f64>>) -> PyResult<Scores<'py>> {
        self.each(totals, |row| self.0.score(row))
    }

    fn penalty<'py>(&self, totals: &Bound<'py, PyArrayDyn<f64>>) -> PyResult<Scores<'py>> {
        self.each(totals, |row| self.0.penalty(row))
    }

    /// The precisions of one row of totals.
    fn precisions<'py>(
        &self,
        totals: &Bound<'py, PyArrayDyn<f64>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let precisions = PyArray1::zeros(totals.py(), self.0.order, false);
        self.0.precisions(self.table(totals)?, unsafe { precisions.as_slice_mut()? });
        Ok(precisions)
    }
}

type Scores<'py> = Bound<'py, PyArrayDyn<f64>>;

impl PyFormula {
    fn table<'a>(&self, totals: &'a Bound<'_, PyArrayDyn<f64>>) -> PyResult<&'a [f64]> {
        let columns = ngram::columns(self.0.order);
        match totals.shape().last() {
            // The interpreter stays held while these numbers are read.
            Some(found) if *found == columns => Ok(unsafe { totals.as_slice()? }),
            _ => Err(PyValueError::new_err(format!("totals must have {columns} columns"))),
        }
    }

    fn each<'py>(
        &self,
        totals: &Bound<'py, PyArrayDyn<f64>>,
        compute: impl Fn(&[f64]) -> f64,
    ) -> PyResult<Scores<'py>> {
        let rows = self.table(totals)?.chunks_exact(ngram::columns(self.0.order));
        let shape = &totals.shape()[..totals.ndim() - 1];
        let scores = PyArrayDyn::zeros(totals.py(), shape, false);
        for (score, row) in unsafe { scores.as_slice_mut()? }.iter_mut().zip(rows) {
            *score = compute(row);
        }
        Ok(scores)
    }
}
