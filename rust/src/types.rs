//! Work done once for each word type, however often the word occurs.

use crate::tokens::Tokens;
use rustc_hash::FxHashMap;

/// Words and what they become; words not seen before are named by `unknown`.
#[derive(Default)]
pub struct TypeMap {
    known: FxHashMap<Box<[u8]>, Box<[u8]>>,
}

impl TypeMap {
    /// The types of these tokens that the map does not know, each once, in order of appearance.
    pub fn unknown<'a>(&self, tokens: &'a Tokens) -> Vec<&'a [u8]> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut unknown = Vec::new();
        for sentence in (0..tokens.len()).filter_map(|index| tokens.get(index)) {
            for word in sentence.iter() {
                if !self.known.contains_key(word) && seen.insert(word) {
                    unknown.push(word);
                }
            }
        }
        unknown
    }

    pub fn learn(&mut self, word: &[u8], becomes: &[u8]) {
        self.known.insert(word.into(), becomes.into());
    }

    /// The tokens with every word replaced. Every word must be known.
    pub fn apply(&self, tokens: &Tokens) -> Tokens {
        let mut builder = Tokens::builder(tokens.len(), 0);
        for index in 0..tokens.len() {
            match tokens.get(index) {
                Some(sentence) => builder.sentence(sentence.iter().map(|word| &self.known[word])),
                None => builder.missing(),
            }
        }
        builder.finish()
    }
}
