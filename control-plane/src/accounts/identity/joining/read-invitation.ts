import { SvcError } from "@svc/shared/errors.ts";
import type { Role } from "../../../platform/role.ts";
import { readInvitationByToken } from "../../teams/invitations.store.ts";
import { readTeam } from "../../teams/teams.store.ts";
import type { Identity } from "../identity.ts";
import { hashToken, isToken } from "../one-time-token.ts";
import { readJoinInvitation } from "./join-invitations.store.ts";

export interface Invited {
  /** The address that the link was mailed to. */
  email: string;
  /** Of an invitation to a team. */
  team: { name: string; role: Role; invitedBy: string | null } | undefined;
}

/** Tells whoever holds an invitation's link what it is for; it stays good. @throws SvcError link_invalid */
export async function readInvitation({ db }: Identity, token: string): Promise<Invited> {
  const tokenHash = hashToken(token);
  const email = isToken(token) ? await readJoinInvitation(db, tokenHash) : undefined;
  if (email !== undefined) return { email, team: undefined };
  const found = isToken(token) ? await readInvitationByToken(db, tokenHash) : undefined;
  if (!found)
    throw new SvcError("link_invalid", "This link was used already, or has expired. Ask for a new invitation.");
  const { name } = await readTeam(db, found.teamId);
  return { email: found.email, team: { name, role: found.role, invitedBy: found.invitedBy ?? null } };
}
