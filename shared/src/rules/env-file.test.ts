import fc from "fast-check";
import { expect, test } from "vitest";
import { EnvFileError, formatEnvFile, parseEnvFile } from "./env-file.ts";

const key = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,20}$/);
const value = fc.string({ unit: "binary" }).filter((text) => text.isWellFormed() && !text.includes("\0"));

test("a written file is read back byte for byte, whatever the values hold", () => {
  fc.assert(
    fc.property(fc.dictionary(key, value, { noNullPrototype: true }), (variables) => {
      const read = parseEnvFile("x", formatEnvFile(variables));
      expect([...read]).toEqual(Object.entries(variables));
    }),
  );
});

test("any text is read, or refused with its line and without its content", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("A", "=", '"', "'", "\\", "\n", "\r", " ", "#", "`") }), (text) => {
      try {
        parseEnvFile("x.env", text);
      } catch (error) {
        expect(error).toBeInstanceOf(EnvFileError);
        expect((error as EnvFileError).message).toMatch(/^x\.env:\d+:1: /);
      }
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ["A=1\nexport B = two words # note\n", { A: "1", B: "two words" }],
  ["# only\n\n  A=x\r\nB='y'\r\n", { A: "x", B: "y" }],
  ["A=\nB=''\nC=\"\"", { A: "", B: "", C: "" }],
  ['A=\'no \\n escape $X\'\nB="a\\nb\\"c\\$d"', { A: "no \\n escape $X", B: 'a\nb"c$d' }],
  ['KEY="-----BEGIN\nlines\n-----END"\nB=`x\'"y`', { KEY: "-----BEGIN\nlines\n-----END", B: "x'\"y" }],
  ["A=https://x/#frag\nB=a#b\nC=#note", { A: "https://x/#frag", B: "a#b", C: "" }],
  ["A=1\nA=2", { A: "2" }],
  ["A=it's fine", { A: "it's fine" }],
])("%j", (text, variables) => {
  expect(Object.fromEntries(parseEnvFile("x", text))).toEqual(variables);
});

test.each([
  ["A=1\nnonsense canary\n", 2],
  ['A="open canary\nB=2\n', 1],
  ["=canary", 1],
  ["1A=canary", 1],
])("%j is refused with its place, and what it holds is not repeated", (text, line) => {
  expect(() => parseEnvFile(".env", text)).toThrow(`.env:${line}:1:`);
  expect(() => parseEnvFile(".env", text)).not.toThrow("canary");
});
