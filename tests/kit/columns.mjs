import assert from "node:assert/strict";
import test from "node:test";
import { load, makeData, makeRandom } from "./made_up.js";

const { computeDisagreements, computeGains, listNeighbours, makeColumns, orient } = await load("explorer/columns");

test("gains have the direction of the metric", () => {
  const data = makeData({ scores: [[[1, 5, null], [3, 5, 2]]] });
  assert.deepEqual([...computeGains(makeColumns(data), 0, 0, 1)], [2, 0, NaN]);
  data.metrics[0].up = false;
  assert.deepEqual([...computeGains(makeColumns(data), 0, 0, 1)], [-2, 0, NaN]);
  data.metrics[0].target = 2;
  assert.deepEqual([...computeGains(makeColumns(data), 0, 0, 1)], [0, 0, NaN]);
  assert.equal(orient({ target: 2 }, 5), -3);
});

// The share of outputs with less, and half of those with as much.
function rankSlowly(systems) {
  const all = systems.flat().filter((score) => score !== null);
  const share = (score) => (all.filter((other) => other < score).length + all.filter((other) => other <= score).length) / 2 / all.length;
  return systems.map((system) => system.map((score) => (score === null ? null : share(score))));
}

test("disagreement is that of ranks", () => {
  const random = makeRandom(3);
  const draw = () => [0, 1, 2].map(() => Array.from({ length: 12 }, () => (random() < 0.1 ? null : Math.round(random() * 6))));
  const data = makeData({ scores: [draw(), draw()], people: draw() });
  data.metrics[1].up = false;
  const columns = makeColumns(data);
  const lower = data.scores[1].map((system) => system.map((score) => (score === null ? null : -score)));
  const ranks = [data.scores[0], lower, data.people].map(rankSlowly);
  for (const [a, b] of [[0, 1], [2, 0], [1, 1]]) {
    for (let at = 0; at < 12; at++) {
      const values = ranks.filter((row) => row[a][at] !== null && row[b][at] !== null)
        .map((row) => (a === b ? row[b][at] : row[b][at] - row[a][at]));
      const expected = values.length < 2 ? null : Math.max(...values) - Math.min(...values);
      const value = computeDisagreements(columns, a, b).values[at];
      if (expected === null) assert.equal(value, NaN);
      else assert.ok(Math.abs(value - expected) < 1e-12);
    }
  }
});

test("neighbours are of the same document, also where documents are mixed", () => {
  const data = makeData({ scores: [[Array(7).fill(0)]], documents: ["x", "y"], document: [0, 1, 0, 0, 1, 0, 0] });
  const columns = makeColumns(data);
  assert.deepEqual(listNeighbours(columns, 3, 2), [0, 2, 3, 5, 6]);
  assert.deepEqual(listNeighbours(columns, 1, 9), [1, 4]);
});
