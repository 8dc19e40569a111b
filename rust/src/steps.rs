//! N-grams as steps from the (n-1)-gram that begins one to the word that ends it.

use rustc_hash::FxHashMap;

/// An n-gram as it was found in the table.
#[derive(Clone, Copy)]
pub struct Gram {
    pub id: u32,
    pub count: u32,
}

pub fn key(first: u32, last: u32) -> u64 {
    (first as u64) << 32 | last as u64
}

/// N-grams of one order by their beginning and their last word, with their counts.
#[derive(Default)]
pub struct Steps {
    grams: FxHashMap<u64, Gram>,
}

impl Steps {
    /// Makes room for so many n-grams more.
    pub fn reserve(&mut self, more: usize) {
        self.grams.reserve(more);
    }

    /// Counts the n-gram so often, and gives its id.
    #[inline]
    pub fn add(&mut self, key: u64, count: u32) -> u32 {
        let id = self.grams.len() as u32;
        let gram = self.grams.entry(key).or_insert(Gram { id, count: 0 });
        gram.count = gram.count.saturating_add(count);
        gram.id
    }

    #[inline]
    pub fn find(&self, key: u64) -> Option<Gram> {
        self.grams.get(&key).copied()
    }

    /// How many n-grams there are.
    pub fn len(&self) -> usize {
        self.grams.len()
    }

    /// Three numbers for each n-gram: its beginning, its last word and its count.
    pub fn table(&self) -> Vec<u32> {
        let mut table = vec![0; 3 * self.len()];
        for (key, gram) in &self.grams {
            let row = [(key >> 32) as u32, *key as u32, gram.count];
            table[3 * gram.id as usize..][..3].copy_from_slice(&row);
        }
        table
    }
}
