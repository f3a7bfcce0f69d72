import { useSignal } from "@preact/signals";
import type { Passkey, Person } from "../../client/answers.ts";
import { ask } from "../../client/ask.ts";
import { addPasskey, noPasskeysHere } from "../../client/passkey.ts";
import { deviceName } from "../../text/device-name.ts";
import { Form, textOf } from "../form.tsx";
import { Show, useLoaded } from "../loaded.tsx";
import { useNotice } from "../notice.tsx";
import { ChangePasskey } from "./change-passkey.tsx";
import { PasskeyTable } from "./passkey-table.tsx";
import { proofFields, proofOf } from "../proof-fields.ts";
import { passkeyNameField } from "./passkey-name-field.ts";

/** Passkeys are listed, added, renamed and removed here. */
export function Passkeys({ person }: { person: Person }) {
  const loaded = useLoaded(() => ask<{ passkeys: Passkey[] }>("GET", "/auth/passkeys"));
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
