//! The hit map: which tokens of an output are equal to which tokens of its references.
//!
//! Each segment gets ids of its own: equal tokens of its references share one, and a token of the
//! output has the id of the reference token it equals, or `NONE`. That is all a kernel needs to
//! know of the words, it takes space in proportion to the text, and a bitset of equal positions
//! is made from it in a nanosecond or two a token.

use crate::tokens::{Key, Sentence, Tokens};
use std::cell::RefCell;

/// The id of an output token that stands in no reference.
pub const NONE: u32 = u32::MAX;

/// The hit maps of a column of outputs against one or more columns of references.
pub struct Hits {
    ids: Vec<u32>,
    segments: Vec<Segment>,
    /// For each segment the end in `ids` of each reference, and whether it is there.
    references: Vec<Reference>,
    width: usize,
}

struct Segment {
    start: usize,
    output_end: usize,
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
        TABLE.with_borrow_mut(|table| {
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

    /// The largest number of references that a segment can have.
    pub fn width(&self) -> usize {
        self.width
    }

    pub fn get(&self, index: usize) -> Pair<'_> {
        let segment = &self.segments[index];
        Pair {
            output: &self.ids[segment.start..segment.output_end],
            types: segment.types as usize,
            ids: &self.ids,
            start: segment.output_end,
            references: &self.references[index * self.width..][..self.width],
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
        let output = output.get(index);
        let output_end = start + output.map_or(0, |sentence| sentence.len());
        self.ids.resize(output_end, NONE);
        let sentences = references.iter().map(|reference| reference.get(index));
        table.clear(sentences.clone().flatten().map(|sentence| sentence.len()).sum());
        for sentence in sentences {
            if let Some(sentence) = sentence {
                self.ids.extend((0..sentence.len()).map(|at| table.insert(sentence, at)));
            }
            let missing = sentence.is_none();
            self.references.push(Reference { end: self.ids.len(), missing });
        }
        if let Some(sentence) = output {
            for (at, id) in self.ids[start..output_end].iter_mut().enumerate() {
                *id = table.find(sentence, at);
            }
        }
        self.segments.push(Segment { start, output_end, types: table.types });
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

/// An open-addressed table of one segment's reference tokens.
#[derive(Default)]
struct Table {
    slots: Vec<Slot>,
    /// Where in `bytes` each id's token stands if it is a long one.
    long: Vec<(usize, usize)>,
    bytes: Vec<u8>,
    shift: u32,
    stamp: u32,
    types: u32,
}

#[derive(Clone, Copy)]
struct Slot {
    key: Key,
    stamp: u32,
    id: u32,
}

thread_local! {
    static TABLE: RefCell<Table> = RefCell::default();
}

impl Table {
    /// Makes room for `tokens` different tokens and forgets the last segment's.
    fn clear(&mut self, tokens: usize) {
        let capacity = (2 * tokens).next_power_of_two().max(64);
        if capacity > self.slots.len() {
            self.slots = vec![Slot { key: Key::default(), stamp: 0, id: 0 }; capacity];
            self.stamp = 0;
        }
        self.shift = 64 - capacity.trailing_zeros();
        self.types = 0;
        self.long.clear();
        self.bytes.clear();
        self.stamp = match self.stamp.checked_add(1) {
            Some(next) => next,
            None => {
                self.slots.iter_mut().for_each(|slot| slot.stamp = 0);
                1
            }
        };
    }

    #[inline(always)]
    fn insert(&mut self, sentence: Sentence<'_>, index: usize) -> u32 {
        let key = sentence.key(index);
        let at = self.seek(sentence, index, key);
        let slot = &mut self.slots[at];
        // Written in any case: whether a word is new is hard to foresee, a store costs nothing.
        let new = slot.stamp != self.stamp;
        let id = if new { self.types } else { slot.id };
        *slot = Slot { key, stamp: self.stamp, id };
        self.types += new as u32;
        if new && key.is_long() {
            let start = self.bytes.len();
            self.bytes.extend_from_slice(sentence.token(index));
            self.long.resize(self.types as usize, (0, 0));
            self.long[id as usize] = (start, self.bytes.len());
        }
        id
    }

    #[inline(always)]
    fn find(&self, sentence: Sentence<'_>, index: usize) -> u32 {
        let slot = &self.slots[self.seek(sentence, index, sentence.key(index))];
        if slot.stamp == self.stamp { slot.id } else { NONE }
    }

    /// The slot that holds the token, or the free one where it belongs.
    #[inline(always)]
    fn seek(&self, sentence: Sentence<'_>, index: usize, key: Key) -> usize {
        let mask = (1usize << (64 - self.shift)) - 1;
        let mut at = (key.hash() >> self.shift) as usize;
        loop {
            let slot = &self.slots[at];
            if (slot.stamp != self.stamp) | (slot.key == key) {
                let settled = !key.is_long() || slot.stamp != self.stamp;
                if settled || self.token(slot.id) == sentence.token(index) {
                    return at;
                }
            }
            at = (at + 1) & mask;
        }
    }

    fn token(&self, id: u32) -> &[u8] {
        let (start, end) = self.long[id as usize];
        &self.bytes[start..end]
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
}
