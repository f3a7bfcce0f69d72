import fc from "fast-check";
import { expect, test } from "vitest";
import { joinTokenHash, newJoinToken } from "./join-token.ts";

const fingerprint = "ab".repeat(32);

test("a token is found again by its hash, spaces around it apart", () => {
  const { token, hash } = newJoinToken(fingerprint);
  expect(token).toMatch(/^svcjoin_[A-Za-z0-9_-]{43}\.[0-9a-f]{64}$/);
  expect(joinTokenHash(` ${token}\n`)).toEqual(hash);
});

test("the hash does not depend on the authority that the token names, so that nothing but the secret counts", () => {
  const { token, hash } = newJoinToken(fingerprint);
  expect(joinTokenHash(token.replace(fingerprint, "0".repeat(64)))).toEqual(hash);
});

test("whatever else is sent as a token is refused as one", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (text) => {
      expect(() => joinTokenHash(text)).toThrow(/Make a new one/);
    }),
  );
});
