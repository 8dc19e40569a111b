//! The matching of one segment, block by block, for those who want to look at it.

use super::greedy::Greedy;
use super::grid::{Grid, Run};
use super::{Formula, Matching, SCRATCH, capped};
use crate::hits::Pair;
use crate::interrupt::{Meter, with_scratch};

/// A run of the matching, and how many of its hits count: the others fell to the cap.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Block {
    /// The run's first word in the output.
    pub output: usize,
    /// Which of the references that are there, and the run's first word in it.
    pub reference: usize,
    pub start: usize,
    pub length: usize,
    pub counted: f64,
}

/// The runs in the order in which they count, and whether the matching is what the formula
/// promises. Runs that only the cap keeps out come last, with nothing counted.
pub fn blocks(pair: &Pair<'_>, formula: Formula) -> (Vec<Block>, bool) {
    with_scratch(&SCRATCH, |scratch| {
        scratch.powers.set(formula.exponent);
        scratch.grid.fill(pair);
        let cap = scratch.grid.cap();
        let mut proved = true;
        let counted: Vec<(Run, f64)> = match formula.matching {
            Matching::Greedy => greedily_capped(&mut scratch.grid, &mut scratch.greedy),
            Matching::Exact { nodes } if formula.exponent > 1.0 => {
                proved = scratch.find_largest(nodes);
                capped(&scratch.runs, cap).collect()
            }
            // With an exponent of 1 every matching that leaves nothing is the largest.
            Matching::Exact { .. } => {
                scratch.choose_all();
                capped(&scratch.runs, cap).collect()
            }
            Matching::Paper => {
                scratch.choose_all();
                capped(&scratch.runs, cap.floor()).collect()
            }
        };
        let ends: Vec<usize> = reference_ends(pair).collect();
        let block = |(run, counted): (Run, f64)| {
            let reference = ends.partition_point(|end| *end <= run.column);
            let first = if reference == 0 { 0 } else { ends[reference - 1] };
            let start = run.column - first;
            Block { output: run.row, reference, start, length: run.length, counted }
        };
        (counted.into_iter().map(block).collect(), proved)
    })
}

/// Where each reference's columns end, its barrier included.
fn reference_ends(pair: &Pair<'_>) -> impl Iterator<Item = usize> {
    pair.references().scan(0, |end, reference| {
        *end += reference.len() + 1;
        Some(*end)
    })
}

/// GTM 1.4's own way: when less is left than the length of the run in turn, the first hits of
/// that run are taken, and only they need to be free.
fn greedily_capped(grid: &mut Grid, greedy: &mut Greedy) -> Vec<(Run, f64)> {
    let mut counted: Vec<(Run, f64)> = Vec::new();
    let mut left = grid.cap();
    let mut turn = None;
    greedy.choose(grid, |run| {
        let before: Option<Run> = counted.last().map(|last| last.0);
        let passed = before.is_none_or(|before| left < before.length as f64);
        if left > 0.0 && passed && run.length as f64 >= left.ceil() {
            turn = Some(before);
            return false;
        }
        let length = left.min(run.length as f64);
        left -= length;
        counted.push((run, length));
        left > 0.0
    });
    greedy.start(grid);
    counted.iter().for_each(|(run, _)| greedy.use_up(*run));
    if let Some(before) = turn {
        let last = first_in_turn(grid, greedy, before, left.ceil() as usize);
        greedy.use_up(last);
        counted.push((last, left));
    }
    greedy.choose_more(grid, |run| {
        counted.push((run, 0.0));
        true
    });
    counted
}

/// The first `wanted` hits of the run whose turn it is after `before`, in the order of GTM 1.4:
/// runs that have lost hits further on keep the place that their whole length gives them.
fn first_in_turn(grid: &Grid, greedy: &Greedy, before: Option<Run>, wanted: usize) -> Run {
    let mut first = (0, 0, 0);
    // For each column the row last seen to hit it, and the run from there, whole and free.
    let mut ahead = vec![(usize::MAX, 0, 0); grid.columns.len() + 1];
    let mut meter = Meter::default();
    for row in (0..grid.rows.len()).rev() {
        for column in grid.hits(row) {
            meter.spend(1);
            let (seen, whole, free) = ahead[column + 1];
            let (whole, free) = if seen == row + 1 { (whole, free) } else { (0, 0) };
            let is_free = !greedy.used_rows.get(row) && !greedy.used_columns.get(column);
            let (whole, free) = (whole + 1, if is_free { free + 1 } else { 0 });
            ahead[column] = (row, whole, free);
            let place = match before {
                Some(last) if (row, column) < (last.row, last.column) => whole.min(last.length),
                Some(last) => whole.min(last.length - 1),
                None => whole,
            };
            if free >= wanted && place >= wanted {
                first = first.max((place, row, column));
            }
        }
    }
    Run { row: first.1, column: first.2, length: wanted }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{Random, hits};

    /// GTM 1.4 by the letter: every run of every length, sorted, walked through once.
    fn literally(output: &[u32], columns: &[u32], cap: f64) -> Vec<(Run, f64)> {
        let mut runs = Vec::new();
        for row in 0..output.len() {
            for column in 0..columns.len() {
                let equal = |at: &usize| output.get(row + at) == columns.get(column + at);
                let most = columns.len().min(output.len());
                let whole = (0..most).take_while(|at| row + at < output.len() && equal(at)).count();
                runs.extend((1..=whole).map(|length| Run { row, column, length }));
            }
        }
        runs.sort_by_key(|run| std::cmp::Reverse((run.length, run.row, run.column)));
        let (mut rows, mut cells) = (vec![false; output.len()], vec![false; columns.len()]);
        let mut left = cap;
        let mut taken = Vec::new();
        for run in runs {
            if left <= 0.0 {
                break;
            }
            let counted = left.min(run.length as f64);
            let hits = counted.ceil() as usize;
            if (0..hits).any(|at| rows[run.row + at] || cells[run.column + at]) {
                continue;
            }
            (0..hits).for_each(|at| (rows[run.row + at], cells[run.column + at]) = (true, true));
            left -= counted;
            taken.push((Run { length: hits, ..run }, counted));
        }
        taken
    }

    #[test]
    fn blocks_are_those_of_the_original() {
        let mut random = Random(7);
        for round in 0..3000 {
            let types = 1 + random.below(5);
            let output = random.sentence(11, types);
            let references: Vec<_> =
                (0..1 + round % 3).map(|_| random.sentence(8, types)).collect();
            let hits = hits(&output, &references);
            let formula = Formula { exponent: 2.0, matching: Matching::Greedy };
            let (found, proved) = blocks(&hits.get(0), formula);

            let mut joined = Vec::new();
            references.iter().for_each(|words| {
                joined.extend_from_slice(words);
                joined.push(u32::MAX);
            });
            let words = joined.len() - references.len();
            let cap = (words as f64 / references.len() as f64).min(output.len() as f64);
            let expected = literally(&output, &joined, cap);
            let found: Vec<_> = found
                .iter()
                .filter(|block| block.counted > 0.0)
                .map(|block| {
                    let before = references[..block.reference].iter().map(|words| words.len() + 1);
                    let column = before.sum::<usize>() + block.start;
                    let run = Run { row: block.output, column, length: block.length };
                    (run, block.counted)
                })
                .collect();
            assert!(proved);
            assert_eq!(found, expected, "{output:?} {references:?}");
        }
    }
}
