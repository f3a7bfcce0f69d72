import { SvcError } from "@svc/shared/errors.ts";
import type { Session, Visit } from "./session.ts";

/** @throws SvcError unauthorized */
export function requireSession({ session }: Visit): Session {
  if (!session) throw new SvcError("unauthorized", "Sign in first.");
  return session;
}
