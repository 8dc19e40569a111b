//! Phrases that may stand for each other, from a METEOR paraphrase table.
//!
//! A table has millions of entries. Its words get ids of their own, phrases are the ways through a
//! tree of words, and the paraphrases of a phrase lie one behind the other, so that most phrases
//! of a text are ruled out after a word or two, and most paraphrases by their first word.

use super::links::{Link, Links};
use crate::interrupt::spend;
use rustc_hash::FxHashMap;

/// The table's id of a word that it lacks.
pub const UNLISTED: u32 = u32::MAX;

const NOWHERE: u32 = u32::MAX;
const ROOT: u32 = 0;

/// What looking for a phrase, and reading a line, takes in units of `spend`.
const PHRASE: usize = 32;
const LINE: usize = 100;

/// The table: for each phrase its paraphrases, in the table's order.
pub struct Paraphrases {
    ids: FxHashMap<Box<[u8]>, u32>,
    /// The node that a word leads to from another node; phrases are ways from the root.
    edges: FxHashMap<(u32, u32), u32>,
    /// For each node its paraphrases: the first and the last of its blocks.
    nodes: Vec<(u32, u32)>,
    blocks: Vec<Block>,
    /// The paraphrases: each its length, then its words.
    words: Vec<u32>,
}

/// Paraphrases of a phrase in neighbouring entries, as a part of `words`, and the block with the next.
struct Block {
    start: u32,
    end: u32,
    next: u32,
}

impl Paraphrases {
    /// Reads a table of three lines an entry: probability, phrase, paraphrase.
    pub fn read(table: &str) -> Result<Self, String> {
        let mut reader = Reader::default();
        reader.push(table.as_bytes())?;
        reader.finish()
    }

    /// The table's id of a word.
    pub fn id(&self, word: &[u8]) -> u32 {
        self.ids.get(word).copied().unwrap_or(UNLISTED)
    }

    /// Adds a link for every phrase of the reference with a paraphrase in the output, then the
    /// same with the roles exchanged. Words are ids of the table.
    pub fn link(&self, hyp: &[u32], reference: &[u32], stage: usize, links: &mut Links) {
        let stage = stage as u32;
        self.each(reference, hyp, |at, width, place, other| {
            links.push(Link {
                reference: at,
                reference_words: width,
                hyp: place,
                hyp_words: other,
                stage,
            });
        });
        self.each(hyp, reference, |at, width, place, other| {
            links.push(Link {
                reference: place,
                reference_words: other,
                hyp: at,
                hyp_words: width,
                stage,
            });
        });
    }

    fn each(&self, from: &[u32], to: &[u32], mut add: impl FnMut(u32, u32, u32, u32)) {
        let filter = Filter::of(to);
        for at in 0..from.len() {
            let mut node = ROOT;
            for (width, word) in (1..).zip(&from[at..]) {
                spend(PHRASE);
                let Some(next) = self.edges.get(&(node, *word)) else { break };
                node = *next;
                self.each_paraphrase(node, |paraphrase| {
                    if !filter.may_have(paraphrase[0]) {
                        return;
                    }
                    spend(2 * to.len());
                    for (place, window) in (0..).zip(to.windows(paraphrase.len())) {
                        if window == paraphrase {
                            add(at as u32, width, place, paraphrase.len() as u32);
                        }
                    }
                });
            }
        }
    }

    /// Calls `visit` with the words of each paraphrase that has any.
    #[inline(always)]
    fn each_paraphrase(&self, node: u32, mut visit: impl FnMut(&[u32])) {
        let mut block = self.nodes[node as usize].0;
        while block != NOWHERE {
            let Block { start, end, next } = self.blocks[block as usize];
            let mut words = &self.words[start as usize..end as usize];
            spend(words.len());
            while let [length, rest @ ..] = words {
                let (paraphrase, others) = rest.split_at(*length as usize);
                if !paraphrase.is_empty() {
                    visit(paraphrase);
                }
                words = others;
            }
            block = next;
        }
    }
}

/// The words of a text, folded to 1,024 bits: a word without its bit is not among them.
struct Filter([u64; 16]);

impl Filter {
    fn of(words: &[u32]) -> Self {
        let mut bits = [0; 16];
        for word in words {
            bits[*word as usize / 64 % 16] |= 1 << (word % 64);
        }
        Filter(bits)
    }

    #[inline(always)]
    fn may_have(&self, word: u32) -> bool {
        self.0[word as usize / 64 % 16] >> (word % 64) & 1 == 1
    }
}

/// Reads a table block by block.
pub struct Reader {
    table: Paraphrases,
    /// The beginning of a line whose end is not here yet.
    begun: Vec<u8>,
    lines: usize,
    phrase: Vec<u8>,
    node: u32,
}

impl Default for Reader {
    fn default() -> Self {
        let table = Paraphrases {
            ids: FxHashMap::default(),
            edges: FxHashMap::default(),
            nodes: vec![(NOWHERE, NOWHERE)],
            blocks: Vec::new(),
            words: Vec::new(),
        };
        Reader { table, begun: Vec::new(), lines: 0, phrase: Vec::new(), node: ROOT }
    }
}

impl Reader {
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), String> {
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', bytes) {
            let line = &bytes[start..end];
            start = end + 1;
            if self.begun.is_empty() {
                self.line(line)?;
            } else {
                let mut whole = std::mem::take(&mut self.begun);
                whole.extend(line);
                self.line(&whole)?;
            }
        }
        self.begun.extend(&bytes[start..]);
        Ok(())
    }

    pub fn finish(mut self) -> Result<Paraphrases, String> {
        if !self.begun.is_empty() {
            let last = std::mem::take(&mut self.begun);
            self.line(&last)?;
        }
        if self.lines % 3 != 0 {
            let entry = self.lines / 3 * 3 + 1;
            return Err(format!("the entry that begins at line {entry} breaks off"));
        }
        self.table.words.shrink_to_fit();
        Ok(self.table)
    }

    fn line(&mut self, line: &[u8]) -> Result<(), String> {
        spend(LINE);
        self.lines += 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let Ok(text) = std::str::from_utf8(line) else {
            return Err(format!("line {} is not UTF-8", self.lines));
        };
        let number = if self.lines == 1 { text.trim_start_matches('\u{feff}') } else { text };
        match self.lines % 3 {
            1 if number.parse::<f64>().is_err() => {
                return Err(format!("line {} is {text:?}, no probability", self.lines));
            }
            1 => {}
            2 => self.find_node(line),
            _ => self.add_paraphrase(line),
        }
        Ok(())
    }

    /// Finds the node of a phrase. Entries of one phrase are mostly neighbours.
    fn find_node(&mut self, phrase: &[u8]) {
        if self.phrase == phrase && self.lines > 3 {
            return;
        }
        self.phrase.clear();
        self.phrase.extend(phrase);
        let Paraphrases { ids, edges, nodes, .. } = &mut self.table;
        self.node = words(phrase).fold(ROOT, |node, word| {
            *edges.entry((node, learn(ids, word))).or_insert_with(|| {
                nodes.push((NOWHERE, NOWHERE));
                nodes.len() as u32 - 1
            })
        });
    }

    fn add_paraphrase(&mut self, paraphrase: &[u8]) {
        let Paraphrases { ids, nodes, blocks, words: all, .. } = &mut self.table;
        let start = all.len() as u32;
        all.push(0);
        all.extend(words(paraphrase).map(|word| learn(ids, word)));
        let end = all.len() as u32;
        all[start as usize] = end - start - 1;
        let (first, last) = &mut nodes[self.node as usize];
        if let Some(block) = blocks.get_mut(*last as usize).filter(|block| block.end == start) {
            block.end = end;
            return;
        }
        let number = blocks.len() as u32;
        match blocks.get_mut(*last as usize) {
            Some(block) => block.next = number,
            None => *first = number,
        }
        *last = number;
        blocks.push(Block { start, end, next: NOWHERE });
    }
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

fn learn(ids: &mut FxHashMap<Box<[u8]>, u32>, word: &[u8]) -> u32 {
    if let Some(id) = ids.get(word) {
        return *id;
    }
    let id = ids.len() as u32;
    ids.insert(word.into(), id);
    id
}
