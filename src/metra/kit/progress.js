// @ts-check
// How far a job is, as it goes on.

import { el, freshId } from "./elements.js";

/**
 * Return a bar with its sentence; `update` shows how much is done, of how much if that is known.
 * @param {string} label
 */
export function makeProgress(label) {
  const id = freshId("progress");
  const bar = el("progress", { id, max: 1 });
  const status = el("span", { class: "note", role: "status" });
  const element = el("div", { class: "job" }, el("label", { for: id }, label), bar, status);
  return {
    element,
    /** @param {{ done: number, of?: number | null, sentence?: string }} state */
    update({ done, of = null, sentence }) {
      if (of) bar.value = Math.min(1, done / of);
      else bar.removeAttribute("value");
      status.textContent = sentence ?? (of ? `${done.toLocaleString("en")} of ${of.toLocaleString("en")}` : done.toLocaleString("en"));
      element.classList.toggle("done", Boolean(of && done >= of));
    },
  };
}
