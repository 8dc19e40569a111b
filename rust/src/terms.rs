//! Counts that add up over the parts of a corpus: words, or several in a row, with numbers.

use crate::interrupt::Meter;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
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

/// Terms from several places, to be brought together by sorting: that takes less time and memory
/// than a table of them.
pub struct TermList {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// A number that depends on the first words of each term, so many, and its place.
    keys: Vec<(u64, u32)>,
    words: Option<usize>,
}

impl TermList {
    pub fn new(words: Option<usize>) -> Self {
        TermList { bytes: Vec::new(), ends: Vec::new(), keys: Vec::new(), words }
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn get(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.bytes[start..self.ends[at]]
    }

    /// Adds terms, given by where each begins and where the last ends. False if they are none.
    pub fn add(&mut self, bytes: &[u8], bounds: &[i32]) -> bool {
        let (Some(first), Some(last)) = (bounds.first(), bounds.last()) else { return false };
        if *first < 0 || *last as usize > bytes.len() || !bounds.is_sorted() {
            return false;
        }
        let mut meter = Meter::default();
        for ends in bounds.windows(2) {
            meter.spend(PLACING);
            let term = &bytes[ends[0] as usize..ends[1] as usize];
            self.keys.push((spread(beginning(term, self.words)), self.ends.len() as u32));
            self.bytes.extend_from_slice(term);
            self.ends.push(self.bytes.len());
        }
        true
    }

    /// The terms in an order in which all that have the same first words are together.
    pub fn sort(&self) -> Vec<(u64, u32)> {
        // First into piles, each of which fits into the processor's caches.
        let piles = (self.len() / PILE).next_power_of_two().min(1 << 16);
        let pile = |key: u64| ((key as u128 * piles as u128) >> 64) as usize;
        let mut starts = vec![0; piles + 1];
        self.keys.iter().for_each(|key| starts[pile(key.0) + 1] += 1);
        (0..piles).for_each(|at| starts[at + 1] += starts[at]);
        let mut next = starts.clone();
        let mut sorted = vec![(0, 0); self.len()];
        for key in &self.keys {
            let place = &mut next[pile(key.0)];
            sorted[*place] = *key;
            *place += 1;
        }
        for ends in starts.windows(2) {
            sorted[ends[0]..ends[1]].sort_unstable_by(|one, other| {
                let terms = || (self.get(one.1 as usize), self.get(other.1 as usize));
                one.0.cmp(&other.0).then_with(|| compare(terms()))
            });
        }
        sorted
    }

    /// How many first words two terms have in common, if their keys are the same.
    pub fn shared(&self, one: (u64, u32), other: (u64, u32)) -> usize {
        if one.0 != other.0 {
            return 0;
        }
        let (one, other) = (self.get(one.1 as usize), self.get(other.1 as usize));
        let same = one.iter().zip(other).take_while(|pair| pair.0 == pair.1).count();
        let ends = |term: &[u8]| term.get(same).is_none_or(|byte| *byte == BETWEEN);
        let words = memchr::memchr_iter(BETWEEN, &one[..same]).count();
        words + (ends(one) && ends(other)) as usize
    }

    /// Numbers different terms: the number of each term, and the terms by number.
    pub fn number(&self) -> (Vec<i32>, Vec<u8>, Vec<i64>) {
        let (mut numbers, mut bytes, mut ends) = (vec![0; self.len()], Vec::new(), Vec::new());
        let (mut meter, mut last) = (Meter::default(), None);
        for (_, at) in self.sort() {
            meter.spend(PLACING);
            let term = self.get(at as usize);
            if last != Some(term) {
                bytes.extend_from_slice(term);
                ends.push(bytes.len() as i64);
                last = Some(term);
            }
            numbers[at as usize] = ends.len() as i32 - 1;
        }
        (numbers, bytes, ends)
    }
}

/// Compares terms as if each ended with what stands between words, so that those that begin with
/// the same words come together.
fn compare((one, other): (&[u8], &[u8])) -> Ordering {
    let next = |term: &[u8], at: usize| term.get(at).copied().unwrap_or(BETWEEN);
    let same = one.iter().zip(other).take_while(|pair| pair.0 == pair.1).count();
    next(one, same).cmp(&next(other, same)).then(one.len().cmp(&other.len()))
}

/// A term's first words, so many, or all of it.
fn beginning(term: &[u8], words: Option<usize>) -> &[u8] {
    let mut between = memchr::memchr_iter(BETWEEN, term);
    let end = words.and_then(|words| between.nth(words - 1));
    &term[..end.unwrap_or(term.len())]
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

/// How many terms are sorted at a time, about.
const PILE: usize = 512;

/// What placing a term takes, in units of `spend`.
const PLACING: usize = 32;

/// Splits terms by their bytes, the same way on every machine; by those of so many first words, if
/// terms that begin with the same words are to stay together. None if they are not packed, or too
/// long together for Arrow.
pub fn split(bytes: &[u8], ends: &[i64], partitions: usize, words: Option<usize>) -> Option<Split> {
    if !is_packed(bytes, ends)
        || bytes.len() > i32::MAX as usize
        || partitions == 0
        || words == Some(0)
    {
        return None;
    }
    let place = |at: usize| place(ends, at);
    let mut meter = Meter::default();
    let mut starts = vec![0; partitions + 1];
    let mut chosen = Vec::with_capacity(ends.len());
    for at in 0..ends.len() {
        meter.spend(PLACING);
        let term = &bytes[place(at)];
        let partition = spread(beginning(term, words)) % partitions as u64;
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

/// What numbers are multiplied by to spread them.
pub const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// A number that depends on every byte.
fn spread(term: &[u8]) -> u64 {
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
    fn terms_that_begin_alike_come_together() {
        let terms = ["p", "p q", "p q r", "p q rs", "p q r s", "p q r s t", "p qr s", "p q r"];
        let mut list = TermList::new(Some(2));
        let packed: Vec<u8> =
            terms.concat().bytes().map(|b| if b == b' ' { BETWEEN } else { b }).collect();
        let mut bounds = vec![0];
        terms.iter().for_each(|term| bounds.push(bounds[bounds.len() - 1] + term.len() as i32));
        assert!(list.add(&packed, &bounds) && !list.add(&packed, &[0, 99]));
        let sorted: Vec<_> = list.sort().iter().map(|term| terms[term.1 as usize]).collect();
        for beginning in ["p q", "p q r", "p q r s"] {
            let begins = |term: &&str| format!("{term} ").starts_with(&format!("{beginning} "));
            let places: Vec<_> = (0..8).filter(|at| begins(&sorted[*at])).collect();
            assert!(
                places.windows(2).all(|pair| pair[0] + 1 == pair[1]),
                "{beginning}: {sorted:?}"
            );
        }
        let (numbers, _, ends) = list.number();
        assert_eq!((numbers[2] == numbers[7], ends.len()), (true, 7));
        let keys = list.sort();
        let find = |term| keys[sorted.iter().position(|other| *other == term).unwrap()];
        assert_eq!(list.shared(find("p q r s"), find("p q r s t")), 4);
        assert_eq!(list.shared(find("p q r"), find("p q rs")), 2);
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
