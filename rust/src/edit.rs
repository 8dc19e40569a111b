//! Edit distance of an output and a reference, and the alignment behind it.
//!
//! The grid of distances between the first i words of the output and the first j words of the
//! reference is worked through in bands of sixty-four reference words. Neighbouring distances
//! differ by one at most, so a bit for each cell says all there is to know, and a processor word
//! takes sixty-four cells at once (Myers 1999, JACM 46(3); Hyyrö 2003, Nordic J. Comput. 10).
//!
//! Of the alignments with the fewest edits, one is *the* alignment: from the end of both sides
//! backwards, a match or a substitution where that is among the best ways, else a deletion, else
//! an insertion.

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

/// How many reference words a band has: one for each bit of a processor word.
const BAND: usize = 64;

/// Memory for comparisons, used again by each.
#[derive(Default)]
pub struct Grid {
    /// For each id, the places in the band that hold it; all zero between bands.
    places: Vec<u64>,
    /// For each word of the output, the ways back in the band worked through last.
    ways: Vec<Ways>,
    /// For each word of the output, the upper border of the band to work through next.
    border: Vec<Border>,
    /// The upper borders of all groups of bands.
    kept: Vec<Border>,
    /// The upper borders of the bands of one group.
    group: Vec<Border>,
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
    fn advance(&mut self, equal: u64, above: Border) -> (Ways, Border) {
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
        // There, without a match, an edit is taken back on one side only.
        let sideways = same & !equal;
        let ways = Ways { deletion: sideways & self.more, insertion: sideways & !self.more };
        (ways, below)
    }

    /// The distance at the band's end less that at its start.
    fn over(&self, band: &[u32]) -> isize {
        let mask = !0 >> (BAND - band.len());
        (self.more & mask).count_ones() as isize - (self.less & mask).count_ones() as isize
    }
}

/// The places of an output word; none for one of no reference, whose id is behind the last.
#[inline(always)]
fn places_of(id: u32, places: &[u64]) -> u64 {
    places.get(id as usize).copied().unwrap_or(0)
}

/// How many reference words form a group. The borders of all groups and of one group's bands are
/// in memory at a time: in a long reference there are about as many of these as of those.
fn group_size(reference: &[u32]) -> usize {
    let bands = reference.len().div_ceil(BAND);
    BAND * if bands <= 64 { 1 } else { bands.isqrt() }
}

impl Grid {
    /// The edits of the alignment. Ids are below `types`, but for output words of no reference.
    pub fn counts(&mut self, output: &[u32], reference: &[u32], types: usize) -> Counts {
        let edits = self.distance(output, reference, types);
        let mut deletions = 0;
        if edits < output.len().abs_diff(reference.len()) + 2 {
            // Not enough edits for a deletion and an insertion more than needed.
            deletions = reference.len().saturating_sub(output.len());
        } else {
            self.walk(output, reference, |edit| deletions += (edit == Edit::Deletion) as usize);
        }
        Counts::new(output.len(), reference.len(), edits, deletions)
    }

    /// The steps of the alignment, from the first words to the last.
    pub fn alignment(&mut self, output: &[u32], reference: &[u32], types: usize) -> Vec<Edit> {
        self.distance(output, reference, types);
        let mut steps = Vec::with_capacity(output.len().max(reference.len()));
        self.walk(output, reference, |edit| steps.push(edit));
        steps.reverse();
        steps
    }

    fn distance(&mut self, output: &[u32], reference: &[u32], types: usize) -> usize {
        self.places.resize(types.max(self.places.len()), 0);
        self.ways.resize(output.len().max(self.ways.len()), Ways::default());
        let mut distance = output.len() as isize;
        if reference.len() <= BAND {
            if !reference.is_empty() {
                distance += self.only_band(output, reference).over(reference);
            }
            return distance as usize;
        }
        self.kept.clear();
        self.border.clear();
        self.border.resize(output.len(), TOP);
        for group in reference.chunks(group_size(reference)) {
            self.kept.extend_from_slice(&self.border);
            for band in group.chunks(BAND) {
                distance += self.band(output, band).over(band);
            }
        }
        distance as usize
    }

    /// Works through the only band of a short reference.
    fn only_band(&mut self, output: &[u32], band: &[u32]) -> Growth {
        let mut growth = Growth::FIRST;
        self.mark(band);
        for (id, ways) in output.iter().zip(&mut self.ways) {
            *ways = growth.advance(places_of(*id, &self.places), TOP).0;
        }
        self.unmark(band);
        growth
    }

    /// Works through a band; `border` is its upper one before and its lower one after.
    fn band(&mut self, output: &[u32], band: &[u32]) -> Growth {
        let mut growth = Growth::FIRST;
        self.mark(band);
        for ((id, ways), border) in output.iter().zip(&mut self.ways).zip(&mut self.border) {
            (*ways, *border) = growth.advance(places_of(*id, &self.places), *border);
        }
        self.unmark(band);
        growth
    }

    fn mark(&mut self, band: &[u32]) {
        for (place, id) in band.iter().enumerate() {
            self.places[*id as usize] |= 1 << place;
        }
    }

    fn unmark(&mut self, band: &[u32]) {
        for id in band {
            self.places[*id as usize] = 0;
        }
    }

    /// Goes back through the alignment after `distance`.
    ///
    /// The ways of all bands would take memory in proportion to the grid. So they are found again
    /// from the bands' borders, and these from the groups', when the way back gets there.
    fn walk(&mut self, output: &[u32], reference: &[u32], mut each: impl FnMut(Edit)) {
        let mut end = End { output, reference };
        if reference.len() <= BAND {
            end.go_back(&self.ways, 0, &mut each);
        } else {
            let size = group_size(reference);
            for (index, group) in reference.chunks(size).enumerate().rev() {
                self.find_group(end.output, group, index * output.len());
                let width = end.output.len();
                for (inner, band) in group.chunks(BAND).enumerate().rev() {
                    let start = index * size + inner * BAND;
                    if start + BAND < index * size + group.len() {
                        self.border.copy_from_slice(&self.group[inner * width..][..width]);
                        self.band(&output[..width], band);
                    }
                    end.go_back(&self.ways, start, &mut each);
                }
            }
        }
        end.output.iter().for_each(|_| each(Edit::Insertion));
        end.reference.iter().for_each(|_| each(Edit::Deletion));
    }

    /// Finds the borders of a group's bands again, and the ways of its last band.
    fn find_group(&mut self, output: &[u32], group: &[u32], kept: usize) {
        self.border.clear();
        self.border.extend_from_slice(&self.kept[kept..][..output.len()]);
        self.group.clear();
        for band in group.chunks(BAND) {
            self.group.extend_from_slice(&self.border);
            self.band(output, band);
        }
    }
}

/// How far the way back has come: what is left of both sides.
struct End<'a> {
    output: &'a [u32],
    reference: &'a [u32],
}

impl End<'_> {
    /// Goes back to where one side's words, or the band's that begins at `start`, are used up.
    fn go_back(&mut self, ways: &[Ways], start: usize, each: &mut impl FnMut(Edit)) {
        while let [rest @ .., word] = self.output {
            if self.reference.len() <= start {
                return;
            }
            let place = self.reference.len() - 1 - start;
            let ways = ways[self.output.len() - 1];
            let edit = if ways.deletion >> place & 1 != 0 {
                Edit::Deletion
            } else if ways.insertion >> place & 1 != 0 {
                Edit::Insertion
            } else if *word == self.reference[place + start] {
                Edit::Hit
            } else {
                Edit::Substitution
            };
            if edit != Edit::Deletion {
                self.output = rest;
            }
            if edit != Edit::Insertion {
                self.reference = &self.reference[..place + start];
            }
            each(edit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hits::NONE;

    /// The definition, cell by cell.
    fn plain(output: &[u32], reference: &[u32]) -> Vec<Edit> {
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
            let step = if i > 0 && j > 0 && cells[i][j] == cells[i - 1][j - 1] + differ as usize {
                if differ { Edit::Substitution } else { Edit::Hit }
            } else if j > 0 && cells[i][j] == cells[i][j - 1] + 1 {
                Edit::Deletion
            } else {
                Edit::Insertion
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

    fn random() -> impl FnMut(u32) -> u32 {
        let mut state = 1u32;
        move |below| {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            (state >> 16) % below
        }
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
            let steps = plain(&output, &reference);
            let types = types as usize;
            assert_eq!(grid.alignment(&output, &reference, types), steps);
            assert_eq!(grid.counts(&output, &reference, types), counted(&steps));
        }
    }

    /// More than sixty-four bands: groups of several bands.
    #[test]
    fn long_sentences_in_groups() {
        let mut random = random();
        let mut grid = Grid::default();
        for extra in [1, 63, 64, 400] {
            let reference: Vec<u32> = (0..64 * BAND as u32 + extra).map(|_| random(50)).collect();
            let output: Vec<u32> =
                reference.iter().copied().filter(|_| random(5) > 0).map(|id| id ^ 1).collect();
            let steps = plain(&output[700..2500], &reference);
            assert_eq!(grid.alignment(&output[700..2500], &reference, 51), steps);
            assert_eq!(grid.counts(&output[700..2500], &reference, 51), counted(&steps));
        }
    }
}
