import assert from "node:assert/strict";
import test from "node:test";
import { ARABIC, CHINESE, load, LONG, makeData, makeRandom } from "./made_up.js";

const { makeColumns } = await load("explorer/columns");
const { makeView } = await load("explorer/address");
const { listSorts, parseQuery, selectRows } = await load("explorer/rows");

const COUNT = 100_000;
const random = makeRandom(4);
const draw = () => Array.from({ length: COUNT }, () => (random() < 0.01 ? null : Math.round(random() * 500) / 10));
const texts = [`one ${ARABIC}`, `two ${CHINESE}`, LONG, "four", "five words are in here"];
const large = makeData({
  scores: [[draw(), draw(), draw()]],
  outputs: [0, 1, 2].map((system) => Array.from({ length: COUNT }, (_, at) => texts[(at + system) % 5])),
  documents: ["x", "y"],
  document: Array.from({ length: COUNT }, (_, at) => Number(at % 3 === 0)),
});
const columns = makeColumns(large);
const usual = { ...makeView(large), least: 0 };
const select = (patch) => selectRows(columns, { ...usual, ...patch });
const gain = (at) => {
  const [before, after] = [large.scores[0][0][at], large.scores[0][1][at]];
  return before === null || after === null ? NaN : after - before;
};

test("100,000 rows are counted by kind", () => {
  const all = Array.from({ length: COUNT }, (_, at) => at);
  const { rows, counts } = select({});
  assert.equal(rows.length, COUNT);
  assert.equal(counts.all, COUNT);
  assert.equal(counts.better, all.filter((at) => gain(at) > 0).length);
  assert.equal(counts.worse, all.filter((at) => gain(at) < 0).length);
  assert.equal(counts.equal, all.filter((at) => gain(at) === 0).length);
  assert.deepEqual([...select({ show: "worse", sort: "order" }).rows], all.filter((at) => gain(at) < 0));
  assert.deepEqual([...select({ document: 1, sort: "order" }).rows], all.filter((at) => at % 3 === 0));
});

test("100,000 rows are sorted, equal ones in their order and missing ones last", () => {
  const expected = (key) =>
    Array.from({ length: COUNT }, (_, at) => ({ at, key: Number.isNaN(key(at)) ? Infinity : key(at) }))
      .sort((one, other) => (one.key === other.key ? one.at - other.at : one.key - other.key)).map(({ at }) => at);
  const score = (at, system) => large.scores[0][system][at] ?? NaN;
  assert.deepEqual([...select({ sort: "change" }).rows], expected((at) => -Math.abs(gain(at))));
  assert.deepEqual([...select({ sort: "better" }).rows], expected((at) => -gain(at)));
  assert.deepEqual([...select({ sort: "low:2" }).rows], expected((at) => score(at, 2)));
  assert.deepEqual([...select({ sort: "high:2" }).rows], expected((at) => -score(at, 2)));
  assert.deepEqual([...select({ sort: "long" }).rows], expected((at) => -large.outputs[1][at].length));
});

test("texts that are shown are searched, in every script", () => {
  const hits = (query, systems = [0, 1]) => select({ query, systems, sort: "order" }).rows;
  assert.deepEqual([...hits("FOUR", [0, 0])], Array.from({ length: COUNT / 5 }, (_, at) => 5 * at + 3));
  assert.equal(hits("four").length, 2 * COUNT / 5);
  assert.equal(hits("four", [0, 1, 2]).length, 3 * COUNT / 5);
  assert.equal(hits("السوق", [0, 0]).length, COUNT / 5);
  assert.equal(hits("终于", [0, 0]).length, COUNT / 5);
  assert.equal(hits("word699", [0, 0]).length, COUNT / 5);
  assert.equal(hits("/^f.*e$/", [0, 0]).length, COUNT / 5);
  assert.deepEqual([...hits("77777")], [77776]);
  assert.equal(hits("no such word").length, 0);
  const { problem, rows } = select({ query: "/(/" });
  assert.equal(rows.length, 0);
  assert.match(problem, /expression/);
});

test("signs of expressions are found as they are", () => {
  for (const text of ["a.b*c", "(x)", "[y]", "$5", "a\\b", "what?", "a/b", "^", "{}|+", "-"]) {
    assert.ok(parseQuery(text).test(`before ${text} after`), text);
    assert.ok(!parseQuery(text).test("xyz"), text);
  }
});

test("segments have so many words at least", () => {
  // A report without references counts the words of the longest output.
  assert.equal(select({ least: 5 }).rows.length, COUNT);
  const one = makeData({ scores: [[[1, 2, 3, 4]]], outputs: [["a b c", CHINESE, "", LONG]], refs: [["a b c d e", null, "a", "b"]] });
  assert.deepEqual([...selectRows(makeColumns(one), { ...makeView(one), least: 5 }).rows], [0]);
});

test("orders have names", () => {
  const names = (view) => listSorts(columns, { ...usual, ...view }).map(([, name]) => name);
  assert.deepEqual(names({}), ["largest change", "most improved", "most worsened", "worst in A", "worst in B", "longest", "order in the text"]);
  assert.ok(names({ sort: "low:2" }).includes("worst in c"));
  assert.ok(names({ sort: "high:0" }).includes("best in a"));
  const one = makeData({ scores: [[[1]], [[2]]] });
  assert.deepEqual(listSorts(makeColumns(one), makeView(one)).map(([, name]) => name),
    ["worst", "disagreement between metrics", "longest", "order in the text"]);
});
