//! Clipped n-gram matches of outputs and references.

use crate::bitsets::{self, Bitsets};
use crate::hits::{Hits, NONE, Pair};
use crate::interrupt::{self, Meter, with_scratch};
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// Which reference length stands against the output's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum RefLength {
    /// The one nearest to the output's, the shorter of two as near.
    Closest,
    Shortest,
    Average,
}

impl RefLength {
    /// The length that stands against an output of this length.
    pub fn of(self, output: usize, references: impl Iterator<Item = usize> + Clone) -> f64 {
        let count = references.clone().count().max(1);
        match self {
            RefLength::Closest => references
                .min_by_key(|length| (length.abs_diff(output), *length))
                .unwrap_or(0) as f64,
            RefLength::Shortest => references.min().unwrap_or(0) as f64,
            RefLength::Average => references.sum::<usize>() as f64 / count as f64,
        }
    }
}

/// How many numbers `rows` gives for a segment.
pub const fn columns(order: usize) -> usize {
    2 * order + 2
}

/// For each segment: clipped matches of each order, n-grams of each order, output and reference
/// length. An n-gram's matches are clipped at its largest count in any one reference.
pub fn rows(hits: &Hits, order: usize, ref_length: RefLength, rows: &mut [f64]) {
    with_scratch(&SCRATCH, |scratch| fill(hits, order, ref_length, rows, scratch));
}

fn fill(
    hits: &Hits,
    order: usize,
    ref_length: RefLength,
    rows: &mut [f64],
    scratch: &mut MatchCounter,
) {
    for (index, row) in rows.chunks_exact_mut(columns(order)).enumerate() {
        let pair = hits.get(index);
        let words = pair.output.len();
        let (matches, rest) = row.split_at_mut(order);
        let (totals, lengths) = rest.split_at_mut(order);
        scratch.count(&pair, matches);
        for (below, total) in totals.iter_mut().enumerate() {
            *total = words.saturating_sub(below) as f64;
        }
        lengths[0] = words as f64;
        lengths[1] = ref_length.of(words, pair.references().map(<[u32]>::len));
    }
}

/// The clipped matches of one segment, as many orders as `matches` has room for.
pub fn count(pair: &Pair<'_>, matches: &mut [f64]) {
    with_scratch(&SCRATCH, |scratch| scratch.count(pair, matches));
}

/// Calls `see` with each position of the output, each order less one, and whether the n-gram
/// that begins there is one of those that match. Positions without any may be left out.
pub fn each_match(pair: &Pair<'_>, order: usize, mut see: impl FnMut(usize, usize, bool)) {
    with_scratch(&SCRATCH, |scratch| {
        scratch.walk(pair, order, |position, n, found| {
            if n < order {
                see(position, n, found);
            }
        })
    });
}

#[derive(Default)]
struct MatchCounter {
    bitsets: Bitsets,
    /// For each order, the output positions whose n-gram matches a reference.
    found: Vec<u64>,
}

thread_local! {
    static SCRATCH: interrupt::Scratch<MatchCounter> = const { Cell::new(None) };
}

impl MatchCounter {
    fn count(&mut self, pair: &Pair<'_>, matches: &mut [f64]) {
        if matches.len() > bitsets::ORDERS {
            let order = matches.len();
            return self.walk(pair, order, |_, n, found| matches[n] += found as u8 as f64);
        }
        let mut counts = [0; bitsets::ORDERS];
        self.walk(pair, matches.len(), |_, n, found| counts[n] += found as u32);
        for (matched, count) in matches.iter_mut().zip(counts) {
            *matched = count as f64;
        }
    }

    /// Calls `see` as `Bitsets::walk` does.
    #[inline(always)]
    fn walk(&mut self, pair: &Pair<'_>, order: usize, see: impl FnMut(usize, usize, bool)) {
        let mut references = pair.references();
        let longest = references.clone().map(<[u32]>::len).max().unwrap_or(0);
        if longest == 0 || pair.output.is_empty() {
            return;
        }
        if longest > bitsets::LONGEST || order > bitsets::ORDERS {
            let references: Vec<&[u32]> = references.collect();
            return walk_table(pair.output, &references, pair.types, order, see);
        }
        match (references.next(), references.next()) {
            (Some(only), None) => {
                self.bitsets.walk(pair.output, only, pair.types, order, see);
            }
            _ => self.walk_any(pair, order, see),
        }
    }

    /// Several references: an n-gram counts if any one of them has it, as often as that one does.
    fn walk_any(&mut self, pair: &Pair<'_>, order: usize, mut see: impl FnMut(usize, usize, bool)) {
        let words = pair.output.len().div_ceil(64);
        self.found.clear();
        self.found.resize(bitsets::ORDERS * words, 0);
        for reference in pair.references() {
            let mark = |position: usize, n: usize, found| {
                self.found[n * words + position / 64] |= (found as u64) << (position % 64);
            };
            self.bitsets.walk(pair.output, reference, pair.types, order, mark);
        }
        for (at, word) in self.found.iter().enumerate() {
            let mut left = *word;
            while left != 0 {
                let position = at % words * 64 + left.trailing_zeros() as usize;
                see(position, at / words, true);
                left &= left - 1;
            }
        }
    }
}

/// The clipped matches of ids below `types` (or `NONE`), by a table of n-grams.
pub fn count_by_table(output: &[u32], references: &[&[u32]], types: usize, matches: &mut [f64]) {
    let order = matches.len();
    let see = |_, n: usize, found| matches[n] += found as u8 as f64;
    walk_table(output, references, types, order, see);
}

/// What counting and naming an n-gram takes, in units of `spend`, where the tables are large.
const COUNTING: usize = 4;
const NAMING: usize = 64;

/// Long segments: names every n-gram by the pair of its first (n-1)-gram and its last word.
fn walk_table(
    output: &[u32],
    references: &[&[u32]],
    mut types: usize,
    order: usize,
    mut see: impl FnMut(usize, usize, bool),
) {
    let mut grams: Vec<Vec<u32>> = references.iter().map(|words| words.to_vec()).collect();
    let mut output_grams = output.to_vec();
    let mut meter = Meter::default();
    for below in 0..order {
        if below > 0 {
            let mut names = FxHashMap::default();
            for (grams, words) in grams.iter_mut().zip(references) {
                name_longer(grams, words, below, |key| {
                    let next = names.len() as u32;
                    *names.entry(key).or_insert(next)
                });
            }
            name_longer(&mut output_grams, output, below, |key| {
                names.get(&key).copied().unwrap_or(NONE)
            });
            types = names.len();
        }
        let mut clip = vec![0u32; types];
        let mut counts = vec![0u32; types];
        for grams in &grams {
            for id in grams {
                meter.spend(COUNTING);
                counts[*id as usize] += 1;
                clip[*id as usize] = clip[*id as usize].max(counts[*id as usize]);
            }
            grams.iter().for_each(|id| counts[*id as usize] = 0);
        }
        for (position, id) in output_grams.iter().enumerate().filter(|gram| *gram.1 != NONE) {
            let left = &mut clip[*id as usize];
            see(position, below, *left > 0);
            *left = left.saturating_sub(1);
        }
    }
}

/// Turns the names of the grams of `below` words into those of one word more.
fn name_longer(
    grams: &mut Vec<u32>,
    words: &[u32],
    below: usize,
    mut name: impl FnMut((u32, u32)) -> u32,
) {
    let longer = words.len().saturating_sub(below);
    let mut meter = Meter::default();
    for at in 0..longer {
        meter.spend(NAMING);
        let (first, last) = (grams[at], words[at + below]);
        grams[at] = if first == NONE || last == NONE { NONE } else { name((first, last)) };
    }
    grams.truncate(longer);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{Random, hits};

    /// Bitsets and the table agree, whatever the lengths, the order and the number of references.
    #[test]
    fn two_ways_agree() {
        let mut numbers = Random(1);
        let mut random = |below: u32| numbers.below(below);
        for round in 0..600 {
            let order = 1 + random(8) as usize;
            let longest = [20, 64, 65, 128, 129, 256, 257, 512, 513, 1025][round % 10];
            let mut sentence = || -> Vec<u32> {
                let length = random(longest);
                let types = 1 + random(9);
                (0..length).map(|_| random(types)).collect()
            };
            let output = sentence();
            let references: Vec<_> = (0..1 + round % 3).map(|_| sentence()).collect();
            let hits = hits(&output, &references);
            let mut by_bitsets = [0.0; 8];
            MatchCounter::default().count(&hits.get(0), &mut by_bitsets[..order]);
            let mut by_table = [0.0; 8];
            let words: Vec<&[u32]> = hits.get(0).references().collect();
            let pair = hits.get(0);
            count_by_table(pair.output, &words, pair.types, &mut by_table[..order]);
            assert_eq!(by_bitsets, by_table, "{output:?} {references:?}");
        }
    }

    #[test]
    fn lengths() {
        let at = |kind: RefLength, output: usize| kind.of(output, [7, 5, 9].into_iter());
        assert_eq!(at(RefLength::Closest, 6), 5.0);
        assert_eq!(at(RefLength::Closest, 100), 9.0);
        assert_eq!(at(RefLength::Shortest, 9), 5.0);
        assert_eq!(at(RefLength::Average, 9), 7.0);
    }
}
