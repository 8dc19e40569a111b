// What raters tagged, with their votes: keep, drop, or choose other words instead. Whose votes
// they are is not told.

import { el, freshId } from "../kit/elements.js";
import { questionHeading } from "../judge/question.js";
import { markedText, noteArrows } from "./marked_text.js";
import { typeBar } from "./tags.js";

export { compare, describe } from "./tags.js";

export function mount(place, { step, screen, value, t, change, keys, texts, languages }) {
  const { candidates, raters } = screen.extra[step.name];
  const { types } = step.ask;
  const keyOf = ({ start, end, type }) => `${start} ${end} ${type}`;
  const kept = new Map((value?.tags ?? []).map((tag) => [keyOf(tag), tag]));
  const known = candidates.map((one) => ({ ...one, kept: value ? kept.has(keyOf(one)) : one.votes === raters }));
  const listed = new Set(known.map(keyOf));
  const rows = [...known, ...[...kept.values()].filter((tag) => !listed.has(keyOf(tag))).map((tag) => ({ ...tag, votes: 0, kept: true }))];
  for (const row of rows) row.variants = (kept.get(keyOf(row))?.variants ?? []).join(" | ");
  let pending = null;
  const list = el("ol", { class: "marks tags reconcile", "aria-label": t("measures.tag_list") });
  const bar = typeBar({ step, t, hint: t("measures.reconcile_hint"), add: (type) => add(type) });
  place.append(questionHeading(step), list, bar.element);
  texts.output.parentElement.querySelector("h2").textContent = t("measures.text");
  const marked = markedText(texts.output, {
    text: screen.outputs[0].text,
    language: languages.target,
    label: t("measures.tag_label"),
    missing: null,
    choose: (span) => ((pending = span), show()),
    open: (mark) => list.children[mark.at]?.querySelector("input")?.focus(),
    key(event, span) {
      const type = bar.types[event.key - 1];
      if (type === undefined) return;
      event.preventDefault();
      pending = span;
      add(type);
    },
  });

  function add(type) {
    if (!pending) return;
    const tag = { start: pending.start, end: pending.end, type };
    const there = rows.find((row) => keyOf(row) === keyOf(tag));
    if (there) there.kept = true;
    else rows.push({ ...tag, votes: 0, kept: true, variants: "" });
    rows.sort((one, other) => one.start - other.start || one.end - other.end);
    pending = null;
    marked.clear();
    draw();
    changed();
  }

  function answer() {
    return {
      tags: rows
        .filter((row) => row.kept)
        .map(({ start, end, type, variants }) => {
          const words = variants.split("|").map((one) => one.trim()).filter(Boolean);
          return { start, end, type, ...(words.length ? { variants: words } : {}) };
        }),
    };
  }

  const changed = () => (show(), change(answer()));

  function draw() {
    list.replaceChildren(
      ...rows.map((row) => {
        const box = el("input", { type: "checkbox", id: freshId("keep"), checked: row.kept });
        box.addEventListener("change", () => ((row.kept = box.checked), changed()));
        const quote = marked.quote(row);
        const votes = row.votes ? t("measures.votes", { votes: row.votes, raters }) : t("measures.added");
        const sought = row.sought && row.sought !== quote ? ` · ${t("measures.sought", { text: row.sought })}` : "";
        const label = el("label", { for: box.id }, el("bdi", { dir: "auto" }, quote), row.type ? ` ${step.names[row.type] ?? row.type}` : "", " ", el("span", { class: "note" }, `${votes}${sought}`));
        const variants = types.length ? null : el("input", { type: "text", maxlength: "300", dir: "auto", lang: languages.target, "aria-label": `${t("measures.variants")}: ${quote}`, placeholder: t("measures.variants") });
        if (variants) {
          variants.value = row.variants;
          variants.addEventListener("input", () => ((row.variants = variants.value), change(answer())));
          variants.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
        }
        return el("li", {}, el("span", { class: "check" }, box, label), variants, merging(row));
      }),
    );
  }

  // Neighbours that touch, or overlap, may be two halves of one.
  function merging(row) {
    const next = rows[rows.indexOf(row) + 1];
    const touches = next && next.type === row.type && marked.points.slice(row.end, Math.max(row.end, next.start)).every((sign) => /\s/u.test(sign));
    if (!touches) return null;
    const hull = { start: row.start, end: Math.max(row.end, next.end), text: "" };
    const name = `${t("measures.merge")}: ${marked.quote(hull)}`;
    return el("button", { type: "button", class: "quiet tool", "aria-label": name, title: marked.quote(hull), onclick: () => merge(row, next, hull) }, t("measures.merge"));
  }

  function merge(row, next, hull) {
    row.kept = next.kept = false;
    pending = hull;
    add(row.type);
    list.children[rows.findIndex((one) => one.start === hull.start && one.end === hull.end)]?.querySelector("input")?.focus();
  }

  function show() {
    bar.show(pending);
    marked.setMarks(rows.map((row, at) => ({ ...row, at, severity: row.kept ? "tag" : "neutral", label: row.kept ? row.type : "" })));
  }

  draw();
  show();
  noteArrows(keys, t);
  bar.types.forEach((type, at) => keys.on(`${at + 1}`, () => (pending ? add(type) : false), bar.nameOf(type)));
  keys.on("t", () => marked.place.focus(), t("marks.key_text"));
  return {
    focus: () => (list.querySelector("input") ?? marked.place).focus(),
    value: answer,
    destroy() {
      marked.destroy();
    },
  };
}
