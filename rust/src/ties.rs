//! Differences of a metric between pairs, counted by what a tie would gain: the count behind
//! tie calibration of groups whose pairs are too many to keep.
//!
//! Values come in rising order of the metric, so that no difference is negative; the bits of
//! such numbers are in the numbers' order.

/// Bins of leading bits: what a tie gains (pairs that the gold ties) and loses (pairs that the
/// metric has in the right order), of the pairs whose lower value is one of `from..to`.
pub fn bins(gold: &[f64], metric: &[f64], from: usize, to: usize, shift: u32) -> Bins {
    let size = 1 << (63 - shift);
    let mut found = Bins { gained: vec![0; size], lost: vec![0; size] };
    each(gold, metric, from, to, |bits, tied| {
        let place = (bits >> shift) as usize;
        if tied {
            found.gained[place] += 1;
        } else {
            found.lost[place] += 1;
        }
    });
    found
}

/// What bins hold, in their order.
pub struct Bins {
    pub gained: Vec<i64>,
    pub lost: Vec<i64>,
}

/// The differences that fall into the wanted bins, as bits, and whether the gold ties them.
pub fn inside(
    gold: &[f64],
    metric: &[f64],
    from: usize,
    to: usize,
    shift: u32,
    wanted: &[bool],
) -> (Vec<u64>, Vec<i64>) {
    let (mut keys, mut gains) = (Vec::new(), Vec::new());
    each(gold, metric, from, to, |bits, tied| {
        if wanted[(bits >> shift) as usize] {
            keys.push(bits);
            gains.push(if tied { 1 } else { -1 });
        }
    });
    (keys, gains)
}

/// Walk over the pairs that a tie would change: tied in the gold, or in the right order.
fn each(gold: &[f64], metric: &[f64], from: usize, to: usize, mut see: impl FnMut(u64, bool)) {
    for lower in from..to {
        let (g, m) = (gold[lower], metric[lower]);
        for (other, value) in gold[lower + 1..].iter().zip(&metric[lower + 1..]) {
            let gap = value - m;
            if *other == g {
                see(gap.to_bits(), true);
            } else if *other > g && gap > 0.0 {
                see(gap.to_bits(), false);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_by_what_a_tie_would_change() {
        let (gold, metric) = ([1.0, 1.0, 0.0, 2.0], [0.0, 1.0, 1.0, 3.0]);
        let found = bins(&gold, &metric, 0, 3, 45);
        // Tied: (0, 1). In order: the first three with the last. Opposed and tied only by the
        // metric: nothing.
        assert_eq!(found.gained.iter().sum::<i64>(), 1);
        assert_eq!(found.lost.iter().sum::<i64>(), 3);
        let place = (1f64.to_bits() >> 45) as usize;
        assert_eq!(found.gained[place], 1);
        let mut wanted = vec![false; found.gained.len()];
        wanted[place] = true;
        assert_eq!(inside(&gold, &metric, 0, 3, 45, &wanted), (vec![1f64.to_bits()], vec![1]));
    }
}
