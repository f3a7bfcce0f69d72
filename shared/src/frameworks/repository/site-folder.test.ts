import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { takeFirstSite } from "./site-folder.ts";

let app: string;

beforeEach(() => {
  app = mkdtempSync(join(tmpdir(), "site-folder-"));
});
afterEach(() => {
  rmSync(app, { recursive: true });
});

/** Runs the line after a build that made these files; the site is then in the folder `taken`. */
function take(files: readonly string[], otherwise: "everything" | "none"): { status: number | null; said: string } {
  for (const file of files) {
    mkdirSync(dirname(join(app, file)), { recursive: true });
    writeFileSync(join(app, file), file);
  }
  const line = takeFirstSite(["dist", "dist/*", "build"], otherwise).replaceAll(" /site", " taken");
  const { status, stderr } = spawnSync("/bin/sh", ["-c", line], { cwd: app, encoding: "utf8" });
  return { status, said: stderr };
}

describe("the site that a build made", () => {
  it.each([
    ["the usual folder", ["dist/index.html", "build/index.html"], "dist/index.html"],
    ["a folder below it", ["dist/public/index.html", "dist/server.js", "build/index.html"], "dist/public/index.html"],
    ["the last folder", ["dist/server.js", "build/index.html"], "build/index.html"],
  ])("is taken from %s", (_where, files, index) => {
    expect(take(files, "none")).toEqual({ status: 0, said: "" });
    expect(readFileSync(join(app, "taken/index.html"), "utf8")).toBe(index);
  });

  it("is refused with the folders that were looked at when there is none", () => {
    const { status, said } = take(["index.html", "dist/server.js"], "none");
    expect(status).toBe(1);
    expect(said).toMatch(/made no index\.html in any of the folders dist, dist\/\*, build\./);
  });
});
