import fc from "fast-check";
import { expect, test } from "vitest";
import { measureJson } from "./measure-json.ts";

const measure = (text: string, values: number, depth: number) => measureJson(Buffer.from(text), { values, depth });

function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((count, entry) => count + countValues(entry), 1);
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test("no body passes that holds more values, or nests them more deeply, than is allowed", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const [text, values, depth] = [JSON.stringify(value), countValues(value), depthOf(value)];
      expect(measure(text, values - 1, depth)).toBe("too many values");
      if (depth > 0) expect(measure(text, Infinity, depth - 1)).toBe("too deep");
      // An empty array or object is counted as if it held a value, so at most twice as many are seen.
      expect(measure(text, 2 * values, depth)).toBe("fits");
    }),
  );
});

test.each(['"[[[[,,,,"', String.raw`"\"[[[[,,,,\\"`, '{"[,{,": "],}"}'])(
  "the content of a string does not count: %s",
  (text) => {
    expect(measure(text, 3, 1)).toBe("fits");
  },
);

test.each(['"', String.raw`"\ `.trim(), "]]]]", ""])("a text that is not JSON is measured as well: %j", (text) => {
  expect(measure(text, 3, 1)).toBe("fits");
});
