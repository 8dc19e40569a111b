// @ts-check
// Dialogs in the middle of the page.

import { el, freshId } from "./elements.js";

/** @typedef {import("./types").Child} Child */

/**
 * Open a dialog. Its button, Escape and `leave` close it at once and call `closed`: the browser
 * reports "close" later, and a key pressed in between would go to the hidden form.
 * @param {string} title
 * @param {(() => void) | null} closed
 * @param {Child[]} children
 */
export function openDialog(title, closed, ...children) {
  const dialog = show(title, children);
  const leave = () => {
    if (!dialog.isConnected) return;
    dialog.close();
    dialog.remove();
    closed?.();
  };
  dialog.addEventListener("submit", (event) => (event.preventDefault(), leave()));
  for (const kind of ["cancel", "close"]) dialog.addEventListener(kind, leave);
  return Object.assign(dialog, { leave });
}

/**
 * Open a dialog that Escape does not close; only `finish` does.
 * @param {string} title
 * @param {Child[]} children
 */
export function openInsistingDialog(title, ...children) {
  const dialog = show(title, children);
  let finished = false;
  dialog.addEventListener("keydown", (event) => event.key === "Escape" && event.preventDefault());
  dialog.addEventListener("close", () => finished || dialog.showModal());
  const finish = () => {
    finished = true;
    dialog.close();
    dialog.remove();
  };
  return Object.assign(dialog, { finish });
}

/**
 * @param {string} title
 * @param {Child[]} children
 */
function show(title, children) {
  const heading = el("h2", { id: freshId("title") }, title);
  const dialog = el("dialog", { "aria-labelledby": heading.id }, heading, children);
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
