import { SvcError } from "../../errors.ts";

/** Frameworks put variables with these prefixes into what browsers download, so they cannot hold a secret. */
const PUBLIC_PREFIXES = ["NEXT_PUBLIC_", "VITE_", "PUBLIC_", "NUXT_PUBLIC_", "REACT_APP_", "GATSBY_"] as const;

/** UTF-8 of all their values: they are part of the build call's address line, which the engine takes up to a megabyte of. */
export const PUBLIC_ENV_BYTES_MAX = 64 * 1024;

/** Whether the variable may be seen by a build, and so end up in an image's layers. */
export function isPublicKey(key: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) && PUBLIC_PREFIXES.some((prefix) => key.startsWith(prefix));
}

/** @throws SvcError invalid_request naming the first key that is not public */
export function requirePublicKeys(keys: readonly string[]): void {
  const secret = keys.find((key) => !isPublicKey(key));
  if (secret === undefined) return;
  throw new SvcError(
    "invalid_request",
    `The variable ${JSON.stringify(secret)} cannot be given to a build, whose layers others may read. ` +
      `Only names that start with ${PUBLIC_PREFIXES.join(", ")} can.`,
  );
}

/** Instructions that make the variables known to the RUN instructions below them. */
export function buildEnvInstructions(keys: readonly string[]): string[] {
  return keys.toSorted().flatMap((key) => [`ARG ${key}`, `ENV ${key}=$${key}`]);
}
