//! The search: shift words, the best shift first, until no shift lowers the distance any more.

use super::band::{self, Band};
use super::beam::Beam;
use super::both::Both;
use super::distance::Distance;
use super::path::Path;
use super::plain::Plain;
use super::reference::{Places, WIDEST, Window};
use super::shifts::{Shifts, Style};
use super::whole::{self, Whole};
use crate::hits::NONE;

/// sacreBLEU leaves a segment as it is once it has tried this many shifts.
const ENOUGH: usize = 1000;

/// The edits that turn an output into one of its references.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Edits {
    pub insertions: u32,
    pub deletions: u32,
    pub substitutions: u32,
    pub shifts: u32,
}

impl Edits {
    pub fn sum(self) -> u32 {
        self.insertions + self.deletions + self.substitutions + self.shifts
    }
}

/// What the search works on, and room that is used again for the next segment.
#[derive(Default)]
pub struct Search {
    /// The output, in the order that the shifts have given it; a word that is in no reference has
    /// an id behind the reference's.
    pub words: Vec<u32>,
    /// The reference, and how many ids it has.
    pub reference: Vec<u32>,
    pub types: usize,
    pub path: Path,
    made: u32,
    counts: Vec<u32>,
    /// For each id of the segment the reference's own, or none; all none in between.
    names: Vec<u32>,
    shifts: Shifts,
    places: Places,
    band: band::BandRows,
    one_word: whole::MatrixRows<1>,
    two_words: whole::MatrixRows<2>,
}

impl Search {
    /// Takes the words of both sides, with ids that only this reference's words have: the
    /// references of a segment together may have so many that each would pay for all others.
    pub fn name(&mut self, output: &[u32], reference: &[u32], types: usize) {
        let Search { names, words, reference: ours, types: own, .. } = self;
        names.resize(names.len().max(types), NONE);
        *own = 0;
        ours.clear();
        ours.extend(reference.iter().map(|id| {
            let name = &mut names[*id as usize];
            if *name == NONE {
                *name = *own as u32;
                *own += 1;
            }
            *name
        }));
        let nowhere = *own as u32;
        words.clear();
        words.extend(output.iter().map(|id| {
            let name = names.get(*id as usize).copied().unwrap_or(NONE);
            if name == NONE { nowhere } else { name }
        }));
        reference.iter().for_each(|id| names[*id as usize] = NONE);
    }

    /// Turns `words` into the reference, which is not empty and has ids below `types`.
    pub fn run(&mut self, reference: &[u32], types: usize, style: Style) -> Edits {
        let floor = self.floor(reference, types);
        let bits = self.places.read(reference, types);
        let Search { words, path, made, shifts, places, band, one_word, two_words, .. } = self;
        let mut search = ShiftSearch { words, path, made, shifts, floor, style };
        match (style, reference.len(), bits) {
            (Style::Sacrebleu, ..=64, true) => search.short(reference, places, one_word, band),
            (Style::Sacrebleu, ..=128, true) => search.short(reference, places, two_words, band),
            (Style::Sacrebleu, _, true) => search.long(reference, places.bits(), band),
            (Style::Sacrebleu, _, false) => search.long(reference, places.lists(), band),
            (Style::Tercom, ..=64, true) => search.tercom(reference, places, one_word),
            (Style::Tercom, ..=128, true) => search.tercom(reference, places, two_words),
            (Style::Tercom, ..=256, true) => {
                search.tercom::<4>(reference, places, &mut whole::MatrixRows::default())
            }
            (Style::Tercom, ..=1024, true) => {
                search.tercom::<WIDEST>(reference, places, &mut whole::MatrixRows::default())
            }
            (Style::Tercom, _, true) => {
                search.start(Beam::<_, 1>::new(reference, places.bits(), None))
            }
            (Style::Tercom, _, false) => {
                search.start(Beam::<_, 1>::new(reference, places.lists(), None))
            }
        }
        self.edits()
    }

    /// The same with a distance of one's own.
    #[cfg(test)]
    pub fn run_with(&mut self, distance: impl Distance, style: Style) -> Edits {
        let Search { words, path, made, shifts, .. } = self;
        ShiftSearch { words, path, made, shifts, floor: 0, style }.start(distance);
        self.edits()
    }

    fn edits(&self) -> Edits {
        let Path { insertions, deletions, substitutions, .. } = self.path;
        Edits { insertions, deletions, substitutions, shifts: self.made }
    }

    /// The distance that remains when all words stand where they should.
    fn floor(&mut self, reference: &[u32], types: usize) -> u32 {
        self.counts.clear();
        self.counts.resize(types + 1, 0);
        for id in reference {
            self.counts[*id as usize] += 1;
        }
        let mut shared = 0;
        for id in &self.words {
            let left = &mut self.counts[*id as usize];
            shared += (*left > 0) as u32;
            *left = left.saturating_sub(1);
        }
        reference.len().max(self.words.len()) as u32 - shared
    }
}

/// The search with the distance that suits the pair.
struct ShiftSearch<'a> {
    words: &'a mut [u32],
    path: &'a mut Path,
    /// How many shifts were made.
    made: &'a mut u32,
    shifts: &'a mut Shifts,
    floor: u32,
    style: Style,
}

impl ShiftSearch<'_> {
    fn short<const W: usize>(
        &mut self,
        reference: &[u32],
        places: &Places,
        scratch: &mut whole::MatrixRows<W>,
        band: &mut band::BandRows,
    ) {
        let (output, places) = (self.words.len(), places.bits());
        let mut whole = Whole::new(scratch, output, reference, places);
        let now = whole.align(self.words, 0);
        if band::holds(now, output, reference.len()) {
            self.walk(whole, now);
        } else if band::fits_a_word(output, reference.len()) {
            self.start(Both { whole, band: Band::new(band, output, reference, places) });
        } else {
            self.start(Plain::new(output, reference, places));
        }
    }

    fn long(&mut self, reference: &[u32], places: impl Window, band: &mut band::BandRows) {
        let output = self.words.len();
        if band::fits_a_word(output, reference.len()) {
            self.start(Band::new(band, output, reference, places));
        } else {
            self.start(Plain::new(output, reference, places));
        }
    }

    fn tercom<const W: usize>(
        &mut self,
        reference: &[u32],
        places: &Places,
        scratch: &mut whole::MatrixRows<W>,
    ) {
        let whole = Whole::new(scratch, self.words.len(), reference, places.bits());
        self.start(Beam::new(reference, places.bits(), Some(whole)));
    }

    fn start(&mut self, mut distance: impl Distance) {
        let now = distance.align(self.words, 0);
        self.walk(distance, now);
    }

    fn walk(&mut self, mut distance: impl Distance, mut now: u32) {
        let mut left = ENOUGH;
        *self.made = 0;
        loop {
            distance.trace(self.words, self.path);
            if now == self.floor {
                return;
            }
            match self.style {
                Style::Sacrebleu => {
                    if !self.shifts.gather(self.words, &distance, self.path, left) {
                        return;
                    }
                    left -= self.shifts.count();
                }
                Style::Tercom => self.shifts.gather_tercom(self.words, &distance, self.path),
            }
            let best = self.shifts.best(self.words, &distance, now, self.floor, self.style);
            let Some(best) = best else { return };
            let rotation = best.rotation(self.words.len(), self.style);
            rotation.apply(self.words);
            now = distance.align(self.words, rotation.start);
            *self.made += 1;
        }
    }
}
