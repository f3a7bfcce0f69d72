import { createHmac } from "node:crypto";
import { isSameSecret } from "../../../platform/is-same-secret.ts";

/**
 * Reads the session's token in the value of a cookie that better-auth has signed: the token, a dot, and the token's HMAC-SHA256
 * by the secret in base64, percent-encoded. Undefined for any other value.
 */
export function readSignedToken(value: string, secret: string): string | undefined {
  const signed = decode(value);
  const dot = signed.lastIndexOf(".");
  const token = signed.slice(0, Math.max(dot, 0));
  const signature = createHmac("sha256", secret).update(token).digest("base64");
  return token !== "" && isSameSecret(signature, signed.slice(dot + 1)) ? token : undefined;
}

/** @returns nothing for what is not percent-encoded */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return "";
  }
}
