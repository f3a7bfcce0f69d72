import { SvcError } from "@svc/shared/errors.ts";
import type { GitCredentials } from "../ports.ts";

const URL_LENGTH_MAX = 2048;

/** How a repository may be addressed with these credentials; the platform's own git host may be plain on loopback. */
const PROTOCOLS: Readonly<Record<GitCredentials["kind"] | "anonymous", readonly string[]>> = {
  anonymous: ["https:"],
  token: ["https:", "http:"],
  ssh: ["ssh:"],
};

/** What ssh is given as its host, so nothing that it could read as an option. */
const SSH_URL =
  /^ssh:\/\/[a-z_][a-z0-9_-]*@(?:[a-z0-9][a-z0-9.-]*|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?(?:\/[A-Za-z0-9_][\w.-]*)+$/;

/**
 * The address of a repository: https, a host, a path, and nothing that could carry a secret or change the request; ssh
 * with the login's name when there is a key.
 * @throws SvcError invalid_request
 */
export function parseRepositoryUrl(text: string, credentials?: GitCredentials): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || text.length > URL_LENGTH_MAX || !isPlain(text)) {
    throw invalid("The repository's address is not a URL such as https://host/owner/name.git.");
  }
  const protocols = PROTOCOLS[credentials?.kind ?? "anonymous"];
  if (!protocols.includes(url.protocol)) {
    throw invalid(`The repository's address must start with ${protocols[0]}//.`);
  }
  if (url.protocol === "ssh:") {
    if (SSH_URL.test(text)) return url;
    throw invalid("The repository's address is not one such as ssh://git@host:22/owner/name.git.");
  }
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

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "https:": 443, "http:": 80, "ssh:": 22 };

export function portOf(url: URL): number {
  return url.port === "" ? (DEFAULT_PORTS[url.protocol] ?? 0) : Number(url.port);
}
