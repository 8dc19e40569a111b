//! Counts behind tie calibration.

use super::compute::detach;
use crate::ties::{self, Cuts, Group};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

type Counts<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>);

#[pyfunction]
pub fn tie_counts<'py>(
    py: Python<'py>,
    gold: PyReadonlyArray1<'py, u32>,
    metric: PyReadonlyArray1<'py, f64>,
    start: usize,
    stop: usize,
    cuts: PyReadonlyArray1<'py, u64>,
    wanted: PyReadonlyArray1<'py, bool>,
) -> PyResult<Counts<'py>> {
    let group = Group { gold: gold.as_slice()?, metric: metric.as_slice()? };
    let cuts = Cuts { at: cuts.as_slice()?, wanted: wanted.as_slice()? };
    check(&group, start, stop, &cuts)?;
    let found = detach(py, || ties::counts(&group, start, stop, &cuts))?;
    Ok((PyArray1::from_vec(py, found.tied), PyArray1::from_vec(py, found.ordered)))
}

#[pyfunction]
pub fn tie_pairs<'py>(
    py: Python<'py>,
    gold: PyReadonlyArray1<'py, u32>,
    metric: PyReadonlyArray1<'py, f64>,
    start: usize,
    stop: usize,
    cuts: PyReadonlyArray1<'py, u64>,
    wanted: PyReadonlyArray1<'py, bool>,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let group = Group { gold: gold.as_slice()?, metric: metric.as_slice()? };
    let cuts = Cuts { at: cuts.as_slice()?, wanted: wanted.as_slice()? };
    check(&group, start, stop, &cuts)?;
    let found = detach(py, || ties::inside(&group, start, stop, &cuts))?;
    Ok(PyArray1::from_vec(py, found))
}

fn check(group: &Group, start: usize, stop: usize, cuts: &Cuts) -> PyResult<()> {
    let size = group.gold.len();
    if size != group.metric.len() || start > stop || stop > size {
        return Err(PyValueError::new_err("gold and metric must be of the same length"));
    }
    if cuts.at.len() != cuts.wanted.len() + 1 {
        return Err(PyValueError::new_err("there must be an interval between each two cuts"));
    }
    Ok(())
}
