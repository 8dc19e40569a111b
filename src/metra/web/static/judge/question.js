// Parts of questions that several kinds of steps share.

import { el } from "../kit/elements.js";

// The question of a step, in the language of its words.
export const questionHeading = (step) => el("h2", { class: "question", lang: step.languages.question, dir: "auto" }, step.question);

// Enter in a field goes on to another place instead of to the next screen.
export function onEnter(field, goOn) {
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    goOn();
  });
}
