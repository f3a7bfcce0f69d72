import { expect, it } from "vitest";
import { REDACTED, Redactor } from "./redact.ts";

/** The work takes a third of it, and would take minutes if it grew with the text times the secrets. */
const FAST_MS = 1000;

it("redaction finds each of thousands of lines of secrets", () => {
  const line = (i: number, j: number): string => `${i}-${j}`.padEnd(64, "=");
  const secrets = Array.from({ length: 64 }, (_, i) => Array.from({ length: 120 }, (__, j) => line(i, j)).join("\n"));
  const redactor = new Redactor(secrets);
  expect(redactor.text(`token ${line(63, 119)} and more`)).toBe(`token ${REDACTED} and more`);
});

it("redaction stays fast for values that are nearly alike and lines that are nearly the values", () => {
  const redactor = new Redactor(Array.from({ length: 64 }, (_, i) => `${"a".repeat(8000)}b${i}`));
  const line = "a".repeat(16_000);
  expect(timed(() => times(500, () => expect(redactor.text(line)).toBe(REDACTED)))).toBeLessThan(FAST_MS);
});

it("redaction stays fast and holds little of a line in pieces that is a secret without an end", () => {
  const line = new Redactor(["a".repeat(8000)]).startLine();
  let out = "";
  expect(timed(() => times(500, () => (out += line.push("a".repeat(16_384)))))).toBeLessThan(FAST_MS);
  expect(out + line.end()).toBe(REDACTED);
});

it("redaction stays fast for beginnings of the platform's keys and for short words", () => {
  const redactor = new Redactor(["-", "--", "---", ...Array.from({ length: 64 }, (_, i) => `-${i}`)]);
  const lines = ["svc_", "svcjoin_", "svc_aaaaaaaaaaaaaaaa.", "svc_aaaaaaaaaaaaaaa ", "-"].map((part) =>
    part.repeat(16_000 / part.length),
  );
  expect(timed(() => times(20, () => lines.map((line) => redactor.text(line))))).toBeLessThan(FAST_MS);
});

function times(count: number, work: () => void): void {
  for (let i = 0; i < count; i++) work();
}

/** Milliseconds of the processor, so that other processes do not count. */
function timed(work: () => void): number {
  const startedAt = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(startedAt);
  return (user + system) / 1000;
}
