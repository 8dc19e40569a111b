// Any two systems side by side: sorted, filtered, searched, some segments at a time.

const several = data.systems.length > 1;
const view = {
  a: data.baseline,
  b: data.rival ?? data.baseline,
  metric: 0,
  sort: "change",
  show: "all",
  document: "",
  // Two words that changed are the largest change of all, and the dullest.
  least: segmentCount > 100 ? 5 : 0,
  query: "",
  page: 0,
  size: 10,
};
const SORTS = {
  change: ["largest change", (at) => -Math.abs(gain(view.metric, view.a, view.b, at) ?? -1)],
  better: ["most improved", (at) => -(gain(view.metric, view.a, view.b, at) ?? -Infinity)],
  worse: ["most worsened", (at) => gain(view.metric, view.a, view.b, at) ?? Infinity],
  lowA: ["worst in A", (at) => goodness(view.a, at)],
  lowB: ["worst in B", (at) => goodness(view.b, at)],
  disagree: ["disagreement between metrics",
    (at) => -(disagreement(view.a, view.b, at)?.value ?? -1)],
  long: ["longest", (at) => -data.outputs[view.b][at].length],
  order: ["order in the text", (at) => at],
};
let listed = [];

function goodness(system, at) {
  const score = data.scores[view.metric][system][at];
  if (score == null) return Infinity;
  return orient(view.metric, score);
}

// Words of each segment's longest reference, or output where there are no references.
const lengths = [];

function lengthOf(at) {
  const texts = data.refs.length ? data.refs : data.outputs;
  lengths[at] ??= Math.max(...texts.map((text) => countWords(text[at] ?? "")));
  return lengths[at];
}

function matching() {
  const query = view.query.trim().toLowerCase();
  const streams = [data.source, ...data.refs, data.outputs[view.a], data.outputs[view.b]];
  const found = [];
  for (let at = 0; at < segmentCount; at++) {
    if (view.document !== "" && data.document[at] !== Number(view.document)) continue;
    if (view.least && lengthOf(at) < view.least) continue;
    const texts = streams.map((stream) => stream?.[at]);
    const hit = (text) => text?.toLowerCase().includes(query);
    if (query && !texts.some(hit) && query !== String(at + 1)) continue;
    found.push(at);
  }
  return found;
}

const KINDS = {
  all: () => true,
  better: (change) => change > 0,
  worse: (change) => change < 0,
  equal: (change) => change === 0,
};

function refresh() {
  const found = matching();
  const changes = new Map(found.map((at) => [at, gain(view.metric, view.a, view.b, at)]));
  for (const [kind, keep] of Object.entries(KINDS)) {
    const many = found.filter((at) => keep(changes.get(at))).length;
    counts[kind].textContent = many.toLocaleString("en");
  }
  const key = SORTS[view.sort][1];
  const keys = new Map(found.map((at) => [at, key(at)]));
  listed = found
    .filter((at) => KINDS[view.show](changes.get(at)))
    .sort((one, other) => keys.get(one) - keys.get(other) || one - other);
  view.page = Math.min(view.page, Math.max(0, Math.ceil(listed.length / view.size) - 1));
  const first = view.page * view.size;
  const page = listed.slice(first, first + view.size);
  list.replaceChildren(...page.map(card));
  status.textContent = listed.length
    ? `${first + 1}–${first + page.length} of ${counted(listed.length, "segment")}`
    : "No segment matches; change the search or the filter.";
  whole.textContent = several ? verdict() : "";
  for (const pager of pagers) pager.refresh();
}

// The two systems on the whole test set, and whether they differ.
function verdict() {
  const [before, after] = [view.a, view.b].map((at) => data.corpus[view.metric][at]);
  const isAsked = ([metric, one, two]) =>
    metric === view.metric && (one === view.a ? two === view.b : one === view.b && two === view.a);
  const family = data.families.find(({ comparisons }) => comparisons.some(isAsked));
  const { spec, digits } = data.metrics[view.metric];
  const text = [
    `${spec} on the whole test set: ${number(before, digits)} → `,
    `${number(after, digits)}, ${signed(after - before, digits)}`,
  ];
  if (family) {
    const [, one, , , low, high, , p] = family.comparisons.find(isAsked);
    const ends = one === view.a ? [low, high] : [high, low].map((end) => end && -end);
    const [from, to] = ends.map((end) => end != null && signed(end, digits));
    if (low != null) text.push(` (95% interval ${from} to ${to})`);
    text.push(p == null ? "; not enough data for a test"
      : `; p ${p < 0.001 ? "< 0.001" : `= ${p.toFixed(3)}`} with Holm's correction for ${family.about}`);
  }
  return text.join("") + ".";
}

function change(key, value) {
  view[key] = value;
  if (key !== "page") view.page = 0;
  refresh();
}

function card(at) {
  const references = referenceCounts(at);
  const [before, after] = [data.outputs[view.a][at], data.outputs[view.b][at]];
  const rows = [];
  if (data.source) rows.push(["source", passage(data.source[at])]);
  data.refs.forEach((ref, index) => {
    const name = data.refs.length > 1 ? `reference ${index + 1}` : "reference";
    if (ref[at] != null) rows.push([name, passage(ref[at])]);
  });
  const from = (other) => (text) =>
    other == null ? unmatched(text, references) : differing(text, cutText(other), references);
  const output = (index, text, other) =>
    rows.push([system(index), [passage(text, from(other)), errorList(index, at)], "output"]);
  output(view.a, before, several ? after : null);
  if (several) output(view.b, after, before);
  return el(
    "article",
    { class: "seg" },
    el(
      "header",
      {},
      el("h3", {}, el("a", { href: `#seg-${at + 1}` }, `Segment ${at + 1}`)),
      documentOf(at) == null ? null : el("bdi", { class: "doc" }, shown(documentOf(at))),
      el("p", { class: "changes" }, data.metrics.map((_, metric) => changed(metric, at)),
        judged(at), view.sort === "disagree" ? disagreeing(at) : null),
    ),
    el("dl", { class: "texts" }, rows.map(([name, text, kind]) => [
      el("dt", { class: kind }, name),
      el("dd", { class: kind }, text),
    ])),
  );
}

function system(index) {
  return el("bdi", {}, shown(data.systems[index]));
}

function changed(metric, at) {
  const [before, after] = [view.a, view.b].map((index) => data.scores[metric][index][at]);
  const better = gain(metric, view.a, view.b, at);
  const chosen = metric === view.metric ? " chosen" : "";
  const { spec, digits } = data.metrics[metric];
  return scoreChange(spec, before, after, better, chosen, digits);
}

// What people thought of the two outputs; nothing where nobody judged them.
function judged(at) {
  if (!data.people) return null;
  const [before, after] = [view.a, view.b].map((index) => data.people[index][at]);
  if (before == null && after == null) return null;
  const better = before == null || after == null ? null : after - before;
  return scoreChange("people", before, after, better, "");
}

// Which metrics disagree most about the segment, by the places of the outputs among all.
function disagreeing(at) {
  const found = disagreement(view.a, view.b, at);
  if (!found) return null;
  const tell = ({ name, value }) =>
    `${name} ${view.a === view.b ? number(value) : signed(value)}`;
  return el("span", { class: "score" }, el("span", { class: "spec" }, "disagreement "),
    el("b", {}, number(found.value)), ` (${tell(found.highest)}, ${tell(found.lowest)})`);
}

function scoreChange(name, before, after, better, chosen, digits = 2) {
  const kind = better > 0 ? "better" : better < 0 ? "worse" : "equal";
  const sign = { better: "▲", worse: "▼", equal: "=" }[kind];
  const known = before != null && after != null;
  return el(
    "span",
    { class: `score${chosen}` },
    el("span", { class: "spec" }, `${name} `),
    several ? `${number(before, digits)} → ${number(after, digits)} ` : number(after, digits),
    several && known
      ? el("b", { class: kind }, `${sign} ${signed(after - before, digits)}`,
          el("span", { class: "unseen" }, ` ${kind}`))
      : null,
  );
}

function pagerButton(text, step) {
  const target = () => view.page + step;
  const possible = () => target() >= 0 && target() * view.size < listed.length;
  const made = el("button", { type: "button" }, text);
  made.addEventListener("click", () => {
    if (!possible()) return;
    change("page", target());
    status.parentElement.scrollIntoView({ block: "start" });
  });
  made.refresh = () => made.setAttribute("aria-disabled", String(!possible()));
  return made;
}

function makePager(name) {
  const where = el("span", {});
  const [back, on] = [pagerButton("← Previous", -1), pagerButton("Next →", 1)];
  const made = el("nav", { class: "pager", "aria-label": name }, back, where, on);
  made.refresh = () => {
    const pages = Math.max(1, Math.ceil(listed.length / view.size));
    where.textContent = `page ${view.page + 1} of ${pages}`;
    made.hidden = pages === 1;
    back.refresh();
    on.refresh();
  };
  return made;
}

function choice(key, options, chosen = view[key]) {
  const made = el("select", {}, options.map(([value, text]) => option(value, text, chosen)));
  made.addEventListener("change", () => {
    const value = made.value;
    change(key, typeof chosen === "number" ? Number(value) : value);
  });
  return made;
}

const counts = {};
const status = el("p", { class: "status", role: "status" });
const whole = el("p", { class: "whole" });
const list = el("div", { class: "cards" });
const pagers = [makePager("Pages, above"), makePager("Pages, below")];

function filters() {
  const names = { all: "all", better: "better in B", worse: "worse in B", equal: "equal" };
  return el(
    "fieldset",
    { class: "show" },
    el("legend", { class: "unseen" }, "Segments to show"),
    Object.entries(names).map(([kind, name]) => {
      counts[kind] = el("span", { class: "count" });
      const radio = el("input", {
        type: "radio",
        name: "show",
        value: kind,
        checked: view.show === kind,
        onchange: () => change("show", kind),
      });
      return el("label", {}, radio, el("span", {}, `${name} `, counts[kind]));
    }),
  );
}

function controls() {
  const systems = data.systems.map((name, at) => [at, shown(name)]);
  const metrics = data.metrics.map((metric, at) => [at, `${metric.spec} ${arrow(at)}`]);
  const sorts = Object.entries(SORTS)
    .filter(([key]) => several || !["better", "worse", "change", "lowB"].includes(key))
    .filter(([key]) => data.metrics.length + (data.people ? 1 : 0) > 1 || key !== "disagree")
    .map(([key, [text]]) => [key, several ? text : text.replace(" in A", "")]);
  const documents = [["", "all"], ...data.documents.map((name, at) => [at, shown(name)])];
  const lengthsToChoose = [0, 5, 10, 20].map((least) =>
    [least, least ? `at least ${least} words` : "any length"]);
  const search = el("input", { type: "search", placeholder: "text or segment number" });
  let waiting;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => change("query", search.value), 150);
  });
  const swap = el("button", { type: "button", class: "swap", title: "Swap A and B" }, "⇄",
    el("span", { class: "unseen" }, "Swap A and B"));
  const [a, b] = [choice("a", systems), choice("b", systems)];
  swap.addEventListener("click", () => {
    [view.a, view.b] = [view.b, view.a];
    [a.value, b.value] = [view.a, view.b];
    change("page", 0);
  });
  return el(
    "form",
    { class: "controls", role: "search", onsubmit: (event) => event.preventDefault() },
    several ? [labelled("A", a, "field system"), swap, labelled("B", b, "field system")]
      : null,
    labelled("metric", choice("metric", metrics)),
    labelled("sort by", choice("sort", sorts)),
    data.documents.length > 1 ? labelled("document", choice("document", documents)) : null,
    labelled(data.refs.length ? "reference" : "output", choice("least", lengthsToChoose)),
    labelled("search", search, "field grow"),
    filters(),
  );
}

function startComparison() {
  const place = document.getElementById("segments");
  if (!several) view.sort = "lowA";
  const made = controls();
  if (!several) made.querySelector("fieldset").hidden = true;
  const above = el("div", { class: "above" }, status, pagers[0]);
  place.replaceChildren(made, whole, above, list, pagers[1]);
  refresh();
}
