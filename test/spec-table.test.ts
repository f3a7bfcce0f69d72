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

/** Ways of vitest to have a test not run, or not count. */
const UNCOUNTED = /\b(?:test|it|describe)(?:\.\w+)*\.(?:skip|skipIf|runIf|todo|only|fails)\b|\b(?:skip|todo)\(/;

test.each(Object.keys(SPEC_TABLE))("%s runs all of its tests", (file) => {
  expect(readFileSync(join(import.meta.dirname, file), "utf8")).not.toMatch(UNCOUNTED);
});

test.each([
  'test.skip("a", b)',
  'describe.skip("a", b)',
  'it.concurrent.skip("a", b)',
  'test.skipIf(true)("a", b)',
  'test.runIf(false).each([1])("a", b)',
  'it.todo("a")',
  'test.only("a", b)',
  'it.fails("a", b)',
  'test("a", ({ skip }) => { skip(); })',
  'test("a", (context) => { context.skip("why"); })',
])("%s is found to be no test that counts", (source) => {
  expect(source).toMatch(UNCOUNTED);
});

test.each(tests)("$file has a test: $name", ({ file, name }) => {
  const path = join(import.meta.dirname, file);
  expect([file, existsSync(path)]).toEqual([file, true]);
  const source = readFileSync(path, "utf8");
  // As the first argument of test(…), it(…) or of what test.each(…) gives.
  const declared = new RegExp(`\\(\\s*${RegExp.escape(JSON.stringify(name))}`);
  expect(source).toMatch(declared);
});
