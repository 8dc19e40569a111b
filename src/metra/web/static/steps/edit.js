// Correcting a whole text against the clock. Nothing is counted in sight of who corrects.

import { el, freshId } from "../kit/elements.js";
import { questionHeading } from "../judge/question.js";
import { logWriting } from "./key_log.js";
import { countKeystrokes } from "./keystrokes.js";
import { makeStopwatch } from "./stopwatch.js";

export const owns = ["outputs"];
export const timed = true;

export function mount(place, { step, screen, value, language, texts, t, change, keys, clock, options = {} }) {
  const original = screen.outputs[0].text;
  const counts = { keys: { ...value?.keys }, inputs: { ...value?.inputs } };
  const whole = () => ({ ...watch.value(), text: field.value, ...structuredClone(counts) });
  const tell = () => change(whole());
  const watch = makeStopwatch(clock, value, tell);
  const heading = el("h2", { id: freshId("text") }, t("measures.your_version"));
  const field = el("textarea", {
    class: "text whole",
    "aria-labelledby": heading.id,
    lang: language,
    dir: "auto",
    spellcheck: "true",
    autocomplete: "off",
    autocapitalize: "off",
  });
  field.value = value?.text ?? original;
  const veil = el("p", { class: "note" });
  const card = el("section", { class: "card judged" }, heading, veil, field);
  texts.outputs.append(card);
  // What it is held against is read on the clock, too.
  const beside = texts.source ?? texts.reference;
  const curtain = el("p", { class: "note" });
  beside?.after(curtain);
  const note = el("p", { class: "note", role: "status" });
  const pause = el("button", { type: "button", class: "quiet", onclick: takePause }, t("measures.pause"));
  place.append(
    questionHeading(step),
    el("p", { class: "brief" }, el("b", {}, t("measures.brief")), " ", el("bdi", { lang: step.languages.brief }, step.ask.brief)),
    el("p", { class: "note keys-note" }, t(options.log_keys ? "measures.keys_recorded" : "measures.keys_counted")),
    note,
    pause,
  );

  const grow = () => {
    field.style.blockSize = "auto";
    field.style.blockSize = `${field.scrollHeight + 4}px`;
  };
  countKeystrokes(field, counts, () => {});
  if (options.log_keys) logWriting(field, step.name, clock);
  field.addEventListener("input", () => {
    grow();
    tell();
  });

  function draw() {
    const state = watch.state();
    field.readOnly = state !== "running";
    const veiled = state === "ready" || state === "paused";
    field.hidden = veiled;
    if (beside) beside.hidden = veiled;
    for (const one of [veil, curtain]) {
      one.hidden = !veiled;
      one.textContent = veiled ? t(`measures.text_${state}`) : "";
    }
    note.textContent = t(`measures.edit_${state}`);
    note.hidden = state === "running";
    pause.hidden = state !== "running";
    grow();
  }

  function takePause() {
    if (watch.state() !== "running") return false;
    watch.pause();
    draw();
    tell();
    return true;
  }

  keys.note("Ctrl+Enter", t("measures.finish"));
  draw();
  return {
    focus: () => field.focus(),
    value: () => (watch.state() === "done" ? whole() : undefined),
    act() {
      const state = watch.state();
      if (state === "done") return false;
      if (state === "running") watch.stop();
      else watch.start();
      draw();
      tell();
      if (state === "running") return false;
      field.focus({ preventScroll: true });
      field.setSelectionRange(0, 0);
      return true;
    },
    goOnLabel() {
      const labels = { ready: "start", paused: "continue", running: "finish" };
      const label = labels[watch.state()];
      return label ? t(`measures.${label}`) : null;
    },
    missing: () => (watch.state() === "done" ? null : t("measures.start_first")),
    destroy() {
      watch.destroy();
      card.remove();
      curtain.remove();
      if (beside) beside.hidden = false;
    },
  };
}
