// Worked examples: the same questions as at work, then what we would have said and why.

import { el } from "./elements.js";
import { agreement, inWords } from "./comparing.js";
import { scope } from "./keys.js";
import { t } from "./strings.js";
import { drawTexts } from "./texts.js";

const { guide, protocol, source, target } = JSON.parse(document.getElementById("practice").textContent);
const place = document.getElementById("examples");
// Examples are in the guide's own language, whatever is judged at work.
const spoken = { code: guide.language, dir: "auto" };
const campaign = { source: { ...source, ...spoken }, target: { ...target, ...spoken } };
const languages = { source: guide.language, target: guide.language };
const unused = { now: () => performance.now(), event() {} };

async function start() {
  const modules = await Promise.all(protocol.steps.map((step) => import(`../steps/${step.kind}.js`)));
  guide.examples.forEach((example, at) => place.append(draw(example, at, modules)));
  place.hidden = false;
}

function draw(example, at, modules) {
  const screen = {
    outputs: example.outputs.map((text, number) => ({ id: `${number}`, text })),
    [protocol.basis]: example.other,
    step: protocol.steps.length - 1,
  };
  const { element, texts } = drawTexts({
    screen,
    campaign,
    basis: protocol.basis,
    later: false,
    outputsOwned: modules.some((module) => module.owns?.includes("outputs")),
  });
  const verdict = el("div", { class: "verdict", role: "status", hidden: true });
  const check = el("button", { type: "button", class: "quiet" }, t("guide.check"));
  const steps = el("div");
  const section = el(
    "section",
    { class: "example" },
    el("h3", {}, t("guide.example", { number: at + 1, of: guide.examples.length })),
    element,
    steps,
    el("p", { class: "ways" }, check),
    verdict,
  );
  const answer = {};
  const keys = scope();
  keys.wake(false);
  const handles = protocol.steps.map((step, index) => {
    const part = el("div", { class: "step" });
    steps.append(part);
    const change = (value) => ((answer[step.name] = value), (verdict.hidden = true));
    return modules[index].mount(part, { step, screen, value: undefined, language: guide.language, languages, texts, t, change, done() {}, keys, clock: unused });
  });
  check.addEventListener("click", () => {
    const lacking = handles.find((handle) => handle.missing?.());
    if (lacking) {
      verdict.replaceChildren(el("p", {}, t("guide.missing")));
      lacking.focus();
    } else {
      const given = Object.fromEntries(protocol.steps.map((step, index) => [step.name, handles[index].value()]));
      verdict.replaceChildren(
        el("p", {}, el("b", {}, t(`guide.${agreement(protocol.steps, given, example.answer)}`))),
        el("p", { lang: guide.language }, `${t("guide.ours")}: ${inWords(protocol.steps, example, t)}`),
        el("p", { lang: guide.language }, example.why),
      );
    }
    verdict.hidden = false;
  });
  return section;
}

if (place) start();
