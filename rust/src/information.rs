//! NIST's weights: what each n-gram of the references tells after its first words.
//!
//! The n-grams of a whole corpus are kept as steps, from the (n-1)-gram that begins one to the
//! word that ends it, in one table for each order. An n-gram takes 21 to 43 bytes, and half of
//! those of a new reference are new too: a million references of 23 words need 1.5 gigabytes.

use crate::tokens::Tokens;
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

/// An n-gram as it was found in the table.
#[derive(Clone, Copy)]
pub struct Gram {
    id: u32,
    count: u32,
}

/// A line that is not an n-gram, a tab and a number; lines count from 1.
#[derive(Debug, PartialEq)]
pub struct BadLine {
    pub line: usize,
    pub text: String,
}

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
                id = found.longer[at - 1].count(key(id, word));
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
                    *gram = steps.count(key(*gram, *last));
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
        let ends = self.longer[..n - 1].iter().map(Steps::by_id).collect::<Vec<_>>();
        let count = ends.last().map_or(self.words.len(), Vec::len);
        for id in 0..count as u32 {
            let mut words = Vec::with_capacity(n);
            let mut at = id;
            for steps in ends.iter().rev() {
                let (first, last) = steps[at as usize];
                words.push(last);
                at = first;
            }
            words.push(at);
            words.reverse();
            let (mut gram, mut weight) = self.first(words[0]);
            for (at, word) in words.iter().enumerate().skip(1) {
                (gram, weight) = self.next(at + 1, gram, *word)?;
            }
            for (at, word) in words.iter().enumerate() {
                let word = String::from_utf8_lossy(self.words.word(*word));
                if word.is_empty() || word.contains([' ', '\t', '\n']) {
                    return None;
                }
                lines.push_str(if at == 0 { "" } else { " " });
                lines.push_str(&word);
            }
            lines.push_str(&format!("\t{weight}\n"));
        }
        Some(lines)
    }
}

fn key(first: u32, last: u32) -> u64 {
    (first as u64) << 32 | last as u64
}

/// N-grams of one order by their beginning and their last word, with their counts.
struct Steps {
    slots: Vec<Slot>,
    used: usize,
}

#[derive(Clone, Copy)]
struct Slot {
    key: u64,
    id: u32,
    /// 0 where there is no n-gram.
    count: u32,
}

impl Default for Steps {
    fn default() -> Self {
        Steps { slots: free_slots(1024), used: 0 }
    }
}

impl Steps {
    /// Makes room for so many n-grams more.
    fn reserve(&mut self, more: usize) {
        let wanted = (self.used + more) * 4 / 3;
        if wanted < self.slots.len() {
            return;
        }
        let old = std::mem::take(&mut self.slots);
        self.slots = free_slots((wanted + 1).next_power_of_two());
        for slot in old.into_iter().filter(|slot| slot.count > 0) {
            let at = self.seek(slot.key);
            self.slots[at] = slot;
        }
    }

    /// Counts the n-gram; there must be room for it.
    #[inline]
    fn count(&mut self, key: u64) -> u32 {
        let at = self.seek(key);
        let slot = &mut self.slots[at];
        if slot.count == 0 {
            *slot = Slot { key, id: self.used as u32, count: 0 };
            self.used += 1;
        }
        slot.count = slot.count.saturating_add(1);
        slot.id
    }

    #[inline]
    fn find(&self, key: u64) -> Option<Gram> {
        let slot = self.slots[self.seek(key)];
        (slot.count > 0).then_some(Gram { id: slot.id, count: slot.count })
    }

    /// The slot that holds the n-gram, or the free one where it belongs.
    #[inline]
    fn seek(&self, key: u64) -> usize {
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        let mask = self.slots.len() - 1;
        let mixed = key.wrapping_mul(SPREAD);
        let mut at = (mixed ^ mixed >> 32).wrapping_mul(SPREAD) as usize >> 20 & mask;
        loop {
            let slot = &self.slots[at];
            if (slot.count == 0) | (slot.key == key) {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    /// For each n-gram its beginning and its last word.
    fn by_id(&self) -> Vec<(u32, u32)> {
        let mut found = vec![(0, 0); self.used];
        for slot in self.slots.iter().filter(|slot| slot.count > 0) {
            found[slot.id as usize] = ((slot.key >> 32) as u32, slot.key as u32);
        }
        found
    }
}

fn free_slots(count: usize) -> Vec<Slot> {
    vec![Slot { key: 0, id: 0, count: 0 }; count]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(sentences: &[&str]) -> Tokens {
        let mut builder = Tokens::builder(0, 0);
        sentences.iter().for_each(|words| builder.sentence(words.split(' ')));
        builder.missing();
        builder.finish()
    }

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
