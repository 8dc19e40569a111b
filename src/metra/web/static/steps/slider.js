// A slider from low to high with a field for its number. Until it is set it has neither a knob
// nor a number, so that nobody takes it for a score of 0.

import { el, freshId } from "../kit/elements.js";

export function slider(place, { step, value, t, change, keys }) {
  const { low, high, anchors, whole } = step.ask;
  const ends = { low, high };
  const question = el("h2", { class: "question", id: freshId("question"), lang: step.languages.question, dir: "auto" }, step.question);
  const range = el("input", {
    type: "range",
    min: `${low}`,
    max: `${high}`,
    step: "1",
    value: `${(low + high) / 2}`,
    "aria-label": t("scale.slider", ends),
    "aria-describedby": question.id,
  });
  const field = el("input", {
    type: "text",
    inputmode: "decimal",
    autocomplete: "off",
    size: "4",
    "aria-label": t("scale.number", ends),
    placeholder: "–",
  });
  const unset = el("span", { class: "unset" }, t("scale.unset"));
  const wrong = el("p", { class: "hint", role: "alert", hidden: true }, t("scale.wrong_number", ends));
  let chosen;

  function show() {
    const set = chosen !== undefined;
    range.classList.toggle("is-unset", !set);
    range.setAttribute("aria-valuetext", set ? `${chosen}` : t("scale.unset"));
    unset.hidden = set;
    for (const [at, row] of rows.entries()) row.classList.toggle("near", set && nearest() === at);
  }

  // Which described point the value is closest to.
  function nearest() {
    const distance = (anchor) => Math.abs(anchor.at - chosen);
    return anchors.reduce((best, anchor, at) => (distance(anchor) < distance(anchors[best]) ? at : best), 0);
  }

  function choose(number, { typed = false } = {}) {
    chosen = number;
    range.value = `${number}`;
    if (!typed) field.value = `${number}`;
    wrong.hidden = true;
    show();
    change(number);
  }

  range.addEventListener("input", () => choose(Number(range.value)));
  // A click in the very middle moves nothing, but means it.
  range.addEventListener("pointerup", () => chosen === undefined && choose(Number(range.value)));
  range.addEventListener("keydown", (event) => {
    if (chosen === undefined && /^(Arrow|Page)/.test(event.key)) {
      event.preventDefault();
      choose(Number(range.value));
    }
  });
  field.addEventListener("input", () => {
    const text = field.value.trim().replace(",", ".");
    const number = Number(text);
    const fits = text !== "" && number >= low && number <= high && (!whole || Number.isInteger(number));
    wrong.hidden = fits || text === "";
    if (fits) choose(number, { typed: true });
    else {
      chosen = undefined;
      show();
      change(undefined);
    }
  });
  field.addEventListener("blur", () => {
    if (chosen !== undefined) field.value = `${chosen}`;
  });

  for (let digit = 0; digit < 10; digit++) {
    keys.on(`${digit}`, () => {
      field.value = `${digit}`;
      field.focus();
      field.dispatchEvent(new Event("input"));
    });
  }
  keys.note("0–9", t("scale.key_type"));
  keys.note("← →", t("scale.key_move"));

  const share = (at) => (at - low) / (high - low);
  const ticks = anchors.map((anchor) => {
    const tick = el("i");
    tick.style.insetInlineStart = `${100 * share(anchor.at)}%`;
    return tick;
  });
  const rows = anchors.map((anchor) => {
    const bare = /^\d+$/.test(anchor.label);
    const figure = /^\d/.test(anchor.label) ? null : el("span", { class: "figure" }, `${Math.round(anchor.at)}`);
    const row = el(
      "li",
      { class: bare ? "bare" : "", lang: step.languages.anchors },
      figure,
      el("b", { dir: "auto" }, anchor.label),
      " ",
      bare ? null : el("span", { class: "meaning", dir: "auto" }, anchor.text),
    );
    row.style.setProperty("--at", `${share(anchor.at)}`);
    return row;
  });
  place.append(
    question,
    el(
      "div",
      { class: "slider" },
      el(
        "div",
        { class: "track" },
        range,
        el("div", { class: "ticks", "aria-hidden": "true" }, ...ticks),
        el("ol", { class: "anchors" }, ...rows),
      ),
      el("p", { class: "number" }, field, el("span", { "aria-hidden": "true" }, t("scale.of", ends)), unset),
    ),
    wrong,
  );
  if (value !== undefined && value !== null) {
    chosen = value;
    range.value = `${value}`;
    field.value = `${value}`;
  }
  show();

  return {
    focus: () => range.focus(),
    value: () => chosen,
    missing: () => (chosen === undefined ? t("scale.missing_number", ends) : null),
    summary: () => `${chosen}`,
  };
}
