//! N-grams as steps from the (n-1)-gram that begins one to the word that ends it.

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
pub struct Steps {
    slots: Vec<Slot>,
    used: usize,
}

#[derive(Clone, Copy)]
struct Slot {
    key: u64,
    id: u32,
    /// 0 where there is no n-gram.
    count: u32,
}

impl Default for Steps {
    fn default() -> Self {
        Steps { slots: free_slots(1024), used: 0 }
    }
}

impl Steps {
    /// Makes room for so many n-grams more.
    pub fn reserve(&mut self, more: usize) {
        let wanted = (self.used + more) * 4 / 3;
        if wanted < self.slots.len() {
            return;
        }
        let old = std::mem::take(&mut self.slots);
        self.slots = free_slots((wanted + 1).next_power_of_two());
        for slot in old.into_iter().filter(|slot| slot.count > 0) {
            let at = self.seek(slot.key);
            self.slots[at] = slot;
        }
    }

    /// Counts the n-gram so often; there must be room for it.
    #[inline]
    pub fn add(&mut self, key: u64, count: u32) -> u32 {
        let at = self.seek(key);
        let slot = &mut self.slots[at];
        if slot.count == 0 {
            *slot = Slot { key, id: self.used as u32, count: 0 };
            self.used += 1;
        }
        slot.count = slot.count.saturating_add(count);
        slot.id
    }

    #[inline]
    pub fn find(&self, key: u64) -> Option<Gram> {
        let slot = self.slots[self.seek(key)];
        (slot.count > 0).then_some(Gram { id: slot.id, count: slot.count })
    }

    /// How many n-grams there are.
    pub fn len(&self) -> usize {
        self.used
    }

    /// Three numbers for each n-gram: its beginning, its last word and its count.
    pub fn table(&self) -> Vec<u32> {
        let mut table = vec![0; 3 * self.used];
        for slot in self.slots.iter().filter(|slot| slot.count > 0) {
            let row = [(slot.key >> 32) as u32, slot.key as u32, slot.count];
            table[3 * slot.id as usize..][..3].copy_from_slice(&row);
        }
        table
    }

    /// Takes such a table back. None if there is an n-gram twice, or one that was never counted.
    pub fn of_table(table: &[u32]) -> Option<Self> {
        let mut steps = Steps::default();
        steps.reserve(table.len() / 3);
        for (id, row) in table.chunks_exact(3).enumerate() {
            if row[2] == 0 || steps.add(key(row[0], row[1]), row[2]) as usize != id {
                return None;
            }
        }
        (table.len() % 3 == 0).then_some(steps)
    }

    /// The slot that holds the n-gram, or the free one where it belongs.
    #[inline]
    fn seek(&self, key: u64) -> usize {
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        let mask = self.slots.len() - 1;
        let mixed = key.wrapping_mul(SPREAD);
        let mut at = (mixed ^ mixed >> 32).wrapping_mul(SPREAD) as usize >> 20 & mask;
        loop {
            let slot = &self.slots[at];
            if (slot.count == 0) | (slot.key == key) {
                return at;
            }
            at = (at + 1) & mask;
        }
    }
}

fn free_slots(count: usize) -> Vec<Slot> {
    vec![Slot { key: 0, id: 0, count: 0 }; count]
}
