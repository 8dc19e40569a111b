//! Thin bindings: convert, release the interpreter, compute.

mod agreement;
mod bleu;
mod chrf;
mod compute;
mod hits;
mod ltv;
mod meteor;
mod nist;
mod terms;
mod text;
mod ties;
mod tokens;
mod totals;

use crate::fork_lock;
use pyo3::exceptions::{PyException, PyIndexError, PyValueError};
use pyo3::prelude::*;

pyo3::create_exception!(metra._core, BadLine, PyException);
pyo3::create_exception!(metra._core, BadSegment, PyException);
pyo3::create_exception!(metra._core, NotUtf8, PyException);

#[pymodule]
mod _core {
    use crate::interrupt;
    use pyo3::prelude::*;
    use pyo3::types::PyDict;

    #[pymodule_export]
    use super::agreement::{pair_sums, rank_sums};
    #[pymodule_export]
    use super::bleu::{PyFormula, ngram_rows, ngram_sums};
    #[pymodule_export]
    use super::chrf::PyChrf;
    #[pymodule_export]
    use super::compute::PyStopFlag;
    #[pymodule_export]
    use super::hits::{
        PyHits, edit_alignments, edit_rows, gtm_blocks, gtm_rows, ter_rows, unequal_rows,
        unigram_rows,
    };
    #[pymodule_export]
    use super::ltv::{PyLtv, PySalience, PyWordWeights};
    #[pymodule_export]
    use super::meteor::PyMeteor;
    #[pymodule_export]
    use super::nist::{PyInformation, nist_penalty, nist_score};
    #[pymodule_export]
    use super::terms::logarithms;
    #[pymodule_export]
    use super::text::{PyLineBuffer, PyText};
    #[pymodule_export]
    use super::ties::{tie_counts, tie_pairs};
    #[pymodule_export]
    use super::tokens::{PyTokenizer, PyTokens, PyTypeMap, grapheme_version, word_counts};
    #[pymodule_export]
    use super::{BadLine, BadSegment, NotUtf8};

    /// No lock is held when Python forks; systems that cannot fork have no such function.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        interrupt::ask_before_going_on(super::compute::pending_signal);
        let os = module.py().import("os")?;
        if os.hasattr("register_at_fork")? {
            let wishes = PyDict::new(module.py());
            wishes.set_item("before", wrap_pyfunction!(super::before_fork, module)?)?;
            let after = wrap_pyfunction!(super::after_fork, module)?;
            wishes.set_item("after_in_parent", &after)?;
            wishes.set_item("after_in_child", &after)?;
            os.call_method("register_at_fork", (), Some(&wishes))?;
        }
        Ok(())
    }
}

#[pyfunction]
fn before_fork() {
    // The interpreter stays held: no one who holds a lock waits for it, and one who had it could
    // wait for us at the gate.
    fork_lock::before_fork();
}

#[pyfunction]
fn after_fork() {
    fork_lock::after_fork();
}

/// The place that a Python index, which may count from the end, means.
fn position(index: isize, length: usize) -> PyResult<usize> {
    let shifted = if index < 0 { index + length as isize } else { index };
    usize::try_from(shifted)
        .ok()
        .filter(|at| *at < length)
        .ok_or_else(|| PyIndexError::new_err(format!("segment {index} of {length}")))
}

/// The value that a table has under this name.
fn named<T: Copy>(what: &str, name: &str, values: &[(&str, T)]) -> PyResult<T> {
    let entry = values.iter().find(|entry| entry.0 == name);
    entry.map(|entry| entry.1).ok_or_else(|| unknown(what, name))
}

fn unknown(what: &str, name: &str) -> PyErr {
    PyValueError::new_err(format!("no {what} named {name:?}"))
}
