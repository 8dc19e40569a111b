// A screen to try out: drawn and asked as at work, but nothing is timed, kept or sent.

import { el } from "../kit/elements.js";
import { scope } from "./keys.js";
import { t } from "./strings.js";
import { drawTexts } from "./texts.js";

const clock = { now: () => performance.now(), event() {} };
const showsBasis = (step) => step.shows.includes("basis");

// Gives the texts, the questions, and the handles of those asked so far; `changed` hears of every
// change. `screen` holds the texts of all steps.
export function drawTrial({ screen, protocol, campaign, modules, changed = () => {} }) {
  const steps = protocol.steps;
  // As at work, a text that belongs to a later question comes with it.
  const later = !showsBasis(steps[0]) && steps.some(showsBasis);
  const { [protocol.basis]: _, ...atFirst } = screen;
  const { element, texts } = drawTexts({
    screen: later ? atFirst : screen,
    campaign,
    basis: protocol.basis,
    later,
    outputsOwned: modules.some((module) => module.owns?.includes("outputs")),
    contrastive: protocol.contrastive,
  });
  const language = campaign.target.code;
  const languages = { source: campaign.source.code, target: language };
  const asked = el("div");
  const handles = [];
  const keys = scope();
  keys.wake(false);

  function ask() {
    const index = handles.length;
    const step = steps[index];
    const part = el("div", { class: "step" });
    asked.append(part);
    if (index && later && showsBasis(step)) texts.reveal?.(screen);
    const change = () => {
      changed();
      if (index + 1 === handles.length && index + 1 < steps.length) ask();
    };
    const options = { step, screen, language, languages, texts, t, change, done() {}, keys, clock };
    handles.push(modules[index].mount(part, options));
    if (index + 1 < steps.length && !steps[index + 1].shows.length) ask();
  }

  ask();
  return { element, asked, handles };
}
