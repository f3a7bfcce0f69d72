import { levelOf } from "./log-level.ts";
import type { Comparison, LogCondition, LogQuery } from "./log-query.ts";
import { parseRequest, type LoggedRequest } from "./logged-request.ts";

/** Whether a line, without its time, is one that the query looks for. Takes time that grows with the line's length. */
export function matchesLine(query: LogQuery, line: string): boolean {
  if (query.length === 0) return true;
  const facts = new LineFacts(line);
  return query.every(({ condition, isExcluded }) => holds(condition, facts) !== isExcluded);
}

/** What a line says, found out once, and only where a term asks. */
class LineFacts {
  readonly line: string;
  #lower: string | undefined;
  #request: { found: LoggedRequest | undefined } | undefined;

  constructor(line: string) {
    this.line = line;
  }

  get lower(): string {
    return (this.#lower ??= this.line.toLowerCase());
  }

  get request(): LoggedRequest | undefined {
    return (this.#request ??= { found: parseRequest(this.line) }).found;
  }
}

function holds(condition: LogCondition, facts: LineFacts): boolean {
  if (condition.field === "text") return facts.lower.includes(condition.text);
  if (condition.field === "level") return levelOf(facts.line) === condition.level;
  const { request } = facts;
  if (!request) return false;
  switch (condition.field) {
    case "status":
      return COMPARISONS[condition.comparison](request.status, condition.status);
    case "method":
      return request.method === condition.method;
    case "path":
      return matchesParts(condition.parts, request.path);
    case "host":
      return matchesParts(condition.parts, request.host);
  }
}

const COMPARISONS: Readonly<Record<Comparison, (a: number, b: number) => boolean>> = {
  "=": (a, b) => a === b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
};

/** Whether the text is the parts with anything between them. Each part is taken at its first place, so nothing is tried twice. */
export function matchesParts(parts: readonly string[], text: string): boolean {
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
