//! White space: Python's notion of it, and Perl's.

use std::borrow::Cow;

/// What Python's `str.split` splits at.
pub fn is_white(c: char) -> bool {
    matches!(c, '\x1c'..='\x1f') || is_perl_white(c)
}

/// All of it.
pub fn white_space() -> Vec<char> {
    ('\0'..='\u{3000}').filter(|c| is_white(*c)).collect()
}

/// What Perl's `\s` matches in a Unicode string.
pub fn is_perl_white(c: char) -> bool {
    match c {
        '\t'..='\r' | ' ' => true,
        '\0'..='\u{84}' => false,
        '\u{85}' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' => true,
        '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => true,
        _ => false,
    }
}

/// How many runs of anything else there are.
pub fn count_words(segment: &str) -> usize {
    if !segment.is_ascii() {
        return segment.split(is_white).filter(|word| !word.is_empty()).count();
    }
    let mut after_white = true;
    let mut words = 0;
    for byte in segment.bytes() {
        let white = matches!(byte, b'\t'..=b'\r' | b' ' | 0x1c..=0x1f);
        words += usize::from(after_white && !white);
        after_white = white;
    }
    words
}

pub fn trimmed_end(segment: &str) -> &str {
    segment.trim_end_matches(is_white)
}

pub fn trimmed(segment: &str) -> &str {
    segment.trim_matches(is_white)
}

/// What Java's `String.trim` leaves.
pub fn trimmed_java(segment: &str) -> &str {
    segment.trim_matches(|c| c <= ' ')
}

/// The segment with every white space beyond ASCII replaced by as many blanks as it has bytes.
pub fn blanked(segment: &str) -> Cow<'_, str> {
    let beyond = |c: &char| !c.is_ascii() && is_perl_white(*c);
    if segment.is_ascii() || !segment.chars().any(|c| beyond(&c)) {
        return Cow::Borrowed(segment);
    }
    let mut text = String::with_capacity(segment.len());
    for c in segment.chars() {
        if beyond(&c) {
            text.push_str(&"    "[..c.len_utf8()]);
        } else {
            text.push(c);
        }
    }
    Cow::Owned(text)
}
