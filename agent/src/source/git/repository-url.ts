import { SvcError } from "@svc/shared/errors.ts";
import { parseRepositoryUrl as parsePublicUrl } from "@svc/shared/rules/repository-url.ts";
import type { GitCredentials } from "../../ports.ts";

/** The pattern admits no host that ssh could read as an option. */
const SSH_URL =
  /^ssh:\/\/[a-z_][a-z0-9_-]*@(?:[a-z0-9][a-z0-9.-]*|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?(?:\/[A-Za-z0-9_][\w.-]*)+$/;

const NAME = "The repository's address";

/**
 * The address of a repository: https, a host, a path, and nothing that could carry a secret or change the request; ssh
 * with the login's name when there is a key; plain http, for the platform's own git host, when there is its token.
 * @throws SvcError invalid_request
 */
export function parseRepositoryUrl(text: string, credentials?: GitCredentials): URL {
  if (credentials?.kind === "ssh") {
    if (SSH_URL.test(text) && URL.canParse(text)) return new URL(text);
    throw new SvcError("invalid_request", `${NAME} is not one such as ssh://git@host:22/owner/name.git.`);
  }
  if (credentials?.kind === "token" && text.startsWith("http://")) {
    const url = parsePublicUrl(text.replace(/^http:/, "https:"), NAME);
    return new URL(`http:${url.href.slice("https:".length)}`);
  }
  return parsePublicUrl(text, NAME);
}

/** The host as a resolver or `net` takes it: without the brackets of an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "https:": 443, "http:": 80, "ssh:": 22 };

export function portOf(url: URL): number {
  return url.port === "" ? (DEFAULT_PORTS[url.protocol] ?? 0) : Number(url.port);
}
