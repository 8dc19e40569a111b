//! What is known of each word type: its stem, its synonym sets, whether it is a function word.

use super::Stage;
use super::links::{Link, Links};
use super::score::Statistics;
use super::stemmer::FormerStemmer;
use super::wordnet::WordNet;
use crate::fork_lock::ForkLock;
use crate::tokens::Tokens;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

pub struct Lexicon {
    stemmer: Option<FormerStemmer>,
    wordnet: Option<WordNet>,
    function_words: FxHashSet<String>,
    types: ForkLock<Types>,
}

#[derive(Default)]
struct Types {
    ids: FxHashMap<Box<[u8]>, u32>,
    keys: FxHashMap<u32, u32>,
    stems: FxHashMap<u32, u32>,
    words: Vec<Word>,
}

/// METEOR takes words, and stems, for equal if their hashes are: a few unequal ones are, too.
struct Word {
    key: u32,
    stem: u32,
    synsets: Vec<u32>,
    /// A bit for each set, folded to 64: two words without a common bit have no common set.
    fold: u64,
    function: bool,
}

/// A column's words as ids that hold for the whole lexicon.
pub struct Ids {
    ids: Vec<u32>,
    ends: Vec<usize>,
    missing: Vec<bool>,
}

impl Ids {
    pub fn get(&self, index: usize) -> Option<&[u32]> {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        (!self.missing[index]).then(|| &self.ids[start..self.ends[index]])
    }
}

impl Lexicon {
    pub fn new(
        stemmer: Option<FormerStemmer>,
        wordnet: Option<WordNet>,
        function_words: FxHashSet<String>,
    ) -> Self {
        Lexicon { stemmer, wordnet, function_words, types: ForkLock::default() }
    }

    /// Names every word, learning those that are new.
    pub fn ids(&self, tokens: &Tokens) -> Ids {
        let mut named = Ids { ids: Vec::new(), ends: Vec::new(), missing: Vec::new() };
        for index in 0..tokens.len() {
            named.missing.push(!self.name(tokens, index, &mut named.ids));
            named.ends.push(named.ids.len());
        }
        named
    }

    /// Names the words of one segment, if it is there.
    pub fn segment_ids(&self, tokens: &Tokens, index: usize) -> Option<Vec<u32>> {
        let mut ids = Vec::new();
        self.name(tokens, index, &mut ids).then_some(ids)
    }

    /// Adds the names of a segment's words; false if it is missing.
    fn name(&self, tokens: &Tokens, index: usize, ids: &mut Vec<u32>) -> bool {
        let sentence = tokens.get(index);
        let mut types = self.types.read();
        for word in sentence.iter().flat_map(|sentence| sentence.iter()) {
            if let Some(id) = types.ids.get(word) {
                ids.push(*id);
                continue;
            }
            drop(types);
            ids.push(self.learn(word));
            types = self.types.read();
        }
        sentence.is_some()
    }

    fn learn(&self, token: &[u8]) -> u32 {
        let word = String::from_utf8_lossy(token);
        let synsets = self.wordnet.as_ref().map_or(Vec::new(), |wordnet| wordnet.synsets(&word));
        let fold = synsets.iter().fold(0, |bits, set| bits | 1 << (set % 61));
        let function = self.function_words.contains(&word.to_lowercase());
        let stem = self.stemmer.as_ref().map_or(0, |stemmer| java_hash(&stemmer.stem(&word)));
        let mut types = self.types.write();
        if let Some(id) = types.ids.get(token) {
            return *id;
        }
        let id = types.words.len() as u32;
        let number = |known: &mut FxHashMap<u32, u32>, hash: u32| {
            let next = known.len() as u32;
            *known.entry(hash).or_insert(next)
        };
        let key = number(&mut types.keys, java_hash(&word));
        let stem = number(&mut types.stems, stem);
        types.words.push(Word { key, stem, synsets, fold, function });
        types.ids.insert(token.into(), id);
        id
    }

    /// Finds every pair of words that a stage links.
    pub fn link(
        &self,
        hyp: &[u32],
        reference: &[u32],
        stage: Stage,
        number: usize,
        links: &mut Links,
    ) {
        let types = self.types.read();
        let word = |id: &u32| &types.words[*id as usize];
        let mut add = |at, place| links.push(Link::of_words(at, place, number));
        let key = |id: &u32| word(id).key;
        match stage {
            Stage::Exact => equal_pairs(hyp, reference, types.words.len(), key, add),
            Stage::Stem => equal_pairs(
                hyp,
                reference,
                types.words.len(),
                |id| word(id).stem,
                |at, place| {
                    if key(&hyp[place]) != key(&reference[at]) {
                        add(at, place);
                    }
                },
            ),
            Stage::Synonym => {
                let folds: Vec<u64> = hyp.iter().map(|id| word(id).fold).collect();
                for (at, sought) in reference.iter().enumerate() {
                    let wanted = word(sought);
                    for (place, fold) in folds.iter().enumerate() {
                        if fold & wanted.fold != 0
                            && key(&hyp[place]) != wanted.key
                            && share_a_set(word(&hyp[place]), wanted)
                        {
                            add(at, place);
                        }
                    }
                }
            }
            // Phrases are not the lexicon's.
            Stage::Paraphrase => {}
        }
    }

    /// Whether all words of two sentences are equal.
    pub fn are_equal(&self, hyp: &[u32], reference: &[u32]) -> bool {
        let types = self.types.read();
        let key = |id: &u32| types.words[*id as usize].key;
        hyp.len() == reference.len() && hyp.iter().map(key).eq(reference.iter().map(key))
    }

    /// Names the words of a text that blanks separate.
    pub fn words<'a>(&'a self, text: &'a str) -> impl Iterator<Item = u32> + 'a {
        text.split_ascii_whitespace().map(|word| {
            let known = self.types.read().ids.get(word.as_bytes()).copied();
            known.unwrap_or_else(|| self.learn(word.as_bytes()))
        })
    }

    /// Counts what the formula needs of one alignment.
    pub fn statistics(&self, hyp: &[u32], reference: &[u32], chosen: &[Link]) -> Statistics {
        let types = self.types.read();
        let is_function = |id: u32| types.words[id as usize].function;
        let count = |words: &[u32]| words.iter().filter(|id| is_function(**id)).count();
        Statistics::of(
            [hyp.len(), reference.len(), count(hyp), count(reference)],
            chosen,
            |place| is_function(hyp[place]),
            |place| is_function(reference[place]),
        )
    }
}

thread_local! {
    static PLACES: RefCell<Places> = RefCell::default();
}

/// For each name the first place in the output that bears it, for each place the next such; the
/// names of the output.
#[derive(Default)]
struct Places {
    first: Vec<u32>,
    next: Vec<u32>,
    names: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

/// Calls `found` for every pair of words with the same name, in order of the reference, then of
/// the output. Names are less than `names`.
fn equal_pairs(
    hyp: &[u32],
    reference: &[u32],
    names: usize,
    name: impl Fn(&u32) -> u32,
    mut found: impl FnMut(usize, usize),
) {
    PLACES.with_borrow_mut(|Places { first, next, names: hyp_names }| {
        if first.len() < names {
            first.resize(names, NOWHERE);
        }
        next.resize(hyp.len().max(next.len()), NOWHERE);
        hyp_names.clear();
        hyp_names.extend(hyp.iter().map(&name));
        for (place, name) in hyp_names.iter().enumerate().rev() {
            next[place] = std::mem::replace(&mut first[*name as usize], place as u32);
        }
        for (at, sought) in reference.iter().enumerate() {
            let mut place = first[name(sought) as usize];
            while place != NOWHERE {
                found(at, place as usize);
                place = next[place as usize];
            }
        }
        hyp_names.iter().for_each(|name| first[*name as usize] = NOWHERE);
    })
}

/// The hash of Java's strings.
fn java_hash(word: &str) -> u32 {
    word.encode_utf16().fold(0, |hash: u32, unit| hash.wrapping_mul(31).wrapping_add(unit.into()))
}

fn share_a_set(left: &Word, right: &Word) -> bool {
    let (mut here, mut there) = (left.synsets.iter().peekable(), right.synsets.iter().peekable());
    while let (Some(one), Some(other)) = (here.peek(), there.peek()) {
        match one.cmp(other) {
            std::cmp::Ordering::Less => here.next(),
            std::cmp::Ordering::Greater => there.next(),
            std::cmp::Ordering::Equal => return true,
        };
    }
    false
}
