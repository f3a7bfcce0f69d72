import { expect, test } from "vitest";
import { isScope, permitsApp, permitsScope, SCOPES } from "./scope.ts";

test("an unscoped key may do everything, a scoped one only what it names", () => {
  const all = { scopes: null, apps: null };
  const some = { scopes: ["apps:read"] as const, apps: ["mine"] };
  for (const scope of SCOPES) {
    expect(permitsScope(all, scope)).toBe(true);
    expect(permitsScope(some, scope)).toBe(scope === "apps:read");
  }
  expect([permitsScope(all, "unscoped"), permitsScope(some, "unscoped")]).toEqual([true, false]);
  expect([permitsApp(all, "x"), permitsApp(some, "x"), permitsApp(some, "mine")]).toEqual([true, false, true]);
  expect(isScope("apps:delete")).toBe(false);
});
