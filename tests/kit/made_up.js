// Data of reports that tests make up.

export const load = (name) => import(`${process.env.METRA_KIT}/${name}.js`);

// Numbers that look random and are always the same.
export function makeRandom(seed = 1) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export const LONG = Array.from({ length: 2000 }, (_, at) => `word${at % 700}`).join(" ");
export const ARABIC = "قال رئيس البلدية إن السوق ستفتح أبوابها قريبا";
export const CHINESE = "新市场终于在本周开放了";

// A report of some systems, with the scores of each by metric, then by system.
export const makeData = ({ scores, outputs, ...more }) => ({
  systems: scores[0].map((_, at) => "abcdefgh"[at]),
  baseline: 0,
  trusted: 0,
  rival: scores[0].length > 1 ? 1 : null,
  metrics: scores.map((_, at) => ({ spec: `m${at}`, up: true, digits: 2 })),
  corpus: scores.map((systems) => systems.map(() => 0)),
  families: [],
  scores,
  people: null,
  source: null,
  refs: [],
  outputs: outputs ?? scores[0].map((system) => system.map((_, at) => `text ${at}`)),
  documents: [],
  document: [],
  errors: null,
  gridSpec: "",
  grids: {},
  ...more,
});
