//! Sums behind the agreement of judges.

use super::compute::{Rows, matrix};
use crate::agreement::{self, PAIR_SUMS, Pairs, RANK_SUMS, Rated};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

type Codes<'py> = PyReadonlyArray1<'py, i64>;
type Weights<'py> = PyReadonlyArray2<'py, f64>;

#[pyfunction]
pub fn pair_sums<'py>(
    py: Python<'py>,
    weights: Weights<'py>,
    drawn: Codes<'py>,
    sides: (Codes<'py>, Codes<'py>),
    starts: Codes<'py>,
    values: PyReadonlyArray1<'py, f64>,
    value_starts: Codes<'py>,
) -> Rows<'py> {
    let pairs = Pairs {
        drawn: drawn.as_slice()?,
        first: sides.0.as_slice()?,
        second: sides.1.as_slice()?,
        starts: starts.as_slice()?,
        values: values.as_slice()?,
        value_starts: value_starts.as_slice()?,
    };
    let (draws, width) = (weights.shape()[0], weights.shape()[1]);
    let (rows, count) = (pairs.drawn.len(), pairs.starts.len().saturating_sub(1));
    check(width > 0 && lie_below(pairs.drawn, width))?;
    check(are_ends(pairs.starts, rows) && are_ends(pairs.value_starts, pairs.values.len()))?;
    check(pairs.first.len() == rows && pairs.second.len() == rows)?;
    check(pairs.value_starts.len() == pairs.starts.len())?;
    // A value is one of its pair's.
    for pair in 0..count {
        let own = pairs.value_starts[pair]..pairs.value_starts[pair + 1];
        let lines = pairs.starts[pair] as usize..pairs.starts[pair + 1] as usize;
        let sides = pairs.first[lines.clone()].iter().chain(&pairs.second[lines]);
        check(sides.into_iter().all(|place| own.contains(place)))?;
    }
    let weights = weights.as_slice()?;
    matrix(py, draws, count * PAIR_SUMS, |sums| {
        if !sums.is_empty() {
            agreement::pair_sums(&pairs, weights, width, sums);
        }
    })
}

#[pyfunction]
pub fn rank_sums<'py>(
    py: Python<'py>,
    weights: Weights<'py>,
    drawn: Codes<'py>,
    starts: Codes<'py>,
    codes: Codes<'py>,
    values: usize,
) -> Rows<'py> {
    let rated = Rated {
        drawn: drawn.as_slice()?,
        starts: starts.as_slice()?,
        codes: codes.as_slice()?,
        values,
    };
    let (draws, width) = (weights.shape()[0], weights.shape()[1]);
    check(width > 0 && lie_below(rated.drawn, width) && lie_below(rated.codes, values))?;
    check(are_ends(rated.starts, rated.codes.len()))?;
    check(rated.starts.len() == rated.drawn.len() + 1)?;
    let weights = weights.as_slice()?;
    matrix(py, draws, RANK_SUMS, |sums| agreement::rank_sums(&rated, weights, width, sums))
}

fn lie_below(places: &[i64], end: usize) -> bool {
    places.iter().all(|place| (0..end as i64).contains(place))
}

/// Whether these rise from 0 to the end.
fn are_ends(starts: &[i64], end: usize) -> bool {
    starts.first() == Some(&0) && starts.last() == Some(&(end as i64)) && starts.is_sorted()
}

fn check(holds: bool) -> PyResult<()> {
    let wrong = || PyValueError::new_err("places must lie inside of what they are places of");
    holds.then_some(()).ok_or_else(wrong)
}
