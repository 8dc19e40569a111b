//! Counts that add up over the parts of a corpus: words, or several in a row, with numbers.

use crate::interrupt::Meter;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// What stands between the words of a term: a byte that UTF-8 never has.
pub const BETWEEN: u8 = 0xff;

/// Terms packed one behind the other in one buffer, and how often each was counted.
#[derive(Default)]
pub struct Terms {
    bytes: Vec<u8>,
    ends: Vec<i64>,
    counts: Vec<i64>,
}

impl Terms {
    /// Takes terms apart that were packed before. None if they are not: each ends where the next
    /// begins, the last with the buffer, and no count is below 0.
    pub fn packed(bytes: Vec<u8>, ends: Vec<i64>, counts: Vec<i64>) -> Option<Self> {
        let countable = ends.len() == counts.len() && counts.iter().all(|count| *count >= 0);
        (is_packed(&bytes, &ends) && countable).then_some(Terms { bytes, ends, counts })
    }

    /// The buffer, where in it each term ends, and the counts.
    pub fn into_parts(self) -> (Vec<u8>, Vec<i64>, Vec<i64>) {
        (self.bytes, self.ends, self.counts)
    }

    pub fn push<'a>(&mut self, words: impl Iterator<Item = &'a [u8]>, count: u64) {
        for (at, word) in words.enumerate() {
            if at > 0 {
                self.bytes.push(BETWEEN);
            }
            self.bytes.extend_from_slice(word);
        }
        self.ends.push(self.bytes.len() as i64);
        self.counts.push(count as i64);
    }

    /// Adds a term that is one of those before it and a word more.
    pub fn push_longer(&mut self, beginning: usize, word: &[u8], count: u64) {
        self.bytes.extend_from_within(place(&self.ends, beginning));
        self.bytes.push(BETWEEN);
        self.bytes.extend_from_slice(word);
        self.ends.push(self.bytes.len() as i64);
        self.counts.push(count as i64);
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn count(&self, index: usize) -> u64 {
        self.counts[index] as u64
    }

    pub fn iter(&self) -> impl Iterator<Item = (impl Iterator<Item = &[u8]>, u64)> {
        (0..self.len()).map(|index| {
            let term = &self.bytes[place(&self.ends, index)];
            (term.split(|byte| *byte == BETWEEN), self.count(index))
        })
    }
}

/// Whether each term ends where the next begins, and the last with the bytes.
fn is_packed(bytes: &[u8], ends: &[i64]) -> bool {
    let ordered = ends.is_sorted() && ends.first().is_none_or(|first| *first >= 0);
    ordered && ends.last().copied().unwrap_or(0) == bytes.len() as i64
}

fn place(ends: &[i64], index: usize) -> Range<usize> {
    let start = if index == 0 { 0 } else { ends[index - 1] as usize };
    start..ends[index] as usize
}

/// Terms of two words by numbers: first words, and second words where they count.
#[derive(Default)]
pub struct Pairs {
    /// The number of each term's first word, and how many there are.
    pub firsts: Vec<i32>,
    pub different_firsts: usize,
    /// The numbers of the second words of terms that count.
    pub seconds: Vec<i32>,
    /// The different second words one behind the other, and where each ends.
    pub bytes: Vec<u8>,
    pub ends: Vec<i64>,
}

impl Pairs {
    /// Takes pairs apart. None if they are not packed, or one is no pair.
    pub fn new(bytes: &[u8], ends: &[i64], counts: &[f64]) -> Option<Self> {
        if !is_packed(bytes, ends) || ends.len() != counts.len() {
            return None;
        }
        let (mut pairs, mut meter) = (Pairs::default(), Meter::default());
        let (mut firsts, mut seconds) = (FxHashMap::default(), FxHashMap::default());
        let mut last: (&[u8], i32) = (&[BETWEEN], 0);
        for (at, count) in counts.iter().enumerate() {
            meter.spend(PLACING);
            let term = &bytes[place(ends, at)];
            let middle = memchr::memchr(BETWEEN, term)?;
            let (first, second) = (&term[..middle], &term[middle + 1..]);
            if last.0 != first {
                let next = firsts.len() as i32;
                last = (first, *firsts.entry(first).or_insert(next));
            }
            pairs.firsts.push(last.1);
            if *count > 0.0 {
                let next = seconds.len() as i32;
                let number = *seconds.entry(second).or_insert(next);
                pairs.seconds.push(number);
                if number == next {
                    pairs.bytes.extend_from_slice(second);
                    pairs.ends.push(pairs.bytes.len() as i64);
                }
            }
        }
        pairs.different_firsts = firsts.len();
        Some(pairs)
    }
}

/// Terms in the order of the partitions that they belong to.
pub struct Split {
    /// The place of each term before.
    pub order: Vec<i64>,
    pub bytes: Vec<u8>,
    /// Where in the bytes each term begins, and where the last ends.
    pub bounds: Vec<i32>,
    /// Where in the order each partition begins, and where the last ends.
    pub starts: Vec<i64>,
}

/// What placing a term takes, in units of `spend`.
const PLACING: usize = 32;

/// Splits terms by their bytes, the same way on every machine; by those of so many first words, if
/// terms that begin with the same words are to stay together. None if they are not packed, or too
/// long together for Arrow.
pub fn split(bytes: &[u8], ends: &[i64], partitions: usize, words: Option<usize>) -> Option<Split> {
    if !is_packed(bytes, ends) || bytes.len() > i32::MAX as usize || partitions == 0 || words == Some(0) {
        return None;
    }
    let place = |at: usize| place(ends, at);
    let mut meter = Meter::default();
    let mut starts = vec![0; partitions + 1];
    let mut chosen = Vec::with_capacity(ends.len());
    for at in 0..ends.len() {
        meter.spend(PLACING);
        let term = &bytes[place(at)];
        let mut between = memchr::memchr_iter(BETWEEN, term);
        let beginning = words.and_then(|words| between.nth(words - 1));
        let partition = spread(&term[..beginning.unwrap_or(term.len())]) % partitions as u64;
        chosen.push(partition as u32);
        starts[partition as usize + 1] += 1;
    }
    (0..partitions).for_each(|partition| starts[partition + 1] += starts[partition]);
    let (mut next, mut order) = (starts.clone(), vec![0; ends.len()]);
    for (at, partition) in chosen.into_iter().enumerate() {
        let next = &mut next[partition as usize];
        order[*next as usize] = at as i64;
        *next += 1;
    }
    let mut sorted = Vec::with_capacity(bytes.len());
    let mut bounds = Vec::with_capacity(ends.len() + 1);
    bounds.push(0);
    for at in &order {
        meter.spend(PLACING);
        sorted.extend_from_slice(&bytes[place(*at as usize)]);
        bounds.push(sorted.len() as i32);
    }
    Some(Split { order, bytes: sorted, bounds, starts })
}

/// A number that depends on every byte.
fn spread(term: &[u8]) -> u64 {
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut mixed = term.len() as u64;
    for chunk in term.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mixed = (mixed ^ u64::from_le_bytes(word)).wrapping_mul(SPREAD);
        mixed ^= mixed >> 32;
    }
    mixed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_words_come_back() {
        let mut terms = Terms::default();
        for words in [&["a", "", "b"][..], &[""], &["", ""]] {
            terms.push(words.iter().map(|word| word.as_bytes()), 2);
        }
        let (bytes, ends, counts) = terms.into_parts();
        let terms = Terms::packed(bytes, ends, counts).unwrap();
        let found: Vec<Vec<&[u8]>> = terms.iter().map(|(words, _)| words.collect()).collect();
        assert_eq!(found, [vec![&b"a"[..], b"", b"b"], vec![b""], vec![b"", b""]]);
    }

    #[test]
    fn a_partition_has_all_that_begins_with_a_word() {
        let mut terms = Terms::default();
        for number in 0..100 {
            let words = [format!("d{}", number % 10), number.to_string()];
            terms.push(words.iter().map(|word| word.as_bytes()), 1);
        }
        let (bytes, ends, _) = terms.into_parts();
        let found = split(&bytes, &ends, 4, Some(1)).unwrap();
        let mut homes = std::collections::HashMap::new();
        for partition in 0..4 {
            for at in found.starts[partition] as usize..found.starts[partition + 1] as usize {
                let term = &found.bytes[found.bounds[at] as usize..found.bounds[at + 1] as usize];
                let number = found.order[at];
                let words: Vec<_> = term.split(|byte| *byte == BETWEEN).collect();
                let expected = [format!("d{}", number % 10), number.to_string()];
                assert_eq!(words, expected.each_ref().map(|word| word.as_bytes()));
                assert_eq!(*homes.entry(number % 10).or_insert(partition), partition);
            }
        }
        assert!(homes.values().max() > homes.values().min());
        assert!(split(&bytes, &ends[1..50], 4, None).is_none());
    }

    #[test]
    fn pairs_come_apart() {
        let mut terms = Terms::default();
        for words in [["one", "a"], ["one", "b"], ["two", ""], ["one", "b"], ["two", "a"]] {
            terms.push(words.iter().map(|word| word.as_bytes()), 1);
        }
        let (bytes, ends, _) = terms.into_parts();
        let pairs = Pairs::new(&bytes, &ends, &[1.0, 2.0, 0.0, 0.0, 1.0]).unwrap();
        assert_eq!((pairs.firsts, pairs.different_firsts), (vec![0, 0, 1, 0, 1], 2));
        assert_eq!((pairs.seconds, pairs.bytes), (vec![0, 1, 0], b"ab".to_vec()));
        assert_eq!(pairs.ends, [1, 2]);
        assert!(Pairs::new(b"one", &[3], &[1.0]).is_none(), "no pair");
        assert!(Pairs::new(&bytes, &ends, &[1.0]).is_none(), "too few counts");
    }

    #[test]
    fn what_is_not_packed_is_refused() {
        assert!(Terms::packed(vec![1], vec![2], vec![1]).is_none());
        assert!(Terms::packed(vec![1], vec![1], vec![]).is_none());
        assert!(Terms::packed(vec![1, 2], vec![2, 1, 2], vec![1, 1, 1]).is_none());
        assert!(Terms::packed(vec![], vec![], vec![]).is_some());
    }
}
