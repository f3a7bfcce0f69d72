import { SvcError } from "@svc/shared/errors.ts";
import type { Actor } from "../../platform/operation.ts";

/**
 * Refuses whoever is no operator, and every key: one that got out must not reach the fleet (decision 031).
 * @throws SvcError not_found, as for a path that is not there
 */
export function requireOperator({ session }: Pick<Actor, "session">): void {
  if (session?.isOperator !== true) throw notForYou();
}

/** The sentence of a path that is not there. */
export function notForYou(): SvcError {
  return new SvcError("not_found", "There is nothing at this path.");
}
