// @ts-check
// Tables as files that a spreadsheet opens, made in the browser.

import { el } from "./elements.js";

// A spreadsheet would run a text that begins like a formula; formats/table.py has the same rules.
const FORMULA = /^'*[=+\-@\t\r]/;
const NUMBER = /^[+-](?:[\d.,]+(?:[eE][+-]?\d+)?|inf|nan)$/;

/**
 * Return a text that no spreadsheet takes for a formula; numbers stay.
 * @param {string} text
 */
export const escapeFormula = (text) => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);

/**
 * Return rows as a table with commas, and quotes where a cell needs them.
 * @param {Iterable<string[]>} rows
 */
export function formatCsv(rows) {
  /** @param {string} text */
  const quote = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  // Some spreadsheets take UTF-8 for something else without the mark.
  return "\ufeff" + join(rows, (cell) => quote(escapeFormula(cell)), ",", "\r\n");
}

/**
 * Return rows as a table with tabs, in which a cell has none and is on one line.
 * @param {Iterable<string[]>} rows
 */
export const formatTsv = (rows) => join(rows, (cell) => escapeFormula(cell.replace(/[\t\n\r]/g, " ")), "\t", "\n");

/**
 * @param {Iterable<string[]>} rows
 * @param {(cell: string) => string} format
 * @param {string} between
 * @param {string} end
 */
function join(rows, format, between, end) {
  const lines = [];
  for (const row of rows) lines.push(row.map(format).join(between) + end);
  return lines.join("");
}

const FORMATS = {
  csv: { format: formatCsv, type: "text/csv" },
  tsv: { format: formatTsv, type: "text/tab-separated-values" },
};

/**
 * Give the reader a table as a file.
 * @param {string} name without its ending
 * @param {"csv" | "tsv"} kind
 * @param {Iterable<string[]>} rows
 */
export function downloadTable(name, kind, rows) {
  const { format, type } = FORMATS[kind];
  const url = URL.createObjectURL(new Blob([format(rows)], { type }));
  el("a", { href: url, download: `${name.replace(/[^\w.-]+/g, "-")}.${kind}` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
