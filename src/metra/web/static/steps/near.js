// A score from 0 to 10 beside the nearest texts that already have one.

import { el, freshId } from "../kit/elements.js";
import { UNSPACED } from "./words.js";

const MOST = 10;
const MOST_DIFFERENT = 0.6;

export function mount(place, { step, screen, value, language, t, change, keys }) {
  const { near, identical } = screen.extra[step.name];
  const name = freshId("score");
  const inputs = [];
  let chosen = value?.score;
  const filled = chosen === undefined && identical !== null && Number.isInteger(identical);
  if (filled) chosen = identical;

  function choose(score) {
    chosen = score;
    inputs[score].checked = true;
    change({ score });
  }

  const buttons = Array.from({ length: MOST + 1 }, (_, score) => {
    const input = el("input", { type: "radio", name, id: freshId("choice"), checked: chosen === score, onchange: () => choose(score) });
    inputs.push(input);
    const label = step.names[score] ?? "";
    keys.on(score === MOST ? "t" : `${score}`, () => choose(score), score === MOST ? `10 ${label}` : `${score} ${label}`);
    return el("div", { class: "rank" }, input, el("label", { for: input.id }, `${score}`));
  });
  const list = near.map(({ text, score, edits, difference }) =>
    el(
      "li",
      {},
      el("span", { class: "figure" }, `${Number(score.toFixed(1))}`),
      el("span", { class: "text", lang: language, dir: "auto" }, ...differing(text, edits, difference)),
      el("span", { class: "note" }, edits ? t("measures.edits", { count: edits }) : t("measures.identical")),
    ),
  );
  place.append(
    el(
      "fieldset",
      { class: "ranks" },
      el("legend", { lang: step.languages.question, dir: "auto" }, step.question),
      ...buttons,
      el("p", { class: "note ends", lang: step.languages.names, dir: "auto" }, `0 ${step.names[0]} · ${MOST} ${step.names[MOST]}`),
    ),
    el("p", { class: "note", role: "status", hidden: !filled }, filled ? t("measures.pre_filled", { score: identical }) : ""),
    list.length ? el("section", { class: "near" }, el("h3", {}, t("measures.near")), el("ol", {}, ...list)) : el("p", { class: "note" }, t("measures.none_near")),
  );

  // Texts that have little in common are easier to read as they are.
  function differing(text, edits, difference) {
    const words = UNSPACED.test(text) ? Array.from(text).length : text.split(/\s+/u).length;
    if (edits > words * MOST_DIFFERENT) return [text];
    return difference.flatMap(([sort, words], at) => [at && spaced(difference[at - 1][1], words) ? " " : "", piece(sort, words)]);
  }

  function spaced(one, other) {
    const last = Array.from(one.replace(/\p{M}+$/u, "")).at(-1);
    return !(UNSPACED.test(last) || UNSPACED.test(Array.from(other)[0]));
  }

  // Crossed out stands in the judged text only, underlined in this one only.
  function piece(sort, text) {
    if (sort === "same") return text;
    return el(sort === "gone" ? "del" : "ins", {}, text);
  }

  return {
    focus: () => inputs[chosen ?? 0].focus(),
    value: () => (chosen === undefined ? undefined : { score: chosen }),
    missing: () => (chosen === undefined ? t("scale.missing") : null),
    summary: () => `${chosen}`,
  };
}

export const compare = (given, ours) => (given.score === ours.score ? "same" : Math.abs(given.score - ours.score) <= 2 ? "near" : "other");

export const describe = ({ score }) => `${score}`;
