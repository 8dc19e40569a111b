// Which of several texts is the best: one of them is chosen.

import { el, freshId } from "../kit/elements.js";
import { textCard } from "../judge/texts.js";

// The shell leaves the outputs to this step, which shows which one is chosen.
export const owns = ["outputs"];

export function mount(place, { step, screen, value, t, change, keys, texts, languages }) {
  const name = freshId("choice");
  const inputs = [];
  let chosen = value?.chosen;
  const labels = screen.outputs.map((_, at) => t("work.text_number", { number: at + 1 }));
  const cards = screen.outputs.map((output, at) => {
    const [card] = textCard(labels[at], output.text, languages.target);
    card.classList.add("judged");
    card.addEventListener("click", () => choose(at + 1));
    return card;
  });
  texts.outputs.replaceChildren(...cards);
  texts.outputs.classList.add("many");

  const rows = labels.map((label, at) => {
    const number = at + 1;
    const input = el("input", { type: "radio", name, id: freshId("choice"), value: `${number}`, onchange: () => choose(number) });
    inputs.push(input);
    if (number < 10) keys.on(`${number}`, () => choose(number), label);
    return el("div", { class: "choice" }, input, el("label", { for: input.id }, el("span", { class: "figure" }, `${number}`), el("b", {}, label)));
  });
  place.append(
    el(
      "fieldset",
      { class: "scale pairwise" },
      el("legend", { lang: step.languages.question, dir: "auto" }, step.question),
      el("div", { class: "choices" }, ...rows),
    ),
  );

  function show() {
    inputs.forEach((input, at) => (input.checked = at + 1 === chosen));
    cards.forEach((card, at) => card.classList.toggle("current", at + 1 === chosen));
  }

  function choose(number) {
    if (number === chosen) return;
    chosen = number;
    show();
    change({ chosen });
  }

  show();
  return {
    focus: () => inputs[(chosen ?? 1) - 1].focus(),
    value: () => (chosen === undefined ? undefined : { chosen }),
    missing: () => (chosen === undefined ? t("scale.missing") : null),
    destroy() {
      texts.outputs.replaceChildren();
      texts.outputs.classList.remove("many");
    },
  };
}

export const compare = (given, ours) => (given.chosen === ours.chosen ? "same" : "other");

export const describe = ({ chosen }, step, example, t) => t("work.text_number", { number: chosen });
