// @ts-check
// Tables: sorted where they stand, taken along as files, and windowed where rows are many.

import { el, makeButton, unseen } from "./elements.js";
import { downloadTable } from "./files.js";

/** @typedef {import("./types").Child} Child */
/** @typedef {import("./types").TableColumn} TableColumn */

/** @param {HTMLTableCellElement} cell */
const readCell = (cell) => cell.dataset.v ?? cell.querySelector("bdi")?.textContent ?? cell.textContent ?? "";

/**
 * Let a table be sorted by its headings.
 * @param {HTMLTableElement} table
 */
export function sortTable(table) {
  const [body] = table.tBodies;
  const heads = [.../** @type {HTMLTableSectionElement} */ (table.tHead).rows[0].cells];
  heads.forEach((head, column) => {
    if (head.classList.contains("picture")) return;
    const button = el("button", { type: "button", class: "sort", onclick: sort }, [...head.childNodes]);
    head.replaceChildren(button);
    function sort() {
      const down = head.getAttribute("aria-sort") !== "descending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows].map((row) => ({ row, value: readCell(row.cells[column]) }));
      rows.sort((one, other) => {
        const order = compareCells(one.value, other.value);
        return down ? -order : order;
      });
      body.append(...rows.map(({ row }) => row));
    }
  });
}

/**
 * Order numbers by size and texts by the alphabet; what is missing is least.
 * @param {string} a
 * @param {string} b
 */
export function compareCells(a, b) {
  if (a === "" || b === "") return Number(a !== "") - Number(b !== "");
  return Number.isNaN(Number(a)) || Number.isNaN(Number(b)) ? a.localeCompare(b) : Number(a) - Number(b);
}

/**
 * Return the cells of a table, without pictures; intervals have columns of their own.
 * @param {HTMLTableElement} table
 */
export function readTable(table) {
  /** @param {HTMLTableRowElement} row */
  const cellsOf = (row) => [...row.cells].filter((cell) => !cell.classList.contains("picture"));
  const [first] = /** @type {HTMLTableSectionElement} */ (table.tHead).rows;
  const heads = cellsOf(first).map((cell) => (cell.textContent ?? "").trim());
  const rows = [...table.tBodies].flatMap((body) => [...body.rows].map(cellsOf));
  const isRange = heads.map((_, at) => rows.some((row) => row[at]?.dataset.low));
  return [
    heads.flatMap((head, at) => (isRange[at] ? [head, `${head} low`, `${head} high`] : [head])),
    ...rows.map((row) =>
      row.flatMap((cell, at) => {
        const { low = "", high = "" } = cell.dataset;
        return isRange[at] ? [readCell(cell).trim(), low, high] : [readCell(cell).trim()];
      }),
    ),
  ];
}

/**
 * Return a button that gives a table as a file.
 * @param {string} name
 * @param {() => Iterable<string[]>} rows
 * @param {"csv" | "tsv"} [kind]
 */
export const makeDownload = (name, rows, kind = "csv") =>
  makeButton([kind.toUpperCase(), unseen(` of ${name}`)], () => downloadTable(name, kind, rows()), { class: "quiet small csv" });

/** Lists of more rows are windowed. */
export const MOST_ROWS = 200;
// Rows that are drawn above and below those that can be seen.
const SPARE = 15;

/**
 * Return a table in which only the rows that can be seen are drawn, if they are many. All rows are
 * equally high. `show` gives it rows: their number, and the cells of one.
 * @param {{ columns: TableColumn[], label: string, sort?: (key: string) => void }} options
 */
export function makeWindowedTable({ columns, label, sort }) {
  const heads = columns.map(({ title, kind, key }) =>
    el("th", { scope: "col", class: kind },
      sort && key ? el("button", { type: "button", class: "sort", onclick: () => sort(key) }, title) : title));
  const body = el("tbody");
  const table = el("table", { class: "windowed" },
    el("colgroup", {}, columns.map(({ kind }) => el("col", { class: kind }))), el("thead", {}, el("tr", {}, heads)), body);
  const frame = el("div", { class: "scroll rows", tabindex: 0, role: "region", "aria-label": label, onscroll: draw }, table);
  const [above, below] = ["above", "below"].map(() => el("tr", { "aria-hidden": "true" }, el("td", { colspan: columns.length })));
  /** @type {Map<number, HTMLTableRowElement>} */
  const drawn = new Map();
  let [count, height] = [0, 32];
  let isMeasured = false;
  /** @type {(at: number) => Child[]} */
  let cellsOf = () => [];

  /** @param {number} at */
  function drawRow(at) {
    const cells = cellsOf(at).map((cell, column) => el(column ? "td" : "th", { class: columns[column].kind, scope: column ? null : "row" }, cell));
    return el("tr", { "aria-rowindex": at + 2 }, cells);
  }

  function draw() {
    const all = count <= MOST_ROWS;
    const first = all ? 0 : Math.max(0, Math.floor(frame.scrollTop / height) - SPARE);
    const last = all ? count : Math.min(count, Math.ceil((frame.scrollTop + (frame.clientHeight || 600)) / height) + SPARE);
    for (const [at, row] of drawn) {
      if (at >= first && at < last) continue;
      row.remove();
      drawn.delete(at);
    }
    // Rows that stay are not touched, and keep their focus.
    let next = below;
    for (let at = last - 1; at >= first; at--) {
      const row = drawn.get(at) ?? drawRow(at);
      if (!drawn.has(at)) next.before(row);
      drawn.set(at, row);
      next = row;
    }
    /** @type {[HTMLTableRowElement, number][]} */
    const rooms = [[above, first], [below, count - last]];
    for (const [row, rows] of rooms) {
      row.hidden = rows === 0;
      row.cells[0].style.blockSize = `${rows * height}px`;
    }
    // How high rows are is known once some are drawn; the room of the others follows, once.
    const measured = isMeasured ? 0 : drawn.values().next().value?.offsetHeight;
    if (!measured) return;
    [isMeasured, height] = [true, measured];
    draw();
  }

  return {
    element: frame,
    /**
     * @param {number} rows
     * @param {(at: number) => Child[]} cells
     * @param {{ key: string, down: boolean }} [order]
     */
    show(rows, cells, order) {
      [count, cellsOf, isMeasured] = [rows, cells, false];
      drawn.clear();
      body.replaceChildren(above, below);
      table.setAttribute("aria-rowcount", `${rows + 1}`);
      heads.forEach((head, at) => {
        head.removeAttribute("aria-sort");
        if (order && columns[at].key === order.key) head.setAttribute("aria-sort", order.down ? "descending" : "ascending");
      });
      frame.scrollTop = 0;
      draw();
    },
  };
}
