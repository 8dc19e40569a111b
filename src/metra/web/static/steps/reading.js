// Reading against the clock: the text is there from start to finish and no longer.

import { el } from "../kit/elements.js";
import { questionHeading } from "../judge/question.js";
import { textCard } from "../judge/texts.js";
import { makeStopwatch } from "./stopwatch.js";

export const owns = ["outputs"];
export const timed = true;

export function mount(place, { step, screen, value, language, texts, t, change, keys, clock }) {
  const { text } = screen.outputs[0];
  const tell = () => change(watch.value());
  const watch = makeStopwatch(clock, value, tell);
  const note = el("p", { class: "note", role: "status" });
  const pause = el("button", { type: "button", class: "quiet", onclick: takePause }, t("measures.pause"));
  const voice = step.ask.aloud ? el("p", { class: "note" }, t("measures.voice")) : null;
  place.append(questionHeading(step), ...(voice ? [voice] : []), note, pause);

  function draw() {
    const state = watch.state();
    pause.hidden = state !== "running";
    note.textContent = t(`measures.reading_${state}`);
    note.hidden = state === "running";
    const [card, shown] = textCard(t("measures.text"), text, language);
    card.classList.add("judged");
    if (state === "running") shown.tabIndex = 0;
    else shown.replaceWith(el("p", { class: "note" }, t(`measures.text_${state}`)));
    texts.outputs.replaceChildren(card);
    if (state === "running") shown.focus({ preventScroll: true });
  }

  function takePause() {
    if (watch.state() !== "running") return false;
    watch.pause();
    draw();
    tell();
    return true;
  }

  keys.on("p", takePause, t("measures.pause"));
  draw();
  return {
    focus: () => place.querySelector("button")?.focus(),
    value: () => (watch.state() === "done" ? whole() : undefined),
    // Start and go on with the same key as everything else; stopping goes on to what follows.
    act() {
      if (watch.state() === "done") return false;
      const stops = watch.state() === "running";
      if (stops) watch.stop();
      else watch.start();
      draw();
      tell();
      return !stops;
    },
    goOnLabel() {
      const state = watch.state();
      if (state === "running") return t(step.ask.aloud ? "measures.read_aloud" : "measures.understood");
      return state === "done" ? null : t(state === "ready" ? "measures.start" : "measures.continue");
    },
    missing: () => (watch.state() === "done" ? null : t("measures.start_first")),
    summary: () => t("measures.read"),
    destroy() {
      watch.destroy();
    },
  };
}
