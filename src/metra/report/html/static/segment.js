// One segment: everything that is known about it, on a page of its own.

const report = document.getElementById("report");
const segmentView = document.getElementById("segment");
const title = document.title;
let markAgainst = data.errors ? "errors" : data.refs.length ? "references" : "0";
let gridSystem = null;

function segmentNumber() {
  const found = /^#seg-(\d{1,9})$/.exec(location.hash);
  const at = found ? Number(found[1]) - 1 : -1;
  return at >= 0 && at < segmentCount ? at : null;
}

function route() {
  const at = segmentNumber();
  report.hidden = at !== null;
  segmentView.hidden = at === null;
  document.body.classList.toggle("one", at !== null);
  if (at === null) {
    segmentView.replaceChildren();
    document.title = title;
    if (location.hash.length > 1) {
      document.getElementById(location.hash.slice(1))?.scrollIntoView();
    }
    return;
  }
  document.title = `Segment ${at + 1} – ${title}`;
  showSegment(at);
  scrollTo(0, 0);
  segmentView.querySelector("h1").focus({ preventScroll: true });
}

function showSegment(at) {
  segmentView.replaceChildren(
    el(
      "header",
      {},
      el("h1", { tabindex: -1 }, `Segment ${at + 1}`),
      documentOf(at) == null ? null : el("bdi", { class: "doc" }, shown(documentOf(at))),
      wayBack(at),
    ),
    el("dl", { class: "texts" }, given(at)),
    outputsOf(at),
    gridOf(at),
  );
}

function wayBack(at) {
  const place = listed.indexOf(at);
  const link = (target, text) =>
    target == null || target < 0 || target >= segmentCount
      ? el("span", { class: "off" }, text)
      : el("a", { href: `#seg-${target + 1}` }, text);
  return el(
    "nav",
    { class: "way", "aria-label": "Segments" },
    el("a", { href: "#compare", class: "back" }, "← All segments"),
    link(at - 1, "previous in the text"),
    link(at + 1, "next in the text"),
    place < 0 ? null : link(listed[place + 1], "next in the list"),
  );
}

function given(at) {
  const rows = [];
  if (data.source) rows.push(el("dt", {}, "source"), el("dd", {}, passage(data.source[at])));
  data.refs.forEach((ref, index) => {
    const name = data.refs.length > 1 ? `reference ${index + 1}` : "reference";
    const text = ref[at] == null ? el("p", { class: "text empty" }, "(missing)") : passage(ref[at]);
    rows.push(el("dt", {}, name), el("dd", {}, text));
  });
  return rows;
}

function outputsOf(at) {
  const order = data.systems.map((_, index) => index);
  // By people where they judged the segment, else by the most trusted metric.
  const isJudged = data.people?.some((system) => system[at] != null);
  const scores = isJudged ? data.people : data.scores[data.trusted];
  const rank = (score) => (isJudged ? score : orient(data.trusted, score));
  const key = (index) => (scores[index][at] == null ? -Infinity : rank(scores[index][at]));
  order.sort((one, other) => key(other) - key(one) || one - other);
  const best = data.scores.map((systems, metric) => {
    const scores = systems.map((system) => system[at]).filter((s) => s != null);
    return Math.max(...scores.map((score) => orient(metric, score)));
  });
  const isBest = (metric, value) => value != null && orient(metric, value) === best[metric];
  const judged = (data.people ?? []).map((system) => system[at]).filter((s) => s != null);
  const liked = judged.length > 1 ? Math.max(...judged) : null;
  const isLiked = (index) => liked != null && data.people[index][at] === liked;
  const heads = ["system", "output", ...data.metrics.map((m, index) => `${m.spec} ${arrow(index)}`)];
  if (data.people) heads.push("people");
  const score = (value, isTop, name, digits) =>
    el("td", { class: "num", "data-v": value ?? "", "data-name": name },
      several && isTop
        ? el("b", {}, number(value, digits), el("span", { class: "unseen" }, " best"))
        : number(value, digits));
  const body = el("tbody");
  const fill = () => {
    const references = referenceCounts(at);
    body.replaceChildren(...order.map((index) => {
      const text = data.outputs[index][at];
      const nodes = (part) =>
        markAgainst === "errors" ? underlined(part, errorsOf(index, at))
          : markAgainst === "references" ? unmatched(part, references)
          : differing(part, cutText(data.outputs[Number(markAgainst)][at]), references);
      return el("tr", {},
        el("th", { scope: "row" }, system(index)),
        el("td", { class: "output" }, passage(text, nodes), errorList(index, at)),
        data.metrics.map(({ digits }, metric) => {
          const value = data.scores[metric][index][at];
          return score(value, isBest(metric, value), heads[metric + 2], digits);
        }),
        data.people ? score(data.people[index][at], isLiked(index), "people") : null);
    }));
  };
  fill();
  const against = el("select", {},
    data.errors ? option("errors", "are marked as errors", markAgainst) : null,
    data.refs.length ? option("references", "are in no reference", markAgainst) : null,
    data.systems.map((name, index) =>
      option(String(index), `differ from ${shown(name)}`, markAgainst)));
  against.addEventListener("change", () => {
    markAgainst = against.value;
    fill();
  });
  const caption = `Outputs and scores of all systems for segment ${at + 1}`;
  const table = el("table", { class: "outputs" },
    el("caption", { class: "unseen" }, caption),
    el("thead", {}, el("tr", {}, heads.map((head, index) =>
      el("th", { scope: "col", class: index > 1 ? "num" : null }, head)))),
    body);
  sortable(table);
  return el("section", { "aria-labelledby": "outputs-title" },
    el("h2", { id: "outputs-title" }, "Outputs"),
    el("div", { class: "bar" },
      labelled("mark words that", against),
      csvButton(`segment-${at + 1}`, () => csvRows(table))),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, table));
}

function gridOf(at) {
  if (!data.refs.length) return null;
  const packed = data.grids[at];
  const place = el("div", { class: "scroll grid", tabindex: 0, role: "region",
    "aria-label": "Grid of output and reference words" });
  const made = el("section", { "aria-labelledby": "grid-title" },
    el("h2", { id: "grid-title" }, "Grid"));
  if (!packed) {
    made.append(el("p", { class: "note" },
      "This report has grids for the most changed segments only. Draw this one with ",
      el("code", {}, `metra grid OUTPUT -r REFERENCE -n ${at + 1}`),
      ", or include more grids with ",
      el("code", {}, "metra report --grids N"), "."));
    return made;
  }
  const note = el("p", { class: "note" },
    `Rows are output words, columns are reference words; blocks are matches of ${data.gridSpec}.`);
  made.append(note, place);
  unpacked(packed).then((pictures) => {
    const there = Object.keys(pictures).map(Number);
    const start = there.includes(gridSystem) ? gridSystem
      : there.includes(view.b) ? view.b : there[0];
    const draw = (index) => {
      const parsed = new DOMParser().parseFromString(pictures[index], "image/svg+xml");
      place.replaceChildren(document.importNode(parsed.documentElement, true));
    };
    draw(start);
    const chosen = el("select", {}, there.map((index) =>
      option(index, shown(data.systems[index]), start)));
    chosen.addEventListener("change", () => {
      gridSystem = Number(chosen.value);
      draw(gridSystem);
    });
    note.after(el("div", { class: "bar" }, labelled("system", chosen)));
  }, () => place.replaceWith(el("p", { class: "note" }, "This browser cannot decompress the grids.")));
  return made;
}

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}
