// Breaks: offered after a good while of work, or taken whenever one likes.

import { dialog, el } from "./elements.js";
import { t } from "./strings.js";

const LAST = "metra-last-break";

// Active time since the last break; a new sitting begins without any.
export function breakDue(activeMs, after) {
  const last = Number(sessionStorage.getItem(LAST) ?? Number.NaN);
  if (Number.isNaN(last) || last > activeMs) {
    sessionStorage.setItem(LAST, `${activeMs}`);
    return 0;
  }
  return activeMs - last >= after ? Math.round((activeMs - last) / 60_000) : 0;
}

export function takeBreak({ minutes = 0, activeMs = null, clock }) {
  clock.pause("break");
  if (activeMs !== null) sessionStorage.setItem(LAST, `${activeMs}`);
  return new Promise((resolve) => {
    const box = dialog(
      minutes ? t("pause.title") : t("pause.asked_title"),
      minutes ? el("p", { class: "lead" }, t("pause.text", { minutes })) : null,
      el("p", {}, t("pause.kept")),
      el(
        "form",
        { method: "dialog", class: "ways" },
        el("button", { class: "primary large", autofocus: true }, t("pause.go_on")),
      ),
    );
    box.classList.add("break");
    box.addEventListener("close", () => {
      clock.goOn("break");
      resolve();
    });
  });
}
