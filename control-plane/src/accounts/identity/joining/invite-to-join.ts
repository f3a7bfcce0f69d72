import type { Db } from "../../../platform/database/database.ts";
import { insertJoinInvitation } from "./join-invitations.store.ts";
import { hashToken, linkWithToken, makeToken } from "../one-time-token.ts";

/** A link is often opened after the weekend. */
const INVITATION_SECONDS = 7 * 24 * 3600;

export interface JoinLink {
  link: string;
  expiresAt: Date;
}

/** Makes a link with which its reader sets name and password, once; the address needs no user yet. */
export async function inviteToJoin(tx: Db, email: string, baseUrl: string): Promise<JoinLink> {
  const token = makeToken();
  const { expiresAt } = await insertJoinInvitation(tx, {
    email,
    tokenHash: hashToken(token),
    seconds: INVITATION_SECONDS,
  });
  return { link: linkWithToken(baseUrl, "join", token), expiresAt };
}
