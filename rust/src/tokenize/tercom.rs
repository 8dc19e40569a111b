//! TERCOM's own preparation of text, as sacreBLEU has it and as TERCOM has it.

use super::byte_blocks;
use super::white::{blanked, trimmed_end};
use crate::tokens::{Builder, Cut, Tokens};
use std::borrow::Cow;

#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Tercom {
    /// 13a's rules for punctuation, and `'s` apart.
    normalized: bool,
    /// Some punctuation is taken out of the words that then stand.
    no_punctuation: bool,
    /// East Asian characters apart if normalised, their punctuation too if it is taken out.
    asian: bool,
    /// As TERCOM itself: ASCII's white space only, and Java's idea of a split.
    java: bool,
}

const OPTIONS: [&str; 4] = ["normalized", "nopunct", "asian", "java"];

impl Tercom {
    /// `tercom`, with `+` before each option.
    pub fn named(name: &str) -> Option<Self> {
        let mut words = name.split('+');
        let [mut normalized, mut no_punctuation, mut asian, mut java] = [false; OPTIONS.len()];
        if words.next() != Some("tercom") {
            return None;
        }
        for word in words {
            match OPTIONS.iter().position(|option| *option == word)? {
                0 => normalized = true,
                1 => no_punctuation = true,
                2 => asian = true,
                _ => java = true,
            }
        }
        Some(Tercom { normalized, no_punctuation, asian, java })
    }

    pub fn segment(self, segment: &str, builder: &mut Builder) {
        let segment =
            if self.java { segment.trim_matches(is_java_white) } else { trimmed_end(segment) };
        let text = if self.normalized { self.joined(segment) } else { Cow::Borrowed(segment) };
        if !self.no_punctuation {
            let cuttable = self.cuttable(&text);
            return builder.segment(&cuttable, |cut| self.cut(&text, cut));
        }
        let cuttable = self.cuttable(&text);
        let mut aside = Tokens::builder(1, cuttable.len());
        aside.segment(&cuttable, |cut| self.cut(&text, cut));
        let tokens = aside.finish();
        let words = tokens.get(0).into_iter().flat_map(|sentence| sentence.iter());
        let words: Vec<String> = words
            .map(|word| String::from_utf8_lossy(word).replace(|c| self.is_taken_out(c), ""))
            .collect();
        let first_stands = words.first().is_none_or(|word| !word.is_empty());
        let only = words.len() == 1;
        // Java finds an empty word before a blank at the beginning, and in an empty text.
        let java_empty = self.java && !first_stands;
        let stand = words.into_iter().filter(|word| !word.is_empty());
        let mut stand = stand.peekable();
        let empty = (java_empty && (only || stand.peek().is_some())).then(String::new);
        builder.sentence(empty.into_iter().chain(stand));
    }

    /// Lines joined and entities decoded, in TERCOM's order.
    fn joined(self, segment: &str) -> Cow<'_, str> {
        if !segment.contains(['&', '\n', '<']) {
            return Cow::Borrowed(segment);
        }
        let mut text = if self.java {
            segment.replace("<skipped>", "").replace("-\n", "")
        } else {
            segment.replace("\n-", "")
        };
        for (entity, character) in
            [("\n", " "), ("&quot;", "\""), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")]
        {
            text = text.replace(entity, character);
        }
        Cow::Owned(text)
    }

    /// The text with what is white space to this style as blanks, byte by byte in its place.
    fn cuttable(self, text: &str) -> Cow<'_, str> {
        if self.java { Cow::Borrowed(text) } else { blanked(text) }
    }

    fn cut(self, text: &str, cut: Cut<'_>) {
        let Cut { text: cuttable, padded, starts, ends } = cut;
        let first = starts.len();
        let whole = Cut { text: cuttable, padded, starts: &mut *starts, ends: &mut *ends };
        match (self.normalized, self.java) {
            (false, false) => return byte_blocks::white(whole),
            (false, true) => return byte_blocks::white_ascii(whole),
            (true, false) => byte_blocks::western(whole),
            (true, true) => byte_blocks::western_perl(whole),
        }
        let (found_starts, found_ends) = (starts.split_off(first), ends.split_off(first));
        for (start, end) in found_starts.into_iter().zip(found_ends) {
            let word = &text[start as usize..end as usize];
            let mut at = start;
            let mut split = |place: u32| {
                if place > at {
                    starts.push(at);
                    ends.push(place);
                    at = place;
                }
            };
            let possessive = word.len() > 2
                && word.ends_with("'s")
                && is_blank_to_be(text.as_bytes().get(end as usize));
            if self.asian {
                self.split_asian(word, |place| split(start + place as u32));
            }
            if possessive {
                split(end - 2);
            }
            split(end);
        }
    }

    /// Each East Asian character apart; TERCOM also keeps runs of kana apart, which sacreBLEU's
    /// rules for them never do.
    fn split_asian(self, word: &str, mut split: impl FnMut(usize)) {
        if word.is_ascii() {
            return;
        }
        let mut kana_before = None;
        for (at, c) in word.char_indices() {
            let kana = if self.java { kana_block(c) } else { None };
            let alone = is_ideograph(c) || is_asian_punctuation(c);
            if alone || kana != kana_before {
                split(at);
            }
            if alone {
                split(at + c.len_utf8());
            }
            kana_before = kana;
        }
    }

    fn is_taken_out(self, c: char) -> bool {
        matches!(c, '.' | ',' | '?' | ':' | ';' | '!' | '"' | '(' | ')')
            || self.asian && is_asian_punctuation(c)
    }
}

fn is_java_white(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r')
}

/// Whether a blank, or a sign that gets one before it, or the end stands here.
fn is_blank_to_be(byte: Option<&u8>) -> bool {
    byte.is_none_or(|byte| {
        matches!(byte, b' '..=b'&' | b'('..=b'+' | b'/' | b':'..=b'@' | b'['..=b'`' | b'{'..=b'~')
    })
}

fn is_ideograph(c: char) -> bool {
    matches!(c,
        '\u{2e80}'..='\u{2eff}'
        | '\u{31c0}'..='\u{31ef}'
        | '\u{3200}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe4f}')
}

fn is_asian_punctuation(c: char) -> bool {
    matches!(c,
        '\u{3001}' | '\u{3002}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301f}' | '\u{30fb}'
        | '\u{ff01}' | '\u{ff02}' | '\u{ff08}' | '\u{ff09}' | '\u{ff0c}' | '\u{ff0e}' | '\u{ff1a}'
        | '\u{ff1b}' | '\u{ff1f}' | '\u{ff61}'..='\u{ff65}')
}

/// Hiragana, Katakana, or the phonetic extensions of Katakana.
fn kana_block(c: char) -> Option<u8> {
    match c {
        '\u{3040}'..='\u{309f}' => Some(0),
        '\u{30a0}'..='\u{30ff}' => Some(1),
        '\u{31f0}'..='\u{31ff}' => Some(2),
        _ => None,
    }
}
