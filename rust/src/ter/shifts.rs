//! Which shifts are worth a try, and which of them is the best.

use super::distance::{Distance, Rotation};
use super::path::Path;
use crate::interrupt::Meter;
use std::ops::RangeInclusive;

pub const LONGEST: usize = 10;
pub const FARTHEST: usize = 50;

/// What a look from one word takes, in units of `spend`.
const START: usize = 32;

/// Whose search it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    Sacrebleu,
    Tercom,
}

/// Words of the output that could be moved to before `target`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shift {
    pub start: usize,
    pub length: usize,
    pub target: usize,
}

#[derive(Default)]
pub struct Shifts {
    /// By length: start and target, in order of the starts.
    by_length: [Vec<(u32, u32)>; LONGEST],
    count: usize,
}

impl Shifts {
    pub fn clear(&mut self) {
        self.by_length.iter_mut().for_each(Vec::clear);
        self.count = 0;
    }

    /// How many were gathered.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Gathers the shifts of words that stand elsewhere in the reference, as sacreBLEU does: the
    /// words are not all right where they are, nor are those of the reference; they go to where
    /// the neighbours of the reference's words are. Gives up, and says so, at `enough`.
    pub fn gather(
        &mut self,
        words: &[u32],
        distance: &impl Distance,
        path: &Path,
        enough: usize,
    ) -> bool {
        self.clear();
        let reference = distance.reference();
        let mut meter = Meter::default();
        for start in 0..words.len() {
            meter.spend(START);
            let output_error = path.output_error[start] as usize - start;
            if output_error >= LONGEST {
                continue;
            }
            let behind = reference.len().min(start + FARTHEST + 1);
            for first in (start.saturating_sub(FARTHEST)..behind).step_by(64) {
                let mut places = distance.window(words[start], first);
                if behind - first < 64 {
                    places &= (1 << (behind - first)) - 1;
                }
                while places != 0 {
                    let place = first + places.trailing_zeros() as usize;
                    places &= places - 1;
                    let reference_error = path.reference_error[place] as usize - place;
                    let error = output_error.max(reference_error);
                    // The words may not be shifted to among themselves.
                    let aligned = path.after[place + 1] as usize;
                    let most = if aligned > start { aligned - start - 1 } else { LONGEST };
                    let most = most.min(LONGEST);
                    if error < most {
                        let run = words[start..].iter().zip(&reference[place..]).take(most);
                        let most = run.take_while(|(word, other)| word == other).count();
                        self.add_all(start, error + 1..=most, &path.after[place..]);
                    }
                }
            }
            if self.count >= enough {
                return false;
            }
        }
        true
    }

    /// Adds the shifts of so many words to every place that the reference's words mark.
    fn add_all(&mut self, start: usize, lengths: RangeInclusive<usize>, targets: &[u32]) {
        for length in lengths {
            let mut last = None;
            for target in &targets[..=length] {
                if last != Some(*target) {
                    self.add(Shift { start, length, target: *target as usize });
                }
                last = Some(*target);
            }
        }
    }

    pub fn add(&mut self, shift: Shift) {
        self.by_length[shift.length - 1].push((shift.start as u32, shift.target as u32));
        self.count += 1;
    }

    /// All of them, the longest first, in the order found.
    #[cfg(test)]
    pub fn all(&self) -> impl Iterator<Item = Shift> + use<'_> {
        self.by_length.iter().enumerate().rev().flat_map(|(below, shifts)| {
            let length = below + 1;
            shifts.iter().map(move |(start, target)| Shift {
                start: *start as usize,
                length,
                target: *target as usize,
            })
        })
    }

    /// The shift that lowers the distance most, of equal ones the longest, then the one that
    /// starts first, then the one that was found first, which goes to the earliest place: the
    /// targets rise with the places, so those of a later one that come before have been tried.
    /// No shift can bring the distance below `floor`.
    pub fn best(
        &self,
        words: &[u32],
        distance: &impl Distance,
        now: u32,
        floor: u32,
        style: Style,
    ) -> Option<Shift> {
        let mut gain = 0;
        let mut best = None;
        let excess = distance.excess();
        for length in (1..=LONGEST).rev() {
            // Taking words out and putting them in again cannot gain more than this.
            if gain >= (2 * length as u32).saturating_add(excess).min(now - floor) {
                break;
            }
            for (start, target) in &self.by_length[length - 1] {
                // TERCOM stops here even if its distance leaves more to gain.
                if style == Style::Tercom && gain > 2 * length as u32 {
                    return best;
                }
                let shift = Shift { start: *start as usize, length, target: *target as usize };
                let rotation = shift.rotation(words.len(), style);
                let wanted = gain + 1;
                let most = rotation.most().saturating_add(excess).min(now - floor);
                if rotation.is_nothing() || most < wanted {
                    continue;
                }
                let then = distance.rotated(words, rotation, now - wanted);
                if then + wanted <= now {
                    (gain, best) = (now - then, Some(shift));
                }
            }
        }
        best
    }
}

impl Shift {
    /// The blocks that change places. A target inside the shifted words counts from behind them,
    /// with sacreBLEU one further than with TERCOM.
    pub fn rotation(self, words: usize, style: Style) -> Rotation {
        let Shift { start, length, target } = self;
        let behind = start + length;
        if target < start {
            Rotation { start: target, middle: start, end: behind }
        } else if target > behind {
            Rotation { start, middle: behind, end: target }
        } else {
            let further = target - start;
            let further = if style == Style::Tercom { further.saturating_sub(1) } else { further };
            Rotation { start, middle: behind, end: words.min(behind + further) }
        }
    }
}
