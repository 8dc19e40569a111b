// Which text is better: three buttons for two texts, places with ties for more.

import { el, freshId } from "../kit/elements.js";
import { questionHeading } from "../judge/question.js";
import { textCard } from "../judge/texts.js";
import { board } from "./board.js";
import { nameOf } from "./mark_menus.js";

// The shell leaves the outputs to this step, which draws them beside their places.
export const owns = ["outputs"];

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

// Where pages run from right to left the first text stands on the right: keys go by what one sees.
const rtl = document.documentElement.dir === "rtl";
const [BEFORE, AFTER] = rtl ? [["ArrowRight", "D"], ["ArrowLeft", "A"]] : [["ArrowLeft", "A"], ["ArrowRight", "D"]];

export function mount(place, options) {
  return options.screen.outputs.length === 2 ? pair(place, options) : ranking(place, options);
}

function judgedCard(label, text, language, ...more) {
  const [card] = textCard(label, text, language);
  card.classList.add("judged");
  card.append(...more);
  return card;
}

function pair(place, { step, screen, value, t, change, keys, texts, languages }) {
  const answers = [
    [[1, 2], step.names.first, ["1", ...BEFORE]],
    [[1, 1], step.names.tie, ["2", "ArrowDown", "S"]],
    [[2, 1], step.names.second, ["3", ...AFTER]],
  ].filter(([ranks]) => step.ask.ties || ranks[0] !== ranks[1]);
  let chosen = value;
  texts.outputs.replaceChildren(
    ...screen.outputs.map((output, at) =>
      judgedCard(t("work.text_number", { number: at + 1 }), output.text, languages.target),
    ),
  );
  const name = freshId("pair");
  const inputs = answers.map(([ranks, label, [digit]], at) => {
    const input = el("input", { type: "radio", name, id: freshId("choice"), value: `${at}` });
    input.checked = `${ranks}` === `${value}`;
    input.addEventListener("change", () => choose(at));
    return el(
      "div",
      { class: "choice" },
      input,
      el("label", { for: input.id }, el("span", { class: "figure" }, digit), el("b", { lang: step.languages.names, dir: "auto" }, label)),
    );
  });

  function choose(at) {
    chosen = answers[at][0];
    inputs[at].querySelector("input").checked = true;
    change([...chosen]);
  }

  answers.forEach(([, label, [digit, arrow, letter]], at) => {
    keys.on(digit, () => choose(at), label);
    keys.on(letter, () => choose(at), label);
    keys.on(arrow, () => choose(at));
  });
  place.append(
    el(
      "fieldset",
      { class: "scale pairwise" },
      el("legend", { lang: step.languages.question, dir: "auto" }, step.question),
      el("div", { class: "choices" }, ...inputs),
    ),
  );
  return {
    focus: () => (place.querySelector("input:checked") ?? place.querySelector("input")).focus(),
    value: () => chosen,
    missing: () => (chosen ? null : t("order.missing")),
    destroy: () => texts.outputs.replaceChildren(),
  };
}

function ranking(place, { step, screen, value, t, change, keys, texts, languages }) {
  const count = screen.outputs.length;
  const ranks = Array.from({ length: count }, (_, at) => value?.[at] ?? null);
  let current = 0;

  const cards = screen.outputs.map((output, at) => {
    const name = freshId("rank");
    const choices = Array.from({ length: count }, (_, rank) => {
      const input = el("input", {
        type: "radio",
        name,
        id: freshId("choice"),
        value: `${rank + 1}`,
        onchange: () => give(at, rank + 1),
        onfocus: () => go(at),
      });
      return el("span", { class: "rank" }, input, el("label", { for: input.id }, `${rank + 1}`));
    });
    const card = judgedCard(
      t("order.text", { text: LETTERS[at] }),
      output.text,
      languages.target,
      el(
        "fieldset",
        { class: "ranks" },
        el("legend", {}, el("span", { class: "unseen" }, t("order.rank", { text: LETTERS[at] })), el("span", { "aria-hidden": "true" }, t("order.rank_short"))),
        ...choices,
      ),
    );
    card.addEventListener("pointerdown", () => go(at));
    return card;
  });
  texts.outputs.replaceChildren(...cards);
  texts.outputs.classList.add("many");

  const lanes = board({ count, letters: LETTERS, step, t, place: (at, rank) => (go(at), give(at, rank)) });
  place.append(questionHeading(step), lanes.element);

  function show() {
    cards.forEach((card, at) => {
      card.classList.toggle("current", at === current);
      for (const input of card.querySelectorAll("input")) input.checked = Number(input.value) === ranks[at];
    });
    lanes.show(ranks);
  }

  function go(at) {
    current = (at + count) % count;
    show();
    cards[current].scrollIntoView({ block: "nearest" });
  }

  function give(at, rank) {
    ranks[at] = rank;
    show();
    change([...ranks]);
  }

  // After a digit the next text without a place is at hand.
  function giveAndGo(rank) {
    give(current, rank);
    const next = [...ranks.keys()].map((step) => (current + 1 + step) % count).find((at) => ranks[at] === null);
    if (next !== undefined) go(next);
  }

  const shift = (by) => {
    const rank = ranks[current];
    give(current, rank === null ? (by < 0 ? 1 : count) : Math.min(count, Math.max(1, rank + by)));
  };
  for (let rank = 1; rank <= Math.min(9, count); rank++) keys.on(`${rank}`, () => giveAndGo(rank));
  keys.note(`1–${Math.min(9, count)}`, t("order.key_rank"));
  for (const [arrow, key, action, label] of [
    [...BEFORE, () => go(current - 1), t("order.key_previous")],
    [...AFTER, () => go(current + 1), t("order.key_next")],
    ["ArrowUp", "W", () => shift(-1), t("order.key_up")],
    ["ArrowDown", "S", () => shift(1), t("order.key_down")],
  ]) {
    keys.on(key, action);
    // On a row of places the arrow keys are the browser's own.
    keys.on(arrow, (event) => (event.target.matches("input") ? false : action()));
    keys.note(`${key}  ${{ ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" }[arrow]}`, label);
  }
  show();
  return {
    focus: () => (cards[Math.max(0, ranks.indexOf(null))].querySelector("input")).focus(),
    value: () => (ranks.includes(null) ? undefined : [...ranks]),
    missing: () => (ranks.includes(null) ? t("order.missing_ranks") : null),
    destroy() {
      texts.outputs.replaceChildren();
      texts.outputs.classList.remove("many");
    },
  };
}

export const compare = (given, ours) => (`${given}` === `${ours}` ? "same" : "other");

export function describe(value, step) {
  if (value.length === 2) return nameOf(step, value[0] < value[1] ? "first" : value[0] > value[1] ? "second" : "tie");
  return value.map((rank, at) => `${LETTERS[at]}: ${rank}`).join(", ");
}
