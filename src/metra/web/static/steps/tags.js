// Names or terms of a text: choose words, then say what they are.

import { el } from "../judge/elements.js";
import { quoted } from "../judge/strings.js";
import { markedText } from "./marked_text.js";

export function mount(place, { step, screen, value, t, change, keys, texts, languages, clock }) {
  const { types } = step.ask;
  const names = types.length ? types : [""];
  const nameOf = (type) => step.names[type] ?? (type || t("measures.term"));
  let tags = (value?.tags ?? []).map((tag) => ({ ...tag }));
  let pending = null;
  const chosenLine = el("span", { class: "chosen-words", dir: "auto" });
  const buttons = names.map((type, at) =>
    el("button", { type: "button", class: "quiet tool", onclick: () => add(type) }, el("kbd", { "aria-hidden": "true" }, `${at + 1}`), el("span", { lang: types.length ? step.languages.names : null }, nameOf(type))),
  );
  const list = el("ol", { class: "marks tags", "aria-label": t("measures.tag_list") });
  place.append(
    el("h2", { class: "question", lang: step.languages.question, dir: "auto" }, step.question),
    el("div", { class: "mark-bar" }, chosenLine, el("div", { class: "tools", role: "group", "aria-label": t("measures.tools") }, ...buttons)),
    list,
  );
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
    const digit = Number(event.key);
    if (digit >= 1 && digit <= names.length) {
      event.preventDefault();
      add(names[digit - 1], span);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault();
      const [mark] = marked.here().slice(-1);
      if (mark) (remove(mark.at), marked.place.focus());
    }
  }

  const changed = () => (show(), change(answer()));
  const answer = () => ({ tags: tags.map((tag) => ({ ...tag })) });

  function show() {
    chosenLine.textContent = pending ? t("marks.chosen", { text: quoted(pending.text) }) : t("measures.tag_hint");
    for (const button of buttons) button.disabled = !pending;
    marked.setMarks(tags.map((tag, at) => ({ ...tag, at, severity: "tag", label: types.length ? nameOf(tag.type) : "" })));
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
  keys.note("← →", t("marks.key_words"));
  keys.note("Shift+← →", t("marks.key_extend"));
  names.forEach((type, at) => keys.on(`${at + 1}`, () => (pending ? add(type) : false), nameOf(type)));
  keys.note("Delete", t("marks.key_delete"));
  keys.on("t", () => marked.place.focus(), t("marks.key_text"));

  return {
    focus: () => marked.place.focus(),
    startsInText: true,
    value: answer,
    goOnLabel: () => (tags.length ? null : t("measures.no_tags")),
    setTexts: () => {},
    destroy() {
      marked.destroy();
      place.replaceChildren();
    },
  };
}
