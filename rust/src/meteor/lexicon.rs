//! What is known of each word type: its stem, its synonym sets, whether it is a function word.

use super::Stage;
use super::links::{Link, Links};
use super::paraphrases::{Paraphrases, UNLISTED};
use super::score::Statistics;
use super::stemmer::FormerStemmer;
use super::wordnet::WordNet;
use crate::fork_lock::ForkLock;
use crate::interrupt::{self, Meter, spend, with_scratch};
use crate::tokens::Tokens;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;

/// What learning a word, linking a pair, and a synonym set of a word take in units of `spend`.
const LEARNING: usize = 1000;
const LINKING: usize = 8;
const SET: usize = 4;

/// Units for which a lock may be held.
const SHORT_WHILE: usize = 1 << 18;

pub struct Lexicon {
    stemmer: Option<FormerStemmer>,
    wordnet: Option<WordNet>,
    function_words: FxHashSet<String>,
    paraphrases: Option<Paraphrases>,
    types: ForkLock<Types>,
}

#[derive(Default)]
struct Types {
    ids: FxHashMap<Box<[u8]>, u32>,
    keys: FxHashMap<u32, u32>,
    stems: FxHashMap<u32, u32>,
    sets: FxHashMap<u32, u32>,
    words: Vec<Word>,
}

/// METEOR takes words, and stems, for equal if their hashes are: a few unequal ones are, too.
struct Word {
    key: u32,
    stem: u32,
    synsets: Vec<u32>,
    function: bool,
    /// The id of the paraphrase table.
    listed: u32,
}

impl Lexicon {
    pub fn new(
        stemmer: Option<FormerStemmer>,
        wordnet: Option<WordNet>,
        function_words: FxHashSet<String>,
        paraphrases: Option<Paraphrases>,
    ) -> Self {
        Lexicon { stemmer, wordnet, function_words, paraphrases, types: ForkLock::default() }
    }

    /// Names the words of a segment, learning those that are new; false if it is missing.
    pub fn name(&self, tokens: &Tokens, index: usize, ids: &mut Vec<u32>) -> bool {
        ids.clear();
        let sentence = tokens.get(index);
        let mut types = self.types.read();
        for word in sentence.iter().flat_map(|sentence| sentence.iter()) {
            if let Some(id) = types.ids.get(word) {
                ids.push(*id);
                continue;
            }
            drop(types);
            spend(LEARNING);
            ids.push(self.learn(word));
            types = self.types.read();
        }
        sentence.is_some()
    }

    fn learn(&self, token: &[u8]) -> u32 {
        let word = String::from_utf8_lossy(token);
        let synsets = self.wordnet.as_ref().map_or(Vec::new(), |wordnet| wordnet.synsets(&word));
        let function = self.function_words.contains(&word.to_lowercase());
        let stem = self.stemmer.as_ref().map_or(0, |stemmer| java_hash(&stemmer.stem(&word)));
        let listed = self.paraphrases.as_ref().map_or(UNLISTED, |table| table.id(token));
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
        let sets = &mut types.sets;
        let synsets = synsets.into_iter().map(|set| number(sets, set)).collect();
        types.words.push(Word { key, stem, synsets, function, listed });
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
        let mut add = |at, place| links.push(Link::of_words(at, place, number));
        match stage {
            Stage::Exact => with_scratch(&PLACES, |places| {
                places.name(&self.types.read(), hyp, reference, |word| word.key);
                places.each_pair(|_, _| true, &mut add);
            }),
            Stage::Stem => with_scratch(&PLACES, |places| {
                places.name(&self.types.read(), hyp, reference, |word| word.stem);
                places.each_pair(|one, other| one != other, &mut add);
            }),
            Stage::Synonym => with_scratch(&SYNONYM_SETS, |sets| {
                self.link_synonyms(hyp, reference, sets, &mut add);
            }),
            Stage::Paraphrase => self.link_paraphrases(hyp, reference, number, links),
        }
    }

    fn link_synonyms(
        &self,
        hyp: &[u32],
        reference: &[u32],
        sets: &mut SynonymSets,
        mut add: impl FnMut(usize, usize),
    ) {
        let types = self.types.read();
        sets.last.resize(types.sets.len(), NOWHERE);
        sets.enter(hyp.iter().map(|id| &types.words[*id as usize]));
        drop(types);
        // The lock is given back now and then: no kernel stops while it holds one.
        let rows = (SHORT_WHILE / hyp.len().max(1)).max(1);
        for (block, sought) in reference.chunks(rows).enumerate() {
            spend(SET * sets.entries.len());
            let types = self.types.read();
            for (at, id) in sought.iter().enumerate() {
                let wanted = &types.words[*id as usize];
                sets.each_place(wanted, |place| {
                    if types.words[hyp[place] as usize].key != wanted.key {
                        add(block * rows + at, place);
                    }
                });
            }
        }
        let types = self.types.read();
        sets.leave(hyp.iter().map(|id| &types.words[*id as usize]));
    }

    fn link_paraphrases(&self, hyp: &[u32], reference: &[u32], number: usize, links: &mut Links) {
        let Some(table) = &self.paraphrases else { return };
        let ids = |words: &[u32]| -> Vec<u32> {
            let types = self.types.read();
            words.iter().map(|id| types.words[*id as usize].listed).collect()
        };
        table.link(&ids(hyp), &ids(reference), number, links);
    }

    /// Whether all words of two sentences are equal.
    pub fn are_equal(&self, hyp: &[u32], reference: &[u32]) -> bool {
        let types = self.types.read();
        let key = |id: &u32| types.words[*id as usize].key;
        hyp.len() == reference.len() && hyp.iter().map(key).eq(reference.iter().map(key))
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
    static PLACES: interrupt::Scratch<Places> = const { Cell::new(None) };
    static SYNONYM_SETS: interrupt::Scratch<SynonymSets> = const { Cell::new(None) };
}

/// For each name the first place in the output that bears it, for each place the next such; the
/// names of both sides, and their keys.
#[derive(Default)]
struct Places {
    first: Vec<u32>,
    next: Vec<u32>,
    hyp: Vec<u32>,
    reference: Vec<u32>,
    hyp_keys: Vec<u32>,
    reference_keys: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

impl Places {
    /// Names the words of both sides.
    fn name(
        &mut self,
        types: &Types,
        hyp: &[u32],
        reference: &[u32],
        name: impl Fn(&Word) -> u32 + Copy,
    ) {
        let words = &types.words;
        let fill = |names: &mut Vec<u32>, keys: &mut Vec<u32>, ids: &[u32]| {
            names.clear();
            names.extend(ids.iter().map(|id| name(&words[*id as usize])));
            keys.clear();
            keys.extend(ids.iter().map(|id| words[*id as usize].key));
        };
        fill(&mut self.hyp, &mut self.hyp_keys, hyp);
        fill(&mut self.reference, &mut self.reference_keys, reference);
        self.first.resize(self.first.len().max(words.len()), NOWHERE);
        self.next.resize(self.next.len().max(hyp.len()), NOWHERE);
    }

    /// Calls `add` for every pair of words with the same name whose keys will do, in order of the
    /// reference, then of the output.
    fn each_pair(&mut self, will_do: impl Fn(u32, u32) -> bool, mut add: impl FnMut(usize, usize)) {
        let Places { first, next, hyp, reference, hyp_keys, reference_keys } = self;
        for (place, name) in hyp.iter().enumerate().rev() {
            next[place] = std::mem::replace(&mut first[*name as usize], place as u32);
        }
        let mut meter = Meter::default();
        for (at, name) in reference.iter().enumerate() {
            let mut place = first[*name as usize];
            while place != NOWHERE {
                meter.spend(LINKING);
                if will_do(hyp_keys[place as usize], reference_keys[at]) {
                    add(at, place as usize);
                }
                place = next[place as usize];
            }
        }
        hyp.iter().for_each(|name| first[*name as usize] = NOWHERE);
    }
}

/// The places in the output of each synonym set, as chains.
#[derive(Default)]
struct SynonymSets {
    /// For each set its last entry.
    last: Vec<u32>,
    /// A place, and the entry of the same set before it.
    entries: Vec<(u32, u32)>,
    /// A bit for each place; none is set in between.
    marked: Vec<u64>,
}

impl SynonymSets {
    fn enter<'a>(&mut self, words: impl Iterator<Item = &'a Word>) {
        self.entries.clear();
        let mut count = 0;
        for (place, word) in (0..).zip(words) {
            for set in &word.synsets {
                let last = &mut self.last[*set as usize];
                self.entries.push((place, *last));
                *last = self.entries.len() as u32 - 1;
            }
            count = place as usize + 1;
        }
        self.marked.resize(count.div_ceil(64), 0);
    }

    /// Calls `visit` for each place with a word that shares a set with this one, in order.
    fn each_place(&mut self, word: &Word, mut visit: impl FnMut(usize)) {
        let mut any = false;
        for set in &word.synsets {
            let mut entry = self.last.get(*set as usize).copied().unwrap_or(NOWHERE);
            while let Some((place, before)) = self.entries.get(entry as usize) {
                self.marked[*place as usize / 64] |= 1 << (place % 64);
                entry = *before;
                any = true;
            }
        }
        if any {
            for (word, bits) in self.marked.iter_mut().enumerate() {
                while *bits != 0 {
                    visit(64 * word + bits.trailing_zeros() as usize);
                    *bits &= *bits - 1;
                }
            }
        }
    }

    fn leave<'a>(&mut self, words: impl Iterator<Item = &'a Word>) {
        let sets = words.flat_map(|word| &word.synsets);
        sets.for_each(|set| self.last[*set as usize] = NOWHERE);
    }
}

/// The hash of Java's strings.
fn java_hash(word: &str) -> u32 {
    word.encode_utf16().fold(0, |hash: u32, unit| hash.wrapping_mul(31).wrapping_add(unit.into()))
}
