// Signing in again without leaving the page; all who wait for it share one dialog.

import { openInsistingDialog } from "../kit/dialog.js";
import { el } from "../kit/elements.js";
import { t } from "./strings.js";

let waiting = null;
export const pauses = new EventTarget();

export function signInAgain(signIn) {
  waiting ??= ask(signIn).finally(() => {
    waiting = null;
    pauses.dispatchEvent(new Event("end"));
  });
  return waiting;
}

function ask(signIn) {
  pauses.dispatchEvent(new Event("start"));
  return new Promise((resolve) => {
    const field = el("input", { id: "token", autocomplete: "off", required: true, spellcheck: "false" });
    const wrong = el("p", { class: "trouble", role: "alert", hidden: true });
    const form = el(
      "form",
      { method: "dialog" },
      el("p", {}, t("login.text")),
      el("p", { class: "field" }, el("label", { for: "token" }, t("login.label")), field),
      wrong,
      el("p", { class: "ways" }, el("button", { class: "primary" }, t("login.send"))),
    );
    const box = openInsistingDialog(t("login.title"), form);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      wrong.hidden = true;
      let sentence = t("login.wrong");
      try {
        if (await signIn(tokenOf(field.value))) {
          box.finish();
          resolve();
          return;
        }
      } catch {
        // No connection: it stays open, and the button can be pressed again.
        sentence = t("login.offline");
      }
      wrong.textContent = sentence;
      wrong.hidden = false;
      field.select();
    });
    field.focus();
  });
}

// Judges paste the link or only its last part.
const tokenOf = (text) => text.trim().replace(/[?#].*$/, "").replace(/\/+$/, "").split("/").pop();
