// Leaving a text out: why it cannot be judged.

import { openDialog } from "../kit/dialog.js";
import { el, freshId } from "../kit/elements.js";
import { t } from "./strings.js";

const REASONS = ["language", "text", "screen", "other"];

// Resolves with the reason in words that an analyst can read, or with null if it was closed.
export function askWhy() {
  return new Promise((resolve) => {
    const more = el("textarea", { id: freshId("more"), rows: "2", maxlength: "500" });
    const choices = REASONS.map((reason, at) => {
      const id = freshId("reason");
      return el(
        "div",
        { class: "check" },
        el("input", { type: "radio", name: "reason", id, value: reason, required: true, autofocus: at === 0 }),
        el("label", { for: id }, t(`work.cannot_${reason}`)),
      );
    });
    const form = el(
      "form",
      { method: "dialog" },
      el("fieldset", { class: "reasons" }, el("legend", { class: "unseen" }, t("work.cannot_title")), ...choices),
      el("p", { class: "field" }, el("label", { for: more.id }, t("work.cannot_more")), more),
      el(
        "p",
        { class: "ways" },
        el("button", { type: "button", class: "quiet", onclick: () => box.leave() }, t("page.go_back")),
        el("button", { class: "primary" }, t("work.cannot_send")),
      ),
    );
    let reason = null;
    form.addEventListener("change", () => (more.required = form.elements.reason.value === "other"));
    form.addEventListener("submit", () => {
      const words = more.value.trim();
      reason = words ? `${form.elements.reason.value}: ${words}` : form.elements.reason.value;
    });
    const box = openDialog(t("work.cannot_title"), () => resolve(reason), form);
  });
}
