//! The matching of one segment, block by block, for those who want to look at it.

use super::grid::Run;
use super::{Formula, Matching, SCRATCH, capped};
use crate::hits::Pair;
use crate::interrupt::with_scratch;

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
/// promises. Of the run at which the cap is reached the first hits count; runs that only the cap
/// keeps out come last, with nothing counted.
pub fn blocks(pair: &Pair<'_>, formula: Formula) -> (Vec<Block>, bool) {
    with_scratch(&SCRATCH, |scratch| {
        scratch.powers.set(formula.exponent);
        scratch.grid.fill(pair);
        let mut cap = scratch.grid.cap();
        let mut proved = true;
        match formula.matching {
            // With an exponent of 1 every matching that leaves nothing is the largest.
            Matching::Exact { nodes } if formula.exponent > 1.0 => {
                proved = scratch.find_largest(nodes);
            }
            Matching::Paper => {
                scratch.choose_all();
                cap = cap.floor();
            }
            _ => scratch.choose_all(),
        }
        let ends: Vec<usize> = reference_ends(pair).collect();
        let block = |(run, counted): (Run, f64)| {
            let reference = ends.partition_point(|end| *end <= run.column);
            let first = if reference == 0 { 0 } else { ends[reference - 1] };
            let start = run.column - first;
            Block { output: run.row, reference, start, length: run.length, counted }
        };
        (capped(&scratch.runs, cap).map(block).collect(), proved)
    })
}

/// Where each reference's columns end, its barrier included.
fn reference_ends(pair: &Pair<'_>) -> impl Iterator<Item = usize> {
    pair.references().scan(0, |end, reference| {
        *end += reference.len() + 1;
        Some(*end)
    })
}
