import { expect, test } from "vitest";
import { Redactor } from "@svc/shared/redaction/redact.ts";
import { LINE_BYTES_MAX } from "@svc/shared/rules/log-line.ts";
import type { StampedLine } from "../ports.ts";
import { NOTHING_READ, readContainer } from "./read-container.ts";

const TIME = new Date("2026-01-31T12:00:00Z");

const lineOf = (text: string, index: number): StampedLine => {
  const time = new Date(TIME.getTime() + index);
  return { time, stamp: time.toISOString().replace("Z", "000000Z"), output: "stdout", text, goesOn: false };
};

test.for([
  { what: "as long as a piece", text: "x".repeat(LINE_BYTES_MAX) },
  { what: "of bytes that are no text", text: "\ufffd".repeat(6_000) },
])("a whole line $what is stored at once, and so is the next one", async ({ text }) => {
  const lines = [lineOf(text, 0), lineOf("next", 1), lineOf("last", 2)];
  const engine = {
    async *linesSince() {
      await Promise.resolve();
      yield lines;
    },
  };
  const { signal } = new AbortController();
  const options = { engine, redactor: new Redactor(["s3cr3t"]), now: TIME, isLast: false, signal };
  const read = await readContainer("id", NOTHING_READ, options);
  expect(read.lines.map((line) => line.text)).toEqual([text, "next", "last"]);
});
