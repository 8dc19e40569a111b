// Two texts word by word: what they do not share, and what the references have of that.
// Words are runs of letters and digits, single other signs, and single letters of scripts
// that are written without blanks.

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

function wordsOf(text) {
  const found = [];
  for (const match of text.matchAll(WORD)) {
    found.push({ text: match[0], start: match.index, stop: match.index + match[0].length });
  }
  return found;
}

function countWords(text) {
  return text.match(WORD)?.length ?? 0;
}

function countsOf(words) {
  const counts = new Map();
  for (const word of words) counts.set(word.text, (counts.get(word.text) ?? 0) + 1);
  return counts;
}

// As often as the reference that has a word most.
function referenceCounts(at) {
  const most = new Map();
  for (const ref of data.refs) {
    if (ref[at] == null) continue;
    for (const [word, count] of countsOf(wordsOf(cutText(ref[at])))) {
      most.set(word, Math.max(count, most.get(word) ?? 0));
    }
  }
  return most;
}

// Marks, for each word, whether as many of it are left to take.
function granted(words, counts) {
  const left = new Map(counts);
  return words.map((word) => {
    const have = left.get(word.text) ?? 0;
    if (have > 0) left.set(word.text, have - 1);
    return have > 0;
  });
}

// For each word of the first text, whether it is in the longest run that both share.
function shared(one, other) {
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
    granted(one.slice(first, end), countsOf(other.slice(first, otherEnd))).forEach(
      (mark, at) => (marks[first + at] = mark),
    );
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

function cutText(text) {
  return text.length > LONG ? text.slice(0, LONG) : text;
}

// The text as nodes: neighbouring words with the same label share a mark.
function marked(text, labelOf) {
  const words = wordsOf(text);
  const nodes = [];
  let from = 0;
  for (let at = 0; at < words.length; ) {
    const label = labelOf(at);
    let last = at;
    while (last + 1 < words.length && labelOf(last + 1) === label) last++;
    if (label) {
      nodes.push(shown(text.slice(from, words[at].start)));
      const inside = shown(text.slice(words[at].start, words[last].stop));
      nodes.push(el("mark", { class: label }, inside));
      from = words[last].stop;
    }
    at = last + 1;
  }
  nodes.push(shown(text.slice(from)));
  return nodes;
}

// An output, with the words marked that the other text does not share.
function differing(text, other, references) {
  const words = wordsOf(text);
  const same = shared(words, wordsOf(other));
  const inReference = granted(words, references);
  const kind = (at) => (!data.refs.length ? "other" : inReference[at] ? "hit" : "miss");
  return marked(text, (at) => (same[at] ? "" : kind(at)));
}

// An output, with the words marked that no reference has, if there are references.
function unmatched(text, references) {
  if (!data.refs.length) return [shown(text)];
  const inReference = granted(wordsOf(text), references);
  return marked(text, (at) => (inReference[at] ? "" : "miss"));
}

// A paragraph of text; one that is very long is cut until the reader wants all of it.
function passage(text, nodesOf = (part) => [shown(part)]) {
  if (!text) return el("p", { class: "text empty" }, "(empty)");
  const made = el("p", { class: "text", dir: "auto" }, nodesOf(cutText(text)));
  if (text.length > LONG) {
    const more = el("button", { type: "button", class: "more" });
    more.textContent = `… show all ${text.length.toLocaleString("en")} characters`;
    more.addEventListener("click", () => made.replaceChildren(shown(text)));
    made.append(" ", more);
  }
  return made;
}

// Errors that were marked in an output, as judges and programs say.
function errorsOf(index, at) {
  return data.errors ? data.errors[index][at] ?? [] : [];
}

function tellError([, severity, category, source, side, words]) {
  const place = side === "output" ? "" : side === "source" ? ", in the source" : ", omitted";
  return `${severity}${category ? ` ${category}` : ""}${place}`
    + `${words ? ` “${shown(words)}”` : ""}${source ? `, marked by ${source}` : ""}`;
}

// The words of errors, underlined; where errors overlap, the worst is drawn.
function underlined(part, errors) {
  const order = ["critical", "major", "minor"];
  const placed = errors.filter(([place]) => place && place[0] < part.length)
    .sort((one, other) => order.indexOf(one[1]) - order.indexOf(other[1]));
  const edges = [0, part.length, ...placed.flatMap(([place]) => place)]
    .filter((edge) => edge <= part.length).sort((one, other) => one - other);
  return edges.slice(1).map((end, index) => {
    const start = edges[index];
    if (start === end) return null;
    const here = placed.filter(([[first, last]]) => first <= start && end <= last);
    const text = shown(part.slice(start, end));
    if (!here.length) return text;
    return el("mark", { class: `error ${here[0][1]}`, title: here.map(tellError).join("\n") }, text);
  });
}

// Errors of which the same is said stand once, with their number.
function errorList(index, at) {
  const errors = errorsOf(index, at);
  if (!errors.length) return null;
  const told = new Map();
  for (const error of errors) {
    const text = tellError(error);
    told.set(text, [error[1], (told.get(text)?.[1] ?? 0) + 1]);
  }
  return el("ul", { class: "errors" }, [...told].map(([text, [severity, times]]) =>
    el("li", {}, times > 1 ? `${times} × ` : null, el("b", {}, severity),
      text.slice(severity.length))));
}
