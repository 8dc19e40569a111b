//! chrF++'s words, which lose at most one punctuation mark each.

use super::byte_blocks;
use crate::tokens::Cut;

/// At white space; then a word of several characters gives up the ASCII mark at its end, or else
/// the one at its start: `(hi)` becomes `(hi` and `)`.
pub fn apart(cut: Cut<'_>) {
    let Cut { text, padded, starts, ends } = cut;
    let bytes = text.as_bytes();
    let first = starts.len();
    byte_blocks::white(Cut { text, padded, starts, ends });
    let words = starts.len();
    let marked = (first..words).filter(|at| seam(bytes, starts[*at], ends[*at]).is_some());
    let mut free = words + marked.count();
    starts.resize(free, 0);
    ends.resize(free, 0);
    // From behind, so that no word is written over before it has been read.
    for at in (first..words).rev() {
        let (start, end) = (starts[at], ends[at]);
        free -= 1;
        ends[free] = end;
        if let Some(middle) = seam(bytes, start, end) {
            starts[free] = middle;
            free -= 1;
            ends[free] = middle;
        }
        starts[free] = start;
    }
}

/// Where the word comes apart.
fn seam(bytes: &[u8], start: u32, end: u32) -> Option<u32> {
    match &bytes[start as usize..end as usize] {
        [_, .., last] if last.is_ascii_punctuation() => Some(end - 1),
        [mark, _, ..] if mark.is_ascii_punctuation() => Some(start + 1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::Tokens;

    #[test]
    fn one_mark_a_word() {
        let mut builder = Tokens::builder(1, 0);
        builder.segment("first", apart);
        builder.segment("(hi) \"no , é. … ?! (", apart);
        let tokens = builder.finish();
        let words: Vec<_> = tokens.get(1).unwrap().iter().collect();
        let words: Vec<_> = words.iter().map(|word| str::from_utf8(word).unwrap()).collect();
        assert_eq!(words, ["(hi", ")", "\"", "no", ",", "é", ".", "…", "?", "!", "("]);
    }
}
