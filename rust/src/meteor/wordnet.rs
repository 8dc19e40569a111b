//! WordNet's index and exception files: which sets of synonyms a word belongs to.

use rustc_hash::FxHashMap;
use std::io;
use std::ops::RangeInclusive;
use std::path::Path;

const PARTS_OF_SPEECH: [&str; 4] = ["noun", "verb", "adj", "adv"];

/// Endings and what they are replaced by when a word's base form is sought, in WordNet's order:
/// nouns, verbs, adjectives.
const ENDINGS: [(&str, &str); 20] = [
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
    ("s", ""),
    ("ies", "y"),
    ("es", "e"),
    ("es", ""),
    ("ed", "e"),
    ("ed", ""),
    ("ing", "e"),
    ("ing", ""),
    ("er", ""),
    ("est", ""),
    ("er", "e"),
    ("est", "e"),
];

/// Entries that Debian's correction of an entry before them has moved: their offsets in Debian's
/// files, and by how much these are larger than in WordNet 3.0 as it was released.
const MOVED: [(&str, RangeInclusive<u32>, u32); 2] =
    [("verb", 613_036..=2_422_681, 18), ("adj", 1_681_478..=3_155_307, 1)];

/// Sets have METEOR's numbers: their offset in the file of their part of speech as it was
/// released, so that a few sets of different parts of speech share a number.
pub struct WordNet {
    lemmas: FxHashMap<Box<str>, Vec<u32>>,
    exceptions: FxHashMap<Box<str>, Vec<Box<str>>>,
}

impl WordNet {
    /// Reads the files index.* and *.exc of a WordNet dictionary folder.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let mut lemmas: FxHashMap<Box<str>, Vec<u32>> = FxHashMap::default();
        let mut exceptions: FxHashMap<Box<str>, Vec<Box<str>>> = FxHashMap::default();
        lemmas.reserve(150_000);
        for part in PARTS_OF_SPEECH {
            let index = std::fs::read_to_string(folder.join(format!("index.{part}")))?;
            let moved = MOVED.iter().find(|(moved_part, offsets, _)| {
                *moved_part == part && index.contains(&format!(" {:08}", offsets.start()))
            });
            for line in index.lines().filter(|line| !line.starts_with(' ')) {
                let (lemma, synsets) = index_entry(line).ok_or_else(|| malformed(part, line))?;
                let released = synsets.map(|offset| match moved {
                    Some((_, offsets, by)) if offsets.contains(&offset) => offset - by,
                    _ => offset,
                });
                lemmas.entry(lemma.into()).or_default().extend(released);
            }
            let listed = std::fs::read_to_string(folder.join(format!("{part}.exc")))?;
            for line in listed.lines() {
                let mut words = line.split_ascii_whitespace();
                if let Some(word) = words.next() {
                    exceptions.entry(word.into()).or_default().extend(words.map(Box::from));
                }
            }
        }
        Ok(WordNet { lemmas, exceptions })
    }

    /// The sets that the word or its base form belongs to, sorted.
    pub fn synsets(&self, word: &str) -> Vec<u32> {
        let mut found = self.of_lemma(word).to_vec();
        match self.exceptions.get(word) {
            Some(bases) => bases.iter().for_each(|base| found.extend(self.of_lemma(base))),
            None => found.extend(self.of_lemma(&self.base(word))),
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn of_lemma(&self, lemma: &str) -> &[u32] {
        self.lemmas.get(lemma).map_or(&[], Vec::as_slice)
    }

    /// The base form by WordNet's endings; METEOR puts a removed -ful back on, so that such a
    /// word practically never has one.
    fn base(&self, word: &str) -> String {
        if word.ends_with("ss") || word.len() <= 2 {
            return word.to_string();
        }
        let (stem, ful) = match word.strip_suffix("ful") {
            Some(stem) => (stem, "ful"),
            None => (word, ""),
        };
        let forms = ENDINGS.iter().filter_map(|(ending, replacement)| {
            stem.strip_suffix(ending).map(|rest| format!("{rest}{replacement}"))
        });
        for form in forms {
            if self.lemmas.contains_key(form.as_str()) {
                return form + ful;
            }
        }
        String::new()
    }
}

/// `lemma pos count pointers [pointer…] senses tagged offset…`: the last `count` are the sets.
fn index_entry(line: &str) -> Option<(&str, impl Iterator<Item = u32>)> {
    let mut fields = line.split_ascii_whitespace();
    let lemma = fields.next()?;
    let count: usize = fields.nth(1)?.parse().ok()?;
    let synsets = line.split_ascii_whitespace().rev().take(count);
    let offsets: Option<Vec<u32>> = synsets.map(|field| field.parse().ok()).collect();
    Some((lemma, offsets?.into_iter()))
}

fn malformed(part: &str, line: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("index.{part} has the line {line:?}"))
}
