//! Lower-casing, as the programs we equal do it.

use std::borrow::Cow;

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Case {
    /// As written.
    Mixed,
    /// Unicode lower case with its final sigma, as Python's `str.lower`.
    Lower,
    /// A to Z only, as mteval by default.
    LowerAscii,
    /// Unicode lower case letter by letter, as Perl's `lc`.
    LowerLetters,
}

pub const CASES: [(&str, Case); 4] = [
    ("mixed", Case::Mixed),
    ("lower", Case::Lower),
    ("lower-ascii", Case::LowerAscii),
    ("lower-letters", Case::LowerLetters),
];

impl Case {
    pub fn fold(self, segment: &str) -> Cow<'_, str> {
        match self {
            Case::Mixed => Cow::Borrowed(segment),
            Case::LowerAscii => Cow::Owned(segment.to_ascii_lowercase()),
            _ if segment.is_ascii() => Cow::Owned(segment.to_ascii_lowercase()),
            Case::Lower => Cow::Owned(segment.to_lowercase()),
            Case::LowerLetters => {
                Cow::Owned(segment.chars().flat_map(char::to_lowercase).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_sigma_of_a_word() {
        assert_eq!(Case::Lower.fold("ΟΔΟΣ"), "οδος");
        assert_eq!(Case::LowerLetters.fold("ΟΔΟΣ"), "οδοσ");
        assert_eq!(Case::LowerAscii.fold("AÉ"), "aÉ");
    }
}
