// The first screens as judges meet them, made of the same parts; nothing is sent anywhere.

import { el } from "../judge/elements.js";
import { t } from "../judge/strings.js";
import { drawTexts } from "../judge/texts.js";
import { askSteps, isLater } from "../judge/trying.js";

const { screens, protocol, source, target } = JSON.parse(document.getElementById("trial").textContent);
const place = document.getElementById("screens");
const languages = { source: source.code, target: target.code };

async function start() {
  const modules = await Promise.all(protocol.steps.map((step) => import(`../steps/${step.kind}.js`)));
  screens.forEach((screen, at) => place.append(draw(screen, at, modules)));
}

function draw(screen, at, modules) {
  const { basis, contrastive } = protocol;
  // Some screens leave a question out.
  const kept = protocol.steps.map((step) => screen.steps?.includes(step.name) ?? true);
  const steps = protocol.steps.filter((_, index) => kept[index]);
  // As at work, a text that belongs to a later question comes with it.
  const later = isLater(steps);
  const { element, texts } = drawTexts({
    screen: later ? { outputs: screen.outputs } : screen,
    campaign: { source, target },
    basis,
    later,
    outputsOwned: modules.some((module) => module.owns?.includes("outputs")),
    contrastive,
  });
  const asked = el("div");
  askSteps(asked, { steps, modules: modules.filter((_, index) => kept[index]), screen, texts, language: target.code, languages, t });
  return el("section", { class: "example" }, el("h2", {}, `Screen ${at + 1}`), element, asked);
}

start();
