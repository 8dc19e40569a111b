//! Tokenisers, exact copies in effect of the programs whose names they carry.
//!
//! byte_blocks: none, 13a and Java's, which look at 64 bytes at a time
//! character_kinds: char, intl and zh, with the ranges of Chinese characters
//! letter_case: lower-casing
//! marks: chrF++'s words
//! markup: entities and tags that mteval takes away first
//! tercom: TERCOM's normalisation
//! white: white space of Python, Perl and Java

mod byte_blocks;
mod character_kinds;
mod letter_case;
mod marks;
mod markup;
mod tercom;
mod white;

use crate::interrupt::spend;
use crate::text::Text;
use crate::tokens::{Builder, Tokens};
pub use letter_case::{CASES, Case};
pub use white::{count_words, white_space};

/// What cutting a byte takes, in units of `spend`.
const CUTTING: usize = 4;

/// How a segment is cut. `none`, `char`, `13a`, `intl` and `zh` equal sacreBLEU's on any string.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Tokenizer {
    /// At Unicode white space.
    White,
    /// Every character that is not white space.
    Char,
    /// Every character between the first and the last that are not white space.
    CodePoints,
    /// Every extended grapheme cluster (Unicode annex 29) in the same range.
    Graphemes,
    /// mteval-v13a as sacreBLEU has it.
    Western,
    /// mteval-v14's international tokenisation as sacreBLEU has it.
    International,
    /// Chinese characters apart, the rest as `Western` without its outer blanks.
    Chinese,
    /// The same with the supplementary planes where they belong.
    ChineseFixed,
    /// mteval-v13a itself, given plain text that is escaped on its way into SGML.
    MtevalWestern,
    /// mteval's international tokenisation itself, likewise.
    MtevalInternational,
    /// chrF++'s words: at white space, then one mark off a word's end, else off its start.
    Chrf,
    /// What TERCOM does to text before it counts edits.
    Tercom(tercom::Tercom),
    /// At blank, tab, line feed, form feed and carriage return, as Java's StringTokenizer does.
    Java,
    /// At blanks only, U+0020, as jiwer does.
    Blanks,
    /// Every character.
    Characters,
}

pub const NAMES: [(&str, Tokenizer); 14] = [
    ("none", Tokenizer::White),
    ("char", Tokenizer::Char),
    ("code-points", Tokenizer::CodePoints),
    ("graphemes", Tokenizer::Graphemes),
    ("13a", Tokenizer::Western),
    ("intl", Tokenizer::International),
    ("zh", Tokenizer::Chinese),
    ("zh-fixed", Tokenizer::ChineseFixed),
    ("mteval-13a", Tokenizer::MtevalWestern),
    ("mteval-intl", Tokenizer::MtevalInternational),
    ("chrf", Tokenizer::Chrf),
    ("java-white", Tokenizer::Java),
    ("blanks", Tokenizer::Blanks),
    ("all-code-points", Tokenizer::Characters),
];

impl Tokenizer {
    pub fn named(name: &str) -> Option<Self> {
        let known = NAMES.iter().find(|entry| entry.0 == name).map(|entry| entry.1);
        known.or_else(|| tercom::Tercom::named(name).map(Tokenizer::Tercom))
    }

    /// The tokens of every segment; missing segments stay missing.
    pub fn tokenize(self, text: &Text, case: Case) -> Tokens {
        self.cut(text.iter(), case, Tokens::builder(text.len(), text.size()))
    }

    /// The same for one segment.
    pub fn sentence(self, segment: &str, case: Case) -> Tokens {
        self.cut(std::iter::once(Some(segment)), case, Tokens::builder(1, segment.len()))
    }

    fn cut<'a>(
        self,
        segments: impl Iterator<Item = Option<&'a str>>,
        case: Case,
        mut builder: Builder,
    ) -> Tokens {
        for segment in segments {
            match segment {
                Some(segment) => {
                    spend(CUTTING * segment.len());
                    self.segment(&case.fold(segment), &mut builder);
                }
                None => builder.missing(),
            }
        }
        builder.finish()
    }

    fn segment(self, segment: &str, builder: &mut Builder) {
        use white::{blanked, trimmed, trimmed_end, trimmed_java};
        match self {
            Tokenizer::White => builder.segment(&blanked(segment), byte_blocks::white),
            Tokenizer::Char => builder.segment(segment, character_kinds::characters),
            Tokenizer::CodePoints => {
                builder.segment(trimmed(segment), character_kinds::code_points)
            }
            Tokenizer::Graphemes => builder.segment(trimmed(segment), character_kinds::graphemes),
            Tokenizer::Western => {
                let text = markup::western(trimmed_end(segment));
                builder.segment(&blanked(&text), byte_blocks::western);
            }
            Tokenizer::International => {
                builder.segment(trimmed_end(segment), character_kinds::international);
            }
            Tokenizer::Chinese => builder.segment(trimmed(segment), character_kinds::chinese),
            Tokenizer::ChineseFixed => {
                builder.segment(trimmed(segment), character_kinds::chinese_fixed)
            }
            Tokenizer::MtevalWestern => {
                let text = markup::mteval(segment);
                builder.segment(&blanked(&text), byte_blocks::western_perl);
            }
            Tokenizer::MtevalInternational => {
                builder.segment(&markup::mteval(segment), character_kinds::international_perl);
            }
            Tokenizer::Chrf => builder.segment(&blanked(segment), marks::apart),
            Tokenizer::Tercom(style) => style.segment(segment, builder),
            Tokenizer::Java => builder.segment(trimmed_java(segment), byte_blocks::java),
            Tokenizer::Blanks => {
                builder.sentence(segment.split(' ').filter(|word| !word.is_empty()));
            }
            Tokenizer::Characters => builder.segment(segment, character_kinds::code_points),
        }
    }
}
