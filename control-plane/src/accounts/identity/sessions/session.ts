import type { Membership } from "../../../platform/operation.ts";
import { cookieOf, setCookie, type CookieFacts } from "./cookie.ts";

/** Somebody who is signed in. */
export interface Session {
  sessionId: string;
  userId: string;
  email: string;
  emailVerified: boolean;
  name: string;
  tier: string;
  hasSecondFactor: boolean;
  isOperator: boolean;
  /** The personal team is one of them. */
  teams: Membership[];
  createdAt: Date;
  expiresAt: Date;
}

/** Where a request of a person comes from. */
export interface Visit {
  requestId: string;
  /** The client's network address, as far as it is known. */
  address: string;
  /** The session that the browser has, if it has one. */
  session: Session | undefined;
  headers: Headers;
}

export function sessionCookie(baseUrl: string): CookieFacts {
  return cookieOf("svc_session", baseUrl.startsWith("https:"));
}

/** The header Set-Cookie that removes the cookie. */
export function removedCookie(cookie: CookieFacts): string {
  return setCookie(cookie, "", 0);
}
