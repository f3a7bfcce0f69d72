import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/ids.ts";
import { insertAudit } from "../db/audit.ts";
import { inTransaction, type Db } from "../db/database.ts";
import { findServer, insertServer, replaceJoinToken } from "../db/servers.ts";
import { newJoinToken } from "./join-token.ts";
import { requireSameAuthority } from "./require-same-authority.ts";

/** Long enough to log in to the new host, short enough that a token in a shell's history is worthless. */
const TOKEN_LIFE_MS = 15 * 60_000;

export interface JoinToken {
  token: string;
  server: string;
  expiresAt: Date;
}

/**
 * A token with which one agent can join, once, as the server of that name; an earlier token of the name ends. Without
 * a name the first free one of server-1, server-2, … is taken.
 * @param authorityFingerprint what the agent recognises the fleet by
 * @throws SvcError invalid_request (not an RFC 1123 label), name_taken (the server is a member already), internal (the
 * fleet trusts another authority)
 */
export function createJoinToken(db: Db, authorityFingerprint: string, name?: string): Promise<JoinToken> {
  return inTransaction(db, async (tx) => {
    await requireSameAuthority(tx, authorityFingerprint);
    const server = name === undefined ? await addNumberedServer(tx) : await addOrFindJoining(tx, name);
    const { token, hash } = newJoinToken(authorityFingerprint);
    const { expiresAt } = await replaceJoinToken(tx, { hash, serverId: server.id, lifeMs: TOKEN_LIFE_MS });
    await insertAudit(tx, {
      actor: "operator",
      action: "server.token",
      target: `server:${server.id}`,
      requestId: null,
      detail: { name: server.name },
    });
    return { token, server: server.name, expiresAt };
  });
}

interface NamedServer {
  id: string;
  name: string;
}

async function addNumberedServer(tx: Db): Promise<NamedServer> {
  for (let number = 1; ; number += 1) {
    const server = { id: newId(), name: `server-${number}` };
    if (await insertServer(tx, server)) return server;
  }
}

async function addOrFindJoining(tx: Db, name: string): Promise<NamedServer> {
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name)) {
    throw new SvcError(
      "invalid_request",
      `The server name ${JSON.stringify(name)} cannot be used; allowed are 1 to 63 of a-z, 0-9 and hyphens, ` +
        "with no hyphen at either end.",
    );
  }
  const server = { id: newId(), name };
  if (await insertServer(tx, server)) return server;
  const existing = await findServer(tx, name);
  if (existing?.state === "joining") return existing;
  throw new SvcError(
    "name_taken",
    `The server ${name} has joined already. To replace its host, remove it first with \`server remove ${name}\`; ` +
      "for a further host, choose another name.",
  );
}
