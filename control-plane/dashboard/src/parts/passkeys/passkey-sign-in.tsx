import { noPasskeysHere, signInWithPasskey } from "../../client/passkey.ts";
import { ActionButton } from "../action-button.tsx";

/** The button that signs in with a passkey; nothing where there are none. */
export function PasskeySignIn({ redirect }: { redirect: { redirect_to?: string } }) {
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
