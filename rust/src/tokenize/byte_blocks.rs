//! Tokenisers that look at sixty-four bytes at a time, a bit for each.
//!
//! White space beyond ASCII has become blanks before; every other byte beyond ASCII is a letter.

use crate::tokens::{BLOCK as WIDTH, Cut};

/// One bit per byte: what the byte is.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Block {
    space: u64,
    alone: u64,
    stop: u64,
    digit: u64,
    dash: u64,
}

pub fn white(cut: Cut<'_>) {
    by_block::<PYTHON, true, false>(cut);
}

/// At ASCII's white space alone.
pub fn white_ascii(cut: Cut<'_>) {
    by_block::<PERL, true, false>(cut);
}

/// 13a's rules: most punctuation alone, `.` and `,` unless digits hold them, `-` after a digit.
pub fn western(cut: Cut<'_>) {
    by_block::<PYTHON, true, true>(cut);
}

pub fn western_perl(cut: Cut<'_>) {
    by_block::<PERL, true, true>(cut);
}

pub fn java(cut: Cut<'_>) {
    by_block::<PERL, false, false>(cut);
}

/// The first of the control characters before the blank that are white space.
const PYTHON: u8 = 0x1c;
const PERL: u8 = b' ';

const VERTICAL_TAB: u8 = 0x0b;

/// `FIRST` and whether a vertical tab is white space tell what separates words.
fn by_block<const FIRST: u8, const TAB: bool, const PUNCTUATION: bool>(cut: Cut<'_>) {
    let Cut { text, padded, starts, ends } = cut;
    let bytes = text.as_bytes();
    let (mut space_before, mut alone_before, mut digit_before, mut stop_before) = (1, 0, 0, 0);
    for base in (0..bytes.len()).step_by(WIDTH) {
        let rest = &padded[base..];
        let block = classify::<FIRST, TAB>(rest.first_chunk().unwrap());
        let mut alone = 0;
        if PUNCTUATION {
            let after_digit = block.digit << 1 | digit_before;
            alone = block.alone | block.dash & after_digit;
            if block.stop != 0 {
                let digit_next = rest.get(WIDTH).is_some_and(u8::is_ascii_digit) as u64;
                let before_digit = block.digit >> 1 | digit_next << (WIDTH - 1);
                let doubtful = block.stop & before_digit;
                let mut held = doubtful & after_digit;
                let mut in_run = doubtful & (block.stop << 1 | stop_before);
                while in_run != 0 {
                    let at = base + in_run.trailing_zeros() as usize;
                    if holds_last_of_run(&bytes[..=at]) {
                        held |= in_run & in_run.wrapping_neg();
                    }
                    in_run &= in_run - 1;
                }
                alone |= block.stop & !held;
            }
        }
        let edge = alone | alone << 1 | alone_before;
        let word = !block.space;
        push_bits(starts, base, word & (edge | block.space << 1 | space_before));
        push_bits(ends, base, (word << 1 | (space_before ^ 1)) & (edge | block.space));
        space_before = block.space >> (WIDTH - 1);
        alone_before = alone >> (WIDTH - 1);
        digit_before = block.digit >> (WIDTH - 1);
        stop_before = block.stop >> (WIDTH - 1);
    }
    if space_before == 0 {
        ends.push(bytes.len() as u32);
    }
}

/// Whether the digit that follows keeps the last of these two or more stops: mteval takes two
/// characters at a time, so after a digit it keeps an odd one, otherwise an even one.
fn holds_last_of_run(bytes: &[u8]) -> bool {
    let run = bytes.iter().rev().take_while(|byte| matches!(byte, b'.' | b',')).count();
    let before = bytes.len() - run;
    let after_digit = before > 0 && bytes[before - 1].is_ascii_digit();
    after_digit == (run % 2 == 1)
}

/// Appends the positions of the bits.
fn push_bits(positions: &mut Vec<u32>, base: usize, mut bits: u64) {
    positions.reserve(WIDTH);
    while bits != 0 {
        positions.push(base as u32 + bits.trailing_zeros());
        bits &= bits - 1;
    }
}

#[cfg(target_arch = "x86_64")]
fn classify<const FIRST: u8, const TAB: bool>(window: &[u8; WIDTH]) -> Block {
    use std::arch::x86_64::*;
    let mut block = Block { space: 0, alone: 0, stop: 0, digit: 0, dash: 0 };
    // SAFETY: SSE2 belongs to every x86-64 processor; a load takes the 16 bytes of its lane, wherever
    // they begin; everything else computes on values. The function below, without these instructions,
    // takes nine times as long; `kernel_tokenize` of bench/instructions.py counts what tokenising takes.
    unsafe {
        let splat = |byte: u8| _mm_set1_epi8(byte as i8);
        for (part, lane) in window.chunks_exact(16).enumerate() {
            let bytes = _mm_loadu_si128(lane.as_ptr().cast());
            let is = |byte: u8| _mm_cmpeq_epi8(bytes, splat(byte));
            // Shifted so that the range begins at the least signed byte, one comparison tells.
            let within = |first: u8, last: u8| {
                let shifted = _mm_add_epi8(bytes, splat(0x80u8.wrapping_sub(first)));
                _mm_cmplt_epi8(shifted, splat(0x81u8.wrapping_add(last - first)))
            };
            let bits = |mask| (_mm_movemask_epi8(mask) as u32 as u64) << (16 * part);
            block.space |= bits(_mm_or_si128(within(b'\t', b'\r'), within(FIRST, b' ')));
            if !TAB {
                block.space &= !bits(is(VERTICAL_TAB));
            }
            block.alone |= bits(_mm_or_si128(
                _mm_or_si128(
                    _mm_or_si128(within(b'!', b'&'), within(b'(', b'+')),
                    _mm_or_si128(is(b'/'), within(b':', b'@')),
                ),
                _mm_or_si128(within(b'[', b'`'), within(b'{', b'~')),
            ));
            block.stop |= bits(_mm_or_si128(is(b'.'), is(b',')));
            block.digit |= bits(within(b'0', b'9'));
            block.dash |= bits(is(b'-'));
        }
    }
    block
}

#[cfg(not(target_arch = "x86_64"))]
use classify_plain as classify;

#[cfg(any(test, not(target_arch = "x86_64")))]
fn classify_plain<const FIRST: u8, const TAB: bool>(window: &[u8; WIDTH]) -> Block {
    let mut block = Block { space: 0, alone: 0, stop: 0, digit: 0, dash: 0 };
    for (at, byte) in window.iter().enumerate() {
        let bit = 1 << at;
        match byte {
            &VERTICAL_TAB if !TAB => {}
            b'\t'..=b'\r' | b' ' => block.space |= bit,
            0x1c..0x20 if *byte >= FIRST => block.space |= bit,
            b'!'..=b'&' | b'('..=b'+' | b'/' | b':'..=b'@' => block.alone |= bit,
            b'['..=b'`' | b'{'..=b'~' => block.alone |= bit,
            b'.' | b',' => block.stop |= bit,
            b'0'..=b'9' => block.digit |= bit,
            b'-' => block.dash |= bit,
            _ => {}
        }
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<const FIRST: u8, const TAB: bool>() {
        for first in (0..=255u8).step_by(5) {
            let window = std::array::from_fn(|at| first.wrapping_add(at as u8));
            assert_eq!(
                classify::<FIRST, TAB>(&window),
                classify_plain::<FIRST, TAB>(&window),
                "from {first}"
            );
        }
    }

    #[test]
    fn blocks_are_classified_by_the_plain_rules() {
        check::<PYTHON, true>();
        check::<PERL, true>();
        check::<PERL, false>();
    }
}
