//! Computing with the interpreter released, what makes it stop, and arrays of what is computed.

use crate::interrupt::{self, Flag, Interrupted, Reason};
use crate::overlap::Expected;
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2, get_array_module};
use pyo3::exceptions::{PyIndexError, PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;
use std::cell::Cell;
use std::panic::resume_unwind;
use std::time::{Duration, Instant};

/// Computes while the interpreter is released; raises what made the kernel give up.
pub fn detach<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| interrupt::catch(work)).or_else(raise)
}

/// From this many words on, other threads may run meanwhile. Giving the interpreter back and waiting
/// for it takes longer than scoring a short segment.
const LONG: usize = 256;
/// How many bytes stand for a word where text has not been split yet.
pub const WORD: usize = 8;

/// Computes something of so many words, with the interpreter released where they are many.
pub fn detach_long<T: Send>(
    py: Python<'_>,
    words: usize,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    if words < LONG { interrupt::catch(work).or_else(raise) } else { detach(py, work) }
}

/// Computes something of one output and its references.
pub fn score<T: Send>(
    py: Python<'_>,
    output: &str,
    references: &[&str],
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let bytes = output.len() + references.iter().map(|text| text.len()).sum::<usize>();
    detach_long(py, bytes / WORD, work)
}

fn raise<T>(reason: Reason) -> PyResult<T> {
    Err(match reason.downcast::<PyErr>() {
        Ok(error) => *error,
        Err(reason) if reason.is::<Interrupted>() => PyKeyboardInterrupt::new_err(()),
        Err(fault) => resume_unwind(fault),
    })
}

/// The least time between two questions to the interpreter, for which one may have to wait.
const PATIENCE: Duration = Duration::from_millis(50);

thread_local! {
    static ASKED: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// What a signal's handler has raised, if one is due. Only Python's main thread handles signals.
pub fn pending_signal() -> Option<Reason> {
    if ASKED.get().is_some_and(|asked| asked.elapsed() < PATIENCE) {
        return None;
    }
    let error = Python::try_attach(|py| py.check_signals().err()).flatten();
    ASKED.set(Some(Instant::now()));
    error.map(|error| Box::new(error) as Reason)
}

/// Makes the kernels that run in other threads give up.
#[pyclass(frozen, name = "StopFlag", module = "metra._core")]
pub struct PyStopFlag(Flag);

#[pymethods]
impl PyStopFlag {
    #[new]
    fn new() -> Self {
        PyStopFlag(Flag::default())
    }

    fn set(&self) {
        self.0.set();
    }

    /// Calls a function whose kernels give up once the flag is set.
    #[pyo3(signature = (function, *arguments))]
    fn call<'py>(
        &self,
        function: &Bound<'py, PyAny>,
        arguments: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.0.guard(|| function.call1(arguments))
    }
}

/// Loads numpy and finds its arrays, if no one has: both run Python, which raises for a signal that
/// waits, and where the first array is made that would be a fault. So whatever makes arrays calls
/// this before it computes.
pub fn load_numpy(py: Python<'_>) -> PyResult<()> {
    static LOADED: PyOnceLock<()> = PyOnceLock::new();
    LOADED.get_or_try_init(py, || get_array_module(py).map(drop)).copied()
}

/// What a kernel returns: a row for each segment, or for each output.
pub type Rows<'py> = PyResult<Bound<'py, PyArray2<f64>>>;

/// A matrix of so many rows and columns, filled with the interpreter released.
pub fn matrix<'py>(
    py: Python<'py>,
    rows: usize,
    columns: usize,
    fill: impl FnOnce(&mut [f64]) + Send,
) -> Rows<'py> {
    matrix_of_words(py, usize::MAX, rows, columns, fill)
}

/// A matrix of statistics of so many words; the interpreter is released where they are many.
pub fn matrix_of_words<'py>(
    py: Python<'py>,
    words: usize,
    rows: usize,
    columns: usize,
    fill: impl FnOnce(&mut [f64]) + Send,
) -> Rows<'py> {
    load_numpy(py)?;
    let mut numbers = vec![0.0; rows * columns];
    detach_long(py, words, || fill(&mut numbers))?;
    let array = Array2::from_shape_vec((rows, columns), numbers).expect("as many as there are");
    Ok(array.into_pyarray(py))
}

/// A matrix with a row for each output. The places must be those of texts that there are.
pub fn pairs<'py>(
    py: Python<'py>,
    texts: usize,
    (outputs, references): (&[usize], &[usize]),
    columns: usize,
    fill: impl FnOnce(&mut [f64]) + Send,
) -> Rows<'py> {
    if let Some(place) = outputs.iter().chain(references).find(|place| **place >= texts) {
        return Err(PyIndexError::new_err(format!("text {place} of {texts}")));
    }
    matrix(py, outputs.len(), columns, |rows| {
        if !rows.is_empty() {
            fill(rows);
        }
    })
}

/// References with their weights, as many of each.
pub fn expected<'a>(references: &'a [usize], weights: &'a [f64]) -> PyResult<Expected<'a>> {
    if references.len() != weights.len() {
        return Err(PyValueError::new_err("references and weights of different lengths"));
    }
    Ok(Expected { references, weights })
}
