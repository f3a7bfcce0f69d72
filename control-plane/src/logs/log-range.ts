import { invalid } from "../platform/invalid.ts";
import { toMoment } from "../platform/moment.ts";

/** From a time on, up to and without another one. */
export interface LogRange {
  since: Date;
  until: Date;
}

/** Clocks of servers differ: the newest lines may have been written after what is now here. */
const CLOCKS_DIFFER_MS = 60 * 60_000;

/**
 * The range of a search: each end a time, or how long ago. All that is kept where there is no `since`, up to the newest
 * where there is no `until`.
 * @throws SvcError invalid_request
 */
export function toLogRange(
  { since, until }: { since?: string | undefined; until?: string | undefined },
  now: Date,
): LogRange {
  const from = since === undefined ? new Date(0) : toMoment("since", since, now);
  const to = until === undefined ? new Date(now.getTime() + CLOCKS_DIFFER_MS) : toMoment("until", until, now);
  if (until === undefined && from > to) throw invalid(`\`since\` is ${from.toISOString()}, which is still to come.`);
  if (from >= to) {
    throw invalid(
      `\`since\` (${from.toISOString()}) is not before \`until\` (${to.toISOString()}): give the earlier time as \`since\`.`,
    );
  }
  return { since: from, until: to };
}
