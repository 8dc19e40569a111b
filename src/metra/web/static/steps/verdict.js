// @ts-check
// Whether an answer that is not the expected one will do.

import { el, freshId } from "../kit/elements.js";
import { nameOf } from "./mark_menus.js";

export const owns = ["outputs"];

/** @typedef {import("./types").StepModule} StepModule */

/** @type {StepModule["mount"]} */
export function mount(place, { step, screen, value, language, texts, t, change, keys }) {
  const { before, after, question, expected } = screen.extra[step.name];
  const answer = screen.outputs[0].text;
  const bdi = (/** @type {string} */ text) => el("bdi", { lang: language, dir: "auto" }, text);
  const context =
    question === undefined
      ? el("p", { class: "text", lang: language, dir: "auto" }, before, el("mark", { class: "answer" }, answer), after)
      : el("p", { class: "text", lang: language, dir: "auto" }, question);
  const card = el(
    "section",
    { class: "card judged verdict" },
    context,
    el("dl", {}, el("dt", {}, t("measures.expected")), el("dd", {}, bdi(expected)), el("dt", {}, t("measures.answered")), el("dd", {}, bdi(answer))),
  );
  texts.outputs.append(card);
  const name = freshId("verdict");
  /** @type {Map<boolean, HTMLInputElement>} */
  const inputs = new Map();
  let chosen = value?.right;
  const choose = (/** @type {boolean} */ right) => {
    chosen = right;
    for (const [answer, input] of inputs) input.checked = answer === right;
    change({ right });
  };
  const rows = [
    [true, step.names.right, "y"],
    [false, step.names.wrong, "n"],
  ].map(([right, label, key]) => {
    const input = el("input", { type: "radio", name, id: freshId("choice"), checked: chosen === right, onchange: () => choose(right) });
    inputs.set(right, input);
    keys.on(key, () => choose(right), label);
    return el("div", { class: "choice" }, input, el("label", { for: input.id }, el("span", { class: "figure" }, key.toUpperCase()), el("b", { lang: step.languages.names, dir: "auto" }, label)));
  });
  place.append(el("fieldset", { class: "scale" }, el("legend", { lang: step.languages.question, dir: "auto" }, step.question), el("div", { class: "choices" }, ...rows)));
  return {
    focus: () => inputs.get(chosen ?? true)?.focus(),
    value: () => (chosen === undefined ? undefined : { right: chosen }),
    missing: () => (chosen === undefined ? t("scale.missing") : null),
    destroy() {
      card.remove();
    },
  };
}

/** @type {StepModule["compare"]} */
export const compare = (given, ours) => (given.right === ours.right ? "same" : "other");

/** @type {StepModule["describe"]} */
export const describe = ({ right }, step) => nameOf(step, right ? "right" : "wrong");
