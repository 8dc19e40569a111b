// @ts-check
// A bar of filters: selects, a search field, pills of which one is pressed, and folded boxes.

import { el, freshId, labelField, makeSelect } from "./elements.js";

/** @typedef {import("./types").Filter} Filter */
/** @typedef {import("./types").FilterValues} FilterValues */

const PAUSE = 150;

/**
 * Return a bar of filters; `change` hears of the key and the value that a reader chose, and
 * `update` shows values that were chosen elsewhere, and counts of pills.
 * @param {(Filter | Node | null)[]} filters
 * @param {(key: string, value: any) => void} change
 */
export function makeFilterBar(filters, change) {
  /** @type {((values: FilterValues, counts: Record<string, number>) => void)[]} */
  const updates = [];
  const parts = filters.map((filter) => {
    if (filter === null || filter instanceof Node) return filter;
    const { element, update } = DRAW[filter.kind](filter, change);
    updates.push((values, counts) => update(values[filter.key], counts));
    return element;
  });
  return {
    element: el("form", { class: "controls", role: "search", onsubmit: (/** @type {Event} */ event) => event.preventDefault() }, parts),
    /** @param {FilterValues} values @param {Record<string, number>} [counts] */
    update: (values, counts = {}) => updates.forEach((update) => update(values, counts)),
  };
}

/** @typedef {(key: string, value: any) => void} Change */
/** @type {Record<Filter["kind"], (filter: any, change: Change) => { element: Node, update: (value: any, counts: Record<string, number>) => void }>} */
const DRAW = {
  select({ key, label, options, class: kind }, change) {
    const select = makeSelect([], "", (value) => change(key, value));
    let shown = "";
    return {
      element: labelField(label, select, kind),
      update(value) {
        const now = typeof options === "function" ? options() : options;
        // Redrawn while it is open, it would close.
        if (shown !== (shown = JSON.stringify(now))) {
          select.replaceChildren(...now.map((/** @type {[string, string]} */ [name, text]) => el("option", { value: name }, text)));
        }
        select.value = value;
      },
    };
  },
  search({ key, label, placeholder }, change) {
    const field = el("input", { type: "search", placeholder, spellcheck: "false" });
    let waiting = 0;
    field.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => change(key, field.value), PAUSE);
    });
    return {
      element: labelField(label, field, "field grow"),
      update: (value) => document.activeElement !== field && (field.value = value),
    };
  },
  pills({ key, label, options }, change) {
    const name = freshId(key);
    /** @type {[string, HTMLInputElement, HTMLElement][]} */
    const pills = options.map((/** @type {[string, string]} */ [value]) => [
      value,
      el("input", { type: "radio", name, value, onchange: () => change(key, value) }),
      el("span", { class: "count" }),
    ]);
    return {
      element: el("fieldset", { class: "pills" }, el("legend", { class: "unseen" }, label),
        pills.map(([, radio, count], at) => el("label", {}, radio, el("span", {}, `${options[at][1]} `, count)))),
      update(chosen, counts) {
        for (const [value, radio, count] of pills) {
          radio.checked = value === chosen;
          count.textContent = counts[value]?.toLocaleString("en") ?? "";
        }
      },
    };
  },
  boxes({ key, label, options }, change) {
    const count = el("span");
    /** @type {[string, HTMLInputElement][]} */
    const boxes = options.map((/** @type {[string, string]} */ [value]) => [value, el("input", { type: "checkbox", onchange: tell })]);
    function tell() {
      change(key, boxes.filter(([, box]) => box.checked).map(([value]) => value));
    }
    return {
      element: el("details", { class: "boxes" }, el("summary", {}, label, count),
        el("div", {}, boxes.map(([, box], at) => el("label", { class: "check" }, box, el("bdi", {}, options[at][1]))))),
      update(/** @type {{ chosen: string[], fixed: string[] }} */ { chosen, fixed }) {
        for (const [value, box] of boxes) {
          box.checked = chosen.includes(value) || fixed.includes(value);
          box.disabled = fixed.includes(value);
        }
        count.textContent = ` (${chosen.length})`;
      },
    };
  },
};
