//! The edit distance in the whole matrix, for references of a few machine words.
//!
//! Rows are words of the output, columns words of the reference. A row of the matrix is kept as
//! the differences of neighbouring cells, one bit each for +1 and -1 (Myers 1999).

use super::distance::{Distance, Rotation};
use super::path::{Path, Step};
use super::reference::{Bits, Window};
use crate::interrupt::{Meter, spend};

/// After how many rows it is worth to look whether a shift still can gain.
const PACE: usize = 8;

/// What a word of a row takes, in units of `spend`.
const ROW: usize = 4;

/// A row of the matrix. The cell before the first column holds the row's number.
#[derive(Clone, Copy, PartialEq, Eq)]
struct State<const W: usize> {
    plus: [u64; W],
    minus: [u64; W],
}

#[derive(Default)]
pub struct MatrixRows<const W: usize> {
    states: Vec<State<W>>,
    /// For each row, the cells that have the value of the one diagonally before.
    level: Vec<[u64; W]>,
}

pub struct Whole<'a, const W: usize> {
    reference: &'a [u32],
    places: Bits<'a>,
    scratch: &'a mut MatrixRows<W>,
    distance: u32,
}

impl<'a, const W: usize> Whole<'a, W> {
    pub fn new(
        scratch: &'a mut MatrixRows<W>,
        output: usize,
        reference: &'a [u32],
        places: Bits<'a>,
    ) -> Self {
        scratch.states.clear();
        scratch.states.resize(output + 1, State { plus: [!0; W], minus: [0; W] });
        scratch.level.clear();
        scratch.level.resize(output, [0; W]);
        Whole { reference, places, scratch, distance: reference.len() as u32 }
    }

    /// The distance of the words last aligned.
    pub fn distance(&self) -> u32 {
        self.distance
    }

    #[inline(always)]
    fn step(&self, state: State<W>, id: u32) -> (State<W>, [u64; W]) {
        let equal: &[u64; W] = self.places.row(id);
        let State { mut plus, mut minus } = state;
        let mut level = [0; W];
        // What passes from one word to the next: the sum's carry, and the last cell's rise or
        // fall. The cell before the first column rises.
        let (mut carry, mut rise, mut fall) = (false, 1, 0);
        for word in 0..W {
            let entered = equal[word] | minus[word] | fall;
            let (sum, over) = (entered & plus[word]).overflowing_add(plus[word]);
            let (sum, over_again) = sum.overflowing_add(carry as u64);
            carry = over | over_again;
            level[word] = (sum ^ plus[word]) | entered;
            let down = plus[word] & level[word];
            let up = minus[word] | !(plus[word] | level[word]);
            let risen = up << 1 | rise;
            plus[word] = down << 1 | fall | !(level[word] | risen);
            minus[word] = risen & level[word];
            (rise, fall) = (up >> 63, down >> 63);
        }
        (State { plus, minus }, level)
    }

    #[inline(always)]
    fn walk(&self, words: &[u32], state: State<W>) -> State<W> {
        words.iter().fold(state, |state, id| self.step(state, *id).0)
    }

    /// Whether no cell is by more than `slack` less than before: the rest of the matrix is the
    /// same, so that the last cell cannot be either.
    fn is_no_better(&self, now: &State<W>, before: &State<W>, mut slack: i32) -> bool {
        for word in 0..W {
            let (plus, minus) = (now.plus[word], now.minus[word]);
            let (plus_before, minus_before) = (before.plus[word], before.minus[word]);
            let mut differ = (plus ^ plus_before) | (minus ^ minus_before);
            differ &= self.cells(word);
            while differ != 0 && slack >= 0 {
                let bit = differ.trailing_zeros();
                let bit_of = |bits: u64| (bits >> bit & 1) as i32;
                slack += bit_of(plus) - bit_of(minus) - bit_of(plus_before) + bit_of(minus_before);
                differ &= differ - 1;
            }
        }
        slack >= 0
    }

    /// The bits that stand for words of the reference.
    fn cells(&self, word: usize) -> u64 {
        let cells = self.reference.len().saturating_sub(64 * word);
        if cells < 64 { (1 << cells) - 1 } else { !0 }
    }

    fn corner(&self, output: usize, state: State<W>) -> u32 {
        let mut value = output as u32;
        for word in 0..W {
            value += (state.plus[word] & self.cells(word)).count_ones();
            value -= (state.minus[word] & self.cells(word)).count_ones();
        }
        value
    }

    #[inline(always)]
    fn last_step(&self, words: &[u32], i: usize, j: usize) -> Step {
        let (word, bit) = ((j - 1) / 64, (j - 1) % 64);
        if words[i - 1] == self.reference[j - 1] {
            Step::Match
        } else if self.scratch.level[i - 1][word] >> bit & 1 == 0 {
            Step::Substitution
        } else if self.scratch.states[i - 1].minus[word] >> bit & 1 == 1 {
            Step::Insertion
        } else {
            Step::Deletion
        }
    }
}

impl<const W: usize> Distance for Whole<'_, W> {
    fn align(&mut self, words: &[u32], from: usize) -> u32 {
        spend(ROW * W * (words.len() - from));
        let mut state = self.scratch.states[from];
        for (at, id) in words.iter().enumerate().skip(from) {
            let (next, level) = self.step(state, *id);
            self.scratch.states[at + 1] = next;
            self.scratch.level[at] = level;
            state = next;
        }
        self.distance = self.corner(words.len(), state);
        self.distance
    }

    fn rotated(&self, words: &[u32], rotation: Rotation, limit: u32) -> u32 {
        let Rotation { start, middle, end } = rotation;
        let states = &self.scratch.states;
        let state = self.walk(&words[middle..end], states[start]);
        let mut state = self.walk(&words[start..middle], state);
        spend(ROW * W * (end - start));
        let slack = self.distance as i32 - limit as i32 - 1;
        let mut meter = Meter::default();
        for at in (end..words.len()).step_by(PACE) {
            if self.is_no_better(&state, &states[at], slack) {
                return limit + 1;
            }
            meter.spend(ROW * W * PACE);
            state = self.walk(&words[at..words.len().min(at + PACE)], state);
        }
        self.corner(words.len(), state)
    }

    fn excess(&self) -> u32 {
        0
    }

    /// Of equally cheap ways the one that ends in a match or substitution, else an insertion.
    fn trace(&self, words: &[u32], path: &mut Path) {
        path.trace(words.len(), self.reference.len(), |i, j| self.last_step(words, i, j));
    }

    fn window(&self, id: u32, first: usize) -> u64 {
        self.places.window(id, first)
    }

    fn reference(&self) -> &[u32] {
        self.reference
    }
}
