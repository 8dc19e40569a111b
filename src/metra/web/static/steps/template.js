// A template to fill in: for each slot, as many values as the text gives.

import { el, freshId } from "../judge/elements.js";

export function mount(place, { step, screen, value, language, texts, t, change }) {
  const { slots } = screen.extra[step.name];
  const { names } = step;
  let warned = false;
  const rows = slots.map((slot) => row(slot, (value?.filled ?? []).filter(([name]) => name === slot).map(([, text]) => text)));
  const sheet = el("section", { class: "card slots" }, ...rows.map((one) => one.element));
  texts.outputs.after(sheet);
  place.append(el("h2", { class: "question", lang: step.languages.question, dir: "auto" }, step.question));

  function row(slot, given) {
    const name = el("span", { class: "slot", id: freshId("slot"), lang: slot in names ? step.languages.names : language, dir: "auto" }, names[slot] ?? slot);
    const fields = el("span", { class: "values" });
    const more = el("button", { type: "button", class: "quiet", "aria-label": `${t("measures.another")}: ${names[slot] ?? slot}`, onclick: () => add("").focus() }, t("measures.another"));
    function add(text) {
      const field = el("input", { type: "text", maxlength: "300", "aria-labelledby": name.id, lang: language, dir: "auto", autocomplete: "off" });
      field.value = text;
      field.addEventListener("input", () => ((warned = false), change(filled())));
      field.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        const all = [...sheet.querySelectorAll("input")];
        all[(all.indexOf(field) + 1) % all.length].focus();
      });
      fields.append(field);
      return field;
    }
    (given.length ? given : [""]).forEach(add);
    return { slot, fields, element: el("div", { class: "slot-row" }, name, fields, more) };
  }

  function filled() {
    const pairs = rows.flatMap(({ slot, fields }) => [...fields.children].map((field) => [slot, field.value.trim()]));
    return { filled: pairs.filter(([, text]) => text) };
  }

  return {
    focus: () => sheet.querySelector("input")?.focus(),
    value: filled,
    missing() {
      if (filled().filled.length || warned) return null;
      warned = true;
      return t("measures.template_empty");
    },
    setTexts: () => {},
    destroy() {
      sheet.remove();
      place.replaceChildren();
    },
  };
}
