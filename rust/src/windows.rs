//! N-grams of a corpus that no memory holds, exchanged as windows of text.
//!
//! A window is a word with those behind it, as many as an n-gram has. It stands for all n-grams of
//! three words and more that begin with it, which so need not be sent one by one. Whoever gets all
//! windows with the same three first words knows how often the corpus has these n-grams. N-grams of
//! one word and of two, of which there are much fewer, are sent with their counts.

use crate::interrupt::{Meter, spend};
use crate::steps::{Steps, key};
use crate::terms::{BETWEEN, SPREAD, TermList};
use crate::tokens::Tokens;
use crate::vocabulary::Vocabulary;
use std::ops::Range;

/// The least words of a window; those with the same first ones belong together.
pub const LEAST: usize = 3;

/// What reading a word or a term takes, in units of `spend`.
const READING: usize = 64;

/// How many numbers answer a term.
pub fn width(order: usize) -> usize {
    order.saturating_sub(LEAST - 1).max(1)
}

/// The terms of some segments: words, then pairs of words, both with their counts, then windows in
/// the order of the text. Each belongs to a partition, which its first words choose.
pub struct Request {
    order: usize,
    words: Vocabulary,
    counts: Vec<u32>,
    /// Two words and a count for each pair.
    pairs: Vec<u32>,
    /// The numbers of all words, each of which is a term.
    numbers: Vec<u32>,
    /// For each token of the columns its word, and the pair that it begins.
    text: Vec<u32>,
    begun: Vec<u32>,
    /// Where each window lies in the text.
    windows: Vec<Range<usize>>,
    /// The partition of each term.
    partitions: Vec<u32>,
    /// Where the terms of each partition begin, and where the last end.
    starts: Vec<i64>,
}

/// Terms by partition.
pub struct SplitRequest {
    pub bytes: Vec<u8>,
    /// Where in the bytes each term begins, and where the last ends.
    pub bounds: Vec<i32>,
    pub counts: Vec<f64>,
    /// Where the terms of each partition begin, and where the last end.
    pub starts: Vec<i64>,
}

/// No pair begins with the last word of a segment.
const NO_PAIR: u32 = u32::MAX;

impl Request {
    pub fn new(columns: &[&Tokens], order: usize, partitions: usize) -> Self {
        let tokens = columns.iter().map(|column| column.count()).sum();
        let (mut words, mut counts) = (Vocabulary::default(), Vec::new());
        let (mut pairs, mut windows) = (Steps::default(), Vec::with_capacity(tokens));
        let (mut text, mut begun) = (Vec::with_capacity(tokens), Vec::with_capacity(tokens));
        for column in columns {
            pairs.reserve(column.count());
            for sentence in (0..column.len()).filter_map(|index| column.get(index)) {
                spend(READING * sentence.len());
                let first = text.len();
                text.extend((0..sentence.len()).map(|at| words.insert(sentence, at)));
                counts.resize(words.len(), 0);
                let own = &text[first..];
                own.iter().for_each(|word| counts[*word as usize] += 1);
                if order > 1 {
                    begun.extend(own.windows(2).map(|pair| pairs.count(key(pair[0], pair[1]))));
                }
                begun.resize(text.len(), NO_PAIR);
                if order >= LEAST {
                    let starts = first..text.len().saturating_sub(LEAST - 1);
                    windows.extend(starts.map(|at| at..text.len().min(at + order)));
                }
            }
        }
        let mut request = Request {
            order,
            numbers: (0..words.len() as u32).collect(),
            words,
            counts,
            pairs: pairs.table(),
            text,
            begun,
            windows,
            partitions: Vec::new(),
            starts: vec![0; partitions + 1],
        };
        request.place(partitions);
        request
    }

    /// Chooses the partition of each term by its first words, the same on every machine.
    fn place(&mut self, partitions: usize) {
        let words: Vec<_> =
            (0..self.words.len() as u32).map(|word| self.words.key(word).hash()).collect();
        let choose = |first: &[u32]| {
            let mixed = first.iter().fold(0u64, |mixed, word| {
                (mixed.rotate_left(23) ^ words[*word as usize]).wrapping_mul(SPREAD)
            });
            (((mixed ^ mixed >> 32) as u128 * partitions as u128) >> 64) as u32
        };
        let first = |words: &[u32]| choose(&words[..words.len().min(LEAST)]);
        let chosen: Vec<_> = self.terms().map(|(words, _)| first(words)).collect();
        chosen.iter().for_each(|partition| self.starts[*partition as usize + 1] += 1);
        (0..partitions).for_each(|at| self.starts[at + 1] += self.starts[at]);
        self.partitions = chosen;
    }

    pub fn len(&self) -> usize {
        self.words.len() + self.pairs.len() / 3 + self.windows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The words of each term, and its count.
    fn terms(&self) -> impl Iterator<Item = (&[u32], u32)> {
        let words = self.numbers.chunks_exact(1).zip(self.counts.iter().copied());
        let pairs = self.pairs.chunks_exact(3).map(|pair| (&pair[..2], pair[2]));
        let windows = self.windows.iter().map(|window| (&self.text[window.clone()], 1));
        words.chain(pairs).chain(windows)
    }

    /// The terms in the order of their partitions. None if they are too long together for Arrow.
    pub fn split(&self) -> Option<SplitRequest> {
        let length = |words: &[u32]| {
            words.iter().map(|word| self.words.word(*word).len() + 1).sum::<usize>() - 1
        };
        let mut sizes = vec![0; self.starts.len()];
        for ((words, _), partition) in self.terms().zip(&self.partitions) {
            sizes[*partition as usize + 1] += length(words);
        }
        (1..sizes.len()).for_each(|at| sizes[at] += sizes[at - 1]);
        let total = sizes[sizes.len() - 1];
        if total > i32::MAX as usize {
            return None;
        }
        let mut split = SplitRequest {
            bytes: vec![BETWEEN; total],
            bounds: vec![total as i32; self.len() + 1],
            counts: vec![0.0; self.len()],
            starts: self.starts.clone(),
        };
        let mut next: Vec<_> = self.starts.iter().map(|start| *start as usize).collect();
        let mut meter = Meter::default();
        for ((words, count), partition) in self.terms().zip(&self.partitions) {
            meter.spend(READING);
            let partition = *partition as usize;
            let (at, end) = (next[partition], &mut sizes[partition]);
            next[partition] += 1;
            split.bounds[at] = *end as i32;
            split.counts[at] = count as f64;
            for (number, word) in words.iter().enumerate() {
                let word = self.words.word(*word);
                *end += (number > 0) as usize;
                split.bytes[*end..*end + word.len()].copy_from_slice(word);
                *end += word.len();
            }
        }
        Some(split)
    }

    /// Takes rows of numbers for all terms, in the order of their partitions, from a corpus of so
    /// many words. None if they do not fit, or one is below 1.
    pub fn answer(&self, numbers: &[f64], total: u64) -> Option<Placed> {
        let width = width(self.order);
        if numbers.len() != self.len() * width {
            return None;
        }
        let mut next: Vec<_> = self.starts.iter().map(|start| *start as usize).collect();
        let mut rows = self.partitions.iter().map(|partition| {
            let at = &mut next[*partition as usize];
            *at += 1;
            &numbers[(*at - 1) * width..*at * width]
        });
        let count = |number: f64| (number >= 1.0).then_some(number as u32);
        let words = rows.by_ref().take(self.words.len()).map(|row| count(row[0]));
        let words: Vec<_> = words.collect::<Option<_>>()?;
        let pairs = rows.by_ref().take(self.pairs.len() / 3).map(|row| count(row[0]));
        let pairs: Vec<_> = pairs.collect::<Option<_>>()?;
        let order = self.order;
        let mut counts = vec![0; order * self.text.len()];
        let mut meter = Meter::default();
        for (own, (word, pair)) in
            counts.chunks_exact_mut(order).zip(self.text.iter().zip(&self.begun))
        {
            meter.spend(READING);
            own[0] = words[*word as usize];
            if *pair != NO_PAIR {
                own[1] = pairs[*pair as usize];
            }
        }
        for (window, row) in self.windows.iter().zip(rows) {
            let own = &mut counts[window.start * order..][LEAST - 1..window.len()];
            for (own, number) in own.iter_mut().zip(row) {
                *own = count(*number)?;
            }
        }
        Some(Placed { order, counts, total })
    }
}

/// How often a corpus has the n-grams that begin at each token of a request.
pub struct Placed {
    order: usize,
    /// For each token the counts of n-grams of each order.
    counts: Vec<u32>,
    /// The words of the corpus.
    total: u64,
}

impl Placed {
    pub fn order(&self) -> usize {
        self.order
    }

    /// How often the corpus has what an n-gram of `n` words at a token begins with, and all of it.
    #[inline]
    pub fn get(&self, token: usize, n: usize) -> (f64, f64) {
        let own = &self.counts[token * self.order..][..n];
        let before = if n == 1 { self.total as f64 } else { own[n - 2] as f64 };
        (before, own[n - 1] as f64)
    }

    /// The words of the corpus.
    pub fn total(&self) -> f64 {
        self.total as f64
    }
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
    use crate::tokens::Sentence;

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
            let requests: Vec<_> =
                chunks.iter().map(|chunk| Request::new(&[chunk], order, 3)).collect();
            let splits: Vec<_> = requests.iter().map(|each| each.split().unwrap()).collect();
            let mut answers = vec![Vec::new(); chunks.len()];
            let mut total = 0.0;
            for partition in 0..3 {
                let mut sums = WindowSums::new(order);
                for split in &splits {
                    let ends = &split.starts[partition..partition + 2];
                    let (start, stop) = (ends[0] as usize, ends[1] as usize);
                    let bounds = &split.bounds[start..=stop];
                    assert!(sums.add(&split.bytes, bounds, &split.counts[start..stop]));
                }
                total += sums.total();
                for (answer, numbers) in answers.iter_mut().zip(sums.answers()) {
                    answer.extend(numbers);
                }
            }
            assert_eq!(total, 35.0);
            let all: Vec<_> =
                chunks.iter().flat_map(|chunk| [chunk.get(0), chunk.get(1)]).collect();
            let has = |words: &[&[u8]]| {
                let sentence = |s: &Sentence| {
                    s.iter()
                        .collect::<Vec<_>>()
                        .windows(words.len())
                        .filter(|w| *w == words)
                        .count()
                };
                all.iter().flatten().map(sentence).sum::<usize>() as f64
            };
            for ((request, chunk), numbers) in requests.iter().zip(&chunks).zip(&answers) {
                let placed = request.answer(numbers, 35).unwrap();
                let mut token = 0;
                for sentence in (0..chunk.len()).filter_map(|index| chunk.get(index)) {
                    let words: Vec<_> = sentence.iter().collect();
                    for at in 0..words.len() {
                        for n in 1..=order.min(words.len() - at) {
                            let before = if n == 1 { 35.0 } else { has(&words[at..at + n - 1]) };
                            assert_eq!(placed.get(token, n), (before, has(&words[at..at + n])));
                        }
                        token += 1;
                    }
                }
                assert!(request.answer(&numbers[1..], 35).is_none());
                assert!(request.answer(&vec![0.0; numbers.len()], 35).is_none());
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
