import fc from "fast-check";
import { expect, test } from "vitest";
import { httpsUrlOf } from "./remote-url.ts";

const SERVICE = "http://127.0.0.1:8080";

test.each([
  ["git@github.com:you/shop.git", "https://github.com/you/shop.git"],
  ["github.com:you/shop", "https://github.com/you/shop"],
  ["ssh://git@github.com/you/shop.git", "https://github.com/you/shop.git"],
  ["ssh://git@git.example.com:2222/you/shop.git", "https://git.example.com/you/shop.git"],
  ["git://git.example.com/shop.git", "https://git.example.com/shop.git"],
  ["https://github.com/you/shop.git", "https://github.com/you/shop.git"],
  ["https://you:token@github.com/you/shop.git", "https://github.com/you/shop.git"],
  ["https://git.example.com:8443/you/shop", "https://git.example.com:8443/you/shop"],
  ["http://github.com/you/shop", "https://github.com/you/shop"],
  ["http://svc@127.0.0.1:8080/git/0198/shop.git", "http://127.0.0.1:8080/git/0198/shop.git"],
])("%s is cloned from %s", (remote, url) => {
  expect(httpsUrlOf(remote, SERVICE)).toBe(url);
});

test.each([
  "/srv/git/shop.git",
  "../shop",
  "file:///srv/shop.git",
  "C:/work/shop",
  "https://github.com/",
  "",
  "ftp://x/y",
])("%j can't be cloned by the service", (remote) => {
  expect(httpsUrlOf(remote, SERVICE)).toBeUndefined();
});

test("no password of a remote is ever left in the address", () => {
  const word = fc.stringMatching(/^[a-z0-9]{1,12}$/);
  fc.assert(
    fc.property(fc.constantFrom("https", "http", "ssh", "git"), word, word, (protocol, user, path) => {
      const url = httpsUrlOf(`${protocol}://${user}:canary-secret@git.example.com/${path}`, SERVICE);
      expect(url).toBe(`https://git.example.com/${path}`);
    }),
  );
});
