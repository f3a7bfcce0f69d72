import { answerOf, api } from "./api.ts";
import { follow, followAgain, leftOut, linesOf } from "./follow.ts";
import { ResumedLog } from "./resumed-log.ts";

/** How many lines there are to begin with: as many as the API gives. */
const HISTORY_LINES = 500;

/** `paused`: the container has ended; what follows it is shown when it runs. `refused`: the service does not give it now. */
export type LogState = "connected" | "lost" | "paused" | "refused";

interface AppLogListener {
  onLines(lines: readonly string[]): void;
  /** @param sentence why it is refused, if the service says so */
  onState(state: LogState, sentence?: string): void;
}

const MISSING = "[lines may be missing here: the connection was lost]";
const NEXT_CONTAINER = `[the next container's last ${HISTORY_LINES} lines, or all]`;

/**
 * Follows what an app writes, or the requests for it; returns what stops that. A connection that is made again begins with
 * lines that were shown before: those are left out, and where others may be missing, a line says so.
 */
export function followAppLog(
  name: string,
  source: "container" | "access",
  { onLines, onState }: AppLogListener,
): () => void {
  /** The last lines of the log itself that were shown. */
  let shown: string[] = [];
  let resumed: ResumedLog | undefined;
  let hasEnded = false;

  function take(data: unknown) {
    const { lines, dropped } = linesOf(data);
    const { lines: fresh, isApart } = resumed?.take(lines) ?? { lines, isApart: false };
    if (resumed?.isOver === true) resumed = undefined;
    shown = [...shown, ...fresh].slice(-2 * HISTORY_LINES);
    onLines([...leftOut(dropped), ...(isApart ? [hasEnded ? NEXT_CONTAINER : MISSING] : []), ...fresh]);
    if (fresh.length > 0) hasEnded = false;
  }

  function end() {
    hasEnded = true;
    onState("paused");
  }

  return followAgain((onEnd) =>
    follow(
      `/api/apps/${encodeURIComponent(name)}/logs?follow=1&lines=${HISTORY_LINES}&source=${source}`,
      { log: take, end },
      {
        onConnection(isUp) {
          resumed = new ResumedLog(shown);
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
