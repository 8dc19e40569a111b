//! TERCOM: its edit distance, which drops cells far above the best, and its choice of shifts.

use super::distance::{Distance, Rotation};
use super::path::{Path, Step};
use super::reference::Window;
use super::shifts::{FARTHEST, LONGEST, Shift, Shifts};
use super::whole::Whole;
use crate::interrupt::spend;

/// How far above the best way into a column a cell may be to be left by.
const WIDTH: u32 = 20;

/// Larger than any distance, small enough to be added to.
const FAR: u32 = u32::MAX / 2;

/// What a cell takes, in units of `spend`.
const CELL: usize = 8;

/// TERCOM's distance. Up to `WIDTH` it is the true one; above, the true one says at least which
/// shifts are out of the question. References too long for it do without.
pub struct Beam<'a, P, const W: usize> {
    reference: &'a [u32],
    places: P,
    whole: Option<Whole<'a, W>>,
    matrix: Matrix,
    distance: u32,
}

impl<'a, P: Window, const W: usize> Beam<'a, P, W> {
    pub fn new(reference: &'a [u32], places: P, whole: Option<Whole<'a, W>>) -> Self {
        Beam { reference, places, whole, matrix: Matrix::new(), distance: 0 }
    }
}

impl<P: Window, const W: usize> Distance for Beam<'_, P, W> {
    fn align(&mut self, words: &[u32], from: usize) -> u32 {
        let bound = self.whole.as_mut().map_or(FAR, |whole| whole.align(words, from));
        self.distance =
            if bound <= WIDTH { bound } else { self.matrix.fill(words, self.reference, from) };
        self.distance
    }

    fn rotated(&self, words: &[u32], rotation: Rotation, limit: u32) -> u32 {
        if let Some(whole) = &self.whole {
            let bound = whole.rotated(words, rotation, limit);
            if bound > limit || bound <= WIDTH {
                return bound;
            }
        }
        self.matrix.rotated(words, rotation, self.reference, self.distance)
    }

    fn excess(&self) -> u32 {
        self.whole.as_ref().map_or(FAR, |whole| self.distance - whole.distance())
    }

    fn trace(&self, words: &[u32], path: &mut Path) {
        match &self.whole {
            Some(whole) if whole.distance() <= WIDTH => whole.trace(words, path),
            _ => path.trace(words.len(), self.reference.len(), |i, j| {
                let column = &self.matrix.0[i];
                column.cells[j - column.first].1
            }),
        }
    }

    fn window(&self, id: u32, first: usize) -> u64 {
        self.places.window(id, first)
    }

    fn reference(&self) -> &[u32] {
        self.reference
    }
}

/// Cells of a column that were reached, from row `first` on, each with the step that led there.
#[derive(Clone, Debug)]
struct Column {
    first: usize,
    cells: Vec<(u32, Step)>,
    /// The best diagonal way into it.
    best: u32,
}

/// The columns, one for each word of the output and one before them.
struct Matrix(Vec<Column>);

impl Matrix {
    fn new() -> Self {
        Matrix(vec![Column { first: 0, cells: vec![(0, Step::Match)], best: FAR }])
    }

    /// Fills the columns from that of the word at `from` on.
    fn fill(&mut self, words: &[u32], reference: &[u32], from: usize) -> u32 {
        self.0.truncate(from + 1);
        for column in from..=words.len() {
            let next = self.0[column].leave(words.get(column), reference);
            self.0.push(next);
        }
        self.0.pop();
        self.0[words.len()].corner()
    }

    /// The distance after a rotation, if it is `distance` before.
    fn rotated(&self, words: &[u32], rotation: Rotation, reference: &[u32], distance: u32) -> u32 {
        let Rotation { start, middle, end } = rotation;
        let mut here = self.0[start].clone();
        for word in words[middle..end].iter().chain(&words[start..middle]) {
            here = here.leave(Some(word), reference);
        }
        for column in end..words.len() {
            let next = here.leave(words.get(column), reference);
            // From a column like the one before the rotation on, everything is like it.
            if let Some(more) = here.is_above(&self.0[column]) {
                return distance.wrapping_add(more);
            }
            here = next;
        }
        here.leave(None, reference);
        here.corner()
    }
}

impl Column {
    /// Goes on from each cell that is not too far above the best, to the next cell of this column
    /// and, by the word, to those of the next column. A step must be better than the one found
    /// before, diagonal ones first, then insertions.
    fn leave(&mut self, word: Option<&u32>, reference: &[u32]) -> Column {
        let mut next =
            Column { first: 0, cells: Vec::with_capacity(self.cells.len() + 1), best: FAR };
        spend(CELL * self.cells.len());
        let mut at = 0;
        while at < self.cells.len() {
            let (row, cost) = (self.first + at, self.cells[at].0);
            at += 1;
            if cost == FAR || word.is_some() && cost > self.best + WIDTH {
                continue;
            }
            let other = reference.get(row);
            if let Some(word) = word {
                if next.cells.is_empty() {
                    next.first = row;
                }
                next.cells.resize(row - next.first + 1, (FAR, Step::Match));
                let below = &mut next.cells[row - next.first];
                if cost + 1 < below.0 {
                    *below = (cost + 1, Step::Insertion);
                }
                if let Some(other) = other {
                    let same = word == other;
                    let step = if same { Step::Match } else { Step::Substitution };
                    next.cells.push((cost + !same as u32, step));
                    next.best = next.best.min(cost + !same as u32);
                }
            }
            match self.cells.get_mut(at) {
                Some(above) if cost + 1 < above.0 => *above = (cost + 1, Step::Deletion),
                None if other.is_some() => self.cells.push((cost + 1, Step::Deletion)),
                _ => {}
            }
        }
        next
    }

    /// By how much all values are above those of another column, if it is the same for all.
    fn is_above(&self, other: &Column) -> Option<u32> {
        let more = self.best.wrapping_sub(other.best);
        let same = |(cell, other): (&(u32, Step), &(u32, Step))| match (cell.0, other.0) {
            (FAR, FAR) => true,
            (FAR, _) | (_, FAR) => false,
            (cost, other) => cost.wrapping_sub(other) == more,
        };
        let alike = self.first == other.first
            && self.cells.len() == other.cells.len()
            && self.cells.iter().zip(&other.cells).all(same);
        alike.then_some(more)
    }

    /// The value of the last cell of the last column.
    fn corner(&self) -> u32 {
        self.cells.last().map_or(FAR, |cell| cell.0)
    }
}

impl Shifts {
    /// Gathers the shifts that TERCOM tries. A span grows while it stands in the reference and,
    /// if some of it is wrong, can go somewhere.
    pub fn gather_tercom(&mut self, words: &[u32], distance: &impl Distance, path: &Path) {
        self.clear();
        let reference = distance.reference();
        let mut places = Vec::new();
        for start in 0..words.len() {
            spend(reference.len());
            let aligned = |place: usize| path.after[place + 1] as usize;
            places.clear();
            for first in (0..reference.len()).step_by(64) {
                let mut window = distance.window(words[start], first);
                while window != 0 {
                    places.push(first + window.trailing_zeros() as usize);
                    window &= window - 1;
                }
            }
            // `aligned` counts words, the one that a place is aligned to is the last of them.
            let near = |place: &usize, more: usize| {
                let here = aligned(*place);
                let far = here > start + 1 + FARTHEST || start >= here + FARTHEST + more;
                here != start + 1 && !far
            };
            if !places.iter().any(|place| near(place, 1)) {
                continue;
            }
            for length in 1..=LONGEST.min(words.len() - start) {
                let end = start + length - 1;
                places.retain(|place| reference.get(place + length - 1) == Some(&words[end]));
                if places.is_empty() {
                    break;
                }
                if path.output_error[start] as usize > end {
                    continue;
                }
                let mut grows = false;
                for place in &places {
                    let here = aligned(*place);
                    if !near(place, 0) || here > start && here <= end + 1 {
                        continue;
                    }
                    grows = true;
                    if path.reference_error[*place] as usize >= place + length {
                        continue;
                    }
                    for offset in 0..=length {
                        let target = path.after[place + offset] as usize;
                        // Before the first word, or behind one that is not the place's own.
                        let before_all = offset == 0 && *place == 0;
                        if before_all || target != start + 1 && (offset == 1 || target != here) {
                            self.add(Shift { start, length, target });
                        }
                    }
                }
                if !grows {
                    break;
                }
            }
        }
    }
}
