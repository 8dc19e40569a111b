// Worked examples: the same questions as at work, then what we would have said and why.

import { el } from "../kit/elements.js";
import { agreement, inWords } from "./comparing.js";
import { t } from "./strings.js";
import { drawTrial } from "./trial.js";

const { guide, protocol, source, target } = JSON.parse(document.getElementById("practice").textContent);
const place = document.getElementById("examples");
// Metra's examples are in one language, whatever is judged at work; a campaign's own are in its own.
const spoken = guide.texts_in ? { code: guide.texts_in, dir: "auto" } : {};
const campaign = { source: { ...source, ...spoken }, target: { ...target, ...spoken } };

async function start() {
  const modules = await Promise.all(protocol.steps.map((step) => import(`../steps/${step.kind}.js`)));
  // What is timed cannot be tried out.
  if (modules.some((module) => module.timed)) return;
  guide.examples.forEach((example, at) => place.append(draw(example, at, modules)));
  place.hidden = false;
}

function draw(example, at, modules) {
  const steps = protocol.steps;
  const screen = {
    outputs: example.outputs.map((text, number) => ({ id: `${number}`, text })),
    ...(example.other ? { [protocol.basis]: example.other } : {}),
    extra: example.extra,
  };
  const verdict = el("div", { class: "verdict", role: "status", hidden: true });
  const check = el("button", { type: "button", class: "quiet" }, t("guide.check"));
  const changed = () => (verdict.hidden = true);
  const { element, asked, handles } = drawTrial({ screen, protocol, campaign, modules, changed });
  const section = el(
    "section",
    { class: "example" },
    el("h3", {}, t("guide.example", { number: at + 1, of: guide.examples.length })),
    element,
    asked,
    el("p", { class: "ways" }, check),
    verdict,
  );
  check.addEventListener("click", () => {
    const lacking = handles.find((handle) => handle.missing?.());
    if (lacking || handles.length < steps.length) {
      verdict.replaceChildren(el("p", {}, t("guide.missing")));
      (lacking ?? handles.at(-1)).focus();
    } else {
      const given = Object.fromEntries(steps.map((step, index) => [step.name, handles[index].value()]));
      verdict.replaceChildren(
        el("p", {}, el("b", {}, t(`guide.${agreement(steps, modules, given, example.answer)}`))),
        el("p", {}, `${t("guide.ours")}: `, el("bdi", { lang: protocol.wording, dir: protocol.direction }, inWords(steps, modules, example, t))),
        el("p", { lang: guide.language, dir: "auto" }, example.why.replaceAll("{missing}", t("marks.missing_word"))),
      );
    }
    verdict.hidden = false;
  });
  return section;
}

if (place) start();
