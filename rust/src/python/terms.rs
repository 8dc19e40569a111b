//! Terms with their counts, as bytes and arrays.

use super::compute::{detach, load_numpy};
use crate::terms::{self, Pairs, Split, TermList, Terms};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The terms one behind the other, where each ends, and how often each was counted.
pub type Parts<'py> = (Bound<'py, PyBytes>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>);

pub fn parts<'py>(py: Python<'py>, list: impl FnOnce() -> Terms + Send) -> PyResult<Parts<'py>> {
    load_numpy(py)?;
    let (bytes, ends, counts) = detach(py, list)?.into_parts();
    Ok((PyBytes::new(py, &bytes), ends.into_pyarray(py), counts.into_pyarray(py)))
}

pub fn packed(
    bytes: &[u8],
    ends: PyReadonlyArray1<'_, i64>,
    counts: PyReadonlyArray1<'_, i64>,
) -> PyResult<Terms> {
    let (ends, counts) = (ends.as_slice()?.to_vec(), counts.as_slice()?.to_vec());
    Terms::packed(bytes.to_vec(), ends, counts).ok_or_else(not_terms)
}

#[pyfunction]
#[pyo3(signature = (bytes, ends, partitions, words=None))]
pub fn split_terms<'py>(
    py: Python<'py>,
    bytes: &[u8],
    ends: PyReadonlyArray1<'py, i64>,
    partitions: usize,
    words: Option<usize>,
) -> PyResult<PySplit<'py>> {
    load_numpy(py)?;
    let ends = ends.as_slice()?;
    let found = detach(py, || terms::split(bytes, ends, partitions, words))?;
    let Split { order, bytes, bounds, starts } = found.ok_or_else(not_terms)?;
    let sorted = (bytes.into_pyarray(py), bounds.into_pyarray(py));
    Ok((order.into_pyarray(py), sorted, starts.into_pyarray(py)))
}

#[pyfunction]
pub fn number_terms<'py>(
    py: Python<'py>,
    batches: Vec<(PyReadonlyArray1<'py, u8>, PyReadonlyArray1<'py, i32>)>,
) -> PyResult<PyNumbers<'py>> {
    load_numpy(py)?;
    let mut list = TermList::new(None);
    for (bytes, bounds) in &batches {
        let (bytes, bounds) = (bytes.as_slice()?, bounds.as_slice()?);
        if !detach(py, || list.add(bytes, bounds))? {
            return Err(not_terms());
        }
    }
    let (numbers, bytes, ends) = detach(py, || list.number())?;
    Ok((numbers.into_pyarray(py), (PyBytes::new(py, &bytes), ends.into_pyarray(py))))
}

/// The number of each term; the different terms, and where each ends.
pub type PyNumbers<'py> =
    (Bound<'py, PyArray1<i32>>, (Bound<'py, PyBytes>, Bound<'py, PyArray1<i64>>));

#[pyfunction]
pub fn split_pairs<'py>(
    py: Python<'py>,
    bytes: &[u8],
    ends: PyReadonlyArray1<'py, i64>,
    counts: PyReadonlyArray1<'py, f64>,
) -> PyResult<PyPairs<'py>> {
    load_numpy(py)?;
    let (ends, counts) = (ends.as_slice()?, counts.as_slice()?);
    let found = detach(py, || Pairs::new(bytes, ends, counts))?;
    let Pairs { firsts, different_firsts, seconds, bytes, ends } = found.ok_or_else(not_terms)?;
    let words = (PyBytes::new(py, &bytes), ends.into_pyarray(py));
    Ok((firsts.into_pyarray(py), different_firsts, seconds.into_pyarray(py), words))
}

/// The number of each term's first word, and how many there are; the numbers of second words;
/// these words, and where each ends.
pub type PyPairs<'py> = (
    Bound<'py, PyArray1<i32>>,
    usize,
    Bound<'py, PyArray1<i32>>,
    (Bound<'py, PyBytes>, Bound<'py, PyArray1<i64>>),
);

#[pyfunction]
pub fn logarithms<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    load_numpy(py)?;
    let values = values.as_slice()?;
    let found = detach(py, || values.iter().map(|value| value.ln()).collect::<Vec<_>>())?;
    Ok(found.into_pyarray(py))
}

/// The order; the terms in it, and where each begins; where each partition begins.
pub type PySplit<'py> = (
    Bound<'py, PyArray1<i64>>,
    (Bound<'py, PyArray1<u8>>, Bound<'py, PyArray1<i32>>),
    Bound<'py, PyArray1<i64>>,
);

pub fn not_terms() -> PyErr {
    PyValueError::new_err("these are no terms of this measure")
}
