import { SvcError } from "@svc/shared/errors.ts";

const URL_LENGTH_MAX = 2048;

/**
 * The address of a repository: https, a host, a path, and nothing that could carry a secret or change the request.
 * @throws SvcError invalid_request
 */
export function parseRepositoryUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || text.length > URL_LENGTH_MAX || !isPlain(text)) {
    throw invalid("The repository's address is not a URL such as https://host/owner/name.git.");
  }
  if (url.protocol !== "https:") throw invalid("The repository's address must start with https://.");
  if (url.username || url.password) {
    throw invalid("The repository's address must not hold a user name, a password or a token.");
  }
  if (url.search || url.hash) throw invalid("The repository's address must not hold ? or #.");
  if (url.pathname === "/") throw invalid("The repository's address names a host, but no repository on it.");
  return url;
}

/** Printable ASCII without what the URL parser would silently repair. */
function isPlain(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[!-~]+$/i.test(text) && !/[\\"<>^`{|}]/.test(text);
}

function invalid(message: string): SvcError {
  return new SvcError("invalid_request", message);
}

/** The host as a resolver or `net` takes it: without the brackets of an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

export function portOf(url: URL): number {
  return url.port === "" ? 443 : Number(url.port);
}
