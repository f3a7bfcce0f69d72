/** The service as a browser and its authenticators know it (Web Authentication, "RP ID"). */
export interface RelyingParty {
  /** The host of {base_url}: a passkey works for this name alone. */
  id: string;
  origin: string;
}

/** Finds the relying party of the service at that address; undefined where browsers offer no passkeys. Pages ask it too. */
export function relyingPartyOf(baseUrl: string): RelyingParty | undefined {
  const { hostname, origin, protocol } = new URL(baseUrl);
  // URL writes each IPv4 address as four numbers, and an IPv6 address in brackets.
  const isAddress = /^[0-9.]+$/.test(hostname) || hostname.startsWith("[");
  const isSecure = protocol === "https:" || hostname === "localhost" || hostname.endsWith(".localhost");
  return isSecure && !isAddress ? { id: hostname, origin } : undefined;
}

/** Says why there are no passkeys, and what would change that. */
export function noPasskeysAt(baseUrl: string): string {
  return `Passkeys need a domain name with HTTPS, or localhost, and this service is at ${new URL(baseUrl).origin}. Its operator can give it such an address: SVC_BASE_URL.`;
}
