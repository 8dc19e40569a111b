//! Where an output's n-grams match one reference, found by bitsets of reference positions.

use crate::interrupt::spend;

/// The longest reference, in tokens, for which bitsets are worth it.
pub const LONGEST: usize = 16 * 64;

/// The highest order that can be walked.
pub const ORDERS: usize = 8;

/// For each id, the reference positions that hold it: memory that is used again and again, and
/// all zero in between. Clearing only what a reference has set makes the cost of many references
/// of one segment, whose ids are many, proportional to their words.
#[derive(Default)]
pub struct Bitsets {
    positions: Vec<u64>,
}

impl Bitsets {
    /// Calls `see` for the output's positions, last first, with the position, each order less
    /// one, and whether the n-gram that begins there matches: whether the reference has one like
    /// it that no later position of the output has taken. Orders beyond `order` may be seen too,
    /// and positions where nothing matches may be left out.
    pub fn walk(
        &mut self,
        output: &[u32],
        reference: &[u32],
        types: usize,
        order: usize,
        see: impl FnMut(usize, usize, bool),
    ) {
        let words = reference.len().div_ceil(64);
        spend(reference.len() + output.len() * words);
        match (order, words) {
            (_, 0) => {}
            (..=4, 1) => self.levels::<4, 1>(output, reference, types, see),
            (..=4, 2) => self.levels::<4, 2>(output, reference, types, see),
            (..=4, 3..=4) => self.levels::<4, 4>(output, reference, types, see),
            (..=4, 5..=8) => self.levels::<4, 8>(output, reference, types, see),
            (..=4, _) => self.levels::<4, 16>(output, reference, types, see),
            (_, 1) => self.levels::<ORDERS, 1>(output, reference, types, see),
            (_, 2..=4) => self.levels::<ORDERS, 4>(output, reference, types, see),
            _ => self.levels::<ORDERS, 16>(output, reference, types, see),
        }
    }

    /// A match of N words at (i, j) is a word match there that a match of N-1 words at (i+1, j+1)
    /// goes on from; each output position takes the first reference position of its n-gram that
    /// none has taken yet. A set of positions is W words.
    fn levels<const N: usize, const W: usize>(
        &mut self,
        output: &[u32],
        reference: &[u32],
        types: usize,
        mut see: impl FnMut(usize, usize, bool),
    ) {
        self.positions.resize(self.positions.len().max((types + 1) * W), 0);
        for (at, id) in reference.iter().enumerate() {
            self.positions[*id as usize * W + at / 64] |= 1 << (at % 64);
        }
        let mut open = [[0u64; W]; N];
        let mut used = [[0u64; W]; N];
        for (position, id) in output.iter().enumerate().rev() {
            // The row behind the last type is empty: it stands for NONE, without a branch.
            let row = types.min(*id as usize) * W;
            let here: [u64; W] = self.positions[row..row + W].try_into().unwrap();
            let mut level = here;
            for n in 0..N {
                if W > 1 && level == [0; W] {
                    open[n..].fill([0; W]);
                    break;
                }
                see(position, n, take_first_free(&level, &mut used[n]));
                let longer = extended(&here, &open[n]);
                open[n] = level;
                level = longer;
            }
        }
        if (types + 1) * W <= 8 * reference.len() {
            self.positions[..(types + 1) * W].fill(0);
        } else {
            for (at, id) in reference.iter().enumerate() {
                self.positions[*id as usize * W + at / 64] = 0;
            }
        }
    }
}

/// The positions in `here` whose next one is in `shorter`.
#[inline(always)]
fn extended<const W: usize>(here: &[u64; W], shorter: &[u64; W]) -> [u64; W] {
    std::array::from_fn(|word| {
        let carried = if word + 1 < W { shorter[word + 1] << 63 } else { 0 };
        here[word] & (shorter[word] >> 1 | carried)
    })
}

/// Takes the first position that is not in `used` yet; says whether there is one.
#[inline(always)]
fn take_first_free<const W: usize>(level: &[u64; W], used: &mut [u64; W]) -> bool {
    let mut none_yet = u64::MAX;
    for word in 0..W {
        let free = level[word] & !used[word] & none_yet;
        used[word] |= free & free.wrapping_neg();
        none_yet &= ((free == 0) as u64).wrapping_neg();
    }
    none_yet == 0
}
