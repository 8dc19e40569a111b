// @ts-check
// What happens when a report opens.

import { makeDownload, readTable, sortTable } from "../../../kit/table.js";
import { makeThemeButton } from "../../../kit/theme.js";
import { mountExplorer } from "../../../kit/explorer/explorer.js";

/** @param {string} id */
const find = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

document.documentElement.classList.add("script");
find("menu").append(makeThemeButton());
for (const table of document.querySelectorAll("table")) {
  const { csv, sortable } = table.dataset;
  if (csv === undefined) continue;
  if (sortable !== undefined) sortTable(table);
  table.parentElement?.after(makeDownload(csv, () => readTable(table)));
}
mountExplorer(JSON.parse(find("data").textContent ?? ""), { list: find("segments"), page: find("segment"), rest: find("report") });
