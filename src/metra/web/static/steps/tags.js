// Names or terms of a text: choose words, then say what they are.

import { compareLists } from "../judge/comparing.js";
import { el } from "../kit/elements.js";
import { questionHeading } from "../judge/question.js";
import { quoted } from "../judge/strings.js";
import { markedText, noteArrows } from "./marked_text.js";

export function mount(place, { step, screen, value, t, change, keys, texts, languages, clock }) {
  let tags = (value?.tags ?? []).map((tag) => ({ ...tag }));
  let pending = null;
  const bar = typeBar({ step, t, hint: t("measures.tag_hint"), add: (type) => add(type) });
  const { nameOf } = bar;
  const list = el("ol", { class: "marks tags", "aria-label": t("measures.tag_list") });
  place.append(questionHeading(step), bar.element, list);
  texts.output.parentElement.querySelector("h2").textContent = t("measures.text");
  const marked = markedText(texts.output, {
    text: screen.outputs[0].text,
    language: languages.target,
    label: t("measures.tag_label"),
    missing: null,
    choose: (span) => ((pending = span), show()),
    open: (mark) => list.children[mark.at]?.querySelector("button")?.focus(),
    key: pressed,
  });

  const same = (one, other) => one.start === other.start && one.end === other.end;

  function add(type, span = pending) {
    if (!span) return;
    tags = tags.filter((tag) => !same(tag, span));
    tags.push({ start: span.start, end: span.end, type });
    tags.sort((one, other) => one.start - other.start || one.end - other.end);
    pending = null;
    marked.clear();
    clock.event("tag");
    changed();
    marked.place.focus({ preventScroll: true });
  }

  function remove(at) {
    tags.splice(at, 1);
    changed();
    (list.children[Math.min(at, tags.length - 1)]?.querySelector("button") ?? marked.place).focus();
  }

  function pressed(event, span) {
    const type = bar.types[event.key - 1];
    if (type !== undefined) {
      event.preventDefault();
      add(type, span);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault();
      const at = marked.here().at(-1)?.at ?? tags.length - 1;
      if (at >= 0) (remove(at), marked.place.focus());
    }
  }

  const changed = () => (show(), change(answer()));
  const answer = () => ({ tags: tags.map((tag) => ({ ...tag })) });

  function show() {
    bar.show(pending);
    marked.setMarks(tags.map((tag, at) => ({ ...tag, at, severity: "tag", label: tag.type && nameOf(tag.type) })));
    list.replaceChildren(
      ...tags.map((tag, at) => {
        const quote = marked.quote(tag);
        return el(
          "li",
          {},
          el("span", { class: "quote" }, el("bdi", { dir: "auto" }, quote), tag.type ? el("span", { lang: step.languages.names }, ` ${nameOf(tag.type)}`) : null),
          el("button", { type: "button", class: "quiet", "aria-label": t("marks.delete_label", { text: quote }), onclick: () => remove(at) }, t("marks.delete")),
        );
      }),
    );
  }

  show();
  noteArrows(keys, t);
  bar.types.forEach((type, at) => keys.on(`${at + 1}`, () => (pending ? add(type) : false), nameOf(type)));
  keys.note("Delete", t("marks.key_delete"));
  keys.on("t", () => marked.place.focus(), t("marks.key_text"));

  return {
    focus: () => marked.place.focus(),
    startsInText: true,
    value: answer,
    goOnLabel: () => (tags.length ? null : t("measures.no_tags")),
    destroy() {
      marked.destroy();
    },
  };
}

// What is chosen, and a button for each type that it can be; without types, one for a term.
export function typeBar({ step, t, hint, add }) {
  const types = step.ask.types.length ? step.ask.types : [""];
  const nameOf = (type) => step.names[type] ?? (type || t("measures.term"));
  const chosen = el("span", { class: "chosen-words", dir: "auto" });
  const buttons = types.map((type, at) =>
    el("button", { type: "button", class: "quiet tool", onclick: () => add(type) }, el("kbd", { "aria-hidden": "true" }, `${at + 1}`), el("span", { lang: type ? step.languages.names : null }, nameOf(type))),
  );
  const element = el("div", { class: "mark-bar" }, chosen, el("div", { class: "tools", role: "group", "aria-label": t("measures.tools") }, ...buttons));
  function show(pending) {
    chosen.textContent = pending ? t("marks.chosen", { text: quoted(pending.text) }) : hint;
    for (const button of buttons) button.disabled = !pending;
  }
  return { element, types, nameOf, show };
}

const placeOf = ({ start, end, type }) => `${start} ${end} ${type}`;

export const compare = (given, ours) => compareLists(given.tags.map(placeOf), ours.tags.map(placeOf));

export const describe = ({ tags }, step, example, t) => tags.map(({ text, type }) => `${quoted(text)} ${step.names[type] ?? type}`.trim()).join("; ") || t("measures.no_tags");
