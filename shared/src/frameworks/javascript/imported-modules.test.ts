import { expect, it } from "vitest";
import { importedModules } from "./imported-modules.ts";

it.each([
  ['import a, { b } from "x"; import "y";', ["x", "y"]],
  ['export * from "x"; export { a } from "./y";', ["x", "./y"]],
  ['const a = require("x")(1); const { b } = require("y").c;', ["x", "y"]],
  ['#!/usr/bin/env node\nrequire("../app");', ["../app"]],
  ['const a = await import("x");', ["x"]],
  ['import { Hono } from "hono";\nexport default () => <p>from "x"</p>;', ["hono"]],
  ['import a = require("x");', ["x"]],
])("%s imports %j", (text, modules) => {
  expect(importedModules(text)).toEqual(modules);
});

it.each([
  '// const a = require("x");',
  '/* import a from "x"; */',
  `const a = 'import b from "x"';`,
  'import type { A } from "x"; export type { B } from "x";',
  'other.require("x"); require(x); require(`x${y}`);',
  'const from = "x";',
])("%s imports nothing", (text) => {
  expect(importedModules(text)).toEqual([]);
});

it.each(["require(", 'import a = "b";from ', '<a b="', "import\n"])(
  "text that is full of %j is read at once",
  (part) => {
    const started = performance.now();
    importedModules(part.repeat(250_000 / part.length));
    expect(performance.now() - started).toBeLessThan(2000);
  },
);
