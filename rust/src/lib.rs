//! The counting kernels of metra. Only `python` knows that there is a Python.
//!
//! Text: `text` (packed segments), `lines`, `tokenize`, `tokens`, `types` (work once a word type),
//! `vocabulary`, `hits` (which tokens are equal)
//! N-grams: `ngram` (clipped matches), `bitsets`, `steps`, `bleu`, `overlap` (all outputs with all
//! references), `characters` and `chrf`, `terms` (counts of a corpus), `information` and `nist`,
//! `salience`, `word_weights` and `ltv`
//! Edits: `edit`, `error_rates` (WER, PER, CER), `rapidfuzz` (jiwer's alignment), `ter` (shifts, in
//! the styles of TERCOM and sacreBLEU)
//! Matchings: `unigram`, `gtm`, `meteor`
//! Meta-evaluation: `agreement` of judges, `ties` of segments
//! All kernels: `interrupt` (Ctrl-C), `fork_lock`, `samples` (texts for tests)

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
