// What can be chosen for a mark: names of severities, and the menu of kinds in their groups.

import { el } from "../judge/elements.js";

const KNOWN = ["minor", "major", "neutral", "critical"];

export const severityName = (severity, t) => (KNOWN.includes(severity) ? t(`marks.${severity}`) : severity);

export function categoryMenu(mark, categories, name, t, changed, leave) {
  const menu = el(
    "select",
    { "aria-label": `${name}: ${t("marks.category")}`, lang: "en" },
    el("option", { value: "", lang: document.documentElement.lang }, t("marks.choose_category")),
    ...groups(categories).map(([group, members]) =>
      members.length === 1 && members[0] === group
        ? option(group, group, mark)
        : el("optgroup", { label: group }, ...members.map((one) => option(one, one.slice(group.length + 1), mark))),
    ),
  );
  menu.classList.toggle("is-unset", !mark.category);
  menu.addEventListener("change", () => {
    if (menu.value) mark.category = menu.value;
    else delete mark.category;
    menu.classList.toggle("is-unset", !mark.category);
    changed();
    // Fingers choose once and want the text back; keys try one kind after the other.
    if (mark.category && matchMedia("(pointer: coarse)").matches) leave();
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && mark.category) {
      event.preventDefault();
      leave();
    }
  });
  return menu;
}

const option = (value, label, mark) => el("option", { value, selected: mark.category === value }, label);

// Categories as group/member, in the order in which the protocol lists them.
function groups(categories) {
  const found = new Map();
  for (const one of categories) {
    const group = one.split("/")[0];
    found.set(group, [...(found.get(group) ?? []), one]);
  }
  return [...found];
}
