//! Inputs made of bytes, as a fuzzer gives them or a generator of random numbers.

use _core::hits::Hits;
use _core::tokens::Tokens;

/// Characters of many kinds, with `|` between them.
const PIECES: &str = " |a|B|.|,|1|-|\u{a0}|\u{3000}|中|é|e\u{301}|&amp;|&lt;skipped&gt;|<skipped>|\
    -\n|\t|'|\"|ß|𠀀|\u{2028}|İ|👩‍👧";

/// Bytes that decide what an input is like; zeros when there are no more.
pub struct Source<'a>(pub &'a [u8]);

impl Source<'_> {
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    pub fn below(&mut self, limit: usize) -> usize {
        let number = usize::from(self.byte());
        let number = if limit > 256 { number << 8 | usize::from(self.byte()) } else { number };
        number % limit
    }

    /// Up to so many words of so many types.
    pub fn words(&mut self, longest: usize, types: usize) -> Vec<u32> {
        (0..self.below(longest + 1)).map(|_| self.below(types) as u32).collect()
    }

    /// Some characters of many kinds.
    pub fn text(&mut self) -> String {
        let pieces: Vec<&str> = PIECES.split('|').collect();
        let mut text = String::new();
        for _ in 0..self.below(90) {
            match self.below(pieces.len() + 2) {
                0 => text.push(char::from_u32(self.below(65536) as u32 * 17).unwrap_or('x')),
                1 => text.push(char::from(self.byte() & 0x7f)),
                kind => text.push_str(pieces[kind - 2]),
            }
        }
        text
    }
}

/// Numbers that look random, the same for the same seed.
pub fn random_bytes(seed: u64, count: usize) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as u8
    };
    (0..count).map(|_| next()).collect()
}

/// Outputs with their references.
pub struct Input {
    pub segments: Vec<(Vec<u32>, Vec<Vec<u32>>)>,
    pub number: usize,
}

impl Input {
    pub fn new(source: &mut Source<'_>) -> Self {
        let (types, longest) = (1 + source.below(40), [4, 12, 70, 140, 300][source.below(5)]);
        let references = 1 + source.below(3);
        let mut segment = || {
            let first = source.words(longest, types);
            // Mostly alike, as texts are that are compared.
            let mut others = vec![first.clone(); references];
            for words in &mut others {
                for _ in 0..source.below(6) {
                    let at = source.below(words.len() + 1);
                    match source.below(3) {
                        0 => words.insert(at, source.below(types) as u32),
                        1 => words.truncate(at.max(words.len() / 2)),
                        _ => words[..].rotate_left(at),
                    }
                }
            }
            (first, others)
        };
        let segments = vec![segment(), segment()];
        Input { segments, number: source.below(12) }
    }

    pub fn output(&self) -> Tokens {
        column(self.segments.iter().map(|segment| &segment.0))
    }

    pub fn references(&self) -> Vec<Tokens> {
        let count = self.segments[0].1.len();
        (0..count).map(|at| column(self.segments.iter().map(|segment| &segment.1[at]))).collect()
    }

    pub fn hits(&self) -> Hits {
        let references = self.references();
        Hits::new(&self.output(), &references.iter().collect::<Vec<_>>())
    }
}

/// A word of this id; some are longer than what a key holds of a word.
pub fn word(id: u32) -> String {
    let letter = char::from(b'a' + (id % 26) as u8);
    if id % 5 == 4 {
        format!("abcdefghijklmnopq{id}{letter}")
    } else {
        format!("{letter}{}", id / 26)
    }
}

pub fn column<'a>(sentences: impl Iterator<Item = &'a Vec<u32>>) -> Tokens {
    let mut builder = Tokens::builder(0, 0);
    for words in sentences {
        builder.sentence(words.iter().map(|id| word(*id)));
    }
    builder.finish()
}

pub fn tokens(words: &[u32]) -> Tokens {
    column([words.to_vec()].iter())
}

pub fn text(words: &[u32]) -> String {
    words.iter().map(|id| word(*id)).collect::<Vec<_>>().join(" ")
}
