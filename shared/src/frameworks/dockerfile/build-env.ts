import { SvcError } from "../../errors.ts";
import { isPublicKey, PUBLIC_PREFIXES } from "../../rules/env-key.ts";

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
