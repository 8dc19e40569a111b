//! N-grams of a corpus that no memory holds, exchanged as windows of text.
//!
//! A window is a word with those behind it, as many as an n-gram has. It stands for all n-grams of
//! three words and more that begin with it, which so need not be sent one by one. Whoever gets all
//! windows with the same three first words knows how often the corpus has these n-grams. N-grams of
//! one word and of two, of which there are much fewer, are sent with their counts.

use crate::information::Information;
use crate::interrupt::spend;
use crate::steps::{Steps, key};
use crate::terms::{BETWEEN, Terms};
use crate::tokens::Tokens;
use crate::vocabulary::Vocabulary;

/// The least words of a window; those with the same first ones belong together.
pub const LEAST: usize = 3;

/// What reading a word of a term takes, in units of `spend`.
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
    words: Vocabulary,
    unigrams: Vec<f64>,
    /// N-grams of two words that were counted, and those that begin windows.
    bigrams: Steps,
    beginnings: Steps,
    /// The n-grams of three words, of four and so on.
    longer: Vec<Steps>,
    /// For each batch the number of words of each term, and the ids of its n-grams.
    batches: Vec<(Vec<u8>, Vec<u32>)>,
}

impl WindowSums {
    pub fn new(order: usize) -> Self {
        WindowSums {
            order,
            words: Vocabulary::default(),
            unigrams: Vec::new(),
            bigrams: Steps::default(),
            beginnings: Steps::default(),
            longer: (LEAST..=order).map(|_| Steps::default()).collect(),
            batches: Vec::new(),
        }
    }

    /// Adds terms, given by where each begins and where the last ends. False if they are none.
    pub fn add(&mut self, bytes: &[u8], bounds: &[i32], counts: &[f64]) -> bool {
        let ordered = bounds.is_sorted() && bounds.first().is_some_and(|first| *first >= 0);
        let whole = bounds.last().is_some_and(|last| *last as usize <= bytes.len());
        if !ordered || !whole || counts.len() + 1 != bounds.len() {
            return false;
        }
        let (mut lengths, mut ids) = (Vec::new(), Vec::new());
        let mut words = Vec::new();
        for (bounds, counts) in pieces(bounds, counts) {
            let mut builder = Tokens::builder(counts.len(), 0);
            for ends in bounds.windows(2) {
                let term = &bytes[ends[0] as usize..ends[1] as usize];
                builder.sentence(term.split(|byte| *byte == BETWEEN));
            }
            let tokens = builder.finish();
            let all = [&mut self.bigrams, &mut self.beginnings];
            all.into_iter().chain(&mut self.longer).for_each(|steps| steps.reserve(counts.len()));
            for (index, count) in counts.iter().enumerate() {
                let term = tokens.get(index).expect("no term is missing");
                spend(READING * term.len());
                words.clear();
                words.extend((0..term.len()).map(|at| self.words.insert(term, at)));
                if words.len() > self.order || *count < 1.0 {
                    return false;
                }
                lengths.push(words.len() as u8);
                self.add_term(&words, *count, &mut ids);
            }
        }
        self.batches.push((lengths, ids));
        true
    }

    fn add_term(&mut self, words: &[u32], count: f64, ids: &mut Vec<u32>) {
        let end = ids.len() + width(self.order);
        match words {
            [word] => {
                self.unigrams.resize(self.words.len().max(self.unigrams.len()), 0.0);
                self.unigrams[*word as usize] += count;
                ids.push(*word);
            }
            [first, second] => ids.push(self.bigrams.add(key(*first, *second), count as u32)),
            [first, second, rest @ ..] => {
                let mut id = self.beginnings.put(key(*first, *second), 1);
                for (word, steps) in rest.iter().zip(&mut self.longer) {
                    id = steps.add(key(id, *word), count as u32);
                    ids.push(id);
                }
            }
            [] => {}
        }
        ids.resize(end, 0);
    }

    /// How many numbers answer a term.
    pub fn width(&self) -> usize {
        width(self.order)
    }

    /// How many words the terms of one word stand for.
    pub fn total(&self) -> f64 {
        self.unigrams.iter().sum()
    }

    /// A row of numbers for each term of each batch: its count; for a window that of its first three
    /// words, of its first four and so on, and 0 where it has no more.
    pub fn answers(&self) -> Vec<Vec<f64>> {
        let bigrams = self.bigrams.counts();
        let longer: Vec<_> = self.longer.iter().map(Steps::counts).collect();
        let width = width(self.order);
        let answer = |(lengths, ids): &(Vec<u8>, Vec<u32>)| {
            let mut numbers = vec![0.0; ids.len()];
            let rows = numbers.chunks_exact_mut(width).zip(ids.chunks_exact(width));
            for ((row, ids), length) in rows.zip(lengths) {
                spend(READING);
                match *length as usize {
                    1 => row[0] = self.unigrams[ids[0] as usize],
                    2 => row[0] = bigrams[ids[0] as usize] as f64,
                    length => {
                        for below in 0..length - LEAST + 1 {
                            row[below] = longer[below][ids[below] as usize] as f64;
                        }
                    }
                }
            }
            numbers
        };
        self.batches.iter().map(answer).collect()
    }
}

/// Cuts terms into pieces, so that their words take little memory.
fn pieces<'a>(
    bounds: &'a [i32],
    counts: &'a [f64],
) -> impl Iterator<Item = (&'a [i32], &'a [f64])> {
    const TERMS: usize = 8192;
    (0..counts.len()).step_by(TERMS).map(|first| {
        let last = counts.len().min(first + TERMS);
        (&bounds[first..=last], &counts[first..last])
    })
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
                let bounds: Vec<_> = [0].into_iter().chain(ends.iter().map(|e| *e as i32)).collect();
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
        let mut sums = WindowSums::new(3);
        assert!(!sums.add(b"a", &[0, 2], &[1.0]), "beyond the end");
        assert!(!sums.add(b"a", &[0, 1], &[0.0]), "never counted");
        assert!(!sums.add(b"a", &[0, 1], &[]), "without a count");
        assert!(!sums.add(b"a\xffb\xffc\xffd", &[0, 7], &[1.0]), "too long");
        assert!(sums.add(b"", &[0], &[]));
        assert_eq!(sums.answers(), [vec![]]);
    }
}
