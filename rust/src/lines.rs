//! Cuts a stream of bytes into lines: at `\n` and nowhere else, a `\r` before it dropped.

use crate::text::Text;
use memchr::{memchr_iter, memrchr};

/// Where the bytes are not UTF-8: the line (from 0), the byte in it (from 0), its value.
#[derive(Debug, PartialEq)]
pub struct NotUtf8 {
    pub line: usize,
    pub column: usize,
    pub byte: u8,
}

/// Bytes that came in, less the lines that were taken out.
#[derive(Default)]
pub struct LineBuffer {
    bytes: Vec<u8>,
    taken: usize,
    lines: usize,
    line: usize,
    /// Whether it is known if the bytes begin with a mark.
    begun: bool,
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl LineBuffer {
    /// Adds bytes as they came from the file, cut anywhere.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.taken > 0 {
            self.bytes.drain(..self.taken);
            self.taken = 0;
        }
        self.lines += memchr_iter(b'\n', bytes).count();
        self.bytes.extend_from_slice(bytes);
        self.drop_byte_order_mark();
    }

    /// Says that no more bytes come: what is left without a newline is the last line.
    pub fn finish(&mut self) {
        let rest = &self.bytes[self.taken..];
        let open = match memrchr(b'\n', rest) {
            Some(at) => at + 1 < rest.len(),
            None => !rest.is_empty(),
        };
        if open {
            self.bytes.push(b'\n');
            self.lines += 1;
        }
    }

    /// How many whole lines can be taken.
    pub fn ready(&self) -> usize {
        self.lines
    }

    /// Takes up to `most` whole lines.
    pub fn pop(&mut self, most: usize) -> Result<Text, NotUtf8> {
        let wanted = most.min(self.lines);
        let rest = &self.bytes[self.taken..];
        let mut text = Text::with_capacity(wanted, 0);
        let mut start = 0;
        for (done, end) in memchr_iter(b'\n', rest).take(wanted).enumerate() {
            let mut line = &rest[start..end];
            if let [head @ .., b'\r'] = line {
                line = head;
            }
            let segment = std::str::from_utf8(line).map_err(|error| NotUtf8 {
                line: self.line + done,
                column: error.valid_up_to(),
                byte: line[error.valid_up_to()],
            })?;
            text.push(segment);
            start = end + 1;
        }
        self.begun |= wanted > 0;
        self.taken += start;
        self.lines -= wanted;
        self.line += wanted;
        Ok(text)
    }

    fn drop_byte_order_mark(&mut self) {
        if !self.begun && self.bytes.len() >= BYTE_ORDER_MARK.len() {
            self.begun = true;
            if self.bytes.starts_with(BYTE_ORDER_MARK) {
                self.taken = BYTE_ORDER_MARK.len();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(pieces: &[&[u8]]) -> Result<Vec<String>, NotUtf8> {
        let mut buffer = LineBuffer::default();
        for piece in pieces {
            buffer.push(piece);
        }
        buffer.finish();
        let text = buffer.pop(usize::MAX)?;
        Ok(text.iter().map(|line| line.unwrap().to_string()).collect())
    }

    #[test]
    fn cuts_at_newline_only() {
        let cut = lines(&["a\u{2028}b\r\n\x0cc\r".as_bytes(), b"\rd\n\ne"]).unwrap();
        assert_eq!(cut, ["a\u{2028}b", "\x0cc\r\rd", "", "e"]);
    }

    #[test]
    fn a_final_newline_ends_a_line_and_begins_none() {
        assert_eq!(lines(&[b"a\n"]).unwrap(), ["a"]);
        assert_eq!(lines(&[b"\n"]).unwrap(), [""]);
        assert!(lines(&[b""]).unwrap().is_empty());
    }

    #[test]
    fn the_mark_is_dropped_however_it_arrives() {
        assert_eq!(lines(&[b"\xef", b"\xbb\xbf", b"a"]).unwrap(), ["a"]);
        assert_eq!(lines(&[b"\xef\xbb\xbf"]).unwrap(), [] as [&str; 0]);
    }

    #[test]
    fn a_mark_further_down_is_text() {
        let mut buffer = LineBuffer::default();
        buffer.push(b"a\n");
        assert_eq!(buffer.pop(1).unwrap().len(), 1);
        buffer.push(b"\xef\xbb\xbfb\n");
        assert_eq!(buffer.pop(1).unwrap().get(0), Some("\u{feff}b"));
    }

    #[test]
    fn bad_bytes_are_placed() {
        let error = lines(&[b"fine\nab\xffc\n"]).unwrap_err();
        assert_eq!(error, NotUtf8 { line: 1, column: 2, byte: 0xff });
    }
}
