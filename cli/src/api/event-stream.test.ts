import fc from "fast-check";
import { expect, test } from "vitest";
import { readEvents, type ServerEvent } from "./event-stream.ts";

const NEVER = new AbortController().signal;

async function read(text: string, size = 1_000_000): Promise<ServerEvent[]> {
  const bytes = new TextEncoder().encode(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  );
  const events: ServerEvent[] = [];
  for await (const event of readEvents(ReadableStream.from(chunks), NEVER)) events.push(event);
  return events;
}

test("the signal ends a stream that is silent, whatever became of its request", async () => {
  const leaving = new AbortController();
  let isCanceled = false;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode("data: first\n\n")),
    cancel: () => void (isCanceled = true),
  });
  const seen: string[] = [];
  for await (const { data } of readEvents(body, leaving.signal)) {
    seen.push(data);
    setImmediate(() => leaving.abort());
  }
  expect(seen).toEqual(["first"]);
  expect(isCanceled).toBe(true);
});

test("events are the same wherever the chunks are cut, inside of characters too", async () => {
  const lineEnd = fc.constantFrom("\n", "\r\n", "\r");
  const data = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll(/[\r\n]/g, " "));
  await fc.assert(
    fc.asyncProperty(
      fc.array(data, { maxLength: 8 }),
      lineEnd,
      fc.integer({ min: 1, max: 9 }),
      async (all, end, size) => {
        const lines = all.flatMap((one, i) => [`id: ${i + 1}`, "event: log", `data: ${one}`, ""]);
        const events = await read(
          `: hello${end}retry: 1000${end}${end}${lines.map((line) => line + end).join("")}`,
          size,
        );
        const wanted = all.map((one, i) => ({ id: String(i + 1), event: "log", data: one }));
        // An end that may be half of one waits for what follows.
        expect(events).toEqual(end === "\r" ? wanted.slice(0, events.length) : wanted);
        expect(events.length).toBeGreaterThanOrEqual(end === "\r" ? wanted.length - 1 : wanted.length);
      },
    ),
  );
});

test("comments are silent, an id stays, data of several lines is one text, and half an event is none", async () => {
  expect(await read(":still here\n\nid: 7\ndata: a\ndata:b\n\ndata: c\n\ndata: lost")).toEqual([
    { id: "7", event: "message", data: "a\nb" },
    { id: "7", event: "message", data: "c" },
  ]);
});

test("a line that does not end is refused", async () => {
  await expect(read(`data: ${"x".repeat(9 * 1024 * 1024)}`, 1024 * 1024)).rejects.toThrow("does not end");
});
