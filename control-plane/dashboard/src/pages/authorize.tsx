import { useSignal } from "@preact/signals";
import type { AuthorizationRequest } from "../client/answers.ts";
import { ask } from "../client/ask.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { Form, textOf } from "../parts/form.tsx";
import { Facts } from "../parts/lists/facts.tsx";
import { Show, useLoaded } from "../parts/loaded.tsx";
import { openPersonalPage } from "../parts/open-page.tsx";
import { SelectField } from "../parts/select-field.tsx";

/**
 * The program's request, as it has sent the browser here with it. A parameter that is there twice counts once, from here on: what is
 * shown and what is allowed would be two things otherwise.
 */
const request = Object.fromEntries(new URLSearchParams(location.search));
const REQUEST_PATH = `/auth/oauth/request?${new URLSearchParams(request).toString()}`;

function Authorize() {
  return request["client_id"] === undefined ? (
    <p>A program leads here when it asks for a key. Begin in the program.</p>
  ) : (
    <Asked />
  );
}

function Asked() {
  const found = useLoaded(() => ask<AuthorizationRequest>("GET", REQUEST_PATH));
  return <Show of={found}>{(asked) => <Consent asked={asked} />}</Show>;
}

function Consent({ asked: { client, scopes, teams, team } }: { asked: AuthorizationRequest }) {
  const chosen = useSignal(team);
  const offered = teams.find(({ id }) => id === chosen.value)?.scopes ?? [];

  async function allow(values: FormData) {
    const body = { request, team: textOf(values, "team"), scopes: values.getAll("scope") };
    await goOn(await ask<Answer>("POST", "/auth/oauth/allow", { body }));
  }
  async function refuse() {
    await goOn(await ask<Answer>("POST", "/auth/oauth/refuse", { body: { request } }));
  }

  return (
    <>
      <p>
        A program asks for a key that acts as you. It calls itself <strong>{client.name}</strong>, which nobody has
        proven. Allow only what you have started yourself.
      </p>
      <Facts
        of={{
          "The key goes to": (
            <>
              <code>{client.host}</code>
              {client.on_this_machine && ", which is a program on this computer"}
            </>
          ),
          "The key ends": "in 30 days, or when you revoke it on the page Keys",
        }}
      />
      <Form fields={[]} action="Allow" submit={allow}>
        <SelectField
          name="team"
          label="Team"
          value={chosen.value}
          options={teams.map(({ id, name, role }) => ({ value: id, text: `${name} (${role})` }))}
          onChoose={(id) => (chosen.value = id)}
        />
        <fieldset>
          <legend>May do</legend>
          <p class="hint">Take away what it does not need.</p>
          <div class="choices">
            {scopes.map((scope) => (
              <label key={`${chosen.value} ${scope}`}>
                <input
                  type="checkbox"
                  name="scope"
                  value={scope}
                  defaultChecked={offered.includes(scope)}
                  disabled={!offered.includes(scope)}
                />{" "}
                {scope}
                {!offered.includes(scope) && " (more than your role)"}
              </label>
            ))}
          </div>
        </fieldset>
      </Form>
      <ActionButton label="Refuse" isDangerous act={refuse} />
    </>
  );
}

interface Answer {
  /** An address of the program, which it has registered. */
  redirect_to: string;
}

/** Never ends, so that nothing can be pressed while the browser leaves. */
function goOn({ redirect_to }: Answer): Promise<void> {
  location.replace(redirect_to);
  return new Promise(() => undefined);
}

void openPersonalPage("Allow a program", Authorize);
