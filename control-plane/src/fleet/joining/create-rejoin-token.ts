import { SvcError } from "@svc/shared/errors.ts";
import { byCommand } from "../../platform/audit.store.ts";
import { inTransaction, type Db } from "../../platform/database/database.ts";
import { issueJoinToken, type JoinToken } from "./issue-join-token.ts";
import { requireSameAuthority } from "../authority/require-same-authority.ts";
import { requireServer } from "../require-server.ts";

/**
 * A token with which a host takes the place of the server's, once: one that came back without its identity, or whose
 * certificate has expired. Nothing changes before it is used; then the former identity is refused.
 * @param authorityFingerprint what the agent recognises the fleet by
 * @throws SvcError not_found, invalid_request (the server has never joined), internal (the fleet trusts another authority)
 */
export function createRejoinToken(db: Db, authorityFingerprint: string, name: string): Promise<JoinToken> {
  return inTransaction(db, async (tx) => {
    await requireSameAuthority(tx, authorityFingerprint);
    const server = await requireServer(tx, name);
    if (server.state === "joining") {
      throw new SvcError(
        "invalid_request",
        `The server ${name} has not joined yet; make its first token with \`server token --name ${name}\`.`,
      );
    }
    return issueJoinToken(tx, authorityFingerprint, server, { ...byCommand, action: "server.rejoin_token" });
  });
}
