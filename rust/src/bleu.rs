//! BLEU's closing formula, from summed n-gram counts to a score.

use crate::hits::name_all;
use crate::ngram;
use crate::overlap::{Expected, Overlap, Sequences};
use crate::tokens::Tokens;

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Smoothing {
    None,
    /// An order without matches counts as this many.
    Floor(f64),
    /// Orders above one get this many matches and n-grams more.
    Add(f64),
    /// Each further order without matches counts as half of the one before.
    Halving,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Mean {
    Geometric,
    Arithmetic,
}

/// What an order without candidate n-grams does to the score.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ShortOutput {
    /// Its precision is 0.
    Zero,
    /// Only the orders before it are averaged.
    Effective,
    /// mteval: its precision is 1, and nothing matching does not end the matter.
    Mteval,
}

#[derive(Clone, Copy, Debug)]
pub struct Formula {
    pub order: usize,
    pub smoothing: Smoothing,
    pub mean: Mean,
    pub short: ShortOutput,
}

impl Formula {
    /// The score, 0 to 100, of one row as `ngram::rows` makes them, or of a sum of such rows.
    pub fn score(&self, row: &[f64]) -> f64 {
        let (sum, orders) = self.walk(row, |_, _| ());
        let penalty = self.penalty(row);
        if orders == 0 || penalty == 0.0 {
            return 0.0;
        }
        let mean = sum / orders as f64;
        100.0 * penalty * if self.mean == Mean::Geometric { mean.exp() } else { mean }
    }

    /// The score of each of these outputs against each of these references, both given by their
    /// places among the texts, output by output.
    pub fn pairs(
        &self,
        texts: &Tokens,
        outputs: &[usize],
        references: &[usize],
        scores: &mut [f64],
    ) {
        let (ids, ends, types) = name_all(texts);
        let sequences = Sequences { ids: &ids, ends: &ends, types };
        let lengths = sequences.lengths();
        let overlap = Overlap::new(&sequences, self.order, outputs, references);
        let mut counts = vec![0; overlap.columns()];
        let mut row = vec![0.0; ngram::columns(self.order)];
        for (output, scores) in outputs.iter().zip(scores.chunks_exact_mut(references.len())) {
            overlap.row(*output, &mut counts);
            for below in 0..self.order {
                row[self.order + below] = lengths[*output].saturating_sub(below) as f64;
            }
            row[2 * self.order] = lengths[*output] as f64;
            for (reference, score) in references.iter().zip(scores) {
                let matches = &counts[reference * self.order..][..self.order];
                for (matched, count) in row.iter_mut().zip(matches) {
                    *matched = *count as f64;
                }
                row[2 * self.order + 1] = lengths[*reference] as f64;
                *score = self.score(&row);
            }
        }
    }

    /// The row of each of these outputs against references that stand for one.
    pub fn expected_rows(
        &self,
        texts: &Tokens,
        outputs: &[usize],
        expected: &Expected<'_>,
        rows: &mut [f64],
    ) {
        let (ids, ends, types) = name_all(texts);
        let sequences = Sequences { ids: &ids, ends: &ends, types };
        let lengths = sequences.lengths();
        let mut matches = vec![0.0; outputs.len() * self.order];
        expected.matches(&sequences, self.order, outputs, &mut matches);
        let reference = expected.mean(|text| lengths[text] as f64);
        let columns = ngram::columns(self.order);
        for (index, row) in rows.chunks_exact_mut(columns).enumerate() {
            let length = lengths[outputs[index]];
            for below in 0..self.order {
                row[below] = matches[below * outputs.len() + index];
                row[self.order + below] = length.saturating_sub(below) as f64;
            }
            row[2 * self.order] = length as f64;
            row[2 * self.order + 1] = reference;
        }
    }

    pub fn penalty(&self, row: &[f64]) -> f64 {
        let (output, reference) = (row[2 * self.order], row[2 * self.order + 1]);
        if output >= reference && (output > 0.0 || self.short != ShortOutput::Mteval) {
            1.0
        } else if output > 0.0 {
            (1.0 - reference / output).exp()
        } else {
            0.0
        }
    }

    /// The precisions after smoothing, 0 to 1.
    pub fn precisions(&self, row: &[f64], precisions: &mut [f64]) {
        precisions.fill(0.0);
        self.walk(row, |order, precision| precisions[order] = precision);
    }

    /// The sum of the orders' precisions (of their logarithms for the geometric mean) and the
    /// number to divide it by; no order counts where nothing matches.
    fn walk(&self, row: &[f64], mut each: impl FnMut(usize, f64)) -> (f64, usize) {
        let matches = &row[..self.order];
        let totals = &row[self.order..2 * self.order];
        let mteval = self.short == ShortOutput::Mteval;
        if !mteval && matches.iter().all(|count| *count == 0.0) {
            return (0.0, 0);
        }
        let mut sum = 0.0;
        let mut halved = 1.0;
        for order in 0..self.order {
            let (mut count, mut total) = (matches[order], totals[order]);
            if let (Smoothing::Add(more), 1..) = (self.smoothing, order) {
                count += more;
                total += more;
            }
            let precision = if total == 0.0 {
                match self.short {
                    ShortOutput::Effective => return (sum, order),
                    ShortOutput::Mteval if self.smoothing != Smoothing::None => 1.0,
                    _ => 0.0,
                }
            } else if count > 0.0 {
                count / total
            } else {
                match self.smoothing {
                    Smoothing::Halving => {
                        halved *= 2.0;
                        1.0 / (halved * total)
                    }
                    Smoothing::Floor(value) => value / total,
                    Smoothing::None | Smoothing::Add(_) => 0.0,
                }
            };
            each(order, precision);
            sum += if self.mean == Mean::Geometric { precision.ln() } else { precision };
        }
        (sum, self.order)
    }
}
