import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CARD_LIFE_MS, isSignatureOf, signCard, stateOf, type SignedCard, type StoredCard } from "./card.ts";

const NOW = new Date("2026-01-31T12:00:00Z");
const key = randomBytes(32);
const card: SignedCard = {
  id: "card",
  conversationId: "conversation",
  userId: "user",
  teamId: "team",
  expiresAt: NOW,
  content: '{"sentence":"stop shop"}',
};

test("a signature is good for one card, person, time, content and installation alone", () => {
  const signature = signCard(key, card);
  expect(isSignatureOf(key, card, signature)).toBe(true);
  expect(isSignatureOf(randomBytes(32), card, signature)).toBe(false);
  for (const name of ["id", "conversationId", "userId", "teamId", "content"] as const) {
    expect([name, isSignatureOf(key, { ...card, [name]: `${card[name]} ` }, signature)]).toEqual([name, false]);
  }
  expect(isSignatureOf(key, { ...card, expiresAt: new Date(NOW.getTime() + 1) }, signature)).toBe(false);
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[A-Za-z0-9_-]{43}$/)), (given) => {
      expect(isSignatureOf(key, card, given)).toBe(given === signature);
    }),
  );
});

test("time ends a card that nobody has decided, the death of its process one that runs, and neither any other", () => {
  const states = fc.constantFrom<StoredCard["state"]>("proposed", "running", "done", "failed", "left");
  const moments = fc.integer({ min: 0, max: 2 * CARD_LIFE_MS }).map((ms) => new Date(NOW.getTime() + ms));
  fc.assert(
    fc.property(states, moments, fc.boolean(), (state, now, isBeingDone) => {
      const stored: StoredCard = {
        id: "card",
        conversationId: "conversation",
        state,
        expiresAt: new Date(NOW.getTime() + CARD_LIFE_MS),
        isBeingDone,
        results: [],
      };
      const passedMs = now.getTime() - NOW.getTime();
      const ended = { proposed: passedMs >= CARD_LIFE_MS && "expired", running: !isBeingDone && "unknown" };
      const expected = (state === "proposed" || state === "running") && ended[state];
      expect(stateOf(stored, now)).toBe(expected === false ? state : expected);
    }),
  );
});
