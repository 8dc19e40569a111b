// Error marks: choose words in the output or the source, say how grave the error is and, where
// the protocol asks for it, of which kind. A list shows all marks and lets each be changed.

import { el } from "../kit/elements.js";
import { questionHeading } from "../judge/question.js";
import { quoted } from "../judge/strings.js";
import { markedText, noteArrows } from "./marked_text.js";
import { categoryMenu, nameOf } from "./mark_menus.js";

export function mount(place, { step, screen, value, t, change, keys, texts, languages, clock }) {
  const { severities, categories, most } = step.ask;
  let marks = (value ?? []).map((mark) => ({ ...mark }));
  let pending = null;
  const sides = {};

  const question = questionHeading(step);
  const chosenLine = el("span", { class: "chosen-words" });
  const bar = el("div", { class: "severities", role: "group", "aria-label": t("marks.severity") });
  const full = el("p", { class: "hint", hidden: true }, t("marks.full", { most }));
  const list = el("ol", { class: "marks", "aria-label": t("marks.list") });
  list.addEventListener("keydown", (event) => {
    if (event.key === "Escape") sides.output.place.focus();
    else if (!event.target.closest("input") && deletes(event)) remove([...list.children].indexOf(event.target.closest("li")));
  });
  const count = el("span", { class: "note" });
  const above = el("div", { class: "mark-bar" }, chosenLine, count, bar);
  place.append(question, above, full, list);

  const buttons = severities.map((severity, at) =>
    el(
      "button",
      { type: "button", class: "severity", "data-severity": severity, onclick: () => add(severity) },
      el("kbd", { "aria-hidden": "true" }, `${at + 1}`),
      el("span", { lang: step.languages.names }, nameOf(step, severity)),
    ),
  );
  const cancel = el("button", { type: "button", class: "quiet", onclick: () => letGo() }, t("marks.cancel"));
  bar.append(...buttons, cancel);

  function letGo() {
    for (const side of Object.values(sides)) side.clear();
    pending = null;
    show();
  }

  const isFull = () => most !== null && most !== undefined && marks.length >= most;

  function show() {
    chosenLine.textContent = pending ? t("marks.chosen", { text: quoted(pending.text) }) : t("marks.hint");
    chosenLine.dir = "auto";
    above.classList.toggle("busy", pending !== null);
    for (const button of [...buttons, cancel]) button.disabled = !pending || (button !== cancel && isFull());
    full.hidden = !isFull();
    count.textContent = most ? t("marks.count", { count: marks.length, most }) : "";
    for (const [side, text] of Object.entries(sides)) text.setMarks(shownIn(side));
  }

  // Marks as the text draws them; `missing` stands at the end of the output.
  const shownIn = (side) =>
    marks
      .map((mark, at) => ({ ...mark, at, missing: mark.side === "missing" }))
      .filter((mark) => mark.side === side || (side === "output" && mark.missing))
      .map((mark) => ({ ...mark, label: `${mark.at + 1} ${nameOf(step, mark.severity)}` }));

  function add(severity, side = pending?.side, span = pending) {
    if (!span || isFull()) return;
    const mark = span.missing
      ? { side: "missing", start: 0, end: 0, severity }
      : { side, start: span.start, end: span.end, severity };
    marks.push(mark);
    clock.event("mark", { side: mark.side });
    letGo();
    draw();
    changed();
    if (categories.length) list.lastElementChild.querySelector("select").focus();
    else sides[side]?.place.focus({ preventScroll: true });
  }

  function remove(at) {
    const [gone] = marks.splice(at, 1);
    clock.event("unmark", { side: gone.side });
    draw();
    changed();
    (list.children[Math.min(at, marks.length - 1)]?.querySelector("button, select") ?? sides.output.place).focus();
  }

  // Wherever the focus is: in the text the mark here, in the list that row, else the last mark.
  const deletes = (event) => /^(Delete|Backspace)$/.test(event.key) && (event.preventDefault(), true);

  const changed = () => (show(), change(marks.map((mark) => ({ ...mark }))));

  function draw() {
    list.replaceChildren(...marks.map(row));
  }

  function row(mark, at) {
    const source = mark.side === "source";
    const quote = (sides[mark.side] ?? sides.output).quote({ ...mark, missing: mark.side === "missing" });
    const name = t("marks.mark_label", { number: at + 1, text: quote });
    const choice = el(
      "select",
      {
        "aria-label": `${name}: ${t("marks.severity")}`,
        onchange: (event) => ((mark.severity = event.target.value), draw(), changed(), focusRow(at)),
      },
      ...severities.map((severity) =>
        el("option", { value: severity, lang: step.languages.names, selected: severity === mark.severity }, nameOf(step, severity)),
      ),
    );
    return el(
      "li",
      { "data-severity": mark.severity },
      el("span", { class: "quote" }, el("span", { class: "figure" }, `${at + 1}`), el("bdi", { dir: "auto" }, quote), source ? el("span", { class: "note" }, ` ${t("marks.in_source")}`) : null),
      el(
        "span",
        { class: "mark-controls" },
        categories.length ? categoryMenu(mark, step, name, t, () => changed(), () => sides[source ? "source" : "output"].goTo()) : null,
        choice,
        el("button", { type: "button", class: "quiet", "aria-label": t("marks.delete_label", { text: quote }), onclick: () => remove(at) }, t("marks.delete")),
      ),
    );
  }

  const focusRow = (at) => list.children[at]?.querySelector("select")?.focus();

  function pressed(event, span, side) {
    const digit = Number(event.key);
    if (digit >= 1 && digit <= severities.length) {
      event.preventDefault();
      add(severities[digit - 1], side, span);
    } else if (deletes(event)) {
      const mark = sides[side].here().at(-1);
      if (mark || marks.length) {
        remove(mark?.at ?? marks.length - 1);
        sides[side].place.focus();
      }
    } else if (event.key.toLowerCase() === "e" && marks.length) {
      event.preventDefault();
      focusRow(sides[side].here().at(-1)?.at ?? 0);
    }
  }

  function attach(side, text, language, element) {
    sides[side] = markedText(element, {
      text,
      language,
      label: t(`marks.${side}_label`),
      missing: side === "output" ? { word: t("marks.missing_word"), help: t("marks.missing_help") } : null,
      choose(span) {
        for (const [other, one] of Object.entries(sides)) if (other !== side) one.clear();
        pending = span && { ...span, side };
        show();
      },
      open: (mark) => focusRow(mark.at),
      key: (event, span) => pressed(event, span, side),
    });
  }

  function setTexts(next) {
    if (next.source && texts.source && !sides.source) attach("source", next.source, languages.source, texts.source);
    if (!sides.output) attach("output", next.outputs[0].text, languages.target, texts.output);
  }

  setTexts(screen);
  draw();
  show();
  noteArrows(keys, t);
  keys.note("[", t("marks.key_from"));
  keys.note("]", t("marks.key_to"));
  severities.forEach((severity, at) =>
    keys.note(`${at + 1}`, t("marks.key_severity", { severity: nameOf(step, severity) })),
  );
  keys.note("Delete", t("marks.key_delete"));
  for (const key of ["Delete", "Backspace"]) keys.on(key, () => (marks.length ? remove(marks.length - 1) : false));
  keys.note("E", t("marks.key_edit"));
  keys.on("t", () => sides.output.place.focus(), t("marks.key_text"));
  // A text that is not focused still gets the digits while words are chosen.
  severities.forEach((severity, at) => keys.on(`${at + 1}`, () => (pending ? add(severity) : false)));

  return {
    focus: () => sides.output.place.focus(),
    startsInText: true,
    value: () => marks.map((mark) => ({ ...mark })),
    missing: () =>
      categories.length && marks.some((mark) => !mark.category) ? t("marks.needs_category") : null,
    goOnLabel: () => (marks.length ? null : t("work.no_errors")),
    setTexts,
    destroy() {
      for (const side of Object.values(sides)) side.destroy();
    },
  };
}

// Every one of ours touched by one of theirs, and as many of them.
export function compare(given, ours) {
  const touch = (one, other) => one.side === other.side && (one.side === "missing" || (one.start < other.end && other.start < one.end));
  const hit = ours.filter((mark) => given.some((other) => touch(mark, other)));
  const alike = ours.every((mark) => given.some((other) => touch(mark, other) && other.severity === mark.severity));
  if (hit.length === ours.length && given.length === ours.length) return alike ? "same" : "near";
  return hit.length || !ours.length === !given.length ? "near" : "other";
}

export function describe(value, step, example, t) {
  if (!value.length) return t("marks.none");
  const points = Array.from(example.outputs[0]);
  return value
    .map((mark) => {
      const text = mark.side === "missing" ? t("marks.missing_word") : quoted(points.slice(mark.start, mark.end).join(""));
      return [text, nameOf(step, mark.severity), mark.category && kindOf(step, mark.category)].filter(Boolean).join(" · ");
    })
    .join("; ");
}

// "accuracy/omission" in the judge's words.
function kindOf(step, category) {
  const [group, member] = category.split("/");
  return member ? `${nameOf(step, group)}: ${nameOf(step, category)}` : nameOf(step, category);
}
