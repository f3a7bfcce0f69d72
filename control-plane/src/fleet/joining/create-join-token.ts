import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import type { Acting } from "../../platform/audit.store.ts";
import { inTransaction, type Db } from "../../platform/database/database.ts";
import { isServerName } from "../server.ts";
import { findServer, insertServer } from "../servers.store.ts";
import { issueJoinToken, type JoinToken } from "./issue-join-token.ts";
import { requireSameAuthority } from "../authority/require-same-authority.ts";

/**
 * A token with which one agent can join, once, as the server of that name; an earlier token of the name ends. Without
 * a name the first free one of server-1, server-2, … is taken.
 * @param authorityFingerprint what the agent recognises the fleet by
 * @throws SvcError invalid_request (not an RFC 1123 label), name_taken (the server is a member already), internal (the
 * fleet trusts another authority)
 */
export function createJoinToken(db: Db, authorityFingerprint: string, by: Acting, name?: string): Promise<JoinToken> {
  return inTransaction(db, async (tx) => {
    await requireSameAuthority(tx, authorityFingerprint);
    const server = name === undefined ? await addNumberedServer(tx) : await addOrFindJoining(tx, name);
    return issueJoinToken(tx, authorityFingerprint, server, { ...by, action: "server.token" });
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
  if (!isServerName(name)) {
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
    `The server ${name} has joined already. For its own host, when that has lost its identity or was away for too long, ` +
      `use \`server token --for ${name}\`; for a further host, choose another name.`,
  );
}
