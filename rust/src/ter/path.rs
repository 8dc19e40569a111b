//! The cheapest way from an output to a reference, word by word, as the search for shifts sees it.

/// No error from here to the end.
pub const NEVER: u32 = u32::MAX;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    Match,
    Substitution,
    /// A word of the output that the reference lacks.
    Insertion,
    /// A word of the reference that the output lacks.
    Deletion,
}

#[derive(Default, PartialEq, Debug)]
pub struct Path {
    /// How many words of the output lie before the end of so many words of the reference.
    pub after: Vec<u32>,
    /// For each word of the output, the first one from there on that is in error.
    pub output_error: Vec<u32>,
    /// The same for the reference.
    pub reference_error: Vec<u32>,
    pub insertions: u32,
    pub deletions: u32,
    pub substitutions: u32,
}

impl Path {
    /// Goes back from the end to the beginning; `last` says which step leads to a cell that has
    /// so many words of the output and of the reference before it, some of both.
    #[inline(always)]
    pub fn trace(&mut self, output: usize, reference: usize, last: impl Fn(usize, usize) -> Step) {
        self.after.resize(reference + 1, 0);
        self.output_error.resize(output + 1, NEVER);
        self.reference_error.resize(reference + 1, NEVER);
        let (mut output_error, mut reference_error) = (NEVER, NEVER);
        let (mut i, mut j) = (output, reference);
        let mut deletions = 0;
        let mut substitutions = 0;
        while i > 0 || j > 0 {
            let step = match (i, j) {
                (0, _) => Step::Deletion,
                (_, 0) => Step::Insertion,
                _ => last(i, j),
            };
            let (before_i, before_j) = (i, j);
            i -= (step != Step::Deletion) as usize;
            j -= (step != Step::Insertion) as usize;
            if before_j != j {
                self.after[before_j] = before_i as u32;
                if step != Step::Match {
                    reference_error = j as u32;
                }
                self.reference_error[j] = reference_error;
            }
            if before_i != i {
                if step != Step::Match {
                    output_error = i as u32;
                }
                self.output_error[i] = output_error;
            }
            deletions += (step == Step::Deletion) as u32;
            substitutions += (step == Step::Substitution) as u32;
        }
        self.deletions = deletions;
        self.substitutions = substitutions;
        self.insertions = (output as u32 + deletions) - reference as u32;
    }
}
