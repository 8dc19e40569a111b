//! How large a matching can be at most.
//!
//! If columns could be used again and again, the best way to cover the rows with runs would be
//! found row by row. A price on each column makes up for much of what that ignores: whatever the
//! prices, their sum and the best covering after paying them bound every matching (Lagrangian
//! relaxation). Prices go up where a column is used twice and down where it is not used at all.

use super::grid::Grid;

/// A grid's hits, row by row, with how far runs go on from each.
#[derive(Default)]
pub struct HitTable {
    hits: Vec<Hit>,
    /// For each row, where its hits begin and end.
    rows: Vec<(u32, u32)>,
    /// For each column, the run from the row worked on.
    ahead: Vec<(u32, u32)>,
    /// How much work a look at all runs is.
    pub steps: usize,
}

#[derive(Clone, Copy)]
pub struct Hit {
    pub column: u32,
    /// The length of the run from here on.
    pub forward: u32,
}

impl HitTable {
    /// Lists the hits; false if there are more than `most`.
    pub fn fill(&mut self, grid: &Grid, most: usize) -> bool {
        self.hits.clear();
        self.rows.clear();
        self.rows.resize(grid.rows.len(), (0, 0));
        self.ahead.clear();
        self.ahead.resize(grid.columns.len() + 1, (u32::MAX, 0));
        self.steps = 0;
        for row in (0..grid.rows.len()).rev() {
            let start = self.hits.len();
            for column in grid.hits(row) {
                let (seen, run) = self.ahead[column + 1];
                let forward = if seen == row as u32 + 1 { run + 1 } else { 1 };
                self.ahead[column] = (row as u32, forward);
                self.hits.push(Hit { column: column as u32, forward });
                self.steps += forward as usize;
            }
            self.rows[row] = (start as u32, self.hits.len() as u32);
            if self.hits.len() > most {
                return false;
            }
        }
        true
    }

    pub fn row(&self, row: usize) -> &[Hit] {
        let (start, end) = self.rows[row];
        &self.hits[start as usize..end as usize]
    }

    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// A quick bound: each row counts for its share of the longest run that passes it.
    pub fn share_bound(&mut self, weights: &[f64]) -> f64 {
        self.ahead.fill((u32::MAX, 0));
        let mut bound = 0.0;
        for row in 0..self.rows.len() {
            let (start, end) = self.rows[row];
            let mut longest = 0;
            // From right to left, because a hit looks at its left neighbour's last row.
            for at in (start as usize..end as usize).rev() {
                let Hit { column, forward } = self.hits[at];
                let before = (column as usize).checked_sub(1).map(|left| self.ahead[left]);
                let length = match before {
                    Some((seen, length)) if seen.wrapping_add(1) == row as u32 && length > 0 => {
                        length
                    }
                    _ => forward,
                };
                self.ahead[column as usize] = (row as u32, length);
                longest = longest.max(length);
            }
            if longest > 0 {
                bound += weights[longest as usize] / longest as f64;
            }
        }
        bound
    }
}

#[derive(Default)]
pub struct Bound {
    /// The price of each column.
    pub prices: Vec<f64>,
    /// The sum of the prices of all columns before.
    pub before: Vec<f64>,
    /// The most that the rows from each on can gain after paying.
    pub from: Vec<f64>,
    /// The run that begins in each row of the best covering: its column and its length.
    covering: Vec<(u32, u32)>,
    uses: Vec<u32>,
    best_prices: Vec<f64>,
}

impl Bound {
    /// Prices of nothing.
    pub fn clear(&mut self, columns: usize) {
        self.prices.clear();
        self.prices.resize(columns, 0.0);
    }

    /// The bound at the present prices.
    pub fn at_prices(&mut self, table: &HitTable, weights: &[f64]) -> f64 {
        self.before.clear();
        self.before.push(0.0);
        let mut sum = 0.0;
        for price in &self.prices {
            sum += price;
            self.before.push(sum);
        }
        let rows = table.rows();
        self.from.clear();
        self.from.resize(rows + 1, 0.0);
        self.covering.clear();
        self.covering.resize(rows, (0, 0));
        for row in (0..rows).rev() {
            let mut best = self.from[row + 1];
            let mut chosen = (0, 0);
            for hit in table.row(row) {
                let column = hit.column as usize;
                let paid = self.before[column];
                for length in 1..=hit.forward as usize {
                    let gain = weights[length] - (self.before[column + length] - paid)
                        + self.from[row + length];
                    if gain > best {
                        best = gain;
                        chosen = (hit.column, length as u32);
                    }
                }
            }
            self.from[row] = best;
            self.covering[row] = chosen;
        }
        sum + self.from[0]
    }

    /// Looks for prices with a bound below `enough`, the size of a known matching and a bit;
    /// leaves the best prices found and gives their bound.
    pub fn tighten(
        &mut self,
        table: &HitTable,
        weights: &[f64],
        enough: f64,
        rounds: usize,
    ) -> f64 {
        let mut best = f64::INFINITY;
        let mut pace = 1.0;
        let mut since = 0;
        for round in 0..=rounds {
            let bound = self.at_prices(table, weights);
            if bound < best {
                best = bound;
                self.best_prices.clone_from(&self.prices);
                since = 0;
            } else {
                since += 1;
                if since == PATIENCE {
                    since = 0;
                    pace /= 2.0;
                }
            }
            if best < enough || round == rounds || !self.move_prices(pace, bound - enough) {
                break;
            }
        }
        if self.prices != self.best_prices {
            self.prices.clone_from(&self.best_prices);
            self.at_prices(table, weights);
        }
        best
    }

    /// The most that a run of `chain` words up to this hit and the rows behind it can gain.
    pub fn going_on(&self, row: usize, hit: &Hit, chain: u32, weights: &[f64]) -> f64 {
        let column = hit.column as usize + 1;
        let gain = |more: usize| {
            let paid = self.before[column + more] - self.before[column];
            weights[chain as usize + more] - paid + self.from[row + 1 + more]
        };
        (0..hit.forward as usize).map(gain).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Moves prices against the columns' uses; false where there is nothing to move.
    fn move_prices(&mut self, pace: f64, excess: f64) -> bool {
        self.uses.clear();
        self.uses.resize(self.prices.len(), 0);
        let mut row = 0;
        while row < self.covering.len() {
            let (column, length) = self.covering[row];
            for used in &mut self.uses[column as usize..(column + length) as usize] {
                *used += 1;
            }
            row += length.max(1) as usize;
        }
        let slope = |uses: u32, price: f64| {
            if uses == 0 && price == 0.0 { 0.0 } else { f64::from(uses) - 1.0 }
        };
        let pairs = || self.uses.iter().zip(&self.prices);
        let steepness: f64 = pairs().map(|(uses, price)| slope(*uses, *price).powi(2)).sum();
        if steepness == 0.0 {
            return false;
        }
        let step = pace * excess.max(0.0) / steepness;
        for (uses, price) in self.uses.iter().zip(&mut self.prices) {
            *price = (*price + step * slope(*uses, *price)).max(0.0);
        }
        true
    }
}

/// Rounds without progress before smaller steps.
const PATIENCE: usize = 4;
