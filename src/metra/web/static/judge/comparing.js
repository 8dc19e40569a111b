// How near a judge's answer to an example is to ours, and ours in words.

import { nameOf } from "../steps/mark_menus.js";
import { quoted } from "./strings.js";

const RANKING = ["same", "near", "other"];

// The worst of the steps' agreements.
export function agreement(steps, given, ours) {
  const found = steps.map((step) => KINDS[step.kind]?.(given[step.name], ours[step.name], step.ask) ?? "near");
  return RANKING[Math.max(...found.map((one) => RANKING.indexOf(one)))];
}

const KINDS = {
  scale(given, ours, { low, high, whole }) {
    const share = Math.abs(given - ours) / (high - low);
    if (whole) return given === ours ? "same" : share <= 0.25 ? "near" : "other";
    return share <= 0.05 ? "same" : share <= 0.2 ? "near" : "other";
  },
  // Every one of ours touched by one of theirs, and as many of them.
  marks(given, ours) {
    const touch = (one, other) => one.side === other.side && (one.side === "missing" || (one.start < other.end && other.start < one.end));
    const hit = ours.filter((mark) => given.some((other) => touch(mark, other)));
    const alike = ours.every((mark) => given.some((other) => touch(mark, other) && other.severity === mark.severity));
    if (hit.length === ours.length && given.length === ours.length) return alike ? "same" : "near";
    return hit.length || !ours.length === !given.length ? "near" : "other";
  },
  order: (given, ours) => (`${given}` === `${ours}` ? "same" : "other"),
  gaps: (given, ours) => shared(given.answers, ours.answers),
  questions: (given, ours) => shared(given.answers, ours.answers),
  template: (given, ours) => shared(given.filled.map(String), ours.filled.map(String)),
  chips: (given, ours) => (plain(corrected(given)) === plain(corrected(ours)) ? "same" : "near"),
  tags: (given, ours) => shared(given.tags.map(placeOf), ours.tags.map(placeOf)),
  reconcile: (given, ours) => shared(given.tags.map(placeOf), ours.tags.map(placeOf)),
  near: (given, ours) => (given.score === ours.score ? "same" : Math.abs(given.score - ours.score) <= 2 ? "near" : "other"),
  verdict: (given, ours) => (given.right === ours.right ? "same" : "other"),
  // There or not, whatever its ends.
  missed(given, ours) {
    const alike = ours.found.filter((one, at) => Boolean(one) === Boolean(given.found[at])).length;
    return alike === ours.found.length ? "same" : alike ? "near" : "other";
  },
};

const fold = (one) => (one === null ? "" : one.normalize("NFC").toLowerCase());
const plain = (text) => text.replaceAll(/\s/gu, "");
const placeOf = ({ start, end, type }) => `${start} ${end} ${type}`;
const corrected = ({ chips, text }) => text ?? chips.map((chip) => chip.text).join(" ");

// All the same, some, or none.
function shared(given, ours) {
  const theirs = given.map(fold);
  const hits = ours.map(fold).filter((one) => theirs.includes(one)).length;
  if (hits === ours.length && given.length === ours.length) return "same";
  return hits ? "near" : "other";
}

const WORDS = {
  scale(value, step) {
    const label = step.ask.anchors.find((one) => one.at === value)?.label;
    return label && label !== `${value}` ? `${value} (${label})` : `${value}`;
  },
  marks(value, step, example, t) {
    if (!value.length) return t("marks.none");
    const points = Array.from(example.outputs[0]);
    return value
      .map((mark) => {
        const text = mark.side === "missing" ? t("marks.missing_word") : quoted(points.slice(mark.start, mark.end).join(""));
        return [text, nameOf(step, mark.severity), mark.category && kindOf(step, mark.category)].filter(Boolean).join(" · ");
      })
      .join("; ");
  },
  order(value, step, example, t) {
    if (value.length === 2) return nameOf(step, value[0] < value[1] ? "first" : value[0] > value[1] ? "second" : "tie");
    return value.map((rank, at) => `${"ABCDEFGHIJKLMNOPQRSTUVWXYZ"[at]}: ${rank}`).join(", ");
  },
  gaps: ({ answers }) => answers.map(quoted).join(", "),
  questions: ({ answers }, step, example, t) => answers.map((one) => (one === null ? t("measures.do_not_know") : quoted(one))).join("; "),
  template: ({ filled }, step) => filled.map(([slot, text]) => `${nameOf(step, slot)}: ${text}`).join("; "),
  chips: (value) => corrected(value),
  tags: (value, step, example, t) => tagged(value, step, t),
  reconcile: (value, step, example, t) => tagged(value, step, t),
  near: ({ score }) => `${score}`,
  verdict: ({ right }, step) => nameOf(step, right ? "right" : "wrong"),
  missed: ({ found }, step, example, t) =>
    found.map((one, at) => `${example.extra[step.name].names[at].text}: ${one ? quoted(one.text) : t("measures.missed_not")}`).join("; "),
};

// "accuracy/omission" in the judge's words.
function kindOf(step, category) {
  const [group, member] = category.split("/");
  return member ? `${nameOf(step, group)}: ${nameOf(step, category)}` : nameOf(step, category);
}

const tagged = ({ tags }, step, t) => tags.map(({ text, type }) => `${quoted(text)} ${nameOf(step, type)}`.trim()).join("; ") || t("measures.no_tags");

export const inWords = (steps, example, t) =>
  steps
    .map((step) => {
      const said = WORDS[step.kind]?.(example.answer[step.name], step, example, t) ?? "";
      return steps.length > 1 ? `${step.title}: ${said}` : said;
    })
    .join("; ");
