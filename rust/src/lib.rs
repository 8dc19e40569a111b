//! The counting kernels of metra. Only `python` knows that there is a Python.

pub mod bleu;
pub mod gtm;
pub mod hits;
pub mod lines;
pub mod ngram;
#[cfg(feature = "python")]
mod python;
pub mod text;
pub mod tokenize;
pub mod tokens;
pub mod types;
pub mod unigram;
