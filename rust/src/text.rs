//! Segments of text, packed one behind the other in one buffer.

use std::ops::Range;

/// A column of segments; a segment may be missing, which is not the same as empty.
#[derive(Default)]
pub struct Text {
    bytes: String,
    ends: Vec<usize>,
    missing: Vec<bool>,
}

impl Text {
    pub fn with_capacity(segments: usize, bytes: usize) -> Self {
        Text {
            bytes: String::with_capacity(bytes),
            ends: Vec::with_capacity(segments),
            missing: Vec::with_capacity(segments),
        }
    }

    pub fn push(&mut self, segment: &str) {
        self.bytes.push_str(segment);
        self.ends.push(self.bytes.len());
        self.missing.push(false);
    }

    pub fn push_missing(&mut self) {
        self.ends.push(self.bytes.len());
        self.missing.push(true);
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The segment, or None where it is missing.
    pub fn get(&self, index: usize) -> Option<&str> {
        (!self.missing[index]).then(|| &self.bytes[self.range(index)])
    }

    pub fn iter(&self) -> impl Iterator<Item = Option<&str>> {
        (0..self.len()).map(|index| self.get(index))
    }

    pub fn missing(&self) -> &[bool] {
        &self.missing
    }

    fn range(&self, index: usize) -> Range<usize> {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        start..self.ends[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_is_not_empty() {
        let mut text = Text::default();
        text.push("é");
        text.push_missing();
        text.push("");
        assert_eq!(text.iter().collect::<Vec<_>>(), [Some("é"), None, Some("")]);
    }
}
