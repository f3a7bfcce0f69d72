import type { Team } from "../../client/answers.ts";
import { api, done } from "../../client/api.ts";
import { ActionButton } from "../action-button.tsx";
import { Form, textOf } from "../form.tsx";

/** Leaves the team; owners rename and delete it. */
export function ManageTeam({ team }: { team: Team }) {
  const params = { path: { team: team.id } };
  async function rename(values: FormData) {
    await done(api.PATCH("/api/teams/{team}", { params, body: { name: textOf(values, "name") } }));
    location.reload();
  }
  async function leave() {
    await done(api.POST("/api/teams/{team}/leave", { params }));
    location.assign("/settings/team");
  }
  async function remove() {
    await done(api.DELETE("/api/teams/{team}", { params }));
    location.assign("/settings/team");
  }
  return (
    <section aria-labelledby="manage">
      <h3 id="manage">This team</h3>
      {team.role === "owner" && (
        <Form
          action="Rename the team"
          submit={rename}
          fields={[{ name: "name", label: "Name", autocomplete: "off", value: team.name }]}
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
