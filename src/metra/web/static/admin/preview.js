// The first screens as judges meet them, made of the same parts; nothing is sent anywhere.

import { el } from "../judge/elements.js";
import { scope } from "../judge/keys.js";
import { t } from "../judge/strings.js";
import { drawTexts } from "../judge/texts.js";

const { screens, protocol, source, target } = JSON.parse(document.getElementById("trial").textContent);
const place = document.getElementById("screens");
const campaign = { source, target };
const languages = { source: source.code, target: target.code };
const clock = { now: () => performance.now(), event() {} };

async function start() {
  const modules = await Promise.all(protocol.steps.map((step) => import(`../steps/${step.kind}.js`)));
  screens.forEach((screen, at) => place.append(draw(screen, at, modules)));
}

function draw(screen, at, modules) {
  const steps = protocol.steps;
  // As at work, a text that belongs to a later question comes with it.
  const later = !steps[0].shows.includes("basis") && steps.some((step) => step.shows.includes("basis"));
  const { element, texts } = drawTexts({
    screen: later ? { outputs: screen.outputs } : screen,
    campaign,
    basis: protocol.basis,
    later,
    outputsOwned: modules.some((module) => module.owns?.includes("outputs")),
  });
  const asked = el("div");
  const keys = scope();
  keys.wake(false);
  const handles = [];

  function ask() {
    const index = handles.length;
    const step = steps[index];
    const part = el("div", { class: "step" });
    asked.append(part);
    if (index && later && step.shows.includes("basis")) texts.reveal?.(screen);
    const change = () => {
      if (index + 1 === handles.length && index + 1 < steps.length) ask();
    };
    const options = { step, screen, value: undefined, language: target.code, languages, texts, t, change, done() {}, keys, clock };
    handles.push(modules[index].mount(part, options));
    if (index + 1 < steps.length && !steps[index + 1].shows.length) ask();
  }

  ask();
  const title = el("h2", {}, `Screen ${at + 1}`);
  return el("section", { class: "example" }, title, element, asked);
}

start();
