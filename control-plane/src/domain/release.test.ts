import { expect, test } from "vitest";
import { checkReleaseName, defaultReleaseName, rollbackReleaseName } from "./release.ts";

test("a release name can be an image tag", () => {
  for (const name of ["v1", "1.2.3", "_x", "A-b_c.d", "x".repeat(128), defaultReleaseName(12)]) checkReleaseName(name);
  for (const name of ["", ".x", "-x", "a/b", "a b", "ä", "a\n", "x".repeat(129)]) {
    expect(() => checkReleaseName(name)).toThrow(/release name/);
  }
});

test("a rollback's own name is none that a user can give", () => {
  expect(() => checkReleaseName(rollbackReleaseName("0198c0de-7a11-7000-8000-000000000001"))).toThrow(/release name/);
});
