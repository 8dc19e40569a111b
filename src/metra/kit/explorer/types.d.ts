/** The types of the explorer's modules, for `tsc --noEmit`; browsers never load this file. */

export interface Metric {
  spec: string;
  up: boolean;
  digits: number;
  /** The value that scores should be close to, if neither higher nor lower is better. */
  target?: number;
}

type End = number | null;

/** Metric, baseline, system, difference, low end, high end, p, p by Holm. */
export type Comparison = [number, number, number, number, End, End, End, End];

/** A place in the output or null, then severity, category, judge, side, words. */
export type MarkedError = [[number, number] | null, string, string, string, string, string];

/** What a report embeds (report/html/explorer.py): outer lists by metric, then by system. */
export interface ReportData {
  systems: string[];
  baseline: number;
  trusted: number;
  rival: number | null;
  metrics: Metric[];
  corpus: number[][];
  families: { family: string; about: string; comparisons: Comparison[] }[];
  scores: (number | null)[][][];
  people: (number | null)[][] | null;
  source: (string | null)[] | null;
  refs: (string | null)[][];
  outputs: (string | null)[][];
  documents: string[];
  document: number[];
  errors: Record<string, MarkedError[]>[] | null;
  gridSpec: string;
  grids: Record<string, string>;
}

/** A report's data with scores in typed arrays, in which NaN is a missing score. */
export interface Columns {
  data: ReportData;
  count: number;
  scores: Float64Array[][];
  people: Float64Array[] | null;
  /** What was computed from the columns, by what it was computed for. */
  computed: Map<string, any>;
}

export type Kind = "all" | "better" | "worse" | "equal";

/** What is shown of the segments; the address says it all. */
export interface View {
  /** The system that others are compared to, then these. */
  systems: number[];
  metric: number;
  sort: string;
  show: Kind;
  document: number | null;
  /** The fewest words of a segment. */
  least: number;
  query: string;
  layout: "texts" | "table";
  page: number;
}

export interface Selection {
  rows: Uint32Array;
  counts: Record<Kind, number>;
  /** Why the query cannot be searched for. */
  problem: string | null;
}

export interface Word {
  text: string;
  start: number;
  stop: number;
}

declare global {
  /** The compiler's list of what browsers have is older. */
  const DecompressionStream: new (format: "deflate") => ReadableWritablePair<Uint8Array, Uint8Array>;
}
