//! Packed text, and lines from bytes.

use super::compute::detach;
use super::{BadSegment, NotUtf8, position};
use crate::lines::LineBuffer;
use crate::text::Text;
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

#[pyclass(frozen, name = "Text", module = "metra._core")]
pub struct PyText(pub Text);

#[pymethods]
impl PyText {
    #[new]
    fn new(segments: &Bound<'_, PyList>) -> PyResult<Self> {
        let mut text = Text::with_capacity(segments.len(), 128 * segments.len());
        for (index, segment) in segments.iter().enumerate() {
            match segment.cast::<PyString>() {
                Ok(string) => match string.to_str() {
                    Ok(string) => text.push(string),
                    Err(_) => return Err(BadSegment::new_err((index, "a lone surrogate"))),
                },
                Err(_) if is_missing(&segment) => text.push_missing(),
                Err(_) => {
                    let found = segment.get_type().name()?.to_string();
                    return Err(BadSegment::new_err((index, format!("a value of type {found}"))));
                }
            }
        }
        Ok(PyText(text))
    }

    #[staticmethod]
    #[pyo3(signature = (bytes, bounds, there=None))]
    fn packed(
        py: Python<'_>,
        bytes: PyReadonlyArray1<'_, u8>,
        bounds: PyReadonlyArray1<'_, i64>,
        there: Option<PyReadonlyArray1<'_, bool>>,
    ) -> PyResult<Self> {
        let (bytes, bounds) = (bytes.as_slice()?, bounds.as_slice()?);
        let there = there.as_ref().map(|flags| flags.as_slice()).transpose()?;
        let segments = bounds.len().saturating_sub(1);
        if there.is_some_and(|flags| flags.len() != segments) {
            return Err(PyValueError::new_err("flags and bounds of different lengths"));
        }
        detach(py, || {
            // Of a slice, the buffer has the texts of the whole column.
            let ends = bounds.first().zip(bounds.last());
            let size = ends.map_or(0, |(first, last)| last.saturating_sub(*first).max(0) as usize);
            let mut text = Text::with_capacity(segments, size.min(bytes.len()));
            for (index, ends) in bounds.windows(2).enumerate() {
                if there.is_some_and(|flags| !flags[index]) {
                    text.push_missing();
                    continue;
                }
                let segment = bytes.get(ends[0] as usize..ends[1] as usize);
                let segment = segment.ok_or((index, "out of bounds"))?;
                text.push(std::str::from_utf8(segment).map_err(|_| (index, "not UTF-8"))?);
            }
            Ok(PyText(text))
        })?
        .map_err(|bad: (usize, &'static str)| BadSegment::new_err(bad))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__(&self, index: isize) -> PyResult<Option<&str>> {
        Ok(self.0.get(position(index, self.0.len())?))
    }

    /// The positions of the missing segments.
    fn missing(&self) -> Vec<usize> {
        let flags = self.0.missing().iter().enumerate();
        flags.filter(|pair| *pair.1).map(|pair| pair.0).collect()
    }
}

/// None, NaN, or what pandas has for missing strings.
fn is_missing(value: &Bound<'_, PyAny>) -> bool {
    value.is_none()
        || value.extract::<f64>().is_ok_and(f64::is_nan)
        || value.get_type().name().is_ok_and(|name| name == "NAType")
}

#[pyclass(name = "LineBuffer", module = "metra._core")]
pub struct PyLineBuffer(LineBuffer);

#[pymethods]
impl PyLineBuffer {
    #[new]
    fn new() -> Self {
        PyLineBuffer(LineBuffer::default())
    }

    fn push(&mut self, bytes: &Bound<'_, PyBytes>) {
        self.0.push(bytes.as_bytes());
    }

    fn finish(&mut self) {
        self.0.finish();
    }

    #[getter]
    fn ready(&self) -> usize {
        self.0.ready()
    }

    fn pop(&mut self, most: usize) -> PyResult<PyText> {
        match self.0.pop(most) {
            Ok(text) => Ok(PyText(text)),
            Err(error) => Err(NotUtf8::new_err((error.line, error.column, error.byte))),
        }
    }
}
