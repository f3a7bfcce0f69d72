import type { Connections as Ways, Passkey, Person } from "../client/answers.ts";
import { ask, download } from "../client/ask.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { Connections } from "../parts/connections.tsx";
import { DangerousForm } from "../parts/dangerous-form.tsx";
import { early } from "../parts/early.ts";
import { Form, newPasswordField, textOf } from "../parts/form.tsx";
import { Facts } from "../parts/lists/facts.tsx";
import { useNotice } from "../parts/notice.tsx";
import { openPersonalPage } from "../parts/open-page.tsx";
import { Passkeys } from "../parts/passkeys/passkeys.tsx";
import { passwordFields, proofFields, proofOf } from "../parts/proof-fields.ts";
import { saveFile } from "../parts/copy/save-file.ts";
import { SecondFactor } from "../parts/second-factor.tsx";

const loadConnections = early(() => ask<Ways>("GET", "/auth/connections"));
const loadPasskeys = early(() => ask<{ passkeys: Passkey[] }>("GET", "/auth/passkeys"));

function Profile({ person }: { person: Person }) {
  return (
    <>
      <Account person={person} />
      <ChangeAddress person={person} />
      {person.has_password && <ChangePassword person={person} />}
      <SecondFactor person={person} />
      <Connections person={person} load={loadConnections} />
      <Passkeys person={person} load={loadPasskeys} />
      <YourData person={person} />
    </>
  );
}

function Account({ person }: { person: Person }) {
  const { say, notice } = useNotice();
  async function sendMail() {
    const { status } = await ask<{ status: string }>("POST", "/auth/verification");
    say(status === "verified" ? "Your address is confirmed already." : `A mail is on its way to ${person.email}.`);
  }
  return (
    <section aria-labelledby="account">
      <h2 id="account">Account</h2>
      <Facts
        of={{
          Name: person.name,
          "E-mail address": `${person.email} (${person.email_verified ? "confirmed" : "not confirmed"})`,
        }}
      />
      {notice}
      {!person.email_verified && (
        <>
          <p>Until the address is confirmed, you can't make keys, or change apps and teams.</p>
          <ActionButton label="Send the mail again" act={sendMail} />
        </>
      )}
    </section>
  );
}

function ChangeAddress({ person }: { person: Person }) {
  const { say, notice } = useNotice();
  async function change(values: FormData) {
    const email = textOf(values, "email");
    await ask("POST", "/auth/address", { body: { email, ...proofOf(values) } });
    say(`A mail is on its way to ${email}. Your address changes when its link is opened.`);
  }
  return (
    <section aria-labelledby="address">
      <h2 id="address">Change your e-mail address</h2>
      {notice}
      <Form
        account={person.email}
        action="Change the address"
        submit={change}
        fields={[
          { name: "email", label: "New e-mail address", type: "email", autocomplete: "email" },
          ...passwordFields(person),
        ]}
      />
    </section>
  );
}

function ChangePassword({ person }: { person: Person }) {
  const { say, notice } = useNotice();
  async function change(values: FormData) {
    const body = { ...proofOf(values), new_password: textOf(values, "new_password") };
    await ask("POST", "/auth/password", { body });
    say("Your password was changed, and all other sessions were ended.");
  }
  return (
    <section aria-labelledby="password">
      <h2 id="password">Change your password</h2>
      {notice}
      <Form
        account={person.email}
        action="Change the password"
        submit={change}
        fields={[...passwordFields(person), newPasswordField("new_password", "New password")]}
      />
    </section>
  );
}

function YourData({ person }: { person: Person }) {
  async function deleteAccount(values: FormData) {
    await ask("POST", "/auth/delete", { body: proofOf(values) });
    location.assign("/sign-in");
  }
  return (
    <section aria-labelledby="data">
      <h2 id="data">Your data</h2>
      <p>
        <ActionButton
          label="Download all that the service holds about you"
          act={async () => saveFile("account.json", await download("/auth/export"))}
        />
      </p>
      <DangerousForm
        title="Delete the account"
        account={person.email}
        action="Delete the account for ever"
        submit={deleteAccount}
        fields={proofFields(person)}
      >
        <p>Your sessions, keys and memberships end at once. What you have deployed stays your teams'.</p>
      </DangerousForm>
    </section>
  );
}

void openPersonalPage("Profile", Profile);
