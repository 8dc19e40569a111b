// The few ways in which a page is built. Text always becomes a text node: nothing that was
// given to the report is ever read as markup.

function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  made.append(...children.flat(Infinity).filter((child) => child != null));
  return made;
}

function shown(text) {
  return text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]/g, "\ufffd");
}

function number(value, digits = 2) {
  return value == null ? "–" : value.toFixed(digits).replace("-", "−");
}

function signed(value, digits = 2) {
  if (value == null) return "–";
  const text = value.toFixed(digits);
  if (Number(text) === 0) return text.replace("-", "");
  return value > 0 ? `+${text}` : text.replace("-", "−");
}

function counted(count, noun) {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

function option(value, text, chosen) {
  return el("option", { value, selected: value === chosen }, text);
}

let labels = 0;

function labelled(text, control, kind = "field") {
  control.id = `control-${++labels}`;
  return el("div", { class: kind }, el("label", { for: control.id }, text), control);
}
