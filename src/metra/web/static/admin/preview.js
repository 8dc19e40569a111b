// The first screens as judges meet them, made of the same parts; nothing is sent anywhere.

import { el } from "../kit/elements.js";
import { drawTrial } from "../judge/trial.js";

const { screens, protocol, source, target } = JSON.parse(document.getElementById("trial").textContent);
const place = document.getElementById("screens");
const campaign = { source, target };

async function start() {
  const modules = await Promise.all(protocol.steps.map((step) => import(`../steps/${step.kind}.js`)));
  screens.forEach((screen, at) => place.append(draw(screen, at, modules)));
}

function draw(screen, at, modules) {
  // Some screens leave a question out.
  const isAsked = (_, index) => screen.steps?.includes(protocol.steps[index].name) ?? true;
  const { element, asked } = drawTrial({
    screen,
    protocol: { ...protocol, steps: protocol.steps.filter(isAsked) },
    campaign,
    modules: modules.filter(isAsked),
  });
  return el("section", { class: "example" }, el("h2", {}, `Screen ${at + 1}`), element, asked);
}

start();
