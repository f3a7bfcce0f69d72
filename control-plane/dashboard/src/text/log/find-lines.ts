import { LogQueryError, parseLogQuery, type LogQuery } from "@svc/shared/rules/log-query/log-query.ts";
import type { LogKind } from "@svc/shared/rules/log-query/log-query-hints.ts";
import { matchesLine } from "@svc/shared/rules/log-query/match-line.ts";

export type Filter = { query: LogQuery; refusal: undefined } | { query: undefined; refusal: string };

/** Reads what was typed as the language in which logs are searched; the refusal is a sentence. */
export function readFilter(text: string, kind: LogKind): Filter {
  try {
    return { query: parseLogQuery(text, kind), refusal: undefined };
  } catch (error) {
    if (error instanceof LogQueryError) return { query: undefined, refusal: error.message };
    throw error;
  }
}

/** The time that the API writes before each line of an app's log. */
const TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z /;

/** Whether a line of a log without colors, with its time or without, is one that is looked for. */
export function isFound(query: LogQuery, line: string): boolean {
  return matchesLine(query, line.replace(TIME, ""));
}
