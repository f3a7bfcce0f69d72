import { useSignal } from "@preact/signals";
import type { Passkey, Person } from "../../client/answers.ts";
import { ask } from "../../client/ask.ts";
import { addPasskey, noPasskeysHere } from "../../client/passkey.ts";
import { deviceName } from "../../text/device-name.ts";
import { type Field, Form, textOf } from "../form.tsx";
import { Show, useLoaded } from "../loaded.tsx";
import { useNotice } from "../notice.tsx";
import { proofFields, proofOf } from "../proof-fields.ts";
import { Table } from "../lists/table.tsx";
import { Time } from "../time.tsx";

/** Passkeys are listed, added, renamed and removed here. */
export function Passkeys({ person, load }: { person: Person; load: () => Promise<{ passkeys: Passkey[] }> }) {
  const loaded = useLoaded(load);
  const opened = useSignal<{ action: "rename" | "remove"; passkey: Passkey } | undefined>(undefined);
  const { say, notice } = useNotice();

  async function finish(outcome: string) {
    opened.value = undefined;
    await loaded.reload();
    say(outcome);
  }
  return (
    <section aria-labelledby="passkeys">
      <h2 id="passkeys">Passkeys</h2>
      <p>A passkey of your device, or of a security key, signs you in without a password and without a code.</p>
      {notice}
      <Show of={loaded}>
        {({ passkeys }) => (
          <>
            {passkeys.length === 0 ? (
              <p>You have no passkeys.</p>
            ) : (
              <PasskeyTable passkeys={passkeys} open={(action, passkey) => (opened.value = { action, passkey })} />
            )}
            {opened.value === undefined ? (
              <AddPasskey person={person} onDone={finish} />
            ) : (
              <ChangePasskey
                key={`${opened.value.action} ${opened.value.passkey.id}`}
                {...opened.value}
                person={person}

                onDone={finish}
                onCancel={() => (opened.value = undefined)}
              />
            )}
          </>
        )}
      </Show>
    </section>
  );
}

interface AddPasskeyProps {
  person: Person;
  onDone(outcome: string): Promise<void>;
}

function AddPasskey({ person, onDone }: AddPasskeyProps) {
  const obstacle = noPasskeysHere();
  if (obstacle !== undefined) return <p>{obstacle}</p>;

  async function add(values: FormData) {
    const { name } = await addPasskey(proofOf(values), textOf(values, "name"));
    await onDone(`The passkey ${name} was added. It signs you in without a password and without a code.`);
  }
  return (
    <Form
      account={person.email}
      action="Add a passkey"
      submit={add}
      fields={[passkeyNameField(deviceName(navigator.userAgent)), ...proofFields(person)]}
    />
  );
}

interface PasskeyTableProps {
  passkeys: readonly Passkey[];
  /** Shows the form that does it. */
  open(action: "rename" | "remove", passkey: Passkey): void;
}

function PasskeyTable({ passkeys, open }: PasskeyTableProps) {
  return (
    <Table
      label="Your passkeys"
      rows={passkeys}
      keyOf={({ id }) => id}
      columns={{
        Name: ({ name }) => name,
        Kept: ({ backed_up }) => (backed_up ? "with a copy elsewhere" : "on one device"),
        Added: ({ created_at }) => <Time at={created_at} />,
        "Last used": ({ last_used_at }) => <Time at={last_used_at} />,
        Action: (passkey) => (
          <>
            <button type="button" onClick={() => open("rename", passkey)}>
              Rename …<span class="heard"> the passkey {passkey.name}</span>
            </button>
            <button type="button" class="danger" onClick={() => open("remove", passkey)}>
              Remove …<span class="heard"> the passkey {passkey.name}</span>
            </button>
          </>
        ),
      }}
    />
  );
}

interface ChangePasskeyProps {
  person: Person;
  passkey: Passkey;
  action: "rename" | "remove";
  onDone(outcome: string): Promise<void>;
  onCancel(): void;
}

/** The form that renames or removes one passkey. */
function ChangePasskey({ person, passkey, action, onDone, onCancel }: ChangePasskeyProps) {
  const { id, name } = passkey;
  async function rename(values: FormData) {
    const newName = textOf(values, "name").trim();
    await ask("POST", `/auth/passkeys/${id}/rename`, { body: { name: newName } });
    await onDone(`The passkey is called ${newName} now.`);
  }
  async function remove(values: FormData) {
    await ask("POST", `/auth/passkeys/${id}/remove`, { body: proofOf(values) });
    await onDone(`The passkey ${name} was removed. Sessions that it opened go on: end them on the page Sessions.`);
  }
  return (
    <>
      {action === "rename" ? (
        <Form isFocused action="Rename the passkey" submit={rename} fields={[passkeyNameField(name)]} />
      ) : (
        <Form
          account={person.email}
          isFocused
          isDangerous
          action={`Remove the passkey ${name}`}
          submit={remove}
          fields={proofFields(person)}
        />
      )}
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
    </>
  );
}

function passkeyNameField(value: string): Field {
  return { name: "name", label: "Name of the passkey", value, maxLength: 50 };
}
