// Gaps in a text: a field for each word that was taken out, all of the same width.

import { compareLists } from "../judge/comparing.js";
import { el } from "../kit/elements.js";
import { onEnter, questionHeading } from "../judge/question.js";
import { quoted } from "../judge/strings.js";

export const owns = ["outputs"];

export function mount(place, { step, screen, value, language, texts, t, change, keys }) {
  const { pieces } = screen.extra[step.name];
  const count = pieces.length - 1;
  let warned = false;
  const fields = Array.from({ length: count }, (_, at) => {
    const field = el("input", {
      class: "gap",
      type: "text",
      maxlength: "80",
      lang: language,
      dir: "auto",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      "aria-label": t("measures.gap", { number: at + 1, of: count }),
    });
    field.value = value?.answers[at] ?? "";
    field.addEventListener("input", () => ((warned = false), change(answers())));
    onEnter(field, () => fields[(at + 1) % count].focus());
    return field;
  });
  const answers = () => ({ answers: fields.map((field) => field.value.trim()) });
  const line = el("p", { class: "text gaps", lang: language, dir: "auto" });
  pieces.forEach((piece, at) => line.append(piece, ...(at < count ? [fields[at]] : [])));
  const card = el("section", { class: "card judged" }, el("h2", {}, t("measures.text")), line);
  texts.outputs.append(card);
  place.append(questionHeading(step));
  if (!count) place.append(el("p", { class: "note" }, t("measures.no_gaps")));
  keys.note("Enter", t("measures.next_gap"));

  return {
    focus: () => (fields.find((field) => !field.value) ?? fields[0])?.focus(),
    startsInText: count > 0,
    value: answers,
    // Empty gaps are an answer, but not one that slips in by mistake.
    missing() {
      const empty = fields.filter((field) => !field.value.trim()).length;
      if (!empty || warned) return null;
      warned = true;
      return t("measures.gaps_empty", { count: empty });
    },
    destroy() {
      card.remove();
    },
  };
}

export const compare = (given, ours) => compareLists(given.answers, ours.answers);

export const describe = ({ answers }) => answers.map(quoted).join(", ");
