//! How many n-grams every output has in common with every reference, each text looked at once.
//!
//! The first, second, third n-gram of a kind in a text are features of their own, so that the
//! smaller of two counts is the number of features in common. Features that many pairs share are
//! bits, compared 64 at a time; of the others each has the list of the texts that it stands in.

use crate::interrupt::{self, Meter, spend};

/// Texts as ids of tokens, all above 0, one text behind the other.
pub struct Sequences<'a> {
    pub ids: &'a [u32],
    /// Where each text ends.
    pub ends: &'a [usize],
    /// The highest id.
    pub types: usize,
}

/// Bits of a long word that are left to the number of an n-gram's text.
const TEXT_BITS: usize = 32;

/// Comparing one bit of two texts costs as much as this share of counting one feature in common.
const BITS_FOR_ONE: usize = 32;

/// What noting a feature of a text takes, in units of `spend`.
const MARKING: usize = 16;

/// What some texts have in common with others.
pub struct Overlap {
    orders: usize,
    /// Which texts are references.
    references: Vec<bool>,
    /// Each text's bits, the orders one behind the other, each in whole words.
    bits: Vec<u64>,
    /// Where in a text's bits each order begins, and where the last one ends.
    bounds: Vec<usize>,
    /// Each text's rare features.
    rare: Vec<Vec<u32>>,
    /// Where in a row of counts each rare feature counts, and where in that list its places end.
    counted: Vec<u32>,
    counted_ends: Vec<usize>,
}

/// A position in sorted order: its text, how many orders begin there before the text ends, and
/// how many of them are as at the position before.
struct Position {
    text: u32,
    orders: u32,
    shared: u32,
}

struct Feature {
    order: u32,
    outputs: u32,
    references: u32,
}

#[derive(Clone, Copy)]
enum Place {
    Nowhere,
    Bit(u32),
    Rare(u32),
}

impl<'a> Sequences<'a> {
    fn iter(&self) -> impl Iterator<Item = &'a [u32]> + use<'a, '_> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(self.ends).map(|(start, end)| &self.ids[start..*end])
    }

    /// How long each text is.
    pub fn lengths(&self) -> Vec<usize> {
        self.iter().map(<[u32]>::len).collect()
    }
}

impl Overlap {
    /// Prepares the n-grams of 1 to `orders` tokens; outputs and references are numbers of texts.
    pub fn new(
        texts: &Sequences<'_>,
        orders: usize,
        outputs: &[usize],
        references: &[usize],
    ) -> Self {
        let flags = |chosen: &[usize]| {
            let mut flags = vec![false; texts.ends.len()];
            chosen.iter().for_each(|text| flags[*text] = true);
            flags
        };
        let (is_output, is_reference) = (flags(outputs), flags(references));
        let (features, marks) = features(texts, orders, &is_output, &is_reference);
        let mut overlap = Overlap {
            orders,
            references: is_reference,
            bits: Vec::new(),
            bounds: Vec::new(),
            rare: vec![Vec::new(); texts.ends.len()],
            counted: Vec::new(),
            counted_ends: Vec::new(),
        };
        let places = overlap.lay_out(&features, outputs.len() * references.len());
        overlap.fill(&features, &places, &marks, &is_output);
        overlap
    }

    /// How many counts `row` gives.
    pub fn columns(&self) -> usize {
        self.references.len() * self.orders
    }

    /// The matches of an output, for each text that is a reference those of each order.
    pub fn row(&self, output: usize, counts: &mut [u32]) {
        counts.fill(0);
        spend(counts.len() + self.width() * self.references.len());
        let mut meter = Meter::default();
        for feature in &self.rare[output] {
            let feature = *feature as usize;
            let start = if feature == 0 { 0 } else { self.counted_ends[feature - 1] };
            meter.spend(self.counted_ends[feature] - start);
            for place in &self.counted[start..self.counted_ends[feature]] {
                counts[*place as usize] += 1;
            }
        }
        if self.width() > 0 {
            add_common_bits(self, output, counts);
        }
    }

    fn width(&self) -> usize {
        self.bounds[self.orders]
    }

    fn text_bits(&self, text: usize) -> &[u64] {
        &self.bits[text * self.width()..][..self.width()]
    }

    /// Decides where each feature stands and makes room.
    fn lay_out(&mut self, features: &[Feature], pairs: usize) -> Vec<Place> {
        let common = |feature: &Feature| feature.outputs as usize * feature.references as usize;
        let is_bit = |feature: &Feature| common(feature) * BITS_FOR_ONE > pairs;
        let mut next = vec![0; self.orders];
        for feature in features.iter().filter(|feature| is_bit(feature)) {
            next[feature.order as usize] += 1;
        }
        let mut end = 0;
        self.bounds.push(end);
        for bits in &mut next {
            let words = usize::div_ceil(*bits, 64);
            *bits = 64 * end;
            end += words;
            self.bounds.push(end);
        }
        self.bits.resize(end * self.references.len(), 0);
        let mut counted = 0;
        let mut place = |feature: &Feature| {
            if common(feature) == 0 {
                return Place::Nowhere;
            }
            if is_bit(feature) {
                let bit = &mut next[feature.order as usize];
                *bit += 1;
                return Place::Bit(*bit as u32 - 1);
            }
            // For now where the list begins; each entry that is filled in moves it on.
            self.counted_ends.push(counted);
            counted += feature.references as usize;
            Place::Rare(self.counted_ends.len() as u32 - 1)
        };
        let places = features.iter().map(&mut place).collect();
        self.counted.resize(counted, 0);
        places
    }

    fn fill(
        &mut self,
        features: &[Feature],
        places: &[Place],
        marks: &[(u32, u32)],
        is_output: &[bool],
    ) {
        let width = self.width();
        let mut meter = Meter::default();
        for (text, feature) in marks {
            meter.spend(MARKING);
            let (text, feature) = (*text as usize, *feature as usize);
            match places[feature] {
                Place::Nowhere => {}
                Place::Bit(bit) => {
                    self.bits[text * width + bit as usize / 64] |= 1 << (bit % 64);
                }
                Place::Rare(rare) => {
                    if is_output[text] {
                        self.rare[text].push(rare);
                    }
                    if self.references[text] {
                        let end = &mut self.counted_ends[rare as usize];
                        let order = features[feature].order as usize;
                        self.counted[*end] = (text * self.orders + order) as u32;
                        *end += 1;
                    }
                }
            }
        }
    }
}

/// References that stand for one: each n-gram counts as often as it does in the mean of them.
pub struct Expected<'a> {
    /// The references as numbers of texts, and how much each weighs.
    pub references: &'a [usize],
    pub weights: &'a [f64],
}

impl Expected<'_> {
    pub fn weight(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// The mean of a number for each text, such as its length.
    pub fn mean(&self, number: impl Fn(usize) -> f64) -> f64 {
        let weighed = self.references.iter().zip(self.weights);
        weighed.map(|(text, weight)| weight * number(*text)).sum::<f64>() / self.weight()
    }

    /// For each order the matches of each output: of every n-gram as many as the output has, but
    /// no more than it is expected to have.
    ///
    /// Whatever is added up is a multiple of a weight, so that no digit depends on the order of
    /// the texts where weights are whole numbers.
    pub fn matches(
        &self,
        texts: &Sequences<'_>,
        orders: usize,
        outputs: &[usize],
        matches: &mut [f64],
    ) {
        matches.fill(0.0);
        let total = self.weight();
        let mut weights = vec![0.0; texts.ends.len()];
        for (text, weight) in self.references.iter().zip(self.weights) {
            weights[*text] += weight;
        }
        // Where each text's matches are; 0 for texts that are no output.
        let mut rows = vec![0; texts.ends.len()];
        outputs.iter().enumerate().for_each(|(row, text)| rows[*text] = row + 1);
        // A position counts for its longest n-gram; shorter ones take over what longer ones that
        // begin with them have counted.
        let mut grams: Vec<Gram> = (0..orders).map(|_| Gram::new(outputs.len())).collect();
        let mut close = |grams: &mut [Gram], orders_open: std::ops::Range<usize>| {
            for order in orders_open.rev() {
                grams[order].add_matches(total, &mut matches[order * outputs.len()..]);
                let (shorter, longer) = grams.split_at_mut(order);
                match shorter.last_mut() {
                    Some(parent) => parent.take_over(&mut longer[0]),
                    None => longer[0].clear(),
                }
            }
        };
        let mut open = 0;
        let mut meter = Meter::default();
        for position in sorted(texts, orders) {
            meter.spend(MARKING * orders);
            close(&mut grams, position.shared as usize..open);
            open = position.orders as usize;
            let text = position.text as usize;
            let gram = &mut grams[open - 1];
            gram.expected += weights[text];
            if rows[text] > 0 {
                gram.add(rows[text] - 1, 1);
            }
        }
        close(&mut grams, 0..open);
        matches.iter_mut().for_each(|count| *count /= total);
    }
}

/// The n-gram of an order at which the walk through sorted positions is.
struct Gram {
    /// Its count in the references, weighed.
    expected: f64,
    /// Its count in each output, and the outputs that have it.
    counts: Vec<u32>,
    seen: Vec<u32>,
}

impl Gram {
    fn new(outputs: usize) -> Self {
        Gram { expected: 0.0, counts: vec![0; outputs], seen: Vec::new() }
    }

    fn add(&mut self, output: usize, count: u32) {
        if self.counts[output] == 0 {
            self.seen.push(output as u32);
        }
        self.counts[output] += count;
    }

    fn add_matches(&self, total: f64, matches: &mut [f64]) {
        for output in &self.seen {
            let count = self.counts[*output as usize] as f64;
            matches[*output as usize] += (count * total).min(self.expected);
        }
    }

    /// Adds what another n-gram has counted, and clears it: the smaller one goes into the larger.
    fn take_over(&mut self, other: &mut Gram) {
        if self.seen.len() < other.seen.len() {
            std::mem::swap(self, other);
        }
        self.expected += other.expected;
        for output in &other.seen {
            self.add(*output as usize, other.counts[*output as usize]);
        }
        other.clear();
    }

    fn clear(&mut self) {
        self.seen.drain(..).for_each(|output| self.counts[output as usize] = 0);
        self.expected = 0.0;
    }
}

/// Adds the bits that an output has in common with each reference.
fn add_common_bits(overlap: &Overlap, output: usize, counts: &mut [u32]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("popcnt") {
        #[target_feature(enable = "popcnt")]
        unsafe fn with_instruction(overlap: &Overlap, output: usize, counts: &mut [u32]) {
            add_bits(overlap, output, counts);
        }
        // SAFETY: the processor has just said that it has the instruction, all that the call asks for.
        // Without it bits are counted in twice the time; bench/tasks/pairwise.py times all pairs.
        return unsafe { with_instruction(overlap, output, counts) };
    }
    add_bits(overlap, output, counts);
}

#[inline(always)]
fn add_bits(overlap: &Overlap, output: usize, counts: &mut [u32]) {
    let ours = overlap.text_bits(output);
    let rows = counts.chunks_exact_mut(overlap.orders).enumerate();
    for (text, counts) in rows.filter(|(text, _)| overlap.references[*text]) {
        let theirs = overlap.text_bits(text);
        for (count, bounds) in counts.iter_mut().zip(overlap.bounds.windows(2)) {
            let (ours, theirs) = (&ours[bounds[0]..bounds[1]], &theirs[bounds[0]..bounds[1]]);
            *count += ours.iter().zip(theirs).map(|(a, b)| (a & b).count_ones()).sum::<u32>();
        }
    }
}

/// The features of all texts, and for each that a text has the two numbers.
fn features(
    texts: &Sequences<'_>,
    orders: usize,
    is_output: &[bool],
    is_reference: &[bool],
) -> (Vec<Feature>, Vec<(u32, u32)>) {
    let count = texts.ends.len();
    let mut features: Vec<Feature> = Vec::new();
    let mut marks = Vec::with_capacity(orders.min(8) * texts.ids.len());
    // Of each order's latest n-gram: its number, and its features, the first to the last.
    let mut numbers = vec![0u32; orders];
    let mut latest: Vec<Vec<u32>> = vec![Vec::new(); orders];
    // For each order and text the latest n-gram there was, and how often.
    let mut seen = vec![(0u32, 0u32); orders * count];
    let mut meter = Meter::default();
    for position in sorted(texts, orders) {
        meter.spend(MARKING * position.orders as usize);
        let text = position.text as usize;
        let (outputs, references) = (is_output[text] as u32, is_reference[text] as u32);
        for order in 0..position.orders as usize {
            let latest = &mut latest[order];
            if order >= position.shared as usize {
                numbers[order] += 1;
                latest.clear();
            }
            let (number, before) = &mut seen[order * count + text];
            if *number != numbers[order] {
                (*number, *before) = (numbers[order], 0);
            }
            let occurrence = *before as usize;
            *before += 1;
            if occurrence == latest.len() {
                latest.push(features.len() as u32);
                features.push(Feature { order: order as u32, outputs: 0, references: 0 });
            }
            let feature = latest[occurrence];
            features[feature as usize].outputs += outputs;
            features[feature as usize].references += references;
            marks.push((position.text, feature));
        }
    }
    (features, marks)
}

/// All positions of all texts, those with equal n-grams together, whatever the order.
fn sorted(texts: &Sequences<'_>, orders: usize) -> Vec<Position> {
    let bits = |number: usize| (usize::BITS - number.leading_zeros()) as usize;
    let width = bits(texts.types);
    let gram_bits = width.saturating_mul(orders);
    if orders == 0 {
        Vec::new()
    } else if gram_bits + bits(texts.ends.len()) <= 64 {
        sorted_by_short_words(texts, orders, width.max(1))
    } else if gram_bits <= 128 - TEXT_BITS {
        sorted_by_long_words(texts, orders, width)
    } else {
        sorted_by_tokens(texts, orders)
    }
}

/// Packs the n-gram of the highest order into one word, with the number of its text below; zeros
/// stand behind a text's end.
macro_rules! sorted_by_words {
    ($name:ident, $word:ty) => {
        fn $name(texts: &Sequences<'_>, orders: usize, width: usize) -> Vec<Position> {
            let all = <$word>::BITS as usize;
            let below = all - width * orders;
            let whole = <$word>::MAX << below;
            let mut keys = Vec::with_capacity(texts.ids.len());
            for (text, ids) in texts.iter().enumerate() {
                let mut window: $word = 0;
                keys.extend(ids.iter().rev().map(|id| {
                    window = (window >> width | (*id as $word) << (all - width)) & whole;
                    window | text as $word
                }));
            }
            interrupt::sort(&mut keys);
            // For a number of bits, how many whole tokens that is.
            let tokens: Vec<u32> =
                (0..=all).map(|bits| (bits / width).min(orders) as u32).collect();
            let mut before = 0;
            let position = |key: $word| {
                let zeros = (key & whole).trailing_zeros() as usize - below;
                let shared = tokens[(key ^ before).leading_zeros() as usize];
                before = key;
                let text = (key & !whole) as u32;
                Position { text, orders: orders as u32 - tokens[zeros], shared }
            };
            keys.into_iter().map(position).collect()
        }
    };
}

sorted_by_words!(sorted_by_short_words, u64);
sorted_by_words!(sorted_by_long_words, u128);

/// Too many orders or types for a word: compares the n-grams token by token.
fn sorted_by_tokens<'a>(texts: &Sequences<'a>, orders: usize) -> Vec<Position> {
    let gram = |ids: &[u32], at: usize| at..ids.len().min(at + orders);
    let mut grams: Vec<(&[u32], u32)> = texts
        .iter()
        .enumerate()
        .flat_map(|(text, ids)| (0..ids.len()).map(move |at| (&ids[gram(ids, at)], text as u32)))
        .collect();
    interrupt::sort(&mut grams);
    let mut before: &[u32] = &[];
    let position = |(gram, text): (&'a [u32], u32)| {
        let shared = gram.iter().zip(before).take_while(|(a, b)| a == b).count() as u32;
        before = gram;
        Position { text, orders: gram.len() as u32, shared }
    };
    grams.into_iter().map(position).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ngram;
    use crate::samples::Random;

    /// Every pair's matches are those of the table of n-grams, however the positions are sorted
    /// and whether the texts are alike (bits) or not (lists).
    #[test]
    fn equals_the_table_of_ngrams() {
        let mut numbers = Random(1);
        let mut random = |below: u32| numbers.below(below);
        for round in 0..200 {
            let orders = [1, 2, 4, 6, 8, 13, 97][round % 7];
            let types = [1, 2, 9, 300][round % 4];
            let count = 2 + random(12) as usize;
            let (mut ids, mut ends) = (Vec::new(), Vec::new());
            for text in 0..count {
                let length = random(40) as usize;
                let start = if text % 3 == 2 { ids.len() - length.min(ids.len()) } else { 0 };
                match text % 3 {
                    2 => ids.extend_from_within(start..),
                    _ => ids.extend((0..length).map(|_| 1 + random(types))),
                }
                ends.push(ids.len());
            }
            let texts = Sequences { ids: &ids, ends: &ends, types: types as usize };
            let outputs: Vec<usize> = (0..count / 2 + 1).collect();
            let references: Vec<usize> = (count / 2..count).collect();
            let overlap = Overlap::new(&texts, orders, &outputs, &references);
            let all: Vec<&[u32]> = texts.iter().collect();
            let mut counts = vec![7; overlap.columns()];
            for output in outputs {
                overlap.row(output, &mut counts);
                for reference in &references {
                    let mut expected = vec![0.0; orders];
                    let types = types as usize + 1;
                    ngram::count_by_table(all[output], &[all[*reference]], types, &mut expected);
                    let found = &counts[reference * orders..][..orders];
                    let found: Vec<f64> = found.iter().map(|count| *count as f64).collect();
                    assert_eq!(found, expected, "{:?} {:?}", all[output], all[*reference]);
                }
            }
        }
    }
}
