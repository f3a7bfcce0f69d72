import { expect, test } from "vitest";
import { REDACTED } from "./redact.ts";
import { Redactors } from "./redactors.ts";

test("the same secrets get the redactor that was made for them", () => {
  const redactors = new Redactors();
  const redactor = redactors.of(["first-secret", "second-secret"]);
  expect(redactors.of(["first-secret", "second-secret"])).toBe(redactor);
  expect(redactor.text("a first-secret")).toBe(`a ${REDACTED}`);
});

test("other secrets get another one, however they are cut", () => {
  const redactors = new Redactors();
  expect(redactors.of(["one", "two,three"])).not.toBe(redactors.of(["one,two", "three"]));
});

test("a redactor is given up when others take its room", () => {
  const redactors = new Redactors();
  const former = redactors.of(["long-lived"]);
  for (let round = 0; round < 4; round++) redactors.of([`${round}${"x".repeat(1_000_000)}`]);
  expect(redactors.of(["long-lived"])).not.toBe(former);
});
