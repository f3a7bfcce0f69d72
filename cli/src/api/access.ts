import { CliError, EXIT, wrongUse } from "../output/cli-error.ts";
import type { Invocation } from "../command-line/command.ts";
import { readCredentials } from "./credentials.ts";

/** Where the service is, and what opens it. */
export interface Access {
  /** {base_url}, without a slash at the end. */
  url: string;
  key: string;
}

/**
 * Reads `--url` and `--key`, the environment, or what `svc login` stored, in this order. A stored key goes to the
 * address that it was stored for and to no other.
 * @throws CliError wrong_use, not_authenticated
 */
export async function findAccess({ flags, env }: Pick<Invocation, "flags" | "env">): Promise<Access> {
  const givenUrl = flags.text("url") ?? (env["SVC_URL"] || undefined);
  const givenKey = flags.text("key") ?? (env["SVC_API_KEY"] || undefined);
  const stored = givenUrl !== undefined && givenKey !== undefined ? undefined : await readCredentials(env);
  const url = givenUrl === undefined ? stored?.current : parseServiceUrl(givenUrl);
  if (url === undefined) {
    throw notAuthenticated("No service is known: run `svc login`, or set SVC_URL and SVC_API_KEY.");
  }
  const key = givenKey ?? stored?.keys[url];
  if (key === undefined) {
    throw notAuthenticated(`There is no API key for ${url}: run \`svc login\`, or set SVC_API_KEY.`);
  }
  return { url, key: checkKey(key) };
}

/** @throws CliError wrong_use */
export function parseServiceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw wrongUse(
      "The service's address must be like https://deploy.example.com, without credentials, query or #: " +
        "check --url or SVC_URL.",
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

/**
 * A key that can't be in a header is refused here: the header's own error would quote it.
 * @throws CliError wrong_use
 */
export function checkKey(key: string): string {
  const trimmed = key.trim();
  if (/^[!-~]+$/.test(trimmed)) return trimmed;
  throw wrongUse("The API key is empty, or holds characters that no key has: copy it again.");
}

export function notAuthenticated(message: string): CliError {
  return new CliError("not_authenticated", message, EXIT.unauthenticated);
}
