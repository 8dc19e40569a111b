// Minimal correction: every word is a chip that can be moved, replaced, dropped or followed by
// a new one, by keyboard, mouse or finger. The count is in sight, because the aim is the least.

import { el, freshId } from "../kit/elements.js";
import { questionHeading } from "../judge/question.js";
import { makeChips } from "./chip_line.js";
import { logWriting } from "./key_log.js";

export const owns = ["outputs"];

export function mount(place, { step, screen, value, language, texts, t, change, clock, options = {} }) {
  const { tokens } = screen.extra[step.name];
  const { text } = screen.outputs[0];
  const line = makeChips(tokens, value?.chips, text);
  let free = value?.text !== undefined;
  // What was typed stays while one looks at the chips, and the other way round.
  let typed = value?.text ?? null;
  let at = 0;
  let chosen = new Set();
  let entry = null;
  const helpId = freshId("help");
  const row = el("div", { class: "chips", role: "toolbar", "aria-label": t("measures.chips_label"), "aria-describedby": helpId, lang: language, dir: "auto" });
  const field = el("textarea", { class: "text whole", lang: language, dir: "auto", "aria-label": t("measures.your_version") });
  field.value = typed ?? text;
  let writing = null;
  field.addEventListener("input", () => ((typed = field.value), change(answer())));
  const card = el("section", { class: "card judged" }, el("h2", {}, t("measures.your_version")), row, field);
  const before = el("section", { class: "card given" }, el("h2", {}, t("measures.before")), el("p", { class: "text", lang: language, dir: "auto" }, text));
  texts.outputs.append(before, card);
  const count = el("p", { class: "count", role: "status" });
  const tools = el("div", { class: "tools", role: "group", "aria-label": t("measures.tools") });
  const other = el("button", { type: "button", class: "quiet", onclick: switchMode });
  const help = el("p", { class: "note", id: helpId }, t("measures.chips_help"));
  const recorded = el("p", { class: "note keys-note", hidden: true }, t("measures.keys_recorded"));
  place.append(
    questionHeading(step),
    tools,
    count,
    help,
    recorded,
    el("p", { class: "other-way" }, other),
  );
  const rtl = () => getComputedStyle(row).direction === "rtl";

  const actions = {
    before: [() => move(-1), "Shift+←"],
    after: [() => move(1), "Shift+→"],
    replace: [() => open("replace"), "Enter"],
    insert: [() => open("insert"), "I"],
    first: [() => open("first"), "B"],
    remove: [() => remove(), "Del"],
    form: [() => line.inflection(at) && made("form"), "F"],
    undo: [() => undo(), "U"],
  };
  const buttons = Object.entries(actions).map(([name, [action, key]]) =>
    el("button", { type: "button", class: "quiet tool", onclick: () => (action(), entry ?? focus()) }, el("kbd", { "aria-hidden": "true" }, key), t(`measures.chip_${name}`)),
  );
  tools.append(...buttons);
  const arrows = buttons.slice(0, 2).map((button) => button.querySelector("kbd"));

  const places = () => (chosen.size ? [...chosen].sort((a, b) => a - b) : [at]);

  function made(what) {
    clock.event("chip", { what });
    draw();
    change(answer());
  }

  function remove() {
    if (!line.chips().length) return;
    line.remove(places());
    chosen.clear();
    at = Math.max(0, Math.min(at, line.chips().length - 1));
    made("delete");
  }

  // Words that are chosen apart from each other are first brought together where they are.
  function move(by) {
    const all = places();
    if (all.at(-1) - all[0] !== all.length - 1) return;
    const went = line.move(all, by);
    if (!went) return;
    at += went;
    chosen = new Set([...chosen].map((one) => one + went));
    made("move");
  }

  function undo() {
    if (!line.undo()) return;
    chosen.clear();
    at = Math.max(0, Math.min(at, line.chips().length - 1));
    made("undo");
  }

  // A small field in the place of the chip, after it, or before it.
  function open(what) {
    if (entry || (what === "replace" && !line.chips().length)) return;
    const old = what === "replace" ? line.chips()[at].text : "";
    entry = el("input", { class: "gap", type: "text", maxlength: "200", lang: language, dir: "auto", autocomplete: "off", autocapitalize: "off", "aria-label": t(`measures.chip_${what}`) });
    entry.value = old;
    const close = (keep) => {
      if (!entry) return;
      const words = entry.value.split(/\s+/u).filter(Boolean);
      entry = null;
      if (keep && words.length && words.join(" ") !== old) {
        const there = what === "insert" ? Math.min(at + 1, line.chips().length) : what === "first" ? 0 : at;
        if (what === "replace") line.replace(at, words);
        else line.insert(there, words);
        at = what === "replace" ? at : there + words.length - 1;
        made(what);
      } else draw();
      focus();
    };
    entry.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.isComposing) return;
      if (event.key === "Enter") (event.preventDefault(), close(true));
      else if (event.key === "Escape") close(false);
    });
    entry.addEventListener("blur", () => close(true));
    const here = row.children[at];
    if (what === "replace") here.replaceWith(entry);
    else if (what === "first" || !here) row.prepend(entry);
    else here.after(entry);
    entry.focus();
    entry.select();
  }

  function draw() {
    row.hidden = free;
    field.hidden = !free;
    recorded.hidden = !(free && options.log_keys);
    tools.hidden = free;
    help.hidden = free;
    row.replaceChildren(...line.chips().map(chipButton));
    other.textContent = t(free ? "measures.as_chips" : "measures.as_text");
    const counts = line.counts();
    const total = Object.values(counts).reduce((sum, one) => sum + one, 0);
    count.textContent = free ? t("measures.inferred") : t("measures.changes", { total, ...counts });
    if (rtl()) [arrows[0].textContent, arrows[1].textContent] = ["Shift+→", "Shift+←"];
  }

  function chipButton(chip, index) {
    const made = el(
      "button",
      {
        type: "button",
        class: "word-chip",
        tabindex: index === at ? "0" : "-1",
        "aria-pressed": chosen.has(index) ? "true" : "false",
        onclick: () => pick(index),
        onfocus: () => index !== at && ((at = index), roam()),
      },
      el("bdi", {}, chip.text),
    );
    const state = chip.origin === null ? "added" : chip.change === "none" ? "" : chip.change;
    if (state) {
      made.dataset.state = state;
      made.append(el("span", { class: "unseen" }, ` (${t(`measures.state_${state}`)})`));
    }
    return made;
  }

  const roam = () => [...row.children].forEach((one, index) => (one.tabIndex = index === at ? 0 : -1));

  function pick(index) {
    if (index === at && row.contains(document.activeElement) && chosen.has(index)) chosen.delete(index);
    else if (index === at) chosen.add(index);
    at = index;
    draw();
    focus();
  }

  function focus() {
    if (free) field.focus();
    else row.children[at]?.focus({ preventScroll: true });
  }

  function go(by) {
    at = Math.max(0, Math.min(line.chips().length - 1, at + by));
    roam();
    focus();
  }

  row.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || entry) return;
    const towards = { ArrowRight: rtl() ? -1 : 1, ArrowLeft: rtl() ? 1 : -1 }[event.key];
    const key = event.key.toLowerCase();
    const known = {
      home: () => go(-tokens.length - 9999),
      end: () => go(9999),
      delete: remove,
      backspace: remove,
      enter: () => open("replace"),
      f2: () => open("replace"),
      i: () => open("insert"),
      b: () => open("first"),
      f: () => actions.form[0](),
      u: undo,
      " ": () => (chosen.has(at) ? chosen.delete(at) : chosen.add(at), draw()),
      escape: () => (chosen.clear(), draw()),
    };
    if (towards) (event.shiftKey ? move : go)(towards);
    else if (known[key]) known[key]();
    else return;
    event.preventDefault();
    event.stopPropagation();
    if (!entry) focus();
  });

  function switchMode() {
    free = !free;
    if (free) field.value = typed ?? line.text();
    record();
    chosen.clear();
    draw();
    change(answer());
    focus();
  }

  function record() {
    if (!free || !options.log_keys) return;
    if (writing) writing.begin();
    else writing = logWriting(field, step.name, clock);
  }

  const answer = () => (free ? { text: field.value } : { chips: line.chips().map((chip) => ({ ...chip })) });

  record();
  draw();
  return {
    focus,
    startsInText: true,
    value: answer,
    goOnLabel: () => (!free && Object.values(line.counts()).every((one) => one === 0) ? t("measures.grammatical") : null),
    destroy() {
      card.remove();
      before.remove();
    },
  };
}

const plain = (text) => text.replaceAll(/\s/gu, "");

export const compare = (given, ours) => (plain(describe(given)) === plain(describe(ours)) ? "same" : "near");

// The corrected text.
export const describe = ({ chips, text }) => text ?? chips.map((chip) => chip.text).join(" ");
