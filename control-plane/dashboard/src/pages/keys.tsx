import { useSignal } from "@preact/signals";
import type { Key, Person, Team } from "../client/answers.ts";
import { answerOf, api } from "../client/api.ts";
import { ask } from "../client/ask.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { early } from "../parts/early.ts";
import { Form, textOf } from "../parts/form.tsx";
import { Found } from "../parts/lists/found.tsx";
import { Table } from "../parts/lists/table.tsx";
import { Show, useLoaded } from "../parts/loaded.tsx";
import { useNotice } from "../parts/notice.tsx";
import { openPersonalPage } from "../parts/open-page.tsx";
import { Secret } from "../parts/copy/secret.tsx";
import { useRefreshed } from "../parts/refreshed.tsx";
import { SelectField } from "../parts/select-field.tsx";
import { Time } from "../parts/time.tsx";
import { daysFrom } from "../text/time.ts";
import { SCOPES } from "../../../src/platform/scope.ts";

const ENDS = [
  { value: "90", text: "in 90 days" },
  { value: "30", text: "in 30 days" },
  { value: "365", text: "in a year" },
  { value: "", text: "never" },
];

const loadKeys = early(() => ask<{ keys: Key[] }>("GET", "/auth/keys"));
const loadTeams = early(() => answerOf(api.GET("/api/teams")));

function Keys({ person }: { person: Person }) {
  const keys = useRefreshed(loadKeys);
  const teams = useLoaded(loadTeams);
  const made = useSignal<string | undefined>(undefined);
  const { say, notice } = useNotice();

  async function make(values: FormData) {
    const { key } = await ask<Key & { key: string }>("POST", "/auth/keys", { body: askedKey(values) });
    made.value = key;
    await keys.reload();
  }
  async function revoke({ id, name }: Key) {
    await ask("DELETE", `/auth/keys/${id}`);
    made.value = undefined;
    await keys.reload();
    say(`The key ${name} was revoked.`);
  }

  return (
    <>
      <p>A key lets a program act as you: the command-line tool, or a job of your continuous integration.</p>
      {notice}
      {made.value !== undefined && (
        <Secret label="Your new key. It is shown this once: copy it now." text={made.value} />
      )}
      <Show of={keys}>
        {({ keys }) =>
          keys.length === 0 ? (
            <p>You have no keys.</p>
          ) : (
            <Found all={keys} nameOf={({ name }) => name}>
              {(found) => <KeyTable keys={found} teams={teams.value?.teams} revoke={revoke} />}
            </Found>
          )
        }
      </Show>
      <h2>Make a key</h2>
      {!person.email_verified && (
        <p>
          Confirm your e-mail address first, on the page <a href="/settings/profile">Profile</a>.
        </p>
      )}
      <Show of={teams}>{({ teams }) => <MakeKey teams={teams} make={make} />}</Show>
    </>
  );
}

/** Leaves out what is not chosen: it means all that the person may. */
function askedKey(values: FormData) {
  const scopes = values.getAll("scope");
  const apps = textOf(values, "apps")
    .split(/[\s,]+/)
    .filter((name) => name !== "");
  const days = textOf(values, "days");
  return {
    name: textOf(values, "name"),
    team: textOf(values, "team"),
    ...(scopes.length > 0 ? { scopes } : {}),
    ...(apps.length > 0 ? { apps } : {}),
    ...(days === "" ? {} : { expires_at: daysFrom(new Date(), Number(days)) }),
  };
}

function MakeKey({ teams, make }: { teams: readonly Team[]; make(values: FormData): Promise<void> }) {
  return (
    <Form
      action="Make the key"
      submit={make}
      fields={[
        { name: "name", label: "Name", hint: "What it is for, such as laptop." },
        {
          name: "apps",
          label: "Apps",
          hint: "Names of at most 100 apps that it is for, with commas between them. All when empty.",
          isOptional: true,
        },
      ]}
    >
      <SelectField name="team" label="Team" options={teams.map(({ id, name }) => ({ value: id, text: name }))} />
      <SelectField name="days" label="Ends" options={ENDS} />
      <fieldset>
        <legend>May do</legend>
        <p class="hint">All that you may when nothing is chosen.</p>
        <div class="choices">
          {SCOPES.map((scope) => (
            <label key={scope}>
              <input type="checkbox" name="scope" value={scope} /> {scope}
            </label>
          ))}
        </div>
      </fieldset>
    </Form>
  );
}

interface KeyTableProps {
  keys: readonly Key[];
  /** Undefined until they are there. */
  teams: readonly Team[] | undefined;
  revoke(key: Key): Promise<void>;
}

function KeyTable({ keys, teams, revoke }: KeyTableProps) {
  return (
    <Table
      label="Keys"
      rows={keys}
      keyOf={({ id }) => id}
      columns={{
        Name: ({ name }) => name,
        "Begins with": ({ prefix }) => <code>{prefix}</code>,
        Team: ({ team_id }) => teams && (teams.find(({ id }) => id === team_id)?.name ?? "another team"),
        "May do": ({ scopes, apps }) => (scopes?.join(", ") ?? "all") + (apps === null ? "" : ` of ${apps.join(", ")}`),
        "Last used": ({ last_used_at }) => <Time at={last_used_at} />,
        Ends: ({ expires_at }) => <Time at={expires_at} />,
        Action: (key) =>
          key.revoked_at === null ? (
            <ActionButton
              label="Revoke"
              object={`the key ${key.name}`}
              isDangerous
              warning="Programs that use it are refused at once."
              act={() => revoke(key)}
            />
          ) : (
            <>
              revoked <Time at={key.revoked_at} />
            </>
          ),
      }}
    />
  );
}

void openPersonalPage("Keys", Keys);
