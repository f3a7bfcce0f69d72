import { expect, test } from "vitest";
import { LINE_BYTES_MAX } from "@svc/shared/rules/log-line.ts";
import { parseLine } from "./logs.ts";

const STAMP = "2026-01-31T12:00:00.123456789Z";

test.for([
  { what: "a piece of a longer line", bytes: Buffer.alloc(LINE_BYTES_MAX, "x"), goesOn: true },
  { what: "a piece that ends within a character", bytes: Buffer.alloc(LINE_BYTES_MAX, "x€"), goesOn: true },
  { what: "a whole line of as many bytes", bytes: Buffer.from(`${"x".repeat(LINE_BYTES_MAX)}\n`), goesOn: false },
  {
    what: "a shorter line of bytes that are no text",
    bytes: Buffer.from([...Buffer.alloc(9_000, 0xff), 0x0a]),
    goesOn: false,
  },
  { what: "last words without an end", bytes: Buffer.from("bye"), goesOn: false },
])("the engine's message of $what is told from others: it goes on: $goesOn", ({ bytes, goesOn }) => {
  const line = parseLine({ source: "stdout", payload: Buffer.concat([Buffer.from(`${STAMP} `), bytes]) });
  expect(line).toMatchObject({ stamp: STAMP, goesOn, text: bytes.toString().replace("\n", "") });
});
