// The texts of a screen: what is judged, what it is held against, and what stands around it.

import { el } from "../kit/elements.js";
import { t } from "./strings.js";

// Cards for the outputs and for the source or reference. `later` leaves room for a text that a
// later step shows, so that nothing jumps when it comes.
export function drawTexts({ screen, campaign, basis, later, outputsOwned, contrastive = outputsOwned }) {
  const texts = {};
  const cards = [];
  const given = screen[basis];
  const language = basis === "source" ? campaign.source : campaign.target;
  if (given !== undefined) {
    const number = screen.sentence ? ` ${t("measures.sentence", { number: screen.sentence })}` : "";
    const [card, text] = textCard(`${t(`work.${basis}`)}${number}`, given, language.code);
    card.classList.add("given");
    texts[basis] = text;
    cards.push(card);
  }
  texts.outputs = el("div", { class: "outputs" });
  if (!outputsOwned) {
    const [card, text] = textCard(t("work.output"), screen.outputs[0].text, campaign.target.code);
    card.classList.add("judged");
    if (screen.outputs[0].portion) markPortion(card, text, screen.outputs[0]);
    texts.output = text;
    texts.outputs.append(card);
  }
  cards.push(texts.outputs);
  const element = el("div", { class: contrastive ? "texts compare" : "texts" }, ...cards);
  if (later) {
    const waiting = el("div", { class: "card waiting" }, el("p", { class: "note" }, t("work.later")));
    element.append(waiting);
    element.classList.add("judged-first");
    texts.reveal = (next) => {
      const [card, text] = textCard(t(`work.${basis}`), next[basis], language.code);
      card.classList.add("given", "arrives");
      card.tabIndex = -1;
      texts[basis] = text;
      waiting.replaceWith(card);
      card.focus({ preventScroll: true });
    };
  }
  return { element, texts };
}

export function textCard(label, content, language) {
  const text = el(
    "p",
    { class: content ? "text" : "text empty", lang: content ? language : null, dir: "auto" },
    content || t("work.empty"),
  );
  return [el("div", { class: "card" }, el("h2", {}, label), text), text];
}

// The part of an output that is judged, by places in code points, and a line that says so.
function markPortion(card, place, { text, portion: [start, end] }) {
  const signs = [...text];
  const part = (from, to) => signs.slice(from, to).join("");
  place.replaceChildren(part(0, start), el("mark", { class: "portion" }, part(start, end)), part(end));
  card.append(el("p", { class: "note" }, t("work.portion")));
}

// The rest of the document: foldable where segments are judged one by one.
export function drawContext({ screen, campaign, basis }) {
  if (!screen.context?.length) return null;
  const language = basis === "source" ? campaign.source : campaign.target;
  const lines = screen.context.map((text) => el("p", { class: "text", lang: language.code, dir: "auto" }, text ?? ""));
  const here = el("p", { class: "here", "aria-hidden": "true" }, "…");
  lines.splice(screen.before ?? lines.length, 0, here);
  return el("details", { class: "context" }, el("summary", {}, t("work.context")), ...lines);
}

// The parts of a document that were judged before this one.
export function drawEarlier(parts, { campaign, basis }, open) {
  if (!parts.length) return null;
  const language = basis === "source" ? campaign.source : campaign.target;
  return el(
    "ol",
    { class: "earlier", "aria-label": t("work.document") },
    ...parts.map((part) =>
      el(
        "li",
        {},
        part[basis] ? el("p", { class: "text given", lang: language.code, dir: "auto" }, part[basis]) : null,
        el("p", { class: "text", lang: campaign.target.code, dir: "auto" }, part.outputs[0].text || t("work.empty")),
        el("button", { type: "button", class: "quiet", onclick: () => open(part) }, t("work.change")),
      ),
    ),
  );
}
