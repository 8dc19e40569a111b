//! Matching words of outputs and references, whatever their order.

use crate::hits::{Hits, NONE};
use crate::interrupt::{self, spend, with_scratch};
use std::cell::Cell;

pub const COLUMNS: usize = 3;

/// Scores that differ less than this differ by rounding only.
const ROUNDING: f64 = 1e-13;

/// For each segment: one-to-one word matches, output length and reference length, all for its
/// best reference, the first of equals. The score is the harmonic mean of precision and recall
/// in which recall has the given weight: 0 is precision alone, 1 recall alone.
pub fn rows(hits: &Hits, recall_weight: f64, rows: &mut [f64]) {
    with_scratch(&COUNTS, |counts| {
        for (index, row) in rows.chunks_exact_mut(COLUMNS).enumerate() {
            let pair = hits.get(index);
            let output = pair.output.len() as f64;
            let mut best = f64::NEG_INFINITY;
            row[1] = output;
            for reference in pair.references() {
                let words = [reference].into_iter();
                let matches = matches(pair.output, words, pair.types, counts) as f64;
                let length = reference.len() as f64;
                let divisor = length + (1.0 - recall_weight) * (output - length);
                let score = if matches == 0.0 { 0.0 } else { matches / divisor };
                if score > best + ROUNDING {
                    best = score;
                    row[0] = matches;
                    row[2] = length;
                }
            }
        }
    });
}

thread_local! {
    /// For each id, how often it is still free in the reference; all zero between segments.
    pub static COUNTS: interrupt::Scratch<Vec<u32>> = const { Cell::new(None) };
}

/// How many words of the output stand in the references, each as often as in all of them together.
/// The counts are all zero before and after.
pub fn matches<'a>(
    output: &[u32],
    references: impl Iterator<Item = &'a [u32]> + Clone,
    types: usize,
    counts: &mut Vec<u32>,
) -> usize {
    counts.resize(types.max(counts.len()), 0);
    let mut words = output.len();
    for reference in references.clone() {
        words += reference.len();
        reference.iter().for_each(|id| counts[*id as usize] += 1);
    }
    spend(words);
    let mut matches = 0;
    for id in output.iter().filter(|id| **id != NONE) {
        let left = &mut counts[*id as usize];
        matches += (*left > 0) as usize;
        *left = left.saturating_sub(1);
    }
    references.flatten().for_each(|id| counts[*id as usize] = 0);
    matches
}
