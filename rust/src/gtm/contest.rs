//! Which columns more than one row could take.

use super::bound::HitTable;
use super::grid::Grid;

const NONE: u32 = u32::MAX;

#[derive(Default)]
pub struct Contest {
    /// For each row, how many rows have its word from here on.
    pub left: Vec<u32>,
    /// Columns none of whose hits has another hit before or behind it.
    pub lonely: Vec<bool>,
    /// The sum of the prices of all columns that can be matched.
    pub credit: f64,
    /// How many words the set of used columns takes.
    pub words: usize,
    /// For each column its place in that set, if it needs one.
    places: Vec<u32>,
    counts: Vec<u32>,
}

impl Contest {
    pub fn fill(&mut self, grid: &Grid, table: &HitTable, prices: &[f64]) {
        let columns = grid.columns.len();
        self.counts.clear();
        self.counts.resize(columns, 0);
        self.left.clear();
        self.left.resize(grid.rows.len(), 1);
        self.lonely.clear();
        self.lonely.resize(columns + 1, true);
        for row in (0..grid.rows.len()).rev() {
            for hit in table.row(row) {
                let column = hit.column as usize;
                self.counts[column] += 1;
                self.left[row] = self.counts[column];
                if hit.forward > 1 {
                    self.lonely[column] = false;
                    self.lonely[column + 1] = false;
                }
            }
        }
        self.credit = 0.0;
        self.places.clear();
        let mut contested = 0;
        for (column, count) in self.counts.iter().enumerate() {
            self.credit += if *count > 0 { prices[column] } else { 0.0 };
            self.places.push(if *count > 1 { contested } else { NONE });
            contested += (*count > 1) as u32;
        }
        self.words = contested.div_ceil(64) as usize;
    }

    #[inline(always)]
    pub fn is_used(&self, column: usize, used: &[u64]) -> bool {
        let place = self.places[column];
        place != NONE && used[place as usize / 64] >> (place % 64) & 1 != 0
    }

    #[inline(always)]
    pub fn take(&self, column: usize, used: &mut [u64]) {
        let place = self.places[column];
        if place != NONE {
            used[place as usize / 64] |= 1 << (place % 64);
        }
    }

    /// Forgets a column that no later row can take, so that states that differ only there meet.
    #[inline(always)]
    pub fn forget(&self, column: usize, used: &mut [u64]) {
        let place = self.places[column];
        if place != NONE {
            used[place as usize / 64] &= !(1 << (place % 64));
        }
    }
}
