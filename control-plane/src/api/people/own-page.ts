import { SvcError } from "@svc/shared/errors.ts";
import { PERSON_HEADER } from "../../platform/http/answer.ts";

/**
 * Refuses what a page of another site makes a browser send along with the session's cookie: a browser names in `Origin` where a
 * request that changes something comes from, and no script can write another name there (Fetch Standard, "Origin header").
 * @throws SvcError origin_refused
 */
export function requireOwnOrigin(headers: Headers, baseUrl: string): void {
  const { origin } = new URL(baseUrl);
  if (headers.get("Origin") === origin) return;
  throw new SvcError("origin_refused", `This can be done from pages of ${origin} alone. Open ${origin} and try again.`);
}

/**
 * Refuses what a page of another site, or of another port of this host, makes a browser read: it could use up the person's
 * attempts (Fetch Metadata Request Headers; browsers before 2023 say nothing).
 * @throws SvcError origin_refused
 */
export function requireOwnPage(headers: Headers, baseUrl: string): void {
  if (["same-origin", "none", null].includes(headers.get("Sec-Fetch-Site"))) return;
  const { origin } = new URL(baseUrl);
  throw new SvcError("origin_refused", `This is for pages of ${origin} alone. Open ${origin} and try again.`);
}

/**
 * Refuses what a page that one person has opened sends once somebody else is signed in in the same browser.
 * @throws SvcError other_person
 */
export function requireNamedPerson(headers: Headers, { userId }: { userId: string }): void {
  const named = headers.get(PERSON_HEADER);
  if (named === null || named === userId) return;
  throw new SvcError("other_person", "Somebody else is signed in in this browser by now. Load the page again.");
}

/** Refuses what a form can send. @throws SvcError unsupported_media_type */
export function requireJson(headers: Headers): void {
  if (/^application\/json *(;|$)/i.test(headers.get("Content-Type") ?? "")) return;
  throw new SvcError("unsupported_media_type", "Send the header Content-Type: application/json.");
}
