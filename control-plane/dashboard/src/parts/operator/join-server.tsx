import { useSignal } from "@preact/signals";
import type { Person } from "../../client/answers.ts";
import { answerOf, api } from "../../client/api.ts";
import { shownTime } from "../../text/time.ts";
import { Form, textOf } from "../form.tsx";
import { proofFields, proofOf } from "../proof-fields.ts";
import { Secret } from "../secret.tsx";

/** Whether the address in the command leads each host to itself. */
function isOfOneHost(command: string): boolean {
  return /^SVC_CONTROL_PLANE=https:\/\/(127\.|localhost[:/]|\[::1\])/.test(command);
}

interface JoinServerProps {
  person: Person;
  /** The list has one more then. */
  onMade(): Promise<void>;
}

/** Makes a server, and shows the command for its host. */
export function JoinServer({ person, onMade }: JoinServerProps) {
  const made = useSignal<{ server: string; command: string; expires_at: string } | undefined>(undefined);
  async function make(values: FormData) {
    const name = textOf(values, "name").trim();
    const body = { ...(name === "" ? {} : { name }), ...proofOf(values) };
    made.value = await answerOf(api.POST("/api/servers", { body }));
    await onMade();
  }
  return (
    <section aria-labelledby="join">
      <h2 id="join">Join a server</h2>
      {made.value !== undefined && (
        <>
          <Secret
            label={`The command for the host of ${made.value.server}. It works once, until ${shownTime(made.value.expires_at)}, and is shown this once.`}
            text={made.value.command}
          />
          <p>
            Run it there as root, in a clone of this service's repository, after{" "}
            <code>node deploy/setup/prepare.mjs --for quickstart</code>.
            {isOfOneHost(made.value.command) &&
              " Another host can't reach that address: let the control plane listen for agents on all of its addresses " +
                "(SVC_AGENTS_LISTEN=0.0.0.0:8443), and make a command anew."}
          </p>
        </>
      )}
      <Form
        account={person.email}
        action="Make a join command"
        submit={make}
        fields={[
          {
            name: "name",
            label: "Name",
            autocomplete: "off",
            hint: "Of the server: small letters, digits and dashes. The next free number when empty.",
            isOptional: true,
          },
          ...proofFields(person),
        ]}
      />
    </section>
  );
}
