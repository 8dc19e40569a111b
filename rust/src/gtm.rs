//! General Text Matcher: the size of a matching of output and references that rewards long runs
//! (Turian, Shen and Melamed 2003).

mod blocks;
mod bound;
mod contest;
mod exact;
mod greedy;
mod grid;
mod layer;
mod part;
mod search;
mod weight;

use crate::hits::{Hits, Pair};
use crate::interrupt::{self, with_scratch};
use crate::unigram;
pub use blocks::{Block, blocks};
use exact::{Exact, Problem};
use greedy::Greedy;
use grid::{Grid, Run};
use std::cell::Cell;
use weight::Powers;

/// How the matching is found and, with several references, cut down to the mean length.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Matching {
    /// As GTM 1.4 does: the longest run that is left, until the mean length is used up.
    Greedy,
    /// As the paper says: the same matching, whole; then hits of the shortest runs are deleted.
    Paper,
    /// The largest matching there is; then the cap of `Greedy`. The search gives up when it has
    /// looked at this many partial matchings.
    Exact { nodes: usize },
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Formula {
    /// A run of n words weighs n to the power of this, at least 1.
    pub exponent: f64,
    pub matching: Matching,
}

impl Formula {
    /// How many numbers `rows` gives for a segment.
    pub fn columns(&self) -> usize {
        if matches!(self.matching, Matching::Exact { .. }) { 4 } else { 3 }
    }
}

/// For each segment: the size of its matching, the output's length, the references' mean length
/// and, for exact matchings, 1 if this one is not proved to be the largest.
pub fn rows(hits: &Hits, formula: Formula, rows: &mut [f64]) {
    with_scratch(&SCRATCH, |scratch| {
        scratch.powers.set(formula.exponent);
        for (index, row) in rows.chunks_exact_mut(formula.columns()).enumerate() {
            let pair = hits.get(index);
            let (size, proved) = scratch.size(&pair, formula);
            row[0] = size;
            row[1] = pair.output.len() as f64;
            row[2] = pair.mean_length();
            if let Some(unproved) = row.get_mut(3) {
                *unproved = (!proved) as u8 as f64;
            }
        }
    });
}

#[derive(Default)]
struct Sizes {
    powers: Powers,
    counts: Vec<u32>,
    /// The lengths that count, in the order in which their weights are added up.
    lengths: Vec<f64>,
    runs: Vec<Run>,
    grid: Grid,
    greedy: Greedy,
    exact: Exact,
}

thread_local! {
    static SCRATCH: interrupt::Scratch<Sizes> = const { Cell::new(None) };
}

impl Sizes {
    /// The size of the segment's matching, and whether it is what the formula promises.
    fn size(&mut self, pair: &Pair<'_>, formula: Formula) -> (f64, bool) {
        if formula.exponent == 1.0 {
            return (self.linear_size(pair, formula.matching), true);
        }
        self.grid.fill(pair);
        let cap = self.grid.cap();
        self.lengths.clear();
        let mut proved = true;
        match formula.matching {
            Matching::Greedy => {
                let mut left = cap;
                self.greedy.choose(&mut self.grid, |run| {
                    let counted = left.min(run.length as f64);
                    left -= counted;
                    self.lengths.push(counted);
                    left > 0.0
                });
            }
            Matching::Paper => {
                self.choose_all();
                self.keep_lengths(cap.floor());
            }
            Matching::Exact { nodes } => {
                proved = self.find_largest(nodes);
                self.keep_lengths(cap);
            }
        }
        (self.powers.size(&self.lengths), proved)
    }

    fn keep_lengths(&mut self, cap: f64) {
        let counted = capped(&self.runs, cap).map(|(_, counted)| counted);
        self.lengths.extend(counted.take_while(|counted| *counted > 0.0));
    }

    /// Every run counts for its words if the exponent is 1, so it does not matter which are taken:
    /// as many words match as both sides have of each.
    fn linear_size(&mut self, pair: &Pair<'_>, matching: Matching) -> f64 {
        let references = pair.references();
        let matches = unigram::matches(pair.output, references, pair.types, &mut self.counts);
        let mean = pair.mean_length();
        let cap = if matching == Matching::Paper { mean.floor() } else { mean };
        cap.min(matches as f64)
    }

    /// Puts the greedy matching, uncapped, into `runs`.
    fn choose_all(&mut self) {
        self.runs.clear();
        self.greedy.choose(&mut self.grid, |run| {
            self.runs.push(run);
            true
        });
    }

    /// Finds the matching with the largest sum of weights, or the largest it comes across.
    fn find_largest(&mut self, nodes: usize) -> bool {
        self.choose_all();
        let longest = self.grid.rows.len().min(self.grid.columns.len());
        let weights = self.powers.weights(longest);
        let problem = Problem { grid: &mut self.grid, greedy: &mut self.greedy, weights };
        self.exact.improve(problem, nodes, &mut self.runs)
    }
}

/// Runs, the longest first, with the length of each that counts: as much as the cap allows.
fn capped(runs: &[Run], cap: f64) -> impl Iterator<Item = (Run, f64)> {
    runs.iter().scan(cap, |left, run| {
        let counted = left.min(run.length as f64);
        *left -= counted;
        Some((*run, counted))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{Random, hits};

    /// With an exponent of 1 the closed form is what the greedy walk adds up to.
    #[test]
    fn linear_sizes_need_no_runs() {
        let mut random = Random(1);
        for round in 0..2000 {
            let output = random.sentence(20, 6);
            let references: Vec<_> = (0..1 + round % 3).map(|_| random.sentence(15, 6)).collect();
            let hits = hits(&output, &references);
            let pair = hits.get(0);
            for matching in [Matching::Greedy, Matching::Paper, Matching::Exact { nodes: 9 }] {
                let formula = Formula { exponent: 1.0, matching };
                let (size, _) = Sizes::default().size(&pair, formula);
                let counted: f64 = blocks(&pair, formula).0.iter().map(|block| block.counted).sum();
                assert_eq!(size, counted, "{output:?} {references:?}");
            }
        }
    }

    /// Exponents whose powers leave the range of doubles still give a size.
    #[test]
    fn huge_exponents() {
        let words: Vec<u32> = (0..60).collect();
        let hits = hits(&words, std::slice::from_ref(&words));
        for matching in [Matching::Greedy, Matching::Exact { nodes: 9 }] {
            let formula = Formula { exponent: 500.0, matching };
            let mut row = vec![0.0; formula.columns()];
            rows(&hits, formula, &mut row);
            assert_eq!(row[0], 60.0);
        }
    }
}
