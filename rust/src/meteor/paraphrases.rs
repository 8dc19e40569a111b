//! Phrases that may stand for each other, from a METEOR paraphrase table.

use super::lexicon::Lexicon;
use super::links::{Link, Links};
use crate::interrupt::spend;
use rustc_hash::FxHashMap;

/// The table, in words of one lexicon: for each phrase its paraphrases, in the table's order.
pub struct Paraphrases {
    phrases: FxHashMap<Box<[u32]>, Vec<u32>>,
    /// Where in `words` each entry's paraphrase begins and ends.
    bounds: Vec<(u32, u32)>,
    words: Vec<u32>,
    longest: usize,
}

/// What looking for a phrase takes, in units of `spend`.
const PHRASE: usize = 32;

impl Paraphrases {
    /// Reads a table of three lines an entry: probability, phrase, paraphrase.
    pub fn read(table: &str, lexicon: &Lexicon) -> Result<Self, String> {
        let mut found = Paraphrases {
            phrases: FxHashMap::default(),
            bounds: Vec::new(),
            words: Vec::new(),
            longest: 0,
        };
        let mut lines = table.lines();
        while let Some(probability) = lines.next() {
            let entry = 3 * found.bounds.len() + 1;
            if probability.parse::<f64>().is_err() {
                return Err(format!("line {entry} is {probability:?}, no probability"));
            }
            let (Some(phrase), Some(paraphrase)) = (lines.next(), lines.next()) else {
                return Err(format!("the entry that begins at line {entry} breaks off"));
            };
            let start = found.words.len() as u32;
            found.words.extend(lexicon.words(paraphrase));
            let number = found.bounds.len() as u32;
            found.bounds.push((start, found.words.len() as u32));
            let phrase: Box<[u32]> = lexicon.words(phrase).collect();
            found.longest = found.longest.max(phrase.len());
            found.phrases.entry(phrase).or_default().push(number);
        }
        Ok(found)
    }

    /// Adds a link for every phrase of the reference with a paraphrase in the output, then the
    /// same with the roles exchanged.
    pub fn link(&self, hyp: &[u32], reference: &[u32], stage: usize, links: &mut Links) {
        self.each(reference, hyp, |at, width, place, other| {
            links.push(Link {
                reference: at,
                reference_words: width,
                hyp: place,
                hyp_words: other,
                stage: stage as u32,
            });
        });
        self.each(hyp, reference, |at, width, place, other| {
            links.push(Link {
                reference: place,
                reference_words: other,
                hyp: at,
                hyp_words: width,
                stage: stage as u32,
            });
        });
    }

    fn each(&self, from: &[u32], to: &[u32], mut found: impl FnMut(u32, u32, u32, u32)) {
        for at in 0..from.len() {
            spend(PHRASE * self.longest);
            for width in 1..=self.longest.min(from.len() - at) {
                let Some(entries) = self.phrases.get(&from[at..at + width]) else { continue };
                for entry in entries {
                    let (start, end) = self.bounds[*entry as usize];
                    let paraphrase = &self.words[start as usize..end as usize];
                    spend(2 * to.len());
                    if paraphrase.is_empty() {
                        continue;
                    }
                    for (place, window) in to.windows(paraphrase.len()).enumerate() {
                        if window == paraphrase {
                            let other = paraphrase.len() as u32;
                            found(at as u32, width as u32, place as u32, other);
                        }
                    }
                }
            }
        }
    }
}
