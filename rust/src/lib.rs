//! The counting kernels of metra. Only `python` knows that there is a Python.

pub mod agreement;
pub mod bitsets;
pub mod bleu;
pub mod characters;
pub mod chrf;
pub mod edit;
pub mod error_rates;
pub mod fork_lock;
pub mod gtm;
pub mod hits;
pub mod information;
pub mod interrupt;
pub mod lines;
pub mod ltv;
pub mod meteor;
pub mod ngram;
pub mod nist;
pub mod overlap;
#[cfg(feature = "python")]
mod python;
pub mod rapidfuzz;
pub mod salience;
#[cfg(test)]
mod samples;
pub mod steps;
pub mod ter;
pub mod terms;
pub mod text;
pub mod ties;
pub mod tokenize;
pub mod tokens;
pub mod types;
pub mod unigram;
pub mod vocabulary;
pub mod word_weights;
