// One screen: its texts, its questions one after the other, and the ways on and back.

import { el, freshId } from "../kit/elements.js";
import { scope } from "./keys.js";
import { t } from "./strings.js";
import { drawContext, drawEarlier, drawTexts } from "./texts.js";

const shows = (steps, what) => steps.some((step) => step.shows.includes(what));

// `reveal(step)` brings the screen with the texts of a step, or null if it cannot; `answer()`,
// `cannot()` and `skip()` end it.
export async function openScreen(place, { screen, work, draft, clock, change, reveal, answer, cannot, skip, back, forward, earlier, open }) {
  const { protocol, campaign } = work;
  // Some screens leave steps out: nobody reads a text that is not there.
  const steps = protocol.steps.filter((step) => !screen.steps || screen.steps.includes(step.name));
  const modules = await Promise.all(steps.map((step) => import(`../steps/${step.kind}.js`)));
  const around = { screen, campaign, basis: protocol.basis };
  const { element, texts } = drawTexts({
    ...around,
    later: screen[protocol.basis] === undefined && shows(steps.slice(screen.step + 1), "basis"),
    outputsOwned: modules.some((module) => module.owns?.includes("outputs")),
    contrastive: protocol.contrastive,
  });
  const languages = { source: campaign.source.code, target: campaign.target.code };
  const mounted = [];
  let at = 0;
  let changed = false;
  let busy = false;
  let over = false;

  const sections = steps.map(() => el("section", { class: "step", hidden: true }));
  const summaries = steps.map((step, index) => pastStep(index));
  const hint = el("p", { class: "hint", role: "alert", hidden: true });
  const next = el("button", { type: "button", class: "primary", onclick: goOn });
  const backButton = el("button", { type: "button", class: "quiet", onclick: goBack }, t("work.back"));
  const comment = el("textarea", { id: freshId("comment"), rows: "2", maxlength: "2000" });
  comment.value = draft.comment;
  comment.addEventListener("input", () => {
    changed = true;
    label();
    change({ comment: comment.value });
  });
  const note = el(
    "p",
    { class: "comment field", id: freshId("note"), hidden: !draft.comment },
    el("label", { for: comment.id }, t("work.comment_label")),
    comment,
  );
  const commentButton = el(
    "button",
    { type: "button", class: "quiet", "aria-controls": note.id, onclick: () => showComment(note.hidden) },
    t("work.comment"),
  );
  const cannotButton = el("button", { type: "button", class: "quiet", onclick: leaveOut }, t("work.cannot"));
  const skipButton = work.options.skip
    ? el("button", { type: "button", class: "quiet", onclick: skipOutput }, t("work.skip"))
    : null;
  const status = screen.answer ? el("p", { class: "note" }, t(screen.answer.cannot ? "work.left_out" : "work.answered")) : null;
  const article = el(
    "article",
    { class: "item", tabindex: "-1", "aria-label": t("work.place", { place: screen.place, of: work.progress.of }) },
    screen.items > 1 ? el("p", { class: "part" }, t("work.part", { number: screen.number + 1, of: screen.items })) : null,
    drawEarlier(earlier, around, (part) => once(() => undisturbed(() => open(part)))),
    status,
    element,
    drawContext(around),
  );
  const dock = el(
    "div",
    { class: "dock" },
    ...steps.flatMap((_, index) => [summaries[index].element, sections[index]]),
    hint,
    note,
    el(
      "div",
      { class: "feet" },
      el("div", { class: "asides" }, commentButton, cannotButton, skipButton),
      el("div", { class: "actions" }, backButton, next),
    ),
  );
  place.replaceChildren(article, dock);

  const keys = scope();
  keys.on("Enter", goOn, t("keys.next"));
  keys.on("Ctrl+Enter", goOn, t("keys.always"));
  keys.on("Backspace", goBack, t("keys.back"));
  keys.on("c", () => showComment(true), t("keys.comment"));
  keys.on("x", leaveOut, t("keys.cannot"));
  if (skipButton) keys.on("n", skipOutput, t("keys.skip"));

  function showComment(open) {
    note.hidden = !open;
    commentButton.setAttribute("aria-expanded", `${open}`);
    if (open) comment.focus();
  }
  commentButton.setAttribute("aria-expanded", `${!note.hidden}`);

  function pastStep(index) {
    const { title, languages: spoken } = steps[index];
    const said = el("b", { lang: spoken.anchors, dir: "auto" });
    const again = el("button", { type: "button", class: "quiet", onclick: () => go(index) }, t("work.change"));
    const line = el("p", { class: "past", hidden: true }, el("span", { lang: spoken.name, dir: "auto" }, title), " ", said, again);
    return { element: line, said };
  }

  function mount(index) {
    const stepKeys = scope();
    const name = steps[index].name;
    const handle = modules[index].mount(sections[index], {
      step: steps[index],
      screen,
      value: draft.value[name],
      language: languages.target,
      languages,
      texts,
      t,
      keys: stepKeys,
      clock,
      options: work.options,
      done: goOn,
      change(value) {
        changed = true;
        hint.hidden = true;
        const { [name]: _, ...others } = draft.value;
        draft.value = value === undefined ? others : { ...others, [name]: value };
        label();
        change({ value: draft.value });
      },
    });
    mounted[index] = { handle, keys: stepKeys };
  }

  // Makes a step the current one; those before it shrink to a line where they can.
  function go(index) {
    at = index;
    hint.hidden = true;
    steps.forEach((_, one) => {
      const summary = one < at && mounted[one]?.handle.summary?.();
      summaries[one].element.hidden = !summary;
      if (summary) summaries[one].said.textContent = summary;
      sections[one].hidden = Boolean(summary) || one > at || !mounted[one];
      sections[one].classList.toggle("current", one === at);
      mounted[one]?.keys.wake(one === at);
    });
    label();
  }

  function label() {
    const last = at === steps.length - 1;
    const own = mounted[at].handle.goOnLabel?.();
    if (!last) next.textContent = own ?? t("work.next_step");
    else if (!screen.answer) next.textContent = own ?? t("work.save_and_next");
    else next.textContent = t(changed ? "work.save_change" : "work.go_forward");
    backButton.hidden = at === 0 && !screen.previous;
  }

  function lacking() {
    const { handle } = mounted[at];
    const sentence = handle.missing ? handle.missing() : handle.value() === undefined ? t("scale.missing") : null;
    if (sentence === null) return false;
    hint.textContent = sentence;
    hint.hidden = false;
    handle.focus();
    // On a phone the focus may be far from what is said about it.
    hint.scrollIntoView({ block: "nearest" });
    return true;
  }

  // A double click, or Enter held down, goes on once.
  async function once(action) {
    if (busy) return;
    busy = true;
    next.setAttribute("aria-busy", "true");
    try {
      await action();
    } finally {
      busy = false;
      next.removeAttribute("aria-busy");
    }
  }

  // What was handed in is not changed any more: a key pressed while it is on its way, or while the
  // next question or screen comes, would otherwise change an answer that is gone, or be taken for
  // the next one.
  async function undisturbed(action) {
    const { activeElement } = document;
    freeze(true);
    try {
      await action();
    } finally {
      if (!over) {
        freeze(false);
        activeElement?.focus({ preventScroll: true });
      }
    }
  }

  function freeze(frozen) {
    article.inert = frozen;
    dock.inert = frozen;
    keys.wake(!frozen);
    mounted[at].keys.wake(!frozen);
  }

  async function goOn() {
    await once(async () => {
      // A step may have something to do first, such as to start a text's clock.
      if (mounted[at].handle.act?.()) return label();
      if (lacking()) return;
      // A step that was left as it stood, such as no errors, is an answer too.
      const { name } = steps[at];
      if (draft.value[name] === undefined) {
        draft.value = { ...draft.value, [name]: mounted[at].handle.value() };
        change({ value: draft.value });
      }
      if (at < steps.length - 1) await nextStep();
      else await undisturbed(screen.answer && !changed ? forward : answer);
    });
  }

  async function nextStep() {
    const index = at + 1;
    if (!mounted[index]) {
      const news = steps[index].extra || steps[index].shows.some((what) => !shows(steps.slice(0, index), what));
      if (news) {
        let more = null;
        await undisturbed(async () => (more = await reveal(index)));
        // It was refused; or another window was ahead, and its draft is shown instead.
        if (more === null || over) return;
        screen = { ...screen, ...more };
        texts.reveal?.(screen);
        for (const one of mounted) one.handle.setTexts?.(screen);
      }
      clock.event("step", { step: index });
      mount(index);
    }
    go(index);
    if (!sections[index].contains(document.activeElement) && !document.activeElement?.classList.contains("arrives")) {
      article.focus({ preventScroll: true });
    }
  }

  async function goBack() {
    if (at > 0) go(at - 1);
    else if (screen.previous) await once(() => undisturbed(() => back(screen.answer && changed && isComplete())));
  }

  const isComplete = () => mounted.length === steps.length && !mounted.some((one) => one.handle.missing?.());

  async function leaveOut() {
    await once(() => undisturbed(cannot));
  }

  async function skipOutput() {
    await once(() => undisturbed(skip));
  }

  const reached = Math.min(screen.step, steps.length - 1);
  for (let index = 0; index <= reached; index++) mount(index);
  // A step that shows nothing new needs no reveal: go as far as the answers go. What a program put
  // there for the judge to begin with (nothing saved, nothing answered) is no answer.
  const own = draft.rev > 0 || screen.answer !== null;
  let begin = reached;
  while (own && begin + 1 < steps.length && draft.value[steps[begin].name] !== undefined && !steps[begin + 1].shows.length && !steps[begin + 1].extra) {
    begin += 1;
    mount(begin);
  }
  go(begin);
  if (screen.items > 1) element.scrollIntoView({ block: "center" });
  else scrollTo(0, 0);
  if (mounted[begin].handle.startsInText) mounted[begin].handle.focus();
  else article.focus({ preventScroll: true });

  return {
    destroy() {
      over = true;
      freeze(true);
      keys.destroy();
      mounted.forEach((one, index) => {
        one.keys.destroy();
        one.handle.destroy?.();
        sections[index].replaceChildren();
      });
    },
  };
}
