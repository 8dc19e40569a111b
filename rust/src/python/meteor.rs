//! METEOR's aligner and formula.

use super::compute::{Rows, detach, matrix_of_words};
use super::named;
use super::tokens::{PyTokens, columns};
use super::totals::{Scores, Totals, each_row, numbers};
use crate::meteor::lexicon::Lexicon;
use crate::meteor::links::Link;
use crate::meteor::paraphrases::{Paraphrases, Reader};
use crate::meteor::score::{COLUMNS, Formula, STAGES};
use crate::meteor::stemmer::FormerStemmer;
use crate::meteor::wordnet::WordNet;
use crate::meteor::{Meteor, Stage};
use crate::tokens::Tokens;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use rust_stemmers::Algorithm;
use std::path::PathBuf;

#[pyclass(frozen, name = "Meteor", module = "metra._core")]
pub struct PyMeteor(Meteor);

#[pymethods]
impl PyMeteor {
    #[new]
    fn new(
        py: Python<'_>,
        stages: Vec<String>,
        stemmer: Option<&str>,
        wordnet: Option<PathBuf>,
        paraphrases: Option<Bound<'_, PyAny>>,
        function_words: Vec<String>,
        parameters: [f64; 4 + STAGES],
    ) -> PyResult<Self> {
        let stages = stages.iter().map(|name| named("stage", name, &STAGE_NAMES));
        let stages = stages.collect::<PyResult<Vec<_>>>()?;
        let stemmer = stemmer.map(|name| named("stemmer", name, &STEMMERS)).transpose()?;
        let stemmer = stemmer.map(FormerStemmer::new);
        let wordnet =
            wordnet.map(|folder| detach(py, || WordNet::read(&folder))).transpose()?.transpose()?;
        let [alpha, beta, gamma, delta, weights @ ..] = parameters;
        let paraphrases = paraphrases.map(|blocks| read_paraphrases(py, &blocks)).transpose()?;
        let function_words = function_words.into_iter().collect();
        Ok(PyMeteor(Meteor {
            lexicon: Lexicon::new(stemmer, wordnet, function_words, paraphrases),
            stages,
            formula: Formula { alpha, beta, gamma, delta, weights },
        }))
    }

    fn rows<'py>(
        &self,
        py: Python<'py>,
        output: &Bound<'py, PyTokens>,
        references: Vec<Bound<'py, PyTokens>>,
    ) -> Rows<'py> {
        let (output, references, words) = columns(output, &references)?;
        matrix_of_words(py, words, output.len(), COLUMNS, |rows| {
            self.0.rows(output, &references, rows)
        })
    }

    fn score<'py>(&self, totals: &Totals<'py>) -> PyResult<Scores<'py>> {
        each_row(totals, COLUMNS, |row| self.0.formula.score(row))
    }

    /// Precision, recall, F-mean and penalty of one row.
    fn pieces(&self, totals: &Totals<'_>) -> PyResult<(f64, f64, f64, f64)> {
        let found = self.0.formula.pieces(&numbers(totals, COLUMNS)?);
        Ok((found.precision, found.recall, found.fmean, found.penalty))
    }

    /// Which reference that is there is the best, and for each of them (first reference word,
    /// reference words, first output word, output words, stage) of each link.
    fn alignments(
        &self,
        py: Python<'_>,
        output: &Bound<'_, PyTokens>,
        references: Vec<Bound<'_, PyTokens>>,
        index: usize,
    ) -> PyResult<(usize, Vec<Vec<Spans>>)> {
        let output = &output.get().0;
        let references: Vec<&Tokens> = references.iter().map(|refs| &refs.get().0).collect();
        if std::iter::once(&output).chain(&references).any(|column| index >= column.len()) {
            return Err(PyIndexError::new_err(format!("there is no segment {index}")));
        }
        let (best, found) = detach(py, || self.0.alignments(output, &references, index))?;
        let spans = |link: Link| {
            (link.reference, link.reference_words, link.hyp, link.hyp_words, link.stage)
        };
        let found = found.into_iter().map(|links| links.into_iter().map(spans).collect());
        Ok((best, found.collect()))
    }
}

/// Reads a table from an iterable of its bytes.
fn read_paraphrases(py: Python<'_>, blocks: &Bound<'_, PyAny>) -> PyResult<Paraphrases> {
    let mut reader = Reader::default();
    for block in blocks.try_iter()? {
        let block = block?;
        let bytes: &[u8] = block.extract()?;
        detach(py, || reader.push(bytes))?.map_err(PyValueError::new_err)?;
    }
    reader.finish().map_err(PyValueError::new_err)
}

/// A link as Python sees it.
type Spans = (u32, u32, u32, u32, u32);

const STAGE_NAMES: [(&str, Stage); STAGES] = [
    ("exact", Stage::Exact),
    ("stem", Stage::Stem),
    ("synonym", Stage::Synonym),
    ("paraphrase", Stage::Paraphrase),
];

const STEMMERS: [(&str, Algorithm); 15] = [
    ("danish", Algorithm::Danish),
    ("dutch", Algorithm::Dutch),
    ("english", Algorithm::English),
    ("finnish", Algorithm::Finnish),
    ("french", Algorithm::French),
    ("german", Algorithm::German),
    ("hungarian", Algorithm::Hungarian),
    ("italian", Algorithm::Italian),
    ("norwegian", Algorithm::Norwegian),
    ("portuguese", Algorithm::Portuguese),
    ("romanian", Algorithm::Romanian),
    ("russian", Algorithm::Russian),
    ("spanish", Algorithm::Spanish),
    ("swedish", Algorithm::Swedish),
    ("turkish", Algorithm::Turkish),
];
