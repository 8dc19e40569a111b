// Keys by kind, never which: what was typed stays with who typed it.

const MODIFIERS = new Set(["Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock", "NumLock", "Fn", "OS", "Hyper", "Super", "ScrollLock"]);
const NAMED = { Enter: "enter", Backspace: "backspace", Delete: "delete", Process: "composition", Dead: "composition", Unidentified: "composition", Cut: "clipboard", Copy: "clipboard", Paste: "clipboard", Undo: "undo", Redo: "undo" };
const NAVIGATION = /^(Arrow|Page)|^(Home|End)$/;

// The kind of a key press, or null where nothing was pressed: a modifier alone, a key held down.
export function kindOfKey(event) {
  if (event.repeat || MODIFIERS.has(event.key)) return null;
  if (event.isComposing || event.keyCode === 229) return "composition";
  // The older keys of the clipboard: Ctrl+Insert, Shift+Insert, Shift+Delete.
  if (event.key === "Insert" && (event.ctrlKey || event.shiftKey)) return "clipboard";
  if (event.key === "Delete" && event.shiftKey) return "clipboard";
  if (event.key in NAMED) return NAMED[event.key];
  if (NAVIGATION.test(event.key)) return "navigation";
  if (Array.from(event.key).length > 1) return event.key === "Spacebar" ? "space" : "other";
  if ((event.ctrlKey || event.metaKey) && !event.getModifierState?.("AltGraph")) {
    const key = event.key.toLowerCase();
    return "cxv".includes(key) ? "clipboard" : "zy".includes(key) ? "undo" : "other";
  }
  if (/\p{N}/u.test(event.key)) return "digit";
  if (/[\p{L}\p{M}]/u.test(event.key)) return "letter";
  return /\s/u.test(event.key) ? "space" : "punctuation";
}

// Counts in `keys` by kind and in `inputs` by the browser's own names, which also tell of
// what comes without a key: pasting with the mouse, dictation, a finger, an input method.
export function countKeystrokes(field, counts, counted) {
  const add = (table, kind) => (table[kind] = (table[kind] ?? 0) + 1);
  field.addEventListener("keydown", (event) => {
    const kind = kindOfKey(event);
    if (kind === null) return;
    add(counts.keys, kind);
    counted();
  });
  field.addEventListener("input", (event) => {
    add(counts.inputs, event.inputType || "insertReplacementText");
    counted();
  });
}
