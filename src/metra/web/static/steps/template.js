// Templates to fill in: for each slot as many fillers, and of each template as many instances, as the text gives.

import { compareLists } from "../judge/comparing.js";
import { el, freshId } from "../kit/elements.js";
import { onEnter, questionHeading } from "../judge/question.js";
import { nameOf } from "./mark_menus.js";

export function mount(place, { step, screen, value, language, texts, t, change }) {
  const { slots, templates } = screen.extra[step.name];
  const { names } = step;
  let warned = false;
  // Names of instances, offered where another instance may be meant.
  const known = el("datalist", { id: freshId("known") });
  const sheet = el("section", { class: "card templates" }, known);
  const groups = templates ? templates.map(group) : [flat()];
  sheet.append(...groups.map((one) => one.element));
  texts.outputs.after(sheet);
  place.append(questionHeading(step));
  offerNames();

  // A flat list: one instance, which is always there.
  function flat() {
    const form = instance("", slots, value?.filled ?? []);
    return { element: form.element, entries: form.pairs };
  }

  // All instances of a template, with buttons that add one and bring back what was removed.
  function group({ template, slots }) {
    const title = names[template] ?? template;
    const forms = [];
    let removed = null;
    const list = el("div", { class: "instances" });
    const more = el("button", { type: "button", class: "quiet", onclick: () => add([]).focus() }, `${t("measures.another")}: ${title}`);
    const undo = el("button", { type: "button", class: "quiet", hidden: true, onclick: restore }, t("measures.chip_undo"));
    function add(pairs, at = forms.length) {
      const form = instance(template, slots, pairs, () => remove(form));
      forms.splice(at, 0, form);
      list.insertBefore(form.element, list.children[at] ?? null);
      number();
      return form;
    }
    function remove(form) {
      const [at, pairs] = [forms.indexOf(form), form.pairs()];
      forms.splice(at, 1);
      form.element.remove();
      removed = pairs.length ? [pairs, at] : null;
      undo.hidden = !removed;
      number();
      changed();
      (removed ? undo : (forms[at] ?? forms[at - 1])).focus();
    }
    function restore() {
      const form = add(...removed);
      undo.hidden = true;
      changed();
      form.focus();
    }
    const number = () => forms.forEach((form, at) => form.call(`${title} ${at + 1}`, forms.length > 1));
    const given = (value?.filled ?? []).filter((one) => one.template === template);
    (given.length ? given : [{ slots: [] }]).forEach((one) => add(one.slots));
    return {
      element: el("div", { class: "group" }, list, el("div", { class: "tools" }, more, undo)),
      entries: () => forms.map((form) => ({ template, slots: form.pairs() })).filter((one) => one.slots.length),
      names: () => forms.map((form) => form.pairs().find(([slot]) => slot === slots[0])?.[1]),
    };
  }

  function instance(template, slots, pairs, remove) {
    const rows = slots.map((slot, at) => row(slot, at, pairs.filter(([name]) => name === slot).map(([, text]) => text)));
    const inner = rows.map((one) => one.element);
    const read = () => rows.flatMap(({ slot, fields }) => [...fields.children].map((field) => [slot, field.value.trim()])).filter(([, text]) => text);
    const focus = () => rows[0]?.fields.firstElementChild.focus();
    if (!remove) return { element: el("div", { class: "slots" }, ...inner), pairs: read, focus };
    const legend = el("legend", { lang: template in names ? step.languages.names : language, dir: "auto" });
    const gone = el("button", { type: "button", class: "quiet", onclick: remove }, t("measures.chip_remove"));
    const element = el("fieldset", { class: "slots" }, legend, ...inner, gone);
    function call(title, removable) {
      legend.textContent = title;
      gone.hidden = !removable;
      gone.setAttribute("aria-label", `${t("measures.chip_remove")}: ${title}`);
    }
    return { element, pairs: read, focus, call };
  }

  function row(slot, at, given) {
    const title = names[slot] ?? slot;
    const name = el("span", { class: "slot", id: freshId("slot"), lang: slot in names ? step.languages.names : language, dir: "auto" }, title);
    const fields = el("span", { class: "values" });
    const more = el("button", { type: "button", class: "quiet", "aria-label": `${t("measures.another")}: ${title}`, onclick: () => add("").focus() }, t("measures.another"));
    function add(text) {
      const attributes = { type: "text", maxlength: "300", "aria-labelledby": name.id, lang: language, dir: "auto", autocomplete: "off" };
      // The first slot names the instance itself; the others may name another one.
      const field = el("input", templates && at ? { ...attributes, list: known.id } : attributes);
      field.value = text;
      field.addEventListener("input", changed);
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

  function changed() {
    warned = false;
    offerNames();
    change(filled());
  }

  function offerNames() {
    const every = new Set(groups.flatMap((one) => one.names?.() ?? []).filter(Boolean));
    known.replaceChildren(...[...every].map((name) => el("option", { value: name })));
  }

  const filled = () => ({ filled: groups.flatMap((one) => one.entries()) });

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

// An instance as one text, whatever the order of its slots; a pair of a flat list is one, too.
const inOneText = (entry) => (entry.slots ? [entry.template, ...entry.slots.map(String).sort()].join("\n") : String(entry));

const pairsOf = (entry) => (entry.slots ? entry.slots.map(String) : [String(entry)]);

// What belongs together counts: the right fillers in the wrong instances are near, not the same.
export function compare({ filled: given }, { filled: ours }) {
  const [whole, parts] = [inOneText, pairsOf].map((split) => compareLists(given.flatMap(split), ours.flatMap(split)));
  return whole === "other" && parts !== "other" ? "near" : whole;
}

export function describe({ filled }, step) {
  const inWords = ([slot, text]) => `${nameOf(step, slot)}: ${text}`;
  return filled.map((entry) => (entry.slots ? `${nameOf(step, entry.template)} (${entry.slots.map(inWords).join(", ")})` : inWords(entry))).join("; ");
}
