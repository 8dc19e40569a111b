//! Thin bindings: convert, release the interpreter, compute. One file a kernel.

mod bleu;
mod chrf;
mod edit;
mod gtm;
mod hits;
mod ltv;
mod meteor;
mod nist;
mod pairs;
mod ter;
mod terms;
mod text;
mod ties;
mod tokens;
mod totals;
mod unigram;

use pyo3::exceptions::{PyException, PyIndexError, PyValueError};
use pyo3::prelude::*;

pyo3::create_exception!(metra._core, BadLine, PyException);
pyo3::create_exception!(metra._core, BadSegment, PyException);
pyo3::create_exception!(metra._core, NotUtf8, PyException);

#[pymodule]
mod _core {
    #[pymodule_export]
    use super::bleu::{PyFormula, ngram_rows, ngram_sums};
    #[pymodule_export]
    use super::chrf::PyChrf;
    #[pymodule_export]
    use super::edit::{edit_alignments, edit_rows, unequal_rows};
    #[pymodule_export]
    use super::gtm::{gtm_blocks, gtm_rows};
    #[pymodule_export]
    use super::hits::PyHits;
    #[pymodule_export]
    use super::ltv::{PyLtv, PySalience, PyWordWeights};
    #[pymodule_export]
    use super::meteor::PyMeteor;
    #[pymodule_export]
    use super::nist::{PyInformation, nist_penalty, nist_score};
    #[pymodule_export]
    use super::ter::{ter_alignment, ter_rows};
    #[pymodule_export]
    use super::text::{PyLineBuffer, PyText};
    #[pymodule_export]
    use super::ties::{tie_counts, tie_pairs};
    #[pymodule_export]
    use super::tokens::{PyTokenizer, PyTokens, PyTypeMap, grapheme_version};
    #[pymodule_export]
    use super::unigram::unigram_rows;
    #[pymodule_export]
    use super::{BadLine, BadSegment, NotUtf8};
}

/// The place that a Python index, which may count from the end, means.
fn position(index: isize, length: usize) -> PyResult<usize> {
    let shifted = if index < 0 { index + length as isize } else { index };
    usize::try_from(shifted)
        .ok()
        .filter(|at| *at < length)
        .ok_or_else(|| PyIndexError::new_err(format!("segment {index} of {length}")))
}

fn unknown(what: &str, name: &str) -> PyErr {
    PyValueError::new_err(format!("no {what} named {name:?}"))
}
