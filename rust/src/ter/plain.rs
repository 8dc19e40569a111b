//! The edit distance inside the same band, cell by cell: for references so much longer than the
//! output that the band is wider than a machine word, and to check the fast way against.

use super::band::span;
use super::distance::{Distance, Rotation};
use super::path::{Path, Step};
use super::reference::Window;
use crate::interrupt::spend;

/// Larger than any distance, small enough to be added to.
const FAR: u32 = u32::MAX / 2;

/// What a cell takes, in units of `spend`.
const CELL: usize = 8;

#[derive(Default)]
struct Row {
    first: usize,
    cells: Vec<(u32, Step)>,
}

pub struct Plain<'a, W> {
    reference: &'a [u32],
    places: W,
    rows: Vec<Row>,
}

impl<'a, W: Window> Plain<'a, W> {
    pub fn new(output: usize, reference: &'a [u32], places: W) -> Self {
        let cells = (0..=reference.len() as u32).map(|cost| (cost, Step::Deletion)).collect();
        let mut rows = vec![Row { first: 0, cells }];
        rows.resize_with(output + 1, Row::default);
        Plain { reference, places, rows }
    }

    fn row(&self, at: usize, id: u32, before: &Row) -> Row {
        let span = span(at + 1, self.rows.len() - 1, self.reference.len());
        spend(CELL * (span.last - span.first + 1));
        let mut row = Row { first: span.first, cells: Vec::new() };
        for column in span.first..=span.last {
            let mut best = (FAR, Step::Match);
            let mut offer = |cost: u32, step: Step| {
                if cost < best.0 {
                    best = (cost, step);
                }
            };
            if column > 0 {
                let same = self.reference[column - 1] == id;
                let step = if same { Step::Match } else { Step::Substitution };
                offer(before.cost(column - 1) + !same as u32, step);
            }
            offer(before.cost(column) + 1, Step::Insertion);
            if let Some((cost, _)) = row.cells.last() {
                offer(cost + 1, Step::Deletion);
            }
            row.cells.push(best);
        }
        row
    }
}

impl Row {
    fn cost(&self, column: usize) -> u32 {
        let at = column.checked_sub(self.first).and_then(|at| self.cells.get(at));
        at.map_or(FAR, |cell| cell.0)
    }
}

impl<W: Window> Distance for Plain<'_, W> {
    fn align(&mut self, words: &[u32], from: usize) -> u32 {
        for (at, id) in words.iter().enumerate().skip(from) {
            self.rows[at + 1] = self.row(at, *id, &self.rows[at]);
        }
        self.rows[words.len()].cost(self.reference.len())
    }

    fn rotated(&self, words: &[u32], rotation: Rotation, _: u32) -> u32 {
        let mut turned = words.to_vec();
        rotation.apply(&mut turned);
        let mut last = None;
        for (at, id) in turned.iter().enumerate().skip(rotation.start) {
            last = Some(self.row(at, *id, last.as_ref().unwrap_or(&self.rows[at])));
        }
        last.as_ref().unwrap_or(&self.rows[words.len()]).cost(self.reference.len())
    }

    fn excess(&self) -> u32 {
        FAR
    }

    fn trace(&self, words: &[u32], path: &mut Path) {
        path.trace(words.len(), self.reference.len(), |i, j| {
            let row = &self.rows[i];
            row.cells[j - row.first].1
        });
    }

    fn window(&self, id: u32, first: usize) -> u64 {
        self.places.window(id, first)
    }

    fn reference(&self) -> &[u32] {
        self.reference
    }
}
