import { SvcError } from "@svc/shared/errors.ts";

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

/** Refuses what a form can send. @throws SvcError unsupported_media_type */
export function requireJson(headers: Headers): void {
  if (/^application\/json *(;|$)/i.test(headers.get("Content-Type") ?? "")) return;
  throw new SvcError("unsupported_media_type", "Send the header Content-Type: application/json.");
}
