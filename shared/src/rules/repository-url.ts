import { SvcError } from "../errors.ts";

/** The longest address that browsers and servers take; nothing real is longer. */
const REPOSITORY_URL_LENGTH_MAX = 2048;

/**
 * The address of a repository: https, a host, a path, and nothing that could carry a secret or change the request. Whether the address may be reached is checked when it is cloned.
 * @param name what the sentence calls the value
 * @throws SvcError invalid_request; the value is repeated only when it can't hold credentials
 */
export function parseRepositoryUrl(text: string, name: string): URL {
  const refuse = (reason: string): SvcError => new SvcError("invalid_request", `${name} ${reason}`);
  if (text.length > REPOSITORY_URL_LENGTH_MAX) {
    throw refuse(`is longer than ${REPOSITORY_URL_LENGTH_MAX} characters.`);
  }
  // The URL parser would silently repair these, and git would see something else than what was checked.
  if (!/^[!-~]*$/.test(text) || /[\\"<>^`{|}]/.test(text)) {
    throw refuse(
      'holds a space, a control or non-ASCII character, or one of \\ " < > ^ ` { | }: give the plain https:// address, ' +
        "with such characters percent-encoded.",
    );
  }
  const authority = /^https:\/\/([^/?#]*)/i.exec(text)?.[1];
  if (authority?.includes("@")) {
    throw refuse("holds credentials, which would be stored and shown: give it without the part before the @.");
  }
  if (text.includes("?")) {
    throw refuse("has a query, which may carry credentials: give it without the ? and what follows.");
  }
  const ssh = SSH.exec(text);
  if (ssh)
    throw refuse(`is an address for ssh and must begin with https://: give ${quoted(`https://${ssh[1]}/${ssh[2]}`)}.`);
  if (authority === undefined) throw refuse(`${quoted(text.replace(/^[^@]*@/, "…@"))} must begin with https://.`);
  // An empty one is skipped by the parser, which would take the path for it: https:///user:password@host.
  if (authority === "") throw refuse("has no host name after https://.");
  if (text.includes("#")) throw refuse("has a # part: name the branch in the deploy's ref instead.");
  const url = URL.parse(text);
  if (!url?.hostname) throw refuse(`${quoted(text)} has no host name that could be looked up.`);
  if (url.pathname === "/") throw refuse(`${quoted(text)} has no path: it names a host, not a repository.`);
  return url;
}

/** Its host and path, `git@host:path` or `ssh://git@host:22/path`; before the @ may be a password. */
const SSH = /^(?:ssh:\/\/)?[^@/:]+@([a-z0-9.-]+)(?::\d+(?=\/))?[:/]\/?([^@]+)$/i;

const QUOTED_LENGTH_MAX = 100;

function quoted(text: string): string {
  return JSON.stringify(text.length > QUOTED_LENGTH_MAX ? `${text.slice(0, QUOTED_LENGTH_MAX)}…` : text);
}
