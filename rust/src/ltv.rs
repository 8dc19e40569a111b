//! N-grams that an output shares with its references, weighed by the salience of their words.

use crate::bitsets;
use crate::hits::{Hits, Pair};
use crate::interrupt::{self, spend, with_scratch};
use crate::ngram;
use crate::tokens::{Sentence, Tokens};
use crate::word_weights::WordWeights;
use std::cell::Cell;

/// What an n-gram weighs, by the weights of its words.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Gram {
    Sum,
    Mean,
    Max,
}

/// What the matches are divided by.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Side {
    Precision,
    Recall,
    F,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Combination {
    Mean,
    Geometric,
}

#[derive(Clone, Copy, Debug)]
pub struct Ltv {
    pub order: usize,
    pub gram: Gram,
    pub side: Side,
    pub combination: Combination,
}

/// Scores that differ less than this differ by rounding only.
const ROUNDING: f64 = 1e-13;

impl Ltv {
    /// How many numbers `rows` gives for a segment.
    pub fn columns(&self) -> usize {
        3 * self.order
    }

    /// The score, 0 to 100, of one row as `rows` makes them, or of a sum of such rows. Orders of
    /// which there is no weight to be matched are left out.
    pub fn score(&self, row: &[f64]) -> f64 {
        let (matched, rest) = row.split_at(self.order);
        let (output, reference) = rest.split_at(self.order);
        let (mut sum, mut orders) = (0.0, 0);
        for (n, matched) in matched.iter().enumerate() {
            let whole = match self.side {
                Side::Precision => output[n],
                Side::Recall => reference[n],
                Side::F => (output[n] + reference[n]) / 2.0,
            };
            if whole > 0.0 {
                let share = matched / whole;
                sum += if self.combination == Combination::Mean { share } else { share.ln() };
                orders += 1;
            }
        }
        if orders == 0 {
            return 0.0;
        }
        let mean = sum / orders as f64;
        100.0 * if self.combination == Combination::Mean { mean } else { mean.exp() }
    }

    /// For each segment and each order: the weight of the clipped matches, then of the output's
    /// n-grams, then of the reference's; all for the best reference, the first of equals. Where
    /// there are no weights every word weighs 1.
    pub fn rows(
        &self,
        weights: Option<(&WordWeights, &[u32])>,
        hits: &Hits,
        output: &Tokens,
        references: &[&Tokens],
        rows: &mut [f64],
    ) {
        let texts = Texts { hits, output, references };
        with_scratch(&SCRATCH, |scratch| match weights {
            Some((weights, documents)) => weights.read(|page| {
                for (index, row) in rows.chunks_exact_mut(self.columns()).enumerate() {
                    page.open_document(documents[index]);
                    let weigh =
                        |sentence: Sentence<'_>, weights: &mut _| page.weigh(sentence, weights);
                    self.row(&texts, index, weigh, scratch, row);
                }
            }),
            None => {
                for (index, row) in rows.chunks_exact_mut(self.columns()).enumerate() {
                    let weigh = |sentence: Sentence<'_>, weights: &mut Vec<f64>| {
                        weights.clear();
                        weights.resize(sentence.len(), 1.0);
                    };
                    self.row(&texts, index, weigh, scratch, row);
                }
            }
        })
    }

    fn row(
        &self,
        texts: &Texts<'_>,
        index: usize,
        mut weigh: impl FnMut(Sentence<'_>, &mut Vec<f64>),
        scratch: &mut WeightBuffers,
        row: &mut [f64],
    ) {
        let order = self.order;
        spend(order * texts.hits.get(index).output.len());
        let WeightBuffers { words, grams, reference, tried } = scratch;
        words.clear();
        if let Some(sentence) = texts.output.get(index) {
            weigh(sentence, words);
        }
        let length = words.len();
        self.grams(words, grams);
        tried.clear();
        tried.resize(3 * order, 0.0);
        self.add_up(grams, length, &mut tried[order..2 * order]);
        row.copy_from_slice(tried);
        let mut best = f64::NEG_INFINITY;
        let pair = texts.hits.get(index);
        let sentences = texts.references.iter().filter_map(|column| column.get(index));
        for (alone, sentence) in pair.singly().zip(sentences) {
            let (matched, rest) = tried.split_at_mut(order);
            spend(order * sentence.len());
            self.add_matched(&alone, grams, matched);
            weigh(sentence, words);
            self.grams(words, reference);
            self.add_up(reference, words.len(), &mut rest[order..]);
            let score = self.score(tried);
            if score > best + ROUNDING {
                best = score;
                row.copy_from_slice(tried);
            }
        }
    }

    /// For each order the weights of the n-grams that begin at each word, those of which the words
    /// run out as well. Means are sums here: dividing is left to the end.
    fn grams(&self, words: &[f64], grams: &mut Vec<f64>) {
        let length = words.len();
        grams.clear();
        grams.extend_from_slice(words);
        grams.resize(self.order * length, 0.0);
        for below in 1..self.order {
            let (shorter, longer) = grams[(below - 1) * length..].split_at_mut(length);
            let last = words.iter().skip(below);
            for ((longer, shorter), last) in longer.iter_mut().zip(shorter).zip(last) {
                let max = self.gram == Gram::Max;
                *longer = if max { shorter.max(*last) } else { *shorter + last };
            }
        }
    }

    /// What all n-grams of each order weigh.
    fn add_up(&self, grams: &[f64], length: usize, totals: &mut [f64]) {
        totals.fill(0.0);
        for (below, total) in totals.iter_mut().enumerate().take(length) {
            let grams = &grams[below * length..][..length - below];
            // Four sums at a time, because each addition waits for the one before.
            let mut sums = [0.0; 4];
            let parts = grams.chunks_exact(4);
            let rest: f64 = parts.remainder().iter().sum();
            for part in parts {
                sums.iter_mut().zip(part).for_each(|(sum, weight)| *sum += weight);
            }
            *total = sums.iter().sum::<f64>() + rest;
        }
        self.scale(totals);
    }

    /// What the clipped matches of each order weigh.
    fn add_matched(&self, pair: &Pair<'_>, grams: &[f64], matched: &mut [f64]) {
        let length = pair.output.len();
        let weight = |at, below, counts| if counts { grams[below * length + at] } else { 0.0 };
        matched.fill(0.0);
        if self.order <= bitsets::ORDERS {
            // An array of known length stays in registers.
            let mut sums = [0.0; bitsets::ORDERS];
            ngram::each_match(pair, self.order, |at, below, counts| {
                sums[below] += weight(at, below, counts);
            });
            matched.copy_from_slice(&sums[..self.order]);
        } else {
            ngram::each_match(pair, self.order, |at, below, counts| {
                matched[below] += weight(at, below, counts);
            });
        }
        self.scale(matched);
    }

    fn scale(&self, totals: &mut [f64]) {
        if self.gram == Gram::Mean {
            totals.iter_mut().enumerate().for_each(|(below, total)| *total /= (below + 1) as f64);
        }
    }
}

struct Texts<'a> {
    hits: &'a Hits,
    output: &'a Tokens,
    references: &'a [&'a Tokens],
}

#[derive(Default)]
struct WeightBuffers {
    /// The weight of each word of the output, then of a reference.
    words: Vec<f64>,
    /// The weights of the n-grams of the output, and of a reference.
    grams: Vec<f64>,
    reference: Vec<f64>,
    tried: Vec<f64>,
}

thread_local! {
    static SCRATCH: interrupt::Scratch<WeightBuffers> = const { Cell::new(None) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::tokens;

    const PLAIN: Ltv =
        Ltv { order: 2, gram: Gram::Sum, side: Side::Precision, combination: Combination::Mean };

    fn row(ltv: Ltv, output: &str, references: &[&str]) -> Vec<f64> {
        let output = tokens(&[output]);
        let references: Vec<Tokens> = references.iter().map(|text| tokens(&[text])).collect();
        let references: Vec<&Tokens> = references.iter().collect();
        let mut row = vec![0.0; ltv.columns()];
        ltv.rows(None, &Hits::new(&output, &references), &output, &references, &mut row);
        row
    }

    #[test]
    fn the_best_reference_is_the_measure_s_own() {
        let references = ["a x y z u v", "a b"];
        let of = |side| row(Ltv { side, ..PLAIN }, "a b c d", &references);
        assert_eq!(of(Side::Precision), [2.0, 2.0, 4.0, 6.0, 2.0, 2.0]);
        assert_eq!(of(Side::Recall), [2.0, 2.0, 4.0, 6.0, 2.0, 2.0]);
        let first = row(PLAIN, "a", &["a b", "a"]);
        assert_eq!(first, [1.0, 0.0, 1.0, 0.0, 2.0, 2.0]);
        let shortest = row(Ltv { side: Side::Recall, ..PLAIN }, "a", &["a b", "a"]);
        assert_eq!(shortest, [1.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn orders_without_weight_are_left_out() {
        let recall = Ltv { side: Side::Recall, ..PLAIN };
        let geometric = Ltv { combination: Combination::Geometric, ..PLAIN };
        assert_eq!(recall.score(&[1.0, 0.0, 3.0, 4.0, 2.0, 0.0]), 50.0);
        assert_eq!(PLAIN.score(&[3.0, 1.0, 4.0, 4.0, 9.0, 9.0]), 50.0);
        assert!((geometric.score(&[2.0, 1.0, 4.0, 8.0, 9.0, 9.0]) - 25.0).abs() < 1e-12);
        assert_eq!(geometric.score(&[2.0, 0.0, 4.0, 8.0, 9.0, 9.0]), 0.0);
        assert_eq!(PLAIN.score(&[0.0; 6]), 0.0);
    }

    #[test]
    fn the_weight_of_n_grams() {
        let words = [1.0, 3.0, 2.0, 2.0, 1.0, 5.0, 4.0];
        let totals = |gram| {
            let ltv = Ltv { gram, order: 3, ..PLAIN };
            let (mut grams, mut totals) = (Vec::new(), [0.0; 3]);
            ltv.grams(&words, &mut grams);
            ltv.add_up(&grams, words.len(), &mut totals);
            totals
        };
        assert_eq!(totals(Gram::Sum), [18.0, 31.0, 36.0]);
        assert_eq!(totals(Gram::Mean), [18.0, 15.5, 12.0]);
        assert_eq!(totals(Gram::Max), [18.0, 20.0, 18.0]);
    }
}
