//! How large a matching can be at most.
//!
//! If columns could be used again and again, the best way to cover the rows with runs would be
//! found row by row. A price on each column makes up for much of what that ignores: whatever the
//! prices, their sum and the best covering after paying them bound every matching (Lagrangian
//! relaxation). Prices go up where a column is used twice and down where it is not used at all.

use super::grid::Run;
use super::part::{Cell, Hit, Table};
use crate::interrupt::Meter;

#[derive(Default)]
pub struct Bound {
    /// The price of each column.
    pub prices: Vec<f64>,
    /// The sum of the prices of all columns before.
    before: Vec<f64>,
    /// The most that the rows from each on can gain after paying, and the rows up to each.
    pub from: Vec<f64>,
    up_to: Vec<f64>,
    /// The run that begins in each row of the best covering: its column and its length.
    covering: Vec<(u32, u32)>,
    uses: Vec<u32>,
    best: f64,
    best_prices: Vec<f64>,
    /// How long a step is, and how many rounds ago the bound last came down.
    pace: f64,
    since: usize,
    /// For each column and the row worked on: the row's bound with that hit.
    passing: Vec<(u32, f64)>,
}

/// Rounds without progress before smaller steps.
const PATIENCE: usize = 4;

impl Bound {
    /// Begins with these prices.
    pub fn start(&mut self, prices: impl Iterator<Item = f64>) {
        self.prices.clear();
        self.prices.extend(prices);
        self.best_prices.clone_from(&self.prices);
        self.best = f64::INFINITY;
        self.pace = 1.0;
        self.since = 0;
    }

    /// Looks on for prices with a bound less than `margin` above the weight of a known matching;
    /// leaves the best prices found and gives their bound.
    pub fn tighten(
        &mut self,
        table: &Table,
        weights: &[f64],
        known: f64,
        margin: f64,
        rounds: usize,
    ) -> f64 {
        for round in 1..=rounds {
            let bound = self.at_prices(table, weights);
            if bound < self.best {
                self.best = bound;
                self.best_prices.clone_from(&self.prices);
                self.since = 0;
            } else {
                self.since += 1;
                if self.since == PATIENCE {
                    self.since = 0;
                    self.pace /= 2.0;
                }
            }
            let done = self.best < known + margin || round == rounds;
            if done || !self.move_prices(bound - known) {
                break;
            }
        }
        if self.prices != self.best_prices {
            self.prices.clone_from(&self.best_prices);
            self.at_prices(table, weights);
        }
        self.best
    }

    /// The runs of the best covering at the present prices, in rows and columns of the table.
    pub fn covering(&self) -> impl Iterator<Item = Run> {
        let mut row = 0;
        std::iter::from_fn(move || {
            while row < self.covering.len() {
                let (column, length) = self.covering[row];
                let run = Run { row, column: column as usize, length: length as usize };
                row += run.length.max(1);
                if run.length > 0 {
                    return Some(run);
                }
            }
            None
        })
    }

    /// The bound at the present prices.
    fn at_prices(&mut self, table: &Table, weights: &[f64]) -> f64 {
        self.before.clear();
        self.before.push(0.0);
        let mut sum = 0.0;
        for price in &self.prices {
            sum += price;
            self.before.push(sum);
        }
        let rows = table.rows.len();
        self.from.clear();
        self.from.resize(rows + 1, 0.0);
        self.covering.clear();
        self.covering.resize(rows, (0, 0));
        let mut meter = Meter::default();
        for row in (0..rows).rev() {
            let mut best = self.from[row + 1];
            let mut chosen = (0, 0);
            for cell in table.row(row) {
                meter.spend(cell.forward as usize);
                let column = cell.column as usize;
                let paid = self.before[column];
                let lengths = 1..=cell.forward as usize;
                for length in lengths {
                    let gain = weights[length] - (self.before[column + length] - paid)
                        + self.from[row + length];
                    if gain > best {
                        best = gain;
                        chosen = (cell.column, length as u32);
                    }
                }
            }
            self.from[row] = best;
            self.covering[row] = chosen;
        }
        sum + self.from[0]
    }

    /// The hits that a matching of weight `known` or more can have.
    pub fn worth_keeping(&mut self, table: &Table, weights: &[f64], known: f64) -> Vec<Hit> {
        let rows = table.rows.len();
        let prices: f64 = self.prices.iter().sum();
        self.up_to.clear();
        self.up_to.resize(rows + 1, f64::NEG_INFINITY);
        self.up_to[0] = 0.0;
        let mut meter = Meter::default();
        for row in 0..rows {
            self.up_to[row + 1] = self.up_to[row + 1].max(self.up_to[row]);
            for cell in table.row(row) {
                meter.spend(cell.forward as usize);
                for length in 1..=cell.forward as usize {
                    let gain = self.up_to[row] + self.gain(cell, length, weights);
                    self.up_to[row + length] = self.up_to[row + length].max(gain);
                }
            }
        }
        // The best covering with a run that ends behind each hit or passes it: from run to run
        // the intervals that start here are looked at once, longest first.
        self.passing.clear();
        self.passing.resize(table.columns.len() + 1, (u32::MAX, 0.0));
        let mut keep = Vec::new();
        let mut reach: Vec<Vec<f64>> = vec![Vec::new(); table.columns.len() + 1];
        for row in 0..rows {
            for cell in table.row(row).iter().rev() {
                let column = cell.column as usize;
                let forward = cell.forward as usize;
                meter.spend(2 * forward);
                // What comes on from the left neighbour: the best interval that started before
                // and reaches at least n hits from here on.
                let mut best = std::mem::take(&mut reach[column]);
                let comes_on = self.passing[column].0 != u32::MAX
                    && self.passing[column].0 + 1 == row as u32
                    && best.len() == forward + 1;
                if comes_on {
                    best.remove(0);
                } else {
                    best.clear();
                    best.resize(forward, f64::NEG_INFINITY);
                }
                let mut longest = f64::NEG_INFINITY;
                for length in (1..=forward).rev() {
                    let gain = self.gain(cell, length, weights);
                    longest = longest.max(self.up_to[row] + gain + self.from[row + length]);
                    best[length - 1] = best[length - 1].max(longest);
                }
                self.passing[column + 1] = (row as u32, best[0]);
                reach[column + 1] = best;
            }
            keep.extend(
                table
                    .row(row)
                    .iter()
                    .map(|cell| self.passing[cell.column as usize + 1].1 + prices >= known),
            );
        }
        table.kept(|at| keep[at])
    }

    fn gain(&self, cell: &Cell, length: usize, weights: &[f64]) -> f64 {
        let column = cell.column as usize;
        weights[length] - (self.before[column + length] - self.before[column])
    }

    /// The most that a run of `chain` words up to this cell and the rows behind it can gain.
    pub fn going_on(&self, row: usize, cell: &Cell, chain: u32, weights: &[f64]) -> f64 {
        let column = cell.column as usize + 1;
        let gain = |more: usize| {
            let paid = self.before[column + more] - self.before[column];
            weights[chain as usize + more] - paid + self.from[row + 1 + more]
        };
        (0..cell.forward as usize).map(gain).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Moves prices against the columns' uses; false where there is nothing to move.
    fn move_prices(&mut self, excess: f64) -> bool {
        let mut uses = std::mem::take(&mut self.uses);
        uses.clear();
        uses.resize(self.prices.len(), 0);
        for run in self.covering() {
            uses[run.column..run.column + run.length].iter_mut().for_each(|used| *used += 1);
        }
        self.uses = uses;
        let slope = |uses: u32, price: f64| {
            if uses == 0 && price == 0.0 { 0.0 } else { f64::from(uses) - 1.0 }
        };
        let pairs = || self.uses.iter().zip(&self.prices);
        let steepness: f64 = pairs().map(|(uses, price)| slope(*uses, *price).powi(2)).sum();
        if steepness == 0.0 {
            return false;
        }
        let step = self.pace * excess / steepness;
        for (uses, price) in self.uses.iter().zip(&mut self.prices) {
            *price = (*price + step * slope(*uses, *price)).max(0.0);
        }
        true
    }
}
