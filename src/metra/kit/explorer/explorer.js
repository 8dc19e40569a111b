// @ts-check
// The explorer of segments: filters, a list, and a page for each segment. What is shown is in the
// address; `update` changes it.

import { el, makeButton } from "../elements.js";
import { formatCount, formatDifference, formatNumber, replaceInvisible } from "../figures.js";
import { makeFilterBar } from "../filters.js";
import { makeDownload } from "../table.js";
import { showToast } from "../toast.js";
import { readHash, readView, writeView } from "./address.js";
import { drawArrow, makeColumns } from "./columns.js";
import { drawCard, listCells, makePager, makeRowTable, PAGE } from "./list.js";
import { listSorts, selectRows } from "./rows.js";
import { drawSegment, makeChoices } from "./segment.js";

/** @typedef {import("./types").Columns} Columns */
/** @typedef {import("./types").View} View */

const WORDS = [0, 5, 10, 20];

/**
 * Fill `list` with the segments of a report, and `page` with one segment while the address names one;
 * the `rest` of the page is hidden then.
 * @param {import("./types").ReportData} data
 * @param {{ list: HTMLElement, page: HTMLElement, rest: HTMLElement }} places
 */
export function mountExplorer(data, { list, page, rest }) {
  const columns = makeColumns(data);
  const several = data.systems.length > 1;
  const choices = makeChoices(columns);
  const { title } = document;
  let view = readView(data, readHash(location.hash, columns.count).parameters ?? "");
  let selection = selectRows(columns, view);
  let table = makeRowTable(columns, view, sort);
  let tabled = "";

  const status = el("p", { class: "status", role: "status" });
  const whole = el("p", { class: "whole" });
  const place = el("div", { class: "cards" });
  const pagers = ["Pages, above", "Pages, below"].map((label) => makePager(label, (now) => {
    update({ page: now });
    above.scrollIntoView({ block: "start" });
  }));
  function listSaved() {
    showToast(`${formatCount(selection.rows.length, "segment")} saved.`);
    return listCells(columns, view, selection.rows);
  }
  const layout = makeButton("", () => update({ layout: view.layout === "table" ? "texts" : "table" }));
  const above = el("div", { class: "above" }, status,
    el("div", { class: "files" }, layout, makeDownload("segments", listSaved), makeDownload("segments", listSaved, "tsv")), pagers[0].element);
  const bar = makeFilterBar(listFilters(columns, () => view, swap), (key, value) => update(readFilter(view, key, value)));
  list.replaceChildren(bar.element, whole, above, place, pagers[1].element);

  function swap() {
    const [a, b, ...more] = view.systems;
    update({ systems: [b, a, ...more] });
  }

  /** @param {string} key */
  function sort(key) {
    update({ sort: key });
  }

  /** @param {Partial<View>} patch */
  function update(patch) {
    view = { ...view, page: 0, ...patch };
    draw();
    history.replaceState(null, "", writeAddress());
  }

  function writeAddress() {
    const parameters = writeView(data, view);
    return `#${list.closest("section")?.id ?? list.id}${parameters && `?${parameters}`}`;
  }

  function draw() {
    selection = selectRows(columns, view);
    const { rows, counts, problem } = selection;
    const { length } = rows;
    view.page = Math.min(view.page, Math.max(0, Math.ceil(length / PAGE) - 1));
    bar.update(listValues(view), counts);
    const isTable = view.layout === "table";
    const first = isTable ? 0 : view.page * PAGE;
    const last = isTable ? length : Math.min(length, first + PAGE);
    if (isTable) showTable();
    else place.replaceChildren(...Array.from(rows.subarray(first, last), (at) => drawCard(columns, view, at)));
    layout.textContent = isTable ? "Show texts" : "Show table";
    status.textContent = problem ? `The search cannot be read: ${problem}.`
      : length ? `${(first + 1).toLocaleString("en")}–${last.toLocaleString("en")} of ${formatCount(length, "segment")}`
      : "No segment matches; change the search or the filter.";
    whole.textContent = several ? describeWhole(columns, view) : "";
    for (const pager of pagers) pager.update(view.page, isTable ? 0 : length);
  }

  // The table stays, with the focus in its headings, while its columns stay.
  function showTable() {
    const key = `${view.systems} ${view.metric}`;
    if (tabled !== (tabled = key)) table = makeRowTable(columns, view, sort);
    if (table.element.parentElement !== place || place.children.length > 1) place.replaceChildren(table.element);
    table.show(selection.rows, view.sort);
  }

  function follow() {
    const { segment, place: name, parameters } = readHash(location.hash, columns.count);
    if (parameters !== null) {
      view = readView(data, parameters);
      draw();
    }
    rest.hidden = segment !== null;
    page.hidden = segment === null;
    document.body.classList.toggle("one", segment !== null);
    if (segment === null) {
      page.replaceChildren();
      document.title = title;
      if (name) document.getElementById(name)?.scrollIntoView();
      return;
    }
    document.title = `Segment ${segment + 1} – ${title}`;
    page.replaceChildren(...drawSegment(columns, segment, { choices, listed: selection.rows, list: writeAddress() }));
    scrollTo(0, 0);
    page.querySelector("h1")?.focus({ preventScroll: true });
  }

  draw();
  addEventListener("hashchange", follow);
  follow();
}

/**
 * @param {Columns} columns
 * @param {() => View} getView
 * @param {() => void} swap
 * @returns {Parameters<typeof makeFilterBar>[0]}
 */
function listFilters(columns, getView, swap) {
  const { data } = columns;
  const several = data.systems.length > 1;
  /** @type {(names: string[]) => [string, string][]} */
  const number = (names) => names.map((name, at) => [`${at}`, replaceInvisible(name)]);
  const systems = number(data.systems);
  const swapButton = el("button", { type: "button", class: "quiet swap", title: "Swap A and B", onclick: swap }, "⇄",
    el("span", { class: "unseen" }, "Swap A and B"));
  return [
    several ? { kind: "select", key: "a", label: "A", options: systems, class: "field system" } : null,
    several ? swapButton : null,
    several ? { kind: "select", key: "b", label: "B", options: systems, class: "field system" } : null,
    { kind: "select", key: "metric", label: "metric", options: number(data.metrics.map((metric) => `${metric.spec} ${drawArrow(metric)}`)) },
    { kind: "select", key: "sort", label: "sort by", options: () => listSorts(columns, getView()) },
    data.documents.length > 1 ? { kind: "select", key: "document", label: "document", options: [["", "all"], ...number(data.documents)] } : null,
    { kind: "select", key: "least", label: data.refs.length ? "reference" : "output",
      options: WORDS.map((least) => [`${least}`, least ? `at least ${least} words` : "any length"]) },
    { kind: "search", key: "query", label: "search", placeholder: "text, /expression/ or number" },
    several ? { kind: "pills", key: "show", label: "Segments to show",
      options: [["all", "all"], ["better", "better in B"], ["worse", "worse in B"], ["equal", "equal"]] } : null,
    data.systems.length > 2 ? { kind: "boxes", key: "more", label: "More systems", options: systems } : null,
  ];
}

/**
 * Return a view as values of the filters.
 * @param {View} view
 */
function listValues({ systems: [a, b, ...more], document, ...view }) {
  const fixed = [`${a}`, `${b}`];
  return { ...view, a: `${a}`, b: `${b}`, document: document === null ? "" : `${document}`, more: { chosen: more.map(String), fixed } };
}

/**
 * Return what a filter's value changes in a view.
 * @param {View} view
 * @param {string} key
 * @param {any} value
 * @returns {Partial<View>}
 */
function readFilter({ systems: [a, b, ...more] }, key, value) {
  const compare = (/** @type {number} */ one, /** @type {number} */ other, /** @type {number[]} */ others) =>
    ({ systems: [one, other, ...others.filter((system) => system !== one && system !== other)] });
  switch (key) {
    case "a": return compare(Number(value), b, more);
    case "b": return compare(a, Number(value), more);
    case "more": return compare(a, b, value.map(Number));
    case "document": return { document: value === "" ? null : Number(value) };
    case "metric": case "least": return { [key]: Number(value) };
    default: return { [key]: value };
  }
}

/**
 * Return a sentence about the first two systems on the whole test set, and whether they differ.
 * @param {Columns} columns
 * @param {View} view
 */
function describeWhole({ data }, { metric, systems: [a, b] }) {
  const { spec, digits } = data.metrics[metric];
  const [before, after] = [data.corpus[metric][a], data.corpus[metric][b]];
  const text = `${spec} on the whole test set: ${formatNumber(before, digits)} → ${formatNumber(after, digits)}, ${formatDifference(after - before, digits)}`;
  for (const { about, comparisons } of data.families) {
    const comparison = comparisons.find(([index, one, other]) =>
      index === metric && ((one === a && other === b) || (one === b && other === a)));
    if (!comparison) continue;
    const [, one, , , low, high, , p] = comparison;
    const [from, to] = one === a ? [low, high] : [high, low].map((end) => end && -end);
    const interval = low === null ? "" : ` (95% interval ${formatDifference(from, digits)} to ${formatDifference(to, digits)})`;
    const test = p === null ? "; not enough data for a test"
      : `; p ${p < 0.001 ? "< 0.001" : `= ${p.toFixed(3)}`} with Holm's correction for ${about}`;
    return `${text}${interval}${test}.`;
  }
  return `${text}.`;
}
