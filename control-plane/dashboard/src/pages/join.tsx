import type { Invited } from "../client/answers.ts";
import { ask } from "../client/ask.ts";
import { linkToken } from "../client/link-token.ts";
import { JoinForm } from "../parts/join-form.tsx";
import { Show, useLoaded } from "../parts/loaded.tsx";
import { MissingToken } from "../parts/missing-token.tsx";
import { openPage } from "../parts/open-page.tsx";

const token = linkToken(location.hash);

function Join() {
  if (token === "") return <MissingToken hint="Ask whoever invited you for a new invitation." />;
  return <Invitation />;
}

function Invitation() {
  const invited = useLoaded(() => ask<Invited>("POST", "/auth/join/invitation", { body: { token } }));
  return (
    <>
      <Show of={invited}>
        {({ email }) => (
          <>
            <p>
              Choose your name and a password. You sign in as <strong>{email}</strong> from then on.
            </p>
            <JoinForm token={token} email={email} />
          </>
        )}
      </Show>
      {invited.refusal !== "" && (
        <p>
          If you have joined already, <a href="/sign-in">sign in</a>.
        </p>
      )}
    </>
  );
}

openPage("Join", Join);
