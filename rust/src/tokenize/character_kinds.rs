//! Tokenisers that look at one character after the other and at its kind.

use super::white::{is_perl_white, is_white};
use crate::tokens::Cut;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_segmentation::UnicodeSegmentation;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Space,
    Letter,
    Number,
    /// Always a token of its own.
    Alone,
    /// A token of its own unless numbers hold it (`3.14`).
    Mark,
    /// A token of its own after a number (`3-`).
    Dash,
}

pub fn characters(cut: Cut<'_>) {
    let text = cut.text;
    for (at, c) in text.char_indices().filter(|pair| !is_white(pair.1)) {
        cut.starts.push(at as u32);
        cut.ends.push((at + c.len_utf8()) as u32);
    }
}

pub fn code_points(cut: Cut<'_>) {
    for (at, c) in cut.text.char_indices() {
        cut.starts.push(at as u32);
        cut.ends.push((at + c.len_utf8()) as u32);
    }
}

pub fn graphemes(cut: Cut<'_>) {
    for (at, cluster) in cut.text.grapheme_indices(true) {
        cut.starts.push(at as u32);
        cut.ends.push((at + cluster.len()) as u32);
    }
}

pub fn international(cut: Cut<'_>) {
    by_kind(cut, |c| international_kind(c, is_white));
}

pub fn international_perl(cut: Cut<'_>) {
    by_kind(cut, |c| international_kind(c, is_perl_white));
}

pub fn chinese(cut: Cut<'_>) {
    by_kind(cut, |c| chinese_kind(c, &SACREBLEU_CHINESE));
}

pub fn chinese_fixed(cut: Cut<'_>) {
    by_kind(cut, |c| chinese_kind(c, &FIXED_CHINESE));
}

/// mteval separates a mark from what stands before it unless that is a number, then from what
/// follows unless that is a number. Each pass consumes two characters at a time, so in a run of
/// marks it is the parity that decides what happens to the last one before a number. The edge of
/// the text is no character and therefore separates no more than a number does.
fn by_kind(cut: Cut<'_>, kind: impl Fn(char) -> Kind) {
    let Cut { text, starts, ends, .. } = cut;
    let mut open = false;
    let mut before = Kind::Number;
    let mut run = 0;
    let mut before_run = Kind::Number;
    let mut chars = text.char_indices().map(|(at, c)| (at, c.len_utf8(), kind(c))).peekable();
    while let Some((at, width, this)) = chars.next() {
        let alone = match this {
            Kind::Space => {
                if open {
                    ends.push(at as u32);
                    open = false;
                }
                before = this;
                continue;
            }
            Kind::Letter | Kind::Number => false,
            Kind::Alone => true,
            Kind::Dash => before == Kind::Number && at > 0,
            Kind::Mark => {
                if before != Kind::Mark {
                    (run, before_run) = (0, before);
                }
                run += 1;
                let next = chars.peek().map_or(Kind::Number, |next| next.2);
                let after_number = before_run == Kind::Number;
                let held = next == Kind::Number && after_number == (run % 2 == 1);
                !held
            }
        };
        if alone {
            if open {
                ends.push(at as u32);
                open = false;
            }
            starts.push(at as u32);
            ends.push((at + width) as u32);
        } else if !open {
            starts.push(at as u32);
            open = true;
        }
        before = this;
    }
    if open {
        ends.push(text.len() as u32);
    }
}

fn international_kind(c: char, is_space: fn(char) -> bool) -> Kind {
    match c {
        '0'..='9' => Kind::Number,
        'a'..='z' | 'A'..='Z' => Kind::Letter,
        ' ' => Kind::Space,
        _ if is_space(c) => Kind::Space,
        _ => match c.general_category_group() {
            GeneralCategoryGroup::Number => Kind::Number,
            GeneralCategoryGroup::Punctuation => Kind::Mark,
            GeneralCategoryGroup::Symbol => Kind::Alone,
            _ => Kind::Letter,
        },
    }
}

fn chinese_kind(c: char, chinese: &[(u32, u32)]) -> Kind {
    match c {
        '0'..='9' => Kind::Number,
        '.' | ',' => Kind::Mark,
        '-' => Kind::Dash,
        '!'..='&' | '('..='+' | '/' | ':'..='@' | '['..='`' | '{'..='~' => Kind::Alone,
        _ if is_white(c) => Kind::Space,
        _ if c.is_ascii() => Kind::Letter,
        _ if within(c as u32, chinese) => Kind::Alone,
        _ => Kind::Letter,
    }
}

fn within(c: u32, ranges: &[(u32, u32)]) -> bool {
    let after = ranges.partition_point(|range| range.1 < c);
    after < ranges.len() && ranges[after].0 <= c
}

/// sacreBLEU's table as it works: its five-digit escapes name U+2001 to U+2A6D and U+2F81 to
/// U+2FA1 instead of the supplementary planes. Sorted and merged.
const SACREBLEU_CHINESE: [(u32, u32); 15] = [
    (0x2001, 0x2a6d),
    (0x2e80, 0x2eff),
    (0x2f00, 0x2fdf),
    (0x2ff0, 0x303f),
    (0x3100, 0x312f),
    (0x31a0, 0x31bf),
    (0x31c0, 0x31ef),
    (0x3200, 0x4db5),
    (0x4e00, 0x9fbb),
    (0xf900, 0xfa2d),
    (0xfa30, 0xfa6a),
    (0xfa70, 0xfad9),
    (0xfe10, 0xfe1f),
    (0xfe30, 0xfe4f),
    (0xff00, 0xffef),
];

/// What the table means: symbols and dingbats, radicals, CJK punctuation and letters, all
/// ideographs of both planes.
const FIXED_CHINESE: [(u32, u32); 12] = [
    (0x2600, 0x27bf),
    (0x2e80, 0x2fdf),
    (0x2ff0, 0x303f),
    (0x3100, 0x312f),
    (0x31a0, 0x31ef),
    (0x3200, 0x4dbf),
    (0x4e00, 0x9fff),
    (0xf900, 0xfaff),
    (0xfe10, 0xfe1f),
    (0xfe30, 0xfe4f),
    (0xff00, 0xffef),
    (0x20000, 0x323af),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_sorted() {
        for table in [&SACREBLEU_CHINESE[..], &FIXED_CHINESE[..]] {
            assert!(table.windows(2).all(|pair| pair[0].1 < pair[1].0));
        }
    }
}
