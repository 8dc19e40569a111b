//! Runs each kernel once over two files of parallel lines, and prints how many there are, and a
//! digest of the rows of each kernel.
//!
//! `bench/instructions.py` runs it under callgrind, which counts while a function named
//! `kernel_…` is at work: none is inlined, none calls another. A new kernel is such a function
//! and its call.

use _core::bleu::{Formula as Bleu, Mean, ShortOutput, Smoothing};
use _core::chrf::{Chrf, Mean as ChrfMean};
use _core::error_rates::{self, Choice, Length};
use _core::gtm::{self, Formula as Gtm, Matching};
use _core::hits::Hits;
use _core::information::Information;
use _core::lines::LineBuffer;
use _core::ltv::{Combination, Gram, Ltv, Side};
use _core::meteor::lexicon::Lexicon;
use _core::meteor::paraphrases::Paraphrases;
use _core::meteor::score::{COLUMNS, Formula};
use _core::meteor::stemmer::FormerStemmer;
use _core::meteor::{Meteor, Stage};
use _core::ngram::{self, RefLength};
use _core::nist;
use _core::ter::{self, Style};
use _core::text::Text;
use _core::tokenize::{Case, Tokenizer};
use _core::tokens::Tokens;
use _core::unigram;
use rust_stemmers::Algorithm;
use std::collections::BTreeMap;
use std::hint::black_box;

/// As many segments as metra works on at a time.
const CHUNK: usize = 1024;

fn main() {
    let mut paths = std::env::args().skip(1);
    let mut chunks = || read(&paths.next().expect("two files: the output, the reference"));
    let (outputs, references) = (chunks(), chunks());
    let (meteor, full_meteor) = (meteor(None), meteor(Some(PARAPHRASES)));
    let information = information(&references);
    let mut digests = Digests::default();
    for (output, reference) in outputs.iter().zip(&references) {
        black_box(kernel_tokenize_intl(output));
        black_box(kernel_tokenize_zh(output));
        kernel_sentence(output, reference);
        digests.add("chrf", &kernel_chrf(output, reference));
        let (output, reference) = (kernel_tokenize(output), kernel_tokenize(reference));
        let hits = kernel_hits(&output, &reference);
        digests.add("ngram", &kernel_ngram(&hits));
        digests.add("edits", &kernel_edits(&hits));
        digests.add("ter", &kernel_ter(&hits));
        digests.add("tercom", &kernel_tercom(&hits));
        digests.add("unigram", &kernel_unigram(&hits));
        digests.add("gtm", &kernel_gtm(&hits));
        digests.add("nist", &kernel_nist(&information, &hits, &output));
        digests.add("ltv", &kernel_ltv(&hits, &output, &reference));
        digests.add("overlap", &kernel_overlap(&output));
        digests.add("two_references", &kernel_two_references(&output, &reference));
        digests.add("meteor", &kernel_meteor(&meteor, &output, &reference));
        digests.add("meteor_full", &kernel_meteor_full(&full_meteor, &output, &reference));
        let (output, reference) = (paragraphs(&output), paragraphs(&reference));
        digests.add("paragraphs", &kernel_paragraphs(&output, &reference));
    }
    println!("{}", outputs.iter().map(Text::len).sum::<usize>());
    digests.0.iter().for_each(|(name, digest)| println!("{name} {digest:016x}"));
}

/// A number for each kernel that changes with any bit of its rows (FNV-1a over 64-bit words).
#[derive(Default)]
struct Digests(BTreeMap<&'static str, u64>);

impl Digests {
    fn add(&mut self, kernel: &'static str, rows: &[f64]) {
        let digest = self.0.entry(kernel).or_insert(0xcbf2_9ce4_8422_2325);
        for value in rows {
            *digest = (*digest ^ value.to_bits()).wrapping_mul(0x0100_0000_01b3);
        }
    }
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

/// Paraphrases in METEOR's layout: probability, phrase, phrase.
const PARAPHRASES: &str = "0.5\nthe\na\n0.5\nof the\nfor the\n0.5\nwas\nhas been\n";

/// METEOR 1.5 with the stages that need no files, or with paraphrases.
fn meteor(paraphrases: Option<&str>) -> Meteor {
    let stemmer = FormerStemmer::new(Algorithm::English);
    let mut stages = vec![Stage::Exact, Stage::Stem];
    stages.extend(paraphrases.map(|_| Stage::Paraphrase));
    let table = paraphrases.map(|table| Paraphrases::read(table).expect("a table"));
    Meteor {
        lexicon: Lexicon::new(Some(stemmer), None, Default::default(), table),
        stages,
        formula: Formula {
            alpha: 0.85,
            beta: 0.2,
            gamma: 0.6,
            delta: 0.75,
            weights: [1.0, 0.6, 0.0, 0.6],
        },
    }
}

/// NIST's information of all references.
fn information(references: &[Text]) -> Information {
    let mut information = Information::counted(5, false);
    for text in references {
        information.add(&Tokenizer::Western.tokenize(text, Case::Mixed));
    }
    information
}

/// Fill a matrix of so many columns.
fn filled(segments: usize, columns: usize, fill: impl FnOnce(&mut [f64])) -> Vec<f64> {
    let mut rows = vec![0.0; segments * columns];
    fill(&mut rows);
    black_box(rows)
}

fn count_ngrams(hits: &Hits) -> Vec<f64> {
    filled(hits.len(), ngram::columns(4), |rows| ngram::rows(hits, 4, RefLength::Closest, rows))
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
fn kernel_ngram(hits: &Hits) -> Vec<f64> {
    count_ngrams(hits)
}

/// Hit map and counts of long segments.
#[inline(never)]
fn kernel_paragraphs(output: &Tokens, reference: &Tokens) -> Vec<f64> {
    count_ngrams(&Hits::new(output, &[reference]))
}

/// Hit map and counts for more than one reference.
#[inline(never)]
fn kernel_two_references(output: &Tokens, reference: &Tokens) -> Vec<f64> {
    count_ngrams(&Hits::new(output, &[reference, reference]))
}

#[inline(never)]
fn kernel_chrf(output: &Text, reference: &Text) -> Vec<f64> {
    let chrf = Chrf::new(6, 0, 2.0, ChrfMean::Effective, false, Case::Mixed);
    filled(output.len(), chrf.columns(), |rows| chrf.rows(output, &[reference], None, rows))
}

#[inline(never)]
fn kernel_edits(hits: &Hits) -> Vec<f64> {
    filled(hits.len(), error_rates::COLUMNS, |rows| {
        error_rates::ordered_rows(hits, Choice::Fewest, Length::Chosen, rows)
    })
}

#[inline(never)]
fn kernel_ter(hits: &Hits) -> Vec<f64> {
    filled(hits.len(), ter::COLUMNS, |rows| ter::rows(hits, Style::Sacrebleu, rows))
}

#[inline(never)]
fn kernel_tercom(hits: &Hits) -> Vec<f64> {
    filled(hits.len(), ter::COLUMNS, |rows| ter::rows(hits, Style::Tercom, rows))
}

#[inline(never)]
fn kernel_unigram(hits: &Hits) -> Vec<f64> {
    filled(hits.len(), unigram::COLUMNS, |rows| unigram::rows(hits, 0.5, rows))
}

#[inline(never)]
fn kernel_gtm(hits: &Hits) -> Vec<f64> {
    let formula = Gtm { exponent: 2.0, matching: Matching::Greedy };
    filled(hits.len(), formula.columns(), |rows| gtm::rows(hits, formula, rows))
}

#[inline(never)]
fn kernel_nist(information: &Information, hits: &Hits, output: &Tokens) -> Vec<f64> {
    filled(hits.len(), ngram::columns(5), |rows| nist::rows(information, hits, output, rows))
}

#[inline(never)]
fn kernel_ltv(hits: &Hits, output: &Tokens, reference: &Tokens) -> Vec<f64> {
    let ltv = Ltv { order: 2, gram: Gram::Sum, side: Side::F, combination: Combination::Mean };
    filled(hits.len(), ltv.columns(), |rows| ltv.rows(None, hits, output, &[reference], rows))
}

/// BLEU of every output with 64 others, from n-grams in common.
#[inline(never)]
fn kernel_overlap(output: &Tokens) -> Vec<f64> {
    let bleu = Bleu {
        order: 4,
        smoothing: Smoothing::Halving,
        mean: Mean::Geometric,
        short: ShortOutput::Effective,
    };
    let outputs: Vec<usize> = (0..output.len()).collect();
    let others: Vec<usize> = (0..output.len().min(64)).collect();
    filled(outputs.len(), others.len(), |rows| bleu.pairs(output, &outputs, &others, rows))
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
fn kernel_meteor(meteor: &Meteor, output: &Tokens, reference: &Tokens) -> Vec<f64> {
    filled(output.len(), COLUMNS, |rows| meteor.rows(output, &[reference], rows))
}

/// METEOR with paraphrases, whose search is longer. Equal functions would be merged into one.
#[inline(never)]
fn kernel_meteor_full(meteor: &Meteor, output: &Tokens, reference: &Tokens) -> Vec<f64> {
    black_box(meteor.stages.len());
    filled(output.len(), COLUMNS, |rows| meteor.rows(output, &[reference], rows))
}
