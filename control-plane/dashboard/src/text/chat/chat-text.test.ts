import { expect, test } from "vitest";
import { cardOutcome, doLabel, wholeSentence } from "./card-text.ts";
import { limitsText } from "./chat-text.ts";
import { withoutControls } from "./without-controls.ts";

const request = { method: "POST", path: "/api/apps/shop/deploy", body: {} } as const;

test.for([
  ["deploy shop from main", "Deploy"],
  ["roll shop back to v3", "Roll back"],
  ["set LOG_LEVEL of api", "Set"],
  ["stop shop", "Stop"],
  ["Ändern von shop", "Do it"],
  ["", "Do it"],
] as const)("the button of “%s” says %s", ([sentence, label]) => {
  expect(doLabel({ sentence, requests: [request] })).toBe(label);
});

test("the button of a card with several requests names none of them", () => {
  expect(doLabel({ sentence: "set LOG_LEVEL of api, then deploy api", requests: [request, request] })).toBe("Do it");
});

test("a card that failed says that nothing was done only where it had one thing to do", () => {
  const outcomes = [[request], [request, request]].map((requests) => cardOutcome({ state: "failed", requests }));
  expect(outcomes).toEqual(["It was not done.", "Not all of it was done."]);
});

test("a card's sentence has a capital and an end", () => {
  expect(["deploy shop", "Deploy shop."].map(wholeSentence)).toEqual(["Deploy shop.", "Deploy shop."]);
});

test("what is left of a day's limits is said when it is little", () => {
  const resets_at = new Date(2026, 2, 1).toISOString();
  const left = (messages_left: number, tokens_left: number) =>
    limitsText({ limits: { messages_left, tokens_left, resets_at } });
  expect(left(200, 300_000)).toBeUndefined();
  expect(left(1, 300_000)).toBe("Left until 2026-03-01 00:00: 1 message.");
  expect(left(5, 900)).toBe("Left until 2026-03-01 00:00: 5 messages and 900 tokens.");
});

test("colors and other controls of a terminal are left out of what an app wrote", () => {
  const ESC = "\u001b";
  expect(withoutControls(`${ESC}[33mwarning${ESC}[0m\t3\u0007 \u202e\n${ESC}]0;title\u0007[1m`)).toBe(
    "warning\t3 \u202e\n]0;title[1m",
  );
});
