// @ts-check
// Scores as columns, and what follows from them: gains, ranks, disagreement, documents.

/** @typedef {import("./types").Columns} Columns */
/** @typedef {import("./types").Metric} Metric */

/**
 * Return the data of a report with its scores in typed arrays.
 * @param {import("./types").ReportData} data
 * @returns {Columns}
 */
export function makeColumns(data) {
  /** @param {(number | null)[][]} systems */
  const pack = (systems) => systems.map((scores) => Float64Array.from(scores, (score) => score ?? NaN));
  return {
    data,
    count: data.outputs[0].length,
    scores: data.scores.map(pack),
    people: data.people && pack(data.people),
    computed: new Map(),
  };
}

/**
 * Return what is computed once for a key.
 * @template Value
 * @param {Columns} columns
 * @param {string} key
 * @param {() => Value} compute
 * @returns {Value}
 */
export function computeOnce({ computed }, key, compute) {
  if (!computed.has(key)) computed.set(key, compute());
  return computed.get(key);
}

/**
 * Return a score for which higher is better, whichever way the metric points.
 * @param {Metric} metric
 * @param {number} score
 */
export function orient({ up, target }, score) {
  if (target !== undefined) return -Math.abs(score - target);
  return up ? score : -score;
}

/**
 * Return the arrow of a metric.
 * @param {Metric} metric
 */
export function drawArrow({ up, target }) {
  if (target !== undefined) return `→${target}`;
  return up ? "↑" : "↓";
}

/**
 * Return how much better b's scores are than a's, by segment.
 * @param {Columns} columns
 * @param {number} metric
 * @param {number} a
 * @param {number} b
 */
export function computeGains(columns, metric, a, b) {
  return computeOnce(columns, `gains ${metric} ${a} ${b}`, () => {
    const [before, after] = [columns.scores[metric][a], columns.scores[metric][b]];
    const about = columns.data.metrics[metric];
    return before.map((score, at) => orient(about, after[at]) - orient(about, score));
  });
}

/**
 * Return the rank of every output among all outputs by a metric or by people (the last row),
 * from 0 for the worst to 1 for the best; equal scores share the rank in their middle.
 * @param {Columns} columns
 * @param {number} row
 */
function rankOutputs(columns, row) {
  return computeOnce(columns, `ranks ${row}`, () => {
    const { metrics } = columns.data;
    const scores = row < metrics.length ? columns.scores[row] : columns.people ?? [];
    /** @param {number} score */
    const rate = (score) => (row < metrics.length ? orient(metrics[row], score) : score);
    const rated = scores.map((system) => system.map(rate));
    const order = Float64Array.from(rated.flatMap((system) => Array.from(system.filter((score) => !Number.isNaN(score))))).sort();
    /** @type {Map<number, number>} */
    const ranks = new Map();
    for (let first = 0; first < order.length; ) {
      let last = first;
      while (last + 1 < order.length && order[last + 1] === order[first]) last++;
      ranks.set(order[first], (first + last + 1) / 2 / order.length);
      first = last + 1;
    }
    return rated.map((system) => system.map((score) => ranks.get(score) ?? NaN));
  });
}

/**
 * Return how far metrics, and people, disagree about a segment: by each of them, the rank of b's
 * output minus that of a's, or the rank alone where a is b; then the highest of these minus the
 * lowest. Null where fewer than two scored the segment.
 * @param {Columns} columns
 * @param {number} a
 * @param {number} b
 * @param {number} at
 * @returns {import("./types").Disagreement | null}
 */
export function findDisagreement(columns, a, b, at) {
  const names = listScorers(columns);
  let [low, high, count] = [0, 0, 0];
  const values = names.map((_, row) => {
    const ranks = rankOutputs(columns, row);
    return a === b ? ranks[b][at] : ranks[b][at] - ranks[a][at];
  });
  values.forEach((value, row) => {
    if (Number.isNaN(value)) return;
    if (count === 0 || value < values[low]) low = row;
    if (count === 0 || value >= values[high]) high = row;
    count += 1;
  });
  if (count < 2) return null;
  /** @param {number} row */
  const name = (row) => ({ name: names[row], value: values[row] });
  return { lowest: name(low), highest: name(high), value: values[high] - values[low] };
}

/** @param {Columns} columns */
export const listScorers = ({ data }) => [...data.metrics.map(({ spec }) => spec), ...(data.people ? ["people"] : [])];

/**
 * Return the name of a segment's document.
 * @param {Columns} columns
 * @param {number} at
 */
export const nameDocument = ({ data }, at) => (data.documents.length ? data.documents[data.document[at]] : null);

/**
 * Return the segments of a segment's document around it, itself included.
 * @param {Columns} columns
 * @param {number} at
 * @param {number} reach how many on either side
 */
export function listNeighbours({ data, count }, at, reach) {
  /** @param {number} step */
  const look = (step) => {
    const rows = [];
    for (let next = at + step; next >= 0 && next < count && rows.length < reach; next += step) {
      if (data.document[next] === data.document[at]) rows.push(next);
    }
    return rows;
  };
  return [...look(-1).reverse(), at, ...look(1)];
}
