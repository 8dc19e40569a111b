//! Counts that add up over the parts of a corpus: words, or several in a row, with numbers.

use crate::tokens::Tokens;
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

    /// A segment for each term, of its words.
    pub fn tokens(&self) -> Tokens {
        let mut builder = Tokens::builder(self.len(), 0);
        self.iter().for_each(|(words, _)| builder.sentence(words));
        builder.finish()
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
    fn what_is_not_packed_is_refused() {
        assert!(Terms::packed(vec![1], vec![2], vec![1]).is_none());
        assert!(Terms::packed(vec![1], vec![1], vec![]).is_none());
        assert!(Terms::packed(vec![1, 2], vec![2, 1, 2], vec![1, 1, 1]).is_none());
        assert!(Terms::packed(vec![], vec![], vec![]).is_some());
    }
}
