//! NIST and its weights.

use super::compute::{detach, load_numpy, matrix_of_words};
use super::hits::PyHits;
use super::terms::{Parts, not_terms, packed, parts};
use super::tokens::PyTokens;
use super::totals::{Scores, Totals, each_row};
use super::{BadLine, unknown};
use crate::information::{Information, Tables};
use crate::nist::{self, PlacedColumns};
use crate::tokens::Tokens;
use crate::windows::{Placed, Request, WindowSums};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::HashMap;

#[pyclass(name = "Information", module = "metra._core")]
pub struct PyInformation(Information);

#[pymethods]
impl PyInformation {
    #[new]
    fn new(order: usize, history: &str) -> PyResult<Self> {
        Ok(PyInformation(Information::counted(order, zero_is_no_word(history)?)))
    }

    #[staticmethod]
    fn of_tables(
        py: Python<'_>,
        history: &str,
        words: (PyReadonlyArray1<'_, u8>, PyReadonlyArray1<'_, i64>),
        counts: PyReadonlyArray1<'_, u32>,
        longer: Vec<PyReadonlyArray1<'_, u32>>,
    ) -> PyResult<Self> {
        let longer = longer.iter().map(|table| Ok(table.as_slice()?.to_vec()));
        let tables = Tables {
            bytes: words.0.as_slice()?.to_vec(),
            ends: words.1.as_slice()?.iter().map(|end| *end as usize).collect(),
            counts: counts.as_slice()?.to_vec(),
            longer: longer.collect::<PyResult<_>>()?,
        };
        let zero_is_no_word = zero_is_no_word(history)?;
        let found = detach(py, || Information::of_tables(&tables, zero_is_no_word))?;
        found.map(PyInformation).ok_or_else(not_terms)
    }

    fn tables<'py>(&self, py: Python<'py>) -> PyResult<NistTables<'py>> {
        load_numpy(py)?;
        let Tables { bytes, ends, counts, longer } = detach(py, || self.0.tables())?;
        let ends: Vec<i64> = ends.into_iter().map(|end| end as i64).collect();
        let longer = longer.into_iter().map(|table| table.into_pyarray(py)).collect();
        let words = (bytes.into_pyarray(py), ends.into_pyarray(py));
        Ok((words, counts.into_pyarray(py), longer))
    }

    #[staticmethod]
    fn given(py: Python<'_>, lines: &str, order: usize) -> PyResult<Self> {
        match detach(py, || Information::given(lines, order))? {
            Ok(information) => Ok(PyInformation(information)),
            Err(bad) => Err(BadLine::new_err((bad.line, bad.text))),
        }
    }

    fn add(&mut self, py: Python<'_>, tokens: &Bound<'_, PyTokens>) -> PyResult<()> {
        let tokens = &tokens.get().0;
        detach(py, || self.0.add(tokens))
    }

    fn terms<'py>(&self, py: Python<'py>) -> PyResult<Parts<'py>> {
        parts(py, || self.0.terms())
    }

    fn learn(
        &mut self,
        py: Python<'_>,
        bytes: &[u8],
        ends: PyReadonlyArray1<'_, i64>,
        counts: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<()> {
        let terms = packed(bytes, ends, counts)?;
        if detach(py, || self.0.learn(&terms))? { Ok(()) } else { Err(not_terms()) }
    }

    #[getter]
    fn order(&self) -> usize {
        self.0.order()
    }

    fn lines(&self, py: Python<'_>, n: usize) -> PyResult<Option<String>> {
        if (1..=self.0.order()).contains(&n) {
            detach(py, || self.0.lines(n))
        } else {
            Err(PyValueError::new_err(format!("there are no n-grams of {n} words")))
        }
    }

    fn rows<'py>(
        &self,
        py: Python<'py>,
        hits: &Bound<'py, PyHits>,
        output: &Bound<'py, PyTokens>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (hits, output) = (&hits.get().0, &output.get().0);
        if hits.len() != output.len() {
            return Err(PyValueError::new_err("columns of different lengths"));
        }
        matrix_of_words(py, hits.words(), hits.len(), nist::columns(self.0.order()), |rows| {
            nist::rows(&self.0, hits, output, rows)
        })
    }
}

/// The words and where each ends; their counts; tables of the n-grams of each higher order.
type NistTables<'py> = (
    (Bound<'py, PyArray1<u8>>, Bound<'py, PyArray1<i64>>),
    Bound<'py, PyArray1<u32>>,
    Vec<Bound<'py, PyArray1<u32>>>,
);

fn zero_is_no_word(history: &str) -> PyResult<bool> {
    match history {
        "plain" => Ok(false),
        "mteval" => Ok(true),
        other => Err(unknown("history", other)),
    }
}

fn tokens<'a>(columns: &'a [Bound<'_, PyTokens>]) -> Vec<&'a Tokens> {
    columns.iter().map(|column| &column.get().0).collect()
}

#[pyclass(frozen, name = "WindowRequest", module = "metra._core")]
pub struct PyWindowRequest {
    request: Request,
    columns: Vec<Py<PyTokens>>,
}

#[pymethods]
impl PyWindowRequest {
    #[new]
    fn new(
        py: Python<'_>,
        columns: Vec<Bound<'_, PyTokens>>,
        order: usize,
        partitions: usize,
    ) -> PyResult<Self> {
        if order == 0 || partitions == 0 {
            return Err(PyValueError::new_err("n-grams need an order, and terms a partition"));
        }
        let texts = tokens(&columns);
        let request = detach(py, || Request::new(&texts, order, partitions))?;
        Ok(PyWindowRequest { request, columns: columns.into_iter().map(Bound::unbind).collect() })
    }

    fn split<'py>(&self, py: Python<'py>) -> PyResult<PySplitRequest<'py>> {
        load_numpy(py)?;
        let found = detach(py, || self.request.split())?.ok_or_else(not_terms)?;
        let keys = (found.bytes.into_pyarray(py), found.bounds.into_pyarray(py));
        Ok((keys, found.counts.into_pyarray(py), found.starts.into_pyarray(py)))
    }

    fn answer(
        &self,
        py: Python<'_>,
        numbers: PyReadonlyArray1<'_, f64>,
        total: u64,
        history: &str,
    ) -> PyResult<PyPlaced> {
        let (numbers, zero_is_no_word) = (numbers.as_slice()?, zero_is_no_word(history)?);
        let counts = detach(py, || self.request.answer(numbers, total))?.ok_or_else(not_terms)?;
        let mut first = 0;
        let mut columns = HashMap::new();
        for column in &self.columns {
            columns.insert(column.as_ptr() as usize, (column.clone_ref(py), first));
            first += column.get().0.count();
        }
        Ok(PyPlaced { counts, columns, zero_is_no_word })
    }
}

/// The terms and where each begins; their counts; where each partition begins.
type PySplitRequest<'py> = (
    (Bound<'py, PyArray1<u8>>, Bound<'py, PyArray1<i32>>),
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<i64>>,
);

#[pyclass(frozen, name = "PlacedInformation", module = "metra._core")]
pub struct PyPlaced {
    counts: Placed,
    /// Columns of tokens by their addresses, and how many tokens there are before each.
    columns: HashMap<usize, (Py<PyTokens>, usize)>,
    zero_is_no_word: bool,
}

#[pymethods]
impl PyPlaced {
    fn rows<'py>(
        &self,
        py: Python<'py>,
        hits: &Bound<'py, PyHits>,
        output: &Bound<'py, PyTokens>,
        references: Vec<Bound<'py, PyTokens>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (hits, output) = (&hits.get().0, &output.get().0);
        let place = |column: &Bound<'py, PyTokens>| {
            let (own, first) = self.columns.get(&(column.as_ptr() as usize))?;
            let own = &own.get().0;
            (own.len() == hits.len()).then_some((own, *first))
        };
        let columns = references.iter().map(place).collect::<Option<Vec<_>>>();
        let columns =
            columns.filter(|_| output.len() == hits.len() && references.len() == hits.width());
        let Some(columns) = columns else {
            return Err(PyValueError::new_err("columns that were not requested"));
        };
        let (counts, zero_is_no_word) = (&self.counts, self.zero_is_no_word);
        let placed = PlacedColumns { counts, columns, zero_is_no_word };
        matrix_of_words(py, hits.words(), hits.len(), nist::columns(counts.order()), |rows| {
            nist::placed_rows(&placed, hits, output, rows)
        })
    }
}

#[pyclass(name = "WindowSums", module = "metra._core")]
pub struct PyWindowSums(WindowSums);

#[pymethods]
impl PyWindowSums {
    #[new]
    fn new(order: usize) -> Self {
        PyWindowSums(WindowSums::new(order))
    }

    fn add(
        &mut self,
        py: Python<'_>,
        bytes: PyReadonlyArray1<'_, u8>,
        bounds: PyReadonlyArray1<'_, i32>,
        counts: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<()> {
        let (bytes, bounds, counts) = (bytes.as_slice()?, bounds.as_slice()?, counts.as_slice()?);
        let added = detach(py, || self.0.add(bytes, bounds, counts))?;
        added.then_some(()).ok_or_else(not_terms)
    }

    #[getter]
    fn total(&self) -> f64 {
        self.0.total()
    }

    fn answers<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyArray2<f64>>>> {
        load_numpy(py)?;
        let width = self.0.width();
        let found = detach(py, || self.0.answers())?;
        let rows = |numbers: Vec<f64>| {
            let count = numbers.len() / width;
            numbers.into_pyarray(py).reshape([count, width])
        };
        found.into_iter().map(rows).collect()
    }
}

#[pyfunction]
pub fn nist_score<'py>(totals: &Totals<'py>, order: usize) -> PyResult<Scores<'py>> {
    each_row(totals, nist::columns(order), nist::score)
}

#[pyfunction]
pub fn nist_penalty<'py>(totals: &Totals<'py>, order: usize) -> PyResult<Scores<'py>> {
    each_row(totals, nist::columns(order), nist::penalty)
}
