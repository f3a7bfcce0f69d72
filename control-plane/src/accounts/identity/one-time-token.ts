import { hash, randomBytes } from "node:crypto";

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Makes the secret of a link: 256 random bits in base64url. */
export function makeToken(): string {
  return randomBytes(32).toString("base64url");
}

export function isToken(value: string): boolean {
  return TOKEN.test(value);
}

/** All that is stored of a token. */
export function hashToken(token: string): Buffer {
  return hash("sha256", token, "buffer");
}

type Page = "join" | "reset" | "verify" | "address" | "invitation";

/** The token is in the fragment, which browsers send to no server: no log has it. */
export function linkWithToken(baseUrl: string, page: Page, token: string): string {
  return `${baseUrl}/${page}#token=${token}`;
}
