import { SvcError } from "@svc/shared/errors.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import { inTransaction } from "../../../platform/database/database.ts";
import { invalid, quoted } from "../../../platform/invalid.ts";
import type { Role } from "../../../platform/role.ts";
import { scopesOfRole } from "../../../platform/scope-roles.ts";
import type { Scope } from "../../../platform/scope.ts";
import { readMemberships } from "../../teams/read-memberships.ts";
import { lockTeam, readTeams, type TeamRow } from "../../teams/teams.store.ts";
import { limitAttempts } from "../attempts/limit-attempts.ts";
import { auditPerson } from "../audit-person.ts";
import type { Identity } from "../identity.ts";
import { hashToken, makeToken } from "../one-time-token.ts";
import { requireOpenSession } from "../sessions/require-open-session.ts";
import type { Session, Visit } from "../sessions/session.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { insertCode, touchClient } from "./oauth-clients.store.ts";
import { redirectHost, withParameters } from "./redirect-uri.ts";

/** A client exchanges it at once. */
const CODE_SECONDS = 60;

/** One of the person's teams, and what of the request their role allows there. */
export interface OfferedTeam {
  team: TeamRow;
  role: Role;
  scopes: readonly Scope[];
}

export async function readOfferedTeams(
  { db }: Identity,
  { userId }: Session,
  { scopes }: AuthorizationRequest,
): Promise<OfferedTeam[]> {
  const memberships = await readMemberships(db, userId);
  const teams = await readTeams(
    db,
    memberships.map(({ teamId }) => teamId),
  );
  return teams.map((team) => {
    const { role } = memberships.find(({ teamId }) => teamId === team.id)!;
    return { team, role, scopes: scopesOfRole(role, scopes) };
  });
}

/**
 * Lets the client fetch a key of the person's, for the team and the scopes that they chose. No key is made yet.
 * @returns where the browser goes on
 * @throws SvcError email_not_verified, invalid_request, not_found, rate_limited, unauthorized
 */
export async function allowClient(
  { db, baseUrl }: Identity,
  visit: Visit,
  session: Session,
  request: AuthorizationRequest,
  chosen: { team: string; scopes: readonly string[] },
): Promise<string> {
  const { userId } = session;
  const { client, redirectUri, challenge, state } = request;
  if (!session.emailVerified) {
    throw new SvcError("email_not_verified", "Verify your e-mail address first: until then no key can be made.");
  }
  await limitAttempts(db, "key", userId);
  const code = makeToken();
  await inTransaction(db, async (tx) => {
    // Nobody leaves the team, or gets another role, between this look and the code.
    const team = isId(chosen.team) ? await lockTeam(tx, chosen.team) : undefined;
    await requireOpenSession(tx, session);
    const role = (await readMemberships(tx, userId)).find(({ teamId }) => teamId === team?.id)?.role;
    if (!team || role === undefined) {
      throw new SvcError("not_found", "You are not in that team. Load the page again and choose another one.");
    }
    const scopes = chosenScopes(scopesOfRole(role, request.scopes), chosen.scopes, role);
    if (!(await touchClient(tx, client.id))) {
      throw new SvcError("not_found", "The program's registration has ended. Begin anew in the program.");
    }
    const allowed = { clientId: client.id, userId, teamId: team.id, scopes, redirectUri, challenge };
    await insertCode(tx, { ...allowed, codeHash: hashToken(code), seconds: CODE_SECONDS });
    const detail = { ...factsOf(request), scopes, team_id: team.id };
    await auditPerson(tx, visit, userId, {
      action: "client.allow",
      target: `client:${client.id}`,
      teamId: team.id,
      detail,
    });
  });
  return answerAt(redirectUri, { code }, state, baseUrl);
}

/** Tells the client that the person refused. @returns where the browser goes on */
export async function refuseClient(
  { db, baseUrl }: Identity,
  visit: Visit,
  { userId }: Session,
  request: AuthorizationRequest,
): Promise<string> {
  const { client, redirectUri, state } = request;
  const entry = { action: "client.refuse", target: `client:${client.id}`, detail: factsOf(request) };
  await inTransaction(db, (tx) => auditPerson(tx, visit, userId, entry));
  return answerAt(redirectUri, { error: "access_denied" }, state, baseUrl);
}

function factsOf({ client: { name }, redirectUri }: AuthorizationRequest) {
  return { name, host: redirectHost(redirectUri).host };
}

/** Names who answers, so that a client of several services mistakes none for another (RFC 9207). */
function answerAt(
  uri: string,
  answer: Readonly<Record<string, string>>,
  state: string | undefined,
  iss: string,
): string {
  return withParameters(uri, { ...answer, ...(state !== undefined && { state }), iss });
}

function chosenScopes(offered: readonly Scope[], chosen: readonly string[], role: Role): Scope[] {
  const wrong = chosen.find((scope) => !offered.some((each) => each === scope));
  if (wrong !== undefined) {
    throw invalid(
      `${quoted(wrong)} was not asked for, or is more than the role ${role} may. Choose among what the page shows.`,
    );
  }
  if (chosen.length === 0) throw invalid("Choose at least one thing that it may do, or refuse it.");
  return offered.filter((scope) => chosen.includes(scope));
}
