import { linesAfter } from "./lines-after.ts";
import { answerOf, api } from "./api.ts";
import { follow, linesOf } from "./follow.ts";

/** How many lines there are to begin with: as many as the API gives. */
const HISTORY_LINES = 500;

/** `paused`: the container has ended; what follows it is shown when it runs. */
export type LogState = "connected" | "lost" | "paused" | "ended";

interface AppLogListener {
  onLines(lines: readonly string[]): void;
  /** @param sentence why it has ended, if the service says so */
  onState(state: LogState, sentence?: string): void;
}

/**
 * Follows what an app writes, or the requests for it; returns what stops that. A connection that is made again begins with
 * lines that were shown before: those are left out.
 */
export function followAppLog(
  name: string,
  source: "container" | "access",
  { onLines, onState }: AppLogListener,
): () => void {
  let last: string | undefined;
  let resumesAfter: string | undefined;
  const take = (lines: string[]) => {
    const fresh = resumesAfter === undefined ? lines : linesAfter(resumesAfter, lines);
    if (fresh.length === 0) return;
    resumesAfter = undefined;
    last = fresh.at(-1);
    onLines(fresh);
  };
  return follow(
    `/api/apps/${encodeURIComponent(name)}/logs?follow=1&lines=${HISTORY_LINES}&source=${source}`,
    {
      log: (data) => take(linesOf(data)),
      end: () => onState("paused"),
    },
    {
      onConnection(isUp) {
        resumesAfter = last;
        onState(isUp ? "connected" : "lost");
      },
      onEnd(sentence) {
        onState("ended", sentence);
        if (sentence === undefined) void readRefusal(name).then((said) => onState("ended", said));
      },
    },
  );
}

/** Why the log can't be read: a browser does not tell a page what a stream was refused with. */
async function readRefusal(name: string): Promise<string | undefined> {
  const params = { path: { name }, query: { lines: 1 } };
  return answerOf(api.GET("/api/apps/{name}/logs", { params })).then(
    () => undefined,
    (error: Error) => error.message,
  );
}
