// Elements from names, attributes and children. Texts become text nodes, never markup.

export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key in made && typeof value !== "string") made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

let last = 0;

// An id that no other element has, to tie labels to what they name.
export const freshId = (stem) => `${stem}-${++last}`;

// The question of a step, in the language of its words.
export const questionHeading = (step) => el("h2", { class: "question", lang: step.languages.question, dir: "auto" }, step.question);

// Enter in a field goes on to another place instead of to the next screen.
export function onEnter(field, goOn) {
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    goOn();
  });
}

// A dialog in the middle of the page. Its button, Escape and `leave` close it at once and call
// `closed`: the browser reports "close" later, and a key pressed in between would go to the
// hidden form.
export function dialog(title, closed, ...children) {
  const made = open(title, children);
  made.leave = () => {
    if (!made.isConnected) return;
    made.close();
    made.remove();
    closed?.();
  };
  made.addEventListener("submit", (event) => (event.preventDefault(), made.leave()));
  for (const kind of ["cancel", "close"]) made.addEventListener(kind, made.leave);
  return made;
}

// A dialog that Escape does not close; only `finish` does.
export function insistingDialog(title, ...children) {
  const made = open(title, children);
  let finished = false;
  made.addEventListener("keydown", (event) => event.key === "Escape" && event.preventDefault());
  made.addEventListener("close", () => finished || made.showModal());
  made.finish = () => {
    finished = true;
    made.close();
    made.remove();
  };
  return made;
}

function open(title, children) {
  const heading = el("h2", { id: freshId("title") }, title);
  const made = el("dialog", { "aria-labelledby": heading.id }, heading, ...children);
  document.body.append(made);
  made.showModal();
  return made;
}
