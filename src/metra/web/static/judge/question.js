// @ts-check
// Parts of questions that several kinds of steps share.

import { el } from "../kit/elements.js";

/**
 * Return the question of a step, in the language of its words.
 * @param {import("../steps/types").Step} step
 */
export const questionHeading = (step) => el("h2", { class: "question", lang: step.languages.question, dir: "auto" }, step.question);

/**
 * Let Enter in a field go on to another place instead of to the next screen.
 * @param {HTMLElement} field
 * @param {() => void} goOn
 */
export function onEnter(field, goOn) {
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    goOn();
  });
}
