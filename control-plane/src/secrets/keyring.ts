import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { SvcError } from "@svc/shared/errors.ts";
import type { KeyRing } from "../ports.ts";

/**
 * A sealed value: key id (4 bytes) · nonce (12) · ciphertext · tag (16). The key's id tells which key of the ring opens
 * it, and, when it is missing, which one has to be brought back.
 */
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";
export const KEY_BYTES = 32;

/** First 4 bytes of the key's SHA-256, in hex: enough to tell keys apart, useless for finding one. */
export function keyId(key: Buffer): string {
  return createHash("sha256")
    .update(key)
    .digest("hex")
    .slice(0, KEY_ID_BYTES * 2);
}

/** The id of the key that a value was sealed with. */
export function sealedKeyId(sealed: Buffer): string {
  return sealed.toString("hex", 0, KEY_ID_BYTES);
}

/** @param keys newest first: the first one seals, every one opens */
export function createKeyRing(keys: readonly Buffer[]): KeyRing {
  const newest = keys[0];
  if (!newest) throw new Error("a key ring needs a key");
  const byId = new Map(keys.map((key) => [keyId(key), key]));

  return {
    seal(plaintext, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, newest, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(context));
      const ciphertext = Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final()]);
      return Buffer.concat([Buffer.from(keyId(newest), "hex"), nonce, ciphertext, cipher.getAuthTag()]);
    },
    open(sealed, context) {
      const key = byId.get(sealedKeyId(sealed));
      if (!key)
        throw new SvcError(
          "internal",
          `A stored value needs the master key ${sealedKeyId(sealed)}, which is not in the key file.`,
        );
      try {
        const decipher = createDecipheriv(CIPHER, key, sealed.subarray(KEY_ID_BYTES, KEY_ID_BYTES + NONCE_BYTES), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAAD(Buffer.from(context));
        decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
        const ciphertext = sealed.subarray(KEY_ID_BYTES + NONCE_BYTES, -TAG_BYTES);
        return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString("utf8");
      } catch (cause) {
        throw new SvcError("internal", "A stored value was changed or moved, and can't be opened.", { cause });
      }
    },
  };
}
