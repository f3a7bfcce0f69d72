import { expect, test } from "vitest";
import { AUDIT_DETAIL_BYTES_MAX, boundedDetail } from "./audit-detail.ts";

const cut = (detail: Record<string, unknown>) => JSON.parse(boundedDetail(detail)) as Record<string, unknown>;
const names = (count: number, characters: number) =>
  Array.from({ length: count }, (_, index) => String(index).padEnd(characters, "x"));

test("a detail of usual size is kept as it is", () => {
  const detail = { name: "shop", apps: null, ended: 3, keys: names(50, 10), of: { made: true } };
  expect(cut(detail)).toEqual(detail);
});

test("a long list keeps its first names, and says how many more there were", () => {
  expect(cut({ keys: names(64, 3) })).toEqual({ keys: [...names(50, 3), "and 14 more"] });
});

test.for<[string, Record<string, unknown>]>([
  ["two lists of the longest names of variables", { keys: names(64, 255), sealed: names(64, 255) }],
  ["a long text of three bytes a character", { expires_at: "語".repeat(1_000_000) }],
  ["a list within a list", { of: [names(10_000, 63), names(10_000, 63)] }],
  ["many properties", Object.fromEntries(names(10_000, 63).map((name) => [name, name]))],
])("a detail is never larger than its bound: %s", ([, detail]) => {
  expect(Buffer.byteLength(boundedDetail(detail))).toBeLessThanOrEqual(AUDIT_DETAIL_BYTES_MAX);
});

test("a text is not cut within a character in a way that the database refuses", () => {
  expect(boundedDetail({ name: `x${"😀".repeat(300)}` })).not.toMatch(/\\u[dD]8/);
});
