import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isRedirectUri, isSameRedirectUri, redirectHost, withParameters } from "./redirect-uri.ts";

const oneOf = (...pieces: string[]) => fc.constantFrom(...pieces);
/** Texts that are addresses, or nearly. */
const nearlyUri = fc
  .tuple(
    oneOf("http://", "https://", "https://", "javascript:", "http:", ""),
    oneOf("127.0.0.1", "localhost", "[::1]", "desk.example", "127.0.0.1.desk.example", "a@", ""),
    oneOf("", "", ":80", ":8443", ":", ":99999", "@desk.example", "\\@desk.example", "#"),
    oneOf("", "/", "/cb", "/cb/../x", "/%2e%2e/", "//", "/\\x", " "),
    oneOf("", "?a=b", "?", "?a=b&c", "#x", "?é", "\t"),
  )
  .map((pieces) => pieces.join(""));

describe("an address that a program may be answered at", () => {
  test("is one of https, or of this machine, and stays that with whatever is added", () => {
    fc.assert(
      fc.property(nearlyUri, fc.string(), (uri, state) => {
        if (!isRedirectUri(uri)) return;
        const url = new URL(withParameters(uri, { code: "c", state }));
        expect(url.origin).toBe(new URL(uri).origin);
        expect(url.pathname).toBe(new URL(uri).pathname);
        expect(url.hash).toBe("");
        expect(url.searchParams.getAll("state")).toEqual([state.toWellFormed()]);
        const local = ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
        expect(url.protocol === "https:" || (url.protocol === "http:" && local)).toBe(true);
        expect(redirectHost(uri).isThisMachine).toBe(url.protocol === "http:");
      }),
      { numRuns: 5_000 },
    );
  });

  test("is the same as another one only when all but a port of this machine is", () => {
    fc.assert(
      fc.property(nearlyUri, nearlyUri, (one, other) => {
        if (!isRedirectUri(one) || !isRedirectUri(other) || !isSameRedirectUri(one, other)) return;
        const [a, b] = [new URL(one), new URL(other)];
        expect([a.protocol, a.hostname, a.pathname, a.search]).toEqual([b.protocol, b.hostname, b.pathname, b.search]);
        if (a.protocol === "https:") expect(one).toBe(other);
      }),
      { numRuns: 5_000 },
    );
  });

  test.each([
    ["http://127.0.0.1:1/cb", "http://127.0.0.1:2/cb", true],
    ["http://127.0.0.1/cb", "http://127.0.0.1:2/cb", true],
    ["http://[::1]:1/cb?a=b", "http://[::1]/cb?a=b", true],
    ["http://localhost:1", "http://localhost:2", true],
    ["http://localhost:1/cb", "http://127.0.0.1:1/cb", false],
    ["http://127.0.0.1:1/cb", "http://127.0.0.1:1/CB", false],
    ["https://desk.example/cb", "https://desk.example:443/cb", false],
    ["https://desk.example/cb", "https://desk.example/cb/", false],
  ])("%s and %s: %s", (registered, asked, isSame) => {
    expect(isSameRedirectUri(registered, asked)).toBe(isSame);
  });
});
