//! The states of the search after one row.

use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

pub const NONE: u32 = u32::MAX;

/// A way to match the rows so far, told from others only by what matters to the rows to come.
#[derive(Clone, Copy)]
pub struct State {
    /// The weight of the runs that are at their end.
    pub value: f64,
    /// The prices of the columns that later rows can still take.
    pub credit: f64,
    /// What the whole matching can weigh at most.
    pub bound: f64,
    /// The column of this row, or NONE.
    pub column: u32,
    /// The length of the run that may go on, and its column.
    pub chain: u32,
    pub last: u32,
    pub trail: u32,
}

impl Default for State {
    fn default() -> Self {
        let bound = f64::INFINITY;
        State { value: 0.0, credit: 0.0, bound, column: NONE, chain: 0, last: NONE, trail: 0 }
    }
}

impl State {
    /// How much memory it takes, without its set of used columns but with its place in the layer.
    pub const WORDS: usize = 9;

    /// The state once its run has come to an end.
    pub fn closed(self, weights: &[f64]) -> Self {
        State { value: self.value + weights[self.chain as usize], chain: 0, last: NONE, ..self }
    }

    /// The state with the next row matched to this column.
    pub fn matched(self, column: u32, weights: &[f64]) -> Self {
        let goes_on = self.last != NONE && self.last + 1 == column;
        let before = if goes_on { self } else { self.closed(weights) };
        State { chain: before.chain + 1, last: column, column, ..before }
    }
}

/// States, each with its set of used columns; of two that are alike the better one is kept.
#[derive(Default)]
pub struct Layer {
    states: Vec<State>,
    used: Vec<u64>,
    words: usize,
    places: FxHashMap<u64, u32>,
}

impl Layer {
    pub fn clear(&mut self, words: usize) {
        self.states.clear();
        self.used.clear();
        self.places.clear();
        self.words = words;
    }

    pub fn len(&self) -> usize {
        self.states.len()
    }

    pub fn states(&mut self) -> &mut [State] {
        &mut self.states
    }

    pub fn get(&self, at: usize) -> (State, &[u64]) {
        (self.states[at], &self.used[at * self.words..][..self.words])
    }

    pub fn push(&mut self, state: State, used: &[u64]) {
        let mut hasher = FxHasher::default();
        (used, state.last, state.chain).hash(&mut hasher);
        let next = self.states.len() as u32;
        let place = *self.places.entry(hasher.finish()).or_insert(next);
        if place != next {
            let (other, others_used) = self.get(place as usize);
            if others_used == used && (other.last, other.chain) == (state.last, state.chain) {
                if state.value > other.value {
                    self.states[place as usize] = state;
                }
                return;
            }
        }
        self.states.push(state);
        self.used.extend_from_slice(used);
    }

    /// Keeps the states with the highest bounds; gives the highest bound among the others.
    pub fn keep_best(&mut self, most: usize) -> f64 {
        if self.states.len() <= most {
            return f64::NEG_INFINITY;
        }
        let mut order: Vec<usize> = (0..self.states.len()).collect();
        // A stable sort: of equals the first, so that the same search always ends the same way.
        order.sort_by(|one, other| self.states[*other].bound.total_cmp(&self.states[*one].bound));
        let given_up = self.states[order[most]].bound;
        order.truncate(most);
        let mut kept = Layer { words: self.words, ..Layer::default() };
        for at in order {
            let (state, used) = self.get(at);
            kept.push(state, used);
        }
        *self = kept;
        given_up
    }
}
