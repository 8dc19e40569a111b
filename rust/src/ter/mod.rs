//! Translation edit rate: the edits of an output, where moving a block of words is one.

mod band;
mod beam;
mod both;
mod distance;
mod path;
mod plain;
mod reference;
mod search;
mod shifts;
#[cfg(test)]
mod tests;
mod whole;

use crate::hits::{Hits, Pair};
use crate::interrupt::{self, spend, with_scratch};
pub use distance::Rotation;
pub use path::Step;
pub use search::Edits;
use search::Search;
pub use shifts::Style;
use std::cell::Cell;

/// How many numbers `rows` gives for a segment.
pub const COLUMNS: usize = 5;

/// For each segment: insertions, deletions, substitutions and shifts for the reference that takes
/// the fewest edits, the first of equal ones, and the references' average length.
pub fn rows(hits: &Hits, style: Style, rows: &mut [f64]) {
    with_scratch(&SEARCH, |search| {
        for (index, row) in rows.chunks_exact_mut(COLUMNS).enumerate() {
            let pair = hits.get(index);
            let (_, edits) = best(search, &pair, style);
            row[0] = edits.insertions as f64;
            row[1] = edits.deletions as f64;
            row[2] = edits.substitutions as f64;
            row[3] = edits.shifts as f64;
            let (count, sum) = pair
                .references()
                .fold((0, 0), |(count, sum), reference| (count + 1, sum + reference.len()));
            row[4] = sum as f64 / count.max(1) as f64;
        }
    });
}

/// How an output becomes its easiest reference.
#[derive(Debug, PartialEq)]
pub struct Alignment {
    /// Which of the segment's references it is, of those that are there.
    pub reference: usize,
    /// The shifts in order, each an exchange of two neighbouring blocks of the output as the
    /// shifts before have left it.
    pub shifts: Vec<Rotation>,
    /// The places in the output of the words in their final order.
    pub order: Vec<usize>,
    /// What becomes of them, from the beginning to the end.
    pub steps: Vec<Step>,
}

/// The alignment of one segment, None if it has no reference.
pub fn alignment(hits: &Hits, index: usize, style: Style) -> Option<Alignment> {
    let pair = hits.get(index);
    with_scratch(&SEARCH, |search| {
        let (at, _) = best(search, &pair, style);
        let reference = pair.references().nth(at)?;
        edits(search, &pair, reference, style);
        let mut order: Vec<usize> = (0..pair.output.len()).collect();
        if reference.is_empty() {
            let steps = vec![Step::Insertion; order.len()];
            return Some(Alignment { reference: at, shifts: Vec::new(), order, steps });
        }
        search.made.iter().for_each(|rotation| rotation.apply(&mut order));
        let steps = search.path.steps();
        Some(Alignment { reference: at, shifts: search.made.clone(), order, steps })
    })
}

thread_local! {
    static SEARCH: interrupt::Scratch<Search> = const { Cell::new(None) };
}

/// The reference with the fewest edits, and these.
fn best(search: &mut Search, pair: &Pair<'_>, style: Style) -> (usize, Edits) {
    let all = pair.references().enumerate();
    let all = all.map(|(at, reference)| (at, edits(search, pair, reference, style)));
    all.min_by_key(|(_, edits)| edits.sum()).unwrap_or_default()
}

fn edits(search: &mut Search, pair: &Pair<'_>, reference: &[u32], style: Style) -> Edits {
    if reference.is_empty() {
        return Edits { insertions: pair.output.len() as u32, ..Edits::default() };
    }
    spend(reference.len() + pair.output.len());
    search.name(pair.output, reference, pair.types);
    let words = std::mem::take(&mut search.reference);
    let edits = search.run(&words, search.types, style);
    search.reference = words;
    edits
}
