// Saving: every change becomes a draft, on the device at once and at the server a moment later;
// an answer stays on the device until the server has said that it has it.

import { call, Refused, Unreachable } from "./api.js";
import { allKept, drop, keep, kept } from "./device.js";

const PAUSE = 800;
const LONGEST = 30_000;
const keyOf = (screen) => `${screen.task}/${screen.number}`;
const addressOf = (screen) => `/api/screens/${screen.task}/${screen.number}`;

// `tell(state)` hears saved, saving or waiting; `newer(draft)` that another window was ahead.
export function makeSaver({ clock, tell, newer }) {
  let screen = null;
  let draft = null;
  let timer = null;
  let sending = Promise.resolve();

  // The draft to go on with: what the server has, or what this device has and it has not.
  async function open(next) {
    screen = next;
    clearTimeout(timer);
    const local = await kept("drafts", keyOf(next));
    const server = next.draft;
    const ahead = local && local.rev > (server?.rev ?? 0);
    const base = ahead ? local : server ?? next.answer;
    draft = { rev: server?.rev ?? 0, value: {}, comment: "", ...(base && pick(base)) };
    clock.start(local?.clock);
    clock.event("shown");
    if (ahead) soon(0);
    else tell("saved");
    return draft;
  }

  const pick = ({ rev, value, comment }) => ({ ...(rev && { rev }), value: value ?? {}, comment: comment ?? "" });

  function change(part) {
    draft = { ...draft, ...part, rev: draft.rev + 1 };
    clock.acted();
    store();
    soon(PAUSE);
  }

  const store = () => keep("drafts", keyOf(screen), { ...draft, clock: clock.state() });

  function soon(delay) {
    tell("saving");
    clearTimeout(timer);
    timer = setTimeout(flush, delay);
  }

  // Sends are queued one behind the other, so that revisions arrive in order.
  function flush(options) {
    clearTimeout(timer);
    timer = null;
    const mine = screen;
    sending = sending.then(() => persist(() => put(mine, options), () => mine !== screen));
    return sending;
  }

  async function put(mine, options) {
    if (mine !== screen) return;
    const sent = draft;
    const events = clock.events();
    try {
      await call("PUT", `${addressOf(mine)}/draft`, { ...sent, events }, options);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.status === 409 && error.body.draft && mine === screen) {
        draft = { ...pick(error.body.draft) };
        await store();
        newer(draft);
      } else if (error.status !== 404) throw error;
    }
    if (mine !== screen) return;
    if (events.length) clock.sent(events.at(-1).seq);
    if (draft.rev === sent.rev) tell("saved");
  }

  async function submit(cannot) {
    clearTimeout(timer);
    const mine = screen;
    const { value, comment } = draft;
    const body = { id: uuid(), value, comment, cannot, times: clock.times(), events: clock.events() };
    const record = { task: mine.task, number: mine.number, body };
    await keep("answers", body.id, record);
    tell("saving");
    await sending;
    const reply = await persist(() => post(record));
    screen = null;
    tell("saved");
    return reply;
  }

  async function post(record) {
    try {
      const reply = await call("POST", `${addressOf(record)}/answer`, record.body);
      await settled(record);
      return reply;
    } catch (error) {
      // What the server refuses for good must not be sent for ever; the draft stays.
      if (error instanceof Refused) await drop("answers", record.body.id);
      throw error;
    }
  }

  const settled = (record) => Promise.all([drop("answers", record.body.id), drop("drafts", keyOf(record))]);

  // Answers that an earlier page could not send; gives how many there were.
  async function replay() {
    const records = await allKept("answers");
    for (const record of records) {
      try {
        await persist(() => post(record));
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
      }
    }
    return records.length;
  }

  // Tries until it works, ever more slowly, and at once when the connection is back.
  async function persist(action, given = () => false) {
    for (let wait = 1000; ; wait = Math.min(2 * wait, LONGEST)) {
      try {
        return await action();
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        if (given()) return undefined;
        tell("waiting");
        await new Promise((resolve) => {
          const timeout = setTimeout(resolve, wait * (0.75 + Math.random() / 2));
          addEventListener("online", () => (clearTimeout(timeout), resolve()), { once: true });
        });
      }
    }
  }

  // A page that goes away sends what it has, and keeps its clock for when it comes back.
  addEventListener("visibilitychange", () => {
    if (!document.hidden || screen === null) return;
    store();
    if (timer !== null) flush({ keepalive: true });
  });
  addEventListener("pagehide", () => screen && store());

  // Another window works on: nothing more is written from here.
  function stop() {
    if (timer !== null) flush();
    screen = null;
  }

  return {
    open,
    change,
    stop,
    submit,
    replay,
    persist,
    flush: () => (timer === null ? sending : flush()),
    draft: () => draft,
    screen: () => screen,
    store: () => screen && store(),
  };
}

function uuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
