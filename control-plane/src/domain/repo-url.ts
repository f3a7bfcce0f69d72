import { hasControlCharacter, invalid, quoted } from "./invalid.ts";

/** What browsers and servers take as an address; nothing real is longer. */
export const REPO_URL_LENGTH_MAX = 2048;

/**
 * HTTPS only and without credentials (specification, POST /api/apps). Whether the address may be reached is checked by
 * the agent when it clones.
 * @throws SvcError invalid_request; a URL with credentials is not repeated in the sentence
 */
export function checkRepoUrl(url: string): void {
  if (url.length > REPO_URL_LENGTH_MAX) throw invalid(`repo_url is longer than ${REPO_URL_LENGTH_MAX} characters.`);
  // The parser would silently drop or turn these, and git would see something else than what was checked.
  if (hasControlCharacter(url) || /[\s\\]/.test(url)) {
    throw invalid("repo_url holds a space, a backslash or a control character: give the plain https:// address.");
  }
  const authority = /^https:\/\/([^/?#]*)/i.exec(url)?.[1];
  if (authority?.includes("@")) {
    throw invalid(
      "repo_url holds credentials, which would be stored and shown: give it without the part before the @.",
    );
  }
  if (authority === undefined) throw invalid(`repo_url ${quoted(withoutCredentials(url))} must begin with https://.`);
  const parsed = URL.parse(url);
  if (!parsed?.hostname) throw invalid(`repo_url ${quoted(url)} has no host name that could be looked up.`);
  if (parsed.pathname === "/") throw invalid(`repo_url ${quoted(url)} has no path: it names a host, not a repository.`);
  if (parsed.hash !== "")
    throw invalid(`repo_url ${quoted(url)} has a # part: name the branch in the deploy's ref instead.`);
}

function withoutCredentials(url: string): string {
  return url.replace(/^[^@]*@/, "…@");
}
