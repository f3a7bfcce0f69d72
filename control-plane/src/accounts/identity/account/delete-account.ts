import { SvcError } from "@svc/shared/errors.ts";
import { inRepeatedTransaction } from "../../../platform/database/database.ts";
import { revokeAllKeysOf } from "../../keys/api-keys.store.ts";
import { lockTeam } from "../../teams/teams.store.ts";
import { leaveAllTeams } from "../../teams/leave-all-teams.ts";
import { auditPerson } from "../audit-person.ts";
import type { Identity } from "../identity.ts";
import { proveOwnerFully, type Proof } from "../passwords/prove-owner.ts";
import { erasePerson, hasApps } from "../people.store.ts";
import type { Session, Visit } from "../sessions/session.ts";

/**
 * Deletes the caller's account: sessions, ways in, second factor, keys and memberships end, and the address is free. What was
 * deployed stays the teams', and deploys keep the id of who started them, which leads to nobody any more.
 * @throws SvcError credentials_invalid, rate_limited; team_in_use while the personal team has apps; last_owner for a team of
 *   others that would have no owner
 */
export async function deleteAccount(identity: Identity, visit: Visit, session: Session, proof: Proof): Promise<void> {
  const { db } = identity;
  const lockOwner = await proveOwnerFully(identity, session, proof);
  await inRepeatedTransaction(db, async (tx) => {
    // Whoever makes an app, a key or a team holds this row. Before the person, as they take both.
    await lockTeam(tx, session.userId);
    const { id } = await lockOwner(tx);
    if (await hasApps(tx, id)) {
      throw new SvcError(
        "team_in_use",
        "Your personal team has apps, soft-stopped ones included: purge them, or hand them to another team, first.",
      );
    }
    const left = await leaveAllTeams(tx, id);
    const revoked = await revokeAllKeysOf(tx, id);
    await auditPerson(tx, visit, id, { action: "user.delete", detail: { left_teams: left, revoked_keys: revoked } });
    await erasePerson(tx, id);
  });
}
