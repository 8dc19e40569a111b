//! The greedy matching: always the longest run that is left, of equals the one that starts last
//! in the output, then in the references. The rest of a run that loses some hits can be taken
//! later.

use super::grid::{Bits, Grid, Run};
use crate::interrupt::{Meter, spend};

/// With more runs than this in a segment, memory counts for more than time.
const MANY: usize = 1 << 20;

/// A run whose length takes longer to find than the rest.
const LONG: usize = 64;

/// What a run in a list takes, in units of `spend`.
const LISTED: usize = 8;

const END: u32 = u32::MAX;

#[derive(Default)]
pub struct Greedy {
    pub used_rows: Bits,
    pub used_columns: Bits,
    /// Runs by length, each length's in a list.
    heads: Vec<u32>,
    entries: Vec<Entry>,
    same_length: Vec<(u32, u32)>,
    /// For the sweep: the row that was last seen to hit the column, and the run from there.
    ahead: Vec<(u32, u32)>,
}

struct Entry {
    row: u32,
    column: u32,
    next: u32,
}

impl Greedy {
    /// Gives the runs of the matching in the order in which they are chosen, until `take` has
    /// enough.
    pub fn choose(&mut self, grid: &mut Grid, take: impl FnMut(Run) -> bool) {
        self.start(grid);
        self.choose_more(grid, take);
    }

    /// Nothing is used yet.
    pub fn start(&mut self, grid: &Grid) {
        self.used_rows.clear(grid.rows.len());
        self.used_columns.clear(grid.columns.len());
    }

    /// The same among the rows and columns that are not used yet.
    pub fn choose_more(&mut self, grid: &mut Grid, take: impl FnMut(Run) -> bool) {
        if self.list(grid, MANY) { self.by_length(take) } else { self.by_sweeps(grid, take) }
    }

    /// Lists the grid's runs by length, each as long as it can be; false if there are too many.
    fn list(&mut self, grid: &Grid, most: usize) -> bool {
        self.heads.clear();
        self.entries.clear();
        spend(grid.rows.len());
        let mut meter = Meter::default();
        for row in 0..grid.rows.len() {
            let mut hits = 0;
            for column in grid.hits(row) {
                hits += 1;
                if !grid.goes_on_from_before(row, column) {
                    let length = grid.length(row, column);
                    if length > LONG {
                        spend(length);
                    }
                    self.add(row, column, length);
                }
            }
            meter.spend(hits);
            if self.entries.len() > most {
                return false;
            }
        }
        true
    }

    #[inline(always)]
    fn add(&mut self, row: usize, column: usize, length: usize) {
        if self.heads.len() <= length {
            self.heads.resize(length + 1, END);
        }
        let entry = Entry { row: row as u32, column: column as u32, next: self.heads[length] };
        self.heads[length] = self.entries.len() as u32;
        self.entries.push(entry);
    }

    fn by_length(&mut self, mut take: impl FnMut(Run) -> bool) {
        let mut same_length = std::mem::take(&mut self.same_length);
        let mut meter = Meter::default();
        for length in (1..self.heads.len()).rev() {
            same_length.clear();
            let mut at = self.heads[length];
            while at != END {
                let entry = &self.entries[at as usize];
                same_length.push((entry.row, entry.column));
                at = entry.next;
            }
            meter.spend((LISTED + length / 16) * same_length.len());
            // Already in order but for the rests of longer runs.
            if !same_length.is_sorted_by(|before, after| before > after) {
                same_length.sort_unstable_by(|before, after| after.cmp(before));
            }
            for (row, column) in &same_length {
                let run = Run { row: *row as usize, column: *column as usize, length };
                if self.is_free(run) {
                    self.use_up(run);
                    if !take(run) {
                        self.same_length = same_length;
                        return;
                    }
                } else if length > 1 {
                    self.add_rests(run);
                }
            }
        }
        self.same_length = same_length;
    }

    #[inline(always)]
    fn is_free(&self, run: Run) -> bool {
        self.free_from(run, 0) == run.length
    }

    /// How many of the run's hits are free from its nth on.
    #[inline(always)]
    fn free_from(&self, run: Run, nth: usize) -> usize {
        let mut at = nth;
        while at < run.length {
            let used = self.used(run, at);
            if used != 0 {
                return (at + used.trailing_zeros() as usize).min(run.length) - nth;
            }
            at += 64;
        }
        run.length - nth
    }

    /// A bit for each of the run's hits from its nth on: whether its row or column is used.
    #[inline(always)]
    fn used(&self, run: Run, nth: usize) -> u64 {
        self.used_rows.window(run.row + nth) | self.used_columns.window(run.column + nth)
    }

    pub fn use_up(&mut self, run: Run) {
        self.used_rows.insert(run.row, run.length);
        self.used_columns.insert(run.column, run.length);
    }

    /// Lists what is left of a run that has lost some of its hits.
    fn add_rests(&mut self, run: Run) {
        let mut at = 0;
        while let Some(rest) = self.next_free_part(run, at) {
            self.add(rest.row, rest.column, rest.length);
            at = rest.row + rest.length - run.row;
        }
    }

    /// The first stretch of the run's free hits from its nth on.
    pub fn next_free_part(&self, run: Run, mut nth: usize) -> Option<Run> {
        while nth < run.length {
            let length = self.free_from(run, nth);
            if length > 0 {
                return Some(Run { row: run.row + nth, column: run.column + nth, length });
            }
            nth += 1;
        }
        None
    }

    /// The same choice without a list, in memory for one row: each sweep over the grid takes all
    /// free runs of one length, and says how long the next can be.
    fn by_sweeps(&mut self, grid: &mut Grid, mut take: impl FnMut(Run) -> bool) {
        let mut length = Some(usize::MAX);
        while let Some(longest) = length.filter(|longest| *longest > 0) {
            spend(grid.rows.len() + grid.columns.len());
            grid.link(|column| !self.used_columns.get(column));
            length = self.sweep(grid, longest, &mut take);
        }
        grid.link(|_| true);
    }

    /// Takes the free runs of this length, the longest there are; gives a length that the rest
    /// does not exceed, or None when `take` has enough.
    fn sweep(
        &mut self,
        grid: &Grid,
        length: usize,
        mut take: impl FnMut(Run) -> bool,
    ) -> Option<usize> {
        self.ahead.clear();
        self.ahead.resize(grid.columns.len() + 1, (u32::MAX, 0));
        let mut longest = 0;
        let mut meter = Meter::default();
        for row in (0..grid.rows.len()).rev() {
            if self.used_rows.get(row) {
                continue;
            }
            let below = if self.used_rows.get(row + 1) { END } else { row as u32 + 1 };
            let mut last = None;
            // A run that this sweep takes begins above all that it has taken before, so that
            // only columns need a second look.
            for column in grid.hits(row).filter(|column| !self.used_columns.get(*column)) {
                meter.spend(1);
                let (seen, run) = self.ahead[column + 1];
                let free = if seen == below { run + 1 } else { 1 };
                self.ahead[column] = (row as u32, free);
                if free as usize >= length {
                    last = Some(column);
                } else {
                    longest = longest.max(free as usize);
                }
            }
            if let Some(column) = last {
                let run = Run { row, column, length };
                self.use_up(run);
                if !take(run) {
                    return None;
                }
            }
        }
        Some(longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{Random, hits};

    /// Both ways choose the same runs in the same order.
    #[test]
    fn two_ways_agree() {
        let mut random = Random(11);
        let mut grid = Grid::default();
        let mut greedy = Greedy::default();
        for round in 0..2000 {
            let types = 1 + random.below(6);
            let output = random.sentence(if round % 10 == 0 { 150 } else { 15 }, types);
            let references: Vec<_> =
                (0..1 + round % 3).map(|_| random.sentence(40, types)).collect();
            grid.fill(&hits(&output, &references).get(0));
            let mut listed = Vec::new();
            greedy.start(&grid);
            assert!(greedy.list(&grid, usize::MAX));
            greedy.by_length(|run| {
                listed.push(run);
                true
            });
            let mut swept = Vec::new();
            greedy.start(&grid);
            greedy.by_sweeps(&mut grid, |run| {
                swept.push(run);
                true
            });
            assert_eq!(listed, swept, "{output:?} {references:?}");
        }
    }
}
