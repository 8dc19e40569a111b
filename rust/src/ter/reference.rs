//! Where in a reference each word stands.

/// From this many words of memory on, bitsets give way to lists.
const LARGEST_TABLE: usize = 1 << 16;

/// The most words of memory that are read from the beginning of an id's row.
pub const WIDEST: usize = 16;

/// The places of each id in a reference, as bits or, for long ones, as lists.
#[derive(Default)]
pub struct Places {
    bits: Vec<u64>,
    stride: usize,
    starts: Vec<u32>,
    lists: Vec<u32>,
}

/// Which of the 64 places from `first` on hold the word.
pub trait Window {
    fn window(&self, id: u32, first: usize) -> u64;
}

/// Every id has a row of bits.
#[derive(Clone, Copy)]
pub struct Bits<'a>(&'a Places);

/// Every id has a list of places in ascending order.
#[derive(Clone, Copy)]
pub struct Lists<'a>(&'a Places);

impl Places {
    /// Reads the reference; ids below `types` may be asked for, and `types` itself, which is
    /// nowhere. Says whether `bits` (or else `lists`) is to be used.
    pub fn read(&mut self, reference: &[u32], types: usize) -> bool {
        // One word more than the reference fills, so that a window may reach past the end.
        self.stride = reference.len() / 64 + 2;
        if (types + 1) * self.stride > LARGEST_TABLE {
            self.list(reference, types);
            return false;
        }
        self.bits.clear();
        self.bits.resize((types + 1) * self.stride + WIDEST, 0);
        for (at, id) in reference.iter().enumerate() {
            self.bits[*id as usize * self.stride + at / 64] |= 1 << (at % 64);
        }
        true
    }

    pub fn bits(&self) -> Bits<'_> {
        Bits(self)
    }

    pub fn lists(&self) -> Lists<'_> {
        Lists(self)
    }

    fn list(&mut self, reference: &[u32], types: usize) {
        self.starts.clear();
        self.starts.resize(types + 2, 0);
        for id in reference {
            self.starts[*id as usize + 1] += 1;
        }
        for id in 0..=types {
            self.starts[id + 1] += self.starts[id];
        }
        self.lists.clear();
        self.lists.resize(reference.len(), 0);
        let mut free = self.starts.clone();
        for (at, id) in reference.iter().enumerate() {
            let slot = &mut free[*id as usize];
            self.lists[*slot as usize] = at as u32;
            *slot += 1;
        }
    }
}

impl Bits<'_> {
    /// The id's bits from the first place on; what comes behind the last place is of no meaning.
    #[inline(always)]
    pub fn row<const W: usize>(&self, id: u32) -> &[u64; W] {
        self.0.bits[id as usize * self.0.stride..].first_chunk().unwrap()
    }
}

impl Window for Bits<'_> {
    #[inline(always)]
    fn window(&self, id: u32, first: usize) -> u64 {
        let row = id as usize * self.0.stride + first / 64;
        let pair = &self.0.bits[row..row + 2];
        let shift = first as u32 % 64;
        // In two steps, because a shift by 64 is none.
        pair[0] >> shift | pair[1] << 1 << (63 - shift)
    }
}

impl Window for Lists<'_> {
    fn window(&self, id: u32, first: usize) -> u64 {
        let bounds = &self.0.starts[id as usize..][..2];
        let list = &self.0.lists[bounds[0] as usize..bounds[1] as usize];
        let from = list.partition_point(|place| (*place as usize) < first);
        let places = list[from..].iter().map(|place| *place as usize - first);
        places.take_while(|bit| *bit < 64).fold(0, |window, bit| window | 1 << bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_and_lists_agree() {
        let reference: Vec<u32> = (0..300u32).map(|at| at * at % 7).collect();
        let mut places = Places::default();
        assert!(places.read(&reference, 7));
        places.list(&reference, 7);
        for id in 0..=7 {
            for first in 0..=300 {
                let window = places.bits().window(id, first);
                assert_eq!(window, places.lists().window(id, first), "{id} {first}");
                for bit in 0..64 {
                    let is = reference.get(first + bit) == Some(&id);
                    assert_eq!(window >> bit & 1 == 1, is, "{id} {first} {bit}");
                }
            }
        }
    }

    #[test]
    fn long_references_are_listed() {
        let reference: Vec<u32> = (0..5000).collect();
        let mut places = Places::default();
        assert!(!places.read(&reference, 5000));
        assert_eq!(places.lists().window(4990, 4980), 1 << 10);
        assert_eq!(places.lists().window(5000, 0), 0);
    }
}
