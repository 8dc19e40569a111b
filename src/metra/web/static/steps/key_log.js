// Everything that is typed into a text, so that it can be replayed: only where the campaign asks
// for it, the judge has agreed to it, and the screen says so.

// What has to go and to come, counted in code points, to turn one text into the other.
export function changeBetween(before, after) {
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < most && before[at] === after[at]) at += 1;
  let same = 0;
  while (same < most - at && before[before.length - 1 - same] === after[after.length - 1 - same]) same += 1;
  return { at, gone: before.length - at - same, text: after.slice(at, after.length - same).join("") };
}

// `name` tells fields of a screen apart. The text as it is now begins the log; `begin` says that
// it was changed by something else than writing.
export function logWriting(field, name, clock) {
  let before;
  function begin() {
    before = Array.from(field.value);
    clock.event("text", { field: name, text: field.value });
  }
  begin();
  field.addEventListener("keydown", ({ key, repeat }) => clock.event("key", { field: name, key, ...(repeat && { held: true }) }));
  field.addEventListener("input", ({ inputType }) => {
    const after = Array.from(field.value);
    clock.event("write", { field: name, how: inputType ?? "", ...changeBetween(before, after) });
    before = after;
  });
  return { begin };
}
