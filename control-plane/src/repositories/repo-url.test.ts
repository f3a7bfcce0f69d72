import fc from "fast-check";
import { expect, test } from "vitest";
import { checkRepoUrl } from "./repo-url.ts";

test.each([
  "https://github.com/owner/repo",
  "https://github.com/owner/repo.git",
  "HTTPS://git.example.test:8443/a/b@c",
  "https://[::1]/repo",
  "https://127.0.0.1:1234/repo.git",
])("the repository's address %s is taken", (url) => expect(() => checkRepoUrl(url)).not.toThrow());

test.each([
  ["http://a.test/x", /begin with https/],
  ["git@github.com:owner/repo", /begin with https/],
  ["ssh://git@a.test/x", /begin with https/],
  ["file:///etc/passwd", /begin with https/],
  ["--upload-pack=x", /begin with https/],
  ["", /begin with https/],
  ["https://a.test", /no path/],
  ["https://a.test/", /no path/],
  ["https:///x", /no host name after/],
  ["https://a.test:99999/x", /host/],
  ["https://a.test/x#main", /# part/],
  ["https://a.test/x#", /# part/],
  ["https://a.test/x?token=hunter2", /query/],
  ["https://a.test/x?", /query/],
  ["https://a.test/{x}", /\{/],
  ["https://a.test/ü", /non-ASCII/],
  ["https://a.test/x y", /space/],
  ["https://a.test\\@b.test/x", /one of \\/],
  ["https://a.test/x\n", /control/],
  [`https://a.test/${"x".repeat(2048)}`, /longer/],
])("refuses %j", (url, reason) => expect(() => checkRepoUrl(url)).toThrow(reason));

test("credentials are refused and never repeated", () => {
  const word = fc.stringMatching(/^[a-z0-9]{8,12}$/);
  fc.assert(
    fc.property(fc.constantFrom("https", "http", "ssh"), word, word, (scheme, user, secret) => {
      for (const url of [`${scheme}://${user}:${secret}@a.test/x`, `${scheme}://${secret}@a.test/x`]) {
        let message = "";
        try {
          checkRepoUrl(url);
        } catch (error) {
          message = (error as Error).message;
        }
        expect(message).not.toBe("");
        expect(message).not.toContain(secret);
        expect(() => checkRepoUrl(`${scheme}://a.test/x?token=${secret}`)).not.toThrow(secret);
      }
    }),
  );
  expect(() => checkRepoUrl("https://@a.test/x")).toThrow(/credentials/);
  expect(() => checkRepoUrl("https:///user:hunter2@a.test/x")).toThrow(
    /^repo_url has no host name after https:\/\/\.$/,
  );
});

test("an address that is taken has a host and no credentials for every parser", () => {
  const isTaken = (url: string): boolean => {
    try {
      checkRepoUrl(url);
      return true;
    } catch {
      return false;
    }
  };
  const slashes = fc.stringMatching(/^\/{1,4}$/);
  const piece = fc.constantFrom("user", "@", ":", "/", "a.test", "a.test/x", "..", "%40", "1");
  const url = fc
    .tuple(slashes, fc.array(piece, { maxLength: 5 }))
    .map(([start, rest]) => `https:${start}${rest.join("")}`);
  fc.assert(
    fc.property(url, (text) => {
      if (!isTaken(text)) return;
      const { username, password, hostname } = new URL(text);
      expect({ username, password }).toEqual({ username: "", password: "" });
      expect(hostname).not.toBe("");
    }),
    { numRuns: 2_000 },
  );
});
