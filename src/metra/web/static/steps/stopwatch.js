// The time of one step: from start to finish, without pauses and without what was hidden. It
// leans on the screen's clock, so that sleep and changes of the date cannot reach it.

const SAVED_EVERY = 5000;

// `kept` is a draft's value; a page that was left while the watch ran comes back paused.
// `tick()` hears every few seconds that there is something to save.
export function makeStopwatch(clock, kept, tick) {
  const known = { ms: 0, idle_ms: 0, hidden_ms: 0, pauses: 0, ...kept };
  let state = kept?.state === "running" ? "paused" : (kept?.state ?? "ready");
  if (kept?.state === "running") known.pauses += 1;
  let since = null;

  const hidden = () => state === "running" && document.hidden && ((known.pauses += 1), clock.event("interrupted"));
  document.addEventListener("visibilitychange", hidden);
  const timer = setInterval(() => state === "running" && tick(), SAVED_EVERY);

  function settle() {
    if (since === null) return;
    const now = clock.times();
    known.ms += now.active_ms + now.idle_ms - since.active_ms - since.idle_ms;
    known.idle_ms += now.idle_ms - since.idle_ms;
    known.hidden_ms += now.hidden_ms - since.hidden_ms;
    since = now;
  }

  function to(next) {
    settle();
    state = next;
    // The whole screen stands still with the step.
    if (next === "paused") clock.pause?.("step");
    else clock.goOn?.("step");
    since = next === "running" ? clock.times() : null;
    clock.event(`step ${next}`);
  }

  return {
    state: () => state,
    start: () => to("running"),
    pause: () => ((known.pauses += 1), to("paused")),
    stop: () => to("done"),
    value() {
      settle();
      const { ms, idle_ms, hidden_ms, pauses } = known;
      return { ms: Math.max(ms, state === "done" ? 1 : 0), idle_ms, hidden_ms, pauses, state };
    },
    destroy() {
      clock.goOn?.("step");
      document.removeEventListener("visibilitychange", hidden);
      clearInterval(timer);
    },
  };
}
