// Places from best to worst, into which the letters of the texts can be dragged.

import { el } from "../kit/elements.js";

export function board({ count, letters, step, t, place }) {
  const lanes = Array.from({ length: count }, (_, at) => {
    const end = at === 0 ? step.names.best : at === count - 1 ? step.names.worst : "";
    const lane = el("div", { class: "lane" }, el("span", { class: "lane-name", lang: step.languages.names }, `${at + 1} ${end}`));
    lane.dataset.rank = at + 1;
    return lane;
  });
  const tray = el("div", { class: "lane tray" }, el("span", { class: "lane-name" }, t("order.unplaced")));
  const chips = Array.from({ length: count }, (_, at) => chip(at));
  const element = el(
    "div",
    { class: "board", "aria-hidden": "true" },
    tray,
    ...lanes,
    el("p", { class: "note" }, t("order.board_hint")),
  );

  function chip(at) {
    const made = el("span", { class: "chip" }, letters[at]);
    let origin = null;
    made.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      made.setPointerCapture(event.pointerId);
      origin = { x: event.clientX, y: event.clientY };
      made.classList.add("held");
    });
    made.addEventListener("pointermove", (event) => {
      if (!origin) return;
      made.style.transform = `translate(${event.clientX - origin.x}px, ${event.clientY - origin.y}px)`;
      const over = under(event);
      for (const lane of lanes) lane.classList.toggle("over", lane === over);
    });
    const letGo = (event) => {
      if (!origin) return;
      origin = null;
      made.style.transform = "";
      made.classList.remove("held");
      for (const lane of lanes) lane.classList.remove("over");
      const lane = event.type === "pointerup" && under(event);
      if (lane) place(at, Number(lane.dataset.rank));
    };
    made.addEventListener("pointerup", letGo);
    made.addEventListener("pointercancel", letGo);
    return made;
  }

  const under = (event) =>
    document
      .elementsFromPoint(event.clientX, event.clientY)
      .map((one) => one.closest(".lane[data-rank]"))
      .find(Boolean);

  return {
    element,
    show(ranks) {
      ranks.forEach((rank, at) => (rank === null ? tray : lanes[rank - 1]).append(chips[at]));
      tray.hidden = !ranks.includes(null);
    },
  };
}
