//! Candidate links between words or phrases, and which of them are beyond doubt.

/// Some words of the output linked to some of the reference by one of the stages.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Link {
    pub reference: u32,
    pub reference_words: u32,
    pub hyp: u32,
    pub hyp_words: u32,
    pub stage: u32,
}

impl Link {
    pub fn of_words(reference: usize, hyp: usize, stage: usize) -> Self {
        Link {
            reference: reference as u32,
            reference_words: 1,
            hyp: hyp as u32,
            hyp_words: 1,
            stage: stage as u32,
        }
    }

    pub fn reference_end(&self) -> u32 {
        self.reference + self.reference_words
    }

    pub fn hyp_end(&self) -> u32 {
        self.hyp + self.hyp_words
    }

    /// How far the link lies off the diagonal.
    pub fn distance(&self) -> u32 {
        self.reference.abs_diff(self.hyp)
    }
}

/// All candidate links of a pair, by first reference word, in the order in which they were found.
#[derive(Default)]
pub struct Links {
    by_reference: Vec<Vec<Link>>,
    hyp_uses: Vec<u32>,
    reference_uses: Vec<u32>,
    phrases: bool,
}

impl Links {
    /// Forgets the last pair and makes room for one with so many words.
    pub fn clear(&mut self, hyp_words: usize, reference_words: usize) {
        self.by_reference.iter_mut().for_each(Vec::clear);
        self.phrases = false;
        if self.by_reference.len() < reference_words {
            self.by_reference.resize_with(reference_words, Vec::new);
        }
        for (uses, words) in
            [(&mut self.hyp_uses, hyp_words), (&mut self.reference_uses, reference_words)]
        {
            uses.clear();
            uses.resize(words, 0);
        }
    }

    pub fn push(&mut self, link: Link) {
        self.phrases |= link.hyp_words > 1 || link.reference_words > 1;
        self.by_reference[link.reference as usize].push(link);
        for place in link.hyp..link.hyp_end() {
            self.hyp_uses[place as usize] += 1;
        }
        for place in link.reference..link.reference_end() {
            self.reference_uses[place as usize] += 1;
        }
    }

    /// Whether any candidate links more than a word to a word.
    pub fn has_phrases(&self) -> bool {
        self.phrases
    }

    pub fn hyp_words(&self) -> usize {
        self.hyp_uses.len()
    }

    pub fn reference_words(&self) -> usize {
        self.reference_uses.len()
    }

    /// The candidates that begin at a reference word.
    pub fn at(&self, reference: usize) -> &[Link] {
        &self.by_reference[reference]
    }

    /// The link that begins at a reference word and competes with no other.
    pub fn certain(&self, reference: usize) -> Option<Link> {
        let [only] = self.by_reference[reference].as_slice() else { return None };
        let hyp = &self.hyp_uses[only.hyp as usize..only.hyp_end() as usize];
        let covered = &self.reference_uses[reference..only.reference_end() as usize];
        hyp.iter().chain(covered).all(|uses| *uses == 1).then_some(*only)
    }
}
