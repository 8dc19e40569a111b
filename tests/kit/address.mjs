import assert from "node:assert/strict";
import test from "node:test";
import { ARABIC, CHINESE, load, makeData, makeRandom } from "./made_up.js";

const { makeView, readHash, readView, writeView } = await load("explorer/address");

const NAMES = ["a&b=c", ARABIC, `${CHINESE}?#`, "low:1", "x y+z", "%41"];
const data = makeData({ scores: [0, 1].map(() => NAMES.map(() => [1, 2])), documents: [`${ARABIC}&`, "d2"], document: [0, 1] });
data.systems = NAMES;

test("a view that was written is read again", () => {
  const random = makeRandom(5);
  const pick = (values) => values[Math.floor(random() * values.length)];
  for (let round = 0; round < 300; round++) {
    const view = {
      systems: [0, 1, 2, 3].slice(0, 2 + random() * 3).map(() => pick([0, 1, 2, 3, 4, 5])),
      metric: pick([0, 1]),
      sort: pick(["change", "worse", "low:3", "high:2", "disagree", "order"]),
      show: pick(["all", "better", "equal"]),
      document: pick([null, 0, 1]),
      least: pick([0, 5, 20]),
      query: pick(["", "a&b", "/x|y/", ARABIC, "100 %"]),
      layout: pick(["texts", "table"]),
      page: pick([0, 7]),
    };
    const hash = `#compare?${writeView(data, view)}`;
    assert.deepEqual(readView(data, readHash(hash, 2).parameters), view);
  }
});

test("the view with which a report opens needs no parameters", () => {
  assert.equal(writeView(data, makeView(data)), "");
  assert.deepEqual(readView(data, ""), makeView(data));
});

test("what the report does not have stays as it opens", () => {
  const odd = "system=nobody&metric=none&sort=low:nobody&show=few&document=&layout=x&page=-1&least=many&other=1";
  assert.deepEqual(readView(data, odd), makeView(data));
  assert.deepEqual(readView(data, "page=0&sort=changed"), makeView(data));
});

test("an address names a segment, a place or nothing", () => {
  assert.equal(readHash("#seg-12", 28).segment, 11);
  for (const hash of ["#seg-0", "#seg-29", "#seg-x", "#nowhere", "", "#seg-1234567890123"]) {
    assert.equal(readHash(hash, 28).segment, null);
  }
  assert.deepEqual(readHash("#compare?query=a?b", 28), { segment: null, place: "compare", parameters: "query=a?b" });
});
