/** What a page does with the events of a stream, by their names; each is given the event's data. */
type Handlers = Readonly<Record<string, (data: unknown) => void>>;

interface Following {
  /** Says whether events arrive: a connection that was lost is made again by the browser, which resumes without a gap. */
  onConnection(isUp: boolean): void;
  /** Nothing comes any more: all was sent, or the service refuses the stream, with its sentence if it has said one. */
  onEnd(sentence?: string): void;
}

/**
 * Follows server-sent events (HTML Standard, "Server-sent events") until the returned function is called.
 * @param path of this service
 */
export function follow(path: string, handlers: Handlers, { onConnection, onEnd }: Following): () => void {
  const source = new EventSource(path);
  for (const [name, handle] of Object.entries(handlers)) {
    source.addEventListener(name, (event) => handle(parse((event as MessageEvent<string>).data)));
  }
  source.addEventListener("open", () => onConnection(true));
  source.addEventListener("error", (event) => {
    // The service names its own event so too.
    if (event instanceof MessageEvent) {
      source.close();
      return onEnd(fieldOf(parse(event.data as string), "detail"));
    }
    onConnection(false);
    // The browser tries again by itself, except after an answer that is no stream: 204 once all was sent, or a refusal.
    if (source.readyState === EventSource.CLOSED) onEnd();
  });
  return () => source.close();
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

/** A text in the data of an event; undefined when it has none of that name. */
function fieldOf(data: unknown, name: string): string | undefined {
  const value = typeof data === "object" && data !== null ? (data as Record<string, unknown>)[name] : undefined;
  return typeof value === "string" ? value : undefined;
}

/** The lines of a log's event, and a line that says so where some were left out. */
export function linesOf(data: unknown): string[] {
  const { lines, dropped } = (typeof data === "object" && data !== null ? data : {}) as Record<string, unknown>;
  const left = typeof dropped === "number" && dropped > 0 ? [`[${dropped} lines were left out here]`] : [];
  return [...left, ...(Array.isArray(lines) ? lines.map(String) : [])];
}

/** The sentence of an event that tells of progress. */
export function messageOf(data: unknown): string[] {
  const message = fieldOf(data, "message");
  return message === undefined ? [] : [message];
}
