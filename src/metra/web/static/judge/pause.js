// Breaks: offered after a good while of work, or taken whenever one likes.

import { openDialog } from "../kit/dialog.js";
import { el } from "../kit/elements.js";
import { t } from "./strings.js";

const LAST = "metra-last-break";

// A new sitting begins rested; a reload is no new sitting.
export function beginSitting(activeMs) {
  if (!(Number(sessionStorage.getItem(LAST) ?? Number.NaN) <= activeMs)) sessionStorage.setItem(LAST, `${activeMs}`);
}

// The minutes worked since the last break, once they are enough for one.
export function breakDue(activeMs, after) {
  const worked = activeMs - Number(sessionStorage.getItem(LAST));
  return worked >= after ? Math.round(worked / 60_000) : 0;
}

export function takeBreak({ minutes = 0, activeMs = null, clock }) {
  clock.pause("break");
  if (activeMs !== null) sessionStorage.setItem(LAST, `${activeMs}`);
  return new Promise((resolve) => {
    const goOn = () => {
      clock.goOn("break");
      resolve();
    };
    const box = openDialog(
      minutes ? t("pause.title") : t("pause.asked_title"),
      goOn,
      minutes ? el("p", { class: "lead" }, t("pause.text", { minutes })) : null,
      el("p", {}, t("pause.kept")),
      el(
        "form",
        { method: "dialog", class: "ways" },
        el("button", { class: "primary large", autofocus: true }, t("pause.go_on")),
      ),
    );
    box.classList.add("break");
  });
}
