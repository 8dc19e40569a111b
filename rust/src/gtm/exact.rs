//! The largest matching: a search row by row that drops what cannot beat the best one known.

use super::bound::{Bound, Hit, HitTable};
use super::contest::Contest;
use super::grid::{Grid, Run};
use super::layer::{Layer, NONE, State};

/// More hits than this are not listed: such a segment keeps its greedy matching.
const MOST_HITS: usize = 1 << 21;
/// How many times the prices of the bound are adjusted at most.
const ROUNDS: usize = 80;
/// Steps of work on bounds that are allowed for each node of the search.
const STEPS_PER_NODE: usize = 32;
/// How many states of each row are kept once the nodes are used up.
const BEAM: usize = 16;

#[derive(Default)]
pub struct Exact {
    table: HitTable,
    bound: Bound,
    contest: Contest,
    layer: Layer,
    next: Layer,
    used: Vec<u64>,
    /// For every state that was kept: the one before it, and the column of its row.
    trail: Vec<(u32, u32)>,
}

/// The end of the best way found, and a bound on the ways that were given up.
struct Found {
    best: Option<State>,
    given_up: f64,
}

impl Exact {
    /// Replaces the runs, which are a matching, by a larger one if it finds one; says whether
    /// what then stands in `runs`, longest first, is proved to be the largest.
    pub fn improve(
        &mut self,
        grid: &Grid,
        weights: &[f64],
        nodes: usize,
        runs: &mut Vec<Run>,
    ) -> bool {
        if runs.is_empty() {
            return true;
        }
        if !self.table.fill(grid, MOST_HITS) {
            return false;
        }
        let known: f64 = runs.iter().map(|run| weights[run.length]).sum();
        let margin = margin(weights, known);
        if self.table.share_bound(weights) < known + margin {
            return true;
        }
        let rounds = (STEPS_PER_NODE * nodes / self.table.steps.max(1)).min(ROUNDS);
        if rounds == 0 {
            return false;
        }
        self.bound.clear(grid.columns.len());
        let bound = self.bound.tighten(&self.table, weights, known + margin, rounds);
        if bound < known + margin {
            return true;
        }
        self.contest.fill(grid, &self.table, &self.bound.prices);
        let found = self.search(weights, known + margin, nodes);
        let mut reached = known;
        if let Some(end) = found.best.filter(|end| end.value > known) {
            reached = end.value;
            self.retrace(end.trail, grid.rows.len(), runs);
        }
        found.given_up < reached + margin
    }

    /// Goes through the rows; a state is a way to match the rows so far.
    fn search(&mut self, weights: &[f64], enough: f64, nodes: usize) -> Found {
        let start = State { credit: self.contest.credit, ..State::default() };
        self.used.clear();
        self.used.resize(self.contest.words, 0);
        self.layer.clear(self.contest.words);
        self.layer.push(start, &self.used);
        self.trail.clear();
        self.trail.push((NONE, NONE));
        let mut given_up = f64::NEG_INFINITY;
        for row in 0..self.table.rows() {
            self.step(row, weights, enough);
            if self.trail.len() + self.next.len() > nodes {
                given_up = given_up.max(self.next.keep_best(BEAM));
            }
            for state in self.next.states() {
                let place = self.trail.len() as u32;
                self.trail.push((state.trail, state.column));
                state.trail = place;
            }
            std::mem::swap(&mut self.layer, &mut self.next);
        }
        let best = self.layer.states().iter().max_by(|one, other| one.value.total_cmp(&other.value));
        Found { best: best.copied(), given_up }
    }

    /// Matches one more row in every way that may still lead to `enough`.
    fn step(&mut self, row: usize, weights: &[f64], enough: f64) {
        let Exact { table, bound, contest, layer, next, used, .. } = self;
        let hits = table.row(row);
        let settled = contest.left[row] == 1;
        next.clear(contest.words);
        for at in 0..layer.len() {
            let (state, used_before) = layer.get(at);
            let is_free = |hit: &&Hit| !contest.is_used(hit.column as usize, used_before);
            let free = hits.iter().filter(is_free);
            let mut credit = state.credit;
            used.copy_from_slice(used_before);
            if settled {
                // No later row has this word: its columns are of no more interest.
                credit -= free.clone().map(|hit| bound.prices[hit.column as usize]).sum::<f64>();
                hits.iter().for_each(|hit| contest.forget(hit.column as usize, used));
            }
            let mut columns = 0;
            let mut lonely = false;
            for hit in free {
                columns += 1;
                let column = hit.column as usize;
                // One column without neighbours is as good as another.
                if contest.lonely[column] && std::mem::replace(&mut lonely, true) {
                    continue;
                }
                let mut new = State { credit, ..state.matched(hit.column, weights) };
                if !settled {
                    new.credit -= bound.prices[column];
                    contest.take(column, used);
                }
                if hit.forward > 1 && !contest.is_used(column + 1, used) {
                    new.bound = new.value + new.credit + bound.going_on(row, hit, new.chain, weights);
                } else {
                    new = new.closed(weights);
                    new.bound = new.value + new.credit + bound.from[row + 1];
                }
                if new.bound >= enough {
                    next.push(new, used);
                }
                if !settled {
                    contest.forget(column, used);
                }
            }
            // Matching one word more never makes a matching smaller: a row stays empty only
            // where more rows than columns are left to its word.
            if contest.left[row] > columns {
                let mut new = State { credit, column: NONE, ..state.closed(weights) };
                new.bound = new.value + new.credit + bound.from[row + 1];
                if new.bound >= enough {
                    next.push(new, used);
                }
            }
        }
    }

    /// Reads off the runs of the way that ends in this place of the trail.
    fn retrace(&self, mut place: u32, rows: usize, runs: &mut Vec<Run>) {
        runs.clear();
        for row in (0..rows).rev() {
            let (before, column) = self.trail[place as usize];
            place = before;
            if column == NONE {
                continue;
            }
            let column = column as usize;
            match runs.last_mut() {
                Some(run) if run.row == row + 1 && run.column == column + 1 => {
                    *run = Run { row, column, length: run.length + 1 };
                }
                _ => runs.push(Run { row, column, length: 1 }),
            }
        }
        runs.sort_unstable_by_key(|run| std::cmp::Reverse((run.length, run.row, run.column)));
    }
}

/// How much larger than the known one a matching must be to be another: sums of whole weights
/// differ by 1, others are told apart to some twelve digits.
fn margin(weights: &[f64], known: f64) -> f64 {
    let whole = weights.iter().all(|weight| weight.fract() == 0.0);
    if whole && known < 1e9 { 1.0 - 1e-3 } else { known * 1e-11 }
}
