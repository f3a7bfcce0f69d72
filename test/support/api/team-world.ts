import type { Role } from "@svc/control-plane/platform/role.ts";
import type { Caller, TestApi } from "./http.ts";

/** A shared team, made over the API by a person who owns it. */
export interface Team {
  id: string;
  owner: Caller;
  /** With a key of the owner's that acts in the team. */
  ownerIn: Caller;
  /** Somebody with that role, and their key that acts in the team. */
  addMember(role: Role, options?: { scopes?: string[]; apps?: string[] }): Promise<Caller>;
  /** Another key of the member's in the team. */
  keyOf(userId: string, options?: { scopes?: string[]; apps?: string[] }): Promise<Caller>;
}

export async function makeTeam(http: TestApi, name = "Acme"): Promise<Team> {
  const owner = await http.addCaller();
  const { json } = await owner.call("POST", "/api/teams", { name });
  const { id } = json["team"] as { id: string };
  await http.database.query("update teams set tier = 'team' where id = $1", [id]);
  const keyOf: Team["keyOf"] = (userId, options = {}) => http.addCaller({ ...options, userId, teamId: id });
  return {
    id,
    owner,
    ownerIn: await keyOf(owner.userId),
    keyOf,
    async addMember(role, options) {
      const { userId } = await http.addCaller();
      await http.database.query("insert into team_members (team_id, user_id, role) values ($1, $2, $3)", [
        id,
        userId,
        role,
      ]);
      return keyOf(userId, options);
    },
  };
}
