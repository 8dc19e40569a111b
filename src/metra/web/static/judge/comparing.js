// How near a judge's answer to an example is to ours, and ours in words. The module of each kind of
// question says both, by `compare` and `describe`.

const RANKING = ["same", "near", "other"];

// The worst of the steps' agreements.
export function agreement(steps, modules, given, ours) {
  const found = steps.map(({ name, ask }, at) => modules[at].compare?.(given[name], ours[name], ask) ?? "near");
  return RANKING[Math.max(...found.map((one) => RANKING.indexOf(one)))];
}

export const inWords = (steps, modules, example, t) =>
  steps
    .map((step, at) => {
      const said = modules[at].describe?.(example.answer[step.name], step, example, t) ?? "";
      return steps.length > 1 ? `${step.title}: ${said}` : said;
    })
    .join("; ");

// Lists of words: all the same, some, or none.
export function compareLists(given, ours) {
  const theirs = given.map(fold);
  const hits = ours.map(fold).filter((one) => theirs.includes(one)).length;
  if (hits === ours.length && given.length === ours.length) return "same";
  return hits ? "near" : "other";
}

// As the server compares them: without case and without punctuation at the ends.
const fold = (one) => (one === null ? "" : one.normalize("NFC").toLowerCase().replace(/^[\p{P}\p{Z}]+|[\p{P}\p{Z}]+$/gu, ""));
