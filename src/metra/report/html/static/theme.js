// Light, dark, or as the reader's system has it.

const THEMES = ["auto", "light", "dark"];

function themeButton() {
  const made = el("button", { type: "button", class: "theme" }, "Theme: auto");
  made.addEventListener("click", () => {
    const now = document.documentElement.dataset.theme ?? "auto";
    const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
    if (next === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    made.textContent = `Theme: ${next}`;
  });
  return made;
}

document.documentElement.classList.add("script");
document.getElementById("menu").append(themeButton());
