import { describe, expect, it } from "vitest";
import { isHubName, isPlatformName, parseImageName } from "./image-name.ts";

const DIGEST = `sha256:${"a".repeat(64)}`;

describe("the name of an image", () => {
  it.each([
    ["node", "docker.io/library/node:latest", "node"],
    ["node:22", "docker.io/library/node:22", "node:22"],
    ["a/b:1", "docker.io/a/b:1", "a/b:1"],
    ["docker.io/node", "docker.io/library/node:latest", "node"],
    ["index.docker.io/a/b", "docker.io/a/b:latest", "a/b"],
    [`node:22@${DIGEST}`, `docker.io/library/node@${DIGEST}`, `node@${DIGEST}`],
    ["ghcr.io/a/b/c:1", "ghcr.io/a/b/c:1", "ghcr.io/a/b/c:1"],
    ["localhost/a", "localhost/a:latest", "localhost/a"],
    ["host:5000/a", "host:5000/a:latest", "host:5000/a"],
    ["[::1]:5000/a", "[::1]:5000/a:latest", "[::1]:5000/a"],
    [DIGEST, `docker.io/library/sha256:${"a".repeat(64)}`, DIGEST],
  ])("%s is %s", (text, full, short) => {
    expect(parseImageName(text)).toMatchObject({ full, short });
  });

  it.each([
    "",
    "A",
    "A/b",
    "a//b",
    "/a",
    "a/",
    "a:",
    "a@sha256:1",
    "a b",
    "a:b:c/d",
    "http://a/b",
    "a/../b",
    "-a",
    "a\n",
  ])("is none of %j", (text) => {
    expect(parseImageName(text)).toBeUndefined();
  });

  it("is the platform's in every registry that it is written with", () => {
    for (const name of ["svc/a", "docker.io/svc/a:b", "INDEX.docker.io/svc/a", "localhost/svc/a", `svc/a@${DIGEST}`]) {
      expect(isPlatformName(parseImageName(name)!)).toBe(true);
    }
    expect(isPlatformName(parseImageName("svcx/a")!)).toBe(false);
    expect(isHubName(parseImageName("svc.example/a")!)).toBe(false);
  });
});
