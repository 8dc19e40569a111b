// Keys: single characters work only outside text fields and can be switched off; the list of
// keys shows what works at the moment.

import { openDialog } from "../kit/dialog.js";
import { el, freshId } from "../kit/elements.js";
import { t } from "./strings.js";

const SWITCH = "metra-single-keys";
const TYPING = "textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=range], [type=button])";
const PRESSED_BY_ENTER = "button, a, summary, textarea, select, dialog *";
const scopes = new Set();

export const singleKeys = () => localStorage.getItem(SWITCH) !== "off";

// A scope holds the keys of one part of the page: `on` makes a key work, `note` only lists it.
export function scope() {
  const mine = { keys: new Map(), lines: [], awake: true };
  scopes.add(mine);
  return {
    on(key, action, label) {
      mine.keys.set(key.toLowerCase(), action);
      if (label) mine.lines.push([key, label]);
    },
    note: (key, label) => mine.lines.push([key, label]),
    wake: (awake) => (mine.awake = awake),
    destroy: () => scopes.delete(mine),
  };
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) return run("ctrl+enter", event);
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Enter") {
    if (!event.target.closest(PRESSED_BY_ENTER)) run("enter", event);
    return;
  }
  if (!singleKeys() || event.target.closest(TYPING)) return;
  run(event.key.toLowerCase(), event);
});

function run(key, event) {
  if (event.repeat && key.length > 1) return;
  for (const mine of [...scopes].reverse()) {
    const action = mine.awake && mine.keys.get(key);
    if (action && action(event) !== false) {
      event.preventDefault();
      return;
    }
  }
}

export function showKeys() {
  const rows = [...scopes].filter((mine) => mine.awake).flatMap((mine) => mine.lines);
  const id = freshId("switch");
  const box = el("input", { type: "checkbox", id, checked: singleKeys() });
  box.addEventListener("change", () => localStorage.setItem(SWITCH, box.checked ? "on" : "off"));
  return openDialog(
    t("keys.title"),
    null,
    el("dl", { class: "keys" }, ...rows.flatMap(([key, label]) => [el("dt", {}, ...caps(key)), el("dd", {}, label)])),
    el("p", { class: "check" }, box, el("label", { for: id }, t("keys.switch"))),
    el("p", { class: "note" }, t("keys.switch_hint")),
    el(
      "form",
      { method: "dialog", class: "ways" },
      el("button", { class: "primary", autofocus: true }, t("page.close")),
    ),
  );
}

const NAMES = { enter: "keys.enter", backspace: "keys.backspace", delete: "keys.delete", shift: "keys.shift" };

// "Shift+→" as keys to look at.
function caps(key) {
  return key.split(/(?<=.)\+(?=.)/).flatMap((part, at) => [
    ...(at ? [" + "] : []),
    el("kbd", {}, NAMES[part.toLowerCase()] ? t(NAMES[part.toLowerCase()]) : part.length === 1 ? part.toUpperCase() : part),
  ]);
}
