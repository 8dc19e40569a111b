// @ts-check
// The segments that a view shows, in its order.

import { computeDisagreements, computeGains, computeOnce, listScorers, orient } from "./columns.js";
import { hasWords } from "./words.js";

/** @typedef {import("./types").Columns} Columns */
/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Kind} Kind */

/** @type {Record<Kind, (gain: number) => boolean>} */
const KINDS = {
  all: () => true,
  better: (gain) => gain > 0,
  worse: (gain) => gain < 0,
  equal: (gain) => gain === 0,
};

/**
 * Return the orders that a view may have, with their names; `low:2` is worst in the system 2.
 * @param {Columns} columns
 * @param {View} view
 * @returns {[key: string, name: string][]}
 */
export function listSorts(columns, { systems, sort }) {
  const [a, b] = systems;
  const names = columns.data.systems;
  /** @type {[string, string, boolean][]} */
  const sorts = [
    ["change", "largest change", names.length > 1],
    ["better", "most improved", names.length > 1],
    ["worse", "most worsened", names.length > 1],
    [`low:${a}`, names.length > 1 ? "worst in A" : "worst", true],
    [`low:${b}`, "worst in B", b !== undefined && b !== a],
    [sort, `worst in ${names[Number(sort.slice(4))]}`, /^low:/.test(sort) && Number(sort.slice(4)) !== a && Number(sort.slice(4)) !== b],
    [sort, `best in ${names[Number(sort.slice(5))]}`, /^high:/.test(sort)],
    ["disagree", "disagreement between metrics", listScorers(columns).length > 1],
    ["long", "longest", true],
    ["order", "order in the text", true],
  ];
  return sorts.flatMap(([key, name, isPossible]) => (isPossible ? [[key, name]] : []));
}

/**
 * Return the numbers by which a view is sorted, the least first; what has none is last.
 * @param {Columns} columns
 * @param {View} view
 * @returns {(at: number) => number}
 */
function keyOf(columns, { sort, metric, systems: [a, b = a] }) {
  const gains = computeGains(columns, metric, a, b);
  const [key, system] = sort.split(":");
  const about = columns.data.metrics[metric];
  const scores = columns.scores[metric][Number(system)];
  switch (key) {
    case "change": return (at) => -Math.abs(gains[at]);
    case "better": return (at) => -gains[at];
    case "worse": return (at) => gains[at];
    case "low": return (at) => orient(about, scores[at]);
    case "high": return (at) => -orient(about, scores[at]);
    case "disagree": {
      const { values } = computeDisagreements(columns, a, b);
      return (at) => -values[at];
    }
    case "long": return (at) => -(columns.data.outputs[b][at] ?? "").length;
    default: return (at) => at;
  }
}

/**
 * Return all segments in the order of a view.
 * @param {Columns} columns
 * @param {View} view
 */
function sortRows(columns, view) {
  const { sort, metric, systems } = view;
  return computeOnce(columns, `order ${sort} ${metric} ${systems[0]} ${systems[1]}`, () => {
    const keyAt = keyOf(columns, view);
    const keys = Float64Array.from({ length: columns.count }, (_, at) => keyAt(at)).map((key) => (Number.isNaN(key) ? Infinity : key));
    const rows = Uint32Array.from(keys, (_, at) => at);
    return rows.sort((one, other) => keys[one] - keys[other] || one - other);
  });
}

/**
 * Return, for each segment, whether its longest reference, or output without any, has so many words.
 * @param {Columns} columns
 * @param {number} least
 */
function markLong(columns, least) {
  const { refs, outputs } = columns.data;
  const texts = refs.length ? refs : outputs;
  return computeOnce(columns, `least ${least}`, () =>
    Uint8Array.from({ length: columns.count }, (_, at) => Number(texts.some((text) => hasWords(text[at] ?? "", least)))));
}

/**
 * Return the expression of a query: the text itself, or what stands between slashes.
 * @param {string} query
 * @returns {RegExp}
 */
export function parseQuery(query) {
  const expression = /^\/(.+)\/$/.exec(query)?.[1] ?? query.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  return new RegExp(expression, "iu");
}

/**
 * Return, for each segment, whether a text that the view shows has the query, or its number is it.
 * @param {Columns} columns
 * @param {View} view
 */
function markHits(columns, { query, systems }) {
  const { source, refs, outputs } = columns.data;
  const expression = parseQuery(query);
  const number = Number(query) - 1;
  const streams = [...(source ? [source] : []), ...refs, ...systems.map((system) => outputs[system])];
  return Uint8Array.from({ length: columns.count }, (_, at) =>
    Number(at === number || streams.some((stream) => expression.test(stream[at] ?? ""))));
}

/**
 * Return the segments that pass a view's filters, in its order, and how many of each kind pass the others.
 * @param {Columns} columns
 * @param {View} view
 * @returns {import("./types").Selection}
 */
export function selectRows(columns, view) {
  const { document, least, show, metric, systems: [a, b = a] } = view;
  const query = view.query.trim();
  const counts = { all: 0, better: 0, worse: 0, equal: 0 };
  /** @type {Uint8Array | null} */
  let hits = null;
  try {
    hits = query ? markHits(columns, { ...view, query }) : null;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { rows: new Uint32Array(), counts, problem };
  }
  const long = least ? markLong(columns, least) : null;
  const gains = computeGains(columns, metric, a, b);
  const documents = columns.data.document;
  const rows = sortRows(columns, view).filter((at) => {
    if (document !== null && documents[at] !== document) return false;
    if ((long && !long[at]) || (hits && !hits[at])) return false;
    const gain = gains[at];
    counts.all++;
    if (gain > 0) counts.better++;
    else if (gain < 0) counts.worse++;
    else if (gain === 0) counts.equal++;
    return KINDS[show](gain);
  });
  return { rows, counts, problem: null };
}
