//! Closing formulas over totals of any leading shape.

use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::borrow::Cow;

pub type Totals<'py> = Bound<'py, PyArrayDyn<f64>>;

/// The numbers of the totals, row after row, whatever their order in memory. Each row must have
/// this many columns.
pub fn numbers<'a>(totals: &'a Totals<'_>, columns: usize) -> PyResult<Cow<'a, [f64]>> {
    if totals.shape().last() != Some(&columns) {
        return Err(PyValueError::new_err(format!("totals must have {columns} columns")));
    }
    // The interpreter stays held while these numbers are read.
    if totals.is_c_contiguous() {
        Ok(Cow::Borrowed(unsafe { totals.as_slice()? }))
    } else {
        Ok(Cow::Owned(totals.to_owned_array().into_iter().collect()))
    }
}

/// One number for each row of totals.
pub fn each_row<'py>(
    totals: &Totals<'py>,
    columns: usize,
    compute: impl Fn(&[f64]) -> f64,
) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    let numbers = numbers(totals, columns)?;
    let scores = PyArrayDyn::zeros(totals.py(), &totals.shape()[..totals.ndim() - 1], false);
    // No one else knows the new array yet.
    let places = unsafe { scores.as_slice_mut()? };
    for (score, row) in places.iter_mut().zip(numbers.chunks_exact(columns)) {
        *score = compute(row);
    }
    Ok(scores)
}
