// A rating. A few whole numbers are buttons with their descriptions; anything else is a slider
// that has no value until it is set.

import { el, freshId } from "../kit/elements.js";
import { slider } from "./slider.js";

const MOST_BUTTONS = 11;

export function mount(place, options) {
  const { low, high, whole } = options.step.ask;
  const few = whole && high - low < MOST_BUTTONS;
  return few ? buttons(place, options) : slider(place, options);
}

function buttons(place, { step, value, t, change, keys }) {
  const { low, high, anchors } = step.ask;
  const name = freshId("scale");
  const inputs = new Map();
  let chosen = value;

  function choose(number) {
    chosen = number;
    inputs.get(number).checked = true;
    change(number);
  }

  const rows = [];
  for (let number = low; number <= high; number++) {
    const anchor = anchors.find((one) => one.at === number);
    const input = el("input", {
      type: "radio",
      name,
      value: `${number}`,
      id: freshId("choice"),
      checked: number === value,
      onchange: () => choose(number),
    });
    inputs.set(number, input);
    const label = anchor?.label ?? `${number}`;
    rows.push(
      el(
        "div",
        { class: "choice" },
        input,
        el(
          "label",
          { for: input.id },
          el("span", { class: "figure" }, `${number}`),
          el("b", { lang: step.languages.anchors, dir: "auto" }, label),
          " ",
          el("span", { class: "meaning", lang: step.languages.anchors, dir: "auto" }, shorter(anchor?.text ?? "", label)),
        ),
      ),
    );
    if (number < 10) keys.on(`${number}`, () => choose(number), label);
  }
  place.append(
    el(
      "fieldset",
      { class: "scale" },
      el("legend", { lang: step.languages.question, dir: "auto" }, step.question),
      el("div", { class: "choices" }, ...rows),
    ),
  );
  const nameOf = (number) => anchors.find((one) => one.at === number)?.label;
  return {
    focus: () => (inputs.get(chosen) ?? inputs.values().next().value).focus(),
    value: () => chosen,
    missing: () => (chosen === undefined || chosen === null ? t("scale.missing") : null),
    summary: () => `${chosen} ${nameOf(chosen) ?? ""}`.trim(),
  };
}

// "Much of the meaning …" need not begin with the word that stands before it.
function shorter(text, label) {
  const rest = text.startsWith(`${label} `) ? text.slice(label.length + 1) : text;
  return rest === `${label}.` ? "" : rest;
}

export function compare(given, ours, { low, high, whole }) {
  const share = Math.abs(given - ours) / (high - low);
  if (whole) return given === ours ? "same" : share <= 0.25 ? "near" : "other";
  return share <= 0.05 ? "same" : share <= 0.2 ? "near" : "other";
}

export function describe(value, step) {
  const label = step.ask.anchors.find((one) => one.at === value)?.label;
  return label && label !== `${value}` ? `${value} (${label})` : `${value}`;
}
