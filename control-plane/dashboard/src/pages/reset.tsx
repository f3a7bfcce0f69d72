import { useSignal } from "@preact/signals";
import { ask } from "../client/ask.ts";
import { linkToken } from "../client/link-token.ts";
import { Form, newPasswordField, textOf } from "../parts/form.tsx";
import { MissingToken } from "../parts/missing-token.tsx";
import { useNotice } from "../parts/notice.tsx";
import { openPage } from "../parts/open-page.tsx";

const token = linkToken(location.hash);

function Reset() {
  const isDone = useSignal(false);
  const { say, notice } = useNotice();
  if (token === "") return <MissingToken hint="You can have another one sent on the page Forgotten password." />;

  async function reset(values: FormData) {
    await ask("POST", "/auth/reset", { body: { token, password: textOf(values, "password") } });
    isDone.value = true;
    say("Your password was changed, and all sessions were ended.");
  }
  return (
    <>
      {notice}
      {isDone.value ? (
        <p>
          <a href="/sign-in">Sign in</a>
        </p>
      ) : (
        <Form
          isFocused
          action="Change the password"
          submit={reset}
          fields={[newPasswordField("password", "New password")]}
        />
      )}
    </>
  );
}

openPage("New password", Reset);
