//! METEOR's statistics of an alignment, and its formula.

use super::links::Link;
use std::ops::Deref;

pub const STAGES: usize = 4;
pub const COLUMNS: usize = 7 + 4 * STAGES;

/// Lengths and function words of both sides; for each stage the content and function words
/// matched on either side; chunks; words matched on either side.
pub struct Statistics([f64; COLUMNS]);

impl Deref for Statistics {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.0
    }
}

impl Statistics {
    /// `lengths`: words of output and reference, function words of either.
    pub fn of(
        lengths: [usize; 4],
        chosen: &[Link],
        hyp_function: impl Fn(usize) -> bool,
        reference_function: impl Fn(usize) -> bool,
    ) -> Self {
        let mut found = [0.0; COLUMNS];
        for (column, length) in found.iter_mut().zip(lengths) {
            *column = length as f64;
        }
        let (mut hyp_matched, mut reference_matched) = (0, 0);
        for link in chosen {
            let stage = 4 + 4 * link.stage as usize;
            for place in link.hyp..link.hyp_end() {
                found[stage + 2 * hyp_function(place as usize) as usize] += 1.0;
            }
            for place in link.reference..link.reference_end() {
                found[stage + 1 + 2 * reference_function(place as usize) as usize] += 1.0;
            }
            hyp_matched += link.hyp_words as usize;
            reference_matched += link.reference_words as usize;
        }
        let chunks = chunks(chosen);
        // A perfect match has no fragments, in the segment and in the sums it goes into.
        let perfect = chunks == 1 && lengths[0] == hyp_matched && lengths[1] == reference_matched;
        found[COLUMNS - 3] = if perfect { 0.0 } else { chunks as f64 };
        found[COLUMNS - 2] = hyp_matched as f64;
        found[COLUMNS - 1] = reference_matched as f64;
        Statistics(found)
    }
}

/// How many runs of neighbours, in the same order on both sides, the links form.
fn chunks(chosen: &[Link]) -> usize {
    let goes_on = |pair: &&[Link]| {
        pair[1].reference == pair[0].reference_end() && pair[1].hyp == pair[0].hyp_end()
    };
    chosen.len() - chosen.windows(2).filter(goes_on).count()
}

#[derive(Clone, Copy, Debug)]
pub struct Formula {
    pub alpha: f64,
    pub beta: f64,
    pub gamma: f64,
    pub delta: f64,
    pub weights: [f64; STAGES],
}

/// The pieces of a score, 0 to 1.
#[derive(Clone, Copy, Debug)]
pub struct Pieces {
    pub precision: f64,
    pub recall: f64,
    pub fmean: f64,
    pub penalty: f64,
}

impl Formula {
    /// The score, 0 to 100, of one row or of a sum of rows.
    pub fn score(&self, row: &[f64]) -> f64 {
        let pieces = self.pieces(row);
        let score = pieces.fmean * (1.0 - pieces.penalty);
        if score.is_nan() { 0.0 } else { 100.0 * score.max(0.0) }
    }

    pub fn pieces(&self, row: &[f64]) -> Pieces {
        let side = |side: usize| {
            let (length, function) = (row[side], row[2 + side]);
            // In METEOR's order, content words of all stages first, so that references that it
            // finds equally good are equally good here.
            let mut weighted = 0.0;
            for (first, share) in [(4, self.delta), (6, 1.0 - self.delta)] {
                for (stage, weight) in self.weights.iter().enumerate() {
                    weighted += row[first + 4 * stage + side] * weight * share;
                }
            }
            weighted / (self.delta * (length - function) + (1.0 - self.delta) * function)
        };
        let (precision, recall) = (side(0), side(1));
        let fmean = 1.0 / ((1.0 - self.alpha) / precision + self.alpha / recall);
        let [chunks, hyp_matched, reference_matched] = row[COLUMNS - 3..] else { unreachable!() };
        let complete = hyp_matched == row[0] && reference_matched == row[1] && chunks == 1.0;
        let fragments = match (chunks, complete) {
            (0.0, _) | (_, true) => 0.0,
            _ => chunks / ((hyp_matched + reference_matched) / 2.0),
        };
        Pieces { precision, recall, fmean, penalty: self.gamma * fragments.powf(self.beta) }
    }
}
