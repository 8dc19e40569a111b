//! Snowball's stemmers as METEOR brings them: as they were in 2010.
//!
//! Those for German, Hungarian and Portuguese have changed since; here each gives the stem that
//! it gave then.

use rust_stemmers::{Algorithm, Stemmer};
use std::borrow::Cow;

pub struct FormerStemmer {
    algorithm: Algorithm,
    stemmer: Stemmer,
}

impl FormerStemmer {
    pub fn new(algorithm: Algorithm) -> Self {
        FormerStemmer { algorithm, stemmer: Stemmer::create(algorithm) }
    }

    pub fn stem<'a>(&self, word: &'a str) -> Cow<'a, str> {
        match self.algorithm {
            Algorithm::German => self.german(word),
            Algorithm::Hungarian => self.hungarian(word),
            Algorithm::Portuguese => self.portuguese(word),
            _ => self.stemmer.stem(word),
        }
    }

    /// What ends in -nisse, -nissen or -nisses kept both letters s.
    fn german<'a>(&self, word: &'a str) -> Cow<'a, str> {
        let stem = self.stemmer.stem(word);
        let doubled = |ending: &str| word.strip_suffix(ending).is_some_and(ends_in_niss);
        if stem.ends_with("nis") && ["e", "en", "es"].into_iter().any(doubled) {
            return format!("{stem}s").into();
        }
        stem
    }

    /// The letters ő and ű were looked for under the numbers of õ and û.
    fn hungarian<'a>(&self, word: &'a str) -> Cow<'a, str> {
        if !word.contains(['ő', 'õ', 'ű', 'û']) {
            return self.stemmer.stem(word);
        }
        exchange(&self.stemmer.stem(&exchange(word))).into()
    }

    /// The endings -ução and -uções were not known, but their Spanish counterparts.
    fn portuguese<'a>(&self, word: &'a str) -> Cow<'a, str> {
        for (ending, hidden) in [("ução", "uŧão"), ("uções", "uŧões")] {
            if let Some(start) = word.strip_suffix(ending) {
                let stem = self.stemmer.stem(&format!("{start}{hidden}")).replace('ŧ', "ç");
                return stem.into();
            }
        }
        for (ending, rest) in
            [("ución", "u"), ("uciones", "u"), ("logía", "log"), ("logías", "log")]
        {
            // These were replaced where the ending of today is.
            let replaced =
                |start: &&str| self.stemmer.stem(&format!("{start}ução")) == format!("{start}u");
            if let Some(start) = word.strip_suffix(ending).filter(replaced) {
                return format!("{start}{rest}").into();
            }
        }
        self.stemmer.stem(word)
    }
}

fn ends_in_niss(start: &str) -> bool {
    start.ends_with("niss") || start.ends_with("niß")
}

fn exchange(word: &str) -> String {
    let other = |letter| match letter {
        'ő' => 'õ',
        'õ' => 'ő',
        'ű' => 'û',
        'û' => 'ű',
        _ => letter,
    };
    word.chars().map(other).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_are_those_of_the_jar() {
        for (algorithm, word, expected) in [
            (Algorithm::English, "universities", "univers"),
            (Algorithm::German, "ergebnisse", "ergebniss"),
            (Algorithm::German, "ergebnis", "ergebnis"),
            (Algorithm::German, "küche", "kuch"),
            (Algorithm::Hungarian, "kertből", "kertből"),
            (Algorithm::Hungarian, "kertben", "kert"),
            (Algorithm::Portuguese, "soluções", "soluçõ"),
            (Algorithm::Portuguese, "evolución", "evolu"),
            (Algorithm::Portuguese, "tecnologías", "tecnologí"),
            (Algorithm::Portuguese, "biologia", "biolog"),
        ] {
            assert_eq!(FormerStemmer::new(algorithm).stem(word), expected);
        }
    }
}
