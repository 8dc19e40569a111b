// @ts-check
// Words of texts, and the words that two texts share. Words are runs of letters and digits,
// single other signs, and single letters of scripts that are written without blanks.

/** @typedef {import("./types").Word} Word */

const WORD = new RegExp(
  "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}" +
    "\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Javanese}\\p{Script=Balinese}]\\p{M}*" +
    "|[\\p{L}\\p{N}](?:(?!\\p{Script=Han}|\\p{Script=Hiragana}|\\p{Script=Katakana})" +
    "[\\p{L}\\p{M}\\p{N}])*|\\p{Extended_Pictographic}[\\u{fe0f}\\u{200d}\\p{M}\\p{Emoji_Modifier}" +
    "\\p{Extended_Pictographic}]*|\\S",
  "gu",
);
// Larger tables take longer than a reader waits; then words are compared without their order.
const MOST_CELLS = 4e6;

/**
 * @param {string} text
 * @returns {Word[]}
 */
export function splitWords(text) {
  return Array.from(text.matchAll(WORD), ({ 0: word, index = 0 }) => ({
    text: word,
    start: index,
    stop: index + word.length,
  }));
}

/**
 * Return whether a text has so many words; it is read no further than that.
 * @param {string} text
 * @param {number} least
 */
export function hasWords(text, least) {
  // Each run of other signs than blanks has a word at least, and runs are counted sooner. Signs
  // among which there are other blanks neither begin nor end a run.
  let runs = 0;
  let within = false;
  for (let at = 0; at < text.length && runs < least; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x1680) continue;
    const isBlank = code <= 32 || code === 0xa0;
    if (!isBlank && !within) runs++;
    within = !isBlank;
  }
  if (runs >= least) return true;
  const words = text.matchAll(WORD);
  for (let count = 0; count < least; count++) if (words.next().done) return false;
  return true;
}

/**
 * Return how often each word occurs.
 * @param {Word[]} words
 */
export function countWords(words) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { text } of words) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/**
 * Return how often each word occurs in the text that has it most.
 * @param {string[]} texts
 */
export function countMost(texts) {
  /** @type {Map<string, number>} */
  const most = new Map();
  for (const text of texts) {
    for (const [word, count] of countWords(splitWords(text))) {
      most.set(word, Math.max(count, most.get(word) ?? 0));
    }
  }
  return most;
}

/**
 * Return, for each word, whether as many of it are left to take.
 * @param {Word[]} words
 * @param {Map<string, number>} counts
 */
export function markCounted(words, counts) {
  const left = new Map(counts);
  return words.map(({ text }) => {
    const count = left.get(text) ?? 0;
    if (count > 0) left.set(text, count - 1);
    return count > 0;
  });
}

/**
 * Return, for each word of the first text, whether it is in the longest run that both share.
 * @param {Word[]} one
 * @param {Word[]} other
 */
export function markShared(one, other) {
  /** @type {boolean[]} */
  const marks = new Array(one.length).fill(false);
  let first = 0;
  let [end, otherEnd] = [one.length, other.length];
  while (first < end && first < otherEnd && one[first].text === other[first].text) {
    marks[first++] = true;
  }
  while (end > first && otherEnd > first && one[end - 1].text === other[otherEnd - 1].text) {
    marks[--end] = true;
    otherEnd -= 1;
  }
  const [rows, columns] = [end - first, otherEnd - first];
  if (rows * columns > MOST_CELLS) {
    const counts = countWords(other.slice(first, otherEnd));
    markCounted(one.slice(first, end), counts).forEach((mark, at) => (marks[first + at] = mark));
    return marks;
  }
  const wide = columns + 1;
  const longest = new Uint16Array((rows + 1) * wide);
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      const at = i * wide + j;
      longest[at] =
        one[first + i].text === other[first + j].text
          ? longest[at + wide + 1] + 1
          : Math.max(longest[at + wide], longest[at + 1]);
    }
  }
  for (let i = 0, j = 0; i < rows && j < columns; ) {
    if (one[first + i].text === other[first + j].text) {
      marks[first + i] = true;
      i++, j++;
    } else if (longest[(i + 1) * wide + j] >= longest[i * wide + j + 1]) i++;
    else j++;
  }
  return marks;
}
