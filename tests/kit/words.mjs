import assert from "node:assert/strict";
import test from "node:test";
import { ARABIC, CHINESE, load, LONG, makeRandom } from "./made_up.js";

const { countMost, hasWords, markCounted, markShared, splitWords } = await load("explorer/words");

const words = (text) => splitWords(text).map((word) => word.text);

test("words of scripts with and without blanks", () => {
  assert.deepEqual(words("It's 3.5 km, no?"), ["It", "'", "s", "3", ".", "5", "km", ",", "no", "?"]);
  assert.equal(words(ARABIC).length, ARABIC.split(" ").length);
  assert.deepEqual(words(CHINESE), [...CHINESE]);
  assert.deepEqual(words("क्षेत्र की"), ["क्षेत्र", "की"]);
  assert.deepEqual(words(""), []);
  for (const { text, start, stop } of splitWords(`${ARABIC} 😀 ${CHINESE}`)) assert.equal(`${ARABIC} 😀 ${CHINESE}`.slice(start, stop), text);
});

test("a text is read until it has enough words", () => {
  const random = makeRandom();
  const signs = ["a", "b", " ", " ", "市", "،", "ب", "\t", "😀", "\u00a0", "\u3000", "-", "\u0301", "\x01"];
  for (let round = 0; round < 2000; round++) {
    const text = Array.from({ length: random() * 30 }, () => signs[Math.floor(random() * signs.length)]).join("");
    for (const least of [0, 1, 5, 20]) assert.equal(hasWords(text, least), words(text).length >= least, text);
  }
  assert.ok(hasWords(LONG, 2000) && !hasWords(LONG, 2001));
});

// The longest common run, by the definition.
function shareSlowly(one, other) {
  const best = (i, j) => (i === one.length || j === other.length ? 0
    : one[i] === other[j] ? 1 + best(i + 1, j + 1) : Math.max(best(i + 1, j), best(i, j + 1)));
  return best(0, 0);
}

test("as many words are shared as can be, in their order", () => {
  const random = makeRandom(2);
  for (let round = 0; round < 200; round++) {
    const [one, other] = [0, 1].map(() => Array.from({ length: random() * 8 }, () => "xyz"[Math.floor(random() * 3)]));
    const marks = markShared(splitWords(one.join(" ")), splitWords(other.join(" ")));
    const shared = one.filter((_, at) => marks[at]);
    assert.equal(shared.length, shareSlowly(one, other));
    let at = 0;
    for (const word of other) if (word === shared[at]) at++;
    assert.equal(at, shared.length);
  }
});

test("2,000 words with three changes", () => {
  const changed = LONG.split(" ");
  for (const at of [10, 1000, 1990]) changed[at] = "new";
  const marks = markShared(splitWords(changed.join(" ")), splitWords(LONG));
  assert.deepEqual(marks.flatMap((mark, at) => (mark ? [] : [at])), [10, 1000, 1990]);
});

test("very long texts are compared without their order", () => {
  const one = splitWords(`a ${"x ".repeat(2500)}b`);
  const other = splitWords(`c ${"y ".repeat(2500)}x d`);
  assert.equal(markShared(one, other).filter(Boolean).length, 1);
});

test("a word counts as often as the text that has it most", () => {
  const most = countMost(["the cat", "the the dog"]);
  assert.deepEqual([...most], [["the", 2], ["cat", 1], ["dog", 1]]);
  assert.deepEqual(markCounted(splitWords("the the the cat"), most), [true, true, false, true]);
});
