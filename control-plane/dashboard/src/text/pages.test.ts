import { expect, test } from "vitest";
import { withNewest, withOlder } from "./pages.ts";

const rows = (...ids: string[]) => ids.map((id) => ({ id }));

test("older rows stay when the newest page is loaded again, and rows that left it are not lost", () => {
  const shown = { rows: rows("5", "4", "3", "2"), next: "2" };
  expect(withNewest(shown, { rows: rows("6", "5", "4"), next: "4" })).toEqual({
    rows: rows("6", "5", "4", "3", "2"),
    next: "2",
  });
});

test("rows between the newest page and older ones are never left out", () => {
  const shown = { rows: rows("3", "2", "1"), next: undefined };
  const newest = { rows: rows("9", "8"), next: "8" };
  expect(withNewest(shown, newest)).toEqual(newest);
});

test("a row that is gone from the newest page is shown no more, and a list may become empty", () => {
  const shown = { rows: rows("3", "2", "1"), next: undefined };
  expect(withNewest(shown, { rows: rows("3", "1"), next: undefined }).rows).toEqual(rows("3", "1"));
  expect(withNewest(shown, { rows: [], next: undefined }).rows).toEqual([]);
});

test("a page that is asked for twice is added once", () => {
  const older = { rows: rows("1"), next: undefined };
  const once = withOlder({ rows: rows("2"), next: "2" }, "2", older);
  expect(once).toEqual({ rows: rows("2", "1"), next: undefined });
  expect(withOlder(once, "2", older)).toBe(once);
});
