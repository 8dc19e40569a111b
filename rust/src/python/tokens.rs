//! Tokens, and what makes them.

use super::compute::{self, detach};
use super::hits::PyHits;
use super::text::PyText;
use super::{named, position, unknown};
use crate::fork_lock::ForkLock;
use crate::hits::Hits;
use crate::tokenize::{CASES, Case, Tokenizer, count_words};
use crate::tokens::Tokens;
use crate::types::TypeMap;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;

#[pyclass(frozen, name = "Tokens", module = "metra._core")]
pub struct PyTokens(pub Tokens);

#[pymethods]
impl PyTokens {
    #[new]
    fn new(sentences: Vec<Option<Vec<Bound<'_, PyString>>>>) -> PyResult<Self> {
        let mut builder = Tokens::builder(sentences.len(), 0);
        for sentence in sentences {
            let Some(words) = sentence else {
                builder.missing();
                continue;
            };
            let words = words.iter().map(|word| word.to_str()).collect::<PyResult<Vec<_>>>()?;
            builder.sentence(words.into_iter());
        }
        Ok(PyTokens(builder.finish()))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__(&self, index: isize) -> PyResult<Option<Vec<String>>> {
        let sentence = self.0.get(position(index, self.0.len())?);
        Ok(sentence.map(|sentence| sentence.iter().map(word).collect()))
    }

    /// Each segment's tokens with blanks between them.
    fn joined(&self, py: Python<'_>) -> PyResult<PyText> {
        detach(py, || self.0.joined()).map(PyText)
    }
}

/// Columns of one output and its references, which must be of the same length, and how many words
/// they have together.
pub fn columns<'a>(
    output: &'a Bound<'_, PyTokens>,
    references: &'a [Bound<'_, PyTokens>],
) -> PyResult<(&'a Tokens, Vec<&'a Tokens>, usize)> {
    let output = &output.get().0;
    let references: Vec<&Tokens> = references.iter().map(|refs| &refs.get().0).collect();
    if references.iter().any(|reference| reference.len() != output.len()) {
        return Err(different_lengths());
    }
    let words = output.count() + references.iter().map(|refs| refs.count()).sum::<usize>();
    Ok((output, references, words))
}

pub fn different_lengths() -> PyErr {
    PyValueError::new_err("columns of different lengths")
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
        let case = named("case", case, &CASES)?;
        Ok(PyTokenizer { tokenizer, case })
    }

    fn __call__(&self, py: Python<'_>, text: &Bound<'_, PyText>) -> PyResult<PyTokens> {
        let text = &text.get().0;
        let words = text.size() / compute::WORD;
        compute::detach_long(py, words, || self.tokenizer.tokenize(text, self.case)).map(PyTokens)
    }

    /// The hit map of one output and its references: nothing else is made of them.
    fn hits(
        &self,
        py: Python<'_>,
        output: &str,
        references: Vec<Bound<'_, PyString>>,
    ) -> PyResult<PyHits> {
        let texts = texts(&references)?;
        compute::score(py, output, &texts, || self.compare(output, &texts)).map(PyHits)
    }
}

impl PyTokenizer {
    pub fn compare(&self, output: &str, references: &[&str]) -> Hits {
        let tokens = |segment: &str| self.tokenizer.sentence(segment, self.case);
        let references: Vec<_> = references.iter().map(|reference| tokens(reference)).collect();
        let references: Vec<_> = references.iter().collect();
        Hits::new(&tokens(output), &references)
    }
}

/// The text of strings, which stays where it is as long as they do.
pub fn texts<'a>(strings: &'a [Bound<'_, PyString>]) -> PyResult<Vec<&'a str>> {
    strings.iter().map(|string| string.to_str()).collect()
}

/// How many words each text has.
#[pyfunction]
pub fn word_counts<'py>(
    py: Python<'py>,
    texts: Vec<Bound<'py, PyString>>,
) -> Bound<'py, PyArray1<i64>> {
    let count = |text: &Bound<'py, PyString>| count_words(&text.to_string_lossy()) as i64;
    PyArray1::from_vec(py, texts.iter().map(count).collect())
}

/// The version of the Unicode standard whose grapheme clusters are cut.
#[pyfunction]
pub fn grapheme_version() -> String {
    let (major, minor, patch) = unicode_segmentation::UNICODE_VERSION;
    format!("{major}.{minor}.{patch}")
}

/// Calls the function it is given once for each word type, with a list of words.
#[pyclass(frozen, name = "TypeMap", module = "metra._core")]
pub struct PyTypeMap {
    map: ForkLock<TypeMap>,
    function: Py<PyAny>,
}

#[pymethods]
impl PyTypeMap {
    #[new]
    fn new(function: Py<PyAny>) -> Self {
        PyTypeMap { map: ForkLock::default(), function }
    }

    fn __call__(&self, py: Python<'_>, tokens: &Bound<'_, PyTokens>) -> PyResult<PyTokens> {
        let tokens = &tokens.get().0;
        // The lock is never held while waiting for the interpreter.
        let words: Vec<String> = detach(py, || {
            let map = self.map.read();
            map.unknown(tokens).into_iter().map(word).collect()
        })?;
        let mut become_: Vec<String> = Vec::new();
        if !words.is_empty() {
            become_ = self.function.call1(py, (words.clone(),))?.extract(py)?;
            if become_.len() != words.len() {
                return Err(PyValueError::new_err("the function returned another number of words"));
            }
        }
        detach(py, || {
            let mut map = self.map.write();
            for (word, becomes) in words.iter().zip(&become_) {
                map.learn(word.as_bytes(), becomes.as_bytes());
            }
            map.apply(tokens)
        })
        .map(PyTokens)
    }
}
