import fc from "fast-check";
import { expect, test } from "vitest";
import type { StoredCard } from "../cards/card.ts";
import type { ModelCall, StoredPart } from "../part.ts";
import { historyOf, type Said } from "./history.ts";

const NOW = new Date("2026-01-31T12:00:00Z");

const texts = fc.oneof(fc.string({ maxLength: 20 }), fc.constant("x".repeat(9_000)));
const calls: fc.Arbitrary<ModelCall> = fc.record({
  id: fc.uuid(),
  tool: fc.constantFrom("list_apps", "deploy"),
  input: fc.constant({}),
});
const parts: fc.Arbitrary<StoredPart> = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text: texts }),
  fc.record({
    type: fc.constant("looked" as const),
    tool: fc.constant("list_apps"),
    title: fc.constant("Apps"),
    call: calls,
    answer: texts,
  }),
  fc.record({ type: fc.constant("misfit" as const), call: calls, answer: texts }),
  fc.record({
    type: fc.constant("card" as const),
    card: fc.constantFrom("one", "gone"),
    calls: fc.array(calls, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    type: fc.constant("problem" as const),
    code: fc.constant("model_slow" as const),
    detail: fc.constant("The model was slow."),
  }),
);
const said: fc.Arbitrary<Said[]> = fc.array(
  fc.oneof(
    texts.map((text): Said => ({ role: "person", parts: [{ type: "text", text }] })),
    fc.array(parts, { maxLength: 5 }).map((of): Said => ({ role: "assistant", parts: of })),
  ),
  { maxLength: 12 },
);
const cards: fc.Arbitrary<StoredCard> = fc.record({
  id: fc.constant("one"),
  conversationId: fc.constant("c"),
  state: fc.constantFrom("proposed", "running", "done", "failed", "left"),
  expiresAt: fc.constantFrom(new Date(NOW.getTime() - 1), new Date(NOW.getTime() + 1)),
  isBeingDone: fc.boolean(),
  results: fc.array(texts, { maxLength: 3 }),
});

test("a model is told a person's words first, each call with its answer right after it, and the newest question in any case", () => {
  fc.assert(
    fc.property(said, texts, cards, (before, text, card) => {
      const question: Said = { role: "person", parts: [{ type: "text", text }] };
      const answer: Said = { role: "assistant", parts: [] };
      const told = historyOf([...before, question, answer], new Map([["one", card]]), NOW);
      expect(told[0]?.role).toBe("user");
      expect(told.at(-1)).toEqual({ role: "user", content: text });
      for (const [at, message] of told.entries()) {
        if (message.role === "user") continue;
        const called = message.role === "assistant" ? message.content.filter(({ type }) => type === "tool-call") : [];
        const next = told[at + 1];
        if (called.length === 0) continue;
        expect(next?.role).toBe("tool");
        const ids = next?.role === "tool" ? next.content.map(({ toolCallId }) => toolCallId) : [];
        expect(ids).toEqual(called.map((each) => (each.type === "tool-call" ? each.toolCallId : "")));
      }
      // Beyond the last question there is no more than what is told of a long conversation.
      expect(JSON.stringify(told.slice(0, -1)).length).toBeLessThan(60_000);
    }),
  );
});
