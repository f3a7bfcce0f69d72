import { nearest } from "./nearest.ts";

/** The issue that zod hands to a schema's `error`. */
interface Issue {
  input?: unknown;
}
type Sentence = (issue: Issue) => string;

/** The value as a sentence may show it: on one line and short, whatever it holds. */
export function quoted(value: unknown): string {
  const text = typeof value === "string" ? value : String(value);
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text);
}

export function expected(what: string): Sentence {
  return ({ input }) => `${is(input)}; allowed is ${what}.`;
}

/** Explains a value that should be a text: a number or a truth value was probably meant as one. */
export function textExpected(what: string): Sentence {
  return ({ input }) => {
    const isUnquoted = typeof input === "number" || typeof input === "boolean";
    return `${is(input)}; allowed is ${what}.${isUnquoted ? ` Put it in quotes: "${input}".` : ""}`;
  };
}

export function oneOf(names: readonly string[]): Sentence {
  return ({ input }) => {
    const isUnquoted = typeof input === "number" && names.includes(String(input));
    const meant = typeof input === "string" ? nearest(input, names) : undefined;
    const hint = isUnquoted ? ` Put it in quotes: "${input}".` : meant === undefined ? "" : ` Did you mean ${meant}?`;
    return `${is(input)}; allowed is ${names.length > 1 ? "one of " : ""}${names.join(", ")}.${hint}`;
  };
}

/** Values that the specification keeps for v1.x. */
export function reserved(values: readonly unknown[], otherwise: Sentence): Sentence {
  return (issue) =>
    values.includes(issue.input)
      ? `${String(issue.input)} is reserved for v1.x and not available yet.`
      : otherwise(issue);
}

/** @param later what of it belongs to which later version */
export function unknownProperty(key: string, names: readonly string[], later?: string): string {
  if (later !== undefined) return `belongs to ${later}: say so in place of the version that the file gives.`;
  const meant = nearest(key, names);
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  return `is not a property here; allowed are ${names.join(", ")}.${hint}`;
}

function is(input: unknown): string {
  if (input === undefined) return "is missing";
  if (input === null) return "is empty";
  if (Array.isArray(input)) return "is a list";
  if (typeof input === "object") return "is a map";
  if (typeof input === "string") return `is ${quoted(input)}`;
  return `is ${String(input)}`;
}
