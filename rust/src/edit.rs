//! Edit distance of an output and a reference, and the alignment behind it.
//!
//! The grid of distances between the first i words of the output and the first j words of the
//! reference is worked through in bands of sixty-four reference words. Neighbouring distances
//! differ by one at most, so a bit for each cell says all there is to know, and a processor word
//! takes sixty-four cells at once (Myers 1999, JACM 46(3); Hyyrö 2003, Nordic J. Comput. 10).
//!
//! Of the alignments with the fewest edits, a preference picks one. Metra's own: from the end of
//! both sides backwards, a match or a substitution where that is among the best ways, else a
//! deletion, else an insertion.

use crate::interrupt::{self, spend};

/// A step of an alignment, seen from the reference.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Edit {
    /// The same word on both sides.
    Hit,
    /// Another word in the output.
    Substitution,
    /// A word that the output has too much.
    Insertion,
    /// A word of the reference that the output lacks.
    Deletion,
}

/// The words of two sides. Ids are below `types`, but for output words of no reference.
#[derive(Clone, Copy)]
pub struct Words<'a> {
    pub output: &'a [u32],
    pub reference: &'a [u32],
    pub types: usize,
}

/// How often each step occurs in an alignment.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Counts {
    pub substitutions: usize,
    pub insertions: usize,
    pub deletions: usize,
    pub hits: usize,
}

impl Counts {
    pub fn edits(&self) -> usize {
        self.substitutions + self.insertions + self.deletions
    }

    /// What follows from the two lengths, the number of edits and the deletions among them.
    fn new(output: usize, reference: usize, edits: usize, deletions: usize) -> Self {
        let insertions = output + deletions - reference;
        let substitutions = edits - insertions - deletions;
        Counts { substitutions, insertions, deletions, hits: output - insertions - substitutions }
    }
}

/// Which way back is taken where several are among the best.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Preference {
    /// A match or substitution, else a deletion, else an insertion.
    Pairs,
    /// A deletion; else an insertion if leaving the output's word out makes up for one of the
    /// reference's; else a match or substitution. So does rapidfuzz.
    Deletions,
}

/// How many reference words a band has: one for each bit of a processor word.
const BAND: usize = 64;

/// Memory for comparisons, used again by each.
#[derive(Default)]
pub struct Grid {
    /// For each id, the places in the band that hold it; all zero between bands.
    places: Vec<u64>,
    /// For each word of the output, the upper border of the band to work through next.
    border: Vec<Border>,
    /// The upper borders of all groups of bands.
    kept: Vec<Border>,
    /// The ways back in the group worked through last: band by band, a word of the output each.
    ways: Vec<Ways>,
}

/// At which places of a band the way back is a deletion, and at which an insertion; at the
/// others it takes a word from both sides.
#[derive(Clone, Copy, Default)]
struct Ways {
    deletion: u64,
    insertion: u64,
}

/// By how much the distance at the edge of a band grows with a word of the output.
#[derive(Clone, Copy)]
struct Border {
    more: bool,
    less: bool,
}

/// Before the first reference word, the distance is the number of output words.
const TOP: Border = Border { more: true, less: false };

/// At which places of a band the distance grows with the reference word, and where it shrinks.
struct Growth {
    more: u64,
    less: u64,
}

impl Growth {
    /// Before the first output word, the distance is the number of reference words.
    const FIRST: Growth = Growth { more: !0, less: 0 };

    /// Moves on by an output word that the band has at the places `equal`.
    #[inline(always)]
    fn advance(&mut self, equal: u64, above: Border, prefers: Preference) -> (Ways, Border) {
        let shrunk = self.less;
        let seed = equal | above.less as u64;
        // Where the distance is what it was before this word and the reference's.
        let same = ((seed & self.more).wrapping_add(self.more) ^ self.more) | seed | self.less;
        let more = self.less | !(same | self.more);
        let less = same & self.more;
        let below = Border { more: more >> (BAND - 1) != 0, less: less >> (BAND - 1) != 0 };
        let more = more << 1 | above.more as u64;
        let less = less << 1 | above.less as u64;
        self.more = less | !(same | more);
        self.less = more & same;
        let (deletion, insertion) = match prefers {
            Preference::Pairs => {
                // There, without a match, an edit is taken back on one side only.
                let sideways = same & !equal;
                (sideways & self.more, sideways & !self.more)
            }
            Preference::Deletions => (self.more, shrunk & !self.more),
        };
        (Ways { deletion, insertion }, below)
    }

    /// The distance at the band's end, of so many words, less that at its start.
    fn over(&self, words: usize) -> isize {
        let mask = !0 >> (BAND - words);
        (self.more & mask).count_ones() as isize - (self.less & mask).count_ones() as isize
    }
}

/// How many bands form a group: all of a small grid, and so few of a large one that their ways and
/// the borders of all groups take about the same memory.
fn group_size(output: &[u32], reference: &[u32]) -> usize {
    let bands = reference.len().div_ceil(BAND);
    let small = bands * output.len() <= SMALL;
    if small { bands.max(1) } else { (bands / (WAYS_SIZE / BORDER_SIZE)).isqrt().max(1) }
}

/// The number of ways, of output words times bands, that may well be in memory all at once.
const SMALL: usize = 1 << 16;
const WAYS_SIZE: usize = size_of::<Ways>();
const BORDER_SIZE: usize = size_of::<Border>();

impl Grid {
    /// The edits of the alignment.
    pub fn counts(&mut self, words: Words<'_>, prefers: Preference) -> Counts {
        let Words { output, reference, .. } = words;
        let edits = self.distance(words, prefers);
        let mut deletions = 0;
        if edits < output.len().abs_diff(reference.len()) + 2 {
            // Not enough edits for a deletion and an insertion more than needed.
            deletions = reference.len().saturating_sub(output.len());
        } else {
            self.walk(words, prefers, |step| deletions += step.deletion);
        }
        Counts::new(output.len(), reference.len(), edits, deletions)
    }

    /// The edits of the alignment one by one, from the first words to the last.
    pub fn alignment(&mut self, words: Words<'_>, prefers: Preference) -> Vec<Edit> {
        let Words { output, reference, .. } = words;
        self.distance(words, prefers);
        let mut edits = Vec::with_capacity(output.len().max(reference.len()));
        self.walk(words, prefers, |step| edits.push(step.edit(output, reference)));
        edits.reverse();
        edits
    }

    /// The distances of the output to each beginning of the reference, the empty one included.
    pub fn distances(&mut self, output: &[u32], reference: &[u32], types: usize) -> Vec<usize> {
        self.start(output, types, 1);
        let mut distances = vec![output.len()];
        for band in reference.chunks(BAND) {
            let before = distances[distances.len() - 1] as isize;
            let growth = self.band(output, band, 0, Preference::Pairs);
            let words = 1..=band.len();
            distances.extend(words.map(|words| (before + growth.over(words)) as usize));
        }
        distances
    }

    /// Makes ready for groups of so many bands, from the first on.
    fn start(&mut self, output: &[u32], types: usize, bands: usize) {
        self.places.resize(types.max(self.places.len()), 0);
        interrupt::grow(&mut self.ways, bands * output.len(), Ways::default());
        self.kept.clear();
        self.border.clear();
        self.border.resize(output.len(), TOP);
    }

    fn distance(&mut self, words: Words<'_>, prefers: Preference) -> usize {
        let Words { output, reference, types } = words;
        let size = group_size(output, reference);
        self.start(output, types, size);
        let mut distance = output.len() as isize;
        for group in reference.chunks(size * BAND) {
            self.kept.extend_from_slice(&self.border);
            distance += self.group(output, group, prefers);
        }
        distance as usize
    }

    /// Works through a group's bands from its upper border; `border` is its lower one then. Gives
    /// the distance at its end less that at its start.
    fn group(&mut self, output: &[u32], group: &[u32], prefers: Preference) -> isize {
        let bands = group.chunks(BAND).enumerate();
        bands
            .map(|(index, band)| {
                self.band(output, band, index * output.len(), prefers).over(band.len())
            })
            .sum()
    }

    fn band(
        &mut self,
        output: &[u32],
        band: &[u32],
        first_way: usize,
        prefers: Preference,
    ) -> Growth {
        spend(output.len());
        for (place, id) in band.iter().enumerate() {
            self.places[*id as usize] |= 1 << place;
        }
        let mut growth = Growth::FIRST;
        let ways = &mut self.ways[first_way..];
        for ((id, border), ways) in output.iter().zip(&mut self.border).zip(ways) {
            // An output word of no reference has an id behind the last.
            let equal = self.places.get(*id as usize).copied().unwrap_or(0);
            (*ways, *border) = growth.advance(equal, *border, prefers);
        }
        for id in band {
            self.places[*id as usize] = 0;
        }
        growth
    }

    /// Goes back through the alignment, right after `distance`.
    ///
    /// Only the last group's ways are there. The others' are found again from their borders when
    /// the way back gets to them: all at once would take memory in proportion to the grid.
    fn walk(&mut self, words: Words<'_>, prefers: Preference, mut each: impl FnMut(Step)) {
        let Words { output, reference, .. } = words;
        let size = group_size(output, reference) * BAND;
        let last = reference.len().div_ceil(size).saturating_sub(1);
        let (mut left, mut reference_left) = (output.len(), reference.len());
        for (index, group) in reference.chunks(size).enumerate().rev() {
            // The words behind the place reached have no part in the way before it.
            let seen = if index == last { output.len() } else { left };
            if index != last {
                self.border.clear();
                self.border.extend_from_slice(&self.kept[index * output.len()..][..seen]);
                self.group(&output[..seen], group, prefers);
            }
            let start = index * size;
            while left > 0 && reference_left > start {
                let (band, place) =
                    ((reference_left - 1 - start) / BAND, (reference_left - 1) % BAND);
                let ways = self.ways[band * seen + left - 1];
                let deletion = (ways.deletion >> place & 1) as usize;
                let insertion = (ways.insertion >> place & 1) as usize;
                // No branches: which way it goes is hard to foresee.
                left -= 1 - deletion;
                reference_left -= 1 - insertion;
                each(Step { deletion, insertion, output: left, reference: reference_left });
            }
        }
        for output in (0..left).rev() {
            each(Step { deletion: 0, insertion: 1, output, reference: 0 });
        }
        for reference in (0..reference_left).rev() {
            each(Step { deletion: 1, insertion: 0, output: 0, reference });
        }
    }
}

/// A step back: 1 if it is a deletion, 1 if it is an insertion, and what is left of both sides.
struct Step {
    deletion: usize,
    insertion: usize,
    output: usize,
    reference: usize,
}

impl Step {
    fn edit(&self, output: &[u32], reference: &[u32]) -> Edit {
        match (self.deletion, self.insertion) {
            (1, _) => Edit::Deletion,
            (_, 1) => Edit::Insertion,
            _ if output[self.output] == reference[self.reference] => Edit::Hit,
            _ => Edit::Substitution,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hits::NONE;
    use crate::samples::Random;

    /// The definitions, cell by cell.
    fn plain(output: &[u32], reference: &[u32], prefers: Preference) -> Vec<Edit> {
        let (rows, columns) = (output.len() + 1, reference.len() + 1);
        let mut cells = vec![vec![0; columns]; rows];
        for i in 0..rows {
            for j in 0..columns {
                cells[i][j] = if i == 0 || j == 0 {
                    i + j
                } else {
                    let differ = (output[i - 1] != reference[j - 1]) as usize;
                    let sideways = cells[i - 1][j].min(cells[i][j - 1]) + 1;
                    sideways.min(cells[i - 1][j - 1] + differ)
                };
            }
        }
        let (mut i, mut j) = (rows - 1, columns - 1);
        let mut steps = Vec::new();
        while i + j > 0 {
            let differ = i > 0 && j > 0 && output[i - 1] != reference[j - 1];
            let pair = if differ { Edit::Substitution } else { Edit::Hit };
            let can_pair = i > 0 && j > 0 && cells[i][j] == cells[i - 1][j - 1] + differ as usize;
            let can_delete = j > 0 && cells[i][j] == cells[i][j - 1] + 1;
            let step = match prefers {
                Preference::Pairs if can_pair => pair,
                _ if can_delete => Edit::Deletion,
                Preference::Deletions
                    if i > 0 && j > 0 && cells[i - 1][j] + 1 != cells[i - 1][j - 1] =>
                {
                    pair
                }
                _ => Edit::Insertion,
            };
            i -= (step != Edit::Deletion) as usize;
            j -= (step != Edit::Insertion) as usize;
            steps.push(step);
        }
        steps.reverse();
        steps
    }

    fn counted(steps: &[Edit]) -> Counts {
        let count = |kind| steps.iter().filter(|step| **step == kind).count();
        Counts {
            substitutions: count(Edit::Substitution),
            insertions: count(Edit::Insertion),
            deletions: count(Edit::Deletion),
            hits: count(Edit::Hit),
        }
    }

    fn check(grid: &mut Grid, words: Words<'_>) {
        for prefers in [Preference::Pairs, Preference::Deletions] {
            let steps = plain(words.output, words.reference, prefers);
            assert_eq!(grid.alignment(words, prefers), steps);
            assert_eq!(grid.counts(words, prefers), counted(&steps));
        }
    }

    fn random() -> impl FnMut(u32) -> u32 {
        let mut numbers = Random(1);
        move |below| numbers.below(below)
    }

    #[test]
    fn equals_the_definition() {
        let mut random = random();
        let mut grid = Grid::default();
        for round in 0..600 {
            let most = [8, 64, 66, 130, 300][round % 5];
            let types = 1 + random(if round % 2 == 0 { 4 } else { 40 });
            let (words, more) = (random(most + 1), random(most + 1));
            let reference: Vec<u32> = (0..words).map(|_| random(types)).collect();
            let mut output: Vec<u32> = if round % 3 == 0 {
                (0..more).map(|_| random(types)).collect()
            } else {
                reference.iter().copied().filter(|_| random(8) > 0).collect()
            };
            output.iter_mut().filter(|_| random(6) == 0).for_each(|id| *id = NONE);
            let types = types as usize;
            check(&mut grid, Words { output: &output, reference: &reference, types });
            let distances = grid.distances(&output, &reference, types);
            for (words, distance) in distances.into_iter().enumerate() {
                let steps = plain(&output, &reference[..words], Preference::Pairs);
                assert_eq!(distance, counted(&steps).edits());
                if words > 8 {
                    break;
                }
            }
        }
    }

    /// A grid too large for one group, with two bands in each.
    #[test]
    fn long_sentences_in_groups() {
        let mut random = random();
        let mut grid = Grid::default();
        for extra in [1, 64, 400] {
            let reference: Vec<u32> = (0..64 * BAND as u32 + extra).map(|_| random(50)).collect();
            let output: Vec<u32> =
                reference.iter().copied().filter(|_| random(5) > 0).map(|id| id ^ 1).collect();
            let output = &output[900..2000];
            check(&mut grid, Words { output, reference: &reference, types: 51 });
        }
    }
}
