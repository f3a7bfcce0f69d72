import { SvcError } from "@svc/shared/errors.ts";
import { inTransaction, type Db } from "../../../platform/database/database.ts";
import { invalid } from "../../../platform/invalid.ts";
import type { Role } from "../../../platform/role.ts";
import { readMemberships } from "../../teams/read-memberships.ts";
import { lockTeam, readTeams, type TeamRow } from "../../teams/teams.store.ts";
import { limitAttempts } from "../attempts/limit-attempts.ts";
import { auditPerson } from "../audit-person.ts";
import type { Identity } from "../identity.ts";
import type { Session, Visit } from "../sessions/session.ts";
import { parseUserCode } from "./device-code.ts";
import { readOpenRequest, writeAnswer, type DeviceRequest } from "./device-codes.store.ts";

type OwnTeam = TeamRow & { role: Role };

/**
 * Reads what asks, and the teams that a key could be for.
 * @throws SvcError invalid_request, not_found, rate_limited
 */
export async function readDeviceRequest(
  { db }: Identity,
  visit: Visit,
  session: Session,
  userCode: string,
): Promise<{ request: DeviceRequest; teams: OwnTeam[]; proposed: OwnTeam | undefined }> {
  const request = await requireOpenRequest(db, visit, session, userCode);
  const teams = await readOwnTeams(db, session.userId);
  return { request, teams, proposed: proposedTeam(teams, request) };
}

/**
 * Allows the client to fetch a key of the caller's in the team: the one that is named, else the one that the client asked for,
 * else the personal one. No key is made yet.
 * @throws SvcError email_not_verified, invalid_request, not_found, rate_limited
 */
export async function approveDevice(
  { db }: Identity,
  visit: Visit,
  session: Session,
  { userCode, team: named }: { userCode: string; team: string | undefined },
): Promise<{ id: string; name: string }> {
  const { userId } = session;
  if (!session.emailVerified) {
    throw new SvcError("email_not_verified", "Verify your e-mail address first: until then no key can be made.");
  }
  const request = await requireOpenRequest(db, visit, session, userCode);
  const teams = await readOwnTeams(db, userId);
  const team = named === undefined ? proposedTeam(teams, request) : teams.find(({ id }) => id === named);
  if (!team) throw noSuchTeam();
  return inTransaction(db, async (tx) => {
    // Nobody leaves the team between this look and the approval.
    await lockTeam(tx, team.id);
    if (!(await readMemberships(tx, userId)).some(({ teamId }) => teamId === team.id)) throw noSuchTeam();
    if (!(await writeAnswer(tx, request.id, { status: "approved", userId, teamId: team.id }))) throw noSuchRequest();
    const entry = { action: "device.approve", target: `device:${request.id}`, teamId: team.id };
    await auditPerson(tx, visit, userId, { ...entry, detail: { ...factsOf(request), team_id: team.id } });
    return { id: team.id, name: team.name };
  });
}

/** Refuses the client. @throws SvcError invalid_request, not_found, rate_limited */
export async function denyDevice({ db }: Identity, visit: Visit, session: Session, userCode: string): Promise<void> {
  const request = await requireOpenRequest(db, visit, session, userCode);
  await inTransaction(db, async (tx) => {
    if (!(await writeAnswer(tx, request.id, { status: "denied" }))) throw noSuchRequest();
    const entry = { action: "device.deny", target: `device:${request.id}`, detail: factsOf(request) };
    await auditPerson(tx, visit, session.userId, entry);
  });
}

/** Every look for a user code counts as a guess of one. */
async function requireOpenRequest(
  db: Db,
  { address }: Visit,
  { userId }: Session,
  userCode: string,
): Promise<DeviceRequest> {
  const code = parseUserCode(userCode);
  if (code === undefined) throw invalid("The code has eight letters, as in BCDF-GHJK. Enter it as svc shows it.");
  await limitAttempts(db, "userCodeAddress", address);
  await limitAttempts(db, "userCode", userId);
  const request = await readOpenRequest(db, code);
  if (!request) throw noSuchRequest();
  return request;
}

async function readOwnTeams(db: Db, userId: string): Promise<OwnTeam[]> {
  const roles = new Map((await readMemberships(db, userId)).map(({ teamId, role }) => [teamId, role]));
  const teams = await readTeams(db, [...roles.keys()]);
  return teams.map((team) => Object.assign(team, { role: roles.get(team.id) ?? "viewer" }));
}

/** The team that the client asked for, by id or name; the personal one when it asked for none. */
function proposedTeam(teams: readonly OwnTeam[], { wantedTeam }: DeviceRequest): OwnTeam | undefined {
  if (wantedTeam === null) return teams.find(({ user_id }) => user_id !== null);
  const named = teams.filter(({ name }) => name === wantedTeam);
  // Teams may have the same name: then the person chooses.
  return teams.find(({ id }) => id === wantedTeam) ?? (named.length === 1 ? named[0] : undefined);
}

function factsOf({ deviceName, scopes, address }: DeviceRequest) {
  return { device_name: deviceName, scopes, requested_from: address };
}

function noSuchRequest(): SvcError {
  return new SvcError(
    "not_found",
    "No request waits with this code: it was mistyped, answered already, or has expired. Run `svc login` again.",
  );
}

function noSuchTeam(): SvcError {
  return new SvcError("not_found", "You are in no team like the one that was asked for. Choose one of your teams.");
}
