// @ts-check
// The explorer of segments, over the runs that the address names.

import { mountExplorer } from "../kit/explorer/explorer.js";

/** @param {string} id */
const find = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const list = find("segments");
const reply = await fetch(list.dataset.source ?? "");
if (reply.ok) mountExplorer(await reply.json(), { list, page: find("segment"), rest: find("rest") });
else list.textContent = (await reply.text()).includes("no scores") ? "The runs are not scored yet." : "The segments cannot be loaded; reload the page.";
