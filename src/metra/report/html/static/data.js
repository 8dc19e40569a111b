// The data of the report.

const data = JSON.parse(document.getElementById("data").textContent);
const segmentCount = data.outputs[0].length;
const LONG = 1500;

// A score for which higher is better, whichever way the metric points.
function orient(metric, score) {
  const { up, target } = data.metrics[metric];
  if (target != null) return -Math.abs(score - target);
  return up ? score : -score;
}

// How much better the second score is.
function gain(metric, a, b, at) {
  const [before, after] = [data.scores[metric][a][at], data.scores[metric][b][at]];
  if (before == null || after == null) return null;
  return orient(metric, after) - orient(metric, before);
}

// The place of every output among all outputs by a metric or by people (the last row), from
// 0 for the worst to 1 for the best; equal scores share the place in their middle.
const places = [];

function placesOf(row) {
  if (places[row]) return places[row];
  const isPeople = row === data.metrics.length;
  const scores = isPeople ? data.people : data.scores[row];
  const rank = (score) => (isPeople ? score : orient(row, score));
  const order = scores.flat().filter((score) => score != null)
    .map(rank).sort((one, other) => one - other);
  const placeByScore = new Map();
  for (let first = 0; first < order.length; ) {
    let last = first;
    while (last + 1 < order.length && order[last + 1] === order[first]) last++;
    placeByScore.set(order[first], (first + last + 1) / 2 / order.length);
    first = last + 1;
  }
  places[row] = scores.map((system) =>
    system.map((score) => (score == null ? null : placeByScore.get(rank(score)))));
  return places[row];
}

// How far metrics, and people, disagree about a segment: by each of them, the place of b's
// output minus that of a's, or the place alone where a is b; then the highest of these
// minus the lowest. Null where fewer than two know the segment.
function disagreement(a, b, at) {
  const known = [];
  const names = [...data.metrics.map(({ spec }) => spec), ...(data.people ? ["people"] : [])];
  names.forEach((name, row) => {
    const [before, after] = [placesOf(row)[a][at], placesOf(row)[b][at]];
    if (before != null && after != null) {
      known.push({ name, value: a === b ? after : after - before });
    }
  });
  if (known.length < 2) return null;
  known.sort((one, other) => one.value - other.value);
  const [lowest, highest] = [known[0], known[known.length - 1]];
  return { lowest, highest, value: highest.value - lowest.value };
}

function arrow(metric) {
  const { up, target } = data.metrics[metric];
  if (target != null) return `→${target}`;
  return up ? "↑" : "↓";
}

function documentOf(at) {
  return data.documents.length ? data.documents[data.document[at]] : null;
}
