//! NIST's weights: what each n-gram of the references tells after its first words.
//!
//! The n-grams of a whole corpus are kept as steps, from the (n-1)-gram that begins one to the
//! word that ends it, in one table for each order. An n-gram takes 21 to 43 bytes, and half of
//! those of a new reference are new too: a million references of 23 words need 1.5 gigabytes.

use crate::interrupt::{Meter, spend};
pub use crate::steps::Gram;
use crate::steps::{Steps, key};
use crate::terms::Terms;
use crate::tokens::{Sentence, Tokens};
use crate::vocabulary::Vocabulary;

pub struct Information {
    order: usize,
    words: Vocabulary,
    /// How often each word occurs.
    unigrams: Vec<u32>,
    /// The n-grams of two words, of three and so on.
    longer: Vec<Steps>,
    /// All words of all references.
    total: u64,
    source: Source,
}

/// Where the weights come from.
enum Source {
    Counted {
        /// mteval takes the word `0` for no word: what follows it is weighed like a first word.
        zero_is_no_word: bool,
    },
    /// For each order the weight of each n-gram.
    Given(Vec<Vec<f64>>),
}

/// A line that is not an n-gram, a tab and a number; lines count from 1.
#[derive(Debug, PartialEq)]
pub struct BadLine {
    pub line: usize,
    pub text: String,
}

/// What counting an n-gram takes, in units of `spend`.
const COUNTING: usize = 64;

/// The word that `style=mteval` treats as nothing.
const ZERO: &[u8] = b"0";

impl Information {
    /// Nothing yet; `add` counts.
    pub fn counted(order: usize, zero_is_no_word: bool) -> Self {
        Information {
            order,
            words: Vocabulary::default(),
            unigrams: Vec::new(),
            longer: (1..order).map(|_| Steps::default()).collect(),
            total: 0,
            source: Source::Counted { zero_is_no_word },
        }
    }

    /// The weights in lines of words with blanks between them, a tab, and a number. N-grams of
    /// more than `order` words are left out.
    pub fn given(lines: &str, order: usize) -> Result<Self, BadLine> {
        let mut builder = Tokens::builder(0, lines.len());
        let mut weights = Vec::new();
        for (at, line) in lines.split('\n').enumerate() {
            let line = line.strip_suffix('\r').unwrap_or(line);
            if line.is_empty() {
                continue;
            }
            let fields = line.rsplit_once('\t');
            let weight = fields.and_then(|fields| fields.1.parse::<f64>().ok());
            match (fields, weight) {
                (Some((words, _)), Some(weight)) if weight.is_finite() && !words.is_empty() => {
                    builder.sentence(words.split(' '));
                    weights.push(weight);
                }
                _ => return Err(BadLine { line: at + 1, text: line.to_string() }),
            }
        }
        let tokens = builder.finish();
        let mut found = Self::counted(order, false);
        let mut given = vec![Vec::new(); order];
        for (index, weight) in weights.into_iter().enumerate() {
            let sentence = tokens.get(index).expect("no line is missing");
            if sentence.len() > order {
                continue;
            }
            let mut id = found.words.insert(sentence, 0);
            for at in 1..sentence.len() {
                let word = found.words.insert(sentence, at);
                found.longer[at - 1].reserve(1);
                id = found.longer[at - 1].add(key(id, word), 1);
            }
            let of_order = &mut given[sentence.len() - 1];
            of_order.resize(of_order.len().max(id as usize + 1), 0.0);
            of_order[id as usize] = weight;
        }
        found.source = Source::Given(given);
        Ok(found)
    }

    /// Counts the n-grams of these segments.
    pub fn add(&mut self, tokens: &Tokens) {
        self.longer.iter_mut().for_each(|steps| steps.reserve(tokens.count()));
        let (mut words, mut grams) = (Vec::new(), Vec::new());
        for sentence in (0..tokens.len()).filter_map(|index| tokens.get(index)) {
            spend(COUNTING * sentence.len() * self.order);
            words.clear();
            words.extend((0..sentence.len()).map(|at| self.words.insert(sentence, at)));
            self.total += words.len() as u64;
            self.unigrams.resize(self.words.len(), 0);
            words.iter().for_each(|word| self.unigrams[*word as usize] += 1);
            grams.clone_from(&words);
            // Order by order, so that the processor can wait for many places at a time.
            for (below, steps) in self.longer.iter_mut().enumerate() {
                grams.truncate(words.len().saturating_sub(below + 1));
                for (gram, last) in grams.iter_mut().zip(words.iter().skip(below + 1)) {
                    *gram = steps.add(key(*gram, *last), 1);
                }
            }
        }
    }

    pub fn order(&self) -> usize {
        self.order
    }

    pub fn words(&self) -> &Vocabulary {
        &self.words
    }

    /// The n-gram of this word alone, and its weight.
    pub fn first(&self, word: u32) -> (Gram, f64) {
        let count = self.unigrams.get(word as usize).copied().unwrap_or(1);
        let gram = Gram { id: word, count };
        (gram, self.weight(1, gram, self.total as f64))
    }

    /// The n-gram of `n` words that begins with `gram` and ends with `word`, and its weight.
    #[inline]
    pub fn next(&self, n: usize, gram: Gram, word: u32) -> Option<(Gram, f64)> {
        let longer = self.longer[n - 2].find(key(gram.id, word))?;
        let before = match self.source {
            Source::Counted { zero_is_no_word: true }
                if n == 2 && self.words.word(gram.id) == ZERO =>
            {
                self.total as f64
            }
            _ => gram.count as f64,
        };
        Some((longer, self.weight(n, longer, before)))
    }

    /// The weight of an n-gram of `n` words whose beginning occurs `before` times.
    fn weight(&self, n: usize, gram: Gram, before: f64) -> f64 {
        match &self.source {
            Source::Counted { .. } => (before / gram.count as f64).log2(),
            Source::Given(weights) => weights[n - 1].get(gram.id as usize).copied().unwrap_or(0.0),
        }
    }

    /// The n-grams of `n` words in lines that `given` reads, in order of first appearance; None
    /// if a word has a blank, a tab or a newline in it.
    pub fn lines(&self, n: usize) -> Option<String> {
        let mut lines = String::new();
        let mut writable = true;
        self.each(n, |words, _, weight| {
            for (at, word) in words.iter().enumerate() {
                let word = String::from_utf8_lossy(self.words.word(*word));
                writable &= !word.is_empty() && !word.contains([' ', '\t', '\n']);
                lines.push_str(if at == 0 { "" } else { " " });
                lines.push_str(&word);
            }
            lines.push_str(&format!("\t{weight}\n"));
        });
        writable.then_some(lines)
    }

    /// All n-grams with their counts.
    pub fn terms(&self) -> Terms {
        let mut terms = Terms::default();
        for word in 0..self.words.len() as u32 {
            let count = self.first(word).0.count;
            terms.push([self.words.word(word)].into_iter(), count as u64);
        }
        let (mut below, mut meter) = (0, Meter::default());
        for steps in &self.longer {
            let first = terms.len();
            for row in steps.table().chunks_exact(3) {
                meter.spend(COUNTING);
                let (beginning, word) = (below + row[0] as usize, self.words.word(row[1]));
                terms.push_longer(beginning, word, row[2] as u64);
            }
            below = first;
        }
        terms
    }

    /// Adds n-grams that were counted elsewhere, what begins one before it; if they are some of a
    /// corpus, `total` is the number of its words. False if there is one too long, or one whose
    /// beginning is not there.
    pub fn learn(&mut self, terms: &Terms, total: Option<u64>) -> bool {
        let tokens = terms.tokens();
        self.longer.iter_mut().for_each(|steps| steps.reserve(terms.len()));
        let learnt = (0..terms.len()).all(|index| {
            let sentence = tokens.get(index).expect("no n-gram is missing");
            let count = terms.count(index).min(u32::MAX as u64) as u32;
            sentence.len() <= self.order && self.learn_one(sentence, count).is_some()
        });
        self.total = total.unwrap_or(self.total);
        learnt
    }

    fn learn_one(&mut self, sentence: Sentence<'_>, count: u32) -> Option<()> {
        let last = sentence.len().checked_sub(1)?;
        let word = self.words.insert(sentence, last);
        self.unigrams.resize(self.words.len(), 0);
        if last == 0 {
            let known = &mut self.unigrams[word as usize];
            *known = known.saturating_add(count);
            self.total += count as u64;
            return Some(());
        }
        let mut id = self.words.find(sentence, 0)?;
        for at in 1..last {
            id = self.longer[at - 1].find(key(id, self.words.find(sentence, at)?))?.id;
        }
        self.longer[last - 1].add(key(id, word), count);
        Some(())
    }

    /// Goes through the n-grams of `n` words: their words, their counts and their weights.
    fn each(&self, n: usize, mut tell: impl FnMut(&[u32], Gram, f64)) {
        let tables = self.longer[..n - 1].iter().map(Steps::table).collect::<Vec<_>>();
        let count = tables.last().map_or(self.words.len(), |table| table.len() / 3);
        let mut words = Vec::with_capacity(n);
        for id in 0..count as u32 {
            spend(COUNTING * n);
            words.clear();
            let mut at = id;
            for table in tables.iter().rev() {
                let row = 3 * at as usize;
                words.push(table[row + 1]);
                at = table[row];
            }
            words.push(at);
            words.reverse();
            let (mut gram, mut weight) = self.first(words[0]);
            for (at, word) in words.iter().enumerate().skip(1) {
                let next = self.next(at + 1, gram, *word);
                (gram, weight) = next.expect("what begins an n-gram is one");
            }
            tell(&words, gram, weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::tokens;

    fn counted(zero_is_no_word: bool) -> Information {
        let mut information = Information::counted(3, zero_is_no_word);
        information.add(&tokens(&["a b a b a c"]));
        information.add(&tokens(&["0 a"]));
        information
    }

    #[test]
    fn weights_are_bits() {
        let lines = |information: &Information, n| information.lines(n).unwrap();
        let information = counted(false);
        assert_eq!(lines(&information, 1), "a\t1\nb\t2\nc\t3\n0\t3\n");
        assert_eq!(lines(&information, 2), "a b\t1\nb a\t0\na c\t2\n0 a\t0\n");
        assert_eq!(lines(&information, 3), "a b a\t0\nb a b\t1\nb a c\t1\n");
        assert_eq!(lines(&counted(true), 2), "a b\t1\nb a\t0\na c\t2\n0 a\t3\n");
    }

    #[test]
    fn lines_come_back() {
        let information = counted(true);
        let all: String = (1..=3).map(|n| information.lines(n).unwrap()).collect();
        let given = Information::given(&all, 3).unwrap();
        assert_eq!((1..=3).map(|n| given.lines(n).unwrap()).collect::<String>(), all);
        assert!(Information::given(&all, 2).unwrap().words().len() == 4);
    }

    #[test]
    fn n_grams_that_are_too_long_are_refused() {
        assert!(!Information::counted(2, false).learn(&counted(false).terms(), None));
    }

    #[test]
    fn lines_that_are_none() {
        let bad = |lines| Information::given(lines, 3).err();
        let at = |line, text: &str| Some(BadLine { line, text: text.to_string() });
        assert_eq!(bad("a\t1\n\na b"), at(3, "a b"));
        assert_eq!(bad("a\tx"), at(1, "a\tx"));
        assert_eq!(bad("a\tnan"), at(1, "a\tnan"));
        assert_eq!(bad("\t1"), at(1, "\t1"));
        let mut information = Information::counted(1, false);
        let mut builder = Tokens::builder(0, 0);
        builder.sentence(["a b"].iter());
        information.add(&builder.finish());
        assert_eq!(information.lines(1), None);
    }
}
