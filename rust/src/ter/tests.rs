//! The fast ways against the slow ones.

use super::band::{self, Band};
use super::beam::Beam;
use super::both::Both;
use super::distance::{Distance, Rotation};
use super::path::Path;
use super::plain::Plain;
use super::reference::Places;
use super::search::{Edits, Search};
use super::shifts::{Shift, Shifts, Style};
use super::whole::{self, Whole};
use crate::samples::Random;

/// Outputs and references made of random numbers.
struct Pairs(Random);

impl Pairs {
    fn below(&mut self, most: usize) -> usize {
        self.0.below(most as u32) as usize
    }

    fn words(&mut self, length: usize, types: usize) -> Vec<u32> {
        (0..length).map(|_| self.below(types) as u32).collect()
    }

    /// The reference with some words moved, exchanged, left out and put in.
    fn disturbed(&mut self, reference: &[u32], types: usize) -> Vec<u32> {
        let mut words = reference.to_vec();
        for _ in 0..self.below(12) {
            let at = self.below(words.len() + 1);
            match self.below(4) {
                0 => words.insert(at, self.below(types) as u32),
                1 if at < words.len() => words[at] = self.below(types) as u32,
                2 if at < words.len() => drop(words.remove(at)),
                _ => {
                    let rotation = self.rotation(words.len());
                    rotation.apply(&mut words);
                }
            }
        }
        words
    }

    fn rotation(&mut self, words: usize) -> Rotation {
        let mut places = [self.below(words + 1), self.below(words + 1), self.below(words + 1)];
        places.sort();
        Rotation { start: places[0], middle: places[1], end: places[2] }
    }

    /// An output and a reference, related or not, of any proportion.
    fn pair(&mut self, longest: usize, types: usize) -> (Vec<u32>, Vec<u32>) {
        let length = 1 + self.below(longest);
        let reference = self.words(length, types);
        let output = match self.below(3) {
            0 => {
                let length = self.below(longest);
                self.words(length, types + 1)
            }
            1 => {
                // Far off the diagonal: the end of the reference first.
                let mut words = reference.clone();
                let by = self.below(length);
                words.rotate_left(by);
                self.disturbed(&words, types)
            }
            _ => self.disturbed(&reference, types),
        };
        (output, reference)
    }
}

const TYPES: [usize; 4] = [2, 5, 20, 200];

/// All that the search asks of a distance.
fn same(left: &mut impl Distance, right: &mut impl Distance, words: &[u32], random: &mut Pairs) {
    let mut words = words.to_vec();
    let mut from = 0;
    for _ in 0..3 {
        assert_eq!(left.align(&words, from), right.align(&words, from), "{words:?}");
        let (mut left_path, mut right_path) = (Path::default(), Path::default());
        left.trace(&words, &mut left_path);
        right.trace(&words, &mut right_path);
        assert_eq!(left_path, right_path);
        let rotation = random.rotation(words.len());
        let exact = right.rotated(&words, rotation, u32::MAX / 4);
        assert_eq!(left.rotated(&words, rotation, u32::MAX / 4), exact);
        for limit in [exact.saturating_sub(1), exact, exact + 1] {
            let found = left.rotated(&words, rotation, limit);
            assert!(found == exact || found > limit && exact > limit, "{found} {exact} {limit}");
        }
        rotation.apply(&mut words);
        from = rotation.start;
    }
}

#[test]
fn the_band_in_bits_is_the_band_in_cells() {
    let mut random = Pairs(Random(1));
    for round in 0..4000 {
        let types = TYPES[round % 4];
        let (output, reference) = random.pair(if round % 10 == 0 { 300 } else { 90 }, types);
        if !band::fits_a_word(output.len(), reference.len()) {
            continue;
        }
        let mut places = Places::default();
        assert!(places.read(&reference, types + 1));
        let mut scratch = band::BandRows::default();
        let mut fast = Band::new(&mut scratch, output.len(), &reference, places.bits());
        let mut slow = Plain::new(output.len(), &reference, places.bits());
        same(&mut fast, &mut slow, &output, &mut random);
    }
}

#[test]
fn where_the_band_holds_it_is_the_whole() {
    fn check<const W: usize>(longest: usize, rounds: usize) {
        let mut random = Pairs(Random(W as u32));
        let mut held = 0;
        for round in 0..rounds {
            let types = TYPES[round % 4];
            let (output, reference) = random.pair(longest, types);
            let mut places = Places::default();
            places.read(&reference, types + 1);
            let mut scratch = whole::MatrixRows::<W>::default();
            let mut whole = Whole::new(&mut scratch, output.len(), &reference, places.bits());
            let mut plain = Plain::new(output.len(), &reference, places.bits());
            let least = whole.align(&output, 0);
            let banded = plain.align(&output, 0);
            assert!(least <= banded);
            if band::holds(least, output.len(), reference.len()) {
                held += 1;
                assert_eq!(least, banded, "{output:?} {reference:?}");
                let (mut left, mut right) = (Path::default(), Path::default());
                whole.trace(&output, &mut left);
                plain.trace(&output, &mut right);
                assert_eq!(left, right, "{output:?} {reference:?}");
            }
            if band::fits_a_word(output.len(), reference.len()) {
                let mut scratch = band::BandRows::default();
                let band = Band::new(&mut scratch, output.len(), &reference, places.bits());
                let mut plain = Plain::new(output.len(), &reference, places.bits());
                same(&mut Both { whole, band }, &mut plain, &output, &mut random);
            }
        }
        assert!(held > rounds / 4 && held < rounds);
    }
    check::<1>(64, 2000);
    check::<2>(128, 1000);
}

/// The search without any of its bounds: every shift is tried with the plain distance.
fn plainly(output: &[u32], reference: &[u32], style: Style, places: &Places) -> (Vec<u32>, u32) {
    let mut words = output.to_vec();
    let mut shifts = 0;
    let mut left = 1000;
    loop {
        let mut banded = Plain::new(words.len(), reference, places.bits());
        let mut beamed = Beam::<_, 1>::new(reference, places.bits(), None);
        let mut path = Path::default();
        let mut found = Shifts::default();
        let now = match style {
            Style::Sacrebleu => banded.align(&words, 0),
            Style::Tercom => beamed.align(&words, 0),
        };
        match style {
            Style::Sacrebleu => {
                banded.trace(&words, &mut path);
                found.gather(&words, &banded, &path, usize::MAX);
                if found.count() >= left {
                    return (words, now + shifts);
                }
                left -= found.count();
            }
            Style::Tercom => {
                beamed.trace(&words, &mut path);
                found.gather_tercom(&words, &beamed, &path);
            }
        }
        let mut best: Option<(u32, Shift)> = None;
        for shift in found.all() {
            let gain = best.map_or(0, |best| best.0);
            if style == Style::Tercom && gain > 2 * shift.length as u32 {
                break;
            }
            let mut turned = words.clone();
            shift.rotation(words.len(), style).apply(&mut turned);
            let then = match style {
                Style::Sacrebleu => {
                    Plain::new(words.len(), reference, places.bits()).align(&turned, 0)
                }
                Style::Tercom => {
                    Beam::<_, 1>::new(reference, places.bits(), None).align(&turned, 0)
                }
            };
            let earlier = best.is_some_and(|(_, best)| {
                style == Style::Sacrebleu
                    && (best.length, best.start) == (shift.length, shift.start)
                    && shift.target < best.target
            });
            if then < now && (now - then > gain || now - then == gain && earlier) {
                best = Some((now - then, shift));
            }
        }
        let Some((_, shift)) = best else { return (words, now + shifts) };
        shift.rotation(words.len(), style).apply(&mut words);
        shifts += 1;
    }
}

#[test]
fn bounds_change_nothing() {
    let mut random = Pairs(Random(7));
    let mut search = Search::default();
    let mut moved = 0;
    for round in 0..300 {
        let types = TYPES[round % 4];
        let (mut output, reference) = random.pair(if round % 4 == 2 { 110 } else { 28 }, types);
        // The longer reference shows what the band and the beam miss.
        output.truncate(26);
        let mut places = Places::default();
        places.read(&reference, types + 1);
        for style in [Style::Sacrebleu, Style::Tercom] {
            let (words, edits) = plainly(&output, &reference, style, &places);
            search.words.clone_from(&output);
            let found = search.run(&reference, types + 1, style);
            assert_eq!(search.words, words, "{style:?} {output:?} {reference:?}");
            assert_eq!(found.sum(), edits, "{style:?} {output:?} {reference:?}");
            moved += found.shifts;
        }
    }
    assert!(moved > 300);
}

/// With the true distance as a bound or without, TERCOM's search finds the same.
#[test]
fn long_references_are_searched_alike() {
    let mut random = Pairs(Random(11));
    for length in [70, 140, 200, 300, 600, 1000] {
        let reference: Vec<u32> = (0..length as u32).map(|id| id % 400).collect();
        let mut output = reference.clone();
        for at in (0..length - 30).step_by(30) {
            output[at..at + 30].rotate_left(1 + random.below(29));
        }
        let mut places = Places::default();
        assert!(places.read(&reference, 400));
        let mut search = Search::default();
        search.words.clone_from(&output);
        let bounded = search.run(&reference, 400, Style::Tercom);
        let words = std::mem::replace(&mut search.words, output);
        let free =
            search.run_with(Beam::<_, 1>::new(&reference, places.bits(), None), Style::Tercom);
        assert_eq!((bounded, &words), (free, &search.words));
        assert!(bounded.shifts > 1);
    }
}

/// What the band kept apart may come together by one shift, which then gains more than its words
/// are worth.
#[test]
fn a_shift_may_gain_more_than_its_words_in_a_band() {
    let output = [10, 44, 50, 48, 37];
    let reference = [
        8, 34, 35, 0, 41, 53, 30, 19, 52, 16, 50, 0, 48, 29, 14, 16, 44, 5, 34, 16, 1, 39, 59, 26,
        9, 11, 39, 14, 10, 20, 35, 10, 38, 24, 31, 6, 19, 0, 27, 25, 46, 36, 53, 34, 6, 12, 10, 43,
        44, 58, 36, 2, 56, 50, 37, 22, 13, 20, 30, 29,
    ];
    let mut search = Search::default();
    search.words.extend(output);
    let edits = search.run(&reference, 60, Style::Sacrebleu);
    assert_eq!(edits, Edits { insertions: 0, deletions: 55, substitutions: 0, shifts: 1 });
}
