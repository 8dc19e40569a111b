// Questions to try, apart from work: the same parts in the same order, and nothing is sent.

import { el } from "./elements.js";
import { scope } from "./keys.js";

const clock = { now: () => performance.now(), event() {} };

// Whether the first question is asked before the other text is shown.
export function isLater(steps) {
  return !steps[0].shows.includes("basis") && steps.some((step) => step.shows.includes("basis"));
}

// Ask the steps one after the other; gives their handles, which grow as answers come.
// `more` is what every step is told besides; `changed` is called on each change.
export function askSteps(asked, { steps, modules, screen, texts, changed = () => {}, ...more }) {
  const keys = scope();
  keys.wake(false);
  const handles = [];

  function ask() {
    const index = handles.length;
    const step = steps[index];
    const part = el("div", { class: "step" });
    asked.append(part);
    if (index && step.shows.includes("basis")) texts.reveal?.(screen);
    const change = () => {
      changed();
      if (index + 1 === handles.length && index + 1 < steps.length) ask();
    };
    const options = { step, screen, value: undefined, texts, change, done() {}, keys, clock, ...more };
    handles.push(modules[index].mount(part, options));
    if (index + 1 < steps.length && !steps[index + 1].shows.length) ask();
  }

  ask();
  return handles;
}
