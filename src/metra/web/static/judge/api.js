// Talking to the server: who is signed out signs in on the spot, and the request goes again.

import { signInAgain } from "./login.js";

// No reply, or one that asks to try again; `isStore` says that the server cannot save.
export class Unreachable extends Error {
  constructor(message, { isStore = false } = {}) {
    super(message);
    this.isStore = isStore;
  }
}

export class Refused extends Error {
  constructor(status, body) {
    super(body.error ?? `${status}`);
    this.status = status;
    this.body = body;
  }
}

const TRANSIENT = [429, 500, 502, 503, 504, 507];
const meta = () => document.querySelector('meta[name="csrf-token"]');

export async function call(method, path, body, { keepalive = false } = {}) {
  let renewed = false;
  for (;;) {
    const reply = await send(method, path, body, keepalive);
    if (reply.ok) return reply.json();
    if (reply.status === 401) await signInAgain(signIn);
    else if (reply.status === 403 && !renewed) {
      renewed = true;
      await renewToken();
    } else if (TRANSIENT.includes(reply.status)) {
      const { error, reason } = await content(reply);
      throw new Unreachable(error ?? `${reply.status}`, { isStore: reason === "store" });
    } else throw new Refused(reply.status, await content(reply));
  }
}

async function send(method, path, body, keepalive) {
  const headers = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (method !== "GET") headers["X-CSRF-Token"] = meta().content;
  try {
    return await fetch(path, {
      method,
      headers,
      keepalive,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
      cache: "no-store",
    });
  } catch (error) {
    throw new Unreachable(error.message);
  }
}

async function content(reply) {
  try {
    return await reply.json();
  } catch {
    return {};
  }
}

// Returns whether the link or code was known.
async function signIn(token) {
  const reply = await send("POST", "/api/session", { token });
  if (!reply.ok) return false;
  meta().content = (await reply.json()).csrf;
  return true;
}

// Somebody signed in again in another window, so this page's token is stale.
async function renewToken() {
  const reply = await send("GET", "/judge/work");
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  const found = page.querySelector('meta[name="csrf-token"]');
  if (found) meta().content = found.content;
}
