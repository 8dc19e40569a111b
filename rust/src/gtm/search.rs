//! The search for a matching row by row, dropping what cannot beat the best one known.

use super::bound::Bound;
use super::contest::Contest;
use super::layer::{Layer, NONE, State};
use super::part::{Cell, Table};
use crate::interrupt::spend;

/// How many states of each row are kept at most once the nodes are used up.
const BEAM: usize = 16;
/// How many words of memory the states of a row may take.
const MEMORY: usize = 1 << 22;

/// What looking at a state takes, in units of `spend`.
const NODE: usize = 32;

#[derive(Default)]
pub struct Search {
    contest: Contest,
    layer: Layer,
    next: Layer,
    used: Vec<u64>,
    /// For every state that was kept: the one before it, and the column of its row.
    trail: Vec<(u32, u32)>,
    /// How many partial matchings have been looked at.
    nodes: usize,
    /// A bound on all matchings that were given up for want of nodes.
    given_up: f64,
}

pub struct Found {
    /// The weight of the best matching found, and the column of each row in it.
    pub best: Option<(f64, Vec<Option<usize>>)>,
    pub given_up: f64,
    pub nodes: usize,
}

impl Search {
    /// Goes through the rows in every way that may lead to a weight of `enough`. A state is a way
    /// to match the rows so far. `whole` says that every row hits all columns of its word.
    pub fn run(
        &mut self,
        table: &Table,
        bound: &Bound,
        weights: &[f64],
        enough: f64,
        nodes: usize,
        whole: bool,
    ) -> Found {
        self.contest.fill(table, &bound.prices, whole);
        let start = State { credit: self.contest.credit, ..State::default() };
        self.used.clear();
        self.used.resize(self.contest.words, 0);
        self.layer.clear(self.contest.words);
        self.layer.push(start, &self.used);
        self.trail.clear();
        self.trail.push((NONE, NONE));
        // Going on without nodes shall not take longer than it took to use them up.
        let beam = (nodes / table.hits()).clamp(1, BEAM);
        let most_states = MEMORY / (self.contest.words + State::WORDS);
        self.nodes = 0;
        self.given_up = f64::NEG_INFINITY;
        for row in 0..table.rows.len() {
            self.next.clear(self.contest.words);
            for at in 0..self.layer.len() {
                self.step(at, row, table, bound, weights, enough);
                if self.nodes > nodes || self.next.len() > most_states {
                    self.given_up = self.given_up.max(self.next.keep_best(beam));
                }
            }
            for state in self.next.states() {
                let place = self.trail.len() as u32;
                self.trail.push((state.trail, state.column));
                state.trail = place;
            }
            std::mem::swap(&mut self.layer, &mut self.next);
        }
        let ends = self.layer.states().iter();
        let best = ends.max_by(|one, other| one.value.total_cmp(&other.value)).copied();
        let best = best.map(|end| (end.value, self.retrace(end.trail, table.rows.len())));
        Found { best, given_up: self.given_up, nodes: self.nodes }
    }

    /// Matches one more row of a state in every way that may still lead to `enough`.
    fn step(
        &mut self,
        at: usize,
        row: usize,
        table: &Table,
        bound: &Bound,
        weights: &[f64],
        enough: f64,
    ) {
        let Search { contest, layer, next, used, nodes, .. } = self;
        let cells = table.row(row);
        spend(NODE * cells.len() + layer.len());
        let (state, used_before) = layer.get(at);
        let is_free = |cell: &&Cell| !contest.is_used(cell.column as usize, used_before);
        used.copy_from_slice(used_before);
        // Columns that no later row can take are of no more interest: states that differ only
        // there are one.
        let mut credit = state.credit;
        for cell in cells.iter().filter(|cell| contest.last_row[cell.column as usize] == row) {
            if is_free(&cell) {
                credit -= bound.prices[cell.column as usize];
            }
            contest.forget(cell.column as usize, used);
        }
        let mut columns = 0;
        let mut lonely = false;
        for cell in cells.iter().filter(is_free) {
            columns += 1;
            let column = cell.column as usize;
            // One column without neighbours is as good as another.
            if contest.lonely[column] && std::mem::replace(&mut lonely, true) {
                continue;
            }
            let mut new = State { credit, ..state.matched(cell.column, weights) };
            let settled = contest.last_row[column] == row;
            if !settled {
                new.credit -= bound.prices[column];
                contest.take(column, used);
            }
            if cell.forward > 1 && !contest.is_used(column + 1, used) {
                let gain = bound.going_on(row, cell, new.chain, weights);
                new.bound = new.value + new.credit + gain;
            } else {
                new = new.closed(weights);
                new.bound = new.value + new.credit + bound.from[row + 1];
            }
            *nodes += 1;
            if new.bound >= enough {
                next.push(new, used);
            }
            if !settled {
                contest.forget(column, used);
            }
        }
        if contest.may_stay_empty(row, columns) {
            let mut new = State { credit, column: NONE, ..state.closed(weights) };
            new.bound = new.value + new.credit + bound.from[row + 1];
            *nodes += 1;
            if new.bound >= enough {
                next.push(new, used);
            }
        }
    }

    /// Reads off the columns of the way that ends in this place of the trail.
    fn retrace(&self, mut place: u32, rows: usize) -> Vec<Option<usize>> {
        let mut columns = vec![None; rows];
        for matched in columns.iter_mut().rev() {
            let (before, column) = self.trail[place as usize];
            *matched = (column != NONE).then_some(column as usize);
            place = before;
        }
        columns
    }
}
