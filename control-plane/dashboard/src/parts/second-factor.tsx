import { useSignal } from "@preact/signals";
import type { Person } from "../client/answers.ts";
import { ask } from "../client/ask.ts";
import { Form, textOf, type Field } from "./form.tsx";
import { passwordFields, proofFields, proofOf } from "./proof-fields.ts";
import { useNotice } from "./notice.tsx";
import { Secret } from "./copy/secret.tsx";

const CODE: Field = { name: "code", label: "Code", autocomplete: "one-time-code" };

/** Turns the second factor on and off. */
export function SecondFactor({ person }: { person: Person }) {
  const isOn = useSignal(person.second_factor);
  const recoveryCodes = useSignal<string[]>([]);
  const { say, notice } = useNotice();

  function turnedOn(codes: string[]) {
    isOn.value = true;
    recoveryCodes.value = codes;
  }
  async function remove(values: FormData) {
    await ask("POST", "/auth/second-factor/remove", { body: proofOf(values) });
    isOn.value = false;
    recoveryCodes.value = [];
    say("The second factor is off: a sign-in asks for no code any more.");
  }

  return (
    <section aria-labelledby="second-factor">
      <h2 id="second-factor">Second factor</h2>
      {notice}
      {recoveryCodes.value.length > 0 && (
        <Secret
          label="Your recovery codes. Each works once, without the app. They are shown this once: keep them."
          text={recoveryCodes.value.join("\n")}
        />
      )}
      {isOn.value ? (
        <>
          <p>It is on: a sign-in asks for a code of your authenticator app.</p>
          <Form
            account={person.email}
            isDangerous
            action="Turn the second factor off"
            submit={remove}
            fields={proofFields({ ...person, second_factor: true })}
          />
        </>
      ) : (
        <SetUp person={person} onConfirmed={turnedOn} />
      )}
    </section>
  );
}

interface SetUpProps {
  person: Person;
  onConfirmed(recoveryCodes: string[]): void;
}

function SetUp({ person, onConfirmed }: SetUpProps) {
  const uri = useSignal<string | undefined>(undefined);

  async function begin(values: FormData) {
    uri.value = (await ask<{ uri: string }>("POST", "/auth/second-factor", { body: proofOf(values) })).uri;
  }
  async function confirm(values: FormData) {
    const body = { code: textOf(values, "code").trim() };
    onConfirmed(
      (await ask<{ recovery_codes: string[] }>("POST", "/auth/second-factor/confirm", { body })).recovery_codes,
    );
  }

  if (uri.value === undefined) {
    return (
      <>
        <p>It is off. With it, a sign-in also asks for a code of an authenticator app.</p>
        <Form
          key="begin"
          account={person.email}
          action="Set up a second factor"
          submit={begin}
          fields={passwordFields(person)}
        />
      </>
    );
  }
  return (
    <>
      <Secret label="Give this key to your authenticator app." text={keyOf(uri.value)} />
      <p>
        <a href={uri.value}>Open it in an app of this device</a>
      </p>
      <Form
        key="confirm"
        action="Turn the second factor on"
        submit={confirm}
        fields={[{ ...CODE, hint: "Six digits that the app shows. All other sessions end." }]}
      />
    </>
  );
}

/** The key in groups of four, for who types it. @param uri otpauth://totp/…?secret=… */
function keyOf(uri: string): string {
  return (new URL(uri).searchParams.get("secret")?.match(/.{1,4}/g) ?? []).join(" ");
}
