import { createDecipheriv, randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createKeyRing, keyId, sealedKeyId } from "./keyring.ts";
import { promise } from "../../../test/support/promises/promise.ts";

const key = randomBytes(32);
const keyRing = createKeyRing([key]);

test("a sealed value opens with the same context, and is never the same twice", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string(), (text, context) => {
      const sealed = keyRing.seal(text, context);
      expect(keyRing.open(sealed, context)).toBe(text);
      expect(keyRing.seal(text, context).equals(sealed)).toBe(false);
    }),
  );
});

test("a value that was changed anywhere, cut, or moved to another place does not open", () => {
  const sealed = keyRing.seal("a secret", "env:1:KEY");
  for (let i = 0; i < sealed.length; i++) {
    const changed = Buffer.from(sealed);
    changed[i]! ^= 1;
    expect(() => keyRing.open(changed, "env:1:KEY")).toThrow(/changed or moved|needs the master key/);
    expect(() => keyRing.open(sealed.subarray(0, i), "env:1:KEY")).toThrow(/changed or moved|needs the master key/);
  }
  expect(() => keyRing.open(sealed, "env:2:KEY")).toThrow(/changed or moved/);
});

test("a value is sealed with AES-256-GCM, its context as the associated data", () => {
  promise("variables", "a variable is stored encrypted, with AES-256-GCM");
  const sealed = keyRing.seal("a secret", "env:1:KEY");
  // Key id, nonce, ciphertext, tag: opened here without the ring.
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(4, 16));
  decipher.setAAD(Buffer.from("env:1:KEY")).setAuthTag(sealed.subarray(-16));
  expect(decipher.update(sealed.subarray(16, -16), undefined, "utf8") + decipher.final("utf8")).toBe("a secret");
});

test("old keys open and the newest seals", () => {
  const newest = randomBytes(32);
  const rotated = createKeyRing([newest, key]);
  expect(rotated.open(keyRing.seal("old", "c"), "c")).toBe("old");
  expect(sealedKeyId(rotated.seal("new", "c"))).toBe(keyId(newest));
  expect(() => keyRing.open(rotated.seal("new", "c"), "c")).toThrow(keyId(newest));
});
