// Names that were looked for and not found: are they there in another form? Words of the text are
// chosen for a name, or it is said that it is not there.

import { el } from "../kit/elements.js";
import { questionHeading } from "../judge/question.js";
import { quoted } from "../judge/strings.js";
import { markedText, noteArrows } from "./marked_text.js";

export function mount(place, { step, screen, value, t, change, keys, texts, languages }) {
  const { names } = screen.extra[step.name];
  // undefined: not settled yet; null: not there.
  const found = names.map((_, at) => (value?.open?.includes(at) ? undefined : value?.found[at]));
  let pending = null;
  const chosenLine = el("p", { class: "note chosen-words", dir: "auto", role: "status" });
  const rows = names.map(row);
  place.append(
    questionHeading(step),
    chosenLine,
    el("ol", { class: "marks tags missed", "aria-label": t("measures.missed_list") }, ...rows.map((one) => one.element)),
  );
  const marked = markedText(texts.output, {
    text: screen.outputs[0].text,
    language: languages.target,
    label: t("measures.tag_label"),
    missing: null,
    choose: (span) => ((pending = span), show()),
    open: (mark) => rows[mark.at].is.focus(),
    key(event, span) {
      const at = Number(event.key) - 1;
      if (!rows[at]) return;
      event.preventDefault();
      pending = span;
      settle(at, pending);
    },
  });

  function row({ type, text }, at) {
    const number = names.length > 1 ? el("kbd", { "aria-hidden": "true" }, `${at + 1}`) : null;
    const state = el("span", { class: "note" });
    const is = el("button", { type: "button", class: "quiet tool", "aria-label": `${t("measures.missed_is")}: ${text}`, onclick: () => settle(at, pending) }, t("measures.missed_is"));
    const not = el("button", { type: "button", class: "quiet tool", "aria-label": `${t("measures.missed_not")}: ${text}`, onclick: () => settle(at, null) }, t("measures.missed_not"));
    const quote = el("span", { class: "quote" }, number, " ", el("bdi", { dir: "auto", lang: languages.target }, text), ` ${type} `, state);
    return { element: el("li", {}, quote, el("span", { class: "tools" }, is, not)), state, is, not };
  }

  function settle(at, span) {
    if (span === undefined) return;
    if (span === null) found[at] = null;
    else found[at] = { start: span.start, end: span.end };
    pending = null;
    marked.clear();
    show();
    change(answer());
  }

  function answer() {
    const open = [...found.keys()].filter((at) => found[at] === undefined);
    const places = found.map((one) => one ?? null);
    return open.length ? { found: places, open } : { found: places };
  }

  function show() {
    chosenLine.textContent = pending ? t("marks.chosen", { text: `“${pending.text}”` }) : t("measures.missed_hint");
    rows.forEach(({ state, is, not, element }, at) => {
      is.disabled = !pending;
      const one = found[at];
      state.textContent = one === undefined ? "" : one === null ? t("measures.missed_not") : t("measures.missed_as", { text: marked.quote(one) });
      not.setAttribute("aria-pressed", `${one === null}`);
      element.dataset.settled = `${one !== undefined}`;
    });
    marked.setMarks(found.flatMap((one, at) => (one ? [{ ...one, at, severity: "tag", label: names[at].type }] : [])));
  }

  show();
  noteArrows(keys, t);
  names.slice(0, 9).forEach(({ text }, at) => keys.on(`${at + 1}`, () => (pending ? settle(at, pending) : false), `${t("measures.missed_is")}: ${text}`));
  keys.on("n", () => {
    const next = found.indexOf(undefined);
    return next < 0 ? false : settle(next, null);
  }, t("measures.missed_not"));
  keys.on("t", () => marked.place.focus(), t("marks.key_text"));

  return {
    focus: () => (rows[Math.max(0, found.indexOf(undefined))]?.not ?? marked.place).focus(),
    value: () => (found.includes(undefined) ? undefined : answer()),
    missing() {
      const open = found.filter((one) => one === undefined).length;
      return open ? t("measures.missed_open", { count: open }) : null;
    },
    destroy() {
      marked.destroy();
    },
  };
}

// There or not, whatever its ends.
export function compare(given, ours) {
  const alike = ours.found.filter((one, at) => Boolean(one) === Boolean(given.found[at])).length;
  return alike === ours.found.length ? "same" : alike ? "near" : "other";
}

export const describe = ({ found }, step, example, t) =>
  found.map((one, at) => `${example.extra[step.name].names[at].text}: ${one ? quoted(one.text) : t("measures.missed_not")}`).join("; ");
