//! Parts of a grid that can be matched each by itself.

use super::grid::Grid;

const NONE: u32 = u32::MAX;

/// A place in the grid where the words are equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hit {
    pub row: u32,
    pub column: u32,
}

/// All hits of the grid, row by row; None if there are more than `most`.
pub fn all_hits(grid: &Grid, most: usize) -> Option<Vec<Hit>> {
    let mut hits = Vec::new();
    for row in 0..grid.rows.len() {
        hits.extend(grid.hits(row).map(|column| Hit { row: row as u32, column: column as u32 }));
        if hits.len() > most {
            return None;
        }
    }
    Some(hits)
}

/// Cuts hits, given row by row, into parts of which no two share a row, a column or a run.
pub fn apart(hits: &[Hit]) -> Vec<Vec<Hit>> {
    let columns = hits.iter().map(|hit| hit.column as usize + 1).max().unwrap_or(0);
    let mut forest: Vec<u32> = (0..hits.len() as u32).collect();
    // For each column the last hit above, and one place before the first column.
    let mut above = vec![NONE; columns + 1];
    let mut first = 0;
    for row in hits.chunk_by(|one, other| one.row == other.row) {
        // From right to left, so that the left neighbour's last hit is still the one above.
        for at in (first..first + row.len()).rev() {
            let Hit { row, column } = hits[at];
            join(&mut forest, first, at);
            let same_column = above[column as usize + 1];
            if same_column != NONE {
                join(&mut forest, same_column as usize, at);
            }
            let left = above[column as usize];
            if left != NONE && hits[left as usize].row + 1 == row {
                join(&mut forest, left as usize, at);
            }
            above[column as usize + 1] = at as u32;
        }
        first += row.len();
    }
    let mut parts: Vec<Vec<Hit>> = Vec::new();
    let mut names = vec![NONE; hits.len()];
    for (at, hit) in hits.iter().enumerate() {
        let name = &mut names[root(&mut forest, at)];
        if *name == NONE {
            *name = parts.len() as u32;
            parts.push(Vec::new());
        }
        parts[*name as usize].push(*hit);
    }
    parts
}

fn join(forest: &mut [u32], one: usize, other: usize) {
    let (one, other) = (root(forest, one), root(forest, other));
    forest[one.max(other)] = one.min(other) as u32;
}

fn root(forest: &mut [u32], mut at: usize) -> usize {
    while forest[at] as usize != at {
        let up = forest[at] as usize;
        forest[at] = forest[up];
        at = up;
    }
    at
}

/// One part's hits with rows and columns numbered anew, and how far runs go on from each hit.
#[derive(Default)]
pub struct Table {
    cells: Vec<Cell>,
    /// For each row, where its cells end.
    ends: Vec<u32>,
    /// The grid's rows and columns.
    pub rows: Vec<u32>,
    pub columns: Vec<u32>,
    /// How much work a look at all runs is.
    pub steps: usize,
    numbers: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
pub struct Cell {
    pub column: u32,
    /// The length of the run from here on.
    pub forward: u32,
}

impl Table {
    pub fn fill(&mut self, hits: &[Hit]) {
        self.columns.clear();
        self.columns.extend(hits.iter().map(|hit| hit.column));
        self.columns.sort_unstable();
        self.columns.dedup();
        let last = self.columns.last().map_or(0, |column| *column as usize + 1);
        self.numbers.clear();
        self.numbers.resize(last, NONE);
        for (number, column) in self.columns.iter().enumerate() {
            self.numbers[*column as usize] = number as u32;
        }
        self.cells.clear();
        self.ends.clear();
        self.rows.clear();
        for hit in hits {
            if self.rows.last() != Some(&hit.row) {
                self.rows.push(hit.row);
                self.ends.push(0);
            }
            self.cells.push(Cell { column: self.numbers[hit.column as usize], forward: 1 });
            *self.ends.last_mut().unwrap() = self.cells.len() as u32;
        }
        self.measure_runs();
    }

    fn measure_runs(&mut self) {
        self.steps = 0;
        // For each column, the last row seen to hit it from below, and the run from there.
        let mut ahead = vec![(NONE, 0); self.columns.len() + 1];
        for row in (0..self.rows.len()).rev() {
            let below = self.rows.get(row + 1) == Some(&(self.rows[row] + 1));
            for at in self.range(row) {
                let column = self.cells[at].column as usize;
                let right = self.columns.get(column + 1) == Some(&(self.columns[column] + 1));
                let (seen, run) = ahead[column + 1];
                let goes_on = below && right && seen == row as u32 + 1;
                let forward = if goes_on { run + 1 } else { 1 };
                ahead[column] = (row as u32, forward);
                self.cells[at].forward = forward;
                self.steps += forward as usize;
            }
        }
    }

    fn range(&self, row: usize) -> std::ops::Range<usize> {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        start as usize..self.ends[row] as usize
    }

    /// The grid's rows that the part has hits in.
    pub fn grid_rows(&self) -> impl Iterator<Item = usize> {
        self.rows.iter().map(|row| *row as usize)
    }

    /// The row's cells from left to right.
    pub fn row(&self, row: usize) -> &[Cell] {
        &self.cells[self.range(row)]
    }

    pub fn hits(&self) -> usize {
        self.cells.len()
    }

    /// The hits that `keep` keeps, given the place of each.
    pub fn kept(&self, mut keep: impl FnMut(usize) -> bool) -> Vec<Hit> {
        let mut hits = Vec::new();
        for (row, name) in self.rows.iter().enumerate() {
            for at in self.range(row).filter(|at| keep(*at)) {
                let column = self.columns[self.cells[at].column as usize];
                hits.push(Hit { row: *name, column });
            }
        }
        hits
    }

    /// A quick bound on the weight of a matching: each row counts for its share of the longest
    /// run that passes it.
    pub fn share_bound(&self, weights: &[f64]) -> f64 {
        let mut passing = vec![(NONE, 0); self.columns.len() + 1];
        let mut bound = 0.0;
        for row in 0..self.rows.len() {
            let mut longest = 0;
            // From right to left, because a hit looks at what its left neighbour had above.
            for cell in self.row(row).iter().rev() {
                let (seen, length) = passing[cell.column as usize];
                let comes_on = seen != NONE && seen + 1 == row as u32 && length > cell.forward;
                let length = if comes_on { length } else { cell.forward };
                passing[cell.column as usize + 1] = (row as u32, length);
                longest = longest.max(length);
            }
            bound += weights[longest as usize] / f64::from(longest);
        }
        bound
    }
}
