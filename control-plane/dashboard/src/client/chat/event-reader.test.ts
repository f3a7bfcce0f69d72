import fc from "fast-check";
import { expect, test } from "vitest";
import { EventReader, type StreamEvent } from "./event-reader.ts";

const written = ({ name, data }: StreamEvent) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

test("a stream that is cut anywhere gives the events that were written, in order", () => {
  const event = fc.record({
    name: fc.constantFrom("message", "text", "card", "done"),
    data: fc.jsonValue(),
  });
  fc.assert(
    fc.property(fc.array(event), fc.array(fc.nat({ max: 400 })), (events, cuts) => {
      const stream = events.map(written).join("");
      const places = [0, ...cuts.map((cut) => Math.min(cut, stream.length)).toSorted((a, b) => a - b), stream.length];
      const reader = new EventReader();
      const read = places.slice(1).flatMap((end, at) => reader.take(stream.slice(places[at], end)));
      expect(read).toEqual(
        events.map(({ name, data }) => ({ name, data: JSON.parse(JSON.stringify(data)) as unknown })),
      );
    }),
  );
});

test("an event whose end has not come is none yet", () => {
  const reader = new EventReader();
  expect(reader.take('event: text\ndata: {"delta":"a"}\n')).toEqual([]);
  expect(reader.take("\n")).toEqual([{ name: "text", data: { delta: "a" } }]);
});

test("comments are no events, and data that is no JSON is undefined", () => {
  const events = new EventReader().take(": still here\n\nevent: text\ndata: {\n\n");
  expect(events).toEqual([{ name: "text", data: undefined }]);
});
