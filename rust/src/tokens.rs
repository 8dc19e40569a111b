//! Segments cut into tokens: packed bytes with token boundaries.

use crate::text::Text;

/// Bytes that may be read past the last token, so that wide loads stay in bounds.
pub const PADDING: usize = 16;

/// How many bytes a tokeniser may look at, and how many bounds it may write, at once.
pub const BLOCK: usize = 64;

/// The tokens of a column of segments. Token bounds are relative to the segment's first byte.
pub struct Tokens {
    bytes: Vec<u8>,
    starts: Vec<u32>,
    ends: Vec<u32>,
    segments: Vec<Segment>,
}

#[derive(Clone, Copy)]
struct Segment {
    first_byte: usize,
    last_token: usize,
    missing: bool,
}

/// One segment's tokens.
#[derive(Clone, Copy)]
pub struct Sentence<'a> {
    bytes: &'a [u8],
    starts: &'a [u32],
    ends: &'a [u32],
}

impl Tokens {
    /// Begins a column; `Builder::finish` ends it.
    pub fn builder(segments: usize, bytes: usize) -> Builder {
        Builder {
            tokens: Tokens {
                bytes: Vec::with_capacity(bytes + BLOCK),
                starts: Vec::with_capacity(bytes / 4 + BLOCK),
                ends: Vec::with_capacity(bytes / 4 + BLOCK),
                segments: Vec::with_capacity(segments),
            },
        }
    }

    pub fn len(&self) -> usize {
        self.segments.len()
    }

    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// How many tokens there are in all segments.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// How many tokens the segments before this one have.
    pub fn first(&self, index: usize) -> usize {
        if index == 0 { 0 } else { self.segments[index - 1].last_token }
    }

    /// The segment's tokens, or None where the segment is missing.
    pub fn get(&self, index: usize) -> Option<Sentence<'_>> {
        let (segment, first) = (self.segments[index], self.first(index));
        (!segment.missing).then(|| Sentence {
            bytes: &self.bytes[segment.first_byte..],
            starts: &self.starts[first..segment.last_token],
            ends: &self.ends[first..segment.last_token],
        })
    }

    /// Text again: the tokens of each segment with blanks between them.
    pub fn joined(&self) -> Text {
        let mut text = Text::with_capacity(self.len(), self.bytes.len() + self.count());
        let mut line = String::new();
        for index in 0..self.len() {
            let Some(sentence) = self.get(index) else {
                text.push_missing();
                continue;
            };
            line.clear();
            for (at, token) in sentence.iter().enumerate() {
                line.push_str(if at == 0 { "" } else { " " });
                line.push_str(&String::from_utf8_lossy(token));
            }
            text.push(&line);
        }
        text
    }
}

impl<'a> Sentence<'a> {
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    pub fn token(&self, index: usize) -> &'a [u8] {
        &self.bytes[self.starts[index] as usize..self.ends[index] as usize]
    }

    pub fn iter(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let sentence = *self;
        (0..sentence.len()).map(move |index| sentence.token(index))
    }

    /// The token's key.
    pub fn key(&self, index: usize) -> Key {
        let (start, end) = (self.starts[index], self.ends[index]);
        Key::of(&self.bytes[start as usize..], (end - start) as usize)
    }

    /// Each token's key, in order.
    #[inline(always)]
    pub fn keys(&self) -> impl ExactSizeIterator<Item = Key> + use<'a> {
        let bytes = self.bytes;
        let bounds = self.starts.iter().zip(self.ends);
        bounds.map(move |(start, end)| Key::of(&bytes[*start as usize..], (end - start) as usize))
    }
}

/// Two words that name a token: its bytes and length if it has less than sixteen, else a digest
/// of its bytes, which another long token may share.
#[derive(Clone, Copy, Default)]
pub struct Key(u64, u64);

const LONG: u64 = 0xff << 56;
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// For each length, the bits of two words that belong to a token of that length.
const MASKS: [(u64, u64); PADDING] = {
    let mut masks = [(0, 0); PADDING];
    let mut length = 1;
    while length < PADDING {
        let (low, high) = masks[length - 1];
        masks[length] = if length <= 8 { (low << 8 | 0xff, high) } else { (low, high << 8 | 0xff) };
        length += 1;
    }
    masks
};

impl Key {
    /// Names the token of this length that `bytes` begin with.
    #[inline(always)]
    fn of(bytes: &[u8], length: usize) -> Self {
        let window = u128::from_le_bytes(*bytes.first_chunk().unwrap());
        let (low, high) = (window as u64, (window >> 64) as u64);
        if length < PADDING {
            let mask = MASKS[length];
            Key(low & mask.0, high & mask.1 | (length as u64) << 56)
        } else {
            Key::digest(&bytes[..length])
        }
    }

    #[cold]
    fn digest(token: &[u8]) -> Self {
        let digest = token.chunks(8).fold(token.len() as u64, |digest, chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            (digest.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(SPREAD)
        });
        Key(digest, digest | LONG)
    }

    /// Zero for equal keys.
    #[inline(always)]
    pub fn difference(self, other: Key) -> u64 {
        (self.0 ^ other.0) | (self.1 ^ other.1)
    }

    pub fn is_long(self) -> bool {
        self.1 >= LONG
    }

    /// A number whose upper bits depend on every bit of the key.
    #[inline(always)]
    pub fn hash(self) -> u64 {
        (self.0 ^ self.1.rotate_left(23)).wrapping_mul(SPREAD)
    }
}

/// Tokens in the making: bytes first, then the bounds of the tokens in them, segment by segment.
pub struct Builder {
    tokens: Tokens,
}

/// What a tokeniser sees of the segment in the making.
pub struct Cut<'a> {
    pub text: &'a str,
    /// Its bytes and a block of blanks.
    pub padded: &'a [u8],
    pub starts: &'a mut Vec<u32>,
    pub ends: &'a mut Vec<u32>,
}

impl Builder {
    /// Adds a segment with this text, the bounds of whose tokens `cut` fills in.
    pub fn segment(&mut self, text: &str, cut: impl FnOnce(Cut<'_>)) {
        let tokens = &mut self.tokens;
        let first_byte = tokens.bytes.len();
        tokens.bytes.extend_from_slice(text.as_bytes());
        tokens.bytes.extend_from_slice(&[b' '; BLOCK]);
        let padded = &tokens.bytes[first_byte..];
        cut(Cut { text, padded, starts: &mut tokens.starts, ends: &mut tokens.ends });
        tokens.bytes.truncate(first_byte + text.len());
        self.close(first_byte, false);
    }

    /// Adds a segment from tokens that are already apart.
    pub fn sentence<T: AsRef<[u8]>>(&mut self, words: impl Iterator<Item = T>) {
        let tokens = &mut self.tokens;
        let first_byte = tokens.bytes.len();
        for word in words {
            tokens.starts.push((tokens.bytes.len() - first_byte) as u32);
            tokens.bytes.extend_from_slice(word.as_ref());
            tokens.ends.push((tokens.bytes.len() - first_byte) as u32);
        }
        self.close(first_byte, false);
    }

    pub fn missing(&mut self) {
        self.close(self.tokens.bytes.len(), true);
    }

    pub fn finish(mut self) -> Tokens {
        self.tokens.bytes.extend_from_slice(&[0; PADDING]);
        self.tokens
    }

    fn close(&mut self, first_byte: usize, missing: bool) {
        let last_token = self.tokens.starts.len();
        self.tokens.segments.push(Segment { first_byte, last_token, missing });
    }
}
