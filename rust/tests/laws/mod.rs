//! What must hold for every kernel, whatever its input: it equals a plain version of itself, or
//! what it returns fits together; and one that gives up half-way leaves nothing behind.
//!
//! `rust/tests/laws.rs` tries a few hundred inputs for each law, the fuzzer in `rust/fuzz` as many
//! as there is time for.

mod inputs;
mod kernels;
mod twins;

use _core::interrupt;
use _core::tokenize::{Case, NAMES, Tokenizer, white_space};
use _core::tokens::Tokens;
use inputs::Input;
pub use inputs::{Source, random_bytes};
use kernels::KERNELS;
use std::cell::Cell;

pub type Law = fn(&mut Source<'_>);

pub const LAWS: [(&str, Law); 16] = [
    ("tokenisers", tokenisers),
    ("lines", twins::lines),
    ("hits", twins::hits),
    ("n-grams", twins::ngrams),
    ("chrF", twins::chrf),
    ("all pairs", twins::pairs),
    ("edits", twins::edits),
    ("words in any order", twins::unordered),
    ("GTM", twins::gtm),
    ("TER", twins::ter),
    ("METEOR", twins::meteor),
    ("NIST", twins::nist),
    ("salience", twins::salience),
    ("ties", twins::ties),
    ("types", twins::types),
    ("interrupts", interrupts),
];

/// Tokens are not empty and are UTF-8, one segment is cut as in a column, and those cut at white
/// space are the text without it.
fn tokenisers(source: &mut Source<'_>) {
    let text = source.text();
    let (name, tokenizer) = NAMES[source.below(NAMES.len())];
    let case = [Case::Mixed, Case::Lower][source.below(2)];
    let found = words(&tokenizer.sentence(&text, case));
    assert!(found.iter().all(|word| !word.is_empty()), "{name} {text:?}");
    let mut column = _core::text::Text::default();
    for segment in ["x y", &text, ""] {
        column.push(segment);
    }
    let column = tokenizer.tokenize(&column, case);
    let inside: Vec<&[u8]> = column.get(1).unwrap().iter().collect();
    assert_eq!(inside, found.iter().map(|word| word.as_bytes()).collect::<Vec<_>>());
    if let (Tokenizer::White | Tokenizer::Char, Case::Mixed) = (tokenizer, case) {
        let white = white_space();
        let dense: String = text.chars().filter(|c| !white.contains(c)).collect();
        assert_eq!(found.concat(), dense, "{text:?}");
    }
}

fn words(tokens: &Tokens) -> Vec<String> {
    let sentence = tokens.get(0).unwrap();
    sentence.iter().map(|word| String::from_utf8(word.to_vec()).expect("UTF-8")).collect()
}

thread_local! {
    static STOPS: Cell<bool> = const { Cell::new(false) };
}

fn question() -> Option<interrupt::Reason> {
    STOPS.replace(false).then(|| Box::new(interrupt::Interrupted) as _)
}

/// Runs some work until it has spent this much; None if it gave up.
fn run_for<T>(units: usize, work: impl FnOnce() -> T) -> Option<T> {
    interrupt::ask_before_going_on(question);
    STOPS.set(false);
    // Every look leaves a whole budget.
    interrupt::spend(interrupt::BUDGET + 1);
    interrupt::spend(interrupt::BUDGET - units);
    STOPS.set(true);
    let answer = interrupt::catch(work);
    STOPS.set(false);
    match answer {
        Ok(answer) => Some(answer),
        Err(reason) if reason.is::<interrupt::Interrupted>() => None,
        Err(fault) => std::panic::resume_unwind(fault),
    }
}

/// A kernel that gives up anywhere answers afterwards as if it had not.
fn interrupts(source: &mut Source<'_>) {
    let (name, kernel) = KERNELS[source.below(KERNELS.len())];
    let input = Input::new(source);
    let expected = kernel(&input);
    for _ in 0..3 {
        let other = Input::new(source);
        run_for(source.below(4000), || kernel(&other));
        assert_eq!(kernel(&input), expected, "{name}");
    }
}

/// Every kernel gives up half-way: each has spent something long before its end.
pub fn every_kernel_gives_up() {
    let mut random = random_bytes(7, 500);
    random.iter_mut().for_each(|byte| *byte |= 0x40);
    let (output, reference) = (make_words(&random, 1), make_words(&random, 3));
    let segments = vec![(output.clone(), vec![reference.clone()]), (reference, vec![output])];
    let input = Input { segments, number: 2 };
    for (name, kernel) in KERNELS {
        let expected = kernel(&input);
        let whole = (0..20).find(|bits| run_for((1 << bits) - 1, || kernel(&input)).is_some());
        let bits = whole.unwrap_or(20);
        assert!(bits > 6, "{name} spends less than {} units", 1 << bits);
        for units in [1, 1 << (bits - 1), (1 << (bits - 1)) / 3] {
            assert!(run_for(units, || kernel(&input)).is_none(), "{name} after {units}");
            assert_eq!(kernel(&input), expected, "{name} after {units}");
        }
    }
}

fn make_words(bytes: &[u8], step: usize) -> Vec<u32> {
    (0..150).map(|at| u32::from(bytes[at * step] % 40)).collect()
}
