import fc from "fast-check";
import { expect, test } from "vitest";
import type { Card, Message } from "../../client/answers.ts";
import { isDoing, withEvent, writtenMessage } from "./told.ts";

const card = (state: Card["state"]): Card => ({
  id: "card-1",
  state,
  sentence: "deploy shop",
  requests: [{ method: "POST", path: "/api/apps/shop/deploy", body: {} }],
  destroys: false,
  expires_at: "2026-03-01T00:00:00.000Z",
});

const tell = (
  events: readonly (readonly [string, unknown])[],
  before: readonly Message[] = [writtenMessage("deploy shop")],
) => events.reduce((messages, [name, data]) => withEvent(messages, { name, data }), before);

test("an answer is told word by word, with what was looked at between them", () => {
  const messages = tell([
    ["message", { id: "m-2", role: "assistant" }],
    ["text", { delta: "I look" }],
    ["text", { delta: " at it." }],
    ["looked", { tool: "read_app", title: "One app" }],
    ["text", { delta: "It runs." }],
  ]);
  expect(messages[1]).toMatchObject({
    id: "m-2",
    role: "assistant",
    parts: [
      { type: "text", text: "I look at it." },
      { type: "looked", tool: "read_app", title: "One app" },
      { type: "text", text: "It runs." },
    ],
  });
});

test("a card that is decided changes where it stands, and the answer goes on after it", () => {
  const proposed = tell([
    ["message", { id: "m-2", role: "assistant" }],
    ["card", card("proposed")],
  ]);
  const running = tell([["card", card("running")]], proposed);
  expect([isDoing(proposed), isDoing(running)]).toEqual([false, true]);
  expect(isDoing([{ ...proposed[0]!, being_written: true }])).toBe(true);
  const done = tell(
    [
      ["card", { ...card("done"), result: "v2 serves." }],
      ["message", { id: "m-2", role: "assistant" }],
      ["text", { delta: "Done." }],
    ],
    running,
  );
  expect(done).toHaveLength(2);
  expect(done[1]?.parts).toEqual([
    { type: "card", card: { ...card("done"), result: "v2 serves." } },
    { type: "text", text: "Done." },
  ]);
});

test("no event of any name or data is a fault of the page, and none changes what the person wrote", () => {
  const name = fc.oneof(fc.constantFrom("message", "text", "looked", "card", "problem", "still_here"), fc.string());
  fc.assert(
    fc.property(fc.array(fc.tuple(name, fc.jsonValue())), (events) => {
      expect(tell(events)[0]?.parts).toEqual([{ type: "text", text: "deploy shop" }]);
    }),
  );
});
