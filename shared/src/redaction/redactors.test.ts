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

test("a redactor is given up when others take its room, the one that was asked for last stays", () => {
  const redactors = new Redactors(100_000);
  const [former, asked] = [redactors.of(["former"]), redactors.of(["asked"])];
  for (let round = 0; round < 20; round++) {
    redactors.of([`other ${round}`]);
    expect(redactors.of(["asked"])).toBe(asked);
  }
  expect(redactors.of(["former"])).not.toBe(former);
});

test("the newest redactor is kept also when it has no room", () => {
  const redactors = new Redactors(1);
  const redactor = redactors.of(["a secret"]);
  expect(redactors.of(["a secret"])).toBe(redactor);
});

test("the redactor of an app whose values are the most lines takes less than 8 MB, and is kept", () => {
  // 64 variables of 8 KiB, and as many others of its live release.
  const lineOf = (value: number, line: number): string => (value * 1638 + line).toString(36).padStart(4, "-");
  const valueOf = (value: number): string => Array.from({ length: 1638 }, (_, line) => lineOf(value, line)).join("\n");
  const secrets = Array.from({ length: 128 }, (_, value) => valueOf(value));
  const redactors = new Redactors();
  const redactor = redactors.of(secrets);
  expect(redactor.bytes).toBeLessThan(8_000_000);
  expect(redactors.of(secrets)).toBe(redactor);
});
