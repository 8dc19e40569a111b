//! GTM's matchings.

use super::compute::{detach, matrix_of_words};
use super::hits::PyHits;
use super::{position, unknown};
use crate::gtm::{self, Formula, Matching};
use numpy::PyArray2;
use pyo3::prelude::*;

type Block = (usize, usize, usize, usize, f64);

#[pyfunction]
#[pyo3(signature = (hits, exponent, r#match, nodes))]
pub fn gtm_rows<'py>(
    py: Python<'py>,
    hits: &Bound<'py, PyHits>,
    exponent: f64,
    r#match: &str,
    nodes: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let hits = &hits.get().0;
    let formula = formula(exponent, r#match, nodes)?;
    matrix_of_words(py, hits.words(), hits.len(), formula.columns(), |rows| {
        gtm::rows(hits, formula, rows)
    })
}

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
    let matching = match matching {
        "greedy" => Matching::Greedy,
        "paper" => Matching::Paper,
        "exact" => Matching::Exact { nodes },
        other => return Err(unknown("matching", other)),
    };
    Ok(Formula { exponent, matching })
}
