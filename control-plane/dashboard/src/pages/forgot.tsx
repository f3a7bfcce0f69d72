import { ask } from "../client/ask.ts";
import { Form, textOf } from "../parts/form.tsx";
import { useNotice } from "../parts/notice.tsx";
import { openPage } from "../parts/open-page.tsx";

function Forgot() {
  const { say, notice } = useNotice();
  async function send(values: FormData) {
    const email = textOf(values, "email");
    await ask("POST", "/auth/forgot", { body: { email } });
    say(`If ${email} has an account, a mail with a link is on its way there.`);
  }
  return (
    <>
      <p>A mail with a link lets you choose a new password.</p>
      {notice}
      <Form
        action="Send the mail"
        submit={send}
        fields={[{ name: "email", label: "E-mail address", type: "email", autocomplete: "username" }]}
      />
      <p>
        <a href="/sign-in">Back to the sign-in</a>
      </p>
    </>
  );
}

openPage("Forgotten password", Forgot);
