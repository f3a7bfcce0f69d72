import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Reads the session's token in the value of a cookie that better-auth has signed: the token, a dot, and the token's HMAC-SHA256
 * by the secret in base64, percent-encoded. Undefined for any other value.
 */
export function readSignedToken(value: string, secret: string): string | undefined {
  const signed = decode(value);
  const dot = signed.lastIndexOf(".");
  const token = signed.slice(0, Math.max(dot, 0));
  const want = Buffer.from(createHmac("sha256", secret).update(token).digest("base64"));
  const given = Buffer.from(signed.slice(dot + 1));
  return token !== "" && want.length === given.length && timingSafeEqual(want, given) ? token : undefined;
}

/** @returns nothing for what is not percent-encoded */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return "";
  }
}
