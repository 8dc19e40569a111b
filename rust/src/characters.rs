//! Clipped matches of character n-grams between an output and its references.
//!
//! The characters of the references get small ids; a character of the output that stands in none
//! of them is `ABSENT`. Up to eight orders are then counted together: each position's n-gram of
//! the highest order is packed into one word, the words of both sides are sorted as one, and the
//! n-grams of every lower order stand together as well, since they are the words' beginnings.

use crate::interrupt::{self, spend, with_scratch};
use crate::ngram;
use std::cell::Cell;

/// The id of a character that stands in no reference; ids of the others begin at 1.
const ABSENT: u32 = 0;

/// What the table holds for a character that does not count at all.
const SKIPPED: u32 = u32::MAX;

const CODE_POINTS: usize = char::MAX as usize + 1;

/// Orders that are counted together.
const LANES: usize = 8;
/// What sorting in an n-gram takes, in units of `spend`.
const SORTING: usize = 16;

type Lanes = [i16; LANES];

/// One segment's output and references as ids of characters; reused for the next segment.
pub struct Characters {
    /// The id of each code point. Little of it is ever touched.
    ids: Vec<u32>,
    /// The code points that have ids, behind them room to write.
    named: Vec<u32>,
    types: usize,
    output: Vec<u32>,
    references: Vec<u32>,
    /// Where in `references` each one ends.
    ends: Vec<usize>,
    keys: Vec<u64>,
}

thread_local! {
    static SCRATCH: interrupt::Scratch<Characters> = const { Cell::new(None) };
}

/// Works with the thread's `Characters`, in which these characters do not count.
pub fn with_characters<T>(skipped: &[char], work: impl FnOnce(&mut Characters) -> T) -> T {
    with_scratch(&SCRATCH, |characters| {
        characters.clear();
        skipped.iter().for_each(|c| characters.ids[*c as usize] = SKIPPED);
        let answer = work(characters);
        skipped.iter().for_each(|c| characters.ids[*c as usize] = ABSENT);
        answer
    })
}

impl Default for Characters {
    fn default() -> Self {
        Characters {
            ids: vec![ABSENT; CODE_POINTS],
            named: Vec::new(),
            types: 0,
            output: Vec::new(),
            references: Vec::new(),
            ends: Vec::new(),
            keys: Vec::new(),
        }
    }
}

impl Characters {
    /// Forgets the last segment.
    pub fn clear(&mut self) {
        self.named[..self.types].iter().for_each(|c| self.ids[*c as usize] = ABSENT);
        self.types = 0;
        self.references.clear();
        self.ends.clear();
    }

    /// Adds a reference; all of them come before the output.
    pub fn push_reference(&mut self, segment: &str) {
        if segment.is_ascii() {
            self.name(segment.len(), segment.bytes().map(u32::from));
        } else {
            self.name(segment.len(), segment.chars().map(u32::from));
        }
        self.ends.push(self.references.len());
    }

    pub fn set_output(&mut self, segment: &str) {
        if segment.is_ascii() {
            self.look_up(segment.len(), segment.bytes().map(u32::from));
        } else {
            self.look_up(segment.len(), segment.chars().map(u32::from));
        }
    }

    /// The references as ids from 1 on, where each one ends, and how many ids there are.
    pub fn references(&self) -> (&[u32], &[usize], usize) {
        (&self.references, &self.ends, self.types)
    }

    pub fn output_len(&self) -> usize {
        self.output.len()
    }

    pub fn reference_len(&self, index: usize) -> usize {
        self.reference(index).len()
    }

    /// The matches of each order with one reference, as many orders as `matches` has room for.
    pub fn count(&mut self, index: usize, prefixes: &Prefixes, matches: &mut [f64]) {
        spend(SORTING * (self.output.len() + self.reference_len(index)));
        matches.fill(0.0);
        if matches.is_empty() {
            return;
        }
        let length = self.output.len().max(self.reference_len(index));
        if length <= i16::MAX as usize && prefixes.have_room_for(self.types) {
            self.count_sorted(index, prefixes, matches);
        } else {
            let output: Vec<u32> = self.output.iter().map(|id| id.wrapping_sub(1)).collect();
            let reference: Vec<u32> = self.reference(index).iter().map(|id| id - 1).collect();
            ngram::count_by_table(&output, &[&reference], self.types, matches);
        }
    }

    fn reference(&self, index: usize) -> &[u32] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.references[start..self.ends[index]]
    }

    fn name(&mut self, most: usize, characters: impl Iterator<Item = u32>) {
        let mut end = self.references.len();
        self.references.resize(end + most, ABSENT);
        self.named.resize(self.types + most + 1, 0);
        for c in characters {
            let entry = &mut self.ids[c as usize];
            // Whether a character is new is hard to foresee, so nothing branches on it.
            self.named[self.types] = c;
            let new = *entry == ABSENT;
            self.types += new as usize;
            *entry = if new { self.types as u32 } else { *entry };
            self.references[end] = *entry;
            end += (*entry != SKIPPED) as usize;
        }
        self.references.truncate(end);
    }

    fn look_up(&mut self, most: usize, characters: impl Iterator<Item = u32>) {
        let mut end = 0;
        self.output.clear();
        self.output.resize(most, ABSENT);
        for c in characters {
            let id = self.ids[c as usize];
            self.output[end] = id;
            end += (id != SKIPPED) as usize;
        }
        self.output.truncate(end);
    }

    fn count_sorted(&mut self, index: usize, prefixes: &Prefixes, matches: &mut [f64]) {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        let reference = &self.references[start..self.ends[index]];
        self.keys.clear();
        self.keys.resize(self.output.len() + reference.len(), 0);
        // Behind the end of the output stands what is in no reference, behind the end of a
        // reference what is in no output: such n-grams match none of the other side.
        let end = prefixes.pack(&self.output, ABSENT, 0, &mut self.keys);
        let beyond = self.types as u32 + 1;
        let end = end + prefixes.pack(reference, beyond, 1, &mut self.keys[end..]);
        let keys = &mut self.keys[..end];
        keys.sort_unstable();
        let counts = prefixes.count(keys);
        for (matched, count) in matches.iter_mut().zip(counts) {
            *matched = count as f64;
        }
    }
}

/// How n-grams of up to `order` characters are packed into words and told apart by beginnings.
pub struct Prefixes {
    order: usize,
    /// Bits a character; the lowest bit of a word is left to the side it comes from.
    width: u32,
    /// For the number of leading bits that two words share, the orders (all bits set) whose
    /// n-grams they share.
    shared: Vec<Lanes>,
}

impl Prefixes {
    pub fn new(order: usize) -> Self {
        let width = 63 / order.clamp(1, LANES) as u32;
        let shares = |bits: u32, lane: usize| bits >= width * (lane as u32 + 1);
        let lanes = |bits| std::array::from_fn(|lane| -(shares(bits, lane) as i16));
        Prefixes { order, width, shared: (0..=64).map(lanes).collect() }
    }

    fn have_room_for(&self, types: usize) -> bool {
        self.order <= LANES && (types as u64) + 1 < 1 << self.width
    }

    /// Writes a word for each position whose character is on both sides; says how many.
    fn pack(&self, ids: &[u32], beyond: u32, side: u64, keys: &mut [u64]) -> usize {
        let top = 64 - self.width;
        let whole = u64::MAX << (64 - self.width * self.order as u32);
        let mut window = 0;
        for _ in 0..self.order {
            window = window >> self.width | (beyond as u64) << top;
        }
        let mut count = 0;
        for id in ids.iter().rev() {
            window = (window >> self.width | (*id as u64) << top) & whole;
            keys[count] = window | side;
            count += (*id != ABSENT) as usize;
        }
        count
    }

    /// The matches of each order among sorted words of both sides.
    ///
    /// `balance` is, for each order, how many more n-grams equal to the last one came from the
    /// output than from the reference; one that makes up for the other side's surplus matches.
    fn count(&self, keys: &[u64]) -> Lanes {
        let mut matches = [0; LANES];
        let mut balance = [0i16; LANES];
        let mut before = 0;
        for key in keys {
            let shared = &self.shared[(key ^ before).leading_zeros() as usize];
            let sign = 1 - 2 * (key & 1) as i16;
            for lane in 0..LANES {
                let standing = balance[lane] & shared[lane];
                matches[lane] += (standing * sign < 0) as i16;
                balance[lane] = standing + sign;
            }
            before = *key;
        }
        matches
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::Random;

    /// Sorting and the table of n-grams agree, whatever the lengths and the number of characters.
    #[test]
    fn two_ways_agree() {
        let mut numbers = Random(1);
        let mut random = |below: u32| numbers.below(below);
        for order in 1..=LANES {
            let prefixes = Prefixes::new(order);
            for _ in 0..100 {
                let mut segment = || -> String {
                    let length = random(60);
                    let types = 1 + random(9);
                    (0..length).map(|_| char::from_u32(0x4e00 + random(types)).unwrap()).collect()
                };
                let (output, other, reference) = (segment(), segment(), segment());
                let mut characters = Characters::default();
                characters.clear();
                characters.push_reference(&other);
                characters.push_reference(&reference);
                characters.set_output(&output);
                let mut sorted = vec![0.0; order];
                characters.count_sorted(1, &prefixes, &mut sorted);
                let ids = |text: &str| text.chars().map(|c| c as u32 - 0x4e00).collect::<Vec<_>>();
                let mut table = vec![0.0; order];
                let (output, reference) = (ids(&output), ids(&reference));
                ngram::count_by_table(&output, &[&reference], 9, &mut table);
                assert_eq!(sorted, table, "{output:?} {reference:?}");
            }
        }
    }

    #[test]
    fn skipped_characters_do_not_count() {
        with_characters(&[' '], |characters| {
            characters.clear();
            characters.push_reference("a b");
            characters.set_output(" ab c");
            assert_eq!((characters.output_len(), characters.reference_len(0)), (3, 2));
            let mut matches = [0.0; 3];
            characters.count(0, &Prefixes::new(3), &mut matches);
            assert_eq!(matches, [2.0, 1.0, 0.0]);
        });
        with_characters(&[], |characters| {
            characters.clear();
            characters.push_reference("a b");
            characters.set_output(" ab c");
            assert_eq!((characters.output_len(), characters.reference_len(0)), (5, 3));
        });
    }
}
