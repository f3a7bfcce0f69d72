/** One event of a text/event-stream (HTML standard, 9.2.6). */
export interface ServerEvent {
  /** The last id that was sent, with this event or before. */
  id: string;
  event: string;
  data: string;
}

/** The service sends batches of at most some 64 KiB; a line, an event or an answer that does not end is not its. */
const CHARACTERS_MAX = 8 * 1024 * 1024;

/**
 * Ends with the body, or with the signal: that of a request no longer reaches its body once the runtime has collected
 * the request.
 * @throws Error when the connection breaks, or a line or an event does not end
 */
export async function* readEvents(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const leave = (): void => void reader.cancel().catch(() => undefined);
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave);
  try {
    yield* eventsOf(chunksOf(reader));
  } finally {
    signal.removeEventListener("abort", leave);
    leave();
  }
}

async function* chunksOf(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  let id = "";
  let event = "";
  let data: string[] = [];
  let length = 0;
  for await (const line of linesOf(body)) {
    if (line === "") {
      if (data.length > 0) yield { id, event: event === "" ? "message" : event, data: data.join("\n") };
      event = "";
      data = [];
      length = 0;
      continue;
    }
    length += line.length;
    if (length > CHARACTERS_MAX) throw new Error("an event of the stream does not end");
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "id" && !value.includes("\0")) id = value;
    if (field === "event") event = value;
    if (field === "data") data.push(value);
  }
}

/** Lines end with \r\n, \n or \r; what has no end when the stream ends is dropped, as the standard says. */
export async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let length = 0;
  let held = "";
  for await (const chunk of body) {
    const text = held + decoder.decode(chunk, { stream: true });
    // A \r at the end may be the first half of \r\n.
    held = text.endsWith("\r") ? "\r" : "";
    const [first = "", ...others] = text.slice(0, text.length - held.length).split(/\r\n|\n|\r/);
    pieces.push(first);
    length += first.length;
    for (const piece of others) {
      yield pieces.join("");
      pieces = [piece];
      length = piece.length;
    }
    if (length > CHARACTERS_MAX) throw new Error("a line of the stream does not end");
  }
}

/** The whole of a body that is one message. @throws Error when it does not end */
export async function textOf(body: ReadableStream<Uint8Array> | null): Promise<string> {
  if (!body) return "";
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > CHARACTERS_MAX) throw new Error("the answer does not end");
  }
  return text + decoder.decode();
}
