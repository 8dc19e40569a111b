//! Pairs of values, counted by how far a metric sets them apart and by what a tie would gain:
//! the counts behind tie calibration of groups whose pairs are too many to keep.
//!
//! Values come in rising order of the metric, so that no difference is negative; the bits of
//! such numbers are in the numbers' order. And so the differences from one lower value rise
//! too, and where they pass a cut moves only forward from one lower value to the next: nothing
//! is searched for, and what lies between two cuts is counted in one sweep.

use crate::interrupt::spend;

/// One group in rising order of the metric, with the gold as ranks.
pub struct Group<'a> {
    pub gold: &'a [u32],
    pub metric: &'a [f64],
}

/// Intervals of differences, each from one cut to the next, given as bits; only the wanted ones
/// are looked at.
pub struct Cuts<'a> {
    pub at: &'a [u64],
    pub wanted: &'a [bool],
}

/// What intervals hold: pairs that the gold ties, and pairs that it has in the metric's order.
pub struct Counts {
    pub tied: Vec<i64>,
    pub ordered: Vec<i64>,
}

/// Count the pairs whose lower value is one of `from..to`.
pub fn counts(group: &Group, from: usize, to: usize, cuts: &Cuts) -> Counts {
    let size = cuts.wanted.len();
    let mut found = Counts { tied: vec![0; size], ordered: vec![0; size] };
    each(group, from, to, cuts, |lower, interval, first, last| {
        let own = group.gold[lower];
        let (mut tied, mut ordered) = (0u32, 0u32);
        for &other in &group.gold[first..last] {
            tied += u32::from(other == own);
            ordered += u32::from(other > own);
        }
        found.tied[interval] += i64::from(tied);
        found.ordered[interval] += i64::from(ordered);
    });
    found
}

/// The differences themselves: their bits, moved up by one, with a 1 below where the gold ties.
pub fn inside(group: &Group, from: usize, to: usize, cuts: &Cuts) -> Vec<u64> {
    let mut keys = Vec::new();
    each(group, from, to, cuts, |lower, _, first, last| {
        let (own, value) = (group.gold[lower], group.metric[lower]);
        for place in first..last {
            let other = group.gold[place];
            if other >= own {
                let bits = (group.metric[place] - value).to_bits();
                keys.push(bits << 1 | u64::from(other == own));
            }
        }
    });
    keys
}

/// Walk over the wanted intervals of each lower value: which values fall into it, first to last.
fn each(
    group: &Group,
    from: usize,
    to: usize,
    cuts: &Cuts,
    mut see: impl FnMut(usize, usize, usize, usize),
) {
    let metric = group.metric;
    let mut passed = vec![0; cuts.at.len()];
    for lower in from..to {
        spend(cuts.at.len() + metric.len() - lower);
        let value = metric[lower];
        let below = |place: usize, cut: u64| (metric[place] - value).to_bits() < cut;
        for (place, &cut) in passed.iter_mut().zip(cuts.at) {
            *place = (*place).max(lower + 1);
            if lower == from {
                *place += metric[*place..].partition_point(|m| (m - value).to_bits() < cut);
            }
            while *place < metric.len() && below(*place, cut) {
                *place += 1;
            }
        }
        for (interval, wanted) in cuts.wanted.iter().enumerate() {
            let (first, last) = (passed[interval], passed[interval + 1]);
            if *wanted && first < last {
                see(lower, interval, first, last);
            }
        }
    }
}
