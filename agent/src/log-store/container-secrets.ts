import { isPlatformEnvKey } from "@svc/shared/rules/env-key.ts";

/** All that its owner has given a container, and the passwords within: a driver may print one without its URL. */
export function containerSecrets(env: Readonly<Record<string, string>>): string[] {
  const values = Object.entries(env).flatMap(([key, value]) => (isPlatformEnvKey(key) ? [] : [value]));
  return [...values, ...values.flatMap(passwordsIn)];
}

/** The user and the password in the authority of a URL (RFC 3986, section 3.2.1), which ends with its last `@`. */
const PASSWORD = /^\s*[a-z][a-z0-9+.-]*:\/\/[^:/?#]*:([^/?#]+)@/i;

/** The password of a URL, as it is written there and as it is. */
function passwordsIn(value: string): string[] {
  const password = PASSWORD.exec(value)?.[1];
  if (password === undefined) return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    // A percent sign that begins no code stands for itself.
    return [password];
  }
}
