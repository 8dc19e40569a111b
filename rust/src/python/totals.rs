//! Closing formulas over totals of any leading shape, and sums of rows as plain numbers.

use numpy::ndarray::ArrayD;
use numpy::{IntoPyArray, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyList};

/// An array of totals, its last axis the columns; or a list with one row's numbers, for which
/// numpy need not be loaded.
pub type Totals<'py> = Bound<'py, PyAny>;

/// An array with a score for each row of an array of totals; the score alone for a list.
pub type Scores<'py> = Bound<'py, PyAny>;

/// The numbers of the totals, row after row, whatever their order in memory. Each row must have
/// this many columns.
pub fn numbers(totals: &Totals<'_>, columns: usize) -> PyResult<Vec<f64>> {
    let wrong = || Err(PyValueError::new_err(format!("totals must have {columns} columns")));
    if let Ok(list) = totals.cast::<PyList>() {
        let row: Vec<f64> = list.extract()?;
        return if row.len() == columns { Ok(row) } else { wrong() };
    }
    let array = totals.cast::<PyArrayDyn<f64>>()?;
    if array.shape().last() != Some(&columns) {
        return wrong();
    }
    Ok(array.try_readonly()?.as_array().iter().copied().collect())
}

/// One number for each row of totals.
pub fn each_row<'py>(
    totals: &Totals<'py>,
    columns: usize,
    compute: impl Fn(&[f64]) -> f64,
) -> PyResult<Scores<'py>> {
    let numbers = numbers(totals, columns)?;
    // Asking whether it is an array would load numpy.
    if totals.is_instance_of::<PyList>() {
        return Ok(PyFloat::new(totals.py(), compute(&numbers)).into_any());
    }
    let array = totals.cast::<PyArrayDyn<f64>>()?;
    let scores = numbers.chunks_exact(columns).map(compute).collect();
    let scores = ArrayD::from_shape_vec(&array.shape()[..array.ndim() - 1], scores);
    Ok(scores.expect("a score for each row").into_pyarray(totals.py()).into_any())
}

/// Sums of blocks of this many rows; what is left over makes the last one.
pub fn block_sums(rows: &[f64], columns: usize, block: usize) -> Vec<Vec<f64>> {
    let add = |block: &[f64]| {
        let mut sums = vec![0.0; columns];
        for row in block.chunks_exact(columns) {
            for (sum, number) in sums.iter_mut().zip(row) {
                *sum += number;
            }
        }
        sums
    };
    rows.chunks(columns * block.max(1)).map(add).collect()
}
