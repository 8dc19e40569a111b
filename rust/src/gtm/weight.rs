//! What runs weigh, and the size of a matching.

/// The powers of run lengths for one exponent, worked out when first needed.
#[derive(Default)]
pub struct Powers {
    exponent: f64,
    of_whole: Vec<f64>,
    scaled: Vec<f64>,
}

/// Sums beyond this are taken of lengths relative to the longest.
const HUGE: f64 = 1e300;

impl Powers {
    pub fn set(&mut self, exponent: f64) {
        if exponent != self.exponent {
            self.exponent = exponent;
            self.of_whole.clear();
        }
    }

    /// The root of the sum of the lengths' powers, longest first.
    pub fn size(&mut self, lengths: &[f64]) -> f64 {
        let Some(longest) = lengths.first().copied() else { return 0.0 };
        let sum = lengths.iter().fold(0.0, |sum, length| sum + self.of(*length));
        let root = 1.0 / self.exponent;
        if (f64::MIN_POSITIVE..HUGE).contains(&sum) {
            return sum.powf(root);
        }
        let relative = lengths.iter().map(|length| (length / longest).powf(self.exponent));
        longest * relative.sum::<f64>().powf(root)
    }

    /// The weight of a run of each length up to the longest.
    pub fn weights(&mut self, longest: usize) -> &[f64] {
        self.reach(longest);
        if self.of_whole[longest] * longest as f64 <= HUGE {
            return &self.of_whole[..=longest];
        }
        let relative = |length| (length as f64 / longest as f64).powf(self.exponent);
        self.scaled.clear();
        self.scaled.extend((0..=longest).map(relative));
        &self.scaled
    }

    #[inline(always)]
    fn of(&mut self, length: f64) -> f64 {
        let whole = length as usize;
        if whole as f64 != length {
            return length.powf(self.exponent);
        }
        self.reach(whole);
        self.of_whole[whole]
    }

    fn reach(&mut self, whole: usize) {
        for length in self.of_whole.len()..=whole {
            self.of_whole.push((length as f64).powf(self.exponent));
        }
    }
}
