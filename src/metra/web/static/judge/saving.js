// Saving: every change becomes a draft, on the device at once and at the server a moment later.

import { call, Refused } from "./api.js";
import { keep, kept } from "./device.js";
import { addressOf, keyOf, persist, sendAnswer } from "./sending.js";

const PAUSE = 800;
// The server takes no more at once.
const MOST_EVENTS = 2000;
const CONFLICT = 409;

// The revision of the answer that a draft changes; an older draft is no longer wanted.
export const revisionOf = (screen) => screen.answer?.revision ?? 0;

// `tell(state)` hears saved, saving, waiting or stuck; `newer(draft)` that another window was ahead;
// `refused(error)` that the server does not want a draft. `wording()` is what the judge reads.
export function makeSaver({ clock, wording, tell, newer, refused }) {
  let screen = null;
  let draft = null;
  let timer = null;
  let sending = Promise.resolve();
  let inFlight = null;
  let handedIn = null;
  let stopped = false;

  // The draft to go on with: what the server has, or what this device has and it has not.
  async function open(next) {
    // Until its own draft is here, nothing is written under the next screen's name.
    screen = null;
    clearTimeout(timer);
    const local = await kept("drafts", keyOf(next));
    if (!stopped) screen = next;
    const server = next.draft;
    const ahead = local && (local.answered ?? 0) >= revisionOf(next) && local.rev > (server?.rev ?? 0);
    const base = ahead ? local : server ?? next.answer;
    draft = { rev: server?.rev ?? 0, value: {}, comment: "", ...(base && pick(base)) };
    // The server has numbers of its own, and perhaps events from another device.
    const { next: mine = 0, ...rest } = local?.clock ?? {};
    clock.start({ ...rest, next: Math.max(mine, next.events ?? 0) });
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

  const store = () => keep("drafts", keyOf(screen), { ...draft, answered: revisionOf(screen), clock: clock.state() });

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
    const gone = () => mine !== screen || mine === handedIn;
    sending = sending.then(() => persist(() => put(mine, options), tell, gone)).catch(refused);
    return sending;
  }

  async function put(mine, options) {
    if (mine !== screen || mine === handedIn) return;
    let settled = draft;
    const events = clock.events().slice(0, MOST_EVENTS);
    const answered = revisionOf(mine);
    try {
      inFlight = call("PUT", `${addressOf(mine)}/draft`, { ...settled, answered, events }, options);
      const { answer } = await inFlight;
      if (answer && mine === screen && mine !== handedIn) {
        // The screen was answered elsewhere meanwhile: go on from that answer.
        screen.answer = answer;
        settled = adopt({ ...pick(answer), rev: 0 });
      }
    } catch (error) {
      // What was handed in meanwhile counts more than any draft.
      if (mine === handedIn) return;
      const ahead = error instanceof Refused && error.status === CONFLICT && error.body.draft;
      if (!ahead || mine !== screen) throw error;
      settled = adopt(pick(ahead));
    }
    if (mine !== screen || mine === handedIn) return;
    if (events.length) clock.sent(events.at(-1).seq);
    // What was changed while this was on its way is not saved yet.
    if (draft === settled) tell("saved");
  }

  // The screen that shows what is given up takes no key any more.
  function adopt(newest) {
    draft = newest;
    newer(draft);
    store();
    return draft;
  }

  // A draft that is under way arrives before the answer does; one that waits is not needed.
  async function submit(cannot) {
    clearTimeout(timer);
    timer = null;
    tell("saving");
    // More events than fit beside an answer go before it.
    for (let waiting = Infinity; MOST_EVENTS < clock.events().length && clock.events().length < waiting; ) {
      waiting = clock.events().length;
      await flush();
    }
    handedIn = screen;
    const { value, comment } = draft;
    const events = clock.events().slice(0, MOST_EVENTS);
    const content = { value, comment, cannot, times: clock.times(), events, wording: wording() };
    try {
      const reply = await sendAnswer(screen, content, tell, inFlight);
      screen = null;
      tell("saved");
      return reply;
    } finally {
      handedIn = null;
    }
  }

  // A page that goes away sends what it has, and keeps its clock for when it comes back.
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden || screen === null) return;
    store();
    if (timer !== null) flush({ keepalive: true });
  });
  addEventListener("pagehide", () => screen && store());

  return {
    open,
    change,
    submit,
    flush: () => (timer === null ? sending : flush()),
    store: () => screen && store(),
    // Another window works on: nothing more is written from here.
    stop() {
      clearTimeout(timer);
      stopped = true;
      screen = null;
    },
    draft: () => draft,
    screen: () => screen,
  };
}
