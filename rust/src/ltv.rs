//! N-grams that an output shares with its references, weighed by the salience of their words.

use crate::hits::Hits;
use crate::ngram;
use crate::tokens::{Sentence, Tokens};
use crate::word_weights::WordWeights;
use std::cell::RefCell;

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
        SCRATCH.with_borrow_mut(|scratch| match weights {
            Some((weights, documents)) => weights.read(|page| {
                for (index, row) in rows.chunks_exact_mut(self.columns()).enumerate() {
                    page.turn_to(documents[index]);
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
        scratch: &mut Scratch,
        row: &mut [f64],
    ) {
        let order = self.order;
        let Scratch { words, grams, tried } = scratch;
        words.clear();
        if let Some(sentence) = texts.output.get(index) {
            weigh(sentence, words);
        }
        grams.clear();
        grams.resize(words.len() * order, 0.0);
        tried.clear();
        tried.resize(3 * order, 0.0);
        self.each_gram(words, |at, below, weight| {
            grams[at * order + below] = weight;
            tried[order + below] += weight;
        });
        row.copy_from_slice(tried);
        let mut best = f64::NEG_INFINITY;
        let pair = texts.hits.get(index);
        let sentences = texts.references.iter().filter_map(|column| column.get(index));
        for (alone, sentence) in pair.singly().zip(sentences) {
            let (matched, rest) = tried.split_at_mut(order);
            let whole = &mut rest[order..];
            matched.fill(0.0);
            whole.fill(0.0);
            ngram::each_match(&alone, order, |at, below, counts| {
                matched[below] += if counts { grams[at * order + below] } else { 0.0 };
            });
            weigh(sentence, words);
            self.each_gram(words, |_, below, weight| whole[below] += weight);
            let score = self.score(tried);
            if score > best + ROUNDING {
                best = score;
                row.copy_from_slice(tried);
            }
        }
    }

    /// Calls `see` with the place, the order less one and the weight of each n-gram of words of
    /// these weights.
    #[inline(always)]
    fn each_gram(&self, words: &[f64], mut see: impl FnMut(usize, usize, f64)) {
        for at in 0..words.len() {
            let mut joined = 0.0f64;
            for (below, next) in words[at..].iter().take(self.order).enumerate() {
                joined = if self.gram == Gram::Max { joined.max(*next) } else { joined + next };
                let parts = if self.gram == Gram::Mean { (below + 1) as f64 } else { 1.0 };
                see(at, below, joined / parts);
            }
        }
    }
}

struct Texts<'a> {
    hits: &'a Hits,
    output: &'a Tokens,
    references: &'a [&'a Tokens],
}

#[derive(Default)]
struct Scratch {
    /// The weight of each word of the output, then of a reference.
    words: Vec<f64>,
    /// The weight of each n-gram of the output, all orders of a place together.
    grams: Vec<f64>,
    tried: Vec<f64>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Ltv =
        Ltv { order: 2, gram: Gram::Sum, side: Side::Precision, combination: Combination::Mean };

    fn tokens(sentence: &str) -> Tokens {
        let mut builder = Tokens::builder(0, 0);
        builder.sentence(sentence.split_whitespace());
        builder.finish()
    }

    fn row(ltv: Ltv, output: &str, references: &[&str]) -> Vec<f64> {
        let output = tokens(output);
        let references: Vec<Tokens> = references.iter().map(|text| tokens(text)).collect();
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
    fn the_weight_of_an_n_gram() {
        let grams = |gram| {
            let mut found = Vec::new();
            let words = [1.0, 3.0, 2.0];
            let ltv = Ltv { gram, ..PLAIN };
            ltv.each_gram(&words, |at, below, weight| found.push((at, below, weight)));
            found
        };
        let singles = [(0, 0, 1.0), (1, 0, 3.0), (2, 0, 2.0)];
        for (gram, first, second) in
            [(Gram::Sum, 4.0, 5.0), (Gram::Mean, 2.0, 2.5), (Gram::Max, 3.0, 3.0)]
        {
            let all = [singles[0], (0, 1, first), singles[1], (1, 1, second), singles[2]];
            assert_eq!(grams(gram), all);
        }
    }
}
