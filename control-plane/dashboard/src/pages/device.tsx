import { useSignal } from "@preact/signals";
import type { DeviceRequest } from "../client/answers.ts";
import { ask } from "../client/ask.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { Form, textOf } from "../parts/form.tsx";
import { Facts } from "../parts/lists/facts.tsx";
import { Show, useLoaded } from "../parts/loaded.tsx";
import { useNotice } from "../parts/notice.tsx";
import { openPersonalPage } from "../parts/open-page.tsx";
import { SelectField } from "../parts/select-field.tsx";
import { Time } from "../parts/time.tsx";

const userCode = new URLSearchParams(location.search).get("user_code") ?? "";

function Device() {
  return userCode === "" ? <EnterCode /> : <Answer />;
}

function EnterCode() {
  async function look(values: FormData) {
    location.assign(`/device?user_code=${encodeURIComponent(textOf(values, "user_code"))}`);
  }
  return (
    <Form
      isFocused
      action="Go on"
      submit={look}
      fields={[{ name: "user_code", label: "Code that the terminal shows" }]}
    />
  );
}

function Answer() {
  const found = useLoaded(() => ask<DeviceRequest>("GET", `/auth/device?user_code=${encodeURIComponent(userCode)}`));
  const isAnswered = useSignal(false);
  const { say, notice } = useNotice();

  async function approve(values: FormData) {
    const team = textOf(values, "team");
    await ask("POST", "/auth/device/approve", { body: { user_code: userCode, team } });
    isAnswered.value = true;
    say("Approved. Go back to the terminal, which goes on by itself.");
  }
  async function deny() {
    await ask("POST", "/auth/device/deny", { body: { user_code: userCode } });
    isAnswered.value = true;
    say("Denied. Nothing was given to the device.");
  }

  return (
    <>
      {notice}
      {!isAnswered.value && (
        <Show of={found}>
          {({ request, teams, team }) => (
            <>
              <p>
                <strong>{request.client}</strong> asks for a key that acts as you. Approve only what you have started
                yourself, and only if the code is the one that your terminal shows.
              </p>
              <Facts
                of={{
                  Code: <code>{request.user_code}</code>,
                  Device: request.device_name ?? "unnamed",
                  Address: request.address,
                  "Asked at": <Time at={request.created_at} />,
                  "May do": request.scopes?.join(", ") ?? "all that you may",
                }}
              />
              <Form fields={[]} action="Approve" submit={approve}>
                <SelectField
                  name="team"
                  label="Team"
                  value={team ?? undefined}
                  options={teams.map(({ id, name, role }) => ({ value: id, text: `${name} (${role})` }))}
                />
              </Form>
              <ActionButton label="Deny" isDangerous act={deny} />
            </>
          )}
        </Show>
      )}
    </>
  );
}

void openPersonalPage("Sign in a device", Device);
