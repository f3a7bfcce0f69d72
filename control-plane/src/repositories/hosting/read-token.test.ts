import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { systemClock, type Clock } from "@svc/shared/platform/clock.ts";
import { createReadTokens, isReadToken } from "./read-token.ts";

const key = randomBytes(32);
const at = (seconds: number): Clock => ({ ...systemClock, now: () => new Date(seconds * 1000) });
const token = createReadTokens(key, at(1000)).make("one");

test("a token reads the repository that it was made for, until it expires", () => {
  expect(isReadToken(token)).toBe(true);
  expect(createReadTokens(key, at(1899)).isValid(token, "one")).toBe(true);
  expect(createReadTokens(key, at(1900)).isValid(token, "one")).toBe(false);
});

test("a token reads no other repository, and none of another installation", () => {
  expect(createReadTokens(key, at(1000)).isValid(token, "two")).toBe(false);
  expect(createReadTokens(randomBytes(32), at(1000)).isValid(token, "one")).toBe(false);
});

test("a token that was changed is refused", () => {
  const tokens = createReadTokens(key, at(1000));
  expect(tokens.isValid(token.replace(/^svcgit_\d+/, "svcgit_9999999999"), "one")).toBe(false);
  expect(tokens.isValid(`${token}A`, "one")).toBe(false);
  expect(tokens.isValid("", "one")).toBe(false);
});
