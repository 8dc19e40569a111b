//! The hit map, and the kernels that need nothing else: edits, unigrams, GTM and TER.

use super::compute::{Rows, detach, detach_long, matrix_of_words};
use super::tokens::{PyTokens, columns};
use super::{named, position};
use crate::edit::{Edit, Preference};
use crate::error_rates::{self, Choice, Length};
use crate::gtm::{self, Formula, Matching};
use crate::hits::Hits;
use crate::ter::{self, Style};
use crate::unigram;
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
        let (output, references, words) = columns(output, &references)?;
        detach_long(py, words, || Hits::new(output, &references)).map(PyHits)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}

/// A row of so many columns for each segment.
pub fn rows_of<'py>(
    hits: &Bound<'py, PyHits>,
    columns: usize,
    fill: impl FnOnce(&Hits, &mut [f64]) + Send,
) -> Rows<'py> {
    let (py, hits) = (hits.py(), &hits.get().0);
    matrix_of_words(py, hits.words(), hits.len(), columns, |rows| fill(hits, rows))
}

type EditKernel = fn(&Hits, Choice, Length, &mut [f64]);

#[pyfunction]
pub fn edit_rows<'py>(hits: &Bound<'py, PyHits>, order: &str, refs: &str) -> Rows<'py> {
    let (choice, length) = choice(refs)?;
    let kernels: [(_, EditKernel); 3] = [
        ("fixed", error_rates::ordered_rows),
        ("rapidfuzz", error_rates::rapidfuzz_rows),
        ("free", error_rates::unordered_rows),
    ];
    let kernel = named("word order", order, &kernels)?;
    rows_of(hits, error_rates::COLUMNS, |hits, rows| kernel(hits, choice, length, rows))
}

#[pyfunction]
pub fn unequal_rows<'py>(hits: &Bound<'py, PyHits>) -> Rows<'py> {
    rows_of(hits, 2, error_rates::unequal_rows)
}

#[pyfunction]
pub fn edit_alignments(
    py: Python<'_>,
    hits: &Bound<'_, PyHits>,
    index: isize,
    order: &str,
    refs: &str,
) -> PyResult<(usize, Vec<String>)> {
    let hits = &hits.get().0;
    let pair = hits.get(position(index, hits.len())?);
    let (choice, _) = choice(refs)?;
    let prefers = preference(order)?;
    let (chosen, steps) = detach(py, || error_rates::alignments(&pair, choice, prefers))?;
    Ok((chosen, steps.iter().map(|steps| steps.iter().map(letter).collect()).collect()))
}

fn preference(order: &str) -> PyResult<Preference> {
    let preferences = [("fixed", Preference::Pairs), ("rapidfuzz", Preference::Deletions)];
    named("word order", order, &preferences)
}

fn choice(refs: &str) -> PyResult<(Choice, Length)> {
    let choices = [
        ("best", (Choice::Fewest, Length::Chosen)),
        ("best-rate", (Choice::Rate, Length::Chosen)),
        ("average-length", (Choice::Fewest, Length::Mean)),
    ];
    named("choice of references", refs, &choices)
}

fn letter(edit: &Edit) -> char {
    match edit {
        Edit::Hit => 'H',
        Edit::Substitution => 'S',
        Edit::Insertion => 'I',
        Edit::Deletion => 'D',
    }
}

#[pyfunction]
pub fn unigram_rows<'py>(hits: &Bound<'py, PyHits>, recall_weight: f64) -> Rows<'py> {
    rows_of(hits, unigram::COLUMNS, |hits, rows| unigram::rows(hits, recall_weight, rows))
}

#[pyfunction]
#[pyo3(signature = (hits, exponent, r#match, nodes))]
pub fn gtm_rows<'py>(
    hits: &Bound<'py, PyHits>,
    exponent: f64,
    r#match: &str,
    nodes: usize,
) -> Rows<'py> {
    let formula = formula(exponent, r#match, nodes)?;
    rows_of(hits, formula.columns(), |hits, rows| gtm::rows(hits, formula, rows))
}

/// Output, reference, start, length and what it counts.
type Block = (usize, usize, usize, usize, f64);

#[pyfunction]
#[pyo3(signature = (hits, index, exponent, r#match, nodes))]
pub fn gtm_blocks(
    py: Python<'_>,
    hits: &Bound<'_, PyHits>,
    index: isize,
    exponent: f64,
    r#match: &str,
    nodes: usize,
) -> PyResult<(Vec<Block>, bool)> {
    let hits = &hits.get().0;
    let formula = formula(exponent, r#match, nodes)?;
    let pair = hits.get(position(index, hits.len())?);
    let (blocks, proved) = detach(py, || gtm::blocks(&pair, formula))?;
    let tuple = |block: gtm::Block| {
        (block.output, block.reference, block.start, block.length, block.counted)
    };
    Ok((blocks.into_iter().map(tuple).collect(), proved))
}

fn formula(exponent: f64, matching: &str, nodes: usize) -> PyResult<Formula> {
    let matchings = [
        ("greedy", Matching::Greedy),
        ("paper", Matching::Paper),
        ("exact", Matching::Exact { nodes }),
    ];
    Ok(Formula { exponent, matching: named("matching", matching, &matchings)? })
}

#[pyfunction]
pub fn ter_rows<'py>(hits: &Bound<'py, PyHits>, style: &str) -> Rows<'py> {
    let style = ter_style(style)?;
    rows_of(hits, ter::COLUMNS, |hits, rows| ter::rows(hits, style, rows))
}

fn ter_style(name: &str) -> PyResult<Style> {
    named("style", name, &[("sacrebleu", Style::Sacrebleu), ("tercom", Style::Tercom)])
}
