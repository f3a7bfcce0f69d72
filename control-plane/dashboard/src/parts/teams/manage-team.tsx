import type { Team } from "../../client/answers.ts";
import { ask } from "../../client/ask.ts";
import { ActionButton } from "../action-button.tsx";
import { Form, textOf } from "../form.tsx";

/** Leaves the team; owners rename and delete it. */
export function ManageTeam({ team }: { team: Team }) {
  const path = `/api/teams/${team.id}`;
  async function rename(values: FormData) {
    await ask("PATCH", path, { body: { name: textOf(values, "name") } });
    location.reload();
  }
  async function leave() {
    await ask("POST", `${path}/leave`);
    location.assign("/settings/team");
  }
  async function remove() {
    await ask("DELETE", path);
    location.assign("/settings/team");
  }
  return (
    <section aria-labelledby="manage">
      <h3 id="manage">This team</h3>
      {team.role === "owner" && (
        <Form
          action="Rename the team"
          submit={rename}
          fields={[{ name: "name", label: "Name", autocomplete: "off", value: team.name, maxLength: 100 }]}
        />
      )}
      <div class="row">
        <ActionButton label="Leave the team" isDangerous warning="Your keys in the team end." act={leave} />
        {team.role === "owner" && (
          <ActionButton label="Delete the team" isDangerous warning="It is gone for ever." act={remove} />
        )}
      </div>
    </section>
  );
}
