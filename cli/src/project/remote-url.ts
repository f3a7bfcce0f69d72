/**
 * The https address of what a git remote names; the service clones over https alone.
 * Credentials in it are left out. Undefined for what no service could reach: a path, or another protocol.
 * @param serviceUrl {base_url}: repositories of the platform's own git host stay as they are
 */
export function httpsUrlOf(remote: string, serviceUrl: string): string | undefined {
  const text = remote.trim();
  const url = URL.canParse(text) && text.includes("://") ? new URL(text) : undefined;
  if (!url) return scpUrl(text);
  if (!/^(https?|ssh|git\+ssh|git):$/.test(url.protocol) || url.hostname === "" || url.pathname.length < 2) {
    return undefined;
  }
  const isHttp = /^https?:$/.test(url.protocol);
  const plain = `${url.protocol}//${url.host}${url.pathname}`;
  if (isHttp && plain.startsWith(`${serviceUrl}/git/`)) return plain;
  // The port of another protocol says nothing about the one of https.
  return `https://${isHttp && url.protocol === "https:" ? url.host : url.hostname}${url.pathname}`;
}

/** git@github.com:you/shop.git */
function scpUrl(text: string): string | undefined {
  const [, host, path] = /^(?:[^@\s/:]+@)?([A-Za-z0-9][A-Za-z0-9.-]+):(?!\/\/)\/?([^\s]+)$/.exec(text) ?? [];
  // A letter before the colon is a drive of Windows.
  return host === undefined || path === undefined || host.length === 1 ? undefined : `https://${host}/${path}`;
}
