//! Salience: counting a corpus, weights by document, and n-grams weighed by them.

use super::compute::{Rows, detach, load_numpy};
use super::hits::{PyHits, rows_of};
use super::terms::{Parts, not_terms, packed, parts};
use super::tokens::PyTokens;
use super::totals::{Totals, each_row};
use super::{named, unknown};
use crate::ltv::{Combination, Gram, Ltv, Side};
use crate::salience::{Counts, Entry, Frequencies};
use crate::tokens::Tokens;
use crate::word_weights::{Limits, Lists, WordWeights};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

#[pyclass(frozen, name = "Salience", module = "metra._core")]
pub struct PySalience {
    counts: Counts,
    found: Frequencies,
}

/// Segments, and the name of each one's document.
type Text<'py> = (Bound<'py, PyTokens>, Bound<'py, PyList>);

#[pymethods]
impl PySalience {
    #[new]
    fn new(texts: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut counts = Counts::default();
        for text in texts.try_iter()? {
            let (tokens, documents): Text<'_> = text?.extract()?;
            let tokens = &tokens.get().0;
            same_length(tokens.len(), documents.len())?;
            let numbers = numbered(&documents, |name| Some(counts.document(name)))?;
            detach(texts.py(), || counts.add(tokens, &numbers))?;
        }
        let found = detach(texts.py(), || counts.frequencies())?;
        Ok(PySalience { counts, found })
    }

    #[staticmethod]
    fn learnt(
        py: Python<'_>,
        bytes: &[u8],
        ends: PyReadonlyArray1<'_, i64>,
        counts: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<Self> {
        let terms = packed(bytes, ends, counts)?;
        let mut counts = Counts::default();
        if !detach(py, || counts.learn(&terms))? {
            return Err(not_terms());
        }
        let found = detach(py, || counts.frequencies())?;
        Ok(PySalience { counts, found })
    }

    fn terms<'py>(&self, py: Python<'py>) -> PyResult<Parts<'py>> {
        parts(py, || self.found.terms(&self.counts))
    }

    #[getter]
    fn documents(&self) -> Vec<String> {
        self.counts.documents().names().to_vec()
    }

    #[getter]
    fn words(&self) -> Vec<String> {
        let words = self.counts.words();
        let word = |id| String::from_utf8_lossy(words.word(id)).into_owned();
        (0..words.len() as u32).map(word).collect()
    }

    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray1<f64>>> {
        load_numpy(py)?;
        Ok(detach(py, || self.numbers(name))??.into_pyarray(py))
    }

    #[pyo3(signature = (salience, *, floor, least=None, most=None, unknown=None))]
    fn weighed(
        &self,
        py: Python<'_>,
        salience: Numbers<'_>,
        floor: f64,
        least: Option<f64>,
        most: Option<f64>,
        unknown: Option<f64>,
    ) -> PyResult<PyWordWeights> {
        let salience = match salience {
            Numbers::Column(name) => self.numbers(&name)?,
            Numbers::Given(numbers) => numbers.as_slice()?.to_vec(),
        };
        let starts = self.found.starts().to_vec();
        same_length(starts[starts.len() - 1], salience.len())?;
        let range = (least.unwrap_or(0.0), most.unwrap_or(f64::INFINITY));
        let limits = Limits { floor, range, unknown };
        let documents = self.counts.documents().clone();
        detach(py, || {
            let lists = Lists { starts, words: self.found.words() };
            let words = self.counts.words().clone();
            PyWordWeights(WordWeights::new(documents, words, lists, salience, limits))
        })
    }
}

/// One number for each entry: a column by name, or numbers of the user's own.
#[derive(FromPyObject)]
enum Numbers<'py> {
    Column(String),
    Given(PyReadonlyArray1<'py, f64>),
}

impl PySalience {
    fn numbers(&self, name: &str) -> PyResult<Vec<f64>> {
        let found = &self.found;
        Ok(match name {
            "word" => found.column(|entry| entry.word as f64),
            "document" => found.column(|entry| entry.document as f64),
            "tf" => found.column(|entry| entry.tf),
            "df" => found.column(|entry| entry.df),
            "P_doc" => found.column(|entry| entry.p_doc),
            "P_rest" => found.column(|entry| entry.p_rest),
            "P_corp" => found.column(|entry| entry.p_corp),
            "tf.idf" => found.column(Entry::tfidf),
            "S" => found.column(Entry::s),
            other => return Err(unknown("column", other)),
        })
    }
}

#[pyclass(frozen, name = "WordWeights", module = "metra._core")]
pub struct PyWordWeights(WordWeights);

#[pymethods]
impl PyWordWeights {
    #[getter]
    fn heaviest(&self) -> f64 {
        self.0.heaviest()
    }
}

#[pyclass(frozen, name = "Ltv", module = "metra._core")]
pub struct PyLtv(Ltv);

#[pymethods]
impl PyLtv {
    #[new]
    fn new(order: usize, gram: &str, side: &str, combination: &str) -> PyResult<Self> {
        let grams = [("sum", Gram::Sum), ("mean", Gram::Mean), ("max", Gram::Max)];
        let sides = [("precision", Side::Precision), ("recall", Side::Recall), ("f", Side::F)];
        let combinations = [("mean", Combination::Mean), ("geometric", Combination::Geometric)];
        Ok(PyLtv(Ltv {
            order,
            gram: named("weight of n-grams", gram, &grams)?,
            side: named("side", side, &sides)?,
            combination: named("combination", combination, &combinations)?,
        }))
    }

    #[pyo3(signature = (hits, output, references, weights=None, documents=None))]
    fn rows<'py>(
        &self,
        hits: &Bound<'py, PyHits>,
        output: &Bound<'py, PyTokens>,
        references: Vec<Bound<'py, PyTokens>>,
        weights: Option<&Bound<'py, PyWordWeights>>,
        documents: Option<&Bound<'py, PyList>>,
    ) -> Rows<'py> {
        let (segments, output) = (hits.get().0.len(), &output.get().0);
        let references: Vec<&Tokens> = references.iter().map(|refs| &refs.get().0).collect();
        for column in references.iter().chain([&output]) {
            same_length(segments, column.len())?;
        }
        let weights = weights.map(|weights| &weights.get().0);
        let numbers = match (weights, documents) {
            (Some(weights), Some(names)) => {
                same_length(segments, names.len())?;
                numbered(names, |name| weights.documents.find(name))?
            }
            // One list for everything.
            _ => vec![0; segments],
        };
        let weights = weights.map(|weights| (weights, &numbers[..]));
        rows_of(hits, self.0.columns(), |hits, rows| {
            self.0.rows(weights, hits, output, &references, rows)
        })
    }

    fn score<'py>(&self, totals: &Totals<'py>) -> PyResult<Totals<'py>> {
        each_row(totals, self.0.columns(), |row| self.0.score(row))
    }
}

/// The number of each segment's document, asked for where the name changes.
fn numbered(
    names: &Bound<'_, PyList>,
    mut number: impl FnMut(&str) -> Option<u32>,
) -> PyResult<Vec<u32>> {
    let mut last: Option<(Bound<'_, PyString>, u32)> = None;
    let mut numbers = Vec::with_capacity(names.len());
    for name in names {
        let name = match name.cast_into::<PyString>() {
            Ok(name) => name,
            Err(other) => other.into_inner().str()?,
        };
        let text = name.to_str()?;
        let found = match &last {
            Some((before, found)) if before.is(&name) || before.to_str()? == text => *found,
            _ => number(text).ok_or_else(|| PyKeyError::new_err(text.to_string()))?,
        };
        numbers.push(found);
        last = Some((name, found));
    }
    Ok(numbers)
}

fn same_length(expected: usize, found: usize) -> PyResult<()> {
    if expected == found {
        Ok(())
    } else {
        Err(PyValueError::new_err(format!("{found} entries where {expected} are expected")))
    }
}
