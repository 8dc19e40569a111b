//! NIST: the information in the n-grams that an output shares with its references.

use crate::hits::{Hits, NONE, Pair};
use crate::information::{Gram, Information};
use crate::interrupt::Meter;
use crate::ngram;
use crate::tokens::{Sentence, Tokens};

/// For each segment: the information in the clipped matches of each order, the n-grams of each
/// order, the output's length and the references' mean length; in all `ngram::columns`.
pub fn rows(information: &Information, hits: &Hits, output: &Tokens, rows: &mut [f64]) {
    let order = information.order();
    let mut scratch = MatchSums::default();
    for (index, row) in rows.chunks_exact_mut(ngram::columns(order)).enumerate() {
        let pair = hits.get(index);
        let words = pair.output.len();
        let (sums, rest) = row.split_at_mut(order);
        let (totals, lengths) = rest.split_at_mut(order);
        if let Some(sentence) = output.get(index) {
            scratch.sum(information, &pair, sentence, sums);
        }
        for (below, total) in totals.iter_mut().enumerate() {
            *total = words.saturating_sub(below) as f64;
        }
        lengths[0] = words as f64;
        lengths[1] = pair.mean_length();
    }
}

/// The score of one row as `rows` makes them, or of a sum of such rows.
pub fn score(row: &[f64]) -> f64 {
    let order = (row.len() - 2) / 2;
    let orders = row[..order].iter().zip(&row[order..2 * order]);
    let sum: f64 = orders.map(|(information, grams)| information / grams.max(1.0)).sum();
    penalty(row) * sum
}

/// Half for an output of two thirds of the length, and steeper below.
pub fn penalty(row: &[f64]) -> f64 {
    let [.., output, reference] = row else { unreachable!() };
    if output >= reference {
        1.0
    } else if *output > 0.0 {
        let beta = 0.5f64.ln() / 1.5f64.ln().powi(2);
        (beta * (output / reference).ln().powi(2)).exp()
    } else {
        0.0
    }
}

/// What finding an n-gram takes, in units of `spend`.
const LOOK_UP: usize = 32;

#[derive(Default)]
struct MatchSums {
    /// For each position of the output and each order, whether its n-gram counts.
    counts: Vec<bool>,
    /// For each position the longest n-gram that counts, and the n-gram so far.
    reach: Vec<usize>,
    grams: Vec<Option<Gram>>,
    words: Vec<Option<u32>>,
}

impl MatchSums {
    fn sum(
        &mut self,
        information: &Information,
        pair: &Pair<'_>,
        sentence: Sentence<'_>,
        sums: &mut [f64],
    ) {
        let (order, length) = (sums.len(), pair.output.len());
        self.match_ngrams(pair, order);
        let find = |(at, id): (usize, &u32)| {
            let shared = *id != NONE;
            if shared { information.words().find(sentence, at) } else { None }
        };
        self.words.clear();
        self.words.extend(pair.output.iter().enumerate().map(find));
        self.grams.clear();
        self.grams.resize(length, None);
        // Order by order, so that the processor can wait for many places at a time.
        let mut meter = Meter::default();
        for n in 1..=order {
            for at in 0..length {
                meter.spend(LOOK_UP);
                if self.reach[at] < n {
                    continue;
                }
                let found = match (self.words[at + n - 1], self.grams[at]) {
                    (Some(word), _) if n == 1 => Some(information.first(word)),
                    (Some(word), Some(gram)) => information.next(n, gram, word),
                    _ => None,
                };
                self.grams[at] = found.map(|found| found.0);
                if let (Some((_, weight)), true) = (found, self.counts[at * order + n - 1]) {
                    sums[n - 1] += weight;
                }
            }
        }
    }

    /// Notes which n-grams of the output count.
    fn match_ngrams(&mut self, pair: &Pair<'_>, order: usize) {
        let length = pair.output.len();
        self.counts.clear();
        self.counts.resize(order * length, false);
        self.reach.clear();
        self.reach.resize(length, 0);
        ngram::each_match(pair, order, |position, below, counts| {
            self.counts[position * order + below] = counts;
            self.reach[position] = self.reach[position].max((below + 1) * counts as usize);
        });
    }
}
