//! Clipped n-gram matches of outputs and references.

use crate::hits::{Hits, NONE, Pair};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Which reference length stands against the output's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum RefLength {
    /// The one nearest to the output's, the shorter of two as near.
    Closest,
    Shortest,
    Average,
}

impl RefLength {
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
pub fn columns(order: usize) -> usize {
    2 * order + 2
}

/// For each segment: clipped matches of each order, n-grams of each order, output and reference
/// length. An n-gram's matches are clipped at its largest count in any one reference.
pub fn rows(hits: &Hits, order: usize, ref_length: RefLength, rows: &mut [f64]) {
    SCRATCH.with_borrow_mut(|scratch| fill(hits, order, ref_length, rows, scratch));
}

fn fill(hits: &Hits, order: usize, ref_length: RefLength, rows: &mut [f64], scratch: &mut Scratch) {
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
    SCRATCH.with_borrow_mut(|scratch| scratch.count(pair, matches));
}

/// Calls `see` with each position of the output, each order less one, and whether the n-gram
/// that begins there is one of those that match. Positions without any may be left out.
pub fn each_match(pair: &Pair<'_>, order: usize, see: impl FnMut(usize, usize, bool)) {
    SCRATCH.with_borrow_mut(|scratch| scratch.walk(pair, order, see));
}

/// From here on a table of n-grams is smaller and faster than bitsets.
const LONG: usize = 1024;

/// Up to this order, a reference of up to 64 tokens is counted in registers.
const LEVELS: usize = 5;

#[derive(Default)]
struct Scratch {
    /// For each id, the reference positions that hold it.
    positions: Vec<u64>,
    /// For each order, the reference positions where a match of that order begins, from the
    /// output position worked on.
    open: Vec<u64>,
    /// For each order, the reference positions whose n-gram has been matched already.
    used: Vec<u64>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Scratch {
    fn count(&mut self, pair: &Pair<'_>, matches: &mut [f64]) {
        match matches.len() {
            1..=LEVELS => {
                let mut counts = [0u32; LEVELS];
                self.walk(pair, matches.len(), |_, n, found| counts[n] += found as u32);
                for (matched, count) in matches.iter_mut().zip(counts) {
                    *matched = count as f64;
                }
            }
            order => self.walk(pair, order, |_, n, found| matches[n] += found as u8 as f64),
        }
    }

    #[inline(always)]
    fn walk(&mut self, pair: &Pair<'_>, order: usize, see: impl FnMut(usize, usize, bool)) {
        let mut references = pair.references();
        let longest = references.clone().map(<[u32]>::len).max().unwrap_or(0);
        if longest == 0 || pair.output.is_empty() {
            return;
        }
        if longest > LONG {
            let references: Vec<&[u32]> = references.collect();
            return walk_table(pair.output, &references, pair.types, order, see);
        }
        match (references.next(), references.next()) {
            (Some(only), None) if longest <= 64 && order <= LEVELS => {
                self.walk_one_word(pair, only, order, see)
            }
            _ => self.walk_bitsets(pair, longest.div_ceil(64), order, see),
        }
    }

    /// One reference of up to 64 tokens.
    #[inline(always)]
    fn walk_one_word(
        &mut self,
        pair: &Pair<'_>,
        reference: &[u32],
        order: usize,
        see: impl FnMut(usize, usize, bool),
    ) {
        self.positions.clear();
        self.positions.resize(pair.types, 0);
        for (at, id) in reference.iter().enumerate() {
            self.positions[*id as usize] |= 1 << at;
        }
        match order {
            1 => walk_levels::<1>(pair.output, &self.positions, see),
            2 => walk_levels::<2>(pair.output, &self.positions, see),
            3 => walk_levels::<3>(pair.output, &self.positions, see),
            4 => walk_levels::<4>(pair.output, &self.positions, see),
            _ => walk_levels::<LEVELS>(pair.output, &self.positions, see),
        }
    }

    /// Any number of references, in bitsets of `words` words each: a position's n-gram counts if
    /// any reference has it free.
    fn walk_bitsets(
        &mut self,
        pair: &Pair<'_>,
        words: usize,
        order: usize,
        mut see: impl FnMut(usize, usize, bool),
    ) {
        let width = pair.references().count();
        let stride = width * words;
        self.positions.clear();
        self.positions.resize((pair.types + 1) * stride, 0);
        for (reference, ids) in pair.references().enumerate() {
            for (at, id) in ids.iter().enumerate() {
                let word = *id as usize * stride + reference * words + at / 64;
                self.positions[word] |= 1 << (at % 64);
            }
        }
        self.open.clear();
        self.open.resize(order * stride, 0);
        self.used.clear();
        self.used.resize(order * stride, 0);
        for (position, id) in pair.output.iter().enumerate().rev() {
            // The row behind the last type is empty: it stands for a token of no reference.
            let id = if *id == NONE { pair.types } else { *id as usize };
            let here = &self.positions[id * stride..][..stride];
            for n in (0..order).rev() {
                let (below, level) = self.open.split_at_mut(n * stride);
                let level = &mut level[..stride];
                if n == 0 {
                    level.copy_from_slice(here);
                } else {
                    let shorter = &below[(n - 1) * stride..];
                    for reference in (0..stride).step_by(words) {
                        let range = reference..reference + words;
                        extend(&mut level[range.clone()], &here[range.clone()], &shorter[range]);
                    }
                }
                let used = &mut self.used[n * stride..][..stride];
                let mut found = false;
                for reference in (0..stride).step_by(words) {
                    let range = reference..reference + words;
                    found |= take_first_free(&level[range.clone()], &mut used[range]);
                }
                see(position, n, found);
            }
        }
    }
}

/// A match of N words at (i, j) is a word match there that a match of N-1 words at (i+1, j+1) goes
/// on from; each output position takes the first reference position of its n-gram that none has
/// taken yet.
#[inline(always)]
fn walk_levels<const N: usize>(
    output: &[u32],
    positions: &[u64],
    mut see: impl FnMut(usize, usize, bool),
) {
    let mut open = [0u64; N];
    let mut used = [0u64; N];
    for (position, id) in output.iter().enumerate().rev() {
        // NONE lies behind the last position.
        let here = positions.get(*id as usize).copied().unwrap_or(0);
        let mut level = here;
        for n in 0..N {
            let free = level & !used[n];
            used[n] |= free & free.wrapping_neg();
            see(position, n, free != 0);
            let longer = here & (open[n] >> 1);
            open[n] = level;
            level = longer;
        }
    }
}

/// level = here & (shorter >> 1), over words.
fn extend(level: &mut [u64], here: &[u64], shorter: &[u64]) {
    for word in 0..level.len() {
        let carried = shorter.get(word + 1).map_or(0, |next| next << 63);
        level[word] = here[word] & (shorter[word] >> 1 | carried);
    }
}

fn take_first_free(level: &[u64], used: &mut [u64]) -> bool {
    for (open, used) in level.iter().zip(used) {
        let free = open & !*used;
        if free != 0 {
            *used |= free & free.wrapping_neg();
            return true;
        }
    }
    false
}

/// The clipped matches of ids below `types` (or `NONE`), by a table of n-grams.
pub fn count_by_table(output: &[u32], references: &[&[u32]], types: usize, matches: &mut [f64]) {
    let order = matches.len();
    let see = |_, n: usize, found| matches[n] += found as u8 as f64;
    walk_table(output, references, types, order, see);
}

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
            counts.fill(0);
            for id in grams {
                counts[*id as usize] += 1;
                clip[*id as usize] = clip[*id as usize].max(counts[*id as usize]);
            }
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
    for at in 0..longer {
        let (first, last) = (grams[at], words[at + below]);
        grams[at] = if first == NONE || last == NONE { NONE } else { name((first, last)) };
    }
    grams.truncate(longer);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::Tokens;

    fn hits(output: &[u32], references: &[Vec<u32>]) -> Hits {
        let tokens = |words: &[u32]| {
            let mut builder = Tokens::builder(1, 0);
            builder.sentence(words.iter().map(|word| word.to_le_bytes()));
            builder.finish()
        };
        let references: Vec<Tokens> = references.iter().map(|words| tokens(words)).collect();
        Hits::new(&tokens(output), &references.iter().collect::<Vec<_>>())
    }

    /// The three ways to count agree, whatever the lengths.
    #[test]
    fn three_ways_agree() {
        let mut state = 1u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            (state >> 16) % below
        };
        for round in 0..400 {
            let mut sentence = |most: u32| -> Vec<u32> {
                let length = random(most);
                let types = 1 + random(9);
                (0..length).map(|_| random(types)).collect()
            };
            let output = sentence(90);
            let width = 1 + round % 3;
            let references: Vec<_> =
                (0..width).map(|_| sentence(if round % 2 == 0 { 64 } else { 200 })).collect();
            let hits = hits(&output, &references);
            let pair = hits.get(0);
            let mut fast = [0.0; 5];
            Scratch::default().count(&pair, &mut fast);
            let mut bitsets = [0.0; 5];
            let see = |_, n: usize, found| bitsets[n] += found as u8 as f64;
            Scratch::default().walk_bitsets(&pair, 4, 5, see);
            let mut table = [0.0; 5];
            let references: Vec<_> = pair.references().collect();
            count_by_table(pair.output, &references, pair.types, &mut table);
            assert_eq!(fast, table, "{output:?} {references:?}");
            assert_eq!(bitsets, table, "{output:?} {references:?}");
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
