import type { Identity } from "../identity.ts";
import { readActivity } from "../../activity/activity.store.ts";
import { readConnections } from "../oidc/connections.store.ts";
import { readKeysOf } from "../../keys/api-keys.store.ts";
import { keyView } from "../../keys/key-view.ts";
import { readTeams } from "../../teams/teams.store.ts";
import { readMemberships } from "../../teams/read-memberships.ts";
import { passkeyView } from "../passkeys/passkey-view.ts";
import { readPasskeys } from "../passkeys/passkeys.store.ts";
import type { Session } from "../sessions/session.ts";
import { readSessions } from "../sessions/sessions.store.ts";

const ACTIVITY_MAX = 10_000;

/** All that the service holds about the caller, but for secrets, as one JSON value. */
export async function exportAccount({ db }: Identity, session: Session): Promise<object> {
  const { userId: id, email, name, emailVerified, tier, hasSecondFactor } = session;
  const memberships = await readMemberships(db, id);
  const teams = await readTeams(
    db,
    memberships.map(({ teamId }) => teamId),
  );
  return {
    person: { id, email, name, email_verified: emailVerified, tier, second_factor: hasSecondFactor },
    teams: teams.map((team) => ({
      id: team.id,
      name: team.name,
      role: memberships.find(({ teamId }) => teamId === team.id)?.role,
    })),
    keys: (await readKeysOf(db, id)).map(keyView),
    connections: await readConnections(db, id),
    passkeys: (await readPasskeys(db, id)).map(passkeyView),
    sessions: await readSessions(db, id),
    activity: await readActivity(db, id, { userId: id, limit: ACTIVITY_MAX }),
  };
}
