import { ROLES } from "../../../../src/platform/role.ts";
import type { Invitation, Role, Team } from "../../client/answers.ts";
import { answerOf, api, done } from "../../client/api.ts";
import { ActionButton } from "../action-button.tsx";
import { Form, textOf } from "../form.tsx";
import { Table } from "../lists/table.tsx";
import { Show } from "../loaded.tsx";
import { useNotice } from "../notice.tsx";
import { useRefreshed } from "../refreshed.tsx";
import { SelectField } from "../select-field.tsx";
import { Time } from "../time.tsx";

const MEANINGS = {
  viewer: "sees apps and logs",
  deployer: "also deploys",
  developer: "also changes variables, domains and apps",
  owner: "may do everything",
};
const ROLE_OPTIONS = ROLES.map((role) => ({ value: role, text: `${role}: ${MEANINGS[role]}` }));

/** Lists who was invited and has not come yet; for owners. */
export function Invitations({ team }: { team: Team }) {
  const path = { team: team.id };
  const load = () => answerOf(api.GET("/api/teams/{team}/invitations", { params: { path } }));
  const invitations = useRefreshed(load);
  const { say, notice } = useNotice();

  async function invite(values: FormData) {
    const email = textOf(values, "email");
    const body = { email, role: textOf(values, "role") as Role };
    const { mail } = await answerOf(api.POST("/api/teams/{team}/invitations", { params: { path }, body }));
    await invitations.reload();
    say(
      mail === "sent"
        ? `A mail with a link is on its way to ${email}.`
        : `${email} is invited. This service has no mail server: ask its operator for the mail, which holds the link.`,
    );
  }
  async function takeBack({ id, email }: Invitation) {
    const params = { path: { ...path, invitation: id } };
    await done(api.DELETE("/api/teams/{team}/invitations/{invitation}", { params }));
    await invitations.reload();
    say(`The invitation of ${email} was taken back.`);
  }

  return (
    <section aria-labelledby="invitations">
      <h3 id="invitations">Invitations</h3>
      {notice}
      <Show of={invitations}>
        {({ invitations }) =>
          invitations.length === 0 ? (
            <p>Nobody is invited.</p>
          ) : (
            <Table
              label="Table of invitations"
              rows={invitations}
              keyOf={({ id }) => id}
              columns={{
                "E-mail address": ({ email }) => email,
                Role: ({ role }) => role,
                Ends: ({ expires_at }) => <Time at={expires_at} />,
                Action: (invitation) => (
                  <ActionButton
                    label="Take back"
                    object={`the invitation of ${invitation.email}`}
                    isDangerous
                    act={() => takeBack(invitation)}
                  />
                ),
              }}
            />
          )
        }
      </Show>
      <Form
        action="Invite"
        submit={invite}
        fields={[{ name: "email", label: "E-mail address to invite", type: "email" }]}
      >
        <SelectField name="role" label="Role" options={ROLE_OPTIONS} />
      </Form>
    </section>
  );
}
