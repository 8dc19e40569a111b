// Questions about a text, to be answered by a choice or in a few words; not to know is an answer.

import { compareLists } from "../judge/comparing.js";
import { el, freshId } from "../kit/elements.js";
import { onEnter, questionHeading } from "../judge/question.js";
import { quoted } from "../judge/strings.js";

export function mount(place, { step, screen, value, language, texts, t, change }) {
  const { questions } = screen.extra[step.name];
  // A draft names the questions that are still open: null alone would mean "I do not know".
  const answers = questions.map((_, at) => (value?.open?.includes(at) ? undefined : value?.answers[at]));
  const first = [];
  const blocks = questions.map(({ question, choices }, at) => (choices.length ? choice(question, choices, at) : words(question, at)));
  // Beside the text where there is room, below it where there is not.
  const sheet = el("section", { class: "card questions" }, ...blocks);
  texts.outputs.after(sheet);
  // Where nothing was to be read, say so; where it was read before, it is gone now.
  const without = !screen.outputs[0].text;
  place.append(
    without
      ? el("h2", { class: "question" }, t("measures.without_text"))
      : questionHeading(step),
  );
  if (without) texts.outputs.hidden = true;
  else if (step.ask.hidden) texts.outputs.replaceChildren(el("p", { class: "card note" }, t("measures.text_hidden")));

  function set(at, answer) {
    answers[at] = answer;
    change({ answers: answers.map((one) => (one === undefined ? null : one)), open: [...answers.keys()].filter((one) => answers[one] === undefined) });
  }

  function choice(question, choices, at) {
    const name = freshId("question");
    const rows = [...choices.map((text) => [text, text]), [null, t("measures.do_not_know")]].map(([answer, label]) => {
      const input = el("input", { type: "radio", name, id: freshId("answer"), checked: answers[at] === answer, onchange: () => set(at, answer) });
      first[at] ??= input;
      return el("div", { class: "choice" }, input, el("label", { for: input.id }, el("bdi", { lang: answer === null ? null : language, dir: "auto" }, label)));
    });
    return el("fieldset", {}, el("legend", { lang: language, dir: "auto" }, `${at + 1}. ${question}`), el("div", { class: "choices" }, ...rows));
  }

  function words(question, at) {
    const field = el("input", { type: "text", maxlength: "300", id: freshId("answer"), lang: language, dir: "auto", autocomplete: "off" });
    const unknown = el("input", { type: "checkbox", id: freshId("unknown"), checked: answers[at] === null });
    field.value = answers[at] ?? "";
    field.addEventListener("input", () => {
      unknown.checked = false;
      set(at, field.value.trim() || undefined);
    });
    onEnter(field, () => (first[at + 1] ?? unknown).focus());
    unknown.addEventListener("change", () => {
      if (unknown.checked) field.value = "";
      set(at, unknown.checked ? null : undefined);
    });
    first[at] = field;
    return el(
      "div",
      { class: "asked" },
      el("label", { for: field.id, class: "legend", lang: language, dir: "auto" }, `${at + 1}. ${question}`),
      field,
      el("p", { class: "check" }, unknown, el("label", { for: unknown.id }, t("measures.do_not_know"))),
    );
  }

  return {
    focus: () => first[answers.indexOf(undefined) >= 0 ? answers.indexOf(undefined) : 0]?.focus(),
    value: () => (answers.includes(undefined) ? undefined : { answers: [...answers] }),
    missing() {
      const open = answers.filter((one) => one === undefined).length;
      return open ? t("measures.questions_open", { count: open }) : null;
    },
    destroy() {
      sheet.remove();
      texts.outputs.hidden = false;
    },
  };
}

export const compare = (given, ours) => compareLists(given.answers, ours.answers);

export const describe = ({ answers }, step, example, t) => answers.map((one) => (one === null ? t("measures.do_not_know") : quoted(one))).join("; ");
