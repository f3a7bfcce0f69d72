import { jsonOrUndefined, recordOf } from "@svc/shared/json.ts";
import { HEARTBEAT_MS } from "../../../src/platform/stream-heartbeat.ts";

/** A connection may die without an end, as where a router forgets it: then nothing comes any more, and no error. */
const SILENCE_MS_MAX = 2.5 * HEARTBEAT_MS;

/** A page's answer to an event of a stream. @param id its number; 0 where events have none */
type Handler = (data: unknown, id: number) => void;

interface Following {
  /** Says whether events arrive: a connection that was lost is made again by the browser. */
  onConnection(isUp: boolean): void;
  /** Nothing comes any more: all was sent, or the service refuses the stream, with its sentence if it has said one. */
  onEnd(sentence?: string): void;
}

/**
 * Follows server-sent events (HTML Standard, "Server-sent events") until the returned function is called.
 * @param path of this service
 * @param handlers by the names of events
 */
export function follow(
  path: string,
  handlers: Readonly<Record<string, Handler>>,
  { onConnection, onEnd }: Following,
): () => void {
  let stop = () => {};

  function open() {
    const source = new EventSource(path);
    let timer: ReturnType<typeof setTimeout> | undefined;
    stop = () => {
      clearTimeout(timer);
      source.close();
    };
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        stop();
        onConnection(false);
        open();
      }, SILENCE_MS_MAX);
    };
    heard();
    source.addEventListener("still_here", heard);
    for (const [name, handle] of Object.entries(handlers)) {
      source.addEventListener(name, (event) => {
        const { data, lastEventId } = event as MessageEvent<string>;
        heard();
        handle(jsonOrUndefined(data), Number(lastEventId));
      });
    }
    source.addEventListener("open", () => {
      heard();
      onConnection(true);
    });
    source.addEventListener("error", (event) => {
      // The service names its own event so too.
      if (event instanceof MessageEvent) {
        stop();
        return onEnd(textIn(jsonOrUndefined(event.data as string), "detail"));
      }
      onConnection(false);
      heard();
      // The browser tries again by itself, except after an answer that is no stream: 204 once all was sent, or a refusal.
      if (source.readyState !== EventSource.CLOSED) return;
      stop();
      onEnd();
    });
  }

  open();
  return () => stop();
}

const AGAIN_MS = 5_000;

/**
 * Begins to follow again, a while after each end, until the returned function is called.
 * @param begin follows once; it returns what stops that
 */
export function followAgain(begin: (onEnd: () => void) => () => void): () => void {
  let stop = () => {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  const start = () => {
    stop = begin(() => (timer = setTimeout(start, AGAIN_MS)));
  };
  start();
  return () => {
    clearTimeout(timer);
    stop();
  };
}

/** A text in the data of an event; undefined when it has none of that name. */
function textIn(data: unknown, name: string): string | undefined {
  const value = recordOf(data)[name];
  return typeof value === "string" ? value : undefined;
}

/** The lines of a log's event, and how many were left out before them. */
export function linesOf(data: unknown): { lines: string[]; dropped: number } {
  const { lines, dropped } = recordOf(data);
  return {
    lines: Array.isArray(lines) ? lines.map(String) : [],
    dropped: typeof dropped === "number" ? dropped : 0,
  };
}

/** A line that says that others are missing. */
export function leftOut(count: number): string[] {
  return count > 0 ? [`[${count} lines were left out here]`] : [];
}

/** The sentence of an event that tells of progress. */
export function messageOf(data: unknown): string[] {
  const message = textIn(data, "message");
  return message === undefined ? [] : [message];
}
