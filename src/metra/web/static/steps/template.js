// A template to fill in: for each slot, as many values as the text gives.

import { compareLists } from "../judge/comparing.js";
import { el, freshId, onEnter, questionHeading } from "../judge/elements.js";
import { nameOf } from "./mark_menus.js";

export function mount(place, { step, screen, value, language, texts, t, change }) {
  const { slots } = screen.extra[step.name];
  const { names } = step;
  let warned = false;
  const rows = slots.map((slot) => row(slot, (value?.filled ?? []).filter(([name]) => name === slot).map(([, text]) => text)));
  const sheet = el("section", { class: "card slots" }, ...rows.map((one) => one.element));
  texts.outputs.after(sheet);
  place.append(questionHeading(step));

  function row(slot, given) {
    const name = el("span", { class: "slot", id: freshId("slot"), lang: slot in names ? step.languages.names : language, dir: "auto" }, names[slot] ?? slot);
    const fields = el("span", { class: "values" });
    const more = el("button", { type: "button", class: "quiet", "aria-label": `${t("measures.another")}: ${names[slot] ?? slot}`, onclick: () => add("").focus() }, t("measures.another"));
    function add(text) {
      const field = el("input", { type: "text", maxlength: "300", "aria-labelledby": name.id, lang: language, dir: "auto", autocomplete: "off" });
      field.value = text;
      field.addEventListener("input", () => ((warned = false), change(filled())));
      onEnter(field, () => {
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
    destroy() {
      sheet.remove();
    },
  };
}

export const compare = (given, ours) => compareLists(given.filled.map(String), ours.filled.map(String));

export const describe = ({ filled }, step) => filled.map(([slot, text]) => `${nameOf(step, slot)}: ${text}`).join("; ");
