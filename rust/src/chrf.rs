//! chrF: how many character n-grams, and words, an output and a reference share.

use crate::characters::{Characters, Prefixes, with_characters};
use crate::hits::{Hits, Pair, name_all};
use crate::ngram;
use crate::overlap::{Expected, Overlap, Sequences};
use crate::text::Text;
use crate::tokenize::{Case, white_space};
use crate::tokens::Tokens;

/// What an order without n-grams counts for where the score is not averaged over effective orders.
const EPSILON: f64 = 1e-16;

pub struct Chrf {
    pub order: usize,
    pub word_order: usize,
    /// How many times as much recall weighs as precision.
    pub beta: f64,
    pub mean: Mean,
    /// Characters that do not count.
    skipped: Vec<char>,
    case: Case,
    prefixes: Prefixes,
}

/// How the orders become one score.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Mean {
    /// F of the mean precision and the mean recall of the orders that both sides have.
    Effective,
    /// The mean of all orders' F.
    All,
}

impl Chrf {
    pub fn new(
        order: usize,
        word_order: usize,
        beta: f64,
        mean: Mean,
        keep_white: bool,
        case: Case,
    ) -> Self {
        let skipped = if keep_white { Vec::new() } else { white_space() };
        let prefixes = Prefixes::new(order);
        Chrf { order, word_order, beta, mean, skipped, case, prefixes }
    }

    /// How many numbers `rows` gives for a segment.
    pub fn columns(&self) -> usize {
        3 * (self.order + self.word_order)
    }

    /// For each segment and each order the n-grams of the output, those of the reference and the
    /// matches, for the reference with the best score, the first of several as good.
    pub fn rows(
        &self,
        output: &Text,
        references: &[&Text],
        words: Option<&Hits>,
        rows: &mut [f64],
    ) {
        with_characters(&self.skipped, |characters| {
            let mut scratch = ReferenceRow::new(self, characters);
            for (index, row) in rows.chunks_exact_mut(self.columns()).enumerate() {
                let present = references.iter().filter_map(|reference| reference.get(index));
                let words = words.map(|hits| hits.get(index));
                self.segment(output.get(index).unwrap_or(""), present, words, &mut scratch, row);
            }
        });
    }

    /// The score of one output.
    pub fn sentence(&self, output: &str, references: &[&str], words: Option<&Hits>) -> f64 {
        with_characters(&self.skipped, |characters| {
            let mut row = vec![0.0; self.columns()];
            let words = words.map(|hits| hits.get(0));
            let mut scratch = ReferenceRow::new(self, characters);
            self.segment(output, references.iter().copied(), words, &mut scratch, &mut row);
            self.score(&row)
        })
    }

    fn segment<'a>(
        &self,
        output: &str,
        references: impl Iterator<Item = &'a str>,
        words: Option<Pair<'_>>,
        ReferenceRow { characters, counts, matches }: &mut ReferenceRow<'_>,
        row: &mut [f64],
    ) {
        characters.clear();
        let mut width = 0;
        for reference in references {
            characters.push_reference(&self.case.fold(reference));
            width += 1;
        }
        characters.set_output(&self.case.fold(output));
        let mut pairs = words.as_ref().map(Pair::singly);
        let mut best = -1.0;
        for reference in 0..width {
            let (letters, rest) = counts.split_at_mut(3 * self.order);
            characters.count(reference, &self.prefixes, &mut matches[..self.order]);
            let lengths = (characters.output_len(), characters.reference_len(reference));
            fill(letters, lengths, matches);
            if let Some(pair) = pairs.as_mut().and_then(Iterator::next) {
                fill_words(rest, &pair, &mut matches[..self.word_order]);
            }
            let score = if width == 1 { 0.0 } else { self.score(counts) };
            if score > best {
                best = score;
                row.copy_from_slice(counts);
            }
        }
    }

    /// The score of each of these outputs against each of these references, both given by their
    /// places among the texts, output by output. Word n-grams need the texts' words.
    pub fn pairs(
        &self,
        texts: &Text,
        words: Option<&Tokens>,
        outputs: &[usize],
        references: &[usize],
        scores: &mut [f64],
    ) {
        let prepared = |sequences: &Sequences<'_>, orders| {
            let overlap = Overlap::new(sequences, orders, outputs, references);
            let counts = vec![0; overlap.columns()];
            (overlap, counts, sequences.lengths())
        };
        let letters = with_characters(&self.skipped, |characters| {
            let segments = texts.iter().map(Option::unwrap_or_default);
            segments.for_each(|text| characters.push_reference(&self.case.fold(text)));
            let (ids, ends, types) = characters.references();
            prepared(&Sequences { ids, ends, types }, self.order)
        });
        let (letters, mut letter_counts, letter_lengths) = letters;
        let (ids, ends, types) = words.map(name_all).unwrap_or_default();
        let sequences = Sequences { ids: &ids, ends: &ends, types };
        let mut words = words.map(|_| prepared(&sequences, self.word_order));
        let mut counts = vec![0.0; self.columns()];
        for (output, scores) in outputs.iter().zip(scores.chunks_exact_mut(references.len())) {
            letters.row(*output, &mut letter_counts);
            if let Some((words, word_counts, _)) = &mut words {
                words.row(*output, word_counts);
            }
            for (reference, score) in references.iter().zip(scores) {
                let (first, rest) = counts.split_at_mut(3 * self.order);
                let matches = &letter_counts[reference * self.order..][..self.order];
                fill(first, (letter_lengths[*output], letter_lengths[*reference]), matches);
                if let Some((_, word_counts, lengths)) = &words {
                    let matches = &word_counts[reference * self.word_order..][..self.word_order];
                    fill(rest, (lengths[*output], lengths[*reference]), matches);
                }
                *score = self.score(&counts);
            }
        }
    }

    /// The row of each of these outputs against references that stand for one. Word n-grams need
    /// the texts' words.
    pub fn expected_rows(
        &self,
        texts: &Text,
        words: Option<&Tokens>,
        outputs: &[usize],
        expected: &Expected<'_>,
        rows: &mut [f64],
    ) {
        let columns = self.columns();
        let mut count = |sequences: &Sequences<'_>, start: usize, orders: usize| {
            let lengths = sequences.lengths();
            let mut matches = vec![0.0; outputs.len() * orders];
            expected.matches(sequences, orders, outputs, &mut matches);
            let grams = |text: usize, below| lengths[text].saturating_sub(below) as f64;
            for below in 0..orders {
                let reference = expected.mean(|text| grams(text, below));
                for (index, row) in rows.chunks_exact_mut(columns).enumerate() {
                    let counts = &mut row[start + 3 * below..][..3];
                    let there = reference > 0.0;
                    counts[0] = if there { grams(outputs[index], below) } else { 0.0 };
                    counts[1] = reference;
                    counts[2] = matches[below * outputs.len() + index];
                }
            }
        };
        with_characters(&self.skipped, |characters| {
            let segments = texts.iter().map(Option::unwrap_or_default);
            segments.for_each(|text| characters.push_reference(&self.case.fold(text)));
            let (ids, ends, types) = characters.references();
            count(&Sequences { ids, ends, types }, 0, self.order);
        });
        if let Some(words) = words {
            let (ids, ends, types) = name_all(words);
            let sequences = Sequences { ids: &ids, ends: &ends, types };
            count(&sequences, 3 * self.order, self.word_order);
        }
    }

    /// The score, 0 to 100, of one row as `rows` makes them, or of a sum of such rows.
    ///
    /// The steps are sacreBLEU's in its order, so that the choice among references that are
    /// equally good up to rounding is the same.
    pub fn score(&self, row: &[f64]) -> f64 {
        let factor = self.beta * self.beta;
        let (mut sum, mut precisions, mut recalls, mut orders) = (0.0, 0.0, 0.0, 0.0);
        for counts in row.chunks_exact(3) {
            let [output, reference, matched] = counts else { unreachable!() };
            let precision = if *output > 0.0 { matched / output } else { EPSILON };
            let recall = if *reference > 0.0 { matched / reference } else { EPSILON };
            let weighted = factor * precision + recall;
            sum += if weighted > 0.0 {
                (1.0 + factor) * precision * recall / weighted
            } else {
                EPSILON
            };
            if *output > 0.0 && *reference > 0.0 {
                precisions += precision;
                recalls += recall;
                orders += 1.0;
            }
        }
        if self.mean == Mean::All {
            return 100.0 * sum / (self.order + self.word_order) as f64;
        }
        if precisions + recalls == 0.0 {
            return 0.0;
        }
        let (precision, recall) = (precisions / orders, recalls / orders);
        let score = (1.0 + factor) * precision * recall;
        100.0 * (score / (factor * precision + recall))
    }
}

/// What counting one segment needs, for the next one to use again.
struct ReferenceRow<'a> {
    characters: &'a mut Characters,
    /// The row of the reference at hand, and the matches of its orders.
    counts: Vec<f64>,
    matches: Vec<f64>,
}

impl<'a> ReferenceRow<'a> {
    fn new(chrf: &Chrf, characters: &'a mut Characters) -> Self {
        let counts = vec![0.0; chrf.columns()];
        let matches = vec![0.0; chrf.order.max(chrf.word_order)];
        ReferenceRow { characters, counts, matches }
    }
}

fn fill_words(counts: &mut [f64], pair: &Pair<'_>, matches: &mut [f64]) {
    matches.fill(0.0);
    ngram::count(pair, matches);
    let words = pair.references().next().map_or(0, <[u32]>::len);
    fill(counts, (pair.output.len(), words), matches);
}

/// An order of which the reference has no n-grams does not count the output's either.
fn fill<Count: Copy + Into<f64>>(
    counts: &mut [f64],
    (output, reference): (usize, usize),
    matches: &[Count],
) {
    for (below, counts) in counts.chunks_exact_mut(3).enumerate() {
        let grams = |length: usize| length.saturating_sub(below) as f64;
        let there = grams(reference) > 0.0;
        counts[0] = if there { grams(output) } else { 0.0 };
        counts[1] = grams(reference);
        counts[2] = matches[below].into();
    }
}
