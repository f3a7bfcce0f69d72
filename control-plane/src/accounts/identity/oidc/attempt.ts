import { createHmac } from "node:crypto";
import { isSameSecret } from "../../../platform/is-same-secret.ts";
import { isToken, makeToken } from "../one-time-token.ts";
import { cookieOf, readCookie, setCookie, type CookieFacts } from "../sessions/cookie.ts";

/** Time to sign in at the provider. */
export const ATTEMPT_SECONDS = 10 * 60;

/**
 * One sign-in at a provider, as the browser that began it knows it. The browser's cookie holds the token, and all else
 * follows from it: what the database has, a hash of the token, is worth nothing to whoever reads it.
 */
export interface Attempt {
  token: string;
  /** Comes back with the browser (RFC 6749, 10.12). */
  state: string;
  /** Comes back in the ID token (OpenID Connect Core, 15.5.2). */
  nonce: string;
  /** PKCE (RFC 7636): the provider gives the ID token to whoever has it. */
  verifier: string;
}

export function makeAttempt(): Attempt {
  return attemptOf(makeToken());
}

/** Reads the attempt that the browser's cookie holds. */
export function readAttempt(headers: Headers, cookie: CookieFacts): Attempt | undefined {
  const token = readCookie(headers, cookie) ?? "";
  return isToken(token) ? attemptOf(token) : undefined;
}

export function hasState(attempt: Attempt, state: string): boolean {
  return isSameSecret(attempt.state, state);
}

/** Is sent along when the provider leads back here, which is a link from another site (SameSite=Lax). */
export function attemptCookie({ secure }: CookieFacts): CookieFacts {
  return cookieOf("svc_oidc", secure);
}

/** The header Set-Cookie. */
export function setAttempt({ token }: Attempt, cookie: CookieFacts): string {
  return setCookie(cookie, token, ATTEMPT_SECONDS);
}

function attemptOf(token: string): Attempt {
  const derive = (label: string) => createHmac("sha256", token).update(label).digest("base64url");
  return { token, state: derive("state"), nonce: derive("nonce"), verifier: derive("verifier") };
}
