//! How often each word occurs in each document of a corpus, and how salient that makes it.

use crate::hits::Table;
use crate::interrupt::spend;
use crate::terms::Terms;
use crate::tokens::Tokens;
use crate::vocabulary::Vocabulary;
use rustc_hash::FxHashMap;

/// The words of documents with their counts; add text, then ask for `frequencies`.
#[derive(Default)]
pub struct Counts {
    words: Vocabulary,
    documents: Documents,
    /// Words and counts of stretches of text of one document, and where each stretch begins. A
    /// document has several where others, or other references, lie between.
    entries: Vec<(u32, u32)>,
    stretches: Vec<(u32, usize)>,
    scratch: StretchTable,
}

#[derive(Default)]
struct StretchTable {
    table: Table,
    /// The ids that the table gives to a sentence's tokens, and which tokens are new to it.
    ids: Vec<u32>,
    new: Vec<usize>,
}

/// What counting a word takes, in units of `spend`.
const COUNTING: usize = 64;

/// Documents by name, numbered in order of appearance.
#[derive(Default, Clone)]
pub struct Documents {
    names: Vec<String>,
    numbers: FxHashMap<String, u32>,
}

impl Documents {
    pub fn names(&self) -> &[String] {
        &self.names
    }

    pub fn find(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The document's number, a new one if it has none.
    pub fn insert(&mut self, name: &str) -> u32 {
        if let Some(number) = self.find(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_string());
        self.numbers.insert(name.to_string(), number);
        number
    }
}

impl Counts {
    pub fn documents(&self) -> &Documents {
        &self.documents
    }

    /// The number of the document of this name, a new one if it has none.
    pub fn document(&mut self, name: &str) -> u32 {
        self.documents.insert(name)
    }

    pub fn words(&self) -> &Vocabulary {
        &self.words
    }

    /// Counts the words of these segments, each for its document.
    pub fn add(&mut self, tokens: &Tokens, documents: &[u32]) {
        let mut first = 0;
        for stretch in documents.chunk_by(|one, other| one == other) {
            self.stretches.push((stretch[0], self.entries.len()));
            self.stretch(tokens, first..first + stretch.len());
            first += stretch.len();
        }
    }

    /// Counts in a small table first: a word costs much more to find in a large one.
    fn stretch(&mut self, tokens: &Tokens, segments: std::ops::Range<usize>) {
        let sentences = segments.filter_map(|index| tokens.get(index));
        let StretchTable { table, ids, new } = &mut self.scratch;
        table.clear(sentences.clone().map(|sentence| sentence.len()).sum());
        let first = self.entries.len();
        for sentence in sentences {
            spend(COUNTING * sentence.len());
            ids.clear();
            table.learn(sentence, ids);
            // Whether a word is new is hard to foresee, so no step depends on it.
            new.resize(new.len().max(ids.len() + 1), 0);
            let (known, mut count) = (self.entries.len() - first, 0);
            for (at, id) in ids.iter().enumerate() {
                new[count] = at;
                count += (*id as usize == known + count) as usize;
            }
            self.words.prefetch(sentence, &new[..count]);
            for at in &new[..count] {
                self.entries.push((self.words.insert(sentence, *at), 0));
            }
            ids.iter().for_each(|id| self.entries[first + *id as usize].1 += 1);
        }
    }

    /// Adds words that were counted elsewhere: terms of a document's name and a word, each once,
    /// those of a document together. What counts 0 only names a document. False if one is not such
    /// a pair.
    pub fn learn(&mut self, terms: &Terms) -> bool {
        let tokens = terms.tokens();
        let mut last = None;
        for index in 0..terms.len() {
            let pair = tokens.get(index).expect("no term is missing");
            let name = std::str::from_utf8(pair.token(0));
            let (Ok(name), 2) = (name, pair.len()) else {
                return false;
            };
            let document = self.documents.insert(name);
            let count = terms.count(index).min(u32::MAX as u64) as u32;
            if count == 0 {
                continue;
            }
            if last != Some(document) {
                self.stretches.push((document, self.entries.len()));
                last = Some(document);
            }
            self.entries.push((self.words.insert(pair, 1), count));
        }
        true
    }

    /// What has been counted, document by document.
    pub fn frequencies(&self) -> Frequencies {
        let mut places: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.documents.names.len()];
        for (at, (document, start)) in self.stretches.iter().enumerate() {
            let end = self.stretches.get(at + 1).map_or(self.entries.len(), |next| next.1);
            places[*document as usize].push((*start, end));
        }
        let mut entries: Vec<(u32, u32)> = Vec::with_capacity(self.entries.len());
        let mut starts = vec![0];
        let mut merged = vec![u32::MAX; self.words.len()];
        for places in places {
            let first = entries.len();
            if let [(start, end)] = places[..] {
                entries.extend_from_slice(&self.entries[start..end]);
            } else {
                for (start, end) in places {
                    for (word, count) in &self.entries[start..end] {
                        // The place of the word in this document, if it is one of this document.
                        let place = merged[*word as usize] as usize;
                        match entries.get_mut(place) {
                            Some(entry) if place >= first && entry.0 == *word => entry.1 += count,
                            _ => {
                                merged[*word as usize] = entries.len() as u32;
                                entries.push((*word, *count));
                            }
                        }
                    }
                }
            }
            starts.push(entries.len());
        }
        Frequencies::new(starts, entries, self.words.len())
    }
}

/// The words of all documents, one document after the other, with what salience is made of.
pub struct Frequencies {
    /// Where each document begins, and where the last ends.
    starts: Vec<usize>,
    /// Words and how often their document has them.
    entries: Vec<(u32, u32)>,
    /// How many tokens each document has, and all of them.
    lengths: Vec<f64>,
    total: f64,
    /// What is known of each word.
    words: Vec<Word>,
}

#[derive(Clone, Copy, Default)]
struct Word {
    /// How many documents have it, and how often all of them do.
    df: f64,
    count: f64,
    /// The logarithm of all documents over those that have it.
    idf: f64,
}

/// A word in a document.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub word: u32,
    pub document: usize,
    pub tf: f64,
    /// The number of documents that have the word, and of all documents; the logarithm of all
    /// over those.
    pub df: f64,
    pub documents: f64,
    pub idf: f64,
    /// The word's relative frequency in the document, the other ones, and the whole corpus.
    pub p_doc: f64,
    pub p_rest: f64,
    pub p_corp: f64,
}

impl Frequencies {
    fn new(starts: Vec<usize>, entries: Vec<(u32, u32)>, words: usize) -> Self {
        let mut words = vec![Word::default(); words];
        for (word, count) in &entries {
            words[*word as usize].df += 1.0;
            words[*word as usize].count += *count as f64;
        }
        let documents = (starts.len() - 1) as f64;
        words.iter_mut().for_each(|word| word.idf = (documents / word.df).ln());
        let length = |ends: &[usize]| {
            entries[ends[0]..ends[1]].iter().map(|entry| entry.1 as f64).sum::<f64>()
        };
        let lengths: Vec<f64> = starts.windows(2).map(length).collect();
        let total = lengths.iter().sum();
        Frequencies { starts, entries, lengths, total, words }
    }

    /// Every word of every document with its count, as `Counts::learn` takes them; behind them
    /// documents without a word, with an empty one that counts 0.
    pub fn terms(&self, counts: &Counts) -> Terms {
        let mut terms = Terms::default();
        let documents = || counts.documents.names.iter().zip(self.starts.windows(2));
        for (name, ends) in documents() {
            for (word, count) in &self.entries[ends[0]..ends[1]] {
                let pair = [name.as_bytes(), counts.words.word(*word)];
                terms.push(pair.into_iter(), *count as u64);
            }
        }
        for (name, _) in documents().filter(|(_, ends)| ends[0] == ends[1]) {
            terms.push([name.as_bytes(), &[]].into_iter(), 0);
        }
        terms
    }

    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The word of each entry.
    pub fn words(&self) -> Vec<u32> {
        self.entries.iter().map(|entry| entry.0).collect()
    }

    /// One number for each entry.
    #[inline(always)]
    pub fn column(&self, compute: impl Fn(Entry) -> f64) -> Vec<f64> {
        let mut column = Vec::with_capacity(self.entries.len());
        for (document, length) in self.lengths.iter().enumerate() {
            let elsewhere = (self.total - length).max(1.0);
            for (word, count) in &self.entries[self.starts[document]..self.starts[document + 1]] {
                let Word { df, count: everywhere, idf } = self.words[*word as usize];
                let tf = *count as f64;
                column.push(compute(Entry {
                    word: *word,
                    document,
                    tf,
                    df,
                    idf,
                    documents: self.lengths.len() as f64,
                    p_doc: tf / length,
                    p_rest: (everywhere - tf) / elsewhere,
                    p_corp: everywhere / self.total,
                }));
            }
        }
        column
    }
}

impl Entry {
    /// Higher for a word that is frequent here and found in few documents.
    pub fn tfidf(self) -> f64 {
        // Most words stand in a document once, and a logarithm takes longer than all the rest.
        if self.tf == 1.0 { self.idf } else { (1.0 + self.tf.ln()) * self.idf }
    }

    /// Higher for a word that is more frequent here than elsewhere; not a number for one that is
    /// not, or that every document has.
    pub fn s(self) -> f64 {
        let absence = (self.documents - self.df) / self.documents;
        let product = (self.p_doc - self.p_rest) * absence / self.p_corp;
        if product > 0.0 { product.ln() } else { f64::NAN }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::tokens;

    #[test]
    fn a_document_in_pieces_is_one() {
        let mut counts = Counts::default();
        let (one, two) = (counts.document("one"), counts.document("two"));
        counts.add(&tokens(&["a b a", "c", "b"]), &[one, two, one]);
        counts.add(&tokens(&["", "c d", "a"]), &[two, two, one]);
        let found = counts.frequencies();
        assert_eq!(found.starts(), [0, 2, 4]);
        assert_eq!(found.entries, [(0, 3), (1, 2), (2, 2), (3, 1)]);
        counts.add(&tokens(&["d a"]), &[one]);
        let found = counts.frequencies();
        assert_eq!(found.entries, [(0, 4), (1, 2), (3, 1), (2, 2), (3, 1)]);
        assert_eq!(found.column(|entry| entry.df), [1.0, 1.0, 2.0, 1.0, 2.0]);
        assert_eq!(found.column(|entry| entry.p_doc)[..2], [4.0 / 7.0, 2.0 / 7.0]);
        assert_eq!(found.column(|entry| entry.p_rest)[2..], [1.0 / 3.0, 0.0, 1.0 / 7.0]);
        assert_eq!(found.words(), [0, 1, 3, 2, 3]);
    }

    #[test]
    fn counts_add_up() {
        let mut counts = Counts::default();
        let (one, two) = (counts.document("one"), counts.document("two"));
        counts.add(&tokens(&["a b a", "c", "b"]), &[one, two, one]);
        counts.document("empty");
        let terms = counts.frequencies().terms(&counts);
        counts.add(&tokens(&["a b a", "c", "b"]), &[one, two, one]);
        let mut added = Counts::default();
        assert!(added.learn(&terms) && added.learn(&terms));
        assert_eq!(added.frequencies().entries, counts.frequencies().entries);
        assert_eq!(added.documents().names(), ["one", "two", "empty"]);
        let mut lone = Terms::default();
        lone.push([&b"word"[..]].into_iter(), 1);
        assert!(!added.learn(&lone));
    }

    #[test]
    fn what_is_everywhere_is_not_salient() {
        let entry = Entry {
            word: 0,
            document: 0,
            tf: 2.0,
            df: 2.0,
            documents: 8.0,
            idf: 4f64.ln(),
            p_doc: 0.2,
            p_rest: 0.1,
            p_corp: 0.15,
        };
        assert_eq!(entry.tfidf(), (1.0 + 2f64.ln()) * 4f64.ln());
        assert!((entry.s() - 0.5f64.ln()).abs() < 1e-12);
        assert!(Entry { p_doc: 0.1, ..entry }.s().is_nan());
        assert!(Entry { df: 8.0, ..entry }.s().is_nan());
    }
}
