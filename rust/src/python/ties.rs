//! Counts behind tie calibration.

use crate::ties;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

type Counts<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>);
type Pairs<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<i64>>);

#[pyfunction]
pub fn tie_bins<'py>(
    py: Python<'py>,
    gold: PyReadonlyArray1<'py, f64>,
    metric: PyReadonlyArray1<'py, f64>,
    from: usize,
    to: usize,
    shift: u32,
) -> PyResult<Counts<'py>> {
    let (gold, metric) = (gold.as_slice()?, metric.as_slice()?);
    check(gold, metric, from, to)?;
    let found = py.detach(|| ties::bins(gold, metric, from, to, shift));
    Ok((PyArray1::from_vec(py, found.gained), PyArray1::from_vec(py, found.lost)))
}

#[pyfunction]
pub fn tie_pairs<'py>(
    py: Python<'py>,
    gold: PyReadonlyArray1<'py, f64>,
    metric: PyReadonlyArray1<'py, f64>,
    from: usize,
    to: usize,
    shift: u32,
    wanted: PyReadonlyArray1<'py, bool>,
) -> PyResult<Pairs<'py>> {
    let (gold, metric, wanted) = (gold.as_slice()?, metric.as_slice()?, wanted.as_slice()?);
    check(gold, metric, from, to)?;
    let (keys, gains) = py.detach(|| ties::inside(gold, metric, from, to, shift, wanted));
    Ok((PyArray1::from_vec(py, keys), PyArray1::from_vec(py, gains)))
}

fn check(gold: &[f64], metric: &[f64], from: usize, to: usize) -> PyResult<()> {
    if gold.len() != metric.len() || from > to || to > gold.len() {
        return Err(PyValueError::new_err("gold and metric must be of the same length"));
    }
    Ok(())
}
