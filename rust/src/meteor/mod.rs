//! METEOR: words of output and reference linked one to one, exactly, by stem, by synonym or
//! by paraphrase.

pub mod lexicon;
pub mod links;
pub mod paraphrases;
pub mod score;
pub mod search;
pub mod stemmer;
pub mod word_search;
pub mod wordnet;

use crate::tokens::Tokens;
use lexicon::Lexicon;
use links::{Link, Links};
use score::{COLUMNS, Formula, Statistics};

/// What a word pair may be linked by, in the order in which it is tried.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Stage {
    Exact,
    Stem,
    Synonym,
    Paraphrase,
}

/// An aligner with the formula by which the best reference is chosen.
pub struct Meteor {
    pub lexicon: Lexicon,
    pub stages: Vec<Stage>,
    pub formula: Formula,
}

impl Meteor {
    /// Fills a row of statistics for each segment: those of its best reference, the first of
    /// several as good.
    pub fn rows(&self, output: &Tokens, references: &[&Tokens], rows: &mut [f64]) {
        let mut pair = PairBuffers::default();
        for (index, row) in rows.chunks_exact_mut(COLUMNS).enumerate() {
            let mut highest = f64::NEG_INFINITY;
            self.each_alignment(output, references, index, &mut pair, |score, found, _| {
                if score > highest {
                    highest = score;
                    row.copy_from_slice(found);
                }
            });
        }
    }

    /// The links of one segment with each reference that is there, in order of the reference,
    /// and which of these is the best.
    pub fn alignments(
        &self,
        output: &Tokens,
        references: &[&Tokens],
        index: usize,
    ) -> (usize, Vec<Vec<Link>>) {
        let (mut best, mut highest) = (0, f64::NEG_INFINITY);
        let mut found = Vec::new();
        let mut pair = PairBuffers::default();
        self.each_alignment(output, references, index, &mut pair, |score, _, chosen| {
            if score > highest {
                (best, highest) = (found.len(), score);
            }
            found.push(chosen.to_vec());
        });
        (best, found)
    }

    /// Calls `see` with score, statistics and links of each reference that is there.
    fn each_alignment(
        &self,
        output: &Tokens,
        references: &[&Tokens],
        index: usize,
        pair: &mut PairBuffers,
        mut see: impl FnMut(f64, &Statistics, &[Link]),
    ) {
        let PairBuffers { hyp, reference, links, chosen } = pair;
        self.lexicon.name(output, index, hyp);
        for tokens in references {
            if self.lexicon.name(tokens, index, reference) {
                self.align(hyp, reference, links, chosen);
                let found = self.lexicon.statistics(hyp, reference, chosen);
                see(self.formula.score(&found), &found, chosen);
            }
        }
    }

    fn align(&self, hyp: &[u32], reference: &[u32], links: &mut Links, chosen: &mut Vec<Link>) {
        // The original looks no further where nothing is left to find.
        let equal = self.lexicon.are_equal(hyp, reference);
        let stages = if equal { &self.stages[..1] } else { &self.stages[..] };
        links.clear(hyp.len(), reference.len());
        for (number, stage) in stages.iter().enumerate() {
            self.lexicon.link(hyp, reference, *stage, number, links);
        }
        search::best(links, chosen);
    }
}

/// The words of both sides and their links, in memory that each pair uses again.
#[derive(Default)]
struct PairBuffers {
    hyp: Vec<u32>,
    reference: Vec<u32>,
    links: Links,
    chosen: Vec<Link>,
}
