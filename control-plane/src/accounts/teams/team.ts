import { hasControlCharacter, invalid, quoted, withoutUnseen } from "../../platform/invalid.ts";
import type { Role } from "../../platform/role.ts";

const NAME_LENGTH_MAX = 60;

/** A tier limits the apps of a team: without this number, whoever makes teams has as many apps as they like (decision 023). */
export const OWNED_TEAMS_MAX = 5;

/** More are no team that anybody looks over; it bounds the mails that one owner can cause, too. */
export const MEMBERS_MAX = 200;

/** An invitation ends after so many days. */
export const INVITATION_DAYS = 7;

/** The name of everybody's own team. */
const PERSONAL = "personal";

/** @throws SvcError invalid_request */
export function checkTeamName(name: string): void {
  const seen = withoutUnseen(name);
  if (seen.toLowerCase() === PERSONAL) {
    throw invalid(`${quoted(name)} can't be a team's name: everybody's own team is called so. Choose another name.`);
  }
  if (name.trim() === name && seen !== "" && name.length <= NAME_LENGTH_MAX && !hasControlCharacter(name)) return;
  throw invalid(
    `${quoted(name)} can't be a team's name: use 1 to ${NAME_LENGTH_MAX} characters that can be seen, on one line, without spaces ` +
      "around it, and none that turns the direction of writing.",
  );
}

/** Whether nobody would own the team any more. */
export function leavesNoOwner(
  members: readonly { userId: string; role: Role }[],
  userId: string,
  becomes: Role | undefined,
): boolean {
  const owners = members.filter((member) => member.role === "owner");
  return becomes !== "owner" && owners.every((owner) => owner.userId === userId);
}
