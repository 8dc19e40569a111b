/** What a script of this folder exports for its kind of question; browsers never load this file. */

export type Agreement = "same" | "near" | "other";

/** A step of a protocol; it has more fields by its kind. */
export interface Step {
  name: string;
  title: string;
  question: string;
  kind: string;
  shows: string[];
  ask: any;
  languages: Record<string, string>;
  [field: string]: any;
}

export interface StepOptions {
  step: Step;
  screen: any;
  /** The answer so far, undefined before the first. */
  value: any;
  /** Of the texts that are judged. */
  language: string;
  languages: { source: string; target: string };
  texts: Record<string, any>;
  t: (key: string, values?: Record<string, unknown>) => string;
  /** Called on each change, with undefined if there is no answer any more. */
  change: (value: any) => void;
  done: () => void;
  keys: any;
  clock: { now: () => number; event: (kind: string, data?: unknown) => void };
  options?: any;
}

export interface StepHandle {
  focus: () => void;
  value: () => any;
  /** The sentence that names what is missing, or null. */
  missing?: () => string | null;
  /** The answer in a word, once the step is past. */
  summary?: () => string;
  goOnLabel?: () => string | null;
  startsInText?: boolean;
  /** What comes first when the judge goes on; true if the step is not over. */
  act?: () => boolean;
  setTexts?: (screen: any) => void;
  destroy?: () => void;
}

export interface StepModule {
  mount: (place: HTMLElement, options: StepOptions) => StepHandle;
  /** Texts that the script draws itself, such as "outputs". */
  owns?: string[];
  /** True if the question cannot be tried out in the guide. */
  timed?: boolean;
  /** How near an answer to an example is to ours. */
  compare?: (given: any, ours: any, ask: any) => Agreement;
  /** Our answer to an example in words. */
  describe?: (value: any, step: Step, example: any, t: StepOptions["t"]) => string;
}
