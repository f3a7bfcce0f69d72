import { SvcError } from "@svc/shared/errors.ts";
import type { Db } from "../../../platform/database/database.ts";
import { readActivity } from "../../activity/activity.store.ts";
import { readKeysOf } from "../../keys/api-keys.store.ts";
import { keyView } from "../../keys/key-view.ts";
import { readMemberships } from "../../teams/read-memberships.ts";
import { readTeams } from "../../teams/teams.store.ts";
import { limitAttempts } from "../attempts/limit-attempts.ts";
import type { Identity } from "../identity.ts";
import { readChatOf } from "../people.store.ts";
import { readConnections } from "../oidc/connections.store.ts";
import { passkeyView } from "../passkeys/passkey-view.ts";
import { readPasskeys } from "../passkeys/passkeys.store.ts";
import type { Session } from "../sessions/session.ts";
import { readSessions } from "../sessions/sessions.store.ts";

/** At most 1 MB, as a detail has at most 4 KB: other requests wait for milliseconds while it is written. */
const PAGE_ENTRIES = 200;
/** A message of the chat is seldom larger than 50 KB, which is what a few long logs are. */
const PAGE_MESSAGES = 20;
/** Most exports are done within a second. */
const RETRY_AFTER_SECONDS = 10;

/**
 * All that the service holds about the caller, but for secrets, as one JSON value. It is read and written page by page, as the
 * client takes it; a person has one at a time in a process.
 * @throws SvcError too_many_streams, rate_limited
 */
export async function exportAccount(identity: Identity, session: Session): Promise<ReadableStream<Uint8Array>> {
  const { db, exporting } = identity;
  const { userId } = session;
  if (exporting.has(userId)) {
    throw new SvcError("too_many_streams", "Your data is being downloaded already: try again when that has ended.", {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
  exporting.add(userId);
  const leave = (): void => void exporting.delete(userId);
  try {
    await limitAttempts(db, "export", userId);
    return streamOf(writeExport(db, userId, await readAccount(db, session)), leave);
  } catch (error) {
    leave();
    throw error;
  }
}

async function readAccount(db: Db, session: Session): Promise<object> {
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
  };
}

/** Yields the account's JSON with what was said in the chat and its activity as the last properties. */
async function* writeExport(db: Db, userId: string, account: object): AsyncGenerator<string, void> {
  yield `${JSON.stringify(account).slice(0, -1)},"chat":[`;
  let after = "0";
  for (;;) {
    const page = await readChatOf(db, userId, { after, limit: PAGE_MESSAGES });
    const comma = after === "0" || page.length === 0 ? "" : ",";
    yield comma + page.map(({ seq: _seq, ...message }) => JSON.stringify(message)).join(",");
    if (page.length < PAGE_MESSAGES) break;
    after = page.at(-1)!.seq;
  }
  yield '],"activity":[';
  let before: string | undefined;
  for (;;) {
    const page = await readActivity(db, userId, { userId, before, limit: PAGE_ENTRIES });
    const comma = before === undefined || page.length === 0 ? "" : ",";
    yield comma + page.map((entry) => JSON.stringify(entry)).join(",");
    if (page.length < PAGE_ENTRIES) break;
    before = page.at(-1)?.id;
  }
  yield "]}";
}

/** @param onEnd is called once all is taken, the client has left, or a piece could not be made */
function streamOf(pieces: AsyncGenerator<string, void>, onEnd: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await pieces.next();
          if (!done) return controller.enqueue(encoder.encode(value));
        } catch (error) {
          onEnd();
          throw error;
        }
        onEnd();
        controller.close();
      },
      cancel: onEnd,
    },
    { highWaterMark: 0 },
  );
}
