import type { Answer } from "../../../platform/http/answer.ts";

/** Errors of RFC 6749, 5.2, RFC 7591, 3.2.2, RFC 8628, 3.5, and RFC 8707, 2, that clients may get. */
export type OAuthErrorCode =
  | "authorization_pending"
  | "slow_down"
  | "access_denied"
  | "expired_token"
  | "invalid_grant"
  | "invalid_client"
  | "invalid_scope"
  | "unsupported_grant_type"
  | "invalid_request"
  | "invalid_target"
  | "invalid_redirect_uri"
  | "invalid_client_metadata";

/** A refusal in the words of OAuth; its message is `error_description`. */
export class OAuthError extends Error {
  override readonly name = "OAuthError";
  readonly code: OAuthErrorCode;

  constructor(code: OAuthErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** @param status 429 when the client is told how long to wait, else 400 */
export function oauthAnswer({ code, message }: OAuthError, status = 400): Answer {
  // The RFC allows printable ASCII there, without " and \.
  const description = message.replaceAll('"', "'").replaceAll(/[^ -~]|\\/g, "?");
  return { status, body: JSON.stringify({ error: code, error_description: description }) };
}
