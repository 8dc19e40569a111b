//! The alignment that rapidfuzz takes among equally short ones, and with it jiwer.
//!
//! What both sides begin with and end with is matched first. The rest is aligned with deletions
//! preferred; where its grid would be large, the output is first cut in half, at the first place of
//! the reference that costs nothing, and each half is treated in the same way.

use crate::edit::{Counts, Edit, Grid, Preference, Words};

/// The edits of the alignment.
pub fn counts(grid: &mut Grid, words: Words<'_>) -> Counts {
    let mut sum = Counts::default();
    cut(grid, words, usize::MAX, &mut |grid, piece| match piece {
        Piece::Equal(words) => sum.hits += words,
        Piece::Words(words) => {
            let more = grid.counts(words, Preference::Deletions);
            sum.substitutions += more.substitutions;
            sum.insertions += more.insertions;
            sum.deletions += more.deletions;
            sum.hits += more.hits;
        }
    });
    sum
}

/// The edits of the alignment one by one, from the first words to the last.
pub fn alignment(grid: &mut Grid, words: Words<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    cut(grid, words, usize::MAX, &mut |grid, piece| match piece {
        Piece::Equal(words) => edits.extend(std::iter::repeat_n(Edit::Hit, words)),
        Piece::Words(words) => edits.extend(grid.alignment(words, Preference::Deletions)),
    });
    edits
}

/// Words that both sides share, or words to align by themselves.
enum Piece<'a> {
    Equal(usize),
    Words(Words<'a>),
}

/// The bytes of a large grid, with two bits for each cell.
const LARGE: usize = 1 << 20;

/// Cuts words with at most so many edits into pieces, in their order.
fn cut<'a>(
    grid: &mut Grid,
    words: Words<'a>,
    most: usize,
    each: &mut impl FnMut(&mut Grid, Piece<'a>),
) {
    let Words { output, reference, types } = words;
    let before = output.iter().zip(reference).take_while(|(one, other)| one == other).count();
    let (output, reference) = (&output[before..], &reference[before..]);
    let both = output.iter().rev().zip(reference.iter().rev());
    let after = both.take_while(|(one, other)| one == other).count();
    let output = &output[..output.len() - after];
    let reference = &reference[..reference.len() - after];
    each(grid, Piece::Equal(before));
    let words = Words { output, reference, types };
    let most = most.min(output.len().max(reference.len()));
    let band = reference.len().min(2 * most + 1);
    if 2 * band * output.len() / 8 < LARGE || reference.len() < 65 || output.len() < 10 {
        each(grid, Piece::Words(words));
    } else {
        let (first, last) = halve(grid, words);
        cut(grid, first.0, first.1, each);
        cut(grid, last.0, last.1, each);
    }
    each(grid, Piece::Equal(after));
}

/// Cuts the output in half and the reference where that costs nothing, at the first such place.
/// Gives the two halves, each with its edits.
fn halve<'a>(grid: &mut Grid, words: Words<'a>) -> ((Words<'a>, usize), (Words<'a>, usize)) {
    let Words { output, reference, types } = words;
    let (first, last) = output.split_at(output.len() / 2);
    let reverse = |words: &[u32]| words.iter().rev().copied().collect::<Vec<_>>();
    let right = grid.distances(&reverse(last), &reverse(reference), types);
    let left = grid.distances(first, reference, types);
    let sums = left.iter().zip(right.iter().rev()).map(|(left, right)| left + right);
    let place = sums.enumerate().min_by_key(|(_, sum)| *sum).map_or(0, |(place, _)| place);
    let (start, end) = reference.split_at(place);
    (
        (Words { output: first, reference: start, types }, left[place]),
        (Words { output: last, reference: end, types }, right[reference.len() - place]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::Random;

    fn letters(output: &str, reference: &str) -> String {
        let ids = |text: &str| text.bytes().map(|byte| byte as u32).collect::<Vec<_>>();
        let (output, reference) = (&ids(output)[..], &ids(reference)[..]);
        let edits = alignment(&mut Grid::default(), Words { output, reference, types: 128 });
        let letter = |edit: &Edit| match edit {
            Edit::Hit => 'H',
            Edit::Substitution => 'S',
            Edit::Insertion => 'I',
            Edit::Deletion => 'D',
        };
        edits.iter().map(letter).collect()
    }

    /// As rapidfuzz 3.14 gives them.
    #[test]
    fn small_texts() {
        assert_eq!(letters("ab", "ba"), "IHD");
        assert_eq!(letters("a", "aa"), "HD");
        assert_eq!(letters("abc", "abc"), "HHH");
        assert_eq!(letters("", "ab"), "DD");
        assert_eq!(letters("axc", "abc"), "HSH");
    }

    /// Long texts, of which many cuts are made, have as few edits, and all their words.
    #[test]
    fn long_texts() {
        let mut numbers = Random(7);
        let mut random = |below: u32| numbers.below(below);
        let reference: Vec<u32> = (0..6000).map(|_| random(30)).collect();
        let output: Vec<u32> =
            reference.iter().map(|id| (id + (random(4) == 0) as u32) % 30).collect();
        let output = &output[700..];
        let mut grid = Grid::default();
        let words = Words { output, reference: &reference, types: 30 };
        let counted = counts(&mut grid, words);
        let plain = grid.counts(words, Preference::Pairs);
        assert_eq!(counted.edits(), plain.edits());
        let steps = alignment(&mut grid, words);
        let number = |kind| steps.iter().filter(|step| **step == kind).count();
        assert_eq!(number(Edit::Hit), counted.hits);
        assert_eq!(number(Edit::Substitution), counted.substitutions);
        assert_eq!(steps.len() - number(Edit::Insertion), reference.len());
        assert_eq!(steps.len() - number(Edit::Deletion), output.len());
    }
}
