//! Random numbers and texts for tests, the same in every run.

use crate::hits::Hits;
use crate::tokens::Tokens;

pub struct Random(pub u32);

impl Random {
    pub fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1664525).wrapping_add(1013904223);
        (self.0 >> 16) % limit
    }

    pub fn sentence(&mut self, longest: u32, types: u32) -> Vec<u32> {
        (0..self.below(longest + 1)).map(|_| self.below(types)).collect()
    }
}

/// Tokens of a text in which each line is a segment and blanks separate words.
pub fn tokens(segments: &[&str]) -> Tokens {
    let mut builder = Tokens::builder(0, 0);
    segments.iter().for_each(|segment| builder.sentence(segment.split_whitespace()));
    builder.finish()
}

/// The hit map of one segment, with numbers for words.
pub fn hits(output: &[u32], references: &[Vec<u32>]) -> Hits {
    let tokens = |words: &[u32]| {
        let mut builder = Tokens::builder(1, 0);
        builder.sentence(words.iter().map(|word| word.to_le_bytes()));
        builder.finish()
    };
    let references: Vec<Tokens> = references.iter().map(|words| tokens(words)).collect();
    Hits::new(&tokens(output), &references.iter().collect::<Vec<_>>())
}
