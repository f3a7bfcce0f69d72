import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { checkoutFiles, folderInside } from "./checkout-files.ts";

test("no symbolic link leads out of a checkout, or into its .git", () => {
  const directory = mkdtempSync(join(tmpdir(), "svc-checkout-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const checkout = join(directory, "checkout");
  for (const folder of [".git/info", "apps/web", "..data"]) mkdirSync(join(checkout, folder), { recursive: true });
  writeFileSync(join(checkout, ".git/config"), "[core]");
  writeFileSync(join(checkout, "apps/web/index.html"), "hello");
  const links = { git: ".git", info: ".git/info", config: ".git/config", up: "..", web: "apps/web", data: "..data" };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(checkout, name));
  symlinkSync("../.git", join(checkout, "apps/git"));

  for (const link of ["git", "info", "up", "apps/git", "apps/git/info", ".git", "web/../../.git"]) {
    expect([link, folderInside(checkout, link)]).toEqual([link, undefined]);
    expect([link, checkoutFiles(checkout).list(link)]).toEqual([link, []]);
  }
  expect(checkoutFiles(checkout).read("config")).toBeUndefined();
  expect(checkoutFiles(checkout).read("git/config")).toBeUndefined();
  expect(folderInside(checkout, "web")).toBe(folderInside(checkout, "apps/web"));
  expect(folderInside(checkout, "data")).toBe(folderInside(checkout, "..data"));
  expect(checkoutFiles(checkout).read("web/index.html")).toBe("hello");
});
