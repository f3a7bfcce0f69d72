import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "./canonical-json.ts";

/** The same value with its properties in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, entry]) => [key, reversed(entry)]),
  );
}

test("the order of properties makes no difference, and nothing else is lost", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const canonical = canonicalJson(value);
      expect(canonicalJson(reversed(value))).toBe(canonical);
      expect(JSON.parse(canonical)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
