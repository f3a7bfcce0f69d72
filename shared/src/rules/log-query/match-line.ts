import { levelOf } from "./log-level.ts";
import type { Comparison, LogCondition, LogQuery } from "./log-query.ts";

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

/** A request as the access log has it. */
interface LoggedRequest {
  /** Lower case, without a port. */
  host: string;
  /** Upper case. */
  method: string;
  /** Without what follows `?`. */
  path: string;
  status: number;
}

/** `ADDRESS HOST "METHOD PATH PROTOCOL" STATUS BYTES B MILLISECONDS ms`, as the agent writes it. */
const START = /^\S+ (\S+) "(\S+) (\S+) /;
const END = /" ([0-9]{3}) [0-9]+ B [0-9.]+ ms$/;
/** The status and what follows have no more characters. */
const END_LENGTH = 80;

/** Reads a line of the access log, without its time; undefined for any other line. */
function parseRequest(line: string): LoggedRequest | undefined {
  const start = START.exec(line);
  const status = END.exec(line.slice(-END_LENGTH))?.[1];
  if (!start || status === undefined) return undefined;
  const [, host = "", method = "", uri = ""] = start;
  return {
    host: host.toLowerCase().replace(/:[0-9]{1,5}$/, ""),
    method: method.toUpperCase(),
    path: uri.split("?", 1)[0]!,
    status: Number(status),
  };
}
