//! What the search for shifts asks of an edit distance.

use super::path::Path;

/// Two neighbouring blocks of an output that change places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rotation {
    pub start: usize,
    pub middle: usize,
    pub end: usize,
}

pub trait Distance {
    /// Compares these words with the reference; the words before `from` are as they were.
    fn align(&mut self, words: &[u32], from: usize) -> u32;

    /// The distance after a rotation of the words last aligned, exact up to `limit`: if it is
    /// more than that, anything more than that.
    fn rotated(&self, words: &[u32], rotation: Rotation, limit: u32) -> u32;

    /// How far the distance of the words last aligned can be above the true one, which a
    /// distance that does not look everywhere may miss.
    fn excess(&self) -> u32;

    /// The way that the words last aligned go.
    fn trace(&self, words: &[u32], path: &mut Path);

    /// Which of the 64 places of the reference from `first` on hold the word.
    fn window(&self, id: u32, first: usize) -> u64;

    fn reference(&self) -> &[u32];
}

impl Rotation {
    pub fn is_nothing(self) -> bool {
        self.start == self.middle || self.middle == self.end
    }

    /// By how much the true distance can sink: the shorter block is taken out and put in again.
    pub fn most(self) -> u32 {
        2 * (self.middle - self.start).min(self.end - self.middle) as u32
    }

    pub fn apply<T>(self, words: &mut [T]) {
        words[self.start..self.end].rotate_left(self.middle - self.start);
    }
}
