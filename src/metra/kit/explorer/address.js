// @ts-check
// A view as the part of an address after #, so that it can be sent.

/** @typedef {import("./types").ReportData} ReportData */
/** @typedef {import("./types").View} View */

/**
 * Return the view with which a report opens.
 * @param {ReportData} data
 * @returns {View}
 */
export function makeView({ systems, baseline, rival, outputs }) {
  return {
    systems: systems.length > 1 ? [baseline, rival ?? baseline] : [0],
    metric: 0,
    sort: systems.length > 1 ? "change" : "low:0",
    show: "all",
    document: null,
    // Two words that changed are the largest change of all, and the dullest.
    least: outputs[0].length > 100 ? 5 : 0,
    query: "",
    layout: "texts",
    page: 0,
  };
}

/**
 * Return what differs from the view with which the report opens, as parameters.
 * @param {ReportData} data
 * @param {View} view
 */
export function writeView(data, view) {
  const usual = makeView(data);
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(view)) {
    if (String(value) === String(usual[/** @type {keyof View} */ (key)])) continue;
    if (key === "systems") for (const at of view.systems) parameters.append("system", data.systems[at]);
    else if (key === "metric") parameters.set(key, data.metrics[view.metric].spec);
    else if (key === "document") parameters.set(key, data.documents[value]);
    else if (key === "sort") parameters.set(key, view.sort.replace(/\d+$/, (at) => data.systems[Number(at)]));
    else if (key === "page") parameters.set(key, `${view.page + 1}`);
    else parameters.set(key, String(value));
  }
  return parameters.toString();
}

/**
 * Return the view of parameters; what the report does not have stays as it opens.
 * @param {ReportData} data
 * @param {string} text
 * @returns {View}
 */
export function readView(data, text) {
  const view = makeView(data);
  const parameters = new URLSearchParams(text);
  /** @param {string[]} names @param {string | null} name */
  const find = (names, name) => (name === null ? -1 : names.indexOf(name));
  const systems = parameters.getAll("system").map((name) => find(data.systems, name)).filter((at) => at >= 0);
  if (systems.length >= Math.min(2, data.systems.length)) view.systems = systems;
  const metric = find(data.metrics.map(({ spec }) => spec), parameters.get("metric"));
  if (metric >= 0) view.metric = metric;
  const document = find(data.documents, parameters.get("document"));
  if (document >= 0) view.document = document;
  const [, key, name] = /^(low:|high:|change|better|worse|disagree|long|order)(.*)$/su.exec(parameters.get("sort") ?? "") ?? [];
  const at = key?.endsWith(":") ? find(data.systems, name) : "";
  if (key && at !== -1) view.sort = `${key}${at}`;
  const show = parameters.get("show");
  if (show === "better" || show === "worse" || show === "equal") view.show = show;
  if (parameters.get("layout") === "table") view.layout = "table";
  view.query = parameters.get("query") ?? view.query;
  /** @param {string} name @param {number} usual */
  const count = (name, usual) => (/^\d{1,9}$/.test(parameters.get(name) ?? "") ? Number(parameters.get(name)) : usual);
  view.least = count("least", view.least);
  view.page = Math.max(0, count("page", 1) - 1);
  return view;
}

/**
 * Return what the part of an address after # names: a segment from 0 or a place in the page, and a view.
 * @param {string} hash
 * @param {number} count the number of segments
 */
export function readHash(hash, count) {
  const [place, parameters] = hash.replace(/^#/, "").split(/\?(.*)/s);
  const at = /^seg-\d{1,9}$/.test(place) ? Number(place.slice(4)) - 1 : -1;
  return { segment: at >= 0 && at < count ? at : null, place, parameters: parameters ?? null };
}
