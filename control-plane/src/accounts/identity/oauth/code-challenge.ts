import { hash } from "node:crypto";

/** The only method: `plain` would give away the verifier with the request (RFC 7636, 4.2; RFC 9700, 2.1.1). */
export const CHALLENGE_METHOD = "S256";

export function isChallenge(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** Whether the challenge was made of the verifier. Both are of no use once they were compared, so the time may tell. */
export function provesChallenge(challenge: string, verifier: string): boolean {
  return /^[A-Za-z0-9._~-]{43,128}$/.test(verifier) && hash("sha256", verifier, "base64url") === challenge;
}
