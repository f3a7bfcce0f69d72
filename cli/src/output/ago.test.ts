import { expect, test } from "vitest";
import { ago, timeSince } from "./ago.ts";

const now = new Date("2026-03-01T12:00:00.000Z");

test.each([
  ["2026-03-01T12:00:00.000Z", "a moment"],
  // A clock that is a little ahead of this one.
  ["2026-03-01T12:00:05.000Z", "a moment"],
  ["2026-03-01T11:59:01.000Z", "a moment"],
  ["2026-03-01T11:59:00.000Z", "1 minute"],
  ["2026-03-01T11:00:01.000Z", "59 minutes"],
  ["2026-03-01T11:00:00.000Z", "1 hour"],
  ["2026-02-28T12:00:01.000Z", "23 hours"],
  ["2026-02-28T12:00:00.000Z", "1 day"],
  ["2025-03-01T12:00:00.000Z", "365 days"],
])("%s is %s before noon of March 1st", (iso, text) => {
  expect(timeSince(iso, now)).toBe(text);
  expect(ago(iso, now)).toBe(`${text} ago`);
});
