import type { Member, Person, Role, Team } from "../../client/answers.ts";
import { answerOf, api, done } from "../../client/api.ts";
import { ActionButton } from "../action-button.tsx";
import { Found } from "../lists/found.tsx";
import { Table } from "../lists/table.tsx";
import { Show } from "../loaded.tsx";
import { useNotice } from "../notice.tsx";
import { useRefreshed } from "../refreshed.tsx";
import { Time } from "../time.tsx";
import { useSignal } from "@preact/signals";
import { ROLES } from "../../../../src/platform/role.ts";

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
  const members = useRefreshed(load);
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
    <Table
      label="Table of members"
      rows={members}
      keyOf={({ user_id }) => user_id}
      columns={{
        "E-mail address": ({ email }) => email,
        Role: (member) =>
          change !== undefined && member.user_id !== own ? (
            <RoleForm member={member} change={(role) => change(member, role)} />
          ) : (
            member.role
          ),
        Since: ({ since }) => <Time at={since} />,
        ...(remove !== undefined && {
          Action: (member: Member) =>
            member.user_id === own ? (
              "you"
            ) : (
              <ActionButton
                label="Remove"
                object={member.email}
                isDangerous
                warning="Their keys in the team end."
                act={() => remove(member)}
              />
            ),
        }),
      }}
    />
  );
}

interface RoleFormProps {
  member: Member;
  /** @throws Refusal */
  change(role: Role): Promise<void>;
}

/** The choice alone changes nothing: with a keyboard, one passes over roles that are not meant. */
function RoleForm({ member, change }: RoleFormProps) {
  /** The role that was chosen; undefined for the one that the member has, which a colleague may change meanwhile. */
  const chosen = useSignal<Role | undefined>(undefined);
  const role = chosen.value ?? member.role;
  async function act() {
    await change(role);
    chosen.value = undefined;
  }
  return (
    <span class="row">
      <select
        aria-label={`Role of ${member.email}`}
        value={role}
        onChange={({ currentTarget }) => (chosen.value = currentTarget.value as Role)}
      >
        {ROLES.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
      {role !== member.role && <ActionButton label="Change" object={`the role of ${member.email}`} act={act} />}
    </span>
  );
}
