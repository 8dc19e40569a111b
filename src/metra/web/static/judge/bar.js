// A thin bar that fills while a text is looked at. Full, it turns amber, and that is all.

const bar = document.getElementById("bar");
let full = null;
let seen = null;

export function startBar(seconds, secondsSeen) {
  full = seconds;
  seen = secondsSeen;
  bar.hidden = !seconds;
  show();
}

function show() {
  if (!full) return;
  const share = Math.min(1, seen() / full);
  bar.value = share;
  bar.classList.toggle("full", share >= 1);
}

setInterval(show, 500);
