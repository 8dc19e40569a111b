// @ts-check
// The frame of a chart: its title, a note, the picture, and the numbers folded below.

import { el } from "./elements.js";
import { makeDownload, readTable } from "./table.js";

/**
 * Return a picture with its title; a table of its numbers can be taken along.
 * @param {{ title: string, note?: string, picture: Element, table?: HTMLTableElement }} options
 */
export function frameChart({ title, note, picture, table }) {
  return el("figure", {},
    el("figcaption", {}, title, note ? el("span", { class: "note" }, note) : null),
    picture,
    table ? el("details", {}, el("summary", {}, "Data"), el("div", { class: "scroll" }, table), makeDownload(title, () => readTable(table))) : null);
}
