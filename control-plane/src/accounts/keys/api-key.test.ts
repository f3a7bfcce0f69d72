import fc from "fast-check";
import { expect, test } from "vitest";
import { apiKeyPrefix, hashApiKey, isApiKey, makeApiKey } from "./api-key.ts";
import { promise } from "../../../../test/support/promises/promise.ts";

test("a key that was made is one, and one with a changed character is none", () => {
  promise("access", "an API key begins with svc_");
  fc.assert(
    fc.property(fc.nat({ max: 48 }), fc.stringMatching(/^[A-Za-z0-9_-]$/), (position, replacement) => {
      const key = makeApiKey();
      expect(key).toMatch(/^svc_/);
      expect(isApiKey(key)).toBe(true);
      const changed = key.slice(0, 4 + position) + replacement + key.slice(5 + position);
      expect(isApiKey(changed)).toBe(changed === key);
    }),
  );
});

test("keys are told apart by twelve characters and stored as a hash", () => {
  const key = makeApiKey();
  expect(apiKeyPrefix(key)).toHaveLength(12);
  expect(hashApiKey(key)).toHaveLength(32);
  expect(makeApiKey()).not.toBe(key);
});
