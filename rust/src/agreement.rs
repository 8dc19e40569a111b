//! Sums behind the agreement of judges, for many weightings of what they judged: a bootstrap draws
//! units, and a unit weighs as much as it was drawn.

use crate::interrupt::spend;

/// Judgements of the same unit, two by two, sorted by the pair of judges.
pub struct Pairs<'a> {
    /// Which weight each counts with.
    pub drawn: &'a [i64],
    /// The places of both judges' values among `values`.
    pub first: &'a [i64],
    pub second: &'a [i64],
    /// Where the judgements of each pair begin, and the end of the last.
    pub starts: &'a [i64],
    /// The different values of each pair, of both judges together, in rising order.
    pub values: &'a [f64],
    /// Where the values of each pair begin, and the end of the last.
    pub value_starts: &'a [i64],
}

/// Of each pair: weight; different values, their gaps and squares; sums of both judges' values, of
/// their squares and products; and of all values of one against all of the other, equal ones and gaps.
pub const PAIR_SUMS: usize = 11;

/// So many rows of weights are summed at a time.
const LANES: usize = 16;
type Lanes = [f64; LANES];

#[inline(always)]
fn add(sums: &mut Lanes, weights: &Lanes, factor: f64) {
    sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight * factor);
}

/// Turns rows of weights, so that those of one unit stand side by side.
#[inline(always)]
fn turn(weights: &[f64], width: usize, turned: &mut [Lanes]) {
    for (lane, row) in weights.chunks_exact(width).enumerate() {
        turned.iter_mut().zip(row).for_each(|(lanes, weight)| lanes[lane] = *weight);
    }
}

/// Fills the sums of all pairs for each row of weights.
pub fn pair_sums(pairs: &Pairs, weights: &[f64], width: usize, sums: &mut [f64]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        #[target_feature(enable = "avx2")]
        unsafe fn with_wide_lanes(pairs: &Pairs, weights: &[f64], width: usize, sums: &mut [f64]) {
            add_pairs(pairs, weights, width, sums);
        }
        // SAFETY: the processor has just said that it has the instructions, all that the call asks for.
        // Each lane is added up as without them, to the same bits, in half the time.
        return unsafe { with_wide_lanes(pairs, weights, width, sums) };
    }
    add_pairs(pairs, weights, width, sums);
}

#[inline(always)]
fn add_pairs(pairs: &Pairs, weights: &[f64], width: usize, sums: &mut [f64]) {
    let count = pairs.starts.len().saturating_sub(1);
    let mut turned = vec![[0.0; LANES]; width];
    let mut masses = Vec::new();
    let blocks = weights.chunks(width * LANES).zip(sums.chunks_mut(count * PAIR_SUMS * LANES));
    for (weights, sums) in blocks {
        spend(8 * LANES * (pairs.drawn.len() + pairs.values.len()));
        turn(weights, width, &mut turned);
        for pair in 0..count {
            let columns = add_pair(pairs, pair, &turned, &mut masses);
            for (lane, row) in sums.chunks_exact_mut(count * PAIR_SUMS).enumerate() {
                let own = &mut row[pair * PAIR_SUMS..][..PAIR_SUMS];
                own.iter_mut().zip(&columns).for_each(|(sum, column)| *sum = column[lane]);
            }
        }
    }
}

#[inline(always)]
/// The sums of one pair. `masses` are what both judges' values weigh.
fn add_pair(
    pairs: &Pairs,
    pair: usize,
    weights: &[Lanes],
    masses: &mut Vec<[Lanes; 2]>,
) -> [Lanes; PAIR_SUMS] {
    let begin = pairs.value_starts[pair] as usize;
    let values = &pairs.values[begin..pairs.value_starts[pair + 1] as usize];
    masses.clear();
    masses.resize(values.len(), [[0.0; LANES]; 2]);
    let [mut n, mut different, mut gap, mut square, mut product] = [[0.0; LANES]; 5];
    for at in pairs.starts[pair] as usize..pairs.starts[pair + 1] as usize {
        let weight = &weights[pairs.drawn[at] as usize];
        let (one, other) = (pairs.first[at] as usize - begin, pairs.second[at] as usize - begin);
        add(&mut masses[one][0], weight, 1.0);
        add(&mut masses[other][1], weight, 1.0);
        let (a, b) = (values[one], values[other]);
        add(&mut n, weight, 1.0);
        add(&mut product, weight, a * b);
        if one != other {
            add(&mut different, weight, 1.0);
            add(&mut gap, weight, (a - b).abs());
            add(&mut square, weight, (a - b) * (a - b));
        }
    }
    let [mut a, mut b, mut aa, mut bb, mut equal, mut apart] = [[0.0; LANES]; 6];
    let [mut below, mut other_below] = [[0.0; LANES]; 2];
    for (at, (&value, [one, other])) in values.iter().zip(masses.iter()).enumerate() {
        add(&mut a, one, value);
        add(&mut b, other, value);
        add(&mut aa, one, value * value);
        add(&mut bb, other, value * value);
        add(&mut below, one, 1.0);
        add(&mut other_below, other, 1.0);
        // |x - y| is how long one of the two lies below a value and the other does not.
        let step = values.get(at + 1).map_or(0.0, |next| next - value);
        for lane in 0..LANES {
            equal[lane] += one[lane] * other[lane];
            let (below, other) = (below[lane], other_below[lane]);
            apart[lane] += (n[lane] * (below + other) - 2.0 * below * other) * step;
        }
    }
    [n, different, gap, square, a, b, aa, bb, product, equal, apart]
}

/// Judgements sorted by unit.
pub struct Rated<'a> {
    /// Which weight each unit counts with.
    pub drawn: &'a [i64],
    /// Where the judgements of each unit begin, and the end of the last.
    pub starts: &'a [i64],
    /// Which of the different values each judgement is, in rising order.
    pub codes: &'a [i64],
    /// How many different values there are.
    pub values: usize,
}

/// Weight of all judgements, differences within units, sum and squares; all of ranks.
pub const RANK_SUMS: usize = 4;

/// Fills the sums of middle ranks for each row of weights; ranks are among what is weighed.
pub fn rank_sums(rated: &Rated, weights: &[f64], width: usize, sums: &mut [f64]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        #[target_feature(enable = "avx2")]
        unsafe fn with_wide_lanes(rated: &Rated, weights: &[f64], width: usize, sums: &mut [f64]) {
            add_ranks(rated, weights, width, sums);
        }
        // SAFETY: as in `pair_sums`.
        return unsafe { with_wide_lanes(rated, weights, width, sums) };
    }
    add_ranks(rated, weights, width, sums);
}

#[inline(always)]
fn add_ranks(rated: &Rated, weights: &[f64], width: usize, sums: &mut [f64]) {
    let mut turned = vec![[0.0; LANES]; width];
    let mut ranks = vec![[0.0; LANES]; rated.values];
    let mut margins = vec![[0.0; LANES]; rated.values];
    let units = || {
        let units = rated.starts.windows(2).zip(rated.drawn);
        units.map(|(ends, drawn)| (&rated.codes[ends[0] as usize..ends[1] as usize], *drawn))
    };
    let blocks = weights.chunks(width * LANES).zip(sums.chunks_mut(RANK_SUMS * LANES));
    for (weights, sums) in blocks {
        spend(LANES * (8 * rated.codes.len() + rated.values));
        turn(weights, width, &mut turned);
        margins.fill([0.0; LANES]);
        for (codes, drawn) in units() {
            let weight = &turned[drawn as usize];
            codes.iter().for_each(|code| add(&mut margins[*code as usize], weight, 1.0));
        }
        let size = rank_values(&margins, &mut ranks);
        let [mut within, mut total, mut square] = [[0.0; LANES]; 3];
        for (codes, drawn) in units() {
            let (apart, weight) = (differences(codes, &ranks), &turned[drawn as usize]);
            for lane in 0..LANES {
                within[lane] += weight[lane] * apart[lane];
            }
        }
        for (rank, margin) in ranks.iter().zip(&margins) {
            for lane in 0..LANES {
                total[lane] += rank[lane] * margin[lane];
                square[lane] += rank[lane] * rank[lane] * margin[lane];
            }
        }
        for (lane, row) in sums.chunks_exact_mut(RANK_SUMS).enumerate() {
            row.copy_from_slice(&[size[lane], within[lane], total[lane], square[lane]]);
        }
    }
}

/// Ranks each value at the middle of its places, from the mean of all; returns how much all weigh.
#[inline(always)]
fn rank_values(margins: &[Lanes], ranks: &mut [Lanes]) -> Lanes {
    let [mut size, mut total] = [[0.0; LANES]; 2];
    for (rank, margin) in ranks.iter_mut().zip(margins) {
        for lane in 0..LANES {
            rank[lane] = size[lane] + margin[lane] / 2.0;
            size[lane] += margin[lane];
            total[lane] += rank[lane] * margin[lane];
        }
    }
    let mean: Lanes = std::array::from_fn(|lane| total[lane] / f64::max(size[lane], 1.0));
    for rank in ranks {
        rank.iter_mut().zip(&mean).for_each(|(rank, mean)| *rank -= mean);
    }
    size
}

/// Squared differences of each rank of a unit from each other, over how many others there are.
#[inline(always)]
fn differences(codes: &[i64], ranks: &[Lanes]) -> Lanes {
    let mut apart = [0.0; LANES];
    if let [one, other] = codes {
        let (one, other) = (&ranks[*one as usize], &ranks[*other as usize]);
        for lane in 0..LANES {
            apart[lane] = 2.0 * (one[lane] - other[lane]) * (one[lane] - other[lane]);
        }
        return apart;
    }
    let size = codes.len() as f64;
    let mut mean = [0.0; LANES];
    codes.iter().for_each(|code| add(&mut mean, &ranks[*code as usize], 1.0));
    mean.iter_mut().for_each(|mean| *mean /= size.max(1.0));
    for rank in codes.iter().map(|code| &ranks[*code as usize]) {
        for lane in 0..LANES {
            apart[lane] += (rank[lane] - mean[lane]) * (rank[lane] - mean[lane]);
        }
    }
    apart.iter_mut().for_each(|apart| *apart = 2.0 * size * *apart / (size - 1.0).max(1.0));
    apart
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_lanes_give_the_same_bits() {
        // Fractions that no sum holds exactly, so that another order or rounding would show.
        let values: Vec<f64> = (1..8).map(|at| 1.0 / f64::from(at * at + 2)).rev().collect();
        let count = 40;
        let drawn: Vec<i64> = (0..count).map(|at| at % 11).collect();
        let (first, second): (Vec<i64>, Vec<i64>) =
            (0..count).map(|at| (at * 3 % 7, at * 5 % 7)).unzip();
        let pairs = Pairs {
            drawn: &drawn,
            first: &first,
            second: &second,
            starts: &[0, count],
            values: &values,
            value_starts: &[0, 7],
        };
        let rows = LANES + 5;
        let weights: Vec<f64> = (0..11 * rows).map(|at| (at as f64 * 0.37).sin().abs()).collect();
        let [mut wide, mut plain] = [(); 2].map(|()| vec![0.0; rows * PAIR_SUMS]);
        pair_sums(&pairs, &weights, 11, &mut wide);
        add_pairs(&pairs, &weights, 11, &mut plain);
        assert_eq!(wide, plain);
        let starts: Vec<i64> = (0..=11).map(|unit| unit * 3).collect();
        let codes: Vec<i64> = (0..33).map(|at| at * 4 % 7).collect();
        let rated = Rated { drawn: &drawn[..11], starts: &starts, codes: &codes, values: 7 };
        let [mut wide, mut plain] = [(); 2].map(|()| vec![0.0; rows * RANK_SUMS]);
        rank_sums(&rated, &weights, 11, &mut wide);
        add_ranks(&rated, &weights, 11, &mut plain);
        assert_eq!(wide, plain);
    }

    #[test]
    fn a_unit_that_weighs_two_counts_twice() {
        // One pair of judges on two units: 0 and 2, then 2 and 2.
        let pairs = Pairs {
            drawn: &[0, 1],
            first: &[0, 1],
            second: &[1, 1],
            starts: &[0, 2],
            values: &[0.0, 2.0],
            value_starts: &[0, 2],
        };
        let mut sums = [0.0; 2 * PAIR_SUMS];
        pair_sums(&pairs, &[2.0, 1.0, 0.0, 0.0], 2, &mut sums);
        // Of nine pairs of a value of either judge, six are 0 and 2.
        let expected = [3.0, 2.0, 4.0, 8.0, 2.0, 6.0, 4.0, 12.0, 4.0, 3.0, 12.0];
        assert_eq!(sums[..PAIR_SUMS], expected);
        assert_eq!(sums[PAIR_SUMS..], [0.0; PAIR_SUMS]);
        // More rows than are summed at a time, each as by itself.
        let weights: Vec<f64> = (0..2 * (LANES + 3)).map(|at| f64::from(at as u32 % 5)).collect();
        let mut all = vec![0.0; (LANES + 3) * PAIR_SUMS];
        pair_sums(&pairs, &weights, 2, &mut all);
        for (row, sums) in weights.chunks(2).zip(all.chunks(PAIR_SUMS)) {
            let mut alone = [0.0; PAIR_SUMS];
            pair_sums(&pairs, row, 2, &mut alone);
            assert_eq!(sums, alone);
        }
    }

    #[test]
    fn ranks_are_among_what_is_weighed() {
        let rated =
            Rated { drawn: &[0, 1], starts: &[0, 2, 5], codes: &[0, 1, 1, 2, 2], values: 3 };
        let mut sums = [0.0; 2 * RANK_SUMS];
        rank_sums(&rated, &[1.0, 0.0, 1.0, 1.0], 2, &mut sums);
        // Alone, the first unit has the ranks 1 and 2; the second adds 1.5 more places each.
        assert_eq!(sums[..RANK_SUMS], [2.0, 2.0, 0.0, 0.5]);
        // Ranks 1, 2.5, 4.5: the mean is 3. 2 (1.5²), then 2·3·(8/3)/2.
        assert_eq!(sums[RANK_SUMS..], [5.0, 4.5 + 8.0, 0.0, 4.0 + 2.0 * 0.25 + 2.0 * 2.25]);
    }
}
