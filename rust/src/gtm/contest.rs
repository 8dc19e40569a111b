//! Which columns more than one row could take.

use super::part::Table;

const NONE: u32 = u32::MAX;

#[derive(Default)]
pub struct Contest {
    /// For each column, the last row that can take it.
    pub last_row: Vec<usize>,
    /// Columns that are alike: none of their hits has another hit before or behind it.
    pub lonely: Vec<bool>,
    /// The sum of all prices.
    pub credit: f64,
    /// How many words the set of used columns takes.
    pub words: usize,
    /// For each row, how many rows have its word from here on, if every row still hits all
    /// columns of its word.
    left: Option<Vec<u32>>,
    /// For each column its place in the set of used columns, if it needs one.
    places: Vec<u32>,
}

impl Contest {
    pub fn fill(&mut self, table: &Table, prices: &[f64], whole: bool) {
        let (rows, columns) = (table.rows.len(), table.columns.len());
        let mut counts = vec![0; columns];
        let mut left = vec![0; rows];
        self.last_row.clear();
        self.last_row.resize(columns, 0);
        self.lonely.clear();
        self.lonely.resize(columns + 1, whole);
        for row in (0..rows).rev() {
            for cell in table.row(row) {
                let column = cell.column as usize;
                if counts[column] == 0 {
                    self.last_row[column] = row;
                }
                counts[column] += 1;
                left[row] = counts[column];
                if cell.forward > 1 {
                    self.lonely[column] = false;
                    self.lonely[column + 1] = false;
                }
            }
        }
        self.left = whole.then_some(left);
        self.credit = prices.iter().sum();
        self.places.clear();
        let mut contested = 0;
        for count in counts {
            self.places.push(if count > 1 { contested } else { NONE });
            contested += (count > 1) as u32;
        }
        // A run may look one column too far.
        self.places.push(NONE);
        self.words = contested.div_ceil(64) as usize;
    }

    /// Matching one word more never makes a matching smaller: a row stays empty only where more
    /// rows than columns are left to its word. If some hits are out of question, any row may.
    pub fn may_stay_empty(&self, row: usize, free_columns: u32) -> bool {
        self.left.as_ref().is_none_or(|left| left[row] > free_columns)
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

    #[inline(always)]
    pub fn forget(&self, column: usize, used: &mut [u64]) {
        let place = self.places[column];
        if place != NONE {
            used[place as usize / 64] &= !(1 << (place % 64));
        }
    }
}
