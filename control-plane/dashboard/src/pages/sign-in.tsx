import { useSignal } from "@preact/signals";
import type { Provider } from "../client/answers.ts";
import { ask } from "../client/ask.ts";
import { linkValue } from "../client/link-token.ts";
import { Form, textOf } from "../parts/form.tsx";
import { useLoaded } from "../parts/loaded.tsx";
import { openPage } from "../parts/open-page.tsx";
import { ProviderLinks, ProviderRefusal } from "../parts/provider-links.tsx";
import { noPasskeysHere, signInWithPasskey } from "../client/passkey.ts";
import { ActionButton } from "../parts/action-button.tsx";

/** Where to go on to; the control plane answers with a path of its own in any case. */
const to = new URLSearchParams(location.search).get("to");
const redirect = to === null ? {} : { redirect_to: to };

interface Ways {
  sign_up: "invite" | "open" | "closed";
  providers: Provider[];
}

type Answer = { challenge: string } | { redirect_to: string };

function SignIn() {
  const ways = useLoaded(() => ask<Ways>("GET", "/auth/ways"));
  // A provider that has signed somebody in leads here, when a second factor is to be asked for.
  const challenge = useSignal<string | undefined>(linkValue(location.hash, "challenge") || undefined);
  if (challenge.value !== undefined) return <SecondFactor challenge={challenge.value} />;

  async function signIn(values: FormData) {
    const body = { email: textOf(values, "email"), password: textOf(values, "password"), ...redirect };
    const answer = await ask<Answer>("POST", "/auth/sign-in", { body });
    if ("challenge" in answer) challenge.value = answer.challenge;
    else location.assign(answer.redirect_to);
  }

  return (
    <>
      <ProviderRefusal />
      <Form
        key="password"
        isFocused
        action="Sign in"
        submit={signIn}
        fields={[
          { name: "email", label: "E-mail address", type: "email", autocomplete: "username" },
          { name: "password", label: "Password", type: "password", autocomplete: "current-password" },
        ]}
      />
      <ProviderLinks providers={ways.value?.providers ?? []} to={to} />
      <PasskeySignIn redirect={redirect} />
      <ul class="links">
        <li>
          <a href="/forgot">Forgot your password?</a>
        </li>
        {ways.value?.sign_up === "open" && (
          <li>
            <a href="/sign-up">Make an account</a>
          </li>
        )}
      </ul>
    </>
  );
}

function SecondFactor({ challenge }: { challenge: string }) {
  async function answer(values: FormData) {
    const body = { challenge, code: textOf(values, "code").trim(), ...redirect };
    const { redirect_to } = await ask<{ redirect_to: string }>("POST", "/auth/second-factor/answer", { body });
    location.assign(redirect_to);
  }
  return (
    <>
      <Form
        key="code"
        isFocused
        action="Sign in with the code"
        submit={answer}
        fields={[
          {
            name: "code",
            label: "Code",
            autocomplete: "one-time-code",
            hint: "Six digits of your authenticator app, or one of your recovery codes.",
          },
        ]}
      />
      <p>
        <a href={location.pathname + location.search}>Start again</a>
      </p>
    </>
  );
}

/** The button that signs in with a passkey; nothing where there are none. */
function PasskeySignIn({ redirect }: { redirect: { redirect_to?: string } }) {
  if (noPasskeysHere() !== undefined) return null;
  return (
    <p>
      <ActionButton
        label="Sign in with a passkey"
        act={async () => location.assign(await signInWithPasskey(redirect))}
      />
    </p>
  );
}

openPage("Sign in", SignIn);
