// One window works at a time: the newest. An older one stops, and can be taken up again.

import { openInsistingDialog } from "../kit/dialog.js";
import { el } from "../kit/elements.js";
import { t } from "./strings.js";

export function claimWork(stop) {
  if (!("BroadcastChannel" in window)) return;
  const channel = new BroadcastChannel("metra-judge");
  channel.addEventListener("message", () => {
    channel.close();
    stop();
    openInsistingDialog(
      t("work.elsewhere_title"),
      el("p", {}, t("work.elsewhere_text")),
      el(
        "p",
        { class: "ways" },
        el("button", { class: "primary", autofocus: true, onclick: () => location.reload() }, t("work.elsewhere_here")),
      ),
    );
  });
  channel.postMessage("mine");
}
