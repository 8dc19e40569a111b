// Every element of the kit on one page, for the pictures of docs/kit.md and for tests.

import { frameChart } from "/kit/chart.js";
import { openDialog } from "/kit/dialog.js";
import { el, labelField, makeButton } from "/kit/elements.js";
import { makeFilterBar } from "/kit/filters.js";
import { makeProgress } from "/kit/progress.js";
import { makeDownload, makeWindowedTable, readTable, sortTable } from "/kit/table.js";
import { showToast } from "/kit/toast.js";
import { makeUpload } from "/kit/upload.js";

const COLOURS = ["paper", "sheet", "ink", "soft", "rule", "edge", "mark", "mark-wash", "other", "other-wash", "amber", "focus", "choice"];
const ROWS = 10_000;

const svg = (name, attributes, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

const show = (name, ...parts) => document.querySelector("main").append(el("section", { id: name }, el("h2", {}, name), parts));

const makeTable = () =>
  el("table", {},
    el("caption", {}, "Scores of two systems"),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "system"), el("th", { scope: "col", class: "num" }, "chrf ↑"))),
    el("tbody", {}, [["solid", 62.6], ["terse", 45.2], ["قصير", 51.3]].map(([name, score]) =>
      el("tr", {}, el("th", { scope: "row" }, el("bdi", {}, name)), el("td", { class: "num", "data-v": score }, score.toFixed(2))))));

show("colours", el("ul", { class: "swatches" }, COLOURS.map((name) => {
  const swatch = el("i");
  swatch.style.background = `var(--${name})`;
  return el("li", {}, swatch, name);
})));
show("buttons", el("p", { class: "ways" },
  el("button", { class: "primary" }, "Import"), el("button", { class: "quiet" }, "Cancel"),
  makeButton("Small", () => {}), el("button", { class: "quiet", disabled: true }, "Disabled")));
show("fields", el("div", { class: "ways" },
  labelField("Name", el("input", { value: "newstest" })),
  labelField("Role", el("select", {}, el("option", {}, "reference"), el("option", {}, "system"))),
  el("label", { class: "check" }, el("input", { type: "checkbox", checked: true }), "Withhold references")));

const bar = makeFilterBar([
  { kind: "select", key: "metric", label: "metric", options: [["0", "bleu ↑"], ["1", "chrf ↑"]] },
  { kind: "search", key: "query", label: "search", placeholder: "text, /expression/ or number" },
  { kind: "pills", key: "show", label: "Segments to show", options: [["all", "all"], ["better", "better in B"]] },
  { kind: "boxes", key: "more", label: "More systems", options: [["0", "solid"], ["1", "terse"]] },
], (key, value) => (document.body.dataset.changed = `${key}=${value}`));
bar.update({ metric: "1", query: "", show: "all", more: { chosen: ["1"], fixed: ["0"] } }, { all: 2140, better: 1203 });
show("filters", bar.element);

const table = makeTable();
sortTable(table);
show("table", el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Scores" }, table), makeDownload("scores", () => readTable(table)));

const rows = makeWindowedTable({
  columns: [{ title: "segment", kind: "name", key: "order" }, { title: "score", kind: "num", key: "score" }, { title: "output", kind: "wide" }],
  label: `${ROWS.toLocaleString("en")} segments`,
  sort: (key) => (document.body.dataset.sorted = key),
});
show("windowed", rows.element);
rows.show(ROWS, (at) => [el("a", { href: `#${at + 1}` }, `${at + 1}`), ((at * 37) % 101).toFixed(1), `The output of segment ${at + 1}`], { key: "order", down: false });

const bars = [62, 45, 51].map((value, at) => svg("rect", { class: "bar", x: 20 + at * 90, y: 100 - value, width: 60, height: value }));
const axis = svg("line", { class: "axis", x1: 0, x2: 300, y1: 100, y2: 100 });
show("chart", frameChart({
  title: "Scores by chrf",
  note: "three systems",
  picture: svg("svg", { class: "chart", viewBox: "0 0 300 110", role: "img", "aria-label": "Bars of three systems" }, ...bars, axis),
  table: makeTable(),
}));

show("upload", makeUpload({
  label: "Drop a spreadsheet or outputs here, or choose files",
  hint: ".tsv, .csv, .xlsx or .txt; nothing is stored before you import.",
  accept: [".tsv", ".csv", ".xlsx", ".txt"],
  most: 1_000_000,
  multiple: true,
  take: (files) => showToast(`${files.map(({ name }) => name).join(", ")} received.`),
  refuse: showToast,
}));

const [job, other] = [makeProgress("Scoring with chrf"), makeProgress("Reading the file")];
job.update({ done: 1200, of: 3000 });
other.update({ done: 812 });
window.job = job;
show("progress", job.element, other.element);
show("toast", makeButton("Show a toast", () => showToast("3 runs deleted.")));
show("dialog", makeButton("Delete…", () =>
  openDialog("Delete 3 runs?", () => (document.body.dataset.closed = "yes"),
    el("p", {}, "Their scores and 12 notes are deleted too. Judgements stay with their campaigns."),
    el("form", { method: "dialog", class: "ways" }, el("button", { class: "primary" }, "Delete"), el("button", { class: "quiet", autofocus: true }, "Keep")))));
