//! What each word weighs in each document, found word by word while the document is scored.

use crate::hits::{NONE, Table};
use crate::salience::Documents;
use crate::tokens::{Sentence, Tokens};
use std::cell::RefCell;

pub struct WordWeights {
    pub documents: Documents,
    /// The words of each document, each once, as one segment.
    pub lists: Tokens,
    /// Where in `weights` each document begins, and the weights of its words in their order.
    pub starts: Vec<usize>,
    pub weights: Vec<f64>,
    /// For each document what a word weighs that is not in its list.
    pub unknown: Vec<f64>,
}

impl WordWeights {
    /// Calls `use_it` with a page on which the list of one document at a time lies open.
    pub fn read<T>(&self, use_it: impl FnOnce(&mut Page<'_>) -> T) -> T {
        TABLE.with_borrow_mut(|(table, ids)| {
            use_it(&mut Page { all: self, table, ids, open: None, known: &[], unknown: 0.0 })
        })
    }
}

thread_local! {
    static TABLE: RefCell<(Table, Vec<u32>)> = RefCell::default();
}

pub struct Page<'a> {
    all: &'a WordWeights,
    table: &'a mut Table,
    ids: &'a mut Vec<u32>,
    open: Option<u32>,
    known: &'a [f64],
    unknown: f64,
}

impl Page<'_> {
    /// Opens a document's list, if it is not open already.
    pub fn turn_to(&mut self, document: u32) {
        if self.open == Some(document) {
            return;
        }
        let at = document as usize;
        self.open = Some(document);
        self.known = &self.all.weights[self.all.starts[at]..self.all.starts[at + 1]];
        self.unknown = self.all.unknown[at];
        self.table.clear(self.known.len());
        self.ids.clear();
        if let Some(list) = self.all.lists.get(at) {
            // Every word is new, so the ids count up as the weights do.
            self.table.learn(list, self.ids);
        }
    }

    /// What the words of a sentence weigh in the document that is open.
    pub fn weigh(&mut self, sentence: Sentence<'_>, weights: &mut Vec<f64>) {
        self.ids.clear();
        self.table.look_up(sentence, self.ids);
        weights.clear();
        weights.extend(self.ids.iter().map(|id| match *id {
            NONE => self.unknown,
            id => self.known[id as usize],
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_those_of_the_open_document() {
        let tokens = |sentences: &[&str]| {
            let mut builder = Tokens::builder(0, 0);
            for sentence in sentences {
                builder.sentence(sentence.split_whitespace());
            }
            builder.finish()
        };
        let weights = WordWeights {
            documents: Documents::default(),
            lists: tokens(&["a b", "", "long-words-of-more-than-sixteen-bytes d"]),
            starts: vec![0, 2, 2, 4],
            weights: vec![1.0, 2.0, 3.0, 4.0],
            unknown: vec![0.5, 0.75, 0.25],
        };
        let sought = tokens(&["a b long-words-of-more-than-sixteen-bytes d e"]);
        let mut found = Vec::new();
        weights.read(|page| {
            let mut all = |document| {
                page.turn_to(document);
                page.weigh(sought.get(0).unwrap(), &mut found);
                found.clone()
            };
            assert_eq!(all(0), [1.0, 2.0, 0.5, 0.5, 0.5]);
            assert_eq!(all(1), [0.75; 5]);
            assert_eq!(all(2), [0.25, 0.25, 3.0, 4.0, 0.25]);
            assert_eq!(all(0), [1.0, 2.0, 0.5, 0.5, 0.5]);
        });
    }
}
