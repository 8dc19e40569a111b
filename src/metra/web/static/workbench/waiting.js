// @ts-check
/** Shows how far jobs are, and the page again when they are done. */

const waiting = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-waiting]")]);

async function showProgress() {
  const reply = await fetch(waiting[0].dataset.waiting ?? "");
  if (!reply.ok) return;
  const { jobs } = await reply.json();
  if (jobs.length < waiting.length) return location.reload();
  waiting.forEach((line, at) => {
    const share = line.querySelector("[data-share]");
    if (share) share.textContent = `${Math.round(100 * jobs[at].share)} %`;
  });
  setTimeout(showProgress, 700);
}

if (waiting.length) setTimeout(showProgress, 300);
