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
 * Return the ranks of a system's outputs among all outputs by a metric or by people (the last row),
 * from 0 for the worst to 1 for the best; equal scores share the rank in their middle.
 * @param {Columns} columns
 * @param {number} row
 * @param {number} system
 */
function rankOutputs(columns, row, system) {
  const { data, count, scores, people } = columns;
  const metric = data.metrics[row];
  /** @param {Float64Array} values */
  const rate = (values) => (!metric || (metric.up && metric.target === undefined) ? values : values.map((value) => orient(metric, value)));
  const systems = metric ? scores[row] : people ?? [];
  const order = computeOnce(columns, `pool ${row}`, () => {
    const all = new Float64Array(count * systems.length);
    systems.forEach((values, at) => all.set(rate(values), at * count));
    all.sort(); // what is missing is last
    return all.subarray(0, countLess(all, Infinity, true));
  });
  return computeOnce(columns, `ranks ${row} ${system}`, () =>
    rate(systems[system]).map((score) => {
      if (Number.isNaN(score)) return NaN;
      const less = countLess(order, score, false);
      const upTo = order[less + 1] === score ? countLess(order, score, true) : less + 1;
      return (less + upTo) / 2 / order.length;
    }));
}

/**
 * Return how many of sorted numbers are less than one, or as much.
 * @param {Float64Array} sorted
 * @param {number} number
 * @param {boolean} withEqual
 */
function countLess(sorted, number, withEqual) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] < number || (withEqual && sorted[middle] === number)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Return how far metrics, and people, disagree about each segment: by each of them, the rank of b's
 * output minus that of a's, or the rank alone where a is b; then the highest of these minus the
 * lowest, and the rows of both. Missing where fewer than two scored the segment.
 * @param {Columns} columns
 * @param {number} a
 * @param {number} b
 */
export function computeDisagreements(columns, a, b) {
  return computeOnce(columns, `disagreements ${a} ${b}`, () => {
    const gains = listScorers(columns).map((_, row) => {
      const [before, after] = [rankOutputs(columns, row, a), rankOutputs(columns, row, b)];
      return a === b ? after : after.map((rank, at) => rank - before[at]);
    });
    const lowest = new Uint16Array(columns.count);
    const highest = new Uint16Array(columns.count);
    const values = new Float64Array(columns.count).map((_, at) => {
      let count = 0;
      for (let row = 0; row < gains.length; row++) {
        const gain = gains[row][at];
        if (Number.isNaN(gain)) continue;
        if (!count || gain < gains[lowest[at]][at]) lowest[at] = row;
        if (!count || gain >= gains[highest[at]][at]) highest[at] = row;
        count++;
      }
      return count < 2 ? NaN : gains[highest[at]][at] - gains[lowest[at]][at];
    });
    return { gains, lowest, highest, values };
  });
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
