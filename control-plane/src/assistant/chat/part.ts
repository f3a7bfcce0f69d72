import type { Call } from "./grammar/intents.ts";

/** A problem of an answer, which a page may tell apart. */
export const PROBLEM_CODES = [
  "model_unavailable",
  "model_slow",
  "model_nonsense",
  "limit_reached",
  "interrupted",
  "refused",
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

/** The words for `interrupted`. */
export const INTERRUPTED = "The answer was interrupted. What was said before is kept: ask again.";

/** A call of a tool as its model has made it: the id is the model's. */
export interface ModelCall extends Call {
  id: string;
}

/** A part of a message as it lies in the database. No value of a variable is in any. */
export type StoredPart =
  | { type: "text"; text: string }
  /** `text` is for the person; `answer` is what the model got. */
  | { type: "looked"; tool: string; title: string; text?: string; call: ModelCall; answer: string }
  /** A call that could not be made, which people don't see. */
  | { type: "misfit"; call: ModelCall; answer: string }
  | { type: "card"; card: string; calls: ModelCall[] }
  | { type: "problem"; code: ProblemCode; detail: string };
