// The data of the report.

const data = JSON.parse(document.getElementById("data").textContent);
const segmentCount = data.outputs[0].length;
const LONG = 1500;

// How much better the second score is, whichever way the metric points.
function gain(metric, a, b, at) {
  const [before, after] = [data.scores[metric][a][at], data.scores[metric][b][at]];
  if (before == null || after == null) return null;
  return data.metrics[metric].up ? after - before : before - after;
}

function arrow(metric) {
  return data.metrics[metric].up ? "↑" : "↓";
}

function documentOf(at) {
  return data.documents.length ? data.documents[data.document[at]] : null;
}
