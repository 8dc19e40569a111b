//! The largest matching: bounds first, then the hits that it cannot have, then a search.

use super::bound::Bound;
use super::greedy::Greedy;
use super::grid::{Bits, Grid, Run};
use super::part::{Hit, Table, all_hits, apart};
use super::search::Search;
use crate::interrupt::spend;

/// More hits than this are not listed: such a segment keeps its greedy matching.
const MOST_HITS: usize = 1 << 20;
/// How often the prices of a bound are adjusted before a look at the matching they suggest, and
/// how often that is done.
const ROUNDS: usize = 25;
const ATTEMPTS: usize = 6;
/// Steps of work on bounds that are allowed for each node of the search.
const STEPS_PER_NODE: usize = 20;
/// What bounds may be off by rounding.
const SLACK: f64 = 1e-3;

/// What listing a hit takes, in units of `spend`.
const HIT: usize = 32;

const NONE: u32 = u32::MAX;

/// What has to be matched, and how much runs weigh by length.
pub struct Problem<'a> {
    pub grid: &'a mut Grid,
    pub greedy: &'a mut Greedy,
    pub weights: &'a [f64],
}

#[derive(Default)]
pub struct Exact {
    table: Table,
    bound: Bound,
    search: Search,
    /// The column of each row in the best matching known.
    columns: Vec<u32>,
    spare: Vec<u32>,
    /// The price of each of the grid's columns, so far.
    prices: Vec<f64>,
}

/// Hits that are matched by themselves.
struct Part {
    hits: Vec<Hit>,
    /// Whether every row still hits all columns of its word.
    whole: bool,
}

/// What may still be spent.
struct Effort {
    nodes: usize,
    steps: usize,
}

/// What has become of a part.
enum Fate {
    Proved,
    Unproved,
    /// Some hits are out of question, and what is left falls apart.
    Reduced(Vec<Part>),
}

impl Exact {
    /// Replaces the runs, which are the greedy matching, by a larger one if it finds one; says
    /// whether what then stands in `runs`, longest first, is proved to be the largest.
    pub fn improve(&mut self, mut problem: Problem<'_>, nodes: usize, runs: &mut Vec<Run>) -> bool {
        // One run that leaves nothing could not be longer.
        if runs.len() <= 1 {
            return true;
        }
        let Some(hits) = all_hits(problem.grid, MOST_HITS) else { return false };
        self.table.fill(&hits);
        let known = weight(runs, problem.weights);
        let margin = margin(problem.weights, known);
        if self.table.share_bound(problem.weights) < known + margin {
            return true;
        }
        self.columns.clear();
        self.columns.resize(problem.grid.rows.len(), NONE);
        put(runs, &mut self.columns);
        self.prices.clear();
        self.prices.resize(problem.grid.columns.len(), 0.0);
        let mut effort = Effort { nodes, steps: nodes.saturating_mul(STEPS_PER_NODE) };
        let mut proved = true;
        let mut parts = parts(&hits, true);
        while let Some(part) = parts.pop() {
            match self.settle(&part, &mut problem, margin, &mut effort) {
                Fate::Proved => {}
                Fate::Unproved => proved = false,
                Fate::Reduced(smaller) => parts.extend(smaller),
            }
        }
        // Where greedy is the best there is, its own choice among equals stays.
        let found = runs_of(&self.columns, 0..self.columns.len());
        if weight(&found, problem.weights) > known {
            *runs = found;
        }
        proved
    }

    /// Proves that what is known of a part is the best, finds something better, or makes the part
    /// smaller.
    fn settle(
        &mut self,
        part: &Part,
        problem: &mut Problem<'_>,
        margin: f64,
        effort: &mut Effort,
    ) -> Fate {
        let weights = problem.weights;
        spend(HIT * part.hits.len());
        self.table.fill(&part.hits);
        self.bound.start(self.table.columns.iter().map(|column| self.prices[*column as usize]));
        let mut known = self.known(weights);
        let mut bound = f64::INFINITY;
        for _ in 0..ATTEMPTS {
            let rounds = ROUNDS.min(effort.steps / self.table.steps);
            effort.steps -= rounds * self.table.steps;
            bound = self.bound.tighten(&self.table, weights, known, margin, rounds);
            if bound < known + margin || rounds < ROUNDS {
                break;
            }
            self.repair(problem, known);
            known = self.known(weights);
        }
        if bound < known + margin {
            return Fate::Proved;
        }
        if bound == f64::INFINITY {
            return Fate::Unproved;
        }
        for (column, price) in self.table.columns.iter().zip(&self.bound.prices) {
            self.prices[*column as usize] = *price;
        }
        let kept = self.bound.worth_keeping(&self.table, weights, known - margin.min(SLACK));
        if kept.len() < part.hits.len() {
            return Fate::Reduced(parts(&kept, false));
        }
        let enough = known + margin;
        let found =
            self.search.run(&self.table, &self.bound, weights, enough, effort.nodes, part.whole);
        effort.nodes = effort.nodes.saturating_sub(found.nodes);
        if let Some((value, columns)) = found.best.filter(|best| best.0 > known) {
            known = value;
            for (row, column) in self.table.rows.iter().zip(columns) {
                self.columns[*row as usize] = column.map_or(NONE, |at| self.table.columns[at]);
            }
        }
        if found.given_up < known + margin { Fate::Proved } else { Fate::Unproved }
    }

    /// The weight of the best matching known of the part in the table.
    fn known(&self, weights: &[f64]) -> f64 {
        weight(&runs_of(&self.columns, self.table.grid_rows()), weights)
    }

    /// Makes a matching of the bound's covering, whose runs may share columns: longest first,
    /// then whatever is left. Keeps it if it is better than the known one.
    fn repair(&mut self, problem: &mut Problem<'_>, known: f64) {
        let Problem { grid, greedy, weights } = problem;
        let table = &self.table;
        spend(grid.rows.len() + grid.columns.len());
        greedy.start(grid);
        use_others(&mut greedy.used_rows, &table.rows, grid.rows.len());
        use_others(&mut greedy.used_columns, &table.columns, grid.columns.len());
        let mut covering: Vec<Run> = self.bound.covering().collect();
        covering.sort_by_key(|run| std::cmp::Reverse(run.length));
        let mut chosen: Vec<Run> = Vec::new();
        for Run { row, column, length } in covering {
            let (row, column) = (table.rows[row] as usize, table.columns[column] as usize);
            let mut at = 0;
            while let Some(free) = greedy.next_free_part(Run { row, column, length }, at) {
                at = free.row + free.length - row;
                greedy.use_up(free);
                chosen.push(free);
            }
        }
        greedy.choose_more(grid, |run| {
            chosen.push(run);
            true
        });
        self.spare.clear();
        self.spare.resize(self.columns.len(), NONE);
        put(&chosen, &mut self.spare);
        if weight(&runs_of(&self.spare, table.grid_rows()), weights) > known {
            table.grid_rows().for_each(|row| self.columns[row] = self.spare[row]);
        }
    }
}

fn parts(hits: &[Hit], whole: bool) -> Vec<Part> {
    apart(hits).into_iter().map(|hits| Part { hits, whole }).collect()
}

/// How much more than the known matching, at least, a larger one weighs.
///
/// A matching that leaves no pair of equal words has as many hits as any other such matching, so
/// if weights are whole, sums differ by multiples of what divides every weight less its length:
/// by 2 for squares, by 6 for cubes. Other weights are told apart to some eleven digits.
fn margin(weights: &[f64], known: f64) -> f64 {
    if known > 1e9 || weights.iter().any(|weight| weight.fract() != 0.0) {
        return known * 1e-11;
    }
    let excess = weights.iter().enumerate().map(|(length, weight)| *weight as u64 - length as u64);
    excess.fold(0, common_divisor).max(1) as f64 - SLACK
}

fn common_divisor(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { common_divisor(other, one % other) }
}

/// Uses up all places below `length` but these.
fn use_others(used: &mut Bits, places: &[u32], length: usize) {
    let mut start = 0;
    for place in places {
        used.insert(start, *place as usize - start);
        start = *place as usize + 1;
    }
    used.insert(start, length - start);
}

fn weight(runs: &[Run], weights: &[f64]) -> f64 {
    runs.iter().map(|run| weights[run.length]).sum()
}

/// Notes each row's column.
fn put(runs: &[Run], columns: &mut [u32]) {
    for run in runs {
        for at in 0..run.length {
            columns[run.row + at] = (run.column + at) as u32;
        }
    }
}

/// The runs that these rows make with their columns, longest first.
fn runs_of(columns: &[u32], rows: impl Iterator<Item = usize>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for row in rows.filter(|row| columns[*row] != NONE) {
        let column = columns[row] as usize;
        match runs.last_mut() {
            Some(run) if (run.row + run.length, run.column + run.length) == (row, column) => {
                run.length += 1;
            }
            _ => runs.push(Run { row, column, length: 1 }),
        }
    }
    runs.sort_unstable_by_key(|run| std::cmp::Reverse((run.length, run.row, run.column)));
    runs
}

#[cfg(test)]
mod tests {
    use super::super::{Formula, Matching, SCRATCH};
    use crate::interrupt::with_scratch;
    use crate::samples::{Random, hits};

    /// Every matching there is, one row after the other.
    fn largest(rows: &[u32], columns: &[u32], exponent: f64) -> f64 {
        fn try_row(
            row: usize,
            last: usize,
            chain: i32,
            used: u32,
            rows: &[u32],
            columns: &[u32],
            weight: &dyn Fn(i32) -> f64,
        ) -> f64 {
            if row == rows.len() {
                return weight(chain);
            }
            let skipped = try_row(row + 1, usize::MAX, 0, used, rows, columns, weight);
            let mut best = weight(chain) + skipped;
            for column in (0..columns.len()).filter(|column| used >> column & 1 == 0) {
                if columns[column] == rows[row] {
                    let now = used | 1 << column;
                    let goes_on = last != usize::MAX && last + 1 == column;
                    let (closed, longer) = if goes_on { (0, chain + 1) } else { (chain, 1) };
                    let rest = try_row(row + 1, column, longer, now, rows, columns, weight);
                    best = best.max(weight(closed) + rest);
                }
            }
            best
        }
        try_row(0, usize::MAX, 0, 0, rows, columns, &|length| f64::from(length).powf(exponent))
    }

    #[test]
    fn nothing_is_larger() {
        let mut random = Random(3);
        let mut better = 0;
        for round in 0..3000 {
            let types = 2 + random.below(4);
            let rows = random.sentence(9, types);
            let columns = random.sentence(7, types);
            let exponent = [2.0, 3.0, 1.5, 1.01, 7.3][round % 5];
            let hits = hits(&rows, std::slice::from_ref(&columns));
            let pair = hits.get(0);
            let formula = |matching| Formula { exponent, matching };
            with_scratch(&SCRATCH, |scratch| {
                scratch.powers.set(exponent);
                let (greedy, _) = scratch.size(&pair, formula(Matching::Greedy));
                let exact = formula(Matching::Exact { nodes: 1000 });
                let (size, proved) = scratch.size(&pair, exact);
                let expected = largest(&rows, &columns, exponent).powf(1.0 / exponent);
                assert!((size - expected).abs() < 1e-9, "{exponent} {rows:?} {columns:?}");
                assert!(proved && size >= greedy * (1.0 - 1e-15));
                better += (size > greedy + 1e-9) as u32;
            });
        }
        assert!(better > 10, "only {better} cases where greedy is not best");
    }

    /// Whatever the means, what is found is a matching, and more nodes do not find less.
    #[test]
    fn unproved_is_said() {
        let mut random = Random(5);
        let mut unproved = 0;
        for _ in 0..60 {
            let rows = random.sentence(90, 5);
            let columns = random.sentence(90, 5);
            let hits = hits(&rows, &[columns]);
            let pair = hits.get(0);
            with_scratch(&SCRATCH, |scratch| {
                scratch.powers.set(2.0);
                let mut size = |matching| scratch.size(&pair, Formula { exponent: 2.0, matching });
                let (greedy, _) = size(Matching::Greedy);
                let (least, _) = size(Matching::Exact { nodes: 0 });
                let (more, proved) = size(Matching::Exact { nodes: 300 });
                assert!(greedy <= least && least <= more);
                unproved += !proved as u32;
            });
        }
        assert!(unproved > 0);
    }
}
