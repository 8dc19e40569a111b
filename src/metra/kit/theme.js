// @ts-check
// Light, dark, or as the reader's system has it.

import { makeButton } from "./elements.js";

const THEMES = ["auto", "light", "dark"];

/** Return a button that goes from one theme to the next. */
export function makeThemeButton() {
  const button = makeButton("Theme: auto", () => {
    const { dataset } = document.documentElement;
    const next = THEMES[(THEMES.indexOf(dataset.theme ?? "auto") + 1) % THEMES.length];
    if (next === "auto") delete dataset.theme;
    else dataset.theme = next;
    button.textContent = `Theme: ${next}`;
  });
  return button;
}
