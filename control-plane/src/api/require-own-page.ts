import { SvcError } from "@svc/shared/errors.ts";

/**
 * Refuses what another site could make a browser send along with the session's cookie: a form can't be sent as JSON, and no
 * script of another origin can name this one.
 * @throws SvcError origin_refused, unsupported_media_type
 */
export function requireOwnPage(headers: Headers, baseUrl: string): void {
  const { origin } = new URL(baseUrl);
  if (headers.get("Origin") !== origin) {
    throw new SvcError(
      "origin_refused",
      `This can be done from pages of ${origin} alone. Open ${origin} and try again.`,
    );
  }
  if (!/^application\/json *(;|$)/i.test(headers.get("Content-Type") ?? "")) {
    throw new SvcError("unsupported_media_type", "Send the header Content-Type: application/json.");
  }
}
