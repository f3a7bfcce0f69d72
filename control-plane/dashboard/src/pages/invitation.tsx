import { useSignal } from "@preact/signals";
import type { Invited, Person, Team } from "../client/answers.ts";
import { answerOf, api } from "../client/api.ts";
import { ask, readPerson } from "../client/ask.ts";
import { forgetInvitation, invitationToken } from "../client/link-token.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { JoinForm } from "../parts/join-form.tsx";
import { Show, useLoaded } from "../parts/loaded.tsx";
import { MissingToken } from "../parts/missing-token.tsx";
import { useNotice } from "../parts/notice.tsx";
import { openPage } from "../parts/open-page.tsx";

const token = invitationToken();

function Invitation() {
  if (token === "") return <MissingToken hint="Ask whoever invited you for a new invitation." />;
  return <Known />;
}

function Known() {
  const known = useLoaded(async () => ({
    invited: await ask<Invited>("POST", "/auth/join/invitation", { body: { token } }),
    signedIn: await readPerson(),
  }));
  return (
    <Show of={known}>
      {({ invited, signedIn }) => (
        <>
          {invited.team !== null && (
            <p>
              {invited.team.invited_by ?? "Somebody"} has invited {invited.email} to the team{" "}
              <strong>{invited.team.name}</strong>, as {invited.team.role}.
            </p>
          )}
          {signedIn ? <Accept person={signedIn} /> : <Choose email={invited.email} />}
        </>
      )}
    </Show>
  );
}

function Accept({ person }: { person: Person }) {
  const team = useSignal<Team | undefined>(undefined);
  const { say, notice } = useNotice();
  async function accept() {
    const accepted = await answerOf(api.POST("/api/invitations/accept", { body: { token } }));
    forgetInvitation();
    team.value = accepted.team;
    say(`You are in the team ${accepted.team.name} now, as ${accepted.team.role}.`);
  }
  return (
    <>
      {notice}
      {team.value === undefined ? (
        <>
          <p>
            You are signed in as {person.email}. The invitation is good for the address alone that it was mailed to.
          </p>
          <ActionButton label="Accept the invitation" act={accept} />
          <p>
            <a href="/sign-in?to=/invitation">Sign in as somebody else</a>
          </p>
        </>
      ) : (
        <p>
          <a href={`/settings/team?team=${team.value.id}`}>See the team</a>
        </p>
      )}
    </>
  );
}

function Choose({ email }: { email: string }) {
  return (
    <>
      <p>Sign in if you have an account with the address that the invitation was mailed to.</p>
      <p>
        <a class="button" href="/sign-in?to=/invitation">
          Sign in
        </a>
      </p>
      <h2>No account yet?</h2>
      <p>Choose your name and a password. You will be in the team at once.</p>
      <JoinForm token={token} email={email} onJoined={forgetInvitation} />
    </>
  );
}

openPage("Invitation to a team", Invitation);
