import { SvcError } from "@svc/shared/errors.ts";
import type { Caller } from "../../authenticate.ts";
import type { Session } from "./session.ts";

/**
 * Somebody who is signed in may do what their role in each of their teams allows.
 * @param now for the time that the session has left
 * @param team the one that owns what the request makes; the personal one when absent
 * @throws SvcError not_found for a team that they are not in
 */
export function sessionCaller(session: Session, now: Date, team: string | undefined): Caller {
  const { userId, teams, emailVerified, tier, expiresAt } = session;
  const teamId = team ?? userId;
  if (!teams.some((each) => each.teamId === teamId)) {
    throw new SvcError(
      "not_found",
      "You are not in this team: it was deleted, or you were taken out of it. Choose another team.",
    );
  }
  const expiresInMs = expiresAt.getTime() - now.getTime();
  return { userId, teamId, teams, scopes: null, apps: null, emailVerified, tier, expiresInMs, session };
}
