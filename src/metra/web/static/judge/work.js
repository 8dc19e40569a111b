// The shell of judging: screen after screen, until there are no more.
//
// The parts: api.js talks to the server; device.js, sending.js and saving.js see to it that nothing
// is lost; clock.js measures, keys.js listens, screen.js draws, and steps/KIND.js asks: steps/types.d.ts
// says what its script exports.

import { call, Refused, Unreachable } from "./api.js";
import { startBar } from "./bar.js";
import { askWhy } from "./cannot.js";
import { makeClock } from "./clock.js";
import { claimWork } from "./elsewhere.js";
import { el } from "../kit/elements.js";
import { say, showProgress, showSaving } from "./header.js";
import { scope, showKeys } from "./keys.js";
import { pauses } from "./login.js";
import { beginSitting, breakDue, takeBreak } from "./pause.js";
import { makeSaver, revisionOf } from "./saving.js";
import { keyOf, persist, replay } from "./sending.js";
import { openScreen } from "./screen.js";
import { t } from "./strings.js";

// How often what is not sent yet is kept on the device, in milliseconds.
const KEPT_EVERY = 15_000;
const place = document.getElementById("screen");
const seen = new Map();
let work = null;
let shown = null;
let stopped = false;
let clock = null;
let saver = null;
let drawing = Promise.resolve();

async function start() {
  await replay(showSaving);
  work = await call("GET", "/api/work");
  clock = makeClock({ idleAfter: work.options.idle_after_ms });
  saver = makeSaver({ clock, wording: () => work.protocol.wording, tell: showSaving, newer: adopt, refused: trouble });
  beginSitting(work.progress.active_ms);
  pauses.addEventListener("start", () => clock.pause("login"));
  pauses.addEventListener("end", () => clock.goOn("login"));
  claimWork(() => {
    stopped = true;
    clock.pause("elsewhere");
    saver.stop();
  });
  setInterval(() => {
    if (!document.hidden && !stopped && saver.screen() !== null) saver.store();
  }, KEPT_EVERY);
  await show(work.screen);
}

async function show(screen) {
  if (stopped) return;
  if (screen === null) {
    location.replace("/judge/done");
    return;
  }
  const draft = await saver.open(screen);
  await draw(screen, draft);
  showProgress(screen, work.progress);
  startBar(work.protocol.guidance_seconds, clock.seen);
}

// One after the other: of two screens at once, one would go on listening to keys for ever.
function draw(screen, draft) {
  clear();
  const drawn = drawing.then(() => drawNext(screen, draft));
  drawing = drawn.catch(() => {
    // Whoever asked for it hears of it.
  });
  return drawn;
}

function clear() {
  shown?.destroy();
  shown = null;
}

async function drawNext(screen, draft) {
  clear();
  shown = await openScreen(place, {
    screen,
    work,
    draft,
    clock,
    earlier: await earlierParts(screen),
    change: saver.change,
    reveal: (step) => guarded(() => reveal(screen, step)),
    answer: () => guarded(() => submit(screen, null)),
    cannot: () => guarded(() => leaveOut(screen)),
    skip: () => guarded(() => submit(screen, work.options.skip)),
    back: (changed) => guarded(() => goBack(screen, changed)),
    forward: () => guarded(() => (screen.next ? openAgain(screen.next) : goOn())),
    open: (part) => guarded(() => openAgain(part)),
  });
  seen.set(keyOf(screen), screen);
}

// The parts of this document that were judged before, as they were shown.
async function earlierParts(screen) {
  const parts = [];
  for (let number = 0; number < screen.number; number++) {
    const key = `${screen.task}/${number}`;
    if (!seen.has(key)) seen.set(key, await call("GET", `/api/screens/${key}`));
    parts.push(seen.get(key));
  }
  return parts;
}

async function reveal(screen, step) {
  await saver.flush();
  const { rev, value } = saver.draft();
  const body = { step, rev, answered: revisionOf(screen), value };
  const revealed = await patiently("POST", `/api/screens/${keyOf(screen)}/reveal`, body);
  showSaving("saved");
  return revealed;
}

async function submit(screen, cannot) {
  const reply = await saver.submit(cannot);
  seen.delete(keyOf(screen));
  const minutes = breakDue(reply.progress.active_ms, work.options.break_after_ms);
  if (minutes) await takeBreak({ minutes, activeMs: reply.progress.active_ms, clock });
  await goOn();
}

async function goOn() {
  work = await patiently("GET", "/api/work");
  await show(work.screen);
}

async function leaveOut(screen) {
  const reason = await askWhy();
  if (reason !== null) await submit(screen, reason);
}

// A change to an answer that was given is not left lying as a draft.
async function goBack(screen, changed) {
  if (changed) await saver.submit(null);
  await openAgain(screen.previous);
}

async function openAgain(place) {
  await saver.flush();
  await show(await patiently("GET", `/api/screens/${keyOf(place)}`));
}

const patiently = (method, path, body) => persist(() => call(method, path, body), showSaving);

// Another window or device was ahead: show what it wrote.
async function adopt(draft) {
  const screen = saver.screen();
  await draw(screen, draft);
  say(t("work.newer"));
}

// What the server refuses is said with a way to try again; its own words are English.
async function guarded(action) {
  say(null);
  return action().catch(trouble);
}

function trouble(error) {
  if (!(error instanceof Refused || error instanceof Unreachable)) throw error;
  const known = { paused: "message.paused_text", draft: "message.paused_text", closed: "message.closed_text" }[error.body?.reason];
  say(
    t(known ?? "work.trouble"),
    known ? "" : el("bdi", { lang: "en" }, error.message),
    " ",
    el("button", { type: "button", class: "quiet", onclick: () => location.reload() }, t("work.again")),
  );
  return null;
}

const menu = document.getElementById("menu");
const keys = scope();
keys.on("?", () => void showKeys(), t("keys.map"));
document.getElementById("open-keys").addEventListener("click", () => ((menu.open = false), showKeys()));
document.getElementById("open-pause").addEventListener("click", () => ((menu.open = false), takeBreak({ clock })));
document.addEventListener("click", (event) => menu.contains(event.target) || (menu.open = false));

start().catch(trouble);
