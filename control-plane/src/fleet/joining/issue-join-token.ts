import type { Db } from "../../platform/database/database.ts";
import { insertAudit, type Acting } from "../../platform/audit.store.ts";
import { replaceJoinToken } from "../servers.store.ts";
import { newJoinToken } from "./join-token.ts";

/** This is long enough to log in to the host, short enough that a token in a shell's history is worthless. */
const TOKEN_LIFE_MS = 15 * 60_000;

export interface JoinToken {
  token: string;
  server: string;
  expiresAt: Date;
}

/** A token with which one host can become that server, once; an earlier token of the server ends. */
export async function issueJoinToken(
  tx: Db,
  authorityFingerprint: string,
  server: { id: string; name: string },
  entry: Acting & { action: "server.token" | "server.rejoin_token" },
): Promise<JoinToken> {
  const { token, hash } = newJoinToken(authorityFingerprint);
  const { expiresAt } = await replaceJoinToken(tx, { hash, serverId: server.id, lifeMs: TOKEN_LIFE_MS });
  const target = `server:${server.id}`;
  await insertAudit(tx, { ...entry, target, detail: { name: server.name } });
  return { token, server: server.name, expiresAt };
}
