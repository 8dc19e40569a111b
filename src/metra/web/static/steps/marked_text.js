// A text in which words can be chosen and marks are drawn: by mouse, by finger, by keyboard.
// Places are code points, the end not included.

import { el } from "../kit/elements.js";
import { codePoints, toPoints, wordsOf } from "./words.js";

// `place` is where the text stands now. `choose(span | null)` hears of each choice,
// `open(mark)` that a mark was picked, `key(event, span)` every other key.
export function markedText(place, { text, language, label, missing, choose, open, key }) {
  const points = Array.from(text);
  const words = wordsOf(text, language);
  if (missing) words.push({ missing: true, start: points.length, end: points.length });
  const rtl = getComputedStyle(place).direction === "rtl";
  const echo = el("span", { class: "unseen", role: "status" });
  let marks = [];
  let chosen = null;
  let caret = 0;
  let anchor = null;
  let from = null;

  place.tabIndex = 0;
  place.setAttribute("role", "application");
  place.setAttribute("aria-label", label);
  place.classList.add("markable");
  place.after(echo);

  const inside = (at, span) => at >= span.start && at < span.end;
  const said = (span) => (span.missing ? missing.word : points.slice(span.start, span.end).join(""));

  function draw() {
    const cuts = new Set([0, points.length]);
    for (const span of [...words, ...marks, ...(chosen ? [chosen] : [])]) cuts.add(span.start).add(span.end);
    const edges = [...cuts].sort((a, b) => a - b);
    const pieces = [];
    for (let at = 0; at + 1 < edges.length; at++) pieces.push(piece(edges[at], edges[at + 1]));
    if (missing) pieces.push(" ", missingWord());
    place.replaceChildren(...pieces);
  }

  function piece(start, end) {
    const here = marks.filter((mark) => !mark.missing && inside(start, mark));
    const made = el("span", { class: "piece" }, points.slice(start, end).join(""));
    made.dataset.start = start;
    dress(made, here, chosen && !chosen.missing && inside(start, chosen), isCaret(start));
    const named = here.filter((mark) => mark.end === end && mark.label);
    if (named.length) made.dataset.label = labels(named);
    return made;
  }

  const isCaret = (start) => words[caret] && !words[caret].missing && inside(start, words[caret]);
  const labels = (list) => list.map((mark) => mark.label).join(" · ");

  function dress(made, here, isChosen, hasCaret) {
    if (here.length) {
      made.classList.add("error");
      made.dataset.severity = here.at(-1).severity;
    }
    made.classList.toggle("chosen", Boolean(isChosen));
    made.classList.toggle("caret", Boolean(hasCaret));
  }

  function missingWord() {
    const made = el("span", { class: "piece missing", title: missing.help }, missing.word);
    made.dataset.missing = "";
    const here = marks.filter((mark) => mark.missing);
    dress(made, here, chosen?.missing, words[caret]?.missing);
    if (here.length) made.dataset.label = labels(here);
    return made;
  }

  function pick(span) {
    chosen = span;
    draw();
    choose(span && { ...span, text: said(span) });
  }

  const hull = (one, other) => ({ start: Math.min(one.start, other.start), end: Math.max(one.end, other.end) });
  const wordAt = (start) => words.findIndex((word) => !word.missing && inside(start, word));

  // A tap chooses a word, a second one everything in between; a tap on what is chosen lets go.
  function tapped(target) {
    const hit = target.closest(".piece");
    if (!hit) return;
    const at = "missing" in hit.dataset ? words.length - 1 : wordAt(Number(hit.dataset.start));
    const mark = marks.findLast((one) =>
      "missing" in hit.dataset ? false : !one.missing && inside(Number(hit.dataset.start), one),
    );
    if (mark && !chosen) return open(mark);
    if (at < 0) return;
    caret = at;
    anchor = null;
    const word = words[at];
    if (word.missing) return pick(chosen?.missing ? null : word);
    if (!chosen || chosen.missing) return pick({ start: word.start, end: word.end });
    if (word.start >= chosen.start && word.end <= chosen.end) return pick(null);
    pick(hull(chosen, word));
  }

  // What was swept over with the mouse, without the spaces at its ends.
  function swept() {
    const selection = getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    if (!place.contains(range.startContainer) || !place.contains(range.endContainer)) return null;
    let start = pointOf(range.startContainer, range.startOffset);
    let end = pointOf(range.endContainer, range.endOffset);
    while (start < end && /\s/u.test(points[start])) start += 1;
    while (end > start && /\s/u.test(points[end - 1])) end -= 1;
    selection.removeAllRanges();
    return start < end ? { start, end } : null;
  }

  function pointOf(node, offset) {
    if (node.nodeType !== Node.TEXT_NODE) {
      const next = node.childNodes[offset]?.closest?.(".piece") ?? node.childNodes[offset];
      return next?.dataset?.start === undefined ? points.length : Number(next.dataset.start);
    }
    const start = node.parentElement.dataset.start;
    return start === undefined ? points.length : Number(start) + toPoints(node.data, offset);
  }

  function speak() {
    echo.textContent = words[caret] ? said(words[caret]) : "";
  }

  let pressed = null;
  place.addEventListener("pointerdown", (event) => (pressed = event.target));
  place.addEventListener("pointerup", (event) => {
    const span = event.pointerType === "touch" ? null : swept();
    if (span) {
      caret = Math.max(0, wordAt(span.start));
      pick(span);
    } else if (pressed === event.target) tapped(event.target);
    pressed = null;
  });
  place.addEventListener("focus", speak);

  function move(by, extend) {
    const before = caret;
    caret = Math.min(words.length - 1, Math.max(0, caret + by));
    const word = words[caret];
    if (extend) {
      anchor ??= before;
      if (!word.missing) pick(hull(words[anchor], word));
      else pick(word);
    } else {
      anchor = null;
      draw();
    }
    place.querySelector(".caret")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    speak();
  }

  const current = () => (words[caret].missing ? words[caret] : { start: words[caret].start, end: words[caret].end });

  const moves = {
    ArrowRight: (event) => move(rtl ? -1 : 1, event.shiftKey),
    ArrowLeft: (event) => move(rtl ? 1 : -1, event.shiftKey),
    Home: (event) => move(-words.length, event.shiftKey),
    End: (event) => move(words.length, event.shiftKey),
    " ": () => pick(current()),
    "[": () => ((from = caret), pick(current())),
    "]": () => pick(words[caret].missing ? current() : hull(words[from ?? caret], words[caret])),
    Escape: () => ((anchor = from = null), pick(null)),
  };
  place.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !words.length) return;
    const action = moves[event.key];
    if (action) {
      event.preventDefault();
      action(event);
    } else key(event, chosen ?? current());
  });

  draw();
  return {
    place,
    points,
    setMarks(list) {
      marks = list;
      draw();
    },
    // The marks that the caret stands in.
    here: () =>
      words[caret]?.missing
        ? marks.filter((mark) => mark.missing)
        : marks.filter((mark) => !mark.missing && words[caret] && mark.start < words[caret].end && mark.end > words[caret].start),
    // Back to where one was in the text.
    goTo() {
      place.focus({ preventScroll: true });
      place.querySelector(".caret")?.scrollIntoView({ block: "nearest" });
    },
    clear() {
      anchor = from = null;
      chosen = null;
      draw();
    },
    quote: (mark) => (mark.missing ? missing?.word ?? "" : points.slice(mark.start, mark.end).join("")),
    destroy() {
      echo.remove();
      place.removeAttribute("role");
      place.removeAttribute("aria-label");
      place.removeAttribute("tabindex");
      place.classList.remove("markable");
      place.replaceChildren(text);
    },
    length: codePoints(text),
  };
}

// How words are chosen by keys, for the map of keys.
export function noteArrows(keys, t) {
  keys.note("← →", t("marks.key_words"));
  keys.note("Shift+← →", t("marks.key_extend"));
}
