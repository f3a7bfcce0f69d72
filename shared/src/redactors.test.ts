import { expect, test } from "vitest";
import { REDACTED } from "./redact.ts";
import { redactorOf } from "./redactor-of.ts";

test("the same secrets get the redactor that was made for them", () => {
  const redactor = redactorOf(["first-secret", "second-secret"]);
  expect(redactorOf(["first-secret", "second-secret"])).toBe(redactor);
  expect(redactor.text("a first-secret")).toBe(`a ${REDACTED}`);
});

test("other secrets get another one, however they are cut", () => {
  expect(redactorOf(["one", "two,three"])).not.toBe(redactorOf(["one,two", "three"]));
});

test("a redactor is given up when others take its room", () => {
  const former = redactorOf(["long-lived"]);
  for (let round = 0; round < 3; round++) redactorOf([`${round}${"x".repeat(1_000_000)}`]);
  expect(redactorOf(["long-lived"])).not.toBe(former);
});
