//! Closing formulas over totals of any leading shape.

use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::borrow::Cow;

pub type Totals<'py> = Bound<'py, PyArrayDyn<f64>>;

/// One number for each row of totals, which must have this many columns.
pub fn each_row<'py>(
    totals: &Totals<'py>,
    columns: usize,
    compute: impl Fn(&[f64]) -> f64,
) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    if totals.shape().last() != Some(&columns) {
        return Err(PyValueError::new_err(format!("totals must have {columns} columns")));
    }
    // The interpreter stays held while these numbers are read, row after row, whatever their
    // order in memory.
    let numbers = if totals.is_c_contiguous() {
        Cow::Borrowed(unsafe { totals.as_slice()? })
    } else {
        Cow::Owned(totals.to_owned_array().into_iter().collect::<Vec<_>>())
    };
    let scores = PyArrayDyn::zeros(totals.py(), &totals.shape()[..totals.ndim() - 1], false);
    // No one else knows the new array yet.
    let places = unsafe { scores.as_slice_mut()? };
    for (score, row) in places.iter_mut().zip(numbers.chunks_exact(columns)) {
        *score = compute(row);
    }
    Ok(scores)
}
