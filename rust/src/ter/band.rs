//! The edit distance inside a band about the diagonal, fifty cells of a row in one machine word.
//!
//! Rows are words of the output, columns words of the reference. A row of the matrix is kept as
//! the differences of neighbouring cells, one bit each for +1 and -1 (Myers 1999; Hyyrö 2003 has
//! the band). The differences stay within these bounds although cells outside the band cannot be
//! reached: such cells get values that are never better than the ones inside, and no match may be
//! taken from them.

use super::distance::{Distance, Rotation};
use super::path::{Path, Step};
use super::reference::Window;
use crate::interrupt::{Meter, spend};

/// How far the band reaches below the diagonal; it reaches one column less above it.
const WIDTH: f64 = 25.0;

/// After how many rows it is worth to look whether a shift still can gain.
const PACE: usize = 4;

/// What a row takes, in units of `spend`.
const ROW: usize = 4;

/// The columns of each row that can be reached.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Span {
    pub first: usize,
    pub last: usize,
}

/// The band of sacreBLEU: straight from corner to corner, the last row open to the end. It is
/// wider than a machine word if the reference is more than fifty times as long as the output.
pub fn span(row: usize, output: usize, reference: usize) -> Span {
    if row == 0 {
        return Span { first: 0, last: reference };
    }
    let slope = reference as f64 / output as f64;
    let width = if slope / 2.0 > WIDTH { (slope / 2.0 + WIDTH).ceil() } else { WIDTH } as usize;
    let diagonal = (row as f64 * slope) as usize;
    let last = if row == output { reference } else { reference.min(diagonal + width - 1) };
    Span { first: diagonal.saturating_sub(width), last }
}

pub fn fits_a_word(output: usize, reference: usize) -> bool {
    reference <= 2 * WIDTH as usize * output
}

/// Whether the band holds every way that costs no more than this. A way with so many edits
/// keeps within half of them, less the difference in length, of the straight line.
pub fn holds(edits: u32, output: usize, reference: usize) -> bool {
    edits as usize + output.abs_diff(reference) <= 2 * WIDTH as usize - 4
}

/// What a row of the matrix is made with; bits are columns from `first` on.
#[derive(Clone, Copy)]
struct Row {
    /// The column of the lowest bit, never the zeroth.
    first: u32,
    /// How many columns further than in the row before.
    slide: u32,
    /// Cells of the row before that leave the band, and the first one at a wall.
    left: u64,
    /// One if neither the column below the first nor its like a row before can be reached.
    wall: u64,
    /// Columns that can be entered from the row before by a match.
    open: u64,
    /// Columns behind the last one.
    above: u64,
}

/// A row of the matrix.
#[derive(Clone, Copy, Debug)]
struct State {
    plus: u64,
    minus: u64,
    /// The value of the cell below the lowest bit's.
    below: u32,
}

#[derive(Default)]
pub struct BandRows {
    rows: Vec<Row>,
    states: Vec<State>,
    /// For each row, the cells that have the value of the one diagonally before.
    level: Vec<u64>,
}

pub struct Band<'a, W> {
    reference: &'a [u32],
    places: W,
    scratch: &'a mut BandRows,
    distance: u32,
}

impl<'a, W: Window> Band<'a, W> {
    pub fn new(scratch: &'a mut BandRows, output: usize, reference: &'a [u32], places: W) -> Self {
        scratch.rows.clear();
        let mut before = span(0, output, reference.len());
        let mut first_before = 1;
        scratch.rows.extend((1..=output).map(|row| {
            let here = span(row, output, reference.len());
            let first = here.first.max(1);
            let wall = (before.first >= first) as u64;
            let open = ones((before.last + 1).min(here.last) + 1 - first) & !wall;
            let above = !ones(here.last + 1 - first);
            let slide = (first - first_before) as u32;
            (before, first_before) = (here, first);
            let left = ones(slide as usize) | wall;
            Row { first: first as u32, slide, left, wall, open, above }
        }));
        let start = State { plus: !0, minus: 0, below: 0 };
        scratch.states.clear();
        scratch.states.resize(output + 1, start);
        scratch.level.clear();
        scratch.level.resize(output, 0);
        Band { reference, places, scratch, distance: reference.len() as u32 }
    }

    /// The distance of the words last aligned.
    pub fn distance(&self) -> u32 {
        self.distance
    }

    #[inline(always)]
    fn step(&self, row: &Row, state: State, id: u32) -> (State, u64) {
        let equal = self.places.window(id, row.first as usize - 1) & row.open;
        let State { plus, minus, below } = state;
        // A cell that leaves the band hands its value on. At a wall the cell below the first
        // stands one above it, which is out of the way.
        let (risen, fallen) = (plus & row.left, minus & row.left);
        let below = below + 1 + row.wall as u32;
        let below = if row.left < 4 {
            below + (risen - (risen >> 1)) as u32 - (fallen - (fallen >> 1)) as u32
        } else {
            below + risen.count_ones() - fallen.count_ones()
        };
        // The highest bit is set, so that cells that come in rise by one each.
        let plus = (plus as i64 >> row.slide) as u64 & !row.wall;
        let minus = minus >> row.slide | row.wall;
        let entered = equal | minus;
        let level = ((entered & plus).wrapping_add(plus) ^ plus) | entered;
        let down = plus & level;
        let up = (minus | !(plus | level)) << 1 | 1;
        let plus = down << 1 | !(level | up) | row.above;
        let minus = up & level & !row.above;
        (State { plus, minus, below }, level)
    }

    #[inline(never)]
    fn walk(&self, rows: &[Row], ids: &[u32], state: State) -> State {
        rows.iter().zip(ids).fold(state, |state, (row, id)| self.step(row, state, *id).0)
    }

    /// The value of the last row's last cell.
    fn corner(&self, state: State) -> u32 {
        let first = self.scratch.rows.last().map_or(1, |row| row.first as usize);
        if first > self.reference.len() {
            return state.below;
        }
        let cells = ones(self.reference.len() + 1 - first);
        state.below + (state.plus & cells).count_ones() - (state.minus & cells).count_ones()
    }
}

impl<W: Window> Distance for Band<'_, W> {
    fn align(&mut self, words: &[u32], from: usize) -> u32 {
        spend(ROW * (words.len() - from));
        let mut state = self.scratch.states[from];
        for (at, id) in words.iter().enumerate().skip(from) {
            let (next, level) = self.step(&self.scratch.rows[at], state, *id);
            self.scratch.states[at + 1] = next;
            self.scratch.level[at] = level;
            state = next;
        }
        if !words.is_empty() {
            self.distance = self.corner(state);
        }
        self.distance
    }

    fn rotated(&self, words: &[u32], rotation: Rotation, limit: u32) -> u32 {
        let Rotation { start, middle, end } = rotation;
        let (rows, states) = (&self.scratch.rows[..words.len()], &self.scratch.states);
        let turn = start + end - middle;
        let state = self.walk(&rows[start..turn], &words[middle..end], states[start]);
        let mut state = self.walk(&rows[turn..end], &words[start..middle], state);
        spend(ROW * (end - start));
        let slack = self.distance as i32 - limit as i32 - 1;
        let mut meter = Meter::default();
        for at in (end..words.len()).step_by(PACE) {
            if is_no_better(&state, &states[at], slack) {
                return limit + 1;
            }
            let next = words.len().min(at + PACE);
            meter.spend(ROW * PACE);
            state = self.walk(&rows[at..next], &words[at..next], state);
        }
        self.corner(state)
    }

    fn excess(&self) -> u32 {
        let outside = !holds(self.distance, self.scratch.rows.len(), self.reference.len());
        if outside { self.distance } else { 0 }
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

impl<W: Window> Band<'_, W> {
    #[inline(always)]
    fn last_step(&self, words: &[u32], i: usize, j: usize) -> Step {
        let row = &self.scratch.rows[i - 1];
        let bit = j - row.first as usize;
        if row.open >> bit & 1 == 0 {
            // A wall before the first column can only be passed alongside.
            return if row.wall == 1 && bit == 0 { Step::Insertion } else { Step::Deletion };
        }
        if words[i - 1] == self.reference[j - 1] {
            Step::Match
        } else if self.scratch.level[i - 1] >> bit & 1 == 0 {
            Step::Substitution
        } else if self.scratch.states[i - 1].minus >> row.slide >> bit & 1 == 1 {
            Step::Insertion
        } else {
            Step::Deletion
        }
    }
}

/// Whether no cell is by more than `slack` less than before: the rest of the matrix is the same,
/// so that the last cell cannot be either.
fn is_no_better(now: &State, before: &State, mut slack: i32) -> bool {
    slack += now.below as i32 - before.below as i32;
    let mut differ = (now.plus ^ before.plus) | (now.minus ^ before.minus);
    while differ != 0 && slack >= 0 {
        let bit = differ.trailing_zeros();
        let bit_of = |bits: u64| (bits >> bit & 1) as i32;
        slack += bit_of(now.plus) - bit_of(now.minus);
        slack -= bit_of(before.plus) - bit_of(before.minus);
        differ &= differ - 1;
    }
    slack >= 0
}

/// So many low bits, at most 63.
#[inline(always)]
fn ones(count: usize) -> u64 {
    (1 << count) - 1
}
