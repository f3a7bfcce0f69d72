import { hash, randomBytes } from "node:crypto";

/**
 * `svc_` · 43 characters of base64url (256 random bits) · 6 of a checksum. Prefix and checksum let secret scanners
 * recognise a key, and let us refuse a typing error without a look into the database.
 */
const PREFIX = "svc_";
const RANDOM_BYTES = 32;
const CHECKSUM_LENGTH = 6;
const API_KEY = /^svc_[A-Za-z0-9_-]{49}$/;
/** Characters of a key that its owner is shown, to tell keys apart. */
const SHOWN_LENGTH = 12;

export function makeApiKey(random: Buffer = randomBytes(RANDOM_BYTES)): string {
  const body = random.toString("base64url");
  return `${PREFIX}${body}${checksum(body)}`;
}

export function isApiKey(value: string): boolean {
  if (!API_KEY.test(value)) return false;
  return checksum(value.slice(PREFIX.length, -CHECKSUM_LENGTH)) === value.slice(-CHECKSUM_LENGTH);
}

/** All that is stored of a key. With 256 random bits nothing slower than SHA-256 is needed. */
export function hashApiKey(key: string): Buffer {
  return hash("sha256", key, "buffer");
}

/** Returns the beginning of a key, by which people tell their keys apart. */
export function apiKeyPrefix(key: string): string {
  return key.slice(0, SHOWN_LENGTH);
}

function checksum(body: string): string {
  return hash("sha256", `${PREFIX}${body}`, "base64url").slice(0, CHECKSUM_LENGTH);
}
