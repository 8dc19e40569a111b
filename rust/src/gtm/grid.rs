//! The bitext grid: output words down, the words of all references across.

use crate::hits::{NONE, Pair};

/// What stands behind each reference: it equals no word, so no run passes it.
const BARRIER: u32 = NONE - 1;
const END: u32 = u32::MAX;

/// One segment's grid. A hit is a row and a column with equal ids.
#[derive(Default)]
pub struct Grid {
    pub rows: Vec<u32>,
    /// The references one after the other, a barrier behind each.
    pub columns: Vec<u32>,
    /// The mean length of the references.
    pub mean: f64,
    /// Each id's first column, and for each column the next one of the same id.
    first: Vec<u32>,
    next: Vec<u32>,
}

/// Equal words in the same order: a diagonal of hits from (row, column) on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    pub row: usize,
    pub column: usize,
    pub length: usize,
}

impl Grid {
    pub fn fill(&mut self, pair: &Pair<'_>) {
        self.rows.clear();
        self.rows.extend_from_slice(pair.output);
        self.columns.clear();
        for reference in pair.references() {
            self.columns.extend_from_slice(reference);
            self.columns.push(BARRIER);
        }
        self.mean = pair.mean_length();
        self.first.clear();
        self.first.resize(pair.types, END);
        self.next.clear();
        self.next.resize(self.columns.len(), END);
        self.link(|_| true);
    }

    /// Makes `hits` give these columns only.
    pub fn link(&mut self, wanted: impl Fn(usize) -> bool) {
        self.first.fill(END);
        for (column, id) in self.columns.iter().enumerate().rev() {
            if *id != BARRIER && wanted(column) {
                self.next[column] = self.first[*id as usize];
                self.first[*id as usize] = column as u32;
            }
        }
    }

    /// How many hits may be matched: as many as the output and the mean reference have words.
    pub fn cap(&self) -> f64 {
        self.mean.min(self.rows.len() as f64)
    }

    /// The columns that the row hits, from left to right.
    #[inline(always)]
    pub fn hits(&self, row: usize) -> impl Iterator<Item = usize> {
        // NONE lies behind the last id.
        let mut column = self.first.get(self.rows[row] as usize).copied().unwrap_or(END);
        std::iter::from_fn(move || {
            let here = column;
            if here == END {
                return None;
            }
            column = self.next[here as usize];
            Some(here as usize)
        })
    }

    /// How many hits follow each other from (row, column) on.
    #[inline(always)]
    pub fn length(&self, row: usize, column: usize) -> usize {
        let rows = self.rows[row..].iter();
        rows.zip(&self.columns[column..]).take_while(|pair| pair.0 == pair.1).count()
    }

    /// Whether a longer run holds the one that starts here.
    #[inline(always)]
    pub fn goes_on_from_before(&self, row: usize, column: usize) -> bool {
        row > 0 && column > 0 && self.rows[row - 1] == self.columns[column - 1]
    }
}

/// A set of rows or of columns.
#[derive(Default, Clone)]
pub struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// Makes room for positions below `length` and empties the set.
    pub fn clear(&mut self, length: usize) {
        self.words.clear();
        // One word more, so that a window at any position is two whole words.
        self.words.resize(length / 64 + 2, 0);
    }

    pub fn get(&self, at: usize) -> bool {
        self.words[at / 64] >> (at % 64) & 1 != 0
    }

    pub fn insert(&mut self, from: usize, length: usize) {
        for at in from..from + length {
            self.words[at / 64] |= 1 << (at % 64);
        }
    }

    /// The sixty-four positions from `at` on.
    #[inline(always)]
    pub fn window(&self, at: usize) -> u64 {
        let (word, shift) = (at / 64, at % 64);
        // Shifted twice, because a shift by 64 is none.
        self.words[word] >> shift | self.words[word + 1] << 1 << (63 - shift)
    }
}
