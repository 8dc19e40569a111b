// @ts-check
/** Shows how far jobs are, and the page again when they are done. */

const waiting = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-waiting]")]);

async function showProgress() {
  const reply = await fetch(waiting[0].dataset.waiting ?? "");
  if (!reply.ok) return;
  const { jobs } = await reply.json();
  if (jobs.length < waiting.length) return showScores();
  waiting.forEach((line, at) => {
    const share = line.querySelector("[data-share]");
    if (share) share.textContent = `${Math.round(100 * jobs[at].share)} %`;
  });
  setTimeout(showProgress, 700);
}

/** A page that somebody works on is not taken away. */
function showScores() {
  const isUsed = document.querySelector("main details[open]") || document.activeElement?.closest("main form");
  if (!isUsed) return location.reload();
  const link = document.createElement("a");
  link.href = location.href;
  link.textContent = "Show the new scores";
  waiting[0].replaceChildren("Scoring is done. ", link);
}

if (waiting.length) setTimeout(showProgress, 300);
