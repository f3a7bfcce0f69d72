import { answerOf, api } from "./api.ts";
import { follow, followAgain, leftOut, linesOf } from "./follow.ts";
import { linesAfter } from "./lines-after.ts";

/** How many lines there are to begin with: as many as the API gives. */
const HISTORY_LINES = 500;

/** `paused`: the container has ended; what follows it is shown when it runs. `refused`: the service does not give it now. */
export type LogState = "connected" | "lost" | "paused" | "refused";

interface AppLogListener {
  onLines(lines: readonly string[]): void;
  /** @param sentence why it is refused, if the service says so */
  onState(state: LogState, sentence?: string): void;
}

/**
 * Follows what an app writes, or the requests for it; returns what stops that. A connection that is made again begins with
 * lines that were shown before: those are left out, and where others may be missing, a line says so.
 */
export function followAppLog(
  name: string,
  source: "container" | "access",
  { onLines, onState }: AppLogListener,
): () => void {
  /** The last line of the log itself that was shown. */
  let last: string | undefined;
  let isResuming = false;

  function take(data: unknown) {
    const { lines, dropped } = linesOf(data);
    const { lines: fresh, isGap } =
      isResuming && last !== undefined ? linesAfter(last, lines) : { lines, isGap: false };
    if (fresh.length > 0) isResuming = false;
    last = fresh.at(-1) ?? last;
    onLines([
      ...leftOut(dropped),
      ...(isGap ? ["[lines may be missing here: the connection was lost]"] : []),
      ...fresh,
    ]);
  }

  return followAgain((onEnd) =>
    follow(
      `/api/apps/${encodeURIComponent(name)}/logs?follow=1&lines=${HISTORY_LINES}&source=${source}`,
      { log: take, end: () => onState("paused") },
      {
        onConnection(isUp) {
          isResuming = true;
          onState(isUp ? "connected" : "lost");
        },
        onEnd(sentence) {
          onState("refused", sentence);
          if (sentence === undefined) void readRefusal(name).then((said) => said && onState("refused", said));
          onEnd();
        },
      },
    ),
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
