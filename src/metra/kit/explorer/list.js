// @ts-check
// The segments of a view: as texts, some at a time, or as a table with a row each.

import { el, makeButton } from "../elements.js";
import { formatDifference, formatNumber, replaceInvisible } from "../figures.js";
import { makeWindowedTable } from "../table.js";
import { computeDisagreements, computeGains, drawArrow, listScorers, nameDocument } from "./columns.js";
import { drawErrorList, drawGiven, drawPassage, drawScores, drawSystem, listErrors, makeMarkers } from "./passages.js";

/** @typedef {import("./types").Columns} Columns */
/** @typedef {import("./types").View} View */
/** @typedef {import("../types").Child} Child */
/** @typedef {import("../types").TableColumn} TableColumn */

/** Segments on a page of texts. */
export const PAGE = 10;

/** @param {number} at */
const link = (at, text = `Segment ${at + 1}`) => el("a", { href: `#seg-${at + 1}` }, text);

/**
 * Return a segment's texts, with the scores of the first two systems on top.
 * @param {Columns} columns
 * @param {View} view
 * @param {number} at
 */
export function drawCard(columns, { systems, metric, sort }, at) {
  const { data } = columns;
  const [a, b = null] = systems;
  const document = nameDocument(columns, at);
  const markers = makeMarkers(columns, at);
  const scores = drawScores(columns, at, b === null ? { a: null, b: a, metric } : { a, b, metric });
  const outputs = systems.map((system, index) => {
    const other = b === null ? null : data.outputs[index ? a : b][at];
    const mark = other === null ? markers.unmatched : (/** @type {string} */ part) => markers.differing(part, other);
    // Systems beyond the second are compared to the first, as it is.
    const more = index > 1 ? el("p", { class: "changes" }, drawScores(columns, at, { a, b: system, metric })) : null;
    return [
      el("dt", { class: "output" }, drawSystem(columns, system)),
      el("dd", { class: "output" }, drawPassage(data.outputs[system][at], mark), drawErrorList(listErrors(columns, system, at)), more),
    ];
  });
  return el("article", { class: "seg" },
    el("header", {},
      el("h3", {}, link(at)),
      document === null ? null : el("bdi", { class: "doc" }, replaceInvisible(document)),
      el("p", { class: "changes" }, scores, sort === "disagree" ? drawDisagreement(columns, a, b ?? a, at) : null)),
    el("dl", { class: "texts" }, drawGiven(columns, at, false), outputs));
}

/**
 * Return which metrics disagree most about a segment, by the ranks of the outputs among all.
 * @param {Columns} columns
 * @param {number} a
 * @param {number} b
 * @param {number} at
 */
function drawDisagreement(columns, a, b, at) {
  const { gains, highest, lowest, values } = computeDisagreements(columns, a, b);
  if (Number.isNaN(values[at])) return null;
  const names = listScorers(columns);
  const format = a === b ? formatNumber : formatDifference;
  const ends = [highest[at], lowest[at]].map((row) => `${names[row]} ${format(gains[row][at])}`);
  return el("span", { class: "score" }, el("span", { class: "spec" }, "disagreement "), el("b", {}, formatNumber(values[at])), ` (${ends.join(", ")})`);
}

/**
 * Return a table of the view's systems: scores by its metric, and the output of B.
 * @param {Columns} columns
 * @param {View} view
 * @param {(sort: string) => void} sort
 */
export function makeRowTable(columns, view, sort) {
  const { data, people } = columns;
  const { systems, metric } = view;
  const [a, b = a] = systems;
  const { spec, digits } = data.metrics[metric];
  const gains = computeGains(columns, metric, a, b);
  /** @type {[TableColumn, (at: number) => Child][]} */
  const parts = [
    [{ title: "segment", kind: "name", key: "order" }, (at) => link(at, String(at + 1))],
  ];
  if (data.documents.length > 1) parts.push([{ title: "document", kind: "name" }, (at) => el("bdi", {}, replaceInvisible(nameDocument(columns, at) ?? ""))]);
  for (const system of new Set(systems)) {
    const name = replaceInvisible(data.systems[system]);
    parts.push([{ title: name, kind: "num", key: `low:${system}` }, (at) => formatNumber(columns.scores[metric][system][at], digits)]);
  }
  if (a !== b) {
    const sign = (/** @type {number} */ at) => (gains[at] > 0 ? "▲ " : gains[at] < 0 ? "▼ " : "");
    const tone = (/** @type {number} */ at) => (gains[at] > 0 ? "better" : gains[at] < 0 ? "worse" : null);
    const scores = columns.scores[metric];
    parts.push([{ title: "change", kind: "num", key: "better" }, (at) =>
      el("span", { class: tone(at) }, sign(at), formatDifference(scores[b][at] - scores[a][at], digits))]);
  }
  if (people) parts.push([{ title: "people", kind: "num" }, (at) => formatNumber(people[b][at])]);
  parts.push([{ title: `output of ${replaceInvisible(data.systems[b])}`, kind: "wide" }, (at) =>
    el("span", { dir: "auto" }, replaceInvisible((data.outputs[b][at] ?? "").slice(0, 300)))]);
  const label = `Segments by ${spec} ${drawArrow(data.metrics[metric])}`;
  let sorted = view.sort;
  const table = makeWindowedTable({ columns: parts.map(([column]) => column), label, sort: (key) => sort(reverse(sorted, key)) });
  return {
    element: table.element,
    /** @param {Uint32Array} rows @param {string} order */
    show(rows, order) {
      sorted = order;
      table.show(rows.length, (row) => parts.map(([, draw]) => draw(rows[row])), readOrder(order));
    },
  };
}

/** @param {string} now @param {string} key */
function reverse(now, key) {
  if (now !== key) return key;
  return key === "better" ? "worse" : key.replace(/^low/, "high");
}

/** @param {string} sort */
const readOrder = (sort) => ({
  key: sort === "worse" ? "better" : sort.replace(/^high/, "low"),
  down: sort === "better" || sort.startsWith("high"),
});

/**
 * Return the rows of a view as a table for a file: texts, and scores by all metrics.
 * @param {Columns} columns
 * @param {View} view
 * @param {Uint32Array} rows
 * @returns {Generator<string[]>}
 */
export function* listCells({ data, scores, people }, { systems }, rows) {
  const number = (/** @type {number} */ value) => (Number.isNaN(value) ? "" : String(value));
  const chosen = [...new Set(systems)];
  /** @type {[string, (at: number) => string | null | undefined][]} */
  const cells = [["segment", (at) => String(at + 1)]];
  if (data.documents.length) cells.push(["document", (at) => data.documents[data.document[at]]]);
  if (data.source) cells.push(["source", (at) => data.source?.[at]]);
  data.refs.forEach((ref, index) => cells.push([data.refs.length > 1 ? `reference ${index + 1}` : "reference", (at) => ref[at]]));
  for (const system of chosen) {
    const name = data.systems[system];
    cells.push([`output of ${name}`, (at) => data.outputs[system][at]]);
    data.metrics.forEach(({ spec }, metric) => cells.push([`${spec} of ${name}`, (at) => number(scores[metric][system][at])]));
    if (people) cells.push([`people of ${name}`, (at) => number(people[system][at])]);
  }
  yield cells.map(([heading]) => heading);
  for (const at of rows) yield cells.map(([, read]) => read(at) ?? "");
}

/**
 * Return the ways between pages of texts; `update` says where one is, of how many rows.
 * @param {string} label
 * @param {(page: number) => void} go
 */
export function makePager(label, go) {
  let [page, pages] = [0, 1];
  /** @param {string} text @param {number} step */
  const button = (text, step) => makeButton(text, () => page + step >= 0 && page + step < pages && go(page + step));
  const [back, on] = [button("← Previous", -1), button("Next →", 1)];
  const status = el("span");
  const element = el("nav", { class: "pager", "aria-label": label }, back, status, on);
  return {
    element,
    /** @param {number} now @param {number} count */
    update(now, count) {
      [page, pages] = [now, Math.max(1, Math.ceil(count / PAGE))];
      status.textContent = `page ${page + 1} of ${pages}`;
      element.hidden = pages === 1;
      back.setAttribute("aria-disabled", String(page === 0));
      on.setAttribute("aria-disabled", String(page + 1 === pages));
    },
  };
}
