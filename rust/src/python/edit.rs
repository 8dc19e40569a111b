//! Edits and alignments.

use super::compute::{detach, matrix_of_words};
use super::hits::PyHits;
use super::{position, unknown};
use crate::edit::{Edit, Preference};
use crate::error_rates::{self, Choice, Length};
use numpy::PyArray2;
use pyo3::prelude::*;

#[pyfunction]
pub fn edit_rows<'py>(
    py: Python<'py>,
    hits: &Bound<'py, PyHits>,
    order: &str,
    refs: &str,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let hits = &hits.get().0;
    let (choice, length) = choice(refs)?;
    let kernel = match order {
        "fixed" => error_rates::ordered_rows,
        "rapidfuzz" => error_rates::rapidfuzz_rows,
        "free" => error_rates::unordered_rows,
        other => return Err(unknown("word order", other)),
    };
    matrix_of_words(py, hits.words(), hits.len(), error_rates::COLUMNS, |rows| {
        kernel(hits, choice, length, rows)
    })
}

#[pyfunction]
pub fn unequal_rows<'py>(
    py: Python<'py>,
    hits: &Bound<'py, PyHits>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let hits = &hits.get().0;
    matrix_of_words(py, hits.words(), hits.len(), 2, |rows| error_rates::unequal_rows(hits, rows))
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

/// A letter, where the reference's words begin and end, and where the output's do.
type Run = (char, usize, usize, usize, usize);

#[pyfunction]
pub fn edit_runs(py: Python<'_>, hits: &Bound<'_, PyHits>, order: &str) -> PyResult<Vec<Vec<Run>>> {
    let hits = &hits.get().0;
    let prefers = preference(order)?;
    let segments = detach(py, || error_rates::runs(hits, prefers))?;
    let name = |(edit, a, b, c, d)| (letter(&edit), a, b, c, d);
    Ok(segments.into_iter().map(|runs| runs.into_iter().map(name).collect()).collect())
}

fn preference(order: &str) -> PyResult<Preference> {
    match order {
        "fixed" => Ok(Preference::Pairs),
        "rapidfuzz" => Ok(Preference::Deletions),
        other => Err(unknown("word order", other)),
    }
}

fn choice(refs: &str) -> PyResult<(Choice, Length)> {
    Ok(match refs {
        "best" => (Choice::Fewest, Length::Chosen),
        "best-rate" => (Choice::Rate, Length::Chosen),
        "average-length" => (Choice::Fewest, Length::Mean),
        other => return Err(unknown("choice of references", other)),
    })
}

fn letter(edit: &Edit) -> char {
    match edit {
        Edit::Hit => 'H',
        Edit::Substitution => 'S',
        Edit::Insertion => 'I',
        Edit::Deletion => 'D',
    }
}
