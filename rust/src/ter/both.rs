//! The distance in the band, asked for only where the one in the whole matrix, which is never
//! more and takes a fraction of the time, leaves a doubt.

use super::band::Band;
use super::distance::{Distance, Rotation};
use super::path::Path;
use super::reference::Bits;
use super::whole::Whole;

pub struct Both<'a, const W: usize> {
    pub whole: Whole<'a, W>,
    pub band: Band<'a, Bits<'a>>,
}

impl<const W: usize> Distance for Both<'_, W> {
    fn align(&mut self, words: &[u32], from: usize) -> u32 {
        self.whole.align(words, from);
        self.band.align(words, from)
    }

    fn rotated(&self, words: &[u32], rotation: Rotation, limit: u32) -> u32 {
        let bound = self.whole.rotated(words, rotation, limit);
        if bound > limit { bound } else { self.band.rotated(words, rotation, limit) }
    }

    fn excess(&self) -> u32 {
        self.band.distance() - self.whole.distance()
    }

    fn trace(&self, words: &[u32], path: &mut Path) {
        self.band.trace(words, path);
    }

    fn window(&self, id: u32, first: usize) -> u64 {
        self.whole.window(id, first)
    }

    fn reference(&self) -> &[u32] {
        self.whole.reference()
    }
}
