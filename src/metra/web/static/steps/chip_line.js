// What became of each word of a sentence: chips keep where they come from, so that changes
// are counted and not guessed. Every change can be undone.

import { UNSPACED } from "./words.js";

// The longest run of values that grow, in order, not necessarily side by side.
function longestIncrease(values) {
  const ends = [];
  for (const value of values) {
    let at = ends.findIndex((end) => end >= value);
    if (at < 0) at = ends.length;
    ends[at] = value;
  }
  return ends.length;
}

const SIGN = /^\p{P}+$/u;

// Whether each word of a text follows the one before it without a blank.
function closeUp(tokens, text) {
  let end = 0;
  return tokens.map((token) => {
    const start = text.indexOf(token, end);
    const close = start === end && end > 0;
    end = start + token.length;
    return close;
  });
}

// `text` is what `tokens` were cut from; it tells where blanks belong.
export function makeChips(tokens, kept, text = tokens.join(" ")) {
  let chips = kept ?? tokens.map((word, origin) => ({ origin, text: word, change: "none" }));
  const past = [];
  const close = closeUp(tokens, text);

  // Signs stay as close to their neighbours as they were, wherever they go.
  function together(one, other) {
    const [left, right] = [one.origin, other.origin];
    if (UNSPACED.test(Array.from(one.text).at(-1)) && UNSPACED.test(other.text[0])) return true;
    if (left !== null && right === left + 1) return close[right];
    return (right !== null && close[right] && SIGN.test(other.text)) || (left !== null && close[left + 1] && SIGN.test(one.text));
  }

  function step(next) {
    past.push(chips);
    chips = next;
  }

  return {
    chips: () => chips,
    text: () => chips.map((chip, at) => (at && !together(chips[at - 1], chip) ? ` ${chip.text}` : chip.text)).join(""),
    undo() {
      if (!past.length) return false;
      chips = past.pop();
      return true;
    },
    remove: (places) => step(chips.filter((_, at) => !places.includes(at))),
    // The first word stands for the old one; further words are new.
    replace(at, texts) {
      const old = chips[at];
      const same = old.origin !== null && texts[0] === tokens[old.origin];
      const change = old.origin === null || same ? "none" : "substitution";
      step(chips.toSpliced(at, 1, { ...old, text: texts[0], change }, ...texts.slice(1).map(fresh)));
    },
    insert: (at, texts) => step(chips.toSpliced(at, 0, ...texts.map(fresh))),
    // Chips at neighbouring places go one place on; gives how far they went.
    move(places, by) {
      const first = places[0];
      const last = places.at(-1);
      if (by < 0 ? first === 0 : last === chips.length - 1) return 0;
      const block = chips.slice(first, last + 1);
      const rest = chips.toSpliced(first, block.length);
      step(rest.toSpliced(first + by, 0, ...block));
      return by;
    },
    // A change of the word's form alone, such as an ending, does not count.
    inflection(at) {
      const chip = chips[at];
      if (chip.change === "none") return false;
      step(chips.with(at, { ...chip, change: chip.change === "inflection" ? "substitution" : "inflection" }));
      return true;
    },
    counts() {
      const origins = chips.map((chip) => chip.origin).filter((origin) => origin !== null);
      return {
        deleted: tokens.length - origins.length,
        added: chips.length - origins.length,
        replaced: chips.filter((chip) => chip.change === "substitution").length,
        moved: origins.length - longestIncrease(origins),
      };
    },
  };
}

const fresh = (text) => ({ origin: null, text, change: "none" });
