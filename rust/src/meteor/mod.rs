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
        let hyps = self.lexicon.ids(output);
        let refs: Vec<_> = references.iter().map(|tokens| self.lexicon.ids(tokens)).collect();
        let mut links = Links::default();
        let mut chosen = Vec::new();
        for (index, row) in rows.chunks_exact_mut(COLUMNS).enumerate() {
            let hyp = hyps.get(index).unwrap_or(&[]);
            let mut best: Option<(f64, Statistics)> = None;
            for reference in refs.iter().filter_map(|column| column.get(index)) {
                self.align(hyp, reference, &mut links, &mut chosen);
                let found = self.lexicon.statistics(hyp, reference, &chosen);
                let score = self.formula.score(&found);
                if best.as_ref().is_none_or(|so_far| score > so_far.0) {
                    best = Some((score, found));
                }
            }
            if let Some((_, found)) = best {
                row.copy_from_slice(&found);
            }
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
        let hyp = self.lexicon.segment_ids(output, index).unwrap_or_default();
        let (mut best, mut highest) = (0, f64::NEG_INFINITY);
        let mut found = Vec::new();
        for tokens in references {
            let Some(reference) = self.lexicon.segment_ids(tokens, index) else { continue };
            let mut chosen = Vec::new();
            self.align(&hyp, &reference, &mut Links::default(), &mut chosen);
            let score = self.formula.score(&self.lexicon.statistics(&hyp, &reference, &chosen));
            if score > highest {
                (best, highest) = (found.len(), score);
            }
            found.push(chosen);
        }
        (best, found)
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
