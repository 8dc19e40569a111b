//! N-grams of a corpus that no memory holds, exchanged as windows of text.
//!
//! A window is a word with those behind it, as many as an n-gram has. It stands for all n-grams of
//! three words and more that begin with it, which so need not be sent one by one. Whoever gets all
//! windows with the same three first words knows how often the corpus has these n-grams. N-grams of
//! one word and of two, of which there are much fewer, are sent with their counts.

use crate::information::Information;
use crate::interrupt::spend;
use crate::terms::{BETWEEN, TermList, Terms};
use crate::tokens::Tokens;

/// The least words of a window; those with the same first ones belong together.
pub const LEAST: usize = 3;

/// What reading a word or a term takes, in units of `spend`.
const READING: usize = 64;

/// How many numbers answer a term.
pub fn width(order: usize) -> usize {
    order.saturating_sub(LEAST - 1).max(1)
}

/// Numbers that answer terms, row by row, and the number of words of the corpus.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    pub numbers: &'a [f64],
    pub width: usize,
    pub total: u64,
}

impl Rows<'_> {
    pub fn len(&self) -> usize {
        self.numbers.len() / self.width
    }

    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// A count, the largest if it is too large; None if there is none.
    #[inline]
    pub fn get(&self, row: usize, column: usize) -> Option<u32> {
        let number = *self.numbers.get(row * self.width + column)?;
        (number >= 1.0 && column < self.width).then_some(number as u32)
    }
}

/// The terms of some segments: n-grams of one word and of two with their counts, then windows in the
/// order of the text. Also how many there are of the first two kinds.
pub fn request(columns: &[&Tokens], order: usize) -> (Terms, (usize, usize)) {
    let mut counts = Information::counted(order.min(LEAST - 1), false);
    columns.iter().for_each(|tokens| counts.add(tokens));
    let mut terms = counts.terms();
    let words = counts.words().len();
    let short = (words, terms.len() - words);
    for tokens in columns.iter().filter(|_| order >= LEAST) {
        for sentence in (0..tokens.len()).filter_map(|index| tokens.get(index)) {
            spend(READING * sentence.len());
            for first in 0..sentence.len().saturating_sub(LEAST - 1) {
                let last = sentence.len().min(first + order);
                terms.push((first..last).map(|at| sentence.token(at)), 1);
            }
        }
    }
    (terms, short)
}

/// What a partition got from all chunks, added up.
pub struct WindowSums {
    order: usize,
    list: TermList,
    /// The number of words of each term, and its count.
    lengths: Vec<u8>,
    counts: Vec<f64>,
    /// Where each batch ends.
    ends: Vec<usize>,
    /// How many words the terms of one word stand for.
    total: f64,
}

impl WindowSums {
    pub fn new(order: usize) -> Self {
        let list = TermList::new(Some(LEAST));
        let (lengths, counts, ends) = (Vec::new(), Vec::new(), Vec::new());
        WindowSums { order, list, lengths, counts, ends, total: 0.0 }
    }

    /// Adds terms, given by where each begins and where the last ends. False if they are none.
    pub fn add(&mut self, bytes: &[u8], bounds: &[i32], counts: &[f64]) -> bool {
        let first = self.list.len();
        if counts.len() + 1 != bounds.len() || !self.list.add(bytes, bounds) {
            return false;
        }
        for (at, count) in counts.iter().enumerate() {
            let words = length(self.list.get(first + at));
            if words > self.order || !count.is_normal() || *count < 1.0 {
                return false;
            }
            self.lengths.push(words as u8);
            self.total += *count * (words == 1) as u8 as f64;
        }
        self.counts.extend_from_slice(counts);
        self.ends.push(self.counts.len());
        true
    }

    /// How many numbers answer a term.
    pub fn width(&self) -> usize {
        width(self.order)
    }

    pub fn total(&self) -> f64 {
        self.total
    }

    /// A row of numbers for each term of each batch: its count; for a window that of its first three
    /// words, of its first four and so on, and 0 where it has no more.
    pub fn answers(&self) -> Vec<Vec<f64>> {
        let sorted = self.list.sort();
        let width = self.width();
        let mut numbers = vec![0.0; width * sorted.len()];
        // Where the terms begin that have so many first words in common with the last one.
        let mut starts = vec![0; self.order + 1];
        let mut before = 0;
        for next in 1..=sorted.len() {
            spend(READING);
            let last = sorted[next - 1];
            let shared = sorted.get(next).map_or(0, |term| self.list.shared(last, *term));
            if before == 0 && shared == 0 {
                // Most terms are alone, which needs no sums.
                let at = last.1 as usize;
                let columns = (self.lengths[at] as usize).saturating_sub(LEAST) + 1;
                numbers[at * width..][..columns].fill(self.counts[at]);
                starts.fill(next);
            }
            before = shared;
            for words in shared + 1..=self.order {
                self.close(&sorted[starts[words]..next], words, &mut numbers);
                starts[words] = next;
            }
        }
        let mut rest = &numbers[..];
        let mut cut = |last: &usize| {
            let own;
            (own, rest) = rest.split_at(last * width - (numbers.len() - rest.len()));
            own.to_vec()
        };
        self.ends.iter().map(&mut cut).collect()
    }

    /// Adds up terms with the same first words; those of fewer than three words have no more.
    fn close(&self, run: &[(u64, u32)], words: usize, numbers: &mut [f64]) {
        let counts = |at: usize| {
            let length = self.lengths[at] as usize;
            length == words || length > words && words >= LEAST
        };
        let places = || run.iter().map(|term| term.1 as usize).filter(|at| counts(*at));
        let sum: f64 = places().map(|at| self.counts[at]).sum();
        let column = words.saturating_sub(LEAST);
        places().for_each(|at| numbers[at * self.width() + column] = sum);
    }
}

/// The number of words of a term.
fn length(term: &[u8]) -> usize {
    1 + memchr::memchr_iter(BETWEEN, term).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(sentences: &[&str]) -> Tokens {
        let mut builder = Tokens::builder(0, 0);
        sentences.iter().for_each(|words| builder.sentence(words.split(' ')));
        builder.missing();
        builder.finish()
    }

    #[test]
    fn chunks_get_the_counts_of_the_corpus() {
        let texts = ["a b a b a c", "0 a b a", "a", "b a b a c d e", "x y"];
        let chunks: Vec<_> = texts.iter().map(|text| tokens(&[text, "a b a"])).collect();
        for order in 1..=6 {
            let mut whole = Information::counted(order, true);
            chunks.iter().for_each(|chunk| whole.add(chunk));
            let mut sums = WindowSums::new(order);
            let mut kinds = Vec::new();
            for chunk in &chunks {
                let (terms, short) = request(&[chunk], order);
                let (bytes, ends, counts) = terms.into_parts();
                let bounds: Vec<_> =
                    [0].into_iter().chain(ends.iter().map(|e| *e as i32)).collect();
                let counts: Vec<_> = counts.iter().map(|count| *count as f64).collect();
                assert!(sums.add(&bytes, &bounds, &counts));
                kinds.push(short);
            }
            assert_eq!(sums.total(), 35.0);
            for (at, numbers) in sums.answers().iter().enumerate() {
                let rows = Rows { numbers, width: width(order), total: 35 };
                let mut part = Information::counted(order, true);
                assert!(part.fit(&[&chunks[at]], rows, kinds[at]));
                for n in 1..=order {
                    let all = whole.lines(n).unwrap();
                    let lines = part.lines(n).unwrap();
                    assert!(lines.lines().all(|line| all.split('\n').any(|other| other == line)));
                }
                let fewer = Rows { numbers: &numbers[1..], ..rows };
                assert!(!Information::counted(order, true).fit(&[&chunks[at]], fewer, kinds[at]));
            }
        }
    }

    #[test]
    fn what_are_no_terms_is_refused() {
        let adds = |bytes: &[u8], bounds: &[i32], counts: &[f64]| {
            WindowSums::new(3).add(bytes, bounds, counts)
        };
        assert!(!adds(b"a", &[0, 2], &[1.0]), "beyond the end");
        assert!(!adds(b"a", &[0, 1], &[0.0]), "never counted");
        assert!(!adds(b"a", &[0, 1], &[]), "without a count");
        assert!(!adds(b"a\xffb\xffc\xffd", &[0, 7], &[1.0]), "too long");
        assert!(adds(b"a", &[0, 1], &[1.0]) && adds(b"", &[0], &[]));
    }
}
