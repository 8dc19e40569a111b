//! Translation edit rate.

use super::compute::matrix_of_words;
use super::hits::PyHits;
use super::{position, unknown};
use crate::ter::{self, Step, Style};
use numpy::PyArray2;
use pyo3::prelude::*;

#[pyfunction]
pub fn ter_rows<'py>(
    py: Python<'py>,
    hits: &Bound<'py, PyHits>,
    style: &str,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let hits = &hits.get().0;
    let style = named(style)?;
    matrix_of_words(py, hits.words(), hits.len(), ter::COLUMNS, |rows| ter::rows(hits, style, rows))
}

/// Reference, shifts (start, length, target), order and steps.
type Alignment = (usize, Vec<(usize, usize, usize)>, Vec<usize>, String);

#[pyfunction]
pub fn ter_alignment(
    hits: &Bound<'_, PyHits>,
    index: isize,
    style: &str,
) -> PyResult<Option<Alignment>> {
    let hits = &hits.get().0;
    let found = ter::alignment(hits, position(index, hits.len())?, named(style)?);
    Ok(found.map(|found| {
        let shifts = found.shifts.iter().map(|shift| (shift.start, shift.middle, shift.end));
        let steps = found.steps.iter().map(|step| match step {
            Step::Match => '=',
            Step::Substitution => 'S',
            Step::Insertion => 'I',
            Step::Deletion => 'D',
        });
        (found.reference, shifts.collect(), found.order, steps.collect())
    }))
}

fn named(style: &str) -> PyResult<Style> {
    match style {
        "sacrebleu" => Ok(Style::Sacrebleu),
        "tercom" => Ok(Style::Tercom),
        other => Err(unknown("style", other)),
    }
}
