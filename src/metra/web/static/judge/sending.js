// Sending until it arrives: what has no connection waits and tries again, and an answer stays on
// the device until the server has said that it has it.

import { call, Refused, Unreachable } from "./api.js";
import { allKept, drop, keep } from "./device.js";

const FIRST = 1000;
const LONGEST = 30_000;
const UNKNOWN = 404;

export const keyOf = ({ task, number }) => `${task}/${number}`;
export const addressOf = (screen) => `/api/screens/${keyOf(screen)}`;

// Tries until it works, ever more slowly, and at once when the connection is back. `tell` hears
// that it waits for a connection, or is stuck because the server cannot save; `idle` says that
// nobody waits for it any more.
export async function persist(action, tell, idle = () => false) {
  for (let wait = FIRST; ; wait = Math.min(2 * wait, LONGEST)) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      if (idle()) return undefined;
      tell(error.isStore ? "stuck" : "waiting");
      await connected(wait * (0.75 + Math.random() / 2));
    }
  }
}

const connected = (most) =>
  new Promise((resolve) => {
    const timeout = setTimeout(resolve, most);
    addEventListener("online", () => (clearTimeout(timeout), resolve()), { once: true });
  });

// Sends an answer, after what is under way, under an id of its own: it is kept once however often
// it is sent.
export async function sendAnswer({ task, number }, content, tell, before) {
  const body = { id: uuid(), ...content };
  await keep("answers", body.id, { task, number, body });
  await Promise.allSettled([before]);
  return persist(() => post({ task, number, body }), tell);
}

// Answers that an earlier page could not send; gives how many there were.
export async function replay(tell) {
  const records = await allKept("answers");
  for (const record of records) {
    try {
      await persist(() => post(record), tell);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
  }
  return records.length;
}

async function post(record) {
  try {
    const reply = await call("POST", `${addressOf(record)}/answer`, record.body);
    await Promise.all([drop("answers", record.body.id), drop("drafts", keyOf(record))]);
    return reply;
  } catch (error) {
    // What is refused for good must not be sent for ever; the draft stays. What is not known is
    // somebody else's who judged in this browser, and waits for her.
    if (error instanceof Refused && error.status !== UNKNOWN) await drop("answers", record.body.id);
    throw error;
  }
}

function uuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
