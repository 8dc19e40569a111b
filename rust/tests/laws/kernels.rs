//! Every kernel as a function from an input to numbers.

use super::inputs::{Input, text};
use _core::bleu::{Formula as Bleu, Mean, ShortOutput, Smoothing};
use _core::chrf::{Chrf, Mean as ChrfMean};
use _core::edit::{Edit, Preference};
use _core::error_rates::{self, Choice, Length};
use _core::gtm::{self, Formula as Gtm, Matching};
use _core::hits::Hits;
use _core::information::Information;
use _core::ltv::{Combination, Gram, Ltv, Side};
use _core::meteor::lexicon::Lexicon;
use _core::meteor::paraphrases::Paraphrases;
use _core::meteor::score::{COLUMNS, Formula};
use _core::meteor::stemmer::FormerStemmer;
use _core::meteor::{Meteor, Stage};
use _core::ngram::{self, RefLength};
use _core::nist;
use _core::salience::Counts;
use _core::ter::{self, Style};
use _core::text::Text;
use _core::ties::{self, Cuts, Group};
use _core::tokenize::{Case, Tokenizer};
use _core::tokens::Tokens;
use _core::unigram;
use rust_stemmers::Algorithm;

pub type Kernel = fn(&Input) -> Vec<f64>;

pub const KERNELS: [(&str, Kernel); 25] = [
    ("tokeniser", tokenise),
    ("hits", |input| vec![input.hits().len() as f64]),
    ("n-grams", |input| ngrams(input, 4)),
    ("n-grams of high order", |input| ngrams(input, 9)),
    ("chrF", chrf_rows),
    ("BLEU of pairs", bleu_pairs),
    ("chrF of pairs", chrf_pairs),
    ("edits", |input| {
        filled(input, 5, |hits, rows| {
            error_rates::ordered_rows(hits, Choice::Fewest, Length::Chosen, rows)
        })
    }),
    ("rapidfuzz's edits", |input| {
        filled(input, 5, |hits, rows| {
            error_rates::rapidfuzz_rows(hits, Choice::Rate, Length::Mean, rows)
        })
    }),
    ("words in any order", |input| {
        filled(input, 5, |hits, rows| {
            error_rates::unordered_rows(hits, Choice::Fewest, Length::Chosen, rows)
        })
    }),
    ("unequal", |input| filled(input, 2, error_rates::unequal_rows)),
    ("alignments", alignments),
    ("words", |input| filled(input, unigram::COLUMNS, |hits, rows| unigram::rows(hits, 0.5, rows))),
    ("GTM, greedy", |input| gtm_rows(input, Matching::Greedy)),
    ("GTM, of the paper", |input| gtm_rows(input, Matching::Paper)),
    ("GTM, exact", |input| gtm_rows(input, Matching::Exact { nodes: 200 })),
    ("GTM's blocks", gtm_blocks),
    ("TER", |input| {
        filled(input, ter::COLUMNS, |hits, rows| ter::rows(hits, Style::Sacrebleu, rows))
    }),
    ("TERCOM", |input| {
        filled(input, ter::COLUMNS, |hits, rows| ter::rows(hits, Style::Tercom, rows))
    }),
    ("METEOR", |input| meteor_rows(input, "")),
    ("METEOR's paraphrases", |input| meteor_rows(input, "1\na0\nb0 c0\n1\nb0\nd0\n")),
    ("NIST", nist_rows),
    ("salience", salience),
    ("LTV", ltv_rows),
    ("ties", tie_counts),
];

fn filled(input: &Input, columns: usize, fill: impl Fn(&Hits, &mut [f64])) -> Vec<f64> {
    let hits = input.hits();
    let mut rows = vec![0.0; hits.len() * columns];
    fill(&hits, &mut rows);
    rows
}

fn tokenise(input: &Input) -> Vec<f64> {
    let tokens = Tokenizer::Western.tokenize(&texts(input, None), Case::Mixed);
    (0..tokens.len()).map(|at| tokens.get(at).unwrap().len() as f64).collect()
}

/// The outputs as text, or one of the references.
fn texts(input: &Input, reference: Option<usize>) -> Text {
    let mut column = Text::default();
    for (output, references) in &input.segments {
        column.push(&text(reference.map_or(output, |at| &references[at])));
    }
    column
}

fn ngrams(input: &Input, order: usize) -> Vec<f64> {
    filled(input, ngram::columns(order), |hits, rows| {
        ngram::rows(hits, order, RefLength::Closest, rows)
    })
}

fn chrf_rows(input: &Input) -> Vec<f64> {
    let chrf = Chrf::new(6, 2, 2.0, ChrfMean::Effective, false, Case::Mixed);
    let references: Vec<Text> =
        (0..input.segments[0].1.len()).map(|at| texts(input, Some(at))).collect();
    let references: Vec<&Text> = references.iter().collect();
    filled(input, chrf.columns(), |hits, rows| {
        chrf.rows(&texts(input, None), &references, Some(hits), rows)
    })
}

pub const BLEU: Bleu = Bleu {
    order: 4,
    smoothing: Smoothing::Halving,
    mean: Mean::Geometric,
    short: ShortOutput::Effective,
};

fn bleu_pairs(input: &Input) -> Vec<f64> {
    let mut scores = vec![0.0; 4];
    BLEU.pairs(&input.output(), &[0, 1], &[1, 0], &mut scores);
    scores
}

fn chrf_pairs(input: &Input) -> Vec<f64> {
    let chrf = Chrf::new(6, 0, 2.0, ChrfMean::Effective, false, Case::Mixed);
    let mut scores = vec![0.0; 4];
    chrf.pairs(&texts(input, None), None, &[0, 1], &[1, 0], &mut scores);
    scores
}

fn number(edit: &Edit) -> f64 {
    f64::from(*edit as u8)
}

fn alignments(input: &Input) -> Vec<f64> {
    let hits = input.hits();
    let pair = hits.get(0);
    let (chosen, steps) = error_rates::alignments(&pair, Choice::Fewest, Preference::Pairs);
    steps.iter().flatten().map(number).chain([chosen as f64]).collect()
}

fn gtm_rows(input: &Input, matching: Matching) -> Vec<f64> {
    let exponent = [1.0, 2.0, 2.0, 1.5][input.number % 4];
    let formula = Gtm { exponent, matching };
    filled(input, formula.columns(), |hits, rows| gtm::rows(hits, formula, rows))
}

fn gtm_blocks(input: &Input) -> Vec<f64> {
    let (hits, formula) = (input.hits(), Gtm { exponent: 2.0, matching: Matching::Greedy });
    let (blocks, _) = gtm::blocks(&hits.get(0), formula);
    blocks.iter().flat_map(|block| [block.output as f64, block.counted]).collect()
}

pub fn meteor(paraphrases: &str) -> Meteor {
    let stemmer = FormerStemmer::new(Algorithm::English);
    let table = (!paraphrases.is_empty()).then(|| Paraphrases::read(paraphrases).expect("a table"));
    Meteor {
        lexicon: Lexicon::new(Some(stemmer), None, Default::default(), table),
        stages: vec![Stage::Exact, Stage::Stem, Stage::Synonym, Stage::Paraphrase],
        formula: Formula {
            alpha: 0.85,
            beta: 0.2,
            gamma: 0.6,
            delta: 0.75,
            weights: [1.0, 0.6, 0.8, 0.6],
        },
    }
}

fn meteor_rows(input: &Input, paraphrases: &str) -> Vec<f64> {
    let references = input.references();
    let references: Vec<&Tokens> = references.iter().collect();
    let mut rows = vec![0.0; input.segments.len() * COLUMNS];
    meteor(paraphrases).rows(&input.output(), &references, &mut rows);
    rows
}

fn nist_rows(input: &Input) -> Vec<f64> {
    let mut information = Information::counted(5, false);
    input.references().iter().for_each(|column| information.add(column));
    let mut rows = vec![0.0; input.segments.len() * ngram::columns(5)];
    nist::rows(&information, &input.hits(), &input.output(), &mut rows);
    rows
}

fn salience(input: &Input) -> Vec<f64> {
    let mut counts = Counts::default();
    let documents = [counts.document("one"), counts.document("two")];
    counts.add(&input.output(), &documents);
    counts.frequencies().column(|entry| entry.tfidf())
}

fn ltv_rows(input: &Input) -> Vec<f64> {
    let ltv = Ltv { order: 2, gram: Gram::Sum, side: Side::F, combination: Combination::Mean };
    let references = input.references();
    let references: Vec<&Tokens> = references.iter().collect();
    filled(input, ltv.columns(), |hits, rows| {
        ltv.rows(None, hits, &input.output(), &references, rows)
    })
}

fn tie_counts(input: &Input) -> Vec<f64> {
    let gold = &input.segments[0].0;
    let metric: Vec<f64> = (0..gold.len()).map(|at| (at / 3) as f64).collect();
    let group = Group { gold, metric: &metric };
    let at = [0, 1, 2f64.to_bits(), 1 << 63];
    let cuts = Cuts { at: &at, wanted: &[true; 3] };
    let found = ties::counts(&group, 0, gold.len(), &cuts);
    let inside = ties::inside(&group, 0, gold.len(), &cuts);
    found
        .tied
        .iter()
        .chain(&found.ordered)
        .map(|n| *n as f64)
        .chain([inside.len() as f64])
        .collect()
}
