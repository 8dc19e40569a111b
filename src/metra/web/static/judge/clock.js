// How long a screen was looked at. It counts by the browser's monotonic clock, never by the date,
// and sorts every moment into one of four: active, idle, hidden, paused.

const TICK = 1000;
// Timers that come this late were held up by sleep, not by work.
const ASLEEP = 5000;
const SIGNS_OF_LIFE = ["pointerdown", "pointermove", "keydown", "wheel", "scroll", "touchstart", "input"];

// A window numbers its own events, and says which window it is.
const CLIENT = Array.from(crypto.getRandomValues(new Uint32Array(2)), (part) => part.toString(36)).join("-");

export function makeClock({ idleAfter, now = () => performance.now() }) {
  let times, mode, since, lastSign, lastTick, firstAction, events, sequence;
  const pausers = new Set();

  function start({ kept = {}, log = [], next = 0 } = {}) {
    times = { active: 0, idle: 0, hidden: 0, paused: 0, ...kept };
    firstAction = kept.firstAction ?? null;
    events = [...log];
    sequence = next;
    since = lastSign = lastTick = now();
    mode = fitting();
  }

  const fitting = () => (pausers.size ? "paused" : document.hidden ? "hidden" : "active");

  // Books the time up to now; without a sign of life an active stretch turns idle.
  function settle() {
    const at = now();
    if (mode === "active") {
      const idleFrom = Math.max(since, lastSign + idleAfter);
      if (at - lastTick > ASLEEP) {
        times.active += Math.max(0, Math.min(lastTick, idleFrom) - since);
        times.idle += Math.max(0, lastTick - Math.max(since, idleFrom));
        times.hidden += at - Math.max(since, lastTick);
        event("asleep", { ms: Math.round(at - lastTick) });
        lastSign = at;
      } else {
        times.active += Math.max(0, Math.min(at, idleFrom) - since);
        times.idle += Math.max(0, at - Math.max(since, idleFrom));
      }
    } else times[mode] += at - since;
    since = lastTick = at;
  }

  const sum = () => times.active + times.idle + times.hidden + times.paused;

  function change() {
    settle();
    const next = fitting();
    if (next === mode) return;
    mode = next;
    if (mode === "active") lastSign = now();
    event(mode);
  }

  function sign() {
    settle();
    lastSign = now();
  }

  function event(kind, data = null) {
    const entry = { client: CLIENT, seq: sequence++, t_ms: Math.round(sum()), kind };
    if (data !== null) entry.data = data;
    events.push(entry);
  }

  start();
  setInterval(settle, TICK);
  for (const kind of SIGNS_OF_LIFE) addEventListener(kind, sign, { passive: true, capture: true });
  document.addEventListener("visibilitychange", change);
  addEventListener("blur", () => event("blur"));
  addEventListener("focus", () => event("focus"));

  return {
    now,
    event,
    start,
    pause: (why) => (pausers.add(why), change()),
    goOn: (why) => (pausers.delete(why), change()),
    acted() {
      settle();
      firstAction ??= sum();
    },
    // Seconds that the text was there to be read.
    seen: () => (settle(), (times.active + times.idle) / 1000),
    times() {
      settle();
      return {
        active_ms: Math.floor(times.active),
        idle_ms: Math.floor(times.idle),
        hidden_ms: Math.floor(times.hidden),
        paused_ms: Math.floor(times.paused),
        first_action_ms: firstAction === null ? null : Math.floor(firstAction),
      };
    },
    // What is kept on the device, so that a reload goes on where it was.
    state: () => (settle(), { kept: { ...times, firstAction }, log: [...events], next: sequence }),
    events: () => [...events],
    // Forgets events that the server has.
    sent(last) {
      events = events.filter((entry) => entry.seq > last);
    },
  };
}
