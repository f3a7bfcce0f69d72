import { useSignal } from "@preact/signals";
import { ROLES } from "../../../../src/platform/role.ts";
import type { Member, Role } from "../../client/answers.ts";
import { ActionButton } from "../action-button.tsx";

interface RoleFormProps {
  member: Member;
  /** @throws Refusal */
  change(role: Role): Promise<void>;
}

/** The choice alone changes nothing: with a keyboard, one passes over roles that are not meant. */
export function RoleForm({ member, change }: RoleFormProps) {
  const role = useSignal(member.role);
  return (
    <span class="row">
      <select
        aria-label={`Role of ${member.email}`}
        value={role.value}
        onChange={({ currentTarget }) => (role.value = currentTarget.value as Role)}
      >
        {ROLES.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
      {role.value !== member.role && (
        <ActionButton label="Change" object={`the role of ${member.email}`} act={() => change(role.value)} />
      )}
    </span>
  );
}
