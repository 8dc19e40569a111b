// The words of a text as stretches of code points: what a caret stops at and a finger can hit.

const SPACE = /^\s+$/u;
// Where the browser cannot find words: letters together, each other sign and each ideograph alone.
const PLAIN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Javanese}\p{Script=Balinese}]\p{M}*|\p{N}[\p{N}.,]*\p{N}|[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*|\p{Extended_Pictographic}(?:\u200d\p{Extended_Pictographic}|[\ufe0f\p{M}\p{EMod}])*|\S/gu;

// A letter of a script that puts no blanks between words.
export const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Javanese}\p{Script=Balinese}]/u;

export const codePoints = (text) => Array.from(text).length;

// A place counted in UTF-16 units, as browsers do, counted in code points.
export const toPoints = (text, units) => codePoints(text.slice(0, units));

export function wordsOf(text, language, Segmenter = Intl.Segmenter) {
  const found = [];
  let at = 0;
  for (const [piece, counts] of Segmenter ? segmented(text, language, Segmenter) : plain(text)) {
    const length = codePoints(piece);
    if (counts) found.push({ start: at, end: at + length });
    at += length;
  }
  return found;
}

function* segmented(text, language, Segmenter) {
  let made;
  try {
    made = new Segmenter(language, { granularity: "word" });
  } catch {
    made = new Segmenter(undefined, { granularity: "word" });
  }
  for (const { segment } of made.segment(text)) yield [segment, !SPACE.test(segment)];
}

function* plain(text) {
  let last = 0;
  for (const match of text.matchAll(PLAIN)) {
    if (match.index > last) yield [text.slice(last, match.index), false];
    yield [match[0], true];
    last = match.index + match[0].length;
  }
}
