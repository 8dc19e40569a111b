// @ts-check
// Elements from names, attributes and children. Texts become text nodes, never markup.

/** @typedef {import("./types").Attributes} Attributes */
/** @typedef {import("./types").Child} Child */

/**
 * Return an element; `onclick` and the like are listeners, null and false leave out.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {Child[]} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else if (key in element && typeof value !== "string") Object.assign(element, { [key]: value });
    else element.setAttribute(key, String(value));
  }
  const nodes = /** @type {any[]} */ (children).flat(Infinity);
  element.append(...nodes.filter((child) => child !== null && child !== undefined));
  return element;
}

let last = 0;

/**
 * Return an id that no other element has, to tie labels to what they name.
 * @param {string} stem
 */
export const freshId = (stem) => `${stem}-${++last}`;

/**
 * Return a control below its label.
 * @param {string} label
 * @param {HTMLElement} control
 * @param {string} [kind] classes of the field
 */
export function labelField(label, control, kind = "field") {
  control.id ||= freshId("control");
  return el("div", { class: kind }, el("label", { for: control.id }, label), control);
}

/**
 * Return a quiet button.
 * @param {Child} label
 * @param {(event: Event) => void} press
 * @param {Attributes} [attributes]
 */
export function makeButton(label, press, attributes = {}) {
  return el("button", { type: "button", class: "quiet small", onclick: press, ...attributes }, label);
}

/**
 * Return a select; `choose` hears of the value that was chosen.
 * @param {[value: string, text: string][]} options
 * @param {string} chosen
 * @param {(value: string) => void} choose
 */
export function makeSelect(options, chosen, choose) {
  const select = el("select", {}, options.map(([value, text]) => el("option", { value }, text)));
  select.value = chosen;
  select.addEventListener("change", () => choose(select.value));
  return select;
}

/**
 * Return words that only screen readers say.
 * @param {string} text
 */
export const unseen = (text) => el("span", { class: "unseen" }, text);
