//! The words of a whole corpus, numbered in order of appearance.

use crate::tokens::{Key, Sentence};

/// Made only where word types matter: numbering a corpus costs more than scoring it.
#[derive(Clone)]
pub struct Vocabulary {
    slots: Vec<Slot>,
    /// The key of each word.
    keys: Vec<Key>,
    bytes: Vec<u8>,
    /// Where in `bytes` each word ends.
    ends: Vec<usize>,
}

#[derive(Clone, Copy)]
struct Slot {
    key: Key,
    /// `FREE` where there is no word.
    id: u32,
}

const FREE: u32 = u32::MAX;

impl Default for Vocabulary {
    fn default() -> Self {
        Vocabulary {
            slots: free_slots(1024),
            keys: Vec::new(),
            bytes: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl Vocabulary {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn word(&self, id: u32) -> &[u8] {
        let start = if id == 0 { 0 } else { self.ends[id as usize - 1] };
        &self.bytes[start..self.ends[id as usize]]
    }

    pub fn key(&self, id: u32) -> Key {
        self.keys[id as usize]
    }

    /// Looks at the places of these tokens, all at a time, so that they are at hand when each is
    /// inserted or found: in a large table one waits for the memory, not for the work.
    pub fn prefetch(&self, sentence: Sentence<'_>, tokens: &[usize]) {
        let look = |at: &usize| self.slots[home(sentence.key(*at), self.slots.len())].id;
        std::hint::black_box(tokens.iter().fold(0, |seen, at| seen ^ look(at)));
    }

    /// The token's number, a new one if it has none.
    pub fn insert(&mut self, sentence: Sentence<'_>, index: usize) -> u32 {
        let key = sentence.key(index);
        let at = self.seek(key, || sentence.token(index));
        if self.slots[at].id != FREE {
            return self.slots[at].id;
        }
        let id = self.ends.len() as u32;
        self.slots[at] = Slot { key, id };
        self.keys.push(key);
        self.bytes.extend_from_slice(sentence.token(index));
        self.ends.push(self.bytes.len());
        if 2 * self.ends.len() > self.slots.len() {
            self.grow();
        }
        id
    }

    pub fn find(&self, sentence: Sentence<'_>, index: usize) -> Option<u32> {
        let id = self.slots[self.seek(sentence.key(index), || sentence.token(index))].id;
        (id != FREE).then_some(id)
    }

    /// The slot that holds the word, or the free one where it belongs.
    fn seek<'a>(&self, key: Key, word: impl Fn() -> &'a [u8]) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = home(key, self.slots.len());
        loop {
            let slot = self.slots[at];
            let same = || {
                slot.key.difference(key) == 0 && (!key.is_long() || self.word(slot.id) == word())
            };
            if slot.id == FREE || same() {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let mask = 2 * self.slots.len() - 1;
        let old = std::mem::replace(&mut self.slots, free_slots(mask + 1));
        for slot in old.into_iter().filter(|slot| slot.id != FREE) {
            let mut at = home(slot.key, mask + 1);
            while self.slots[at].id != FREE {
                at = (at + 1) & mask;
            }
            self.slots[at] = slot;
        }
    }
}

/// The first slot to look into: the upper bits of the hash are the good ones.
fn home(key: Key, slots: usize) -> usize {
    (key.hash() >> (64 - slots.trailing_zeros())) as usize
}

fn free_slots(count: usize) -> Vec<Slot> {
    vec![Slot { key: Key::default(), id: FREE }; count]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::Tokens;

    #[test]
    fn words_keep_their_numbers() {
        let words: Vec<String> =
            (0..5000).map(|at| format!("{}{at}", "long".repeat(at % 7))).collect();
        let mut builder = Tokens::builder(0, 0);
        builder.sentence(words.iter());
        builder.sentence(["", "none", "longlonglonglonglong"].iter());
        let tokens = builder.finish();
        let (known, unknown) = (tokens.get(0).unwrap(), tokens.get(1).unwrap());
        let mut vocabulary = Vocabulary::default();
        for round in 0..2 {
            for at in 0..words.len() {
                assert_eq!(vocabulary.insert(known, at), at as u32, "round {round}");
            }
        }
        assert!((0..words.len()).all(|at| vocabulary.find(known, at) == Some(at as u32)));
        assert!((0..3).all(|at| vocabulary.find(unknown, at).is_none()));
        assert_eq!(vocabulary.insert(unknown, 0), 5000);
        assert_eq!(vocabulary.word(5000), b"");
        assert_eq!(vocabulary.word(7), words[7].as_bytes());
    }
}
