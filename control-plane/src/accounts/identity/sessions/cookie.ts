/** Name and attributes of a cookie that only this host gets, and no script. */
export interface CookieFacts {
  name: string;
  secure: boolean;
}

/** A browser takes a cookie with the prefix __Host- from this host over TLS only, and for the path / only (RFC 6265bis). */
export function cookieOf(name: string, secure: boolean): CookieFacts {
  return { name: secure ? `__Host-${name}` : name, secure };
}

/** The value that a request has for it; undefined without the cookie. */
export function readCookie(headers: Headers, { name }: CookieFacts): string | undefined {
  const cookies = (headers.get("Cookie") ?? "").split(/; */);
  return cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** The header Set-Cookie. @param seconds that it lives; 0 removes it */
export function setCookie({ name, secure }: CookieFacts, value: string, seconds: number): string {
  return `${name}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
}
