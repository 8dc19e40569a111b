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
            let all = pair.references().map(|reference| edits(search, &pair, reference, style));
            let edits = all.min_by_key(|edits| edits.sum()).unwrap_or_default();
            row[0] = edits.insertions as f64;
            row[1] = edits.deletions as f64;
            row[2] = edits.substitutions as f64;
            row[3] = edits.shifts as f64;
            row[4] = pair.mean_length();
        }
    });
}

thread_local! {
    static SEARCH: interrupt::Scratch<Search> = const { Cell::new(None) };
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
