//! Runs each kernel once over two files of parallel lines, and prints how many there are.
//!
//! `bench/instructions.py` runs it under callgrind, which counts while a function named
//! `kernel_…` is at work: none is inlined, none calls another. A new kernel is such a function
//! and its call.

use _core::hits::Hits;
use _core::lines::LineBuffer;
use _core::meteor::lexicon::Lexicon;
use _core::meteor::score::{COLUMNS, Formula};
use _core::meteor::stemmer::FormerStemmer;
use _core::meteor::{Meteor, Stage};
use _core::ngram::{self, RefLength};
use _core::text::Text;
use _core::tokenize::{Case, Tokenizer};
use _core::tokens::Tokens;
use rust_stemmers::Algorithm;
use std::hint::black_box;

/// As many segments as metra works on at a time.
const CHUNK: usize = 1024;

fn main() {
    let mut paths = std::env::args().skip(1);
    let mut chunks = || read(&paths.next().expect("two files: the output, the reference"));
    let (outputs, references) = (chunks(), chunks());
    let meteor = meteor();
    for (output, reference) in outputs.iter().zip(&references) {
        black_box(kernel_tokenize_intl(output));
        black_box(kernel_tokenize_zh(output));
        kernel_sentence(output, reference);
        let (output, reference) = (kernel_tokenize(output), kernel_tokenize(reference));
        kernel_ngram(&kernel_hits(&output, &reference));
        kernel_two_references(&output, &reference);
        kernel_meteor(&meteor, &output, &reference);
        kernel_paragraphs(&paragraphs(&output), &paragraphs(&reference));
    }
    println!("{}", outputs.iter().map(Text::len).sum::<usize>());
}

fn read(path: &str) -> Vec<Text> {
    let mut lines = LineBuffer::default();
    lines.push(&std::fs::read(path).expect("a file that can be read"));
    lines.finish();
    let mut chunks = Vec::new();
    while lines.ready() > 0 {
        chunks.push(kernel_lines(&mut lines));
    }
    chunks
}

/// Eight segments in a row as one: more words than a machine word has bits.
fn paragraphs(tokens: &Tokens) -> Tokens {
    let mut builder = Tokens::builder(0, 0);
    for first in (0..tokens.len()).step_by(8) {
        let some = (first..tokens.len().min(first + 8)).filter_map(|index| tokens.get(index));
        builder.sentence(some.flat_map(|sentence| sentence.iter()));
    }
    builder.finish()
}

/// METEOR 1.5 with the stages that need no files.
fn meteor() -> Meteor {
    let stemmer = FormerStemmer::new(Algorithm::English);
    Meteor {
        lexicon: Lexicon::new(Some(stemmer), None, Default::default()),
        paraphrases: None,
        stages: vec![Stage::Exact, Stage::Stem],
        formula: Formula {
            alpha: 0.85,
            beta: 0.2,
            gamma: 0.6,
            delta: 0.75,
            weights: [1.0, 0.6, 0.0, 0.0],
        },
    }
}

fn rows(hits: &Hits) {
    let mut rows = vec![0.0; hits.len() * ngram::columns(4)];
    ngram::rows(hits, 4, RefLength::Closest, &mut rows);
    black_box(rows);
}

#[inline(never)]
fn kernel_lines(lines: &mut LineBuffer) -> Text {
    lines.pop(CHUNK).expect("UTF-8")
}

#[inline(never)]
fn kernel_tokenize(text: &Text) -> Tokens {
    Tokenizer::Western.tokenize(text, Case::Mixed)
}

#[inline(never)]
fn kernel_tokenize_intl(text: &Text) -> Tokens {
    Tokenizer::International.tokenize(text, Case::Mixed)
}

#[inline(never)]
fn kernel_tokenize_zh(text: &Text) -> Tokens {
    Tokenizer::Chinese.tokenize(text, Case::Mixed)
}

#[inline(never)]
fn kernel_hits(output: &Tokens, reference: &Tokens) -> Hits {
    Hits::new(output, &[reference])
}

#[inline(never)]
fn kernel_ngram(hits: &Hits) {
    rows(hits);
}

/// Hit map and counts of long segments.
#[inline(never)]
fn kernel_paragraphs(output: &Tokens, reference: &Tokens) {
    rows(&Hits::new(output, &[reference]));
}

/// Hit map and counts for more than one reference.
#[inline(never)]
fn kernel_two_references(output: &Tokens, reference: &Tokens) {
    rows(&Hits::new(output, &[reference, reference]));
}

/// BLEU's counts of one segment after the other, as a caller of single sentences works.
#[inline(never)]
fn kernel_sentence(output: &Text, reference: &Text) {
    for (output, reference) in output.iter().zip(reference.iter()) {
        let tokens = |segment: Option<&str>| {
            Tokenizer::Western.sentence(segment.unwrap_or_default(), Case::Mixed)
        };
        let hits = Hits::new(&tokens(output), &[&tokens(reference)]);
        let mut row = [0.0; ngram::columns(4)];
        ngram::rows(&hits, 4, RefLength::Closest, &mut row);
        black_box(row);
    }
}

#[inline(never)]
fn kernel_meteor(meteor: &Meteor, output: &Tokens, reference: &Tokens) {
    let mut rows = vec![0.0; output.len() * COLUMNS];
    meteor.rows(output, &[reference], &mut rows);
    black_box(rows);
}
