import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SPEC_SENTENCES } from "./spec-sentences.ts";
import { LATER_ISSUES, SPEC_TABLE } from "./spec-table.ts";

const sentences = Object.entries(SPEC_SENTENCES).flatMap(([section, list]) =>
  list.map((sentence) => `${section}: ${sentence}`),
);
const tests = Object.entries(SPEC_TABLE).flatMap(([file, named]) =>
  Object.entries(named).map(([name, checks]) => ({ file, name, checks })),
);
const lines = [...tests.flatMap(({ checks }) => checks), ...Object.values(LATER_ISSUES).flat()];

test("every sentence of the specification has a test, or the issue that owns it", () => {
  expect(sentences.filter((sentence) => !lines.includes(sentence))).toEqual([]);
});

test("no sentence is listed twice, and none that the specification does not have", () => {
  expect(lines.filter((line, i) => lines.indexOf(line) !== i)).toEqual([]);
  expect(sentences.filter((sentence, i) => sentences.indexOf(sentence) !== i)).toEqual([]);
  expect(lines.filter((line) => !sentences.includes(line))).toEqual([]);
});

test.each(tests)("$file has a test: $name", ({ file, name }) => {
  const path = join(import.meta.dirname, file);
  expect([file, existsSync(path)]).toEqual([file, true]);
  const source = readFileSync(path, "utf8");
  // As the first argument of test(…), it(…) or of what test.each(…) gives.
  const declared = new RegExp(`\\(\\s*${RegExp.escape(JSON.stringify(name))}`);
  expect(source).toMatch(declared);
});
