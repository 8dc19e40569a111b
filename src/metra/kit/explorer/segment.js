// @ts-check
// One segment: its texts, all outputs with their scores, its document, and its grids.

import { el, labelField, makeSelect, unseen } from "../elements.js";
import { formatNumber, replaceInvisible } from "../figures.js";
import { makeDownload, readTable, sortTable } from "../table.js";
import { drawArrow, listNeighbours, nameDocument, orient } from "./columns.js";
import { drawErrorList, drawGiven, drawPassage, drawSystem, listErrors, makeMarkers, underlineErrors } from "./passages.js";

/** @typedef {import("./types").Columns} Columns */
/** @typedef {{ marks: string, grid: number | null, system: number }} Choices what a reader chose on the page before */

/**
 * Return what a page of a segment shows at first.
 * @param {Columns} columns
 * @returns {Choices}
 */
export const makeChoices = ({ data }) => ({
  marks: data.errors ? "errors" : data.refs.length ? "references" : "0",
  grid: null,
  system: data.rival ?? data.baseline,
});

/**
 * Return the parts of a segment's page.
 * @param {Columns} columns
 * @param {number} at
 * @param {{ choices: Choices, listed: Uint32Array, list: string }} options the segments of the
 *   list it was opened from, and the address of that list
 */
export function drawSegment(columns, at, { choices, listed, list }) {
  const document = nameDocument(columns, at);
  return [
    el("header", {},
      el("h1", { tabindex: -1 }, `Segment ${at + 1}`),
      document === null ? null : el("bdi", { class: "doc" }, replaceInvisible(document)),
      drawWays(columns, at, listed, list)),
    el("dl", { class: "texts" }, drawGiven(columns, at, true)),
    drawOutputs(columns, at, choices),
    drawContext(columns, at, choices),
    drawGrid(columns, at, choices),
  ].flatMap((part) => part ?? []);
}

/**
 * @param {Columns} columns
 * @param {number} at
 * @param {Uint32Array} listed
 * @param {string} list
 */
function drawWays({ count }, at, listed, list) {
  const place = listed.indexOf(at);
  const link = (/** @type {number | undefined} */ target, /** @type {string} */ text) =>
    target === undefined || target < 0 || target >= count
      ? el("span", { class: "off" }, text)
      : el("a", { href: `#seg-${target + 1}` }, text);
  return el("nav", { class: "way", "aria-label": "Segments" },
    el("a", { href: list, class: "back" }, "← All segments"),
    link(at - 1, "previous in the text"),
    link(at + 1, "next in the text"),
    place < 0 ? null : link(listed[place + 1], "next in the list"));
}

/**
 * @param {Columns} columns
 * @param {number} at
 * @param {Choices} choices
 */
function drawOutputs(columns, at, choices) {
  const { data, scores, people } = columns;
  const several = data.systems.length > 1;
  const valuesOf = (/** @type {Float64Array[]} */ systems) => systems.map((system) => system[at]);
  const known = (/** @type {number[]} */ values) => values.filter((value) => !Number.isNaN(value));
  // By people where they judged the segment, else by the most trusted metric.
  const judged = valuesOf(people ?? []);
  const rated = known(judged).length ? judged : valuesOf(scores[data.trusted]).map((score) => orient(data.metrics[data.trusted], score));
  const key = (/** @type {number} */ system) => (Number.isNaN(rated[system]) ? -Infinity : rated[system]);
  const order = data.systems.map((_, system) => system).sort((one, other) => key(other) - key(one) || one - other);
  const heads = data.metrics.map((metric) => `${metric.spec} ${drawArrow(metric)}`);
  const best = data.metrics.map((metric, index) => Math.max(...known(valuesOf(scores[index]).map((score) => orient(metric, score)))));
  const liked = known(judged).length > 1 ? Math.max(...known(judged)) : NaN;
  const cell = (/** @type {number} */ value, /** @type {boolean} */ isBest, /** @type {string} */ name, digits = 2) =>
    el("td", { class: "num", "data-v": Number.isNaN(value) ? "" : value, "data-name": name },
      several && isBest ? el("b", {}, formatNumber(value, digits), unseen(" best")) : formatNumber(value, digits));
  const body = el("tbody");
  function fill() {
    const { unmatched, differing } = makeMarkers(columns, at);
    body.replaceChildren(...order.map((system) => {
      const errors = listErrors(columns, system, at);
      const mark = (/** @type {string} */ part) =>
        choices.marks === "errors" ? underlineErrors(part, errors)
          : choices.marks === "references" ? unmatched(part)
          : differing(part, data.outputs[Number(choices.marks)][at]);
      return el("tr", {},
        el("th", { scope: "row" }, drawSystem(columns, system)),
        el("td", { class: "output" }, drawPassage(data.outputs[system][at], mark), drawErrorList(errors)),
        data.metrics.map((metric, index) => {
          const value = scores[index][system][at];
          return cell(value, orient(metric, value) === best[index], heads[index], metric.digits);
        }),
        people ? cell(judged[system], judged[system] === liked, "people") : null);
    }));
  }
  fill();
  /** @type {[string, string][]} */
  const marks = data.systems.map((name, system) => [`${system}`, `differ from ${replaceInvisible(name)}`]);
  if (data.refs.length) marks.unshift(["references", "are in no reference"]);
  if (data.errors) marks.unshift(["errors", "are marked as errors"]);
  const select = makeSelect(marks, choices.marks, (value) => {
    choices.marks = value;
    fill();
  });
  const caption = `Outputs and scores of all systems for segment ${at + 1}`;
  const table = el("table", { class: "outputs" },
    el("caption", { class: "unseen" }, caption),
    el("thead", {}, el("tr", {}, ["system", "output", ...heads, ...(people ? ["people"] : [])].map((head, index) =>
      el("th", { scope: "col", class: index > 1 ? "num" : null }, head)))),
    body);
  sortTable(table);
  return el("section", { "aria-labelledby": "outputs-title" },
    el("h2", { id: "outputs-title" }, "Outputs"),
    el("div", { class: "bar" }, labelField("mark words that", select), makeDownload(`segment-${at + 1}`, () => readTable(table))),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, table));
}

// Segments before and after that are shown at first, and how many more each time.
const NEAR = 2;
const MORE = 10;

/**
 * Return the segment within its document: source, or reference without one, and an output.
 * @param {Columns} columns
 * @param {number} at
 * @param {Choices} choices
 */
function drawContext(columns, at, choices) {
  const { data } = columns;
  if (listNeighbours(columns, at, 1).length === 1 || !data.documents.length) return null;
  const given = data.source ?? data.refs[0] ?? null;
  let reach = NEAR;
  const lines = el("ol", { class: "document" });
  const more = el("button", { type: "button", class: "quiet small" }, "Show more of the document");
  function fill() {
    const rows = listNeighbours(columns, at, reach);
    lines.replaceChildren(...rows.map((row) =>
      el("li", { "aria-current": row === at ? "true" : null },
        el("a", { href: `#seg-${row + 1}` }, `${row + 1}`),
        given ? drawPassage(given[row]) : null,
        drawPassage(data.outputs[choices.system][row]))));
    more.hidden = listNeighbours(columns, at, reach + 1).length === rows.length;
  }
  more.addEventListener("click", () => {
    reach += MORE;
    fill();
  });
  fill();
  const select = makeSelect(data.systems.map((name, system) => [`${system}`, replaceInvisible(name)]), `${choices.system}`, (value) => {
    choices.system = Number(value);
    fill();
  });
  return el("section", { "aria-labelledby": "document-title" },
    el("h2", { id: "document-title" }, "In its document"),
    el("div", { class: "bar" }, labelField(data.source ? "source, and output of" : "reference, and output of", select)),
    lines, more);
}

/**
 * @param {Columns} columns
 * @param {number} at
 * @param {Choices} choices
 */
function drawGrid({ data }, at, choices) {
  if (!data.refs.length) return null;
  const packed = data.grids[at];
  const section = el("section", { "aria-labelledby": "grid-title" }, el("h2", { id: "grid-title" }, "Grid"));
  const note = (/** @type {any[]} */ ...parts) => el("p", { class: "note" }, parts);
  if (!packed) {
    section.append(note(
      "This report has grids for the most changed segments only. Draw this one with ",
      el("code", {}, `metra grid OUTPUT -r REFERENCE -n ${at + 1}`),
      ", or include more grids with ", el("code", {}, "metra report --grids N"), "."));
    return section;
  }
  const label = "Grid of output and reference words";
  const place = el("div", { class: "scroll grid", tabindex: 0, role: "region", "aria-label": label });
  const about = note(`Rows are output words, columns are reference words; blocks are matches of ${data.gridSpec}.`);
  section.append(about, place);
  unpackGrids(packed).then((pictures) => {
    const systems = Object.keys(pictures).map(Number);
    const start = [choices.grid, choices.system].find((system) => system !== null && systems.includes(system)) ?? systems[0];
    const draw = (/** @type {number} */ system) => {
      const parsed = new DOMParser().parseFromString(pictures[system], "image/svg+xml");
      place.replaceChildren(document.importNode(parsed.documentElement, true));
    };
    draw(start);
    const select = makeSelect(systems.map((system) => [`${system}`, replaceInvisible(data.systems[system])]), `${start}`, (value) => {
      choices.grid = Number(value);
      draw(choices.grid);
    });
    about.after(el("div", { class: "bar" }, labelField("system", select)));
  }, () => place.replaceWith(note("This browser cannot decompress the grids.")));
  return section;
}

/**
 * @param {string} text
 * @returns {Promise<Record<number, string>>}
 */
async function unpackGrids(text) {
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}
