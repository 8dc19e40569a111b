// What can be chosen for a mark: names of severities, and the menu of kinds in their groups.

import { el } from "../kit/elements.js";

// What a severity, or anything else that can be chosen, is called in the judge's wording.
export const nameOf = (step, choice) => step.names[choice] ?? choice;

export function categoryMenu(mark, step, name, t, changed, leave) {
  const menu = el(
    "select",
    { "aria-label": `${name}: ${t("marks.category")}`, lang: step.languages.names },
    el("option", { value: "", lang: document.documentElement.lang }, t("marks.choose_category")),
    ...groups(step.ask.categories).map(([group, members]) =>
      members.length === 1 && members[0] === group
        ? option(group, nameOf(step, group), mark)
        : el("optgroup", { label: nameOf(step, group) }, ...members.map((one) => option(one, nameOf(step, one), mark))),
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
