import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./made_up.js";

const { formatCount, formatDifference, formatNumber, replaceInvisible } = await load("figures");
const { formatCsv } = await load("files");
const { compareCells } = await load("table");
const { findProblem } = await load("upload");

test("numbers as pages show them", () => {
  assert.deepEqual([1.005, -2, NaN, null].map((value) => formatNumber(value)), ["1.00", "−2.00", "–", "–"]);
  assert.deepEqual([1.25, -0.001, -2, 0, undefined].map((value) => formatDifference(value, 1)), ["+1.3", "0.0", "−2.0", "0.0", "–"]);
  assert.deepEqual([0, 1, 1200].map((count) => formatCount(count, "segment")), ["0 segments", "1 segment", "1,200 segments"]);
  assert.equal(replaceInvisible("a\x07b\u2028"), "a\ufffdb\u2028");
});

test("tables with commas are quoted, and no cell is a formula", () => {
  const rows = [["a", 'say "x"', "1,5"], ["=1+1", "-3", "two\nlines"]];
  assert.equal(formatCsv(rows), '\ufeffa,"say ""x""","1,5"\r\n\'=1+1,-3,"two\nlines"\r\n');
});

test("cells are ordered by size, texts by the alphabet, missing ones first", () => {
  assert.deepEqual(["10", "9", "", "-1"].sort(compareCells), ["", "-1", "9", "10"]);
  assert.deepEqual(["b", "ä", "c", ""].sort(compareCells), ["", "ä", "b", "c"]);
});

test("files that do not fit have a sentence", () => {
  const rules = { accept: [".tsv", ".xlsx"], most: 1000, multiple: false };
  const file = (name, size = 1) => ({ name, size });
  assert.equal(findProblem([file("A.TSV")], rules), null);
  assert.match(findProblem([file("a.exe")], rules), /expected \.tsv, \.xlsx/);
  assert.match(findProblem([file("a.tsv", 2000)], rules), /2,000 bytes; at most 1,000/);
  assert.match(findProblem([file("a.tsv"), file("b.tsv")], rules), /2 files/);
  assert.equal(findProblem([file("any")], { accept: [], most: Infinity, multiple: true }), null);
});
