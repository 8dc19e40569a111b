// The line at the top: where one is, how long it still takes, and whether all is saved.

import { lasting } from "./device.js";
import { t } from "./strings.js";

const place = document.getElementById("place");
const left = document.getElementById("left");
const saved = document.getElementById("saved");
const announcement = document.getElementById("announcement");
const trouble = document.getElementById("trouble");
let offline = false;

export function showProgress(screen, progress) {
  place.textContent = t("work.place", { place: screen?.place ?? progress.of, of: progress.of });
  const minutes = Math.ceil(progress.seconds_left / 60);
  left.textContent = minutes > 1 ? t("work.minutes_left", { minutes }) : t("work.almost_done");
}

export function showSaving(state) {
  if (state === saved.dataset.state) return;
  saved.dataset.state = state;
  const isUnsent = state === "waiting" || state === "stuck";
  saved.textContent = t(`save.${isUnsent ? "waiting" : state}`);
  if (isUnsent) {
    offline = true;
    say(t(state === "stuck" ? "save.store_text" : "save.waiting_text"));
  } else if (state === "saved" && offline) {
    offline = false;
    say(null);
    announcement.textContent = t("save.saved");
  } else if (state === "saved" && !lasting) saved.title = t("save.memory_only");
}

// One sentence above the text, or none; a retry may stand beside it.
export function say(sentence, ...more) {
  trouble.hidden = sentence === null;
  trouble.replaceChildren(...(sentence === null ? [] : [sentence, " ", ...more]));
}
