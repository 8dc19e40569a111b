//! The hit map: which tokens of an output are equal to which tokens of its references.
//!
//! Each segment gets ids of its own: equal tokens of its references share one, and a token of the
//! output has the id of the reference token it equals, or `NONE`. That is all a kernel needs to
//! know of the words, it takes space in proportion to the text, and a bitset of equal positions
//! is made from it in a nanosecond or two a token.

use crate::edit::Words;
use crate::interrupt::{self, spend, with_scratch};
use crate::tokens::{Key, Sentence, Tokens};
use std::cell::Cell;

/// The id of an output token that stands in no reference.
pub const NONE: u32 = u32::MAX;

/// What finding a token takes, in units of `spend`.
const LOOK_UP: usize = 16;

/// The hit maps of a column of outputs against one or more columns of references.
pub struct Hits {
    ids: Vec<u32>,
    segments: Vec<Segment>,
    /// For each segment the end in `ids` of each reference, and whether it is there.
    references: Vec<Reference>,
    width: usize,
}

struct Segment {
    /// Where in `ids` the references begin, and where the output, which follows them, ends.
    start: usize,
    end: usize,
    types: u32,
}

struct Reference {
    end: usize,
    missing: bool,
}

/// One segment's hit map.
pub struct Pair<'a> {
    /// The ids of the output's tokens.
    pub output: &'a [u32],
    /// How many ids the references use.
    pub types: usize,
    ids: &'a [u32],
    start: usize,
    references: &'a [Reference],
}

impl Hits {
    pub fn new(output: &Tokens, references: &[&Tokens]) -> Self {
        let tokens = output.count() + references.iter().map(|refs| refs.count()).sum::<usize>();
        let mut hits = Hits {
            ids: Vec::with_capacity(tokens),
            segments: Vec::with_capacity(output.len()),
            references: Vec::with_capacity(output.len() * references.len()),
            width: references.len(),
        };
        with_scratch(&TABLE, |table| {
            for index in 0..output.len() {
                hits.segment(table, output, references, index);
            }
        });
        hits
    }

    pub fn len(&self) -> usize {
        self.segments.len()
    }

    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// How many tokens the outputs and references have together.
    pub fn words(&self) -> usize {
        self.ids.len()
    }

    /// The largest number of references that a segment can have.
    pub fn width(&self) -> usize {
        self.width
    }

    pub fn get(&self, index: usize) -> Pair<'_> {
        let segment = &self.segments[index];
        let references = &self.references[index * self.width..][..self.width];
        let references_end = references.last().map_or(segment.start, |last| last.end);
        Pair {
            output: &self.ids[references_end..segment.end],
            types: segment.types as usize,
            ids: &self.ids,
            start: segment.start,
            references,
        }
    }

    fn segment(
        &mut self,
        table: &mut Table,
        output: &Tokens,
        references: &[&Tokens],
        index: usize,
    ) {
        let start = self.ids.len();
        let sentences = references.iter().map(|reference| reference.get(index));
        table.clear(sentences.clone().flatten().map(|sentence| sentence.len()).sum());
        for sentence in sentences {
            if let Some(sentence) = sentence {
                spend(LOOK_UP * sentence.len());
                table.learn(sentence, &mut self.ids);
            }
            let missing = sentence.is_none();
            self.references.push(Reference { end: self.ids.len(), missing });
        }
        if let Some(sentence) = output.get(index) {
            spend(LOOK_UP * sentence.len());
            table.look_up(sentence, &mut self.ids);
        }
        self.segments.push(Segment { start, end: self.ids.len(), types: table.types() });
    }
}

impl<'a> Pair<'a> {
    /// The ids of each reference that is there.
    pub fn references(&self) -> impl Iterator<Item = &'a [u32]> + Clone + use<'a> {
        let (ids, mut start) = (self.ids, self.start);
        self.references.iter().filter_map(move |reference| {
            let tokens = &ids[start..reference.end];
            start = reference.end;
            (!reference.missing).then_some(tokens)
        })
    }

    /// The output's words and those of each reference that is there.
    pub fn words(&self) -> impl Iterator<Item = Words<'a>> + use<'a> {
        let (output, types) = (self.output, self.types);
        self.references().map(move |reference| Words { output, reference, types })
    }

    /// The mean length of the references that are there.
    pub fn mean_length(&self) -> f64 {
        let words: usize = self.references().map(<[u32]>::len).sum();
        words as f64 / self.references().count().max(1) as f64
    }

    /// The same output with each reference that is there on its own.
    pub fn singly(&self) -> impl Iterator<Item = Pair<'a>> + use<'a> {
        let (output, types, ids, mut start) = (self.output, self.types, self.ids, self.start);
        self.references.iter().filter_map(move |reference| {
            let references = std::slice::from_ref(reference);
            let alone = Pair { output, types, ids, start, references };
            start = reference.end;
            (!reference.missing).then_some(alone)
        })
    }
}

/// Names the tokens of all segments together, equal ones alike, from 1 on: the ids, where each
/// segment's end, and how many different ones there are. A missing segment is like an empty one.
pub fn name_all(tokens: &Tokens) -> (Vec<u32>, Vec<usize>, usize) {
    with_scratch(&TABLE, |table| {
        table.clear(tokens.count());
        let mut ids = Vec::with_capacity(tokens.count());
        let mut ends = Vec::with_capacity(tokens.len());
        for index in 0..tokens.len() {
            if let Some(sentence) = tokens.get(index) {
                spend(LOOK_UP * sentence.len());
                table.learn(sentence, &mut ids);
            }
            ends.push(ids.len());
        }
        ids.iter_mut().for_each(|id| *id += 1);
        (ids, ends, table.types() as usize)
    })
}

/// An open-addressed table of one segment's reference tokens.
#[derive(Default)]
pub struct Table {
    slots: Vec<Slot>,
    shift: u32,
    /// Every segment's ids are named by numbers of their own, from `first` to below `next`, so
    /// that a slot which an earlier segment left behind is known by its name.
    first: u32,
    next: u32,
    /// The bytes of the long tokens, and where each id's stand in them.
    bytes: Vec<u8>,
    long: Vec<(usize, usize)>,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    key: Key,
    name: u32,
}

thread_local! {
    static TABLE: interrupt::Scratch<Table> = const { Cell::new(None) };
}

impl Table {
    /// Makes room for `tokens` different tokens and forgets the last segment's.
    pub fn clear(&mut self, tokens: usize) {
        // So roomy because two tokens in one place cost a wrong guess, and room nothing.
        let capacity = (4 * tokens).next_power_of_two().max(256);
        let names_left = (u32::MAX - self.next) as usize;
        if capacity > self.slots.len() || tokens >= names_left {
            self.slots.clear();
            interrupt::grow(&mut self.slots, capacity, Slot::default());
            self.next = 1;
        }
        self.shift = 64 - capacity.trailing_zeros();
        self.first = self.next;
        self.long.clear();
        self.bytes.clear();
    }

    fn types(&self) -> u32 {
        self.next - self.first
    }

    /// Appends the ids of a reference's tokens, new ones for new tokens.
    pub fn learn(&mut self, sentence: Sentence<'_>, ids: &mut Vec<u32>) {
        ids.extend(sentence.keys().enumerate().map(|(index, key)| {
            let at = self.seek(key, sentence, index);
            let slot = &mut self.slots[at];
            let new = slot.name < self.first;
            // Whether a word is new is hard to foresee, so no step depends on it: this is
            // `if new { self.next } else { slot.name }`, and the slot is written in any case.
            let name = slot.name ^ ((slot.name ^ self.next) & (new as u32).wrapping_neg());
            *slot = Slot { key, name };
            self.next += new as u32;
            if key.is_long() && new {
                self.keep(name, sentence.token(index));
            }
            name - self.first
        }));
    }

    /// Gives ids to words that all differ, to each the next one. There must be none yet.
    /// Their bytes are asked for where the key does not hold them all.
    pub fn learn_all<'a, Bytes>(&mut self, words: impl Iterator<Item = (Key, Bytes)>)
    where
        Bytes: FnOnce() -> &'a [u8],
    {
        let mask = (1usize << (64 - self.shift)) - 1;
        for (key, bytes) in words {
            let mut at = (key.hash() >> self.shift) as usize;
            while self.slots[at].name >= self.first {
                at = (at + 1) & mask;
            }
            let name = self.next;
            self.slots[at] = Slot { key, name };
            self.next += 1;
            if key.is_long() {
                self.keep(name, bytes());
            }
        }
    }

    /// Appends the ids of an output's tokens, `NONE` for those of no reference.
    pub fn look_up(&self, sentence: Sentence<'_>, ids: &mut Vec<u32>) {
        ids.extend(sentence.keys().enumerate().map(|(index, key)| {
            let slot = &self.slots[self.seek(key, sentence, index)];
            if slot.name < self.first { NONE } else { slot.name - self.first }
        }));
    }

    /// The slot that holds the token, or the free one where it belongs.
    #[inline(always)]
    fn seek(&self, key: Key, sentence: Sentence<'_>, index: usize) -> usize {
        let mask = (1usize << (64 - self.shift)) - 1;
        let mut at = (key.hash() >> self.shift) as usize;
        loop {
            let slot = &self.slots[at];
            // Zero for a free slot. Joined by `min`, not by `||`, because which of the two ends
            // the search is hard to foresee, and that one of them does is not.
            let taken = slot.name.saturating_sub(self.first - 1);
            if key.difference(slot.key).min(taken as u64) == 0
                && (!key.is_long() || self.is(slot, sentence.token(index)))
            {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    /// Whether a slot whose key fits a long token is free or holds that very token.
    #[cold]
    fn is(&self, slot: &Slot, token: &[u8]) -> bool {
        slot.name < self.first || {
            let (start, end) = self.long[(slot.name - self.first) as usize];
            &self.bytes[start..end] == token
        }
    }

    #[cold]
    fn keep(&mut self, name: u32, token: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(token);
        self.long.resize(self.types() as usize, (0, 0));
        self.long[(name - self.first) as usize] = (start, self.bytes.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(sentences: &[Option<&str>]) -> Tokens {
        let mut builder = Tokens::builder(0, 0);
        for sentence in sentences {
            match sentence {
                Some(words) => builder.sentence(words.split_whitespace()),
                None => builder.missing(),
            }
        }
        builder.finish()
    }

    #[test]
    fn equal_tokens_share_an_id() {
        let output = tokens(&[Some("b x a b"), Some("a")]);
        let first = tokens(&[Some("a b a"), None]);
        let second = tokens(&[Some("c b"), Some("")]);
        let hits = Hits::new(&output, &[&first, &second]);
        let pair = hits.get(0);
        assert_eq!(pair.output, [1, NONE, 0, 1]);
        assert_eq!(pair.references().collect::<Vec<_>>(), [&[0, 1, 0][..], &[2, 1][..]]);
        assert_eq!(pair.types, 3);
        let singly = pair.singly().map(|pair| pair.references().collect::<Vec<_>>());
        assert_eq!(singly.collect::<Vec<_>>(), [[&[0, 1, 0][..]], [&[2, 1][..]]]);
        let pair = hits.get(1);
        assert_eq!(pair.output, [NONE]);
        assert_eq!(pair.references().collect::<Vec<_>>(), [&[] as &[u32]]);
        assert_eq!(pair.singly().count(), 1);
    }

    #[test]
    fn long_tokens_that_begin_alike_differ() {
        let output = tokens(&[Some("abcdefghijklmnopX abcdefghijklmnopY abcdefghijklmnop a\0")]);
        let reference = tokens(&[Some("abcdefghijklmnopY a")]);
        let hits = Hits::new(&output, &[&reference]);
        assert_eq!(hits.get(0).output, [NONE, 0, NONE, NONE]);
    }

    #[test]
    fn names_begin_anew_before_they_run_out() {
        let sentences = tokens(&[Some("a b"), Some("a c")]);
        let mut table = Table::default();
        table.clear(2);
        table.next = u32::MAX - 2;
        for (index, expected) in [[0, 1], [0, 1]].iter().enumerate() {
            let mut ids = Vec::new();
            table.clear(2);
            table.learn(sentences.get(index).unwrap(), &mut ids);
            table.look_up(sentences.get(0).unwrap(), &mut ids);
            assert_eq!(ids[..2], *expected);
            assert_eq!(ids[2..], [[0, 1], [0, NONE]][index]);
        }
    }
}
