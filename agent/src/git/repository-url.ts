/** The host as a resolver or `net` takes it: without the brackets of an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

export function portOf(url: URL): number {
  return url.port === "" ? 443 : Number(url.port);
}
