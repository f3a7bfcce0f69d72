/**
 * Reads the token of a mailed link. It stands after #, so that no log of a server or proxy has it.
 * @param hash as `location.hash` has it
 */
export function linkToken(hash: string): string {
  return linkValue(hash, "token");
}

/** Reads another secret that stands there. */
export function linkValue(hash: string, name: string): string {
  return new URLSearchParams(hash.slice(1)).get(name) ?? "";
}

const KEY = "invitation";

/** The token of an invitation. This tab remembers it while the person signs in, which the fragment would not outlive. */
export function invitationToken(): string {
  const token = linkToken(location.hash);
  if (token === "") return sessionStorage.getItem(KEY) ?? "";
  sessionStorage.setItem(KEY, token);
  return token;
}

export function forgetInvitation(): void {
  sessionStorage.removeItem(KEY);
}
