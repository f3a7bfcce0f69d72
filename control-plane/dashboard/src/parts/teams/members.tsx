import type { Member, Person, Role, Team } from "../../client/answers.ts";
import { answerOf, api, done } from "../../client/api.ts";
import { ActionButton } from "../action-button.tsx";
import { Found } from "../lists/found.tsx";
import { Show, useLoaded } from "../loaded.tsx";
import { useNotice } from "../notice.tsx";
import { Time } from "../time.tsx";
import { RoleForm } from "./role-form.tsx";

/** @throws Refusal */
export function readMembers(team: string): Promise<{ members: Member[] }> {
  return answerOf(api.GET("/api/teams/{team}/members", { params: { path: { team } } }));
}

interface MembersProps {
  team: Team;
  person: Person;
  /** Reads the members; the page may have begun to. */
  load(): Promise<{ members: Member[] }>;
}

/** Lists who is in the team; owners change roles and remove members. */
export function Members({ team, person, load }: MembersProps) {
  const path = { team: team.id };
  const members = useLoaded(load);
  const { say, notice } = useNotice();
  const mayChange = team.role === "owner" && !team.personal;

  async function change({ user_id, email }: Member, role: Role) {
    const params = { path: { ...path, user: user_id } };
    await done(api.PUT("/api/teams/{team}/members/{user}", { params, body: { role } }));
    await members.reload();
    say(`${email} is ${role} now.`);
  }
  async function remove({ user_id, email }: Member) {
    await done(api.DELETE("/api/teams/{team}/members/{user}", { params: { path: { ...path, user: user_id } } }));
    await members.reload();
    say(`${email} was removed from the team.`);
  }

  return (
    <section aria-labelledby="members">
      <h3 id="members">Members</h3>
      {notice}
      <Show of={members}>
        {({ members }) => (
          <Found all={members} nameOf={({ email }) => email}>
            {(found) => <MemberTable members={found} own={person.id} {...(mayChange ? { change, remove } : {})} />}
          </Found>
        )}
      </Show>
    </section>
  );
}

interface MemberTableProps {
  members: readonly Member[];
  /** The id of whoever looks. */
  own: string;
  /** Changes a member's role; undefined for who may not. */
  change?(member: Member, role: Role): Promise<void>;
  remove?(member: Member): Promise<void>;
}

function MemberTable({ members, own, change, remove }: MemberTableProps) {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="Table of members">
      <table>
        <thead>
          <tr>
            <th scope="col">E-mail address</th>
            <th scope="col">Role</th>
            <th scope="col">Since</th>
            {remove !== undefined && <th scope="col">Action</th>}
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <tr key={member.user_id}>
              <th scope="row">{member.email}</th>
              <td>
                {change !== undefined && member.user_id !== own ? (
                  <RoleForm member={member} change={(role) => change(member, role)} />
                ) : (
                  member.role
                )}
              </td>
              <td>
                <Time at={member.since} />
              </td>
              {remove !== undefined && (
                <td>
                  {member.user_id === own ? (
                    "you"
                  ) : (
                    <ActionButton
                      label="Remove"
                      object={member.email}
                      isDangerous
                      warning="Their keys in the team end."
                      act={() => remove(member)}
                    />
                  )}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
