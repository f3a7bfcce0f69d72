import { cookieOf, setCookie, type CookieFacts } from "./cookie.ts";
import type { Session } from "./sessions.store.ts";

export type { Session };

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
