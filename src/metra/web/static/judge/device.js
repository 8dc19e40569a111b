// What must outlive the page is kept in the browser's database: drafts, and answers on their way.

const NAME = "metra-judge";
const TABLES = ["drafts", "answers"];
let opened = null;

function database() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => TABLES.forEach((table) => request.result.createObjectStore(table));
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

async function within(table, mode, action) {
  const base = await database();
  return new Promise((resolve, reject) => {
    const change = base.transaction(table, mode);
    const request = action(change.objectStore(table));
    // Asked for now, it is done even if the page goes away before it hears of it.
    change.commit?.();
    change.oncomplete = () => resolve(request.result);
    change.onabort = change.onerror = () => reject(change.error);
  });
}

// Where the browser keeps nothing (some private windows), memory must do.
const memory = new Map();
export let lasting = true;

async function orMemory(table, mode, action, instead) {
  if (lasting) {
    try {
      return await within(table, mode, action);
    } catch {
      lasting = false;
    }
  }
  return instead();
}

export const keep = (table, key, content) =>
  orMemory(
    table,
    "readwrite",
    (store) => store.put(content, key),
    () => memory.set(`${table} ${key}`, content),
  );

export const drop = (table, key) =>
  orMemory(
    table,
    "readwrite",
    (store) => store.delete(key),
    () => memory.delete(`${table} ${key}`),
  );

export const kept = (table, key) =>
  orMemory(
    table,
    "readonly",
    (store) => store.get(key),
    () => memory.get(`${table} ${key}`),
  );

export const allKept = (table) =>
  orMemory(
    table,
    "readonly",
    (store) => store.getAll(),
    () => [...memory].filter(([key]) => key.startsWith(`${table} `)).map(([, content]) => content),
  );
