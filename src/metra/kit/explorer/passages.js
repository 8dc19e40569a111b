// @ts-check
// Texts as paragraphs, with the words marked in which they differ or that are errors.

import { el, makeButton } from "../elements.js";
import { formatDifference, formatNumber, isMissing, replaceInvisible } from "../figures.js";
import { orient } from "./columns.js";
import { countMost, markCounted, markShared, splitWords } from "./words.js";

/** @typedef {import("./types").Columns} Columns */
/** @typedef {import("./types").MarkedError} MarkedError */
/** @typedef {import("../types").Child} Child */

const LONG = 1500;

/** @param {string} text */
const cutText = (text) => (text.length > LONG ? text.slice(0, LONG) : text);

/**
 * Return a paragraph of text; one that is very long is cut until the reader wants all of it.
 * @param {string | null} text
 * @param {(part: string) => Child} [markPart]
 */
export function drawPassage(text, markPart = replaceInvisible) {
  if (!text) return el("p", { class: "text empty" }, "(empty)");
  const passage = el("p", { class: "text", dir: "auto" }, markPart(cutText(text)));
  if (text.length > LONG) {
    const showAll = () => passage.replaceChildren(replaceInvisible(text));
    const more = `… show all ${text.length.toLocaleString("en")} characters`;
    passage.append(" ", makeButton(more, showAll));
  }
  return passage;
}

/**
 * Return the text as nodes: neighbouring words with the same label share a mark.
 * @param {string} text
 * @param {(at: number) => string} labelOf
 * @param {import("./types").Word[]} words
 */
function markWords(text, words, labelOf) {
  /** @type {Child[]} */
  const nodes = [];
  let from = 0;
  for (let at = 0; at < words.length; ) {
    const label = labelOf(at);
    let last = at;
    while (last + 1 < words.length && labelOf(last + 1) === label) last++;
    if (label) {
      nodes.push(replaceInvisible(text.slice(from, words[at].start)));
      nodes.push(el("mark", { class: label }, replaceInvisible(text.slice(words[at].start, words[last].stop))));
      from = words[last].stop;
    }
    at = last + 1;
  }
  nodes.push(replaceInvisible(text.slice(from)));
  return nodes;
}

/**
 * Return two ways to mark the words of a segment's outputs: those that another output does not
 * share, and those that no reference has.
 * @param {Columns} columns
 * @param {number} at
 */
export function makeMarkers({ data }, at) {
  const hasReferences = data.refs.length > 0;
  const references = countMost(data.refs.flatMap((ref) => (ref[at] ? [cutText(/** @type {string} */ (ref[at]))] : [])));
  return {
    /** @param {string} part */
    unmatched(part) {
      if (!hasReferences) return [replaceInvisible(part)];
      const words = splitWords(part);
      const inReference = markCounted(words, references);
      return markWords(part, words, (word) => (inReference[word] ? "" : "miss"));
    },
    /** @param {string} part @param {string | null} other */
    differing(part, other) {
      const words = splitWords(part);
      const same = markShared(words, splitWords(cutText(other ?? "")));
      const inReference = markCounted(words, references);
      const kind = (/** @type {number} */ word) => (!hasReferences ? "other" : inReference[word] ? "hit" : "miss");
      return markWords(part, words, (word) => (same[word] ? "" : kind(word)));
    },
  };
}

/**
 * Return the errors that were marked in an output.
 * @param {Columns} columns
 * @param {number} system
 * @param {number} at
 */
export const listErrors = ({ data }, system, at) => data.errors?.[system][at] ?? [];

/** @param {MarkedError} error */
function describeError([, severity, category, source, side, words]) {
  const place = side === "output" ? "" : side === "source" ? ", in the source" : ", omitted";
  return `${severity}${category ? ` ${category}` : ""}${place}`
    + `${words ? ` “${replaceInvisible(words)}”` : ""}${source ? `, marked by ${source}` : ""}`;
}

/**
 * Return a text with the words of errors underlined; where errors overlap, the worst is drawn.
 * @param {string} part
 * @param {MarkedError[]} errors
 */
export function underlineErrors(part, errors) {
  const order = ["critical", "major", "minor"];
  const placed = errors.flatMap((error) => (error[0] && error[0][0] < part.length ? [{ error, ends: error[0] }] : []))
    .sort((one, other) => order.indexOf(one.error[1]) - order.indexOf(other.error[1]));
  const edges = [0, part.length, ...placed.flatMap(({ ends }) => ends)]
    .filter((edge) => edge <= part.length).sort((one, other) => one - other);
  return edges.slice(1).map((end, index) => {
    const start = edges[index];
    if (start === end) return null;
    const marks = placed.filter(({ ends: [first, last] }) => first <= start && end <= last).map(({ error }) => error);
    const text = replaceInvisible(part.slice(start, end));
    if (!marks.length) return text;
    return el("mark", { class: `error ${marks[0][1]}`, title: marks.map(describeError).join("\n") }, text);
  });
}

/**
 * Return errors as a list; those of which the same is said stand once, with their number.
 * @param {MarkedError[]} errors
 */
export function drawErrorList(errors) {
  if (!errors.length) return null;
  /** @type {Map<string, [severity: string, times: number]>} */
  const counts = new Map();
  for (const error of errors) {
    const text = describeError(error);
    counts.set(text, [error[1], (counts.get(text)?.[1] ?? 0) + 1]);
  }
  return el("ul", { class: "errors" }, [...counts].map(([text, [severity, times]]) =>
    el("li", {}, times > 1 ? `${times} × ` : null, el("b", {}, severity), text.slice(severity.length))));
}

/**
 * Return source and references of a segment as terms and definitions.
 * @param {Columns} columns
 * @param {number} at
 * @param {boolean} saysMissing whether missing references are listed
 */
export function drawGiven({ data }, at, saysMissing) {
  /** @type {[string, HTMLElement][]} */
  const rows = data.source ? [["source", drawPassage(data.source[at])]] : [];
  data.refs.forEach((ref, index) => {
    const text = ref[at];
    const name = data.refs.length > 1 ? `reference ${index + 1}` : "reference";
    if (text !== null) rows.push([name, drawPassage(text)]);
    else if (saysMissing) rows.push([name, el("p", { class: "text empty" }, "(missing)")]);
  });
  return rows.flatMap(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]);
}

/**
 * Return a system's name.
 * @param {Columns} columns
 * @param {number} system
 */
export const drawSystem = ({ data }, system) => el("bdi", {}, replaceInvisible(data.systems[system]));

/**
 * Return a score of one output, and of another with the change.
 * @param {string} name
 * @param {number | null} before null if nothing is compared
 * @param {number} after
 * @param {number} gain how much better the second is
 * @param {number} digits
 */
export function drawScore(name, before, after, gain, digits, kind = "score") {
  const tone = gain > 0 ? "better" : gain < 0 ? "worse" : "equal";
  const sign = { better: "▲", worse: "▼", equal: "=" }[tone];
  const known = !isMissing(before) && !isMissing(after);
  return el("span", { class: kind }, el("span", { class: "spec" }, `${name} `),
    before === null ? formatNumber(after, digits) : `${formatNumber(before, digits)} → ${formatNumber(after, digits)} `,
    known ? el("b", { class: tone }, `${sign} ${formatDifference(after - before, digits)}`, el("span", { class: "unseen" }, ` ${tone}`)) : null);
}

/**
 * Return the scores of output b by all metrics and by people, compared to a's.
 * @param {Columns} columns
 * @param {number} at
 * @param {{ a: number | null, b: number, metric: number }} options
 */
export function drawScores({ data, scores, people }, at, { a, b, metric }) {
  const drawn = data.metrics.map((about, index) => {
    const [before, after] = [a === null ? null : scores[index][a][at], scores[index][b][at]];
    const gain = before === null ? 0 : orient(about, after) - orient(about, before);
    return drawScore(about.spec, before, after, gain, about.digits, index === metric ? "score chosen" : "score");
  });
  if (people) {
    const [before, after] = [a === null ? null : people[a][at], people[b][at]];
    if (!isMissing(after) || !isMissing(before)) drawn.push(drawScore("people", before, after, after - (before ?? NaN), 2));
  }
  return drawn;
}
