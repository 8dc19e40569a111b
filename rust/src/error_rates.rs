//! What the error rates add up: edits against the reference of choice, in order or in any order.

use crate::edit::{Counts, Edit, Grid, Preference, Words};
use crate::hits::{Hits, Pair};
use crate::interrupt::{self, spend, with_scratch};
use crate::rapidfuzz;
use crate::unigram;
use std::cell::Cell;

/// Which of several references an output is held against.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Choice {
    /// The one with the fewest edits, the longest of those, the first of those.
    Fewest,
    /// The one with the fewest edits for its length (an empty one counts as a word), the first of
    /// those.
    Rate,
}

impl Choice {
    fn prefers(self, new: &Counts, old: &Counts) -> bool {
        let (edits, length) = (new.edits(), reference_length(new));
        let (old_edits, old_length) = (old.edits(), reference_length(old));
        match self {
            Choice::Fewest => edits < old_edits || edits == old_edits && length > old_length,
            Choice::Rate => edits * old_length.max(1) < old_edits * length.max(1),
        }
    }
}

/// Which length the edits are set against.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Length {
    /// The chosen reference's.
    Chosen,
    /// The mean of all references'.
    Mean,
}

pub const COLUMNS: usize = 5;

/// For each segment: substitutions, insertions, deletions, hits, and the reference length.
pub fn ordered_rows(hits: &Hits, choice: Choice, length: Length, rows: &mut [f64]) {
    with_scratch(&GRID, |grid| {
        fill(hits, choice, length, rows, |words| grid.counts(words, Preference::Pairs));
    });
}

/// The same for the alignment that rapidfuzz takes.
pub fn rapidfuzz_rows(hits: &Hits, choice: Choice, length: Length, rows: &mut [f64]) {
    with_scratch(&GRID, |grid| {
        fill(hits, choice, length, rows, |words| rapidfuzz::counts(grid, words));
    });
}

/// The same for words in any order: what matches nothing is substituted as far as there are words
/// left on both sides, the rest is inserted or deleted.
pub fn unordered_rows(hits: &Hits, choice: Choice, length: Length, rows: &mut [f64]) {
    with_scratch(&unigram::COUNTS, |counts| {
        fill(hits, choice, length, rows, |words| unordered(words, counts));
    });
}

/// For each segment: 1 if the output is none of the references else 0, and 1.
pub fn unequal_rows(hits: &Hits, rows: &mut [f64]) {
    for (index, row) in rows.chunks_exact_mut(2).enumerate() {
        let pair = hits.get(index);
        spend(pair.output.len());
        let equal = pair.references().any(|reference| reference == pair.output);
        row.copy_from_slice(&[!equal as u8 as f64, 1.0]);
    }
}

/// A segment's alignment with each reference that is there, and which of them is chosen.
pub fn alignments(pair: &Pair<'_>, choice: Choice, prefers: Preference) -> (usize, Vec<Vec<Edit>>) {
    with_scratch(&GRID, |grid| {
        let counts = pair.words().map(|words| grid.counts(words, prefers));
        let (chosen, _) = choose(choice, counts);
        let steps = pair.words().map(|words| align(grid, words, prefers));
        (chosen, steps.collect())
    })
}

fn align(grid: &mut Grid, words: Words<'_>, prefers: Preference) -> Vec<Edit> {
    match prefers {
        Preference::Pairs => grid.alignment(words, prefers),
        Preference::Deletions => rapidfuzz::alignment(grid, words),
    }
}

thread_local! {
    static GRID: interrupt::Scratch<Grid> = const { Cell::new(None) };
}

fn fill(
    hits: &Hits,
    choice: Choice,
    length: Length,
    rows: &mut [f64],
    mut compare: impl FnMut(Words<'_>) -> Counts,
) {
    for (index, row) in rows.chunks_exact_mut(COLUMNS).enumerate() {
        let pair = hits.get(index);
        let (_, counts) = choose(choice, pair.words().map(&mut compare));
        let length = match length {
            Length::Chosen => reference_length(&counts) as f64,
            Length::Mean => pair.mean_length(),
        };
        row.copy_from_slice(&[
            counts.substitutions as f64,
            counts.insertions as f64,
            counts.deletions as f64,
            counts.hits as f64,
            length,
        ]);
    }
}

fn choose(choice: Choice, counts: impl Iterator<Item = Counts>) -> (usize, Counts) {
    let better = |old: (usize, Counts), new: (usize, Counts)| {
        if choice.prefers(&new.1, &old.1) { new } else { old }
    };
    counts.enumerate().reduce(better).unwrap_or_default()
}

fn reference_length(counts: &Counts) -> usize {
    counts.substitutions + counts.deletions + counts.hits
}

fn unordered(words: Words<'_>, counts: &mut Vec<u32>) -> Counts {
    let Words { output, reference, types } = words;
    let hits = unigram::matches(output, [reference].into_iter(), types, counts);
    let (output, reference) = (output.len(), reference.len());
    Counts {
        substitutions: output.min(reference) - hits,
        insertions: output.saturating_sub(reference),
        deletions: reference.saturating_sub(output),
        hits,
    }
}
