//! TERCOM: its edit distance, which drops cells far above the best, and its choice of shifts.

use super::distance::{Distance, Rotation};
use super::path::{Path, Step};
use super::reference::Window;
use super::shifts::{FARTHEST, LONGEST, Shift, Shifts};
use super::whole::Whole;

/// How far above the best way into a column a cell may be to be left by.
const WIDTH: u32 = 20;

/// Larger than any distance, small enough to be added to.
const FAR: u32 = u32::MAX / 2;

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
        Beam { reference, places, whole, matrix: Matrix::default(), distance: 0 }
    }
}

impl<P: Window, const W: usize> Distance for Beam<'_, P, W> {
    fn align(&mut self, words: &[u32], from: usize) -> u32 {
        let bound = self.whole.as_mut().map_or(FAR, |whole| whole.align(words, from));
        self.distance =
            if bound <= WIDTH { bound } else { self.matrix.fill(words, self.reference) };
        self.distance
    }

    fn rotated(&self, words: &[u32], rotation: Rotation, limit: u32) -> u32 {
        if let Some(whole) = &self.whole {
            let bound = whole.rotated(words, rotation, limit);
            if bound > limit || bound <= WIDTH {
                return bound;
            }
        }
        let mut turned = words.to_vec();
        rotation.apply(&mut turned);
        Matrix::default().fill(&turned, self.reference)
    }

    fn excess(&self) -> u32 {
        self.whole.as_ref().map_or(FAR, |whole| self.distance - whole.distance())
    }

    fn trace(&self, words: &[u32], path: &mut Path) {
        match &self.whole {
            Some(whole) if whole.distance() <= WIDTH => whole.trace(words, path),
            _ => path.trace(words.len(), self.reference.len(), |i, j| self.matrix.step(i, j)),
        }
    }

    fn window(&self, id: u32, first: usize) -> u64 {
        self.places.window(id, first)
    }

    fn reference(&self) -> &[u32] {
        self.reference
    }
}

/// The cells that were reached, word by word of the output; each with the step that led there.
#[derive(Default)]
struct Matrix {
    cells: Vec<(u32, Step)>,
    /// For each column its first row, and where in `cells` that is.
    columns: Vec<(usize, usize)>,
}

impl Matrix {
    /// Goes on from each cell that is not too far above the best diagonal way into its column; a
    /// step must be better than the one found before, diagonal ones first, then insertions.
    fn fill(&mut self, words: &[u32], reference: &[u32]) -> u32 {
        let unreached = (FAR, Step::Match);
        let mut here = vec![unreached; reference.len() + 1];
        let mut next = here.clone();
        here[0].0 = 0;
        self.cells.clear();
        self.columns.clear();
        let (mut first, mut last, mut best) = (0, 0, FAR);
        for column in 0..=words.len() {
            let word = words.get(column);
            let (mut next_first, mut next_last, mut next_best) = (None, 0, FAR);
            let mut row = first;
            while row <= last.min(reference.len()) {
                let cost = here[row].0;
                if cost < FAR && (word.is_none() || cost <= best + WIDTH) {
                    next_first.get_or_insert(row);
                    next_last = row + 1;
                    if let Some(word) = word {
                        if let Some(other) = reference.get(row) {
                            let same = word == other;
                            let step = if same { Step::Match } else { Step::Substitution };
                            next[row + 1] = (cost + !same as u32, step);
                            next_best = next_best.min(cost + !same as u32);
                        }
                        if cost + 1 < next[row].0 {
                            next[row] = (cost + 1, Step::Insertion);
                        }
                    }
                    if row < reference.len() && cost + 1 < here[row + 1].0 {
                        here[row + 1] = (cost + 1, Step::Deletion);
                        last = last.max(row + 1);
                    }
                }
                row += 1;
            }
            let behind = (last + 1).min(here.len());
            self.columns.push((first, self.cells.len()));
            self.cells.extend_from_slice(&here[first..behind]);
            here[first..behind].fill(unreached);
            std::mem::swap(&mut here, &mut next);
            (first, last, best) = (next_first.unwrap_or(0), next_last, next_best);
        }
        self.cells.last().map_or(FAR, |cell| cell.0)
    }

    fn step(&self, i: usize, j: usize) -> Step {
        let (first, start) = self.columns[i];
        self.cells[start + j - first].1
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
