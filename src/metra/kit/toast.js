// @ts-check
// A sentence at the edge of the page that goes by itself; screen readers say it.

import { el } from "./elements.js";

const SECONDS = 5;

/** @type {HTMLElement | null} */
let place = null;

/**
 * Show a sentence for a while, or until it is pressed.
 * @param {string} sentence
 */
export function showToast(sentence) {
  // A live region is heard only if it was there before its words.
  if (!place?.isConnected) document.body.append((place = el("div", { class: "toasts", role: "status" })));
  const toast = el("p", { class: "toast", onclick: () => toast.remove() }, sentence);
  place.append(toast);
  let left = setTimeout(() => toast.remove(), SECONDS * 1000);
  toast.addEventListener("pointerenter", () => clearTimeout(left));
  toast.addEventListener("pointerleave", () => (left = setTimeout(() => toast.remove(), SECONDS * 1000)));
  return toast;
}
