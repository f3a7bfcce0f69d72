import { expect, test } from "vitest";
import { LINE_BYTES_MAX } from "../rules/log-line.ts";
import { LineRedactor } from "./line-redactor.ts";
import { Redactor } from "./redact.ts";

const SECRET = "correct-horse-battery";
const [STDOUT, STDERR] = [1, 2];
/** Half of the secret ends the first piece of a line, the other half begins the next one. */
const PIECES = ["x".repeat(LINE_BYTES_MAX - 10) + SECRET.slice(0, 10), SECRET.slice(10)] as const;

test("a secret across a cut is hidden while another output writes in between, whose lines stay as they are", () => {
  const lines = new LineRedactor(new Redactor([SECRET]));
  const shown = [lines.line(PIECES[0], STDOUT), lines.line("a whole line", STDERR), lines.line(PIECES[1], STDOUT)];
  expect(shown[1]).toBe("a whole line");
  expect(shown.join("")).not.toContain(SECRET.slice(0, 10));
  expect(shown.join("")).not.toContain(SECRET.slice(10));
  expect(shown[2]).toContain("[REDACTED]");
  expect(lines.end()).toEqual([]);
});

test("each output has a cut line of its own", () => {
  const lines = new LineRedactor(new Redactor([SECRET]));
  const outputs = [STDOUT, STDERR];
  const shown = PIECES.flatMap((piece) => outputs.map((output) => lines.line(piece, output))).join("");
  expect(shown).not.toContain(SECRET.slice(10));
  expect(shown.match(/\[REDACTED\]/g)).toHaveLength(2);
});

test("what is held back of lines without an end comes at the end", () => {
  const lines = new LineRedactor(new Redactor([SECRET]));
  const shown = lines.push([PIECES[0]]);
  const rest = lines.end();
  expect(rest).toHaveLength(1);
  expect(shown.join("") + rest.join("")).toBe(PIECES[0]);
});
