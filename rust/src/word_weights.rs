//! What each word weighs in each document, found word by word while the document is scored.

use crate::hits::Table;
use crate::interrupt::{self, with_scratch};
use crate::salience::Documents;
use crate::tokens::Sentence;
use crate::vocabulary::Vocabulary;
use std::cell::Cell;

pub struct WordWeights {
    pub documents: Documents,
    words: Vocabulary,
    lists: Lists,
    /// The weight of each entry of the lists.
    weights: Vec<f64>,
    /// For each document what a word weighs that is not in its list.
    unknown: Vec<f64>,
}

/// The words of all documents, one document after the other, each word once in each.
pub struct Lists {
    /// Where each document begins, and where the last ends.
    pub starts: Vec<usize>,
    pub words: Vec<u32>,
}

/// From salience to weights.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The least weight, also that of words without salience.
    pub floor: f64,
    /// Words that weigh less than the first or more than the second weigh nothing.
    pub range: (f64, f64),
    /// The weight of words that a document's list does not have, or that of its lightest word.
    pub unknown: Option<f64>,
}

impl WordWeights {
    /// The words of each document with their salience, not a number where they have none.
    pub fn new(
        documents: Documents,
        words: Vocabulary,
        lists: Lists,
        salience: Vec<f64>,
        limits: Limits,
    ) -> Self {
        let (least, most) = limits.range;
        let mut weights = salience;
        for weight in &mut weights {
            let raised = weight.max(limits.floor);
            *weight = if raised < least || raised > most { 0.0 } else { raised };
        }
        let unknown = |ends: &[usize]| {
            let lightest = weights[ends[0]..ends[1]].iter().copied().reduce(f64::min);
            limits.unknown.or(lightest).unwrap_or(limits.floor)
        };
        let unknown = lists.starts.windows(2).map(unknown).collect();
        WordWeights { documents, words, lists, weights, unknown }
    }

    /// The largest weight of a word in its document, 0 if there is none.
    pub fn heaviest(&self) -> f64 {
        self.weights.iter().copied().fold(0.0, f64::max)
    }

    /// Calls `use_it` with a page on which the list of one document at a time lies open.
    pub fn read<T>(&self, use_it: impl FnOnce(&mut Page<'_>) -> T) -> T {
        with_scratch(&SHEET, |sheet| use_it(&mut Page { all: self, sheet, open: None }))
    }
}

pub struct Page<'a> {
    all: &'a WordWeights,
    sheet: &'a mut Sheet,
    open: Option<u32>,
}

#[derive(Default)]
struct Sheet {
    table: Table,
    ids: Vec<u32>,
    /// The weights by id, and at the end that of other words.
    weights: Vec<f64>,
}

thread_local! {
    static SHEET: interrupt::Scratch<Sheet> = const { Cell::new(None) };
}

impl Page<'_> {
    /// Opens a document's list, if it is not open already.
    pub fn open_document(&mut self, document: u32) {
        if self.open == Some(document) {
            return;
        }
        let (at, sheet) = (document as usize, &mut self.sheet);
        self.open = Some(document);
        sheet.weights.clear();
        let known = self.all.lists.starts[at]..self.all.lists.starts[at + 1];
        sheet.weights.extend_from_slice(&self.all.weights[known.clone()]);
        sheet.weights.push(self.all.unknown[at]);
        let words = &self.all.words;
        sheet.table.clear(known.len());
        let list = self.all.lists.words[known].iter();
        sheet.table.learn_all(list.map(|word| (words.key(*word), || words.word(*word))));
    }

    /// What the words of a sentence weigh in the document that is open.
    pub fn weigh(&mut self, sentence: Sentence<'_>, weights: &mut Vec<f64>) {
        let Sheet { table, ids, weights: known } = &mut *self.sheet;
        ids.clear();
        table.look_up(sentence, ids);
        let other = known.len() - 1;
        weights.clear();
        // The id of other words is larger than any, so that no step depends on it.
        weights.extend(ids.iter().map(|id| known[other.min(*id as usize)]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::tokens;

    fn weights(limits: Limits) -> WordWeights {
        let all = tokens(&["a b long-words-of-more-than-sixteen-bytes d"]);
        let mut words = Vocabulary::default();
        (0..4).for_each(|at| assert_eq!(words.insert(all.get(0).unwrap(), at), at as u32));
        let lists = Lists { starts: vec![0, 2, 2, 4], words: vec![0, 1, 2, 3] };
        let salience = vec![1.0, 2.0, f64::NAN, 4.0];
        WordWeights::new(Documents::default(), words, lists, salience, limits)
    }

    const NONE: Limits = Limits { floor: 0.5, range: (0.0, f64::INFINITY), unknown: None };

    #[test]
    fn weights_are_those_of_the_open_document() {
        let sought = tokens(&["a b long-words-of-more-than-sixteen-bytes d e"]);
        let mut found = Vec::new();
        weights(NONE).read(|page| {
            let mut all = |document| {
                page.open_document(document);
                page.weigh(sought.get(0).unwrap(), &mut found);
                found.clone()
            };
            assert_eq!(all(0), [1.0, 2.0, 1.0, 1.0, 1.0]);
            assert_eq!(all(1), [0.5; 5]);
            assert_eq!(all(2), [0.5, 0.5, 0.5, 4.0, 0.5]);
            assert_eq!(all(0), [1.0, 2.0, 1.0, 1.0, 1.0]);
        });
    }

    #[test]
    fn words_outside_the_range_weigh_nothing() {
        let limited = weights(Limits { range: (1.5, 3.0), ..NONE });
        assert_eq!(limited.weights, [0.0, 2.0, 0.0, 0.0]);
        assert_eq!(limited.unknown, [0.0, 0.5, 0.0]);
        let other = weights(Limits { unknown: Some(0.25), ..NONE });
        assert_eq!(other.unknown, [0.25; 3]);
        assert_eq!(weights(NONE).heaviest(), 4.0);
        assert_eq!(weights(Limits { range: (5.0, 6.0), ..NONE }).heaviest(), 0.0);
    }
}
