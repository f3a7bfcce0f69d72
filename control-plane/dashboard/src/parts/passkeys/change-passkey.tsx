import type { Passkey, Person } from "../../client/answers.ts";
import { ask } from "../../client/ask.ts";
import { Form, textOf } from "../form.tsx";
import { proofFields, proofOf } from "../proof-fields.ts";
import { passkeyNameField } from "./passkey-name-field.ts";

interface ChangePasskeyProps {
  person: Person;
  passkey: Passkey;
  action: "rename" | "remove";
  onDone(outcome: string): Promise<void>;
  onCancel(): void;
}

/** The form that renames or removes one passkey. */
export function ChangePasskey({ person, passkey, action, onDone, onCancel }: ChangePasskeyProps) {
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
