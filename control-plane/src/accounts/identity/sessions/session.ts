/** Somebody who is signed in. */
export interface Session {
  sessionId: string;
  userId: string;
  email: string;
  emailVerified: boolean;
  name: string;
  tier: string;
  hasSecondFactor: boolean;
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

/** Name and attributes of the session's cookie. */
export interface CookieFacts {
  name: string;
  secure: boolean;
}

/** A browser takes a cookie with the prefix __Host- from this host over TLS only, and for the path / only (RFC 6265bis). */
export function sessionCookie(baseUrl: string): CookieFacts {
  const secure = baseUrl.startsWith("https:");
  return { name: secure ? "__Host-svc_session" : "svc_session", secure };
}

export function hasSessionCookie(headers: Headers, { name }: CookieFacts): boolean {
  return (headers.get("Cookie") ?? "").split(/; */).some((cookie) => cookie.startsWith(`${name}=`));
}

/** The header Set-Cookie that removes the session's cookie. */
export function removedCookie({ name, secure }: CookieFacts): string {
  return `${name}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
}
