import { jsonOrUndefined } from "@svc/shared/json.ts";

/** An event of a stream, with its data read from JSON. */
export interface StreamEvent {
  name: string;
  /** undefined where it is no JSON. */
  data: unknown;
}

/**
 * Reads server-sent events (HTML Standard, "Server-sent events") from a stream in pieces, as it comes to a request that a
 * browser's `EventSource` can't make. The service ends its lines with a line feed.
 */
export class EventReader {
  /** The beginning of an event whose end has not come. */
  #begun = "";

  /** @param piece the next part of the stream, cut anywhere @returns the events that are complete now */
  take(piece: string): StreamEvent[] {
    const blocks = (this.#begun + piece).split("\n\n");
    this.#begun = blocks.pop() ?? "";
    return blocks.flatMap(eventOf);
  }
}

/** A block without data is no event, as a comment that keeps the connection open. */
function eventOf(block: string): StreamEvent[] {
  const lines = block.split("\n");
  const valuesOf = (field: string) =>
    lines.filter((line) => line.startsWith(`${field}:`)).map((line) => line.slice(field.length + 1).replace(/^ /, ""));
  const data = valuesOf("data");
  return data.length === 0
    ? []
    : [{ name: valuesOf("event").at(-1) ?? "message", data: jsonOrUndefined(data.join("\n")) }];
}
